package ask

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// assembly turns one reading of a question into a plan.
type assembly struct {
	*reading
	seq     []*item // without fillers
	plan    Plan
	words   string // the words outside of names
	target  *item  // the noun that is asked for
	unclear *Unclear
}

func (r *reading) compose(seq []*item) (*Plan, *Unclear) {
	s := &assembly{reading: r, words: " "}
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
	for _, step := range []func(){s.negations, s.merge, s.roles, s.ask, s.notItself, s.causes, s.places, s.share, s.check, s.unused} {
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
		u := unclear("no_fit", "why", strings.TrimPrefix(err.Error(), ErrPlan.Error()+": "))
		u.Read = true
		return nil, u
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
	if len(s.plan.Notes) < 8 {
		s.plan.Notes = addNew(s.plan.Notes, text)
	}
}

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
	mark := func(is bool, sign string) {
		if is {
			b.WriteString(sign)
		}
	}
	for _, it := range s.seq {
		mark(it == marked, "@")
		b.WriteString(it.sym)
		mark(it.role != "", ":"+it.role)
		mark(it == s.target, "!")
		mark(it.named, "~")
		mark(it.poss, "'")
		word := it.asked
		if it.sym == "THING" || it.sym == "FACT" {
			word = it.value
		}
		b.WriteString("=" + strings.ReplaceAll(word, " ", "_") + " ")
		mark(s.toks[it.to-1].comma, ", ")
	}
	return b.String()
}

// negations reads what the question excludes.
func (s *assembly) negations() {
	classes := map[string]string{"KIND daf_or_passthrough": "daf", "PERSON ": "individuals"}
	for i := 0; i < len(s.seq); i++ {
		if s.seq[i].sym != "not" {
			continue
		}
		end := i
		for k := i + 1; ; k++ {
			class := classes[s.at(k).sym+" "+s.at(k).value]
			if class != "" {
				s.plan.Exclude, end = addNew(s.plan.Exclude, class), k
			} else if !is("excluded", s.at(k).sym) {
				break
			}
		}
		if end == i {
			s.fail("only_classes", "word", s.seq[i].asked)
			return
		}
		slices.Sort(s.plan.Exclude)
		s.seq = slices.Delete(s.seq, i, end+1)
		i--
	}
}

// decide returns what the first row of a stage that fits says of the question, or
// of one of its items, of which more may be known.
func (s *assembly) decide(stage string, it *item, more ...string) string {
	text, plan := s.write(it), s.planned()+strings.Join(more, "")
	for _, p := range grammar()[stage] {
		if !p.fits(text, plan, s.words) {
			continue
		}
		then := p.then[0]
		if then == "same" {
			if then = s.roleBefore(it); then == "" {
				continue
			}
		}
		if len(p.then) > 1 || strings.Contains(then, "=") {
			s.say(p, it)
		}
		return then
	}
	return ""
}

// planned is what the plan has so far, as patterns see it.
func (s *assembly) planned() string {
	return "measure=" + s.plan.Measure + " of=" + s.plan.Of + " by=" + s.plan.By + " "
}

// roleBefore is the role of the item of the same kind before an item.
func (s *assembly) roleBefore(it *item) (role string) {
	for _, x := range s.seq[:slices.Index(s.seq, it)] {
		if x.sym == it.sym {
			role = x.role
		}
	}
	return role
}

// say refuses the question or adds a note, if a row says so. The sentence may name the words that the row matched, the last of
// them, the noun that is asked for, and the first words of each kind.
func (s *assembly) say(p *pattern, about *item) {
	var pairs []string
	if about != nil && about.place != nil {
		pairs = append(pairs, "place", about.place.Name)
	} else if about != nil && about.party != nil {
		pairs = append(pairs, "name", about.party.Name)
	}
	if s.target != nil {
		pairs = append(pairs, "target", s.target.asked)
	}
	text := s.write(about)
	if p.where != nil {
		m := p.where.FindStringIndex(text)
		first, end := s.index(text[:min(m[0]+1, len(text))]), s.index(text[:m[1]])
		pairs = append(pairs, "match", s.text(s.at(first).from, s.at(end-1).to), "last", s.at(end-1).asked)
	}
	for _, it := range s.seq {
		word := s.text(it.from, it.to)
		if it.place != nil {
			word = it.place.Name
		} else if it.sym == "THING" {
			word = it.value
		}
		pairs = append(pairs, strings.ToLower(it.sym), word)
	}
	for _, t := range p.then {
		if key, ok := strings.CutPrefix(t, "note="); ok {
			s.note(key, pairs...)
		}
		if key, ok := strings.CutPrefix(t, "refuse="); ok {
			s.refuse(key, pairs)
		}
		if class, ok := strings.CutPrefix(t, "exclude="); ok {
			s.plan.Exclude = addNew(s.plan.Exclude, class)
			slices.Sort(s.plan.Exclude)
		}
		s.plan.InTotal = s.plan.InTotal || t == "in_total"
	}
}

