package ask

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/typo"
)

// reading is a question that is being turned into a plan.
type reading struct {
	a   *Asker
	ctx context.Context

	q     string // with single spaces
	toks  []token
	items []*item
	plan  Plan

	topGiven bool
	again    bool // this is another wording of the question
	searches int
	perhaps  []search.Result // possible organizations, not certain enough to use
	unclear  *Unclear
}

// item is a run of words that has a meaning.
type item struct {
	tag, value string
	from, to   int

	found   []search.Result // organizations that the words may mean
	party   *Party          // the organization chosen from found
	asked   string
	poss    bool // possessive: X's
	place   *Place
	cause   *Cause
	span    Span
	pair    bool // two joined years; the question may ask for the change between them
	role    string
	ofParty bool // a place that says which organization is meant
	used    bool // the plan uses this item
}

// Read finds what a question asks for. Every word must have a place in the plan
// or be a filler word. Otherwise the question is not understood, and the result
// names the words.
func (a *Asker) Read(ctx context.Context, question string) (*Plan, *Unclear) {
	if a.Data == nil || !a.Data.Whole() {
		return nil, &Unclear{Why: "A part of the data is out of service, so no question can be answered at the moment.", Policy: true}
	}
	r := &reading{a: a, ctx: ctx}
	p, u := r.read(question)
	if u != nil && len(u.Try) < 3 {
		u.Try = append(u.Try, a.Examples(ctx)[len(u.Try):]...)
	}
	return p, u
}

func (r *reading) read(question string) (*Plan, *Unclear) {
	if u := r.bounds(question); u != nil {
		return nil, u
	}
	r.toks = tokens(r.q)
	if len(r.toks) == 0 {
		return nil, &Unclear{Why: "There are no words in the question.", Policy: true}
	}
	if len(r.toks) > 80 {
		return nil, &Unclear{Why: "That is too long to be one question: at most 80 words are read.", Policy: true}
	}
	for _, step := range []func(){
		r.readEINs, r.readQuotes, r.readWords, r.readNames, r.correct, r.policy, r.foreign, r.readAmounts, r.readYears, r.readTops,
		func() { r.readPhrases(true) }, r.readPlaces, r.readCauses, func() { r.readPhrases(false) },
		r.readLeftNames, r.readMeanings, r.unknownNames, r.leftOver, r.assemble,
	} {
		if step(); r.failed() {
			return nil, r.unclear
		}
	}
	if err := r.plan.Validate(); err != nil {
		return nil, &Unclear{Why: "The parts of the question do not fit together in one request: " + strings.TrimPrefix(err.Error(), ErrPlan.Error()+": ") + "."}
	}
	return &r.plan, nil
}

// compares matches comparison signs before amounts: "> $1,000".
var compares = regexp.MustCompile(`[<>]=? ?\$?[0-9]`)

// bounds refuses text that is empty, too long, or has characters that cannot be
// shown.
func (r *reading) bounds(question string) *Unclear {
	if !utf8.ValidString(question) {
		return &Unclear{Why: "The question has characters that cannot be read.", Policy: true}
	}
	for _, c := range question {
		if unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t' || c == '\u202e' || c == '\u2066' {
			return &Unclear{Why: "The question has characters that cannot be shown.", Policy: true}
		}
	}
	r.q = strings.ReplaceAll(strings.Join(strings.Fields(question), " "), "-based", " based")
	r.q = compares.ReplaceAllStringFunc(r.q, func(sign string) string {
		return map[string]string{">": " over ", "<": " under ", ">=": " at least ", "<=": " at most "}[strings.TrimRight(sign, " $0123456789")] +
			strings.TrimLeft(sign, "<>= ")
	})
	r.q = strings.Join(strings.Fields(r.q), " ")
	switch n := utf8.RuneCountInString(r.q); {
	case n == 0:
		return &Unclear{Why: "There is no question.", Policy: true}
	case n > maxLetters:
		return &Unclear{Why: fmt.Sprintf("The question is too long: %d letters, and at most %d are read. Please ask for one thing at a time.", n, maxLetters),
			Policy: true}
	}
	return nil
}

func (r *reading) failed() bool { return r.unclear != nil }

func (r *reading) fail(format string, args ...any) {
	if r.unclear == nil {
		r.unclear = &Unclear{Why: fmt.Sprintf(format, args...)}
	}
}

func (r *reading) refuse(why string) {
	if r.unclear == nil {
		r.unclear = &Unclear{Why: why, Policy: true}
	}
}

// free reports whether words have no meaning yet and are all in the same
// quotation, or all outside of quotations.
func (r *reading) free(from, to int) bool {
	if from < 0 || to > len(r.toks) || from >= to {
		return false
	}
	for i := from; i < to; i++ {
		if r.toks[i].item != 0 || r.toks[i].quote != r.toks[from].quote {
			return false
		}
	}
	return true
}

