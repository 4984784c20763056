package ask

import (
	"cmp"
	"slices"
	"strings"
)

// take adds an organization to a list of the plan.
func (s *assembly) take(it *item, role string) {
	p := s.pick(it, role)
	if p == nil {
		return
	}
	if it.used = true; p.EIN == "" && role != "recipient" {
		s.fail("only_received", "name", p.Name)
		return
	}
	if it.doubt {
		s.plan.Doubt = it.asked
	}
	to := map[string]*[]Party{"funder": &s.plan.Funders, "recipient": &s.plan.Recipients, "organization": &s.plan.Organizations}[role]
	if !slices.ContainsFunc(*to, func(o Party) bool { return o.id() == p.id() }) {
		*to = append(*to, *p)
	}
}

// sides adds the named organizations to the plan as funders and recipients.
func (s *assembly) sides() {
	var last *item
	for _, it := range s.all("PARTY") {
		if it.role == "" && last != nil && s.joined(last, it) {
			it.role = last.role
		}
		if it.party != nil && it.party.RecipID != "" {
			it.role = cmp.Or(it.role, "recipient")
		}
		if it.role = s.settled(it); s.unclear != nil {
			return
		}
		if last != nil && last.role == it.role && !s.joined(last, it) && s.decide("apart", nil) == "" {
			s.fail("how_together", "a", last.asked, "b", it.asked)
			return
		}
		if s.take(it, it.role); s.unclear != nil {
			return
		}
		last = it
	}
}

// settled is the role of an organization. If the words do not say it, the organization's grants may: an organization that only
// gave is a funder. Grants asked for without a verb are the ones it made, or those it received if it made none.
func (s *assembly) settled(it *item) string {
	verbs := s.all("give", "given", "get", "by", "from", "stopped", "overlap")
	if it.role == "recipient" || it.role == "funder" && len(verbs) > 0 || len(s.seq) == 1 {
		return cmp.Or(it.role, "recipient") // only its name: refused later
	}
	p := s.pick(it, it.role)
	if p == nil {
		return ""
	}
	kind := func(a, b int64) string {
		switch {
		case a == 0:
			return "none"
		case a > 10*b:
			return "most"
		}
		return "some"
	}
	gave, got := s.sums(p.EIN, "funder"), s.sums(p.EIN, "recipient")
	if best, ok := it.who.Best(); ok && gave == 0 {
		gave = s.sums(s.group(best, "funder").EIN.String(), "funder")
		defer func() { it.party = nil }() // it may be the group, if it turns out to be the funder
	}
	role := s.decide("side", it, "gave="+kind(gave, got)+" got="+kind(got, gave)+" ")
	if s.unclear != nil && role == "refuse=both_sides" {
		s.unclear.Try = []string{"How much did " + p.EIN + " give?", "How much did " + p.EIN + " receive?", "Who funds " + p.EIN + "?"}
	}
	return role
}

// joined reports whether "and", "or", a comma or a word that compares joins two
// items of one kind: "education grants and health grants".
func (s *assembly) joined(a, b *item) bool {
	joined := s.toks[a.to-1].comma && b.from-a.to <= 1
	for _, it := range s.seq[slices.Index(s.seq, a)+1 : slices.Index(s.seq, b)] {
		switch {
		case is("joins", it.sym), it.sym == "with" && len(s.all("compare", "overlap", "both")) > 0:
			joined = true
		case it.sym == a.sym, is("joined", it.sym), is("verbs", it.sym) && len(s.all("compare")) > 0:
		default:
			return false
		}
	}
	return joined
}

// overlap asks how many funders, or recipients, two organizations have in common.
func (s *assembly) overlap() {
	taker := func(o Party) bool { return s.sums(o.EIN, "funder") <= s.sums(o.EIN, "recipient") }
	of := "funders"
	if asked := first(s.all("FUNDER", "RECIPIENT"), nil); asked != nil && asked.sym == "RECIPIENT" ||
		asked == nil && !slices.ContainsFunc(s.plan.Recipients, taker) {
		of = "recipients"
	}
	s.plan.Measure, s.plan.Both = "how_many", true
	s.gather(of)
}

// gather takes all organizations for recipients if funders are asked for, and for funders if recipients are.
func (s *assembly) gather(of string) {
	p := &s.plan
	list := append(p.Funders, p.Recipients...)
	if p.Of, p.Funders, p.Recipients = of, nil, list; of == "recipients" {
		p.Funders, p.Recipients = list, nil
	}
}

// compare finds the list of the plan that the question compares.
func (s *assembly) compare() {
	p, n := &s.plan, map[string]int{}
	for _, it := range s.seq {
		if n[it.field()]++; n[it.field()] != 2 || !is("compared", it.field()) {
			continue
		}
		if p.By != "" {
			s.fail("compare_what")
			return
		}
		p.By = it.field()
	}
	if p.By == "" && len(p.Years) == 1 && p.Years[0].From > 0 && p.Years[0].To > p.Years[0].From {
		p.Years, p.By = p.Years[0].ends(), "years" // "compare 2019 to 2021"
	}
	if p.By == "" {
		s.fail("compare_two")
	}
	for _, it := range s.all("THING") {
		it.used = it.used || it.value == p.By || it.value == "states" && p.By == "places"
	}
}

// ends are the first and the last year.
func (y Span) ends() []Span { return []Span{{y.From, y.From}, {y.To, y.To}} }

// change plans a figure in two years, or a trend if the question does not name two years.
func (s *assembly) change() {
	p := &s.plan
	single := !slices.ContainsFunc(p.Years, func(y Span) bool { return y.From != y.To })
	switch text := s.write(nil); {
	case len(p.Years) == 1 && s.all("YEAR")[0].pair:
		p.Years = p.Years[0].ends()
	case len(p.Years) == 1 && single && (strings.HasPrefix(text, "aux") || strings.HasPrefix(text, "be")):
		y := p.Years[0].From // "did giving fall in 2020"
		p.Years = Span{y - 1, y}.ends()
		s.note("year_before", "year", p.Years[1].inWords())
	case len(p.Years) == 2 && single:
		slices.SortFunc(p.Years, func(a, b Span) int { return a.From - b.From })
	case len(s.all("share")) > 0:
		s.fail("change_percent")
	default:
		p.Measure = "trend"
	}
}
