package ask

import (
	"context"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
)

// Limits on looking for organizations.
const (
	longestName = 10  // in words
	mostAsked   = 36  // texts of one question that are identified
	doubtful    = 0.8 // an answer of zero that rests on a less probable name is not given
	perhapsFrom = .15 // less probable organizations are not mentioned
	smallest    = .05 // less probable organizations are not read
)

// addParties adds the runs of words that may name organizations, each with the
// probability that identify gives it.
func (r *reading) addParties() {
	for n := min(longestName, len(r.toks)); n > 0; n-- {
		for i := 0; i+n <= len(r.toks) && r.asked < mostAsked; i++ {
			if r.mayName(i, i+n) {
				r.addParty(i, i+n)
			}
		}
	}
}

func (r *reading) addParty(from, to int) {
	r.asked++
	found := r.identify(r.nameText(from, to))
	if len(found.Candidates) == 0 {
		return
	}
	best := found.Candidates[0]
	p, sum := best.Probability, 0.0
	if found.Verdict == identify.Nobody || p < smallest {
		r.mayMean(best)
		return
	}
	for _, c := range found.Candidates {
		sum += c.Probability
	}
	if found.Verdict == identify.Several {
		if p = min(sum, 1) * .5; to-from == 1 && !r.toks[from].cap {
			return // a common word that is in several names
		}
	}
	it := item{sym: "PARTY", who: found, cost: costParty - math.Log(max(p, smallest)) + r.cuts(from, to)}
	if r.has(from-1, "in|near|at") {
		it.cost += costSlip
	}
	if r.mixed && !r.toks[from].cap {
		it.cost += costSlip // a name in small letters, where other words have capitals
	}
	if r.has(from-1, "the") {
		from--
	}
	r.add(from, to, it)
	last := r.parts[from][len(r.parts[from])-1]
	last.asked = strings.TrimPrefix(r.nameText(from, to), "the ")
}

// identify finds out whom a text means, once for all wordings of a question.
func (r *reading) identify(text string) identify.Answer {
	found, ok := r.memo[text]
	if !ok {
		found = r.a.Data.Search.Identify(r.ctx, identify.Question{Text: text})
		r.memo[text] = found
	}
	return found
}

// mayMean keeps an organization that is too improbable to be read, but not to be
// mentioned.
func (r *reading) mayMean(best identify.Candidate) {
	if best.Probability >= perhapsFrom && len(r.perhaps) < 3 && !slices.ContainsFunc(r.perhaps, func(c identify.Candidate) bool { return c.EIN == best.EIN }) {
		r.perhaps = append(r.perhaps, best)
	}
}

// nameText is a run of words as a name, without a possessive ending.
func (r *reading) nameText(from, to int) string {
	text := r.text(from, to)
	if r.toks[to-1].poss {
		text = strings.TrimRight(text, "'’")
		text = strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "’s")
	}
	return text
}

// mayName reports whether a run of words may be a name: a whole quotation, or
// words of which one has no other meaning, or words that look like a name.
func (r *reading) mayName(from, to int) bool {
	first, last := &r.toks[from], &r.toks[to-1]
	if first.quote != 0 || last.quote != 0 {
		return first.quote == last.quote && (from == 0 || r.toks[from-1].quote != first.quote) && (to == len(r.toks) || r.toks[to].quote != first.quote)
	}
	if !r.edge(from, from) || !r.edge(to-1, from) || r.broken(from, to) || r.isPlace(from, to) {
		return false
	}
	if text := r.joined(from, to); said(text).tag != "" || digits(text) {
		return false
	}
	return r.looksLike(from, to)
}

// shape describes the words of a run that are not words inside of names: whether any
// has no other meaning, whether all are capitalized, and how many they are.
func (r *reading) shape(from, to int) (unknown, capitals bool, content int) {
	capitals = true
	for _, t := range r.toks[from:to] {
		if !is("inside", t.text) {
			content++
			unknown = unknown || !t.known
			capitals = capitals && t.cap
		}
	}
	return unknown, capitals, content
}

// looksLike reports whether the words of a run make a name: one of them has no
// other meaning, or all are capitalized, or the last is a noun such as "fund".
func (r *reading) looksLike(from, to int) bool {
	unknown, capitals, content := r.shape(from, to)
	text, first := r.joined(from, to), &r.toks[from]
	named := capitals && r.mixed
	switch {
	case isCause(text) && !(named && content > 1):
		return false
	case unknown:
		return content > 1 || named || len(text) > 3 || first.cap || !r.mixed && len(text) == 3
	case content < 2:
		return false
	case named:
		return from > 0 || first.cap && r.toks[from+1].cap
	}
	return r.headed(from, to)
}

// headed reports whether words end in a noun such as "fund" and are not a kind of
// organization.
func (r *reading) headed(from, to int) bool {
	return is("head", r.toks[to-1].text) && !is("generic", strings.ReplaceAll(r.joined(from, to), " ", "_")) &&
		!r.has(from-1, "a|an|any|every|each|per|which|what|private|public")
}