// joined joins words for a lookup.
func (r *reading) joined(from, to int) string { return joinTokens(r.toks[from:to]) }

func joinTokens(list []token) string {
	words := make([]string, 0, len(list))
	for _, t := range list {
		words = append(words, t.text)
	}
	return strings.Join(words, " ")
}

// put gives words a meaning.
func (r *reading) put(from, to int, it *item) {
	it.from, it.to = from, to
	r.items = append(r.items, it)
	for i := from; i < to; i++ {
		r.toks[i].item, r.toks[i].tag = len(r.items), it.tag
	}
}

// clear removes the meaning of words.
func (r *reading) clear(from, to int) {
	for i := from; i < to; i++ {
		if n := r.toks[i].item; n != 0 {
			it := r.items[n-1]
			for k := it.from; k < it.to; k++ {
				r.toks[k].item = 0
			}
			it.tag, it.used, it.place, it.cause, it.from, it.to = "gone", true, nil, nil, -1, -1
		}
	}
}

// readPhrases reads the phrases of the lexicon: all of them, or only those of
// several words.
func (r *reading) readPhrases(several bool) {
	m, _ := phrases()
	for n := longestPhrase; n > 0; n-- {
		if several && n == 1 {
			return
		}
		for i := 0; i+n <= len(r.toks); i++ {
			if !r.free(i, i+n) {
				continue
			}
			text := r.joined(i, i+n)
			e, ok := m[text]
			if !ok {
				continue
			}
			r.put(i, i+n, &item{tag: e.tag, value: e.value, asked: strings.ToLower(r.text(i, i+n)), poss: r.toks[i+n-1].poss})
		}
	}
}

// meantWord is the word of a list that a misspelled word means. It must have
// the same first letter, which people rarely get wrong.
func meantWord(word string, list []string) string {
	var near []string
	for _, w := range list {
		if w[0] == word[0] && len(w)-len(word) <= 2 && len(word)-len(w) <= 2 {
			near = append(near, w)
		}
	}
	slices.Sort(near)
	return typo.Meant(word, near)
}

// causeList are the words for causes that are corrected if misspelled.
func causeList() (list []string) {
	for w := range causeWords() {
		if len(w) >= 6 && !strings.Contains(w, " ") {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// silent are words that need no meaning.
var silent = strings.Fields("the a an of in to for from by and or with at on is are was were did does do has have had be been who whom what which how " +
	"that this these those it its their as if me i you & us")

// leftOver reports the words that no part of the plan has used.
func (r *reading) leftOver() {
	var words []string
	for i := range r.toks {
		t := &r.toks[i]
		if t.item != 0 || slices.Contains(silent, t.text) {
			continue
		}
		if n := len(words); n > 0 && i > 0 && r.toks[i-1].item == 0 && !isFunction(r.toks[i-1].text) {
			words[n-1] += " " + t.typed
		} else {
			words = append(words, t.typed)
		}
	}
	if len(words) == 0 {
		return
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "“" + w + "”"
	}
	why := "It is not known what " + strings.Join(quoted, ", ") + " means here: no organization, place or cause of that name was found with certainty."
	if len(words) > 6 {
		why = "Too many words of the question have no meaning here. It may be in another language, or not about grants and nonprofits."
	}
	r.unclear = &Unclear{Why: why, Words: words}
	if len(r.perhaps) > 0 && len(words) <= 6 {
		var list []string
		for _, f := range r.perhaps {
			list = append(list, f.DisplayName+" ("+f.EIN.Hyphenated()+")")
			r.unclear.Parties = append(r.unclear.Parties, Party{EIN: f.EIN.String(), Name: f.DisplayName})
		}
		r.unclear.Why += " Perhaps you mean " + joinWords(list, "or") + "?"
	}
	r.suggest()
}

// latestYear is the latest fiscal year whose filings are nearly complete, or 0
// if there is none.
func (r *reading) latestYear() int {
	_, years, err := r.a.Data.Graph.Summary(r.ctx, &graph.Filter{})
	if err != nil {
		return 0
	}
	last := 0
	for _, y := range years {
		if !y.Partial && y.FiscalYear > last {
			last = y.FiscalYear
		}
	}
	return last
}

// Resolve finds the organization that words name, as Read does. Code that fills
// plans in other ways uses it: a plan may contain only organizations that the
// question names.
func (a *Asker) Resolve(ctx context.Context, words string) (Party, bool) {
	r := &reading{a: a, ctx: ctx, q: words, toks: tokens(words)}
	found := r.find(words)
	if len(found) == 0 || len(r.toks) == 0 {
		return Party{}, false
	}
	it := &item{found: found, asked: words, to: len(r.toks)}
	p := r.pick(it, "")
	if p == nil {
		return Party{}, false
	}
	return *p, true
}
