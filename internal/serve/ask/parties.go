package ask

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// Limits on searching for organizations.
const (
	longestName  = 12 // in words
	mostSame     = 20 // organizations with the same name that are examined
	mostSearches = 60 // searches by name per question, besides exact names
)

var functionWords = table.SetOf("the a an of in to for from by and or with at on is are was were did does do has have had be been who whom what which " +
	"how when where why much many than that this these those it its their as if me i you & us any all each every per since between during before after " +
	"through over under about vs versus not no more most less least total list show tell give gave given gives received receive receives get gets got")

func isFunction(w string) bool { return functionWords[w] }

// headNouns end the names of single organizations.
var headNouns = strings.Fields("foundation fund trust bank pantry school museum library hospital church center centre society association council college " +
	"university club institute charity ministries inc llc corp company endowment theater theatre alliance coalition network league academy project " +
	"partnership clinic hospice temple symphony orchestra conservancy shelter fellowship")

// generic are phrases of such nouns that name no organization.
var generic = strings.Fields("community_foundation family_foundation charitable_trust private_foundation public_charity charitable_foundation " +
	"donor-advised_fund donor_advised_fund food_bank animal_shelter land_trust public_library public_school operating_foundation daf_fund")

// isWord reports whether a word has a meaning outside of names.
func (r *reading) isWord(w string) bool {
	m, _ := phrases()
	if m[w].tag != "" || isFunction(w) || strings.Trim(w, "0123456789$,.%+&") == "" {
		return true
	}
	if _, _, ok := causeOf(w); ok {
		return true
	}
	return slices.Contains(stateWords(), w)
}

// readQuotes reads the text in quotation marks: a name, or words to search for.
func (r *reading) readQuotes() {
	for i := 0; i < len(r.toks); i++ {
		if r.toks[i].quote == 0 || r.toks[i].item != 0 {
			continue
		}
		to := i + 1
		for to < len(r.toks) && r.toks[to].quote == r.toks[i].quote {
			to++
		}
		m, _ := phrases()
		before := 0
		for n := 3; n > 0 && before == 0; n-- {
			if i-n >= 0 && m[r.joined(i-n, i)].value == "words" {
				before = n
			}
		}
		if before > 0 {
			r.putWords(i, to)
			r.put(i-before, i, &item{tag: tagFill})
		} else if found := r.find(r.text(i, to)); len(found) > 0 {
			r.putParty(i, to, found)
		} else {
			r.fail("No organization called “%s” was found with certainty.", r.text(i, to))
			return
		}
		i = to - 1
	}
}

func (r *reading) putWords(from, to int) {
	words := r.text(from, to)
	if r.plan.Words != "" || len(words) > 100 || to-from > 8 {
		r.fail("Please give one word or a short phrase to look for.")
		return
	}
	if to-from > 1 {
		words = `"` + words + `"`
	}
	r.plan.Words = strings.ToLower(words)
	r.put(from, to, &item{tag: "words", used: true})
}

// readNames reads the runs of words that are the exact name of an organization,
// longest first. If every word of a run also has another meaning, the run must
// look like a name.
func (r *reading) readNames() {
	mixed := r.mixedCase()
	m, _ := phrases()
	for n := min(longestName, len(r.toks)); n > 0; n-- {
		for i := 0; i+n <= len(r.toks); i++ {
			first, last := &r.toks[i], &r.toks[i+n-1]
			if !r.free(i, i+n) || isFunction(first.text) && !(n > 2 && first.cap && i > 0) || isFunction(last.text) {
				continue
			}
			unknown, capitals, words := false, true, 0
			for k := i; k < i+n; k++ {
				t := &r.toks[k]
				if isFunction(t.text) {
					continue
				}
				words++
				unknown = unknown || !r.isWord(t.text)
				capitals = capitals && t.cap
			}
			if r.verbFirst(i, i+n) {
				continue
			}
			text := r.joined(i, i+n)
			head := slices.Contains(headNouns, last.text) && !slices.Contains(generic, strings.ReplaceAll(text, " ", "_")) && m[text].tag == ""
			switch {
			case unknown && (words > 1 || capitals && mixed || len(text) > 3):
			case words > 1 && capitals && mixed && m[text].tag == "" && i > 0:
			case words > 1 && head && !r.has(i-1, "a|an|any|every|each|per|which|what|private|public"):
			default:
				continue
			}
			if _, _, ok := causeOf(text); ok && !(capitals && mixed) {
				continue
			}
			if r.placeName(i, i+n) {
				continue
			}
			found := r.named(i, i+n)
			if len(found) == 0 {
				continue
			}
			from := i
			if r.has(i-1, "the") {
				from--
			}
			r.putParty(from, i+n, found)
			if words == 1 && !(capitals && mixed) {
				r.note("“%s” was read as the organization %s.", r.nameText(i, i+n), found[0].DisplayName)
			}
		}
	}
}

