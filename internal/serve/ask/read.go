package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/typo"
)

// reading is a question that is being turned into a plan. Its words are looked up in every way that makes sense (parts); the
// cheapest sequence of parts that covers all words is how the question is read.
type reading struct {
	lookups

	q     string // with single spaces
	toks  []token
	mixed bool      // capital letters tell names from other words
	parts [][]*item // by their first word
	again bool      // this is another wording of the question

	asked   int                  // texts that were looked up as names
	fine    map[string]bool      // whether other questions can be answered
	perhaps []identify.Candidate // organizations that are too improbable to use
}

// item is a run of words that has a meaning.
type item struct {
	sym, value string  // as patterns call it
	cost       float64 // how improbable the meaning is; see the costs
	from, to   int
	asked      string // the words in lower case
	poss       bool   // possessive: X's

	party  *Party
	who    identify.Answer // organizations that the words may mean
	place  *Place
	cause  *Cause
	adds   Plan     // years, amounts and the like, which the words add to the plan
	pair   bool     // two joined years; the question may ask for the change between them
	notes  []string // what the answer says if the words are read so
	refuse *Unclear // why words that are read so cannot be answered

	role  string
	named bool // a cause that looks like the name of an organization
	whole bool // the full name of an organization, of several words
	doubt bool // a recipient without an EIN may be a known organization after all
	used  bool // the plan uses this item
}

// The costs of meanings. A difference of 1 makes a reading about three times less probable.
const (
	costWord    = 1.0  // of the lexicon, a state, a year, an amount
	costCause   = 1.1  //
	costParty   = 1.5  // besides the probability that the words name an organization
	costSilent  = 0.4  // a function word
	costSlip    = 2.0  // a misspelled word
	costMeaning = 4.0  // a cause by its meaning
	costCityIn  = 3.0  // a city without its state, behind "in"
	costCity    = 5.5  // a city elsewhere
	costCut     = 5.0  // a name out of a longer run of capitalized words
	costCutHead = 12.0 // a name without its last noun: Lilly of "Lilly Endowment"
	costUnknown = 10.0 // a word without any meaning

	mostReadings = 8   // readings of one question that are tried
	closeCall    = 1.2 // readings that differ by less are put to the person who asks
	tryOthers    = 4.0 // how much more another reading may cost if the first makes no plan
)

// Read finds what a question asks for. Every word must have a place in the plan or be a filler word. Otherwise the question is
// not understood, and the result names the words.
func (a *Asker) Read(ctx context.Context, question string) (*Plan, *Unclear) {
	if a.Data == nil || !a.Data.Whole() {
		return nil, &Unclear{Why: sentence("out_of_service"), Policy: true}
	}
	r := &reading{lookups: a.lookups(ctx), fine: map[string]bool{}}
	p, u := r.read(question)
	if r.err != nil {
		return nil, &Unclear{Why: sentence("out_of_service"), Policy: true}
	}
	if u != nil {
		u.Try = slices.DeleteFunc(u.Try, func(q string) bool { return !r.understands(q) })
	}
	if u != nil && len(u.Try) < 3 {
		for _, q := range a.Examples(ctx) {
			if len(u.Try) < 3 && !slices.Contains(u.Try, q) {
				u.Try = append(u.Try, q)
			}
		}
	}
	return p, u
}

func (r *reading) read(question string) (*Plan, *Unclear) {
	if u := r.bounds(question); u != nil {
		return nil, u
	}
	r.toks = tokens(r.q)
	switch n := len(r.toks); {
	case n == 0:
		return nil, refused("no_words")
	case n > 80:
		return nil, refused("many_words")
	}
	r.mixed = mixedCase(r.toks)
	if u := r.foreign(); u != nil {
		return nil, u
	}
	r.look()
	if u := r.policy(); u != nil {
		return nil, u
	}
	list := r.readings()
	if !r.again && (r.addUnlinked(list[0]) || r.addMeanings(list[0])) {
		list = r.readings()
	}
	return r.choose(list)
}

// beside matches what people write beside a name and that names somebody else: "c/o Jane
// Smith, NAME", "NAME (formerly OTHER)". Before a name alone, "c/o" is dropped.
var beside = regexp.MustCompile(`(?i)(^|\s)c/o\s(?:[^,?]{1,80},)?|\((?:formerly|previously|f/?k/?a|a/?k/?a|now)\b[^)]{1,120}\)`)

