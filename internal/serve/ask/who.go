package ask

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/typo"
)

// Limits on looking for organizations.
const (
	longestName   = 10  // in words
	mostAsked     = 36  // texts of one question that are identified
	doubtful      = 0.8 // an answer of zero that rests on a less probable name is not given
	perhapsFrom   = .15 // less probable organizations are not mentioned
	likelyGrantee = .6  // an organization that is named like a city may be meant by "give to"
	smallest      = .05 // less probable organizations are not read
	mostRival     = 5   // how many times more probable an organization may be than its rivals
)

// addParty adds a run of words that may name an organization, with the probability that identify gives it.
func (r *reading) addParty(from, to int) {
	r.asked++
	found := r.identify(identify.Question{Text: r.nameText(from, to)})
	if words := nicknames.text(r.joined(from, to), "words"); words != "" {
		if other := r.identify(identify.Question{Text: words}); other.Verdict >= identify.Likely {
			found = other
		}
	}
	if len(found.Candidates) == 0 {
		return
	}
	best := found.Candidates[0]
	if unsure(found) || best.Probability < smallest {
		known := slices.ContainsFunc(r.perhaps, func(c identify.Candidate) bool { return c.EIN == best.EIN })
		if best.Probability >= perhapsFrom && len(r.perhaps) < 3 && !known && named(r.nameText(from, to), best) {
			r.perhaps = append(r.perhaps, best)
		}
		return
	}
	if found.Verdict == identify.Several && to-from == 1 && !r.toks[from].cap {
		return // a common word that is in several names
	}
	it := item{sym: "PARTY", who: found, asked: r.nameText(from, to), cost: r.partyCost(from, to, found), whole: r.isWhole(from, to, found)}
	if r.has(from-1, "the") {
		from--
	}
	r.add(from, to, it)
}

// unsure reports whether words name no organization, or only those that are known to share their address with somebody of that
// name.
func unsure(found identify.Answer) bool {
	known := func(c identify.Candidate) bool { return c.Why != identify.AtAddress && c.Probability >= smallest }
	return found.Verdict == identify.Nobody || found.Verdict == identify.Several && found.Candidates[0].Why == identify.AtAddress &&
		!slices.ContainsFunc(found.Candidates, known)
}

// resembling are the candidates whose own name has a telling word of a text, that filers call so, or whose initials it is; and
// those that have it in a former name, which may be a mistake of one filer, or whose name begins with it.
func resembling(text string, list []identify.Candidate) (own, other []identify.Candidate) {
	words := strings.Fields(telling(Party{Name: text}))
	if len(words) == 0 {
		words = strings.Fields(strings.ToLower(text)) // UC
	}
	alike := func(a, b string) bool {
		return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") || len(b) > 7 && typo.Within(a, b, 1) <= 1
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tokens(name), func(t token) bool {
			return slices.ContainsFunc(words, func(w string) bool { return alike(t.text, w) })
		})
	}
	initials := text == strings.ToUpper(text) || text == strings.ToLower(text)
	for _, c := range list {
		switch {
		case has(c.DisplayName), initials && strings.Contains(initialsOf(c.DisplayName), strings.ToLower(text)),
			strings.HasPrefix(c.Why, "called") && has(c.Name):
			own = append(own, c)
		case c.Why == identify.AtAddress && is("head", strings.ToLower(text[strings.LastIndex(text, " ")+1:])):
			// A name that ends in "Foundation" is no trade name of a neighbor.
		case has(c.Name), len(words) == 1 && len(words[0]) > 2 && strings.HasPrefix(strings.ToLower(c.Name), words[0]): // the Met
			other = append(other, c)
		}
	}
	return own, other
}

// named reports whether a candidate resembles a text by its own name.
func named(text string, c identify.Candidate) bool {
	own, _ := resembling(text, []identify.Candidate{c})
	return len(own) > 0
}

// offered are the candidates that may be meant: those that resemble a text, and of these the ones that gave or received, if any did.
func (s *assembly) offered(text, role string, list []identify.Candidate) []identify.Candidate {
	list, other := resembling(text, list)
	if len(list) == 1 {
		list = append(list, other...)
	}
	if some := slices.DeleteFunc(slices.Clone(list), func(c identify.Candidate) bool { return !s.gaveOrGot(c, role) }); len(some) > 1 && role != "organization" {
		return some
	}
	return list
}

