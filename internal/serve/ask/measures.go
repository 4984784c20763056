package ask

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ein"
)

// refuse says why a question that looks answerable is not.
func (s *assembly) refuse(key string) {
	pairs := []string{"target", s.target.asked}
	if _, rest, ok := strings.Cut(s.words, " per "); ok {
		per, _, _ := strings.Cut(rest, " ")
		pairs = append(pairs, "per", per)
	}
	for _, it := range s.all("pronoun", "THING") {
		pairs = append(pairs, strings.ToLower(it.sym), strings.ReplaceAll(it.value+it.asked, it.value+it.value, it.value))
	}
	var try []string
	if list := s.all("PARTY"); len(list) == 1 {
		p := s.pick(list[0], "")
		if p == nil {
			return
		}
		pairs = append(pairs, "party", p.Name)
		if key == "about_party" {
			try = []string{"Where is " + p.EIN + "?", "What is the mission of " + p.EIN + "?", "What is the revenue of " + p.EIN + "?"}
		}
	}
	if s.fail(key, pairs...); try != nil {
		s.unclear.Try = try
	}
}

// about plans a question about organizations as such.
func (s *assembly) about() {
	p := &s.plan
	for _, it := range s.all("PARTY") {
		s.take(it, "organization")
	}
	if facts := s.all("FACT"); p.Measure == "fact" && p.Fact == "" {
		p.Fact = facts[0].value
	}
	if p.Of == "awards" {
		federal := slices.ContainsFunc(s.seq, func(it *item) bool { return strings.HasPrefix(it.asked, "federal") || it.sym == "federal" })
		state := len(s.all("stategov")) > 0
		p.Level = map[[2]bool]string{{true, false}: "federal", {false, true}: "state"}[[2]bool{federal, state}]
	}
	if orgs := s.all("ORG", "CAUSE"); p.Measure == "which" && p.Of == "organizations" && len(orgs) > 0 {
		s.singular(orgs[0])
	}
}

// take adds an organization to a list of the plan.
func (s *assembly) take(it *item, role string) {
	p := s.pick(it, role)
	if p == nil {
		return
	}
	it.used = true
	to := map[string]*[]Party{"funder": &s.plan.Funders, "recipient": &s.plan.Recipients, "organization": &s.plan.Organizations}[role]
	if !slices.ContainsFunc(*to, func(o Party) bool { return o.EIN == p.EIN }) {
		*to = append(*to, *p)
	}
}

// sides adds the named organizations to the plan as funders and recipients. If
// the words do not say which, the organization's grants may: an organization
// that only gave is a funder.
func (s *assembly) sides() {
	var last *item
	for _, it := range s.all("PARTY") {
		if it.role = s.settled(it, s.guessed(it, last)); s.unclear != nil {
			return
		}
		if last != nil && last.role == it.role && !s.joined(last, it) && len(s.all("overlap")) == 0 {
			s.fail("how_together", "a", last.asked, "b", it.asked)
			return
		}
		if s.take(it, it.role); s.unclear != nil {
			return
		}
		last = it
	}
}

// guessed is the role of an organization by its words, or by the organization
// before it.
func (s *assembly) guessed(it, last *item) string {
	role, several := it.role, len(s.all("PARTY"))
	switch {
	case len(s.all("overlap")) > 0, role == "" && len(s.all("stopped")) > 0:
		return "recipient"
	case role != "":
		return role
	case last != nil && s.joined(last, it):
		return last.role
	case last != nil && last.role != "" && len(s.all("compare", "vs")) > 0:
		return last.role // "did A give more than B"
	case last != nil && last.role == "funder" && several == 2 && len(s.all("give", "given")) > 0:
		return "recipient"
	}
	// "Who gave more, A or B": A and B are the possible answers to "who".
	for _, w := range s.all("who", "which") {
		if several > 1 {
			role = w.role
		}
	}
	return role
}