// unshowable matches control characters, and those that turn the direction of a text.
var unshowable = regexp.MustCompile(`[^\P{Cc}\n\r\t]|[\x{202e}\x{2066}]`)

// bounds refuses text that is empty, too long, or has characters that cannot be shown.
func (r *reading) bounds(question string) *Unclear {
	if !utf8.ValidString(question) {
		return refused("unreadable")
	}
	if unshowable.MatchString(question) {
		return refused("unshowable")
	}
	r.q = strings.Join(strings.Fields(beside.ReplaceAllString(question, "$1 ")), " ")
	r.q = strings.ReplaceAll(r.q, "-based", " based")
	switch n := utf8.RuneCountInString(r.q); {
	case n == 0:
		return refused("no_question")
	case n > maxLetters:
		return refused("too_long", "n", fmt.Sprint(n), "most", fmt.Sprint(maxLetters))
	}
	return nil
}

// mixedCase reports whether capital letters distinguish names here: some words
// after the first begin with a small letter, and not only short function words.
func mixedCase(toks []token) bool {
	lower, upper := 0, 0
	for i, t := range toks {
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

// look finds every meaning of every run of words, from the last word to the first: a city is known by the state behind it.
func (r *reading) look() {
	r.parts = make([][]*item, len(r.toks))
	for i := range r.toks {
		t := &r.toks[i]
		if i > 0 && r.mixed && t.typed == "WHO" {
			t.text = "w.h.o" // "Does X fund WHO?"
		}
		if t.known = isWord(t.text); !t.known && t.quote == 0 {
			t.meant = r.misspelled(i)
		}
	}
	for i := len(r.toks) - 1; i >= 0; i-- {
		r.addWords(i)
		r.addNumbers(i)
		r.addPlaces(i)
		r.addCauses(i)
		switch single := slices.ContainsFunc(r.parts[i], func(it *item) bool { return it.to == i+1 && it.cost < costCityIn }); {
		case single:
		case is("silent", r.toks[i].text):
			r.add(i, i+1, item{sym: "fill", cost: costSilent})
		default:
			r.add(i, i+1, item{sym: "?", cost: costUnknown})
		}
	}
	for n := min(longestName, len(r.toks)); n > 0; n-- {
		for i := 0; i+n <= len(r.toks) && r.asked < mostAsked; i++ {
			if r.mayName(i, i+n) {
				r.addParty(i, i+n)
			}
		}
	}
}

// add gives words a meaning.
func (r *reading) add(from, to int, it item) *item {
	it.from, it.to = from, to
	it.asked = cmp.Or(it.asked, strings.ToLower(r.text(from, to)))
	it.poss = r.toks[to-1].poss
	r.parts[from] = append(r.parts[from], &it)
	return &it
}

// free reports whether words stand outside of quotation marks.
func (r *reading) free(from, to int) bool {
	return from >= 0 && to <= len(r.toks) && from < to && !slices.ContainsFunc(r.toks[from:to], func(t token) bool { return t.quote != 0 })
}

func (r *reading) joined(from, to int) string { return joinTokens(r.toks[from:to]) }

// phrases are the ends of the runs of words outside of quotation marks that begin at a word, the longest first.
func (r *reading) phrases(i, longest int) (ends []int) {
	for to := min(i+longest, len(r.toks)); to > i; to-- {
		if r.free(i, to) {
			ends = append(ends, to)
		}
	}
	return ends
}

// spelled is a run of words as it should be spelled, and how many of them are not.
func (r *reading) spelled(from, to int) (text string, slips int) {
	words := slices.Clone(r.toks[from:to])
	for i := range words {
		if words[i].meant != "" {
			words[i].text = words[i].meant
			slips++
		}
	}
	return joinTokens(words), slips
}

// addPhrase gives a phrase a meaning with a name. It is less probable if the phrase is misspelled.
func (r *reading) addPhrase(from, to int, name string, it item) *item {
	_, slips := r.spelled(from, to)
	if it.cost += costSlip * float64(slips); slips > 0 {
		it.notes = []string{sentence("slip", "typed", r.text(from, to), "meant", name)}
	}
	return r.add(from, to, it)
}

func (r *reading) text(from, to int) string {
	if from >= to {
		return ""
	}
	return r.q[r.toks[from].from:r.toks[to-1].to]
}

// has reports whether given words are at a position of the question.
func (r *reading) has(at int, words ...string) bool {
	for i, w := range words {
		if !slices.Contains(strings.Split(w, "|"), r.textAt(at+i)) {
			return false
		}
	}
	return true
}

func (r *reading) textAt(i int) string {
	if i < 0 || i >= len(r.toks) {
		return ""
	}
	return r.toks[i].text
}

// isWord reports whether a word has a meaning outside of names.
func isWord(w string) bool {
	_, _, cause := causeOf(w)
	return cause || said(w).tag != "" || is("function", w) || strings.Trim(w, "0123456789$,.%+&<>=") == "" ||
		knownPlaces()[w].Kind == "state" && len(w) > 4
}

// misspelled is the word of the lexicon, of a cause or of a state that a word misspells. It has the same first letter, which
// people rarely get wrong. A capitalized word may only misspell a state, which is the last in the vocabulary.
func (r *reading) misspelled(i int) string {
	t, v := &r.toks[i], spelling()
	if len(t.text) < 5 || strings.Trim(t.text, "abcdefghijklmnopqrstuvwxyz-") != "" || v.known[t.text] {
		return ""
	}
	for k, list := range v.spelled {
		state := k == len(v.spelled)-1
		if state && (len(t.text) < 6 || strings.HasSuffix(t.text, "ly")) || !state && t.cap && i > 0 {
			continue
		}
		meant := typo.Meant(t.text, slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w[0] != t.text[0] }))
		if meant != "" && (state || len(t.text) > 8 || typo.Within(t.text, meant, 1) <= 1) {
			return meant
		}
	}
	return ""
}