// verbFirst reports whether a run begins with a verb before a name: "funds Hope
// Church" is not the Hope Fund.
func (r *reading) verbFirst(from, to int) bool {
	first := &r.toks[from]
	if first.cap || to-from < 2 || !r.toks[from+1].cap || !r.mixedCase() {
		return false
	}
	m, _ := phrases()
	return slices.Contains([]string{tagGive, tagGet, tagGo}, m[first.text].tag)
}

// mixedCase reports whether capital letters distinguish names here: some words
// after the first begin with a small letter, and not only short function words.
func (r *reading) mixedCase() bool {
	lower, upper := 0, 0
	for i := range r.toks {
		t := &r.toks[i]
		switch {
		case i == 0 || strings.ToLower(t.typed) == strings.ToUpper(t.typed):
		case t.cap:
			upper++
		case len(t.text) > 3:
			lower++
		}
	}
	return upper > 0 && lower > 0
}

// placeName reports whether words are only a place.
func (r *reading) placeName(from, to int) bool {
	for n := 1; n < to-from; n++ {
		if _, ok := r.state(to-n, n, false); ok && r.inCity(r.joined(from, to-n), "") {
			return true
		}
	}
	if _, ok := r.state(from, to-from, false); ok {
		return true
	}
	_, nation := nations()[r.joined(from, to)]
	return nation || r.has(from-1, "in|near") && r.inCity(r.joined(from, to), "")
}

// named finds the organizations with exactly this name. Names are compared
// without some final words. Such a final word must be a legal form, because
// otherwise it may be a place.
func (r *reading) named(from, to int) []search.Result {
	text := r.nameText(from, to)
	key := orgname.Key(text)
	if to-from > 1 {
		last := r.toks[to-1].text
		if orgname.Key(r.nameText(from, to-1)) == key && !slices.Contains([]string{"inc", "llc", "corp", "co", "ltd", "incorporated", "corporation", "company"},
			last) {
			return nil
		}
	}
	return r.a.Data.Search.Named(text, mostSame)
}

// nameText is a run of words as a name, without a possessive ending.
func (r *reading) nameText(from, to int) string {
	text := r.text(from, to)
	if r.toks[to-1].poss {
		text = strings.TrimRight(text, "'’")
		for _, s := range []string{"'s", "’s"} {
			text = strings.TrimSuffix(text, s)
		}
	}
	return text
}

// find finds the organizations that words may name: those with exactly this
// name, or else the strong matches whose distinctive words the text covers.
func (r *reading) find(text string) []search.Result {
	if list := r.a.Data.Search.Named(text, mostSame); len(list) > 0 {
		return list
	}
	if r.searches++; r.searches > mostSearches {
		return nil
	}
	list := r.a.Data.Search.Find(text, "", 8)
	kept := list[:0:0]
	for _, f := range list {
		switch {
		case f.Match == search.Weak:
		case covers(text, f.Name):
			kept = append(kept, f)
		case len(r.perhaps) < 3 && !slices.ContainsFunc(r.perhaps, func(p search.Result) bool { return p.EIN == f.EIN }):
			r.perhaps = append(r.perhaps, f)
		}
	}
	return kept
}