// settled is the role of an organization, from its grants if the words do not
// say it.
func (s *assembly) settled(it *item, role string) string {
	if role == "" && len(s.seq) == 1 {
		return "recipient" // only its name: refused later
	}
	if role == "" {
		return s.onlySide(it)
	}
	if role != "funder" || len(s.all("give", "given", "get", "by", "from", "stopped", "overlap")) > 0 {
		return role
	}
	// Grants asked for without a verb are the ones it made, or those it received
	// if it made none.
	p := s.pick(it, "funder")
	if p == nil {
		return role
	}
	if e, err := ein.Parse(p.EIN); err == nil && s.sums(e, "funder") == 0 && s.sums(e, "recipient") > 0 {
		s.note("received_meant", "name", p.Name)
		return "recipient"
	}
	return role
}

// onlySide is the side on which an organization has grants, if it has nearly all
// of them on one side.
func (s *assembly) onlySide(it *item) string {
	p := s.pick(it, "")
	if p == nil {
		return ""
	}
	e, err := ein.Parse(p.EIN)
	if err != nil {
		return ""
	}
	gave, got := s.sums(e, "funder"), s.sums(e, "recipient")
	switch {
	case gave == 0 && got == 0:
		s.fail("no_grants_of", "name", p.Name)
		return ""
	case gave > 10*got:
		if got > 0 {
			s.note("mostly_gave", "name", p.Name)
		}
		return "funder"
	case got > 10*gave:
		if gave > 0 {
			s.note("mostly_received", "name", p.Name)
		}
		return "recipient"
	}
	s.fail("both_sides", "name", p.Name)
	s.unclear.Try = []string{"How much did " + p.EIN + " give?", "How much did " + p.EIN + " receive?", "Who funds " + p.EIN + "?"}
	return ""
}

// joined reports whether "and", "or", a comma or a word that compares joins two
// items of one kind: "education grants and health grants".
func (s *assembly) joined(a, b *item) bool {
	joined := s.toks[a.to-1].comma && b.from-a.to <= 1
	for k := slices.Index(s.seq, a) + 1; k < slices.Index(s.seq, b); k++ {
		switch it := s.seq[k]; it.sym {
		case "and", "or", "vs", "compare":
			joined = true
		case "with":
			joined = joined || len(s.all("compare", "overlap", "both")) > 0
		case "give", "given", "get", "more", "most":
			if len(s.all("compare")) == 0 {
				return false
			}
		case "to", "from", "in", "of", "by", "both", "GRANT", "FUNDER", "ORG", "MONEY", "RECIPIENT", a.sym:
		default:
			return false
		}
	}
	return joined
}

// figure is the figure that a trend, a comparison or a change shows.
func (s *assembly) figure() string {
	switch {
	case len(s.all("median")) > 0:
		return "median"
	case len(s.all("average")) > 0:
		return "average"
	case len(s.all("many")) > 0:
		return s.counts(s.target)
	}
	return "dollars"
}

// counts is what a noun counts.
func (s *assembly) counts(noun *item) string {
	switch {
	case noun.sym == "FUNDER", noun.sym == "KIND", noun.sym == "ORG" && noun.role == "funder":
		return "funders"
	case noun.sym == "RECIPIENT", noun.sym == "ORG":
		return "recipients"
	}
	return "grants"
}

// singular asks for one row if the noun is singular.
func (s *assembly) singular(noun *item) {
	text := strings.ToLower(noun.asked)
	if s.plan.Top != 0 || strings.HasSuffix(text, "s") || strings.HasPrefix(text, "kinds") || strings.HasPrefix(text, "types") || noun.sym == "CAUSE" {
		return
	}
	if strings.Contains("FUNDER RECIPIENT ORG GRANT THING KIND", noun.sym) && len(s.all("big", "most", "least", "dollarsmost", "often")) > 0 {
		s.plan.Top = 1
	}
}

var mostGrants = sync.OnceValue(func() *regexp.Regexp { return inOrder([]string{"most|least=fewest", "GRANT"}, "grants") })