// addWords adds the phrases of the lexicon that begin at a word.
func (r *reading) addWords(i int) {
	for _, to := range r.phrases(i, lexicon().longest) {
		text, slips := r.spelled(i, to)
		e := said(text)
		if to == i+1 && r.toks[i].typed == "US" {
			e = entry{tag: "domestic"}
		}
		if e.value == "words" && slips == 0 {
			r.addMention(i, to)
		}
		if e.tag == "" || e.tag == "limit" || e.value == "words" {
			continue
		}
		it := item{sym: e.tag, value: e.value, cost: costWord, adds: e.filters()}
		switch e.tag {
		case "fill":
			it.cost += costSilent - costWord
		case "measure", "who", "or":
			it.sym = cmp.Or(e.value, e.tag)
		case "WORDS":
			it.adds.Words = quotedWords(text)
			it.notes = []string{sentence("by_words", "words", r.text(i, to))}
		}
		r.addPhrase(i, to, text, it).asked = text
	}
}

// filters are what a phrase that narrows grants adds to the plan.
func (e entry) filters() (adds Plan) {
	switch e.tag {
	case "KIND":
		adds.FunderTypes = []string{e.value}
	case "SUPPORT":
		adds.Support = []string{e.value}
	case "PERSON":
		adds.Only = "individuals"
	case "ABROAD":
		adds.Abroad = true
	}
	return adds
}

// path is the end of a sequence of items.
type path struct {
	cost float64
	item *item
	prev *path
}

// readings are the cheapest sequences of items that cover the question, best first.
func (r *reading) readings() (list [][]*item) {
	at := make([][]*path, len(r.toks)+1)
	at[0] = []*path{{}}
	for i, from := range at[:len(r.toks)] {
		for _, it := range r.parts[i] {
			for _, p := range from {
				at[it.to] = append(at[it.to], &path{p.cost + it.cost, it, p})
			}
		}
		if next := at[i+1]; len(next) > 0 {
			slices.SortStableFunc(next, func(a, b *path) int { return cmp.Compare(math.Round(a.cost*1e6), math.Round(b.cost*1e6)) })
			at[i+1] = next[:min(len(next), mostReadings)]
		}
	}
	for _, p := range at[len(r.toks)] {
		var seq []*item
		for ; p.item != nil; p = p.prev {
			it := *p.item
			seq = append(seq, &it)
		}
		slices.Reverse(seq)
		list = append(list, seq)
	}
	return list
}

func costOf(seq []*item) (sum float64) {
	for _, it := range seq {
		sum += it.cost
	}
	return sum
}

