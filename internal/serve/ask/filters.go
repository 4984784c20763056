package ask

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// merge adds to the plan what the words of an item add.
func (s *assembly) merge() {
	plan := reflect.ValueOf(&s.plan).Elem()
	for _, it := range s.seq {
		adds := reflect.ValueOf(it.adds)
		for i := range adds.NumField() {
			switch from, to := adds.Field(i), plan.Field(i); {
			case from.IsZero():
				continue
			case from.Kind() == reflect.Slice:
				to.Set(reflect.AppendSlice(to, from))
			case to.IsZero():
				to.Set(from)
			case from.Kind() != reflect.String && from.Kind() != reflect.Bool || from.String() != to.String():
				s.fail("twice", "words", it.asked)
			}
			it.used = true
		}
	}
	s.plan.FunderTypes, s.plan.Support = slices.Compact(s.plan.FunderTypes), slices.Compact(s.plan.Support)
}

func (s *assembly) causes() {
	p, list := &s.plan, s.all("CAUSE")
	for i, it := range list {
		if i > 0 && !s.joined(list[i-1], it) && p.By != "causes" {
			s.fail("two_causes", "a", list[i-1].cause.Asked, "b", it.cause.Asked)
		}
		if it.used = true; i == 1 && p.sided() && p.Measure != "compare" {
			s.note("either", "a", list[0].cause.Asked, "b", it.cause.Asked)
		}
		if !slices.ContainsFunc(p.Causes, func(c Cause) bool { return c.Subject == it.cause.Subject }) {
			p.Causes = append(p.Causes, *it.cause)
		}
	}
}

// places adds the places of funders and those of recipients. "In Ohio" is where
// recipients are, unless it goes with a noun for funders.
func (s *assembly) places() {
	p := &s.plan
	var last *item
	for _, it := range s.all("PLACE") {
		joined := last != nil && (p.By == "places" || s.joined(last, it))
		side := "recipient"
		if joined {
			side = last.role
		} else if p.Of != "organizations" {
			side = cmp.Or(s.decide("place", it), side)
		}
		if it.place.Kind == "country" && side == "funder" {
			s.fail("funders_abroad")
		}
		if last != nil && last.role == side && !joined {
			s.fail("two_places", "a", last.place.Name, "b", it.place.Name)
		}
		it.used, it.role, it.place.Of, last = true, side, side, it
		if it.cost >= costCityIn {
			p.Doubt = it.asked
		}
		p.Places = addNew(p.Places, *it.place)
	}
}

// field is the field of the plan that an item filters.
func (it *item) field() string {
	if it.sym == "PARTY" {
		return it.role + "s"
	}
	return map[string]string{"CAUSE": "causes", "PLACE": "places", "ABROAD": "abroad", "KIND": "funder_types", "SUPPORT": "support", "AMOUNT": "amounts",
		"PERSON": "only", "WORDS": "words", "YEAR": "years"}[it.sym]
}

// share lists in the plan which filters are the part of a share: the ones after
// the verb.
func (s *assembly) share() {
	p := &s.plan
	if p.Measure != "share" {
		return
	}
	whole, verb := map[string]bool{}, false
	at := slices.Index(s.seq, s.all("share")[0])
	for i, it := range s.seq {
		verb = verb || i > at && is("share_verbs", it.sym)
		switch field := it.field(); {
		case field == "" || field == "years":
		case verb:
			p.Part = addNew(p.Part, field)
		default:
			whole[field] = true
		}
	}
	if i := slices.IndexFunc(p.Part, func(f string) bool { return whole[f] }); i >= 0 {
		s.fail("part_and_whole", "field", strings.ReplaceAll(p.Part[i], "_", " "))
	} else if len(p.Part) == 0 {
		s.fail("share_of_what")
	}
	slices.Sort(p.Part)
}
