package ask

import (
	"slices"
	"strings"

	"grantgraph/internal/serve/identify"
)

// assembly turns one reading of a question into a plan.
type assembly struct {
	*reading
	seq     []*item // without fillers
	plan    Plan
	text    string // the items as patterns see them
	flags   string // what is known of the question besides: its target
	words   string // the words outside of names
	target  *item  // the noun that is asked for
	common  bool   // what several organizations have in common is asked for
	partOf  int    // position of the word where the part of a share begins
	unclear *Unclear
}

// compose makes a plan of a reading.
func (r *reading) compose(seq []*item) (*Plan, *Unclear) {
	s := &assembly{reading: r, target: &item{}, words: " "}
	for _, it := range seq {
		if it.sym == "?" {
			return nil, r.leftOver(seq)
		}
		if it.refuse != nil {
			return nil, it.refuse
		}
		if it.sym != "PARTY" {
			s.words += r.joined(it.from, it.to) + " "
		}
		if it.sym != "fill" {
			s.seq = append(s.seq, it)
		}
	}
	for _, step := range []func(){s.numbers, s.unknownNames, s.negations, s.findRoles, s.findTarget, s.ask, s.filters, s.unused} {
		if step(); s.unclear != nil {
			return nil, s.unclear
		}
	}
	for _, it := range seq {
		for _, n := range it.notes {
			s.addNote(n)
		}
	}
	if err := s.plan.Validate(); err != nil {
		return nil, unclear("no_fit", "why", strings.TrimPrefix(err.Error(), ErrPlan.Error()+": "))
	}
	return &s.plan, nil
}

func (s *assembly) fail(key string, pairs ...string) {
	if s.unclear == nil {
		s.unclear = unclear(key, pairs...)
	}
}

func (s *assembly) note(key string, pairs ...string) { s.addNote(sentence(key, pairs...)) }

func (s *assembly) addNote(text string) {
	if len(s.plan.Notes) < 8 && !slices.Contains(s.plan.Notes, text) {
		s.plan.Notes = append(s.plan.Notes, text)
	}
}

// all returns the items with any of some symbols.
func (s *assembly) all(syms ...string) (list []*item) {
	for _, it := range s.seq {
		if slices.Contains(syms, it.sym) {
			list = append(list, it)
		}
	}
	return list
}

func (s *assembly) at(i int) *item {
	if i < 0 || i >= len(s.seq) {
		return &item{}
	}
	return s.seq[i]
}

// write writes the items as patterns see them, and marks one.
func (s *assembly) write(marked *item) string {
	var b strings.Builder
	for _, it := range s.seq {
		if it == marked {
			b.WriteByte('@')
		}
		b.WriteString(it.sym)
		if it.role != "" {
			b.WriteString(":" + it.role)
		}
		if it.poss {
			b.WriteByte('\'')
		}
		word := it.asked
		if it.sym == "THING" || it.sym == "FACT" {
			word = it.value
		}
		b.WriteString("=" + strings.ReplaceAll(word, " ", "_") + " ")
		if s.toks[it.to-1].comma {
			b.WriteString(", ")
		}
	}
	return b.String()
}

// numbers takes years, amounts, the number of rows and words to look for.
func (s *assembly) numbers() {
	p := &s.plan
	for _, it := range s.seq {
		switch it.sym {
		case "YEAR":
			it.used = true
			if p.Years = append(p.Years, it.span); len(p.Years) > 8 {
				s.fail("many_years")
			}
		case "AMOUNT":
			if p.MinAmount != nil && it.min != nil || p.MaxAmount != nil && it.max != nil {
				s.fail("two_amounts")
			}
			if it.min != nil {
				p.MinAmount = it.min
			}
			if it.max != nil {
				p.MaxAmount = it.max
			}
		case "TOP":
			if p.Top != 0 {
				s.fail("two_tops")
			}
			p.Top = it.count
		case "WORDS":
			if p.Words != "" {
				s.fail("long_mention")
			}
			p.Words = it.words
		}
	}
}

// unknownNames refuses a place followed by a cause that looks like the name of
// an organization: identify does not know that organization.
func (s *assembly) unknownNames() {
	for i, it := range s.seq {
		before := s.at(i - 1)
		if i == 0 || it.sym != "CAUSE" || before.to != it.from || s.toks[before.to-1].comma || s.describes(i) {
			continue
		}
		last := s.toks[it.to-1].text
		if strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") {
			continue // a plural
		}
		capitals := s.capitals(before.from, it.to)
		switch name := s.reading.text(before.from, it.to); {
		case before.sym == "domestic" && capitals:
			s.fail("unknown_name", "words", "“"+name+"”")
		case before.sym == "PLACE" && (capitals || is("named", last)):
			s.fail("no_organization", "name", name, "place", before.place.Name)
		}
	}
}