// isCause reports whether words name a cause, or are known to name no single one.
func isCause(text string) bool {
	if causeKnown(text) {
		return true
	}
	_, _, ok := causeOf(text)
	return ok
}

// edge reports whether a word may be the first or the last of a name.
func (r *reading) edge(i, from int) bool {
	t := &r.toks[i]
	switch {
	case r.mixed && t.cap && (i > 0 || !is("function", t.text)):
		return true
	case r.mixed:
		return !t.known && (t.meant == "" || i > 0)
	case is("function", t.text):
		return false
	}
	switch e := said(t.text); e.tag {
	case "", "GRANT", "MONEY", "FUNDER", "ORG", "SUPPORT", "PERSON", "THING", "domestic":
		return true
	case "give":
		// Journey Giving Fund, but not "fund adams street house".
		return i > from && slices.Contains([]string{"fund", "support", "help"}, t.text)
	case "measure":
		return i > from && e.value == "one"
	}
	return false
}

// broken reports whether a comma, a possessive or a quotation mark stands inside
// of a run of words.
func (r *reading) broken(from, to int) bool {
	for k := from; k < to; k++ {
		t := &r.toks[k]
		if t.quote != 0 || k < to-1 && (t.comma && !is("legal", r.toks[k+1].text) || t.poss && !r.toks[k+1].cap && r.mixed) {
			return true
		}
		if r.mixed && !t.cap && t.known && !is("inside", t.text) {
			return true
		}
	}
	return false
}

// isPlace reports whether words are only a state or a country, or end in a
// place.
func (r *reading) isPlace(from, to int) bool {
	if _, slip, ok := r.state(from, to-from); ok && !slip {
		return true
	}
	for k := from + 1; k < to-1; k++ {
		if r.has(k, "in") && slices.ContainsFunc(r.parts[k+1], func(it *item) bool { return it.sym == "PLACE" && it.to == to }) {
			return true // "Hope House in Ohio"
		}
	}
	_, nation := nations()[r.joined(from, to)]
	return nation || slices.ContainsFunc(r.parts[from], func(it *item) bool {
		return it.sym == "PLACE" && it.to == to && it.place != nil && it.place.Kind == "city" && strings.Contains(it.place.Value, ", ")
	})
}

// cuts is the cost of taking a name out of a longer run of capitalized words:
// the Lilly of "Lilly Endowment" is another name.
func (r *reading) cuts(from, to int) (cost float64) {
	if to < len(r.toks) && !r.toks[to-1].comma && !r.toks[to-1].poss {
		cost = r.cutBehind(to)
	}
	if from < 2 || !r.mixed || r.toks[from-1].comma || r.toks[from-1].poss {
		return cost
	}
	if before := &r.toks[from-1]; before.cap && !is("function", before.text) && !r.endsInPlace(from-1) {
		cost += costCut
	}
	return cost
}

// cutBehind is the cost of a name that ends before a word.
func (r *reading) cutBehind(at int) float64 {
	next := &r.toks[at]
	switch {
	case is("head", next.text) && (!r.mixed || next.cap):
		return costCutHead
	case r.mixed && next.cap && !r.endsInPlace(at):
		return costCut
	case r.mixed && r.has(at, "of|for|&") && at+1 < len(r.toks) && r.toks[at+1].cap:
		return costCut
	case !r.mixed && !next.known:
		return costSlip
	}
	return 0
}

// endsInPlace reports whether a place begins at a word: "Hope House Ohio".
func (r *reading) endsInPlace(at int) bool {
	return slices.ContainsFunc(r.parts[at], func(it *item) bool { return it.sym == "PLACE" && it.cost <= costWord }) ||
		len(r.parts[at]) > 0 && r.parts[at][0].sym == "YEAR"
}

// roles are the roles of identify by name.
var roles = map[string]identify.Role{"funder": identify.Funder, "recipient": identify.Grantee}