// choose makes a plan of the best reading. If another reading is nearly as good and asks for something else, the person who
// asks must say which is meant. A reading that makes no plan gives way to one that does and costs little more.
func (r *reading) choose(list [][]*item) (*Plan, *Unclear) {
	best := costOf(list[0])
	p, u := r.compose(list[0])
	seen := 0
	for _, seq := range list[1:] {
		more := costOf(seq) - best
		if u != nil && u.tryOther && more <= tryOthers && seen < 4 {
			seen++
			if other, none := r.compose(seq); none == nil && !slices.ContainsFunc(seq, func(it *item) bool { return it.sym == "?" }) {
				return other, nil
			}
			continue
		}
		if u == nil && more <= closeCall {
			if a, b := differ(list[0], seq); a != nil {
				if other, none := r.compose(seq); none == nil && !p.asksSame(other) {
					return nil, r.whichMeant(a, b)
				}
			}
		}
	}
	return p, u
}

// differ returns the first two items of readings that take the same words for an organization and for something else. A reading
// that takes a part of an organization's name for a place, and the rest for the same organization, is no other reading; nor is
// one that divides a full name.
func differ(a, b []*item) (x, y *item) {
	for _, x := range a {
		if x.whole || slices.ContainsFunc(b, func(part *item) bool {
			return x.sym == "PARTY" && part.sameParty(x) && x.from <= part.from && part.to <= x.to
		}) {
			continue
		}
		for _, y := range b {
			if x.from < y.to && y.from < x.to && (x.sym == "PARTY") != (y.sym == "PARTY") && y.sym != "fill" && x.sym != "fill" {
				return x, y
			}
		}
	}
	return nil, nil
}

// sameParty reports whether both items most probably name the same organization.
func (it *item) sameParty(other *item) bool {
	mine, theirs := it.who.Candidates, other.who.Candidates
	return len(mine) > 0 && len(theirs) > 0 && mine[0].EIN == theirs[0].EIN
}

// asksSame reports whether two plans ask for the same.
func (p *Plan) asksSame(other *Plan) bool {
	bare := *other
	bare.Notes, bare.Doubt = p.Notes, p.Doubt
	return bare.String() == p.String()
}

// latestYear is the latest fiscal year whose filings are nearly complete, or 0 if there is none.
func (a *Asker) latestYear(ctx context.Context) int {
	_, years, err := a.Data.Graph.Summary(ctx, &graph.Filter{})
	last := 0
	for _, y := range years {
		if err == nil && !y.Partial {
			last = max(last, y.FiscalYear)
		}
	}
	return last
}

// Reworded reads another wording of a question, which somebody else chose: a language model. The plan says so.
func (a *Asker) Reworded(ctx context.Context, question, wording string) (*Plan, error) {
	if err := Faithful(question, wording); err != nil {
		return nil, err
	}
	p, u := a.Read(ctx, wording)
	if u != nil {
		return nil, errors.New("the wording is not understood")
	}
	p.Notes = append([]string{sentence("reworded", "wording", wording)}, p.Notes[:min(len(p.Notes), 7)]...)
	return p, nil
}

// Faithful reports why another wording may ask for something else than a question: it
// names something that the question does not name, or has other numbers.
func Faithful(question, wording string) error {
	asked, said := each(tokens(question), token.word), each(tokens(wording), token.word)
	for _, w := range said {
		if !slices.Contains(asked, w) && (!plain()[w] || strings.ContainsAny(w, "0123456789")) {
			return errors.New("the wording has a name or a number that the question does not have")
		}
	}
	for _, w := range asked {
		if strings.ContainsAny(w, "0123456789") && !slices.Contains(said, w) {
			return errors.New("the wording lacks a number of the question")
		}
	}
	if utf8.RuneCountInString(wording) > 300 {
		return errors.New("the wording is too long")
	}
	return nil
}

// plain are the words that ask, and that name no organization, place, cause or kind.
var plain = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for phrase, e := range lexicon().phrases {
		for w := range strings.FieldsSeq(phrase) {
			if knownPlaces()[w].Kind == "" && !is("naming", e.tag) {
				words[w] = true
			}
		}
	}
	return words
})

// sentence is a sentence of sentences.tsv, with names and their values filled in.
func sentence(key string, pairs ...string) string {
	text, known := sentences.text(key, "text"), facing{}
	if text == "" {
		panic("no sentence " + key) // a mistake in the program; every key is in a test
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		known[pairs[i]] = cmp.Or(known[pairs[i]], any(pairs[i+1]))
	}
	return known.fill(text)
}

// unclear says why a question is not understood.
func unclear(key string, pairs ...string) *Unclear {
	return &Unclear{Why: sentence(key, pairs...), tryOther: is("misread", key), Beyond: is("beyond", key), Policy: is("beyond", key)}
}