// rank plans a list of what the question asks for, by dollars or by the number
// of grants.
func (s *assembly) rank() {
	p, t := &s.plan, s.target
	p.Measure, p.Least = "which", len(s.all("least")) > 0
	byGrants, words := mostGrants().MatchString(s.text), s.all("who", "which", "what", "list")
	switch {
	case t.sym == "":
		s.fail("rank_what")
		return
	case t.sym == "PERSON":
		s.fail("persons_named")
		return
	case t.sym == "GRANT" && (len(words) == 0 || words[0].sym != "who"):
		if byGrants {
			s.fail("rank_by_grants")
		}
		if p.Measure, p.Of = "largest", "grants"; p.Least {
			p.Measure, p.Least = "smallest", false
		}
	case t.sym == "THING":
		s.rankThing(t)
	default:
		p.Of = s.sideNoun()
	}
	if byGrants || len(s.all("often", "many")) > 0 {
		p.Order = "grants"
	}
	s.notByNumber()
	s.singular(t)
}

// rankThing ranks what a noun such as "states" names.
func (s *assembly) rankThing(t *item) {
	if slices.Contains([]string{"states", "counties", "cities"}, t.value) && (t.poss || t.role == "funder") {
		s.fail("rank_places")
	}
	s.plan.Of, t.used = t.value, true
}

// notByNumber refuses rankings by the number of funders or recipients, which the
// API cannot make: "funds the most organizations".
func (s *assembly) notByNumber() {
	for i, it := range s.seq {
		if it.sym != "most" && it.sym != "least" {
			continue
		}
		k := i + 1
		for s.at(k).sym == "CAUSE" || s.at(k).sym == "PLACE" {
			k++
		}
		next, cause := s.at(k), s.at(k-1)
		noun := slices.Contains([]string{"RECIPIENT", "ORG", "FUNDER", "THING", "KIND"}, next.sym)
		switch {
		case noun && next != s.target:
			s.fail("rank_by_number", "of", strings.ToLower(next.asked))
		case !noun && cause.sym == "CAUSE" && strings.HasSuffix(cause.asked, "s") && next.sym != "GRANT" && next.sym != "MONEY":
			s.fail("rank_by_number", "of", cause.asked)
		}
	}
}

// sideNoun says whether the noun that is asked for means funders or recipients.
func (s *assembly) sideNoun() string {
	it, p := s.target, &s.plan
	if strings.HasPrefix(it.asked, "foundation") && it.sym == "FUNDER" {
		s.note("all_funders", "word", it.asked)
	}
	switch {
	case it.sym == "FUNDER", it.sym == "KIND", it.sym != "RECIPIENT" && it.role == "funder":
		return "funders"
	case it.sym == "RECIPIENT", it.role == "recipient", len(p.Funders) > 0 && len(p.Recipients) == 0:
		return "recipients"
	case len(p.Recipients) > 0 && len(p.Funders) == 0:
		return "funders"
	case it.sym == "ORG":
		return "recipients"
	}
	s.fail("which_side")
	return "funders"
}

// both asks for the funders or recipients that several organizations have in
// common.
func (s *assembly) both() {
	p := &s.plan
	if !s.common && len(s.all("both")) == 0 || !p.sided() || p.Measure != "which" && p.Measure != "how_many" {
		return
	}
	if p.Both = p.Of == "funders" && len(p.Recipients) >= 2 || p.Of == "recipients" && len(p.Funders) >= 2; !p.Both {
		s.fail("both_of")
	}
}

// overlap asks how many funders, or recipients, two organizations have in
// common.
func (s *assembly) overlap() {
	p := &s.plan
	list := append(p.Funders, p.Recipients...)
	given := 0
	for _, o := range list {
		if e, err := ein.Parse(o.EIN); err == nil && s.sums(e, "funder") > s.sums(e, "recipient") {
			given++
		}
	}
	p.Measure, p.Of, p.Both, p.Funders, p.Recipients = "how_many", "funders", true, nil, list
	if t := s.target; t.sym == "RECIPIENT" || t.sym != "FUNDER" && given == len(list) {
		p.Of, p.Funders, p.Recipients = "recipients", list, nil
	}
}