func initialsOf(name string) (letters string) {
	for _, t := range tokens(name) {
		if !is("function", t.text) {
			letters += t.text[:1]
		}
	}
	return letters
}

// isWhole reports whether several words are the full name of one of some organizations.
func (r *reading) isWhole(from, to int, found identify.Answer) bool {
	return to-from > 1 && slices.ContainsFunc(found.Candidates, func(c identify.Candidate) bool {
		return orgname.Key(r.nameText(from, to)) == orgname.Key(c.DisplayName)
	})
}

// partyCost is the cost of reading words as the name of one of some organizations.
func (r *reading) partyCost(from, to int, found identify.Answer) float64 {
	p := found.Candidates[0].Probability
	city := slices.ContainsFunc(r.parts[from], func(it *item) bool { return it.to == to && it.place != nil && it.place.Kind == "city" })
	in, to1 := r.has(from-1, "in|near"), city && found.Verdict < identify.Certain && r.has(from-1, "to")
	cost := costParty - math.Log(anyOne(found)) + r.cutBefore(from) + r.cutBehind(to)
	for _, rule := range []struct {
		holds bool
		cost  float64
	}{
		{r.isWhole(from, to, found), -costSlip}, // the California Endowment is no endowment in California
		{in && city, costCityIn},
		{in && !city, costSlip},
		{to1 && p <= likelyGrantee, costCityIn}, // "give to Columbia" may be either one
		{to1 && p > likelyGrantee && r.inCity(r.joined(from, to), "") >= knownCity, costWord},
		{!to1 && said(r.textAt(to)).tag == "ORG", costCityIn}, // Miami organizations
		{r.mixed && !r.toks[from].cap, costSlip},              // a name in small letters, where other words have capitals
	} {
		if rule.holds {
			cost += rule.cost
		}
	}
	return cost
}

// anyOne is the probability that one of some organizations is meant. If it is not clear which one, it counts by half.
func anyOne(found identify.Answer) (p float64) {
	if found.Verdict != identify.Several {
		return found.Candidates[0].Probability
	}
	for _, c := range found.Candidates {
		p += c.Probability
	}
	return min(p, 1) * .5
}

// Limits on looking for names that only grants without an EIN have.
const (
	mostUnlinked    = 12 // texts of one question
	longestUnlinked = 6  // in words
)

// addUnlinked adds the names of recipients that only grants without an EIN have, for words of a reading without a meaning,
// whose cause looks like the end of a name, or that are cut out of a longer name.
func (r *reading) addUnlinked(seq []*item) (added bool) {
	const open, closed = '?', '!'
	words := make([]byte, len(r.toks))
	for _, it := range seq {
		for k := it.from; k < it.to; k++ {
			switch {
			case it.sym == "?" || it.named || it.sym == "PARTY" && it.cost >= costCut:
				words[k] = open
			case it.sym == "PARTY", it.sym == "YEAR", it.sym == "AMOUNT":
				words[k] = closed
			}
		}
	}
	tried := 0
	for n := min(longestUnlinked, len(r.toks)); n > 0; n-- {
		for i := 0; i+n <= len(r.toks) && tried < mostUnlinked; i++ {
			if run := words[i : i+n]; bytes.IndexByte(run, open) < 0 || bytes.IndexByte(run, closed) >= 0 || !r.mayBeUnlinked(i, i+n) {
				continue
			}
			if tried++; r.addByName(i, i+n) {
				added = true
				copy(words[i:i+n], bytes.Repeat([]byte{closed}, n))
			}
		}
	}
	return added
}

// mayBeUnlinked reports whether a run of words may be a name.
func (r *reading) mayBeUnlinked(from, to int) bool {
	first, last := r.toks[from].text, r.toks[to-1].text
	return !is("function", first) && !is("function", last) && said(first).tag != "give" &&
		!slices.ContainsFunc(r.toks[from:to-1], func(t token) bool { return t.comma || t.poss })
}

