package ask

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/identify"
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
	if unsure(found) || best.Probability < smallest && !best.Exact {
		known := slices.ContainsFunc(r.perhaps, func(c identify.Candidate) bool { return c.EIN == best.EIN })
		if best.Probability >= perhapsFrom && len(r.perhaps) < 3 && !known && named(r.nameText(from, to), best) {
			r.perhaps = append(r.perhaps, best)
		}
		return
	}
	if to-from == 1 && found.Verdict == identify.Several && r.toks[from].common(best) {
		return
	}
	it := item{sym: "PARTY", who: found, asked: r.nameText(from, to), cost: r.partyCost(from, to, found), whole: r.isWhole(from, to, found)}
	if r.has(from-1, "the") {
		from--
	}
	r.add(from, to, it)
}

// common reports whether a word that is in several names is a common word. It is none if it is the initials of the first: aclu.
func (t *token) common(best identify.Candidate) bool {
	return !t.cap && (t.known || len(t.text) < 3 || !strings.HasPrefix(initialsOf(best.DisplayName), t.text))
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

// isWhole reports whether several words are the full name of one of some organizations.
func (r *reading) isWhole(from, to int, found identify.Answer) bool {
	return to-from > 1 && slices.ContainsFunc(found.Candidates, func(c identify.Candidate) bool {
		return orgname.Key(r.nameText(from, to)) == orgname.Key(c.DisplayName)
	})
}

// partyCost is the cost of reading words as the name of one of some organizations.
func (r *reading) partyCost(from, to int, found identify.Answer) float64 {
	traits := r.traits(from, to)
	city := slices.ContainsFunc(r.parts[from], func(it *item) bool { return it.to == to && it.place != nil && it.place.Kind == "city" })
	toCity := city && found.Verdict < identify.Certain && r.has(from-1, "to")
	traits += marked("", map[string]bool{"whole": r.isWhole(from, to, found), "city": city, "tocity": toCity,
		"likely": found.Candidates[0].Probability > likelyGrantee, "town": toCity && r.inCity(r.joined(from, to), "") >= knownCity})
	return costParty - math.Log(anyOne(found)) + price("party", traits) + price("behind", traits)
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

// addByName adds a recipient that grants without an EIN name so.
func (r *reading) addByName(from, to int) bool {
	name, known := r.nameText(from, to), nicknames.text(r.joined(from, to), "words")
	party := r.unlinkedParty(cmp.Or(known, name))
	if first := r.toks[from].typed; party == nil && r.toks[from].cap && (r.mixed || strings.ToLower(first[1:]) != first[1:]) {
		party = r.unlinkedParty(r.completed(name))
	}
	if party == nil {
		return false
	}
	party.Asked = cmp.Or(known, name)
	it := item{sym: "PARTY", cost: costParty, asked: name, party: party, notes: []string{sentence("no_ein_here", "name", party.Name)}}
	if found := r.identify(identify.Question{Text: name}); known == "" && len(found.Candidates) > 0 {
		best := found.Candidates[0]
		if !unsure(found) && !best.AtAddress() {
			return false
		}
		if found.Verdict == identify.Several && named(party.Name, best) {
			it.notes = append(it.notes, sentence("at_address", "name", best.DisplayName, "ein", best.EIN.Hyphenated()))
		}
		it.doubt = best.Probability >= smallest
	}
	r.add(from, to, it)
	return true
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

// mayName reports whether a run of words may be a name: a whole quotation, or words that look like a name and have no other
// meaning.
func (r *reading) mayName(from, to int) bool {
	traits := r.traits(from, to)
	if edges := ruling("edges", traits); edges != "" {
		return edges == "quoted"
	}
	if isCause(r.joined(from, to)) {
		traits += " cause "
	}
	return ruling("name", traits) == "yes" && !r.isPlace(from, to)
}

// ruling is what the first row of a stage that fits some traits says.
func ruling(stage, traits string) string {
	for _, p := range grammar()[stage] {
		if p.fits(traits, "", "") {
			return p.then[0]
		}
	}
	return ""
}

// price adds up what the rows of a stage cost that fit some traits.
func price(stage, traits string) (sum float64) {
	for _, p := range grammar()[stage] {
		if p.fits(traits, "", "") {
			cost, _ := strconv.ParseFloat(p.then[0], 64)
			sum += cost
		}
	}
	return sum
}

// marked writes the names of those traits that hold, as patterns see them.
func marked(prefix string, traits map[string]bool) (text string) {
	for name, holds := range traits {
		if holds {
			text += " " + prefix + name + " "
		}
	}
	return text
}

// traits are what patterns see of a run of words, and of the words beside it.
func (r *reading) traits(from, to int) (traits string) {
	text, content, named := r.joined(from, to), 0, r.mixed
	for _, t := range r.toks[from:to] {
		if traits += t.traits(""); !is("inside", t.text) {
			content, named = content+1, named && t.cap
		}
	}
	for where, at := range map[string]int{"before": from - 1, "first": from, "last": to - 1, "next": to, "behind": to + 1} {
		if at >= 0 && at < len(r.toks) {
			traits += r.toks[at].traits(where)
		}
	}
	return traits + marked("", map[string]bool{"mixed": r.mixed, "start": from == 0, "second": from == 1, "named": named, "single": content < 2,
		"word": to-from == 1, "tiny": len(text) < 3, "brief": len(text) < 4, "digits": digits(text), "said": said(text).tag != "",
		"generic": is("generic", strings.ReplaceAll(text, " ", "_")), "quoted": !r.free(from, to), "quotation": r.isQuotation(from, to),
		"split": r.isSplit(from, to)})
}

// isQuotation reports whether a run of words is a whole quotation.
func (r *reading) isQuotation(from, to int) bool {
	q := r.toks[from].quote
	quoted := func(k int) bool { return k >= 0 && k < len(r.toks) && r.toks[k].quote == q }
	return q != 0 && quoted(to-1) && !quoted(from-1) && !quoted(to)
}

// isSplit reports whether a comma or a possessive stands inside of a run of words.
func (r *reading) isSplit(from, to int) bool {
	for k := from; k < to-1; k++ {
		t, next := &r.toks[k], &r.toks[k+1]
		if t.comma && !is("legal", next.text) || t.poss && r.mixed && !next.cap {
			return true
		}
	}
	return false
}

// traits are what patterns see of a word at some place of a run.
func (t *token) traits(where string) string {
	tag, inside := said(t.text).tag, is("inside", t.text)
	return " " + where + "=" + t.text + " " + marked(where, map[string]bool{"cap": t.cap, "lower": !t.cap, "known": t.known, "slip": t.meant != "",
		"strange": !t.known && !inside, "plain": !t.cap && t.known && !inside, "comma": t.comma, "poss": t.poss, "function": is("function", t.text),
		"head": is("head", t.text), "tag": tag != "", "org": tag == "ORG", "edge": is("edges", tag)})
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
	if beside.place.Kind == "state" && it.role == "recipient" && it.who.Verdict <= identify.Several && len(s.family(it.asked, beside.place)) > 1 {
		return // all of them are meant
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
	if it.party = s.branches(it, role); it.party != nil {
		return it.party
	}
	best, found, ok := s.meant(it, role)
	if !ok {
		return s.withoutEIN(it, role, "several", s.offered(it.asked, role, found.Candidates))
	}
	if isArm(it.asked, best) {
		return s.withoutEIN(it, role, "advocacy", []identify.Candidate{best})
	}
	if best = s.group(best, role); role == "funder" && !s.tellNamesake(it, best) {
		return nil
	}
	it.party = &Party{EIN: best.EIN.String(), Name: best.DisplayName, Asked: it.asked}
	city := role == "recipient" && s.inCity(it.asked, "") >= knownCity // "Miami" may mean any of its organizations
	if city || best.Probability < doubtful || roles[role] != identify.Either && s.sums(it.party.EIN, role) == 0 {
		s.plan.Doubt = it.asked
	}
	if orgname.Key(it.asked) != orgname.Key(best.DisplayName) {
		s.note("read_as", "asked", it.asked, "name", best.DisplayName, "ein", best.EIN.Hyphenated())
	}
	return it.party
}

// withoutEIN decides whom an item means if it is none of some organizations for sure: the recipient that grants without an EIN call
// so. Otherwise the person who asks must say who is meant.
func (s *assembly) withoutEIN(it *item, role, key string, list []identify.Candidate) *Party {
	called := func(c identify.Candidate) bool { return orgname.Key(c.Name) == orgname.Key(it.asked) }
	switch arm := key == "advocacy"; {
	case role == "funder":
	case arm:
		it.party = s.unlinkedParty(it.asked)
	case !slices.ContainsFunc(list, called):
		it.party = s.unlinkedAmong(it.asked, role, list) // Rand Corp: Randolph College only begins like it
	}
	switch {
	case it.party != nil:
		s.note("no_ein_here", "name", it.party.Name)
	case key == "several" && len(list) < 2:
		s.unclear = s.unknown([]string{it.asked}, true, list)
	default:
		s.askWhich(key, it, list...)
	}
	return it.party
}

// unlinkedAmong is the recipient that grants without an EIN call exactly so, if it got more than any of the organizations whose
// names are like it.
func (s *assembly) unlinkedAmong(name, role string, list []identify.Candidate) *Party {
	party := s.unlinkedParty(name)
	if party == nil || len(list) == 0 {
		return party
	}
	got := s.sum((&Plan{Recipients: []Party{*party}}).values()).Summary.TotalAmount
	if slices.ContainsFunc(list, func(c identify.Candidate) bool { return s.sums(c.EIN.String(), role) >= got }) {
		return nil
	}
	return party
}

// meant is the organization that an item means in a role. If it is not clear, or has no such grants, it is the only one of
// several good candidates that has, if its name has the words. Who has no rival may still be somebody else than is meant.
func (s *assembly) meant(it *item, role string) (best identify.Candidate, found identify.Answer, ok bool) {
	found = it.who
	if best, ok = found.Best(); !ok {
		if again := s.identify(identify.Question{Text: it.asked, Role: roles[role]}); len(again.Candidates) > 0 {
			found = again
		}
		best, ok = found.Best()
	}
	if role == "organization" || ok && (found.Verdict == identify.Certain || s.gaveOrGot(best, role)) {
		return best, found, ok
	}
	rivals := slices.DeleteFunc(slices.Clone(found.Candidates), func(c identify.Candidate) bool {
		return c.Probability < found.Candidates[0].Probability/mostRival
	})
	some := slices.DeleteFunc(slices.Clone(rivals), func(c identify.Candidate) bool { return !s.gaveOrGot(c, role) })
	if len(some) != 1 || len(rivals) < 2 || !named(it.asked, some[0]) {
		return best, found, ok
	}
	s.plan.Doubt = it.asked
	s.note("only_active", "name", some[0].DisplayName, "ein", some[0].EIN.Hyphenated())
	return some[0], found, true
}

// isArm reports whether an organization that filers call so is the advocacy arm of the organization of that name.
func isArm(asked string, c identify.Candidate) bool {
	arm := func(t token) bool { return is("arms", t.text) }
	return slices.ContainsFunc(tokens(c.DisplayName), arm) && !slices.ContainsFunc(tokens(asked), arm)
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
	namesake := s.unlinkedParty(it.asked)
	if namesake == nil {
		return true
	}
	p := &Plan{Funders: []Party{{EIN: c.EIN.String()}}, Recipients: []Party{*namesake}}
	if paid := s.sum(p.values()).Summary.TotalAmount; paid == 0 || 2*paid < s.sums(c.EIN.String(), "funder") {
		s.note("namesake", "asked", it.asked, "name", c.DisplayName)
		return true
	}
	s.askWhich("pays_namesake", it, c)
	return false
}

// branches are all recipients of a name that several organizations have, if the question names a place or the name is that of a
// national organization. Filers seldom say which of its branches they mean.
func (s *assembly) branches(it *item, role string) *Party {
	if role != "recipient" || it.who.Verdict > identify.Several {
		return nil
	}
	places, key := s.all("PLACE"), "branches"
	var in *Place
	if len(places) == 1 && places[0].place.Kind != "near" {
		in, key = places[0].place, "members"
	} else if !is("national", strings.ReplaceAll(strings.ToLower(it.asked), " ", "_")) {
		return nil
	}
	ids := s.family(it.asked, in)
	if s.err != nil || len(ids) == 0 || in == nil && len(ids) == 1 {
		return nil
	}
	s.note(key, "name", it.asked, "n", strconv.Itoa(len(ids)))
	return &Party{Name: it.asked, Asked: it.asked, RecipID: strings.Join(ids, ",")}
}

// family are the recipients of a name: in a place those whose names have its words, and elsewhere those of exactly that name.
func (l *lookups) family(name string, in *Place) (ids []string) {
	p, q := &Plan{}, identify.Question{Text: name, Limit: mostFamily, Role: identify.Grantee}
	if in != nil {
		p.Places = []Place{*in}
		p.Places[0].Of = "recipient"
		q.City, q.State = cityOf(in)
	}
	for _, c := range l.a.Data.Search.Named(l.ctx, q) {
		if in == nil && (c.Exact || !c.AtAddress() && orgname.Key(c.Name) == orgname.Key(name)) || in != nil && c.Whole && isIn(c.City, c.State, in) {
			ids = append(ids, c.EIN.String())
		}
	}
	for _, row := range l.called(p, telling(Party{Name: name})) {
		has := orgname.Key(row.RecipName) == orgname.Key(name)
		if in != nil {
			has = has || strings.Contains(stems(row.RecipName), stems(name))
		}
		if has && len(ids) < mostFamily {
			ids = addNew(ids, strings.TrimPrefix(row.RecipID, "ein-"))
		}
	}
	return ids
}

// gaveOrGot reports whether a candidate has grants on a side, or on any side if none is given.
func (s *assembly) gaveOrGot(c identify.Candidate, role string) bool {
	e := c.EIN.String()
	return role != "funder" && s.sums(e, "recipient") > 0 || role != "recipient" && s.sums(e, "funder") > 0
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

// askWhich asks which of several organizations is meant, and offers the question with each of them.
func (s *assembly) askWhich(key string, it *item, list ...identify.Candidate) {
	s.unclear = &Unclear{choice: true}
	var names []string
	for _, c := range list[:min(len(list), 5)] {
		names = append(names, c.DisplayName+" ("+strings.Trim(orgname.Display(c.City)+", "+c.State, ", ")+", EIN "+c.EIN.Hyphenated()+")")
		s.offer(s.unclear, it, c)
	}
	s.unclear.Why = sentence(key, "asked", it.asked, "names", strings.Join(names, "; "), "name", list[0].DisplayName, "ein", list[0].EIN.Hyphenated())
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