// refused says why no reader may answer a question.
func refused(key string, pairs ...string) *Unclear {
	return &Unclear{Why: sentence(key, pairs...), Policy: true, Beyond: is("beyond", key)}
}

// refusals lists phrases of questions that filings cannot answer, with the sentence for each.
var refusals = sync.OnceValue(func() (list []entry) {
	for phrase, r := range phrases("refusals.tsv", "sentence", "phrases") {
		list = append(list, entry{r.Text("sentence"), phrase})
	}
	return list
})

// policy refuses questions about cause and effect, forecasts, opinions, private facts and instructions.
func (r *reading) policy() *Unclear {
	lower := strings.ToLower(r.q)
	for _, x := range refusals() {
		if strings.ContainsAny(x.value, "*<") && strings.Contains(lower, x.value) {
			return refused(x.tag)
		}
		words := strings.Fields(x.value)
		for i := range r.toks {
			if r.has(i, words...) && !r.excused(i, x.value) {
				return refused(x.tag)
			}
		}
	}
	if r.has(0, "select") && slices.ContainsFunc(r.toks, func(t token) bool { return t.text == "from" }) {
		return refused("sql")
	}
	return nil
}

// excused reports whether a word of a refusal means something else here: it may
// begin a name, or "the causes of grants" asks for subjects and not for reasons.
func (r *reading) excused(i int, phrase string) bool {
	if t := &r.toks[i]; t.cap && i > 0 && r.mixed && !strings.Contains(phrase, " ") && t.typed != strings.ToUpper(t.typed) {
		return true
	}
	return phrase == "causes of" && (r.has(i-1, "which|what|the|top|largest|main") || digits(r.textAt(i-1)))
}

// foreign refuses questions in other languages.
func (r *reading) foreign() *Unclear {
	words := slices.DeleteFunc(slices.Clone(r.toks), func(t token) bool { return t.cap || !is("foreign", t.text) })
	if 2*len(otherLetters.FindAllString(r.q, -1)) > len(latinLetters.FindAllString(r.q, -1)) || len(words) >= 2 {
		return unclear("english")
	}
	return nil
}

var latinLetters, otherLetters = regexp.MustCompile(`\p{Latin}`), regexp.MustCompile(`[^\P{L}\p{Latin}]`)

// leftOver reports the words that have no meaning, and what may be meant.
func (r *reading) leftOver(seq []*item) *Unclear {
	u, names := &Unclear{}, true
	end := 0
	for _, it := range seq {
		if it.sym != "?" || it.from < end {
			continue
		}
		from, to := r.nameAround(it.from)
		names = names && from < to
		if from == to {
			to++
		}
		if n := len(u.Words); n > 0 && end == from {
			u.Words[n-1] += " " + r.text(from, to)
		} else {
			u.Words = append(u.Words, r.text(from, to))
		}
		end = to
	}
	if len(u.Words) > 6 {
		u.Why = sentence("unknown_many")
		return u
	}
	u = r.unknown(u.Words, names, r.perhaps)
	if !r.again {
		r.suggest(u, seq)
	}
	return u
}

// unknown says that words have no meaning here, or name nobody, and who may be meant.
func (r *reading) unknown(words []string, names bool, perhaps []identify.Candidate) *Unclear {
	key := "unknown"
	if names {
		key = "unknown_name"
	}
	u := &Unclear{Why: sentence(key, "words", "“"+strings.Join(words, "”, “")+"”"), Words: words}
	for _, c := range perhaps {
		u.Parties = append(u.Parties, Party{EIN: c.EIN.String(), Name: c.DisplayName})
	}
	if len(u.Parties) > 0 {
		u.Why += " " + sentence("perhaps", "names", joinWords(each(u.Parties, Party.numbered), "or"))
	}
	return u
}

// nameAround is the run of capitalized words around a word, with the words inside of names between them: "Moon Landing
// Institute of Nowhere". The run is empty if capital letters tell nothing.
func (r *reading) nameAround(at int) (from, to int) {
	if from, to = at, at; !r.mixed || !r.toks[at].cap || at == 0 {
		return from, to
	}
	named := func(i int) bool { return i > 0 && i < len(r.toks) && r.toks[i].cap }
	for named(from-1) && !r.toks[from-1].comma {
		from--
	}
	for to = at + 1; !r.toks[to-1].comma && !r.toks[to-1].poss; to++ {
		if !named(to) && !(to < len(r.toks) && is("inside", r.toks[to].text) && named(to+1)) {
			break
		}
	}
	return from, to
}