// index is the number of items in the beginning of a written text.
func (s *assembly) index(text string) int {
	return strings.Count(strings.ReplaceAll(text, ", ", ""), " ")
}

// refuse says why a question that looks answerable is not.
func (s *assembly) refuse(key string, pairs []string) {
	if list := s.all("PARTY"); len(list) == 1 {
		p := s.pick(list[0], "")
		if p == nil {
			return
		}
		if pairs = append([]string{"party", p.Name}, pairs...); key == "about_party" {
			s.fail(key, pairs...)
			s.unclear.Try = []string{"Where is " + p.EIN + "?", "What is the mission of " + p.EIN + "?", "What is the revenue of " + p.EIN + "?"}
		}
	}
	s.fail(key, pairs...)
}

// roles finds out which nouns give and which receive, and which noun the question asks for: the noun after "how many", "which"
// or "the largest", or else the first noun.
func (s *assembly) roles() {
	if s.decide("names", nil); s.unclear != nil {
		return
	}
	for _, it := range s.seq {
		if strings.Contains(nouns, it.sym) || is("asking", it.sym) {
			it.role = strings.TrimPrefix(s.decide("role", it), "none")
		}
	}
	for _, it := range s.all("PARTY") {
		s.takePlace(it)
	}
	text, at := s.write(nil), -1
	for _, stage := range []string{"target", "noun"} {
		for _, p := range grammar()[stage] {
			if m := p.where.FindStringSubmatchIndex(text); m != nil && (at < 0 || m[0] < at) {
				at, s.target = m[0], s.seq[s.index(text[:m[2]])]
			}
		}
		if at >= 0 {
			return
		}
	}
}

// ask finds what the question asks for.
func (s *assembly) ask() {
	for _, stage := range []string{"about", "grants"} {
		if stage == "grants" {
			if s.sides(); s.unclear != nil {
				return
			}
		}
		var part *pattern
		text := s.write(nil)
		for _, p := range grammar()[stage] {
			if !p.fits(text, "", s.words) {
				continue
			}
			if strings.HasPrefix(p.then[0], "refuse=") {
				s.say(p, nil)
				return
			}
			if !slices.ContainsFunc(s.seq, func(it *item) bool { return it.counted() && !it.used && !s.names(p, it) }) {
				s.then(p)
				return
			}
			part = cmp.Or(part, p)
		}
		if part != nil && stage == "grants" {
			s.account(part)
			s.unused()
			return
		}
	}
	s.fail("ask_how")
}

// counted reports whether a word must have a place in the plan.
func (it *item) counted() bool {
	return it.sym == "not" || it.sym == "THING" || it.sym == "FACT" || it.sym == it.value && !is("asking", it.sym) && it.sym != "vs"
}

// names reports whether a pattern gives a word a place. A noun such as "states" has
// one if the pattern ranks it, or if a year follows: "in the year 2022".
func (s *assembly) names(p *pattern, it *item) bool {
	year := it.value == "years" && s.at(slices.Index(s.seq, it)+1).sym == "YEAR"
	return p.names[it.sym] || p.names[it.sym+"="+it.value] || it == s.target && slices.Contains(p.then, "thing") || year
}

func (s *assembly) account(p *pattern) {
	for _, it := range s.seq {
		it.used = it.used || it.counted() && s.names(p, it)
	}
}

// then does what a pattern says.
func (s *assembly) then(row *pattern) {
	s.account(row)
	p := &s.plan
	p.Measure, p.Of = row.then[0], row.then[1]
	for _, t := range row.then[2:] {
		name, value, _ := strings.Cut(t, "=")
		if value == "FACT" {
			value = s.all("FACT")[0].value
		}
		switch name {
		case "order":
			p.Order = value
		case "fact":
			p.Fact = value
		}
	}
	s.say(row, nil)
	switch p.Of {
	case "organizations", "awards":
		for _, it := range s.all("PARTY") {
			s.take(it, "organization")
		}
	case "thing":
		if s.target == nil || s.target.sym != "THING" {
			s.target = s.all("THING")[0]
		}
		p.Of = s.target.value
	case "target":
		p.Of = s.decide("of", nil)
	}
	s.finish()
}