// pick decides which organization an item means, once its role and the place
// beside it are known.
func (s *assembly) pick(it *item, role string) *Party {
	if it.party != nil {
		return it.party
	}
	found := s.again(it, role)
	best, ok := found.Best()
	if !ok {
		if best, ok = s.active(found, role); !ok {
			s.ambiguous(it, found.Candidates)
			return nil
		}
	}
	it.party = &Party{EIN: best.EIN.String(), Name: best.DisplayName, Asked: it.asked}
	if best.Probability < doubtful || roles[role] != identify.Either && s.sums(best.EIN.String(), role) == 0 {
		s.plan.Doubt = it.asked
	}
	if orgname.Key(it.asked) != orgname.Key(best.DisplayName) {
		s.note("read_as", "asked", it.asked, "name", best.DisplayName, "ein", best.EIN.Hyphenated())
	}
	return it.party
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

// again identifies a name again with its role and the place beside it, if the name
// alone is not sure or means an organization elsewhere.
func (s *assembly) again(it *item, role string) identify.Answer {
	beside := s.placeBeside(it)
	if _, sure := it.who.Best(); sure && (beside == nil || len(it.who.Candidates) == 0 || inPlace(&it.who.Candidates[0], beside.place)) {
		return it.who
	}
	q := identify.Question{Text: it.asked, Role: roles[role]}
	if beside != nil {
		q.City, q.State = cityOf(beside.place)
	}
	found := s.a.Data.Search.Identify(s.ctx, q)
	if len(found.Candidates) == 0 {
		return it.who
	}
	if beside == nil {
		return found
	}
	if c, ok := found.Best(); ok && inPlace(&c, beside.place) {
		beside.used, beside.ofParty = true, true
		return found
	}
	return it.who
}

// active is the only candidate of several that has grants on the side that is
// asked for, if its name is as good as any.
func (s *assembly) active(found identify.Answer, role string) (best identify.Candidate, ok bool) {
	n := 0
	for _, c := range found.Candidates {
		if c.Probability < found.Candidates[0].Probability/4 {
			continue
		}
		if role != "funder" && s.sums(c.EIN.String(), "recipient") > 0 || role != "recipient" && s.sums(c.EIN.String(), "funder") > 0 {
			best, n = c, n+1
		}
	}
	if n == 1 && role != "organization" {
		s.note("only_active", "name", best.DisplayName, "ein", best.EIN.Hyphenated())
		return best, true
	}
	return best, false
}

func cityOf(p *Place) (city, state string) {
	switch p.Kind {
	case "state":
		return "", p.Value
	case "city":
		city, state, _ = strings.Cut(p.Value, ", ")
	}
	return city, state
}

func inPlace(c *identify.Candidate, p *Place) bool { return isIn(c.City, c.State, p) }

// isIn reports whether a city of a state is, or is in, a place.
func isIn(inCity, inState string, p *Place) bool {
	city, state := cityOf(p)
	return (city != "" || state != "") && (city == "" || orgname.City(inCity) == orgname.City(city)) && (state == "" || state == inState)
}

// sums are the dollars that an organization gave or received.
func (r *reading) sums(id, side string) int64 {
	which := graph.Gave
	if side == "recipient" {
		which = graph.Received
	}
	e, err := ein.Parse(id)
	if err != nil {
		return 0
	}
	s, err := r.a.Data.Graph.Sums(r.ctx, e, which)
	if err != nil {
		return 0
	}
	return s.Total
}

// ambiguous reports that a name may mean several organizations, and offers the
// question with each of them.
func (s *assembly) ambiguous(it *item, found []identify.Candidate) {
	u := &Unclear{}
	var names []string
	for _, c := range found[:min(len(found), 5)] {
		names = append(names, c.DisplayName+" ("+strings.Trim(orgname.Display(c.City)+", "+c.State, ", ")+", EIN "+c.EIN.Hyphenated()+")")
		u.Parties = append(u.Parties, Party{EIN: c.EIN.String(), Name: c.DisplayName, Asked: it.asked})
		if len(u.Try) < 3 {
			u.Try = append(u.Try, s.withWords(it, c.EIN.Hyphenated()))
		}
	}
	u.Why = sentence("several", "asked", it.asked, "names", strings.Join(names, "; "))
	s.unclear = u
}

// withWords is the question with other words in the place of an item.
func (r *reading) withWords(it *item, words string) string {
	return strings.TrimSpace(r.q[:r.toks[it.from].from] + words + r.q[r.toks[it.to-1].to:])
}

// whichMeant asks which of two meanings of the same words is meant.
func (r *reading) whichMeant(a, b *item) *Unclear {
	u := &Unclear{}
	var options []string
	for _, it := range []*item{a, b} {
		switch {
		case it.sym == "PARTY" && len(it.who.Candidates) > 0:
			c := &it.who.Candidates[0]
			options = append(options, sentence("meant_party", "name", c.DisplayName, "ein", c.EIN.Hyphenated()))
			u.Parties = append(u.Parties, Party{EIN: c.EIN.String(), Name: c.DisplayName, Asked: it.asked})
			u.Try = append(u.Try, r.withWords(it, c.EIN.Hyphenated()))
		case it.place != nil:
			options = append(options, sentence("meant_place", "place", it.place.Name))
		case it.cause != nil:
			options = append(options, sentence("meant_cause", "cause", it.cause.Name))
		default:
			options = append(options, "“"+it.asked+"”")
		}
	}
	u.Why = sentence("which_meant", "words", r.text(a.from, a.to), "options", joinWords(options, "or"))
	return u
}

// Resolve finds the organization that words name, as Read does. Code that fills
// plans in other ways uses it: a plan may contain only organizations that the
// question names.
func (a *Asker) Resolve(ctx context.Context, words string) (Party, bool) {
	found := a.Data.Search.Identify(ctx, identify.Question{Text: words})
	c, ok := found.Best()
	return Party{EIN: c.EIN.String(), Name: c.DisplayName, Asked: words}, ok
}
