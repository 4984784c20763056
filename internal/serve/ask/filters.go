package ask

import (
	"slices"
	"strings"
)

// filters adds causes, places, kinds and other filters to the plan.
func (s *assembly) filters() {
	p := &s.plan
	for _, step := range []func(){s.causes, s.places, s.kinds, s.amounts} {
		if step(); s.unclear != nil {
			return
		}
	}
	for _, it := range s.all("SUPPORT") {
		it.used = true
		p.Support = addNew(p.Support, it.value)
	}
	if p.Measure == "fact" && len(p.Years) > 1 {
		s.fail("fact_one_year")
	}
	if p.Measure == "share" {
		s.parts()
	}
	if p.Of == "awards" || slices.Contains([]string{"similar", "screen", "cofunders", "people"}, p.Measure) {
		s.alone()
	}
}

// alone refuses filters of questions about an organization as such.
func (s *assembly) alone() {
	p := &s.plan
	if p.any("causes support funder_types exclude only abroad amounts") || p.Measure != "similar" && len(p.Places) > 0 {
		s.fail("alone")
	}
	if p.Of != "awards" && len(p.Years) > 0 {
		s.fail("alone_years")
	}
}

// amounts refuses an amount that may be of one grant or of all together: "who
// got more than $1 million".
func (s *assembly) amounts() {
	if s.plan.Of != "funders" && s.plan.Of != "recipients" {
		return
	}
	for i, it := range s.seq {
		before := s.at(i - 1).sym
		if it.sym == "AMOUNT" && slices.Contains([]string{"get", "give", "given", "PARTY"}, before) {
			s.fail("amount_of_one")
		}
	}
}

// nounFollows reports whether a cause describes a noun after it.
func (s *assembly) nounFollows(k int) bool {
	for ; !s.toks[s.at(k).to-1].comma; k++ {
		switch s.at(k + 1).sym {
		case "PLACE", "CAUSE", "based":
		case "FUNDER", "RECIPIENT", "ORG", "KIND":
			return true
		default:
			return false
		}
	}
	return false
}

func (s *assembly) causes() {
	p := &s.plan
	list := s.all("CAUSE")
	for i, it := range list {
		if i > 0 && !s.joined(list[i-1], it) && p.By != "causes" {
			s.fail("two_causes", "a", list[i-1].cause.Asked, "b", it.cause.Asked)
			return
		}
		if it.role == "funder" && !s.nounFollows(slices.Index(s.seq, it)) {
			s.fail("cause_gives", "cause", it.cause.Asked)
			return
		}
		it.used = true
		if i == 1 && (p.Of == "funders" || p.Of == "recipients") && p.Measure != "compare" {
			s.note("either", "a", list[0].cause.Asked, "b", it.cause.Asked)
		}
		if !slices.ContainsFunc(p.Causes, func(c Cause) bool { return c.Subject == it.cause.Subject }) {
			p.Causes = append(p.Causes, *it.cause)
		}
	}
}

func (s *assembly) places() {
	p := &s.plan
	p.Abroad = len(s.all("ABROAD")) > 0
	compared := p.By == "places"
	var last *item
	for _, it := range s.all("PLACE") {
		it.used = true
		joined := last != nil && s.joined(last, it)
		side := s.side(it, last, joined || compared)
		if s.unclear == nil {
			s.checkPlace(it, last, side, joined || compared)
		}
		if s.unclear != nil {
			return
		}
		it.role, it.place.Of = side, side
		last = it
		if it.cost >= costCityIn {
			p.Doubt = it.asked
		}
		p.Places = addNew(p.Places, *it.place)
	}
}

// side says whether a place is that of funders or of recipients. "In Ohio" is
// where recipients are, unless it goes with a noun for funders.
func (s *assembly) side(it, last *item, joined bool) string {
	if joined && last != nil {
		return last.role
	}
	side := s.match("place", it)
	switch {
	case it.place.Kind == "country" && side == "funder":
		s.fail("funders_abroad")
	case side == "", s.plan.Of == "organizations", it.place.Kind == "country":
		return "recipient"
	}
	return side
}

// checkPlace refuses places that do not go together, or are not what they seem.
func (s *assembly) checkPlace(it, last *item, side string, joined bool) {
	if strings.HasPrefix(it.asked, "state of ") && s.at(slices.Index(s.seq, it)-1).sym != "in" {
		s.fail("state_itself")
	}
	if last == nil {
		return
	}
	comma := s.toks[last.to-1].comma && it.from == last.to
	if comma && last.place.Kind == "state" && it.place.Kind == "state" && s.plan.By != "places" && len(s.all("PLACE")) == 2 {
		s.fail("two_states", "place", last.place.Name)
	}
	if last.role == side && !joined {
		s.fail("two_places", "a", last.place.Name, "b", it.place.Name)
	}
}

func (s *assembly) kinds() {
	p := &s.plan
	for _, it := range s.all("KIND") {
		if it.role == "recipient" && len(s.all("get")) > 0 && p.Measure != "share" {
			s.fail("kinds_receive")
			return
		}
		it.used = true
		if strings.HasPrefix(it.asked, "family") {
			s.note("family_foundations", "word", it.asked)
		}
		p.FunderTypes = addNew(p.FunderTypes, it.value)
	}
	for _, it := range s.all("PERSON") {
		it.used = true
		switch {
		case it.role == "funder":
			s.fail("persons_give")
		case p.Of != "grants" || !slices.Contains([]string{"how_much", "how_many", "share", "exists"}, p.Measure):
			s.fail("persons_total")
		}
		p.Only = "individuals"
	}
}

// fieldOf is the field of the plan that an item filters.
func fieldOf(it *item) string {
	if it.sym == "PARTY" {
		return it.role + "s"
	}
	return map[string]string{"CAUSE": "causes", "PLACE": "places", "ABROAD": "abroad", "KIND": "funder_types", "SUPPORT": "support", "AMOUNT": "amounts",
		"PERSON": "only", "WORDS": "words"}[it.sym]
}

// parts lists in the plan which filters come after the verb of a share.
func (s *assembly) parts() {
	p := &s.plan
	before := map[string]bool{}
	for _, it := range s.seq {
		switch field := fieldOf(it); {
		case field == "":
		case it.from < s.partOf:
			before[field] = true
		default:
			p.Part = addNew(p.Part, field)
		}
	}
	if i := slices.IndexFunc(p.Part, func(f string) bool { return before[f] }); i >= 0 {
		s.fail("part_and_whole", "field", strings.ReplaceAll(p.Part[i], "_", " "))
		return
	}
	slices.Sort(p.Part)
	if slices.Contains(p.Part, "amounts") && p.Figure == "dollars" && len(s.all("GRANT")) > 0 {
		p.Figure = "grants" // "what share of grants are over $100,000" counts them
	}
	if len(p.Part) == 0 {
		s.fail("share_of_what")
	}
}

// unused reports the words whose meaning was not used in the plan.
func (s *assembly) unused() {
	var words []string
	for _, it := range s.seq {
		if !it.used && (it.counted() || slices.Contains([]string{"SUPPORT", "PERSON", "KIND", "PLACE", "CAUSE", "PARTY"}, it.sym)) {
			words = append(words, "“"+s.reading.text(it.from, it.to)+"”")
		}
	}
	if len(words) > 0 && s.unclear == nil {
		s.fail("unused", "words", strings.Join(words, ", "))
		s.unclear.Words = words
	}
}