// describes reports whether an item describes the noun after it: "Ohio hospital
// funders".
func (s *assembly) describes(i int) bool {
	return !s.toks[s.seq[i].to-1].comma &&
		slices.Contains([]string{"GRANT", "MONEY", "FUNDER", "RECIPIENT", "ORG", "KIND", "THING", "CAUSE", "SUPPORT"}, s.at(i+1).sym)
}

// capitals reports whether all words but function words are capitalized, where
// capital letters tell names from other words.
func (r *reading) capitals(from, to int) bool {
	return r.mixed && !slices.ContainsFunc(r.toks[from:to], func(t token) bool { return !t.cap && !is("function", t.text) })
}

// negations reads what the question excludes.
func (s *assembly) negations() {
	for i := 0; i < len(s.seq); i++ {
		if s.seq[i].sym != "not" {
			continue
		}
		k := i + 1
		for slices.Contains([]string{"GRANT", "MONEY", "to", "from", "by"}, s.at(k).sym) {
			k++
		}
		n := 0
		for ; excludes(s.at(k)) != ""; k++ {
			s.plan.Exclude = addNew(s.plan.Exclude, excludes(s.at(k)))
			if n++; (s.at(k+1).sym == "and" || s.at(k+1).sym == "or") && excludes(s.at(k+2)) != "" {
				k++
			}
		}
		if n == 0 {
			s.fail("only_classes", "word", s.seq[i].asked)
			return
		}
		slices.Sort(s.plan.Exclude)
		s.seq = slices.Delete(s.seq, i, k)
		i--
	}
}

// excludes is the class of grants that an item names.
func excludes(it *item) string {
	switch {
	case it.sym == "KIND" && it.value == "daf_or_passthrough":
		return "daf"
	case it.sym == "PERSON":
		return "individuals"
	}
	return ""
}

// findRoles finds out which nouns give and which receive.
func (s *assembly) findRoles() {
	for _, it := range s.seq {
		if strings.Contains(nouns, it.sym) || it.sym == "who" || it.sym == "which" || it.sym == "what" || it.sym == "list" {
			it.role = s.match("role", it)
		}
	}
	s.text = s.write(nil)
	for _, it := range s.all("PARTY") {
		s.takePlace(it)
	}
	s.text = s.write(nil)
}

// match is the first result of a stage for an item: "funder", "recipient" or
// nothing.
func (s *assembly) match(stage string, it *item) string {
	text := s.write(it)
	for _, p := range grammar()[stage] {
		if !p.fits(text, s.flags, s.words) {
			continue
		}
		role := p.then[0]
		if role == "same" {
			if role = s.roleBefore(it); role == "" {
				continue
			}
		}
		place := Place{}
		if it.place != nil {
			place = *it.place
		}
		for _, t := range p.then[1:] {
			s.note(strings.TrimPrefix(t, "note="), "place", place.Name)
		}
		return role
	}
	return ""
}

// roleBefore is the role of the item of the same kind before an item.
func (s *assembly) roleBefore(it *item) (role string) {
	for _, x := range s.seq {
		if x == it {
			break
		}
		if x.sym == it.sym {
			role = x.role
		}
	}
	return role
}

// takePlace removes a place that only says which organization is meant: "X in
// Ohio", if X is in Ohio.
func (s *assembly) takePlace(it *item) {
	beside := s.placeBeside(it)
	if beside == nil {
		return
	}
	i := slices.Index(s.seq, beside)
	next := s.at(i + 1).sym
	if it.role == "funder" && next != "give" && next != "given" && beside.from != it.to || beside.from != it.to && it.role == "" {
		return
	}
	if slices.ContainsFunc(it.who.Candidates, func(c identify.Candidate) bool { return inPlace(&c, beside.place) }) {
		s.pick(it, it.role)
		if it.party != nil && beside.from == it.to || beside.ofParty || it.party != nil && inPlace(&it.who.Candidates[0], beside.place) {
			beside.ofParty, beside.used = true, true
			from := slices.IndexFunc(s.seq, func(x *item) bool { return x.from >= it.to })
			s.seq = slices.Delete(s.seq, from, i+1)
		}
	}
}

// placeBeside is the place right after a name: "X in Ohio", "X, Akron".
func (s *assembly) placeBeside(it *item) *item {
	i := slices.Index(s.seq, it) + 1
	for i > 0 && slices.Contains([]string{"in", "of", "from", "based"}, s.at(i).sym) {
		i++
	}
	if p := s.at(i); p.sym == "PLACE" && p.place != nil && !p.ofParty && p.from-it.to <= 3 {
		return p
	}
	return nil
}