// unlinkedParty is the recipient that grants without an EIN call by a name, nil if there is none.
func (r *reading) unlinkedParty(name string) *Party {
	aside := r.a.run(r.ctx, &Plan{})
	ids, names := aside.namesOf(aside.p, Party{Name: name}, false)
	if aside.err != nil || len(ids) == 0 {
		return nil
	}
	return &Party{Name: names[0], Asked: name, RecipID: strings.Join(ids, ",")}
}

// addByName adds a recipient that grants without an EIN name so.
func (r *reading) addByName(from, to int) bool {
	name := r.nameText(from, to)
	party := r.unlinkedParty(name)
	if party == nil && r.mixed && r.toks[from].cap {
		party = r.unlinkedParty(r.a.run(r.ctx, &Plan{}).completed(name))
	}
	if party == nil {
		return false
	}
	party.Asked = name
	found := r.identify(identify.Question{Text: name})
	if !unsure(found) && found.Candidates[0].Why != identify.AtAddress {
		return false
	}
	notes := []string{sentence("no_ein_here", "name", party.Name)}
	if found.Verdict == identify.Several && named(party.Name, found.Candidates[0]) {
		notes = append(notes, sentence("at_address", "name", found.Candidates[0].DisplayName, "ein", found.Candidates[0].EIN.Hyphenated()))
	}
	r.add(from, to, item{sym: "PARTY", cost: costParty, asked: name, party: party,
		doubt: len(found.Candidates) > 0 && found.Candidates[0].Probability >= smallest, notes: notes})
	return true
}

// lookups are what a question or an answer looks up.
type lookups struct {
	a    *Asker
	ctx  context.Context
	memo map[identify.Question]identify.Answer // of texts that were identified
}

// identify finds out whom a text means, once for all wordings of a question.
func (l *lookups) identify(q identify.Question) identify.Answer {
	found, ok := l.memo[q]
	if !ok {
		found = otherWayRound(q.Text, l.a.Data.Search.Identify(l.ctx, q))
		l.memo[q] = found
	}
	return found
}