// stopped asks which funders gave in earlier years, and not in the latest.
func (s *assembly) stopped() {
	p := &s.plan
	if p.Recipients = append(p.Recipients, p.Funders...); s.target.sym == "RECIPIENT" || s.target.role == "recipient" && s.target.sym == "ORG" {
		p.Of, p.Funders, p.Recipients = "recipients", p.Recipients, nil
		return
	}
	p.Of, p.Funders = "funders", nil
}

// share plans a part of a whole. The words after the verb are the part.
func (s *assembly) share() {
	of := slices.Index(s.seq, s.all("share")[0])
	if s.plan.Figure = "grants"; len(s.all("many")) == 0 {
		s.plan.Figure = s.shareFigure(of)
	}
	for _, it := range s.all("go", "be", "give", "given", "get") {
		if it.from > s.seq[of].from {
			s.partOf = it.from
			return
		}
	}
	s.fail("share_of_what")
}

// shareFigure is the figure that a share is of; the noun after the share names
// it.
func (s *assembly) shareFigure(of int) string {
	for _, it := range s.seq[of+1:] {
		switch it.sym {
		case "of", "PLACE", "CAUSE", "YEAR", "in", "AMOUNT", "PARTY":
			continue
		case "FUNDER", "KIND", "ORG", "RECIPIENT":
			if !it.poss {
				return s.counts(it)
			}
		}
		break
	}
	return "dollars"
}

// compare finds the list of the plan that the question compares.
func (s *assembly) compare() {
	p := &s.plan
	p.Figure = s.figure()
	for _, list := range []struct {
		by string
		n  int
	}{{"funders", len(p.Funders)}, {"recipients", len(p.Recipients)}, {"places", len(s.all("PLACE"))}, {"causes", len(s.all("CAUSE"))},
		{"years", len(p.Years)}, {"funder_types", len(s.all("KIND"))}} {
		if list.n < 2 {
			continue
		}
		if p.By != "" {
			s.fail("compare_what")
			return
		}
		p.By = list.by
	}
	if p.By == "" && len(p.Years) == 1 && p.Years[0].From > 0 && p.Years[0].To > p.Years[0].From {
		y := p.Years[0] // "compare 2019 to 2021"
		p.Years, p.By = []Span{{y.From, y.From}, {y.To, y.To}}, "years"
	}
	if p.By == "" {
		s.fail("compare_two")
		return
	}
	// "More grants" compares the number of grants.
	for _, it := range s.all("more", "most") {
		if next := s.at(slices.Index(s.seq, it) + 1); slices.Contains([]string{"GRANT", "RECIPIENT", "FUNDER", "ORG"}, next.sym) {
			p.Figure = s.counts(next)
		}
	}
	for _, it := range s.all("THING") {
		it.used = it.used || it.value == p.By || it.value == "states" && p.By == "places"
	}
}

// change plans a figure in two years, or a trend if the question does not name
// two years.
func (s *assembly) change() {
	p := &s.plan
	p.Figure = s.figure()
	years := s.all("YEAR")
	single := !slices.ContainsFunc(p.Years, func(y Span) bool { return y.From != y.To })
	switch {
	case len(years) == 1 && years[0].pair:
		y := p.Years[0]
		p.Years = []Span{{y.From, y.From}, {y.To, y.To}}
	case len(p.Years) == 1 && single && strings.HasPrefix(s.text, "aux") || strings.HasPrefix(s.text, "be") && len(p.Years) == 1 && single:
		y := p.Years[0].From // "did giving fall in 2020"
		p.Years = []Span{{y - 1, y - 1}, {y, y}}
		s.note("year_before", "year", p.Years[1].inWords())
	case len(p.Years) == 2 && single:
		slices.SortFunc(p.Years, func(a, b Span) int { return a.From - b.From })
	case len(s.all("share")) > 0:
		s.fail("change_percent")
	default:
		p.Measure = "trend"
	}
}