// findTarget finds the noun that the question asks for: the noun after "how
// many", "which" or "the largest", or else the first noun.
func (s *assembly) findTarget() {
	at := -1
	for _, stage := range []string{"target", "noun"} {
		for _, p := range grammar()[stage] {
			m := p.where.FindStringSubmatchIndex(s.text)
			if m != nil && (at < 0 || m[0] < at) {
				at = m[0]
				s.target = s.seq[strings.Count(strings.ReplaceAll(s.text[:m[2]], ", ", ""), " ")]
			}
		}
		if at >= 0 {
			break
		}
	}
	if s.target.sym != "" {
		s.flags = "target:" + s.target.sym
		if s.target.role != "" {
			s.flags += ":" + s.target.role
		}
		s.flags += "= "
	}
}

// ask finds what the question asks for.
func (s *assembly) ask() {
	for _, stage := range []string{"about", "grants"} {
		if stage == "grants" {
			if s.sides(); s.unclear != nil {
				return
			}
			s.text = s.write(nil)
			s.flags = ""
			s.findTarget() // sides may have changed its role
		}
		var part *pattern
		for _, p := range grammar()[stage] {
			if !p.fits(s.text, s.flags, s.words) {
				continue
			}
			if p.refuses() == "" && !s.accounts(p) {
				if part == nil {
					part = p
				}
				continue
			}
			s.then(p)
			return
		}
		if part != nil && stage == "grants" {
			s.accounted(part)
			s.unused()
			return
		}
	}
	s.fail("ask_how")
}

func (p *pattern) refuses() string {
	if key, ok := strings.CutPrefix(p.then[0], "refuse="); ok {
		return key
	}
	return ""
}

// counted are the symbols of words that must have a place in the plan.
func (it *item) counted() bool {
	switch it.sym {
	case "not", "THING", "FACT":
		return true
	}
	return it.sym == it.value && it.sym != "who" && it.sym != "which" && it.sym != "what" && it.sym != "list" && it.sym != "vs"
}

// names reports whether a pattern gives a word a place.
func (s *assembly) names(p *pattern, it *item) bool {
	return p.names[it.sym] || p.names[it.sym+"="+it.value] || it.sym == "THING" && s.thingFits(it, p)
}

// accounts reports whether a pattern names all words that must have a place.
func (s *assembly) accounts(p *pattern) bool {
	return !slices.ContainsFunc(s.seq, func(it *item) bool { return it.counted() && !it.used && !s.names(p, it) })
}

// thingFits reports whether a noun such as "states" is what a pattern ranks or
// compares, or goes with a year: "in the year 2022".
func (s *assembly) thingFits(it *item, p *pattern) bool {
	next := s.at(slices.Index(s.seq, it) + 1)
	return it == s.target && (p.then[0] == "rank" || slices.Contains(p.then, "thing")) || it.value == "years" && next.sym == "YEAR"
}

func (s *assembly) accounted(p *pattern) {
	for _, it := range s.seq {
		it.used = it.used || it.counted() && s.names(p, it)
	}
}

// then does what a pattern says.
func (s *assembly) then(p *pattern) {
	if key := p.refuses(); key != "" {
		s.refuse(key)
		return
	}
	s.accounted(p)
	plan := &s.plan
	if plan.Measure = p.then[0]; len(p.then) > 1 {
		plan.Of = p.then[1]
	}
	for _, t := range p.then[min(2, len(p.then)):] {
		name, value, _ := strings.Cut(t, "=")
		switch name {
		case "order":
			if plan.Order = value; value == "fact" {
				plan.Order = s.all("FACT")[0].value
			}
		case "fact":
			plan.Fact = value
		case "least":
			plan.Least = true
		case "both":
			s.common = true
		case "note":
			s.note(value)
		}
	}
	s.finish()
}

// finish fills the rest of the plan, by what it asks for.
func (s *assembly) finish() {
	p := &s.plan
	if p.Measure == "average|median" {
		if p.Measure = "average"; len(s.all("median")) > 0 {
			p.Measure = "median"
		}
	}
	switch p.Of {
	case "organizations", "awards":
		s.about()
		return
	case "thing":
		if s.target.sym != "THING" {
			s.target = s.all("THING")[0]
		}
		p.Of = s.target.value
	case "target":
		p.Of = s.sideNoun()
	}
	if step := map[string]func(){"rank": s.rank, "share": s.share, "compare": s.compare, "change": s.change, "overlap": s.overlap,
		"stopped": s.stopped, "trend": func() { p.Figure = s.figure() }, "largest": s.oneGrant, "smallest": s.oneGrant}[p.Measure]; step != nil {
		step()
	}
	s.both()
}

// oneGrant asks for one row if the question asks for one grant.
func (s *assembly) oneGrant() {
	noun := s.target
	if g := s.all("GRANT"); noun.sym != "GRANT" && len(g) > 0 {
		noun = g[0]
	}
	s.singular(noun)
}