// otherWayRound tells "Miami University" from the University of Miami: it means the one that is called so, or nobody.
func otherWayRound(text string, found identify.Answer) identify.Answer {
	place, ok := strings.CutSuffix(strings.ToLower(text), " university")
	if !ok || len(found.Candidates) == 0 || !strings.Contains(strings.ToLower(found.Candidates[0].DisplayName), "university of "+place) {
		return found
	}
	for _, c := range found.Candidates {
		if orgname.Key(c.DisplayName) == orgname.Key(text) {
			c.Probability = doubtful
			return identify.Answer{Verdict: identify.Likely, Candidates: []identify.Candidate{c}}
		}
	}
	return identify.Answer{Candidates: found.Candidates}
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
// words that look like a name and have no other meaning.
func (r *reading) mayName(from, to int) bool {
	if q := r.toks[from].quote; q != 0 || r.toks[to-1].quote != 0 {
		return q == r.toks[to-1].quote && (from == 0 || r.toks[from-1].quote != q) && (to == len(r.toks) || r.toks[to].quote != q)
	}
	text := r.joined(from, to)
	return r.edge(from, from) && r.edge(to-1, from) && !r.broken(from, to) && !r.isPlace(from, to) && said(text).tag == "" && !digits(text) &&
		r.looksLike(from, to, text)
}

// looksLike reports whether the words of a run make a name: one of them has no other meaning, or all are capitalized, or the
// last is a noun such as "fund" that does not end a kind of organization.
func (r *reading) looksLike(from, to int, text string) bool {
	unknown, named, content := false, r.mixed, 0
	for _, t := range r.toks[from:to] {
		if !is("inside", t.text) {
			content++
			unknown = unknown || !t.known
			named = named && t.cap
		}
	}
	switch {
	case isCause(text) && !(named && content > 1):
		return false
	case unknown:
		return len(text) > 3 || r.toks[from].cap || !r.mixed
	case named || content < 2:
		return content > 1
	}
	return is("head", r.toks[to-1].text) && !is("generic", strings.ReplaceAll(text, " ", "_")) &&
		!r.has(from-1, "a|an|any|every|each|per|which|what|private|public")
}

// edge reports whether a word may be the first or the last of a name.
func (r *reading) edge(i, from int) bool {
	t := &r.toks[i]
	function := is("function", t.text)
	if r.mixed {
		return t.cap && (i > 0 || !function) || !t.known && (t.meant == "" || i > 0) || r.headBehind(i)
	}
	// Journey Giving Fund, but not "fund adams street house".
	tag := said(t.text).tag
	return !function && (tag == "" || is("edges", tag) || i > from && is("head", t.text))
}

// broken reports whether a comma, a possessive, a quotation mark or a word in small letters stands inside of a run of words.
func (r *reading) broken(from, to int) bool {
	for k := from; k < to; k++ {
		t := &r.toks[k]
		if t.quote != 0 || k < to-1 && (t.comma && !is("legal", r.toks[k+1].text) || t.poss && !r.toks[k+1].cap && r.mixed) ||
			r.mixed && !t.cap && t.known && !is("inside", t.text) && !(k == to-1 && r.headBehind(k)) {
			return true
		}
	}
	return false
}

// headBehind reports whether a word in small letters ends a name: the Skoll foundation.
func (r *reading) headBehind(i int) bool {
	if i == 0 || !is("head", r.toks[i].text) {
		return false
	}
	before := &r.toks[i-1]
	return before.cap && !before.known && !before.poss && !r.endsInPlace(i-1)
}

// isPlace reports whether words are a sure place, or end in one: "Hope House in Ohio". Somebody's whole name is no place: the
// Studio Museum in Harlem.
func (r *reading) isPlace(from, to int) bool {
	for k := from; k < to; k++ {
		if (k == from || r.has(k-1, "in")) && slices.ContainsFunc(r.parts[k], func(it *item) bool {
			return it.place != nil && it.to == to && (it.cost <= costWord || k > from)
		}) {
			return k == from || !r.isWhole(from, to, r.identify(identify.Question{Text: r.nameText(from, to)}))
		}
	}
	return false
}

// cutBefore is the cost of a name whose first word follows a capitalized word.
func (r *reading) cutBefore(from int) float64 {
	if from < 2 || !r.mixed {
		return 0
	}
	if t := &r.toks[from-1]; t.cap && !t.comma && !t.poss && !is("function", t.text) && !r.endsInPlace(from-1) {
		return costCut
	}
	return 0
}

// cutBehind is the cost of a name that ends before a word: the Lilly of "Lilly Endowment" is another name.
func (r *reading) cutBehind(at int) float64 {
	if at == len(r.toks) || r.toks[at-1].comma || r.toks[at-1].poss {
		return 0
	}
	next := &r.toks[at]
	if !r.mixed {
		switch {
		case is("head", next.text):
			return costCutHead
		case !next.known:
			return costSlip
		}
		return 0
	}
	capital := at+1 < len(r.toks) && r.toks[at+1].cap
	switch {
	case is("head", next.text) && next.cap, next.text == "in" && capital && said(r.textAt(at+1)).tag != "":
		return costCutHead // the Hispanics of "Hispanics in Philanthropy"
	case next.cap && !r.endsInPlace(at), r.has(at, "of|for|&") && capital:
		return costCut
	}
	return 0
}

// endsInPlace reports whether a place or a year begins at a word: "Hope House Ohio".
func (r *reading) endsInPlace(at int) bool {
	return slices.ContainsFunc(r.parts[at], func(it *item) bool { return it.sym == "PLACE" && it.cost <= costWord || it.sym == "YEAR" })
}

// takePlace removes a place that only says which organization is meant: "X in
// Ohio", if X is in Ohio. "Grants by X in Ohio" are grants to Ohio.
func (s *assembly) takePlace(it *item) {
	at := slices.Index(s.seq, it) + 1
	end := at
	for slices.Contains([]string{"in", "of", "from", "based"}, s.at(end).sym) {
		end++
	}
	beside, next := s.at(end), s.at(end+1).sym
	if beside.place == nil || it.party != nil || at < end && it.role != "recipient" && (it.role != "funder" || next != "give" && next != "given") {
		return
	}
	q := identify.Question{Text: it.asked, Role: roles[it.role]}
	q.City, q.State = cityOf(beside.place)
	found := s.identify(q)
	if best, ok := found.Best(); ok && isIn(best.City, best.State, beside.place) {
		it.who, s.seq = found, slices.Delete(s.seq, at, end+1)
	}
}

// roles are the roles of identify by name.
var roles = map[string]identify.Role{"funder": identify.Funder, "recipient": identify.Grantee}

// pick decides which organization an item means, once its role is known.
func (s *assembly) pick(it *item, role string) *Party {
	if it.party != nil {
		return it.party
	}
	best, found, ok := s.meant(it, role)
	if !ok {
		if it.party = s.branches(it, role); it.party != nil {
			return it.party
		}
		list := s.offered(it.asked, role, found.Candidates)
		if len(list) == 0 && role != "funder" {
			it.party = s.unlinkedParty(it.asked) // Rand Corp: Randolph College only begins like it
		}
		if it.party == nil {
			s.ambiguous(it, list)
			return nil
		}
		s.note("no_ein_here", "name", it.party.Name)
		return it.party
	}
	if best = s.group(best, role); role == "funder" && !s.tellNamesake(it, best) {
		return nil
	}
	it.party = &Party{EIN: best.EIN.String(), Name: best.DisplayName, Asked: it.asked}
	if best.Probability < doubtful || roles[role] != identify.Either && s.sums(it.party.EIN, role) == 0 {
		s.plan.Doubt = it.asked
	}
	if orgname.Key(it.asked) != orgname.Key(best.DisplayName) {
		s.note("read_as", "asked", it.asked, "name", best.DisplayName, "ein", best.EIN.Hyphenated())
	}
	return it.party
}

// meant is the organization that an item means in a role. If it is not clear, or has no such grants, it is the only one of the
// candidates that has.
func (s *assembly) meant(it *item, role string) (best identify.Candidate, found identify.Answer, ok bool) {
	found = it.who
	if best, ok = found.Best(); !ok {
		if again := s.identify(identify.Question{Text: it.asked, Role: roles[role]}); len(again.Candidates) > 0 {
			found = again
		}
		best, ok = found.Best()
	}
	if !ok || role != "organization" && found.Verdict == identify.Likely && !s.gaveOrGot(best, role) {
		if other, active := s.active(it.asked, found, role); active {
			return other, found, true
		}
	}
	return best, found, ok
}

// group is the group return of an organization, if it made or received the grants that the organization did not: a group files
// one return for all of its members.
func (s *assembly) group(c identify.Candidate, role string) identify.Candidate {
	const ending = " Group Return"
	if roles[role] == identify.Either || s.sums(c.EIN.String(), role) > 0 || strings.HasSuffix(c.DisplayName, ending) {
		return c
	}
	found := s.identify(identify.Question{Text: c.DisplayName + ending})
	group, ok := found.Best()
	if !ok || !strings.HasPrefix(group.DisplayName, c.DisplayName) || !strings.HasSuffix(group.DisplayName, ending) || s.sums(group.EIN.String(), role) == 0 {
		return c
	}
	return group
}

// tellNamesake notes that grants name a recipient as the question names a funder that is known by another name. If the funder
// pays it most of its grants, as a trust pays its foundation, the person who asks must say which of them is meant, and
// the result is false.
func (s *assembly) tellNamesake(it *item, c identify.Candidate) bool {
	if orgname.Key(it.asked) == orgname.Key(c.DisplayName) {
		return true
	}
	p := &Plan{Funders: []Party{{EIN: c.EIN.String()}}}
	ids := slices.DeleteFunc(s.a.run(s.ctx, p).bearing(it.asked), digits)
	if len(ids) == 0 {
		return true
	}
	p.Recipients = []Party{{RecipID: strings.Join(ids, ",")}}
	if paid := s.a.run(s.ctx, p).sum(p.values()).Summary.TotalAmount; paid == 0 || 2*paid < s.sums(c.EIN.String(), "funder") {
		s.note("namesake", "asked", it.asked, "name", c.DisplayName)
		return true
	}
	s.unclear = &Unclear{choice: true, Why: sentence("pays_namesake", "asked", it.asked, "name", c.DisplayName, "ein", c.EIN.Hyphenated())}
	s.offer(s.unclear, it, c)
	return false
}

// branches are all recipients that bear the name of a national organization. Filers seldom say which of its branches they mean.
func (s *assembly) branches(it *item, role string) *Party {
	if role != "recipient" || !is("national", strings.ReplaceAll(strings.ToLower(it.asked), " ", "_")) {
		return nil
	}
	aside := s.a.run(s.ctx, &Plan{})
	ids := aside.bearing(it.asked)
	if aside.err != nil || len(ids) < 2 {
		return nil
	}
	s.note("branches", "name", it.asked, "n", strconv.Itoa(len(ids)))
	return &Party{Name: it.asked, Asked: it.asked, RecipID: strings.Join(ids, ",")}
}

// gaveOrGot reports whether a candidate has grants on a side, or on any side if none is given.
func (s *assembly) gaveOrGot(c identify.Candidate, role string) bool {
	e := c.EIN.String()
	return role != "funder" && s.sums(e, "recipient") > 0 || role != "recipient" && s.sums(e, "funder") > 0
}

// active is the only candidate of several good ones that has grants on the side that is
// asked for, if its name has the words. Who has no rival may still be somebody else than is meant.
func (s *assembly) active(asked string, found identify.Answer, role string) (best identify.Candidate, ok bool) {
	n, rivals := 0, 0
	for _, c := range found.Candidates {
		if c.Probability < found.Candidates[0].Probability/mostRival {
			continue
		}
		if rivals++; s.gaveOrGot(c, role) {
			best, n = c, n+1
		}
	}
	if ok = n == 1 && rivals > 1 && role != "organization" && named(asked, best); ok {
		s.plan.Doubt = asked
		s.note("only_active", "name", best.DisplayName, "ein", best.EIN.Hyphenated())
	}
	return best, ok
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

// isIn reports whether a city of a state is, or is in, a place.
func isIn(inCity, inState string, p *Place) bool {
	city, state := cityOf(p)
	return (city != "" || state != "") && (city == "" || orgname.City(inCity) == orgname.City(city)) && (state == "" || state == inState)
}

// sums are the dollars that an organization gave or received.
func (r *reading) sums(id, side string) int64 {
	e, bad := ein.Parse(id)
	s, err := r.a.Data.Graph.Sums(r.ctx, e, map[string]graph.Side{"recipient": graph.Received}[side])
	if bad != nil || err != nil {
		return 0
	}
	return s.Total
}

// ambiguous reports that a name may mean several organizations, and offers the question with each of them.
func (s *assembly) ambiguous(it *item, found []identify.Candidate) {
	if len(found) < 2 {
		s.unclear = s.unknown([]string{it.asked}, true, found)
		return
	}
	s.unclear = &Unclear{choice: true}
	var names []string
	for _, c := range found[:min(len(found), 5)] {
		names = append(names, c.DisplayName+" ("+strings.Trim(orgname.Display(c.City)+", "+c.State, ", ")+", EIN "+c.EIN.Hyphenated()+")")
		s.offer(s.unclear, it, c)
	}
	s.unclear.Why = sentence("several", "asked", it.asked, "names", strings.Join(names, "; "))
}

// offer adds an organization that words may mean, and the question with its EIN.
func (r *reading) offer(u *Unclear, it *item, c identify.Candidate) {
	u.Parties = append(u.Parties, Party{EIN: c.EIN.String(), Name: c.DisplayName, Asked: it.asked})
	if len(u.Try) < 3 {
		u.Try = append(u.Try, r.withWords(it, c.EIN.Hyphenated()))
	}
}

// withWords is the question with other words in the place of an item.
func (r *reading) withWords(it *item, words string) string {
	return strings.TrimSpace(r.q[:r.toks[it.from].from] + words + r.q[r.toks[it.to-1].to:])
}

// whichMeant asks which of two meanings of the same words is meant.
func (r *reading) whichMeant(a, b *item) *Unclear {
	u := &Unclear{choice: true}
	var options []string
	for _, it := range []*item{a, b} {
		option := "“" + it.asked + "”"
		switch {
		case it.sym == "PARTY" && len(it.who.Candidates) > 0:
			c := it.who.Candidates[0]
			option = sentence("meant_party", "name", c.DisplayName, "ein", c.EIN.Hyphenated())
			r.offer(u, it, c)
		case it.place != nil:
			option = sentence("meant_place", "place", it.place.Name)
		case it.cause != nil:
			option = sentence("meant_cause", "cause", it.cause.Name)
		}
		options = append(options, option)
	}
	u.Why = sentence("which_meant", "words", r.text(a.from, a.to), "options", joinWords(options, "or"))
	return u
}