// covers reports whether the words include every distinctive word of a name.
// "Abbott Bridge" may mean Abbott Bridge Alliance, but "Ford Foundation" means
// only the organization of that name. Typing errors are allowed.
func covers(text, name string) bool {
	asked, words := strings.Fields(orgname.Parse(text).K2), strings.Fields(orgname.Parse(name).K2)
	if strings.Join(asked, "") == strings.Join(words, "") {
		return true
	}
	found := 0
	for _, w := range words {
		if slices.ContainsFunc(asked, func(a string) bool { return alike(a, w) }) {
			found++
		} else if !slices.Contains(headNouns, strings.ToLower(w)) && !slices.Contains(plainWords, w) && !joinedWords(asked, w) {
			return false
		}
	}
	return found > 1 || found == 1 && len(words) == 1
}

// plainWords are words in names that do not help to distinguish organizations.
var plainWords = strings.Fields("THE OF AND FOR INC CHARITABLE FAMILY NONPROFIT ORGANIZATION INCORPORATED COMPANY CORPORATION SERVICES GROUP SYSTEM")

// alike reports whether two words of a name are the same except for a typing
// error.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) < 4 || len(b) < 4 {
		return false
	}
	return typo.Meant(strings.ToLower(a), []string{strings.ToLower(b)}) != ""
}

// joinedWords reports whether the person wrote one word as two, or two words as
// one.
func joinedWords(asked []string, w string) bool {
	for i := range asked {
		if i+1 < len(asked) && asked[i]+asked[i+1] == w || len(asked[i]) > len(w) && len(w) >= 4 && strings.Contains(asked[i], w) {
			return true
		}
	}
	return false
}

// putParty records an organization, or several candidates.
func (r *reading) putParty(from, to int, found []search.Result) {
	r.put(from, to, &item{tag: tagParty, found: found, asked: r.nameText(from, to), poss: r.toks[to-1].poss})
}

// readLeftNames looks for organization names in words that have no meaning yet.
// It also tries to include neighboring words that have a meaning but may be
// part of a name.
func (r *reading) readLeftNames() {
	for i := 0; i < len(r.toks) && !r.failed(); i++ {
		if r.toks[i].item != 0 || isFunction(r.toks[i].text) {
			continue
		}
		to := i + 1
		for to < len(r.toks) && r.toks[to].item == 0 && !r.toks[to-1].comma && !r.toks[to-1].poss {
			to++
		}
		for to > i+1 && isFunction(r.toks[to-1].text) {
			to--
		}
		switch {
		case slices.Contains([]string{"in", "near", "around", "at"}, r.textAt(i-1)) && r.tryCity(i, to):
		case r.tryName(i, to):
		case r.tryCity(i, to):
		case r.misspelled(i):
			i--
		}
	}
}

// tryCity reads the longest run of words from i that is a city.
func (r *reading) tryCity(i, to int) bool {
	for n := min(3, to-i); n > 0; n-- {
		if r.cityAlone(i, n) {
			return true
		}
	}
	return false
}

// correct replaces misspelled words of the lexicon, so that phrases with them
// are found. A word that occurs in some organization's name is not treated as
// misspelled.
func (r *reading) correct() {
	_, words := phrases()
	causes := causeList()
	for i := range r.toks {
		t := &r.toks[i]
		if t.item != 0 || len(t.text) < 5 || slices.Contains(words, t.text) || strings.Trim(t.text, "abcdefghijklmnopqrstuvwxyz-") != "" ||
			t.cap && i > 0 || t.quote != 0 || r.isWord(t.text) || knownWords()[t.text] {
			continue
		}
		meant := meantWord(t.text, words)
		if meant == "" {
			meant = meantWord(t.text, causes)
		}
		if meant == "" || len(t.text) <= 8 && typo.Within(t.text, meant, 1) > 1 || r.inNames(t.text) {
			continue
		}
		t.text, t.corrected = meant, true
		r.note("“%s” was read as “%s”.", t.typed, meant)
	}
}