// finish fills the rest of the plan, by what it asks for.
func (s *assembly) finish() {
	p := &s.plan
	p.Figure, p.Level, p.Order = s.decide("figure", nil), s.decide("level", nil), cmp.Or(p.Order, s.decide("order", nil))
	both := s.decide("both", nil)
	if p.Least, p.Both = s.decide("least", nil) != "", both == "true" || both == "every"; both == "every" {
		p.By = "years"
	}
	switch p.Measure {
	case "compare":
		s.compare()
	case "change":
		s.change()
	case "overlap":
		s.overlap()
	case "stopped", "started":
		s.gather(p.Of)
	case "rank":
		s.singular(s.target)
	case "largest", "smallest":
		s.singular(first(s.all("GRANT"), s.target))
	case "which":
		if p.Of == "organizations" {
			s.singular(first(s.all("ORG", "CAUSE"), nil))
		}
	}
}

func first(list []*item, none *item) *item {
	if len(list) > 0 {
		return list[0]
	}
	return none
}

// singular asks for one row if the noun is singular.
func (s *assembly) singular(noun *item) {
	if noun == nil || s.plan.Top != 0 || strings.HasSuffix(noun.asked, "s") || strings.HasPrefix(noun.asked, "kinds") || strings.HasPrefix(noun.asked, "types") {
		return
	}
	if is("single", noun.sym) && len(s.all("big", "most", "least", "dollarsmost", "often")) > 0 {
		s.plan.Top = 1
	}
}

// check refuses parts that do not go together.
func (s *assembly) check() {
	text, plan := s.write(nil), s.planned()
	for _, p := range grammar()["check"] {
		if p.fits(text, plan, s.words) {
			s.say(p, nil)
		}
	}
	if s.plan.Measure == "rank" {
		s.plan.Measure = "which"
	}
}

// unused reports the words whose meaning was not used in the plan.
func (s *assembly) unused() {
	var words []string
	for _, it := range s.seq {
		if !it.used && (it.counted() || is("filters", it.sym)) {
			words = append(words, "“"+s.text(it.from, it.to)+"”")
		}
	}
	if len(words) > 0 {
		s.fail("unused", "words", strings.Join(words, ", "))
		s.unclear.Words = words
	}
}

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
	s.domestic()
}

// domestic asks for recipients in the United States where the question does: "to the United States", "US organizations", and
// whatever a named funder gave there. Elsewhere the country says nothing, since all funders are in it.
func (s *assembly) domestic() {
	p := &s.plan
	narrower := slices.ContainsFunc(p.Places, func(l Place) bool { return l.Kind != "country" })
	for i, it := range s.seq {
		if it.sym != "domestic" || narrower || p.Abroad || !p.ofGrants() {
			continue
		}
		if next := s.at(i + 1); len(p.Funders) > 0 || s.at(i-1).sym == "to" || (next.sym == "ORG" || next.sym == "RECIPIENT") && next.role != "funder" {
			p.Places = addNew(p.Places, Place{Kind: "country", Value: "US", Name: "the United States", Of: "recipient"})
		}
	}
}

// notItself looks for somebody else of the name where the recipient would be the funder itself: a trust pays its foundation.
func (s *assembly) notItself() {
	p := &s.plan
	if len(p.Funders) != 1 || len(p.Recipients) != 1 || p.Funders[0].EIN == "" || p.Funders[0].EIN != p.Recipients[0].EIN {
		return
	}
	if other := s.unlinkedParty(p.Recipients[0].Asked); other != nil {
		p.Recipients[0] = *other
		s.note("no_ein_here", "name", other.Name)
	}
}

// field is the field of the plan that an item filters.
func (it *item) field() string {
	if it.sym == "PARTY" {
		return it.role + "s"
	}
	return map[string]string{"CAUSE": "causes", "PLACE": "places", "domestic": "places", "ABROAD": "abroad", "KIND": "funder_types", "SUPPORT": "support",
		"AMOUNT": "amounts", "PERSON": "only", "WORDS": "words", "YEAR": "years"}[it.sym]
}

// share lists in the plan which filters are the part of a share: the ones after the verb, or after "inside and outside".
func (s *assembly) share() {
	p := &s.plan
	if p.Measure != "share" {
		return
	}
	whole, verb := map[string]bool{}, false
	at := slices.Index(s.seq, s.all("share")[0])
	for i, it := range s.seq {
		verb = verb || i > at && is("share_verbs", it.sym) || i == at && strings.Contains(it.asked, " out")
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
		switch {
		case it.role == "either":
			it.role = ""
		case it.role == "" && last != nil && s.joined(last, it):
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
		s.fail("compare_which")
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