// inNames reports whether a word is part of an organization's name, or a city.
func (r *reading) inNames(word string) bool {
	if r.inCity(word, "") {
		return true
	}
	if r.searches++; r.searches > mostSearches {
		return true
	}
	for _, f := range r.a.Data.Search.Find(word, "", 3) {
		if slices.Contains(strings.Fields(strings.ToLower(orgname.Fold(f.Name))), word) {
			return true
		}
	}
	return false
}

// misspelled reads one word as a misspelled word of the lexicon.
func (r *reading) misspelled(i int) bool {
	t := &r.toks[i]
	if len(t.text) < 5 || t.corrected || strings.Trim(t.text, "abcdefghijklmnopqrstuvwxyz-") != "" || t.cap && i > 0 {
		return false
	}
	_, words := phrases()
	meant := meantWord(t.text, words)
	if meant == "" {
		meant = meantWord(t.text, causeList())
	}
	if meant == "" || len(t.text) <= 7 && typo.Within(t.text, meant, 1) > 1 {
		return false
	}
	// A word that occurs in a name is not a typing error.
	if list := r.a.Data.Search.Named(t.text, 1); len(list) > 0 {
		return false
	}
	t.text, t.corrected = meant, true
	r.note("“%s” was read as “%s”.", t.typed, meant)
	r.readPhrases(true)
	r.readCauses()
	r.readPhrases(false)
	return t.item != 0
}

// tryName reads the words [i,to), with neighboring words, as a name.
func (r *reading) tryName(i, to int) bool {
	if r.a.Data.Search == nil {
		return false
	}
	type span struct{ from, to int }
	var spans []span
	left, right := i, to
	for left > 0 && i-left < 6 && r.extends(left-1) && !r.toks[left-1].comma {
		left--
	}
	for right < len(r.toks) && right-to < 6 && r.extends(right) && !r.toks[right-1].comma && !r.toks[right-1].poss {
		right++
	}
	for from := left; from <= i; from++ {
		for end := right; end >= to; end-- {
			if isFunction(r.toks[from].text) || isFunction(r.toks[end-1].text) || end-from > longestName {
				continue
			}
			spans = append(spans, span{from, end})
		}
	}
	// Longest first. The sort is stable, so equal lengths stay in order of
	// their first word.
	slices.SortStableFunc(spans, func(a, b span) int { return (b.to - b.from) - (a.to - a.from) })
	for _, s := range spans {
		if !r.reasonable(s.from, s.to) || r.verbFirst(s.from, s.to) {
			continue
		}
		found := r.find(r.nameText(s.from, s.to))
		if len(found) == 0 {
			continue
		}
		if found[0].Match != search.Exact && len(r.joined(s.from, s.to)) < 5 {
			continue
		}
		r.clear(s.from, s.to)
		from := s.from
		if r.has(from-1, "the") {
			from--
		}
		r.putParty(from, s.to, found)
		return true
	}
	return false
}

// reasonable reports whether a run of words may be a name: it must not split an
// item.
func (r *reading) reasonable(from, to int) bool {
	for k := from; k < to; k++ {
		if n := r.toks[k].item; n != 0 {
			it := r.items[n-1]
			if it.from < from || it.to > to {
				return false
			}
		}
	}
	return true
}

// extends reports whether a word that has a meaning may still be part of a
// name.
func (r *reading) extends(i int) bool {
	t := &r.toks[i]
	if t.item == 0 {
		return !isFunction(t.text) || slices.Contains([]string{"of", "for", "the", "and", "&", "in", "at"}, t.text)
	}
	switch it := r.items[t.item-1]; it.tag {
	case tagPlace, tagCause, tagFunder, tagOrg, tagSupport, tagPerson, tagThing:
		return true
	case tagParty:
		return it.party == nil
	case tagGive, tagMoney, tagGrant, tagKind:
		return true // Journey Giving Fund
	case tagOf, tagTo, tagAnd, tagFill, tagMeasure:
		// Function words count only if capitalized, as in All the Children
		// Fund.
		return slices.Contains([]string{"of", "for", "the", "and", "&"}, t.text) || t.cap && i > 0
	}
	return false
}

// pick chooses among the candidates of an item, once its role is known. A place
// next to the name, or grants in that role, may decide.
func (r *reading) pick(it *item, side string) *Party {
	if it.party != nil {
		return it.party
	}
	found := it.found
	if len(found) > 1 {
		if p := r.placeBeside(it); p != nil {
			var here []search.Result
			for _, f := range found {
				if inPlace(&f, p.place) {
					here = append(here, f)
				}
			}
			if len(here) > 0 {
				found, p.used, p.ofParty = here, true, true
			}
		}
	}
	if len(found) > 1 && found[0].Match == search.Exact {
		n := 0
		for n < len(found) && found[n].Match == search.Exact {
			n++
		}
		found = found[:n]
	} else if len(found) > 1 && found[0].Score-found[1].Score >= clearLead {
		found = found[:1]
	}
	if len(found) > 1 && side != "" {
		var active []search.Result
		for _, f := range found {
			if r.sums(f.EIN, side) > 0 {
				active = append(active, f)
			}
		}
		if len(active) == 1 {
			found = active
			what := "has made grants"
			if side == "recipient" {
				what = "has received grants"
			}
			r.note("Of several organizations that “%s” may name, only %s (%s) %s.", it.asked, found[0].DisplayName, found[0].EIN.Hyphenated(), what)
		}
	}
	if len(found) > 1 {
		r.ambiguous(it, found)
		return nil
	}
	f := &found[0]
	it.party = &Party{EIN: f.EIN.String(), Name: f.DisplayName, Asked: it.asked}
	if f.Match != search.Exact {
		r.note("“%s” was read as %s (EIN %s).", it.asked, f.DisplayName, f.EIN.Hyphenated())
	}
	return it.party
}

// clearLead is how far the score of a strong match must exceed the next score
// to be chosen.
const clearLead = 0.08

// sums are the dollars that an organization gave or received.
func (r *reading) sums(e ein.EIN, side string) int64 {
	which := graph.Gave
	if side == "recipient" {
		which = graph.Received
	}
	s, err := r.a.Data.Graph.Sums(r.ctx, e, which)
	if err != nil {
		return 0
	}
	return s.Total
}

// placeBeside is the place right after a name: "X in Ohio", "X, Akron".
func (r *reading) placeBeside(it *item) *item {
	at := it.to
	for at < len(r.toks) && slices.Contains([]string{"in", "of", "from", "at", "based", "located", "the"}, r.toks[at].text) {
		at++
	}
	if at < len(r.toks) && at-it.to <= 3 && r.toks[at].item != 0 {
		if p := r.items[r.toks[at].item-1]; p.tag == tagPlace && p.place != nil {
			return p
		}
	}
	return nil
}

func inPlace(f *search.Result, p *Place) bool {
	switch p.Kind {
	case "state":
		return f.State == p.Value
	case "city":
		city, state, _ := strings.Cut(p.Value, ", ")
		return orgname.City(f.City) == orgname.City(city) && (state == "" || state == f.State)
	}
	return false
}

// ambiguous reports that a name may mean several organizations, and offers the
// question with each of them.
func (r *reading) ambiguous(it *item, found []search.Result) {
	u := &Unclear{}
	var names []string
	for _, f := range found[:min(len(found), 5)] {
		where := strings.Trim(orgname.Display(f.City)+", "+f.State, ", ")
		names = append(names, f.DisplayName+" ("+where+", EIN "+f.EIN.Hyphenated()+")")
		u.Parties = append(u.Parties, Party{EIN: f.EIN.String(), Name: f.DisplayName, Asked: it.asked})
		if len(u.Try) < 3 {
			u.Try = append(u.Try, strings.TrimSpace(r.q[:r.toks[it.from].from]+" "+f.EIN.Hyphenated()+r.q[r.toks[it.to-1].to:]))
		}
	}
	u.Why = "“" + it.asked + "” may be any of several organizations: " + strings.Join(names, "; ") + ". Please ask with the EIN or the full name and place."
	r.unclear = u
}
