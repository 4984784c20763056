package ask

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/meaning"
	"grantgraph/internal/ntee"
	"grantgraph/internal/stem"
)

// causeWord is a phrase of causes.tsv. The code is empty if the phrase names no single cause.
type causeWord struct{ code, phrase string }

// causeTable is causes.tsv. causeWords maps its phrases, written as the words of a question are joined, to their codes.
var causeTable = sync.OnceValue(func() (list []causeWord) {
	for phrase, r := range phrases("causes.tsv", "code", "phrases") {
		list = append(list, causeWord{group(strings.TrimPrefix(r.Text("code"), "-")), phrase})
	}
	return list
})

var causeWords = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, w := range causeTable() {
		m[joinTokens(tokens(w.phrase))] = w.code
	}
	return m
})

// group widens a code for a question: a code that ends in zero is the head of a group and means all codes of the group.
func group(code string) string {
	if len(code) == 3 && code[2] == '0' {
		return code[:2]
	}
	return code
}

// shared is how two codes begin.
func shared(a, b string) string {
	for !strings.HasPrefix(b, a) {
		a = a[:len(a)-1]
	}
	return a
}

// causesByPhrase maps phrases to causes: the published titles of codes, and parts of titles that belong to one code or to codes
// with a common prefix. The code is empty if a phrase belongs to several letters.
var causesByPhrase = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	for _, e := range ntee.Codes() {
		// The first codes of each letter, such as alliances, have the same titles under every letter.
		if e.Code[1] < '2' || strings.HasSuffix(e.Title, "NEC") || e.Code.Major() == 'Z' {
			continue
		}
		parts := strings.FieldsFunc(strings.NewReplacer(" and ", "&", " or ", "&").Replace(e.Title), among("&,/()"))
		for i, part := range append(parts, e.Title) {
			key, code := stems(part), group(string(e.Code))
			if i < len(parts) && len(strings.Fields(part)) < 2 || len(key) < 4 {
				continue
			}
			if was, ok := found[key]; ok {
				code = shared(was, code)
			}
			found[key] = code
		}
	}
	for _, w := range causeTable() {
		if key := stems(w.phrase); strings.Contains(key, " ") && w.code != "" {
			found[key] = w.code
		}
	}
	return found
})

// stems joins the words of a text in the form used for comparing.
func stems(text string) string {
	var list []string
	for w := range stem.Words(text) {
		if w != "AND" {
			list = append(list, stem.Of(w))
		}
	}
	return strings.Join(list, " ")
}

// causeOf is the cause that words name.
func causeOf(text string) (subject, name string, ok bool) {
	text = strings.TrimSpace(strings.ToLower(text))
	if code, known := causeWords()[text]; known {
		if code == "" {
			return "", "", false
		}
		subject = code
	} else if s, err := ntee.ParseSubject(text); err == nil && len(text) > 3 && len(s.Items) == 1 && len(s.Unknown) == 0 && s.Items[0].Kind == ntee.Cause {
		if subject = group(s.Items[0].Text); bits.OnesCount32(s.Items[0].Majors) == 1 {
			subject = string(rune('A' + bits.TrailingZeros32(s.Items[0].Majors)))
		}
	} else if strings.Contains(text, " and ") || strings.Contains(text, " & ") {
		return "", "", false // perhaps two causes
	} else if subject = causesByPhrase()[stems(text)]; subject == "" {
		return "", "", false
	}
	return subject, ntee.SubjectName(subject), true
}

// isCause reports whether words name a cause, or are known to name no single one.
func isCause(text string) bool {
	_, listed := causeWords()[text]
	_, _, ok := causeOf(text)
	return listed || ok
}

// addCauses adds the causes that begin at a word.
func (r *reading) addCauses(i int) {
	first := &r.toks[i]
	for _, to := range r.phrases(i, 6) {
		text, _ := r.spelled(i, to)
		last, single := &r.toks[to-1], to == i+1
		if !single && (is("function", first.text) || is("function", last.text)) || single && said(first.text).tag != "" {
			continue // "grants for research" means a kind of support, and "foundations" means funders
		}
		subject, name, ok := causeOf(text)
		if !ok {
			continue
		}
		words := r.text(i, to)
		it := item{sym: "CAUSE", cost: costCause, cause: &Cause{Subject: subject, Name: name, Asked: words}, named: r.likeName(i, to)}
		if r.has(i-1, "many|which|what|whose") && is("people", last.text) {
			it.refuse = unclear("people_are", "words", words)
		}
		if is("causes", r.textAt(to)) {
			to++
		}
		r.addPhrase(i, to, text, it)
	}
}

// likeName reports whether a cause may be the end of a name: its last word is singular, and such a word often ends a name or
// all words are capitalized, where capital letters tell names from other words.
func (r *reading) likeName(from, to int) bool {
	last := r.toks[to-1].text
	capitals := r.mixed && !slices.ContainsFunc(r.toks[from:to], func(t token) bool { return !t.cap && !is("function", t.text) })
	return (capitals || is("named", last)) && (!strings.HasSuffix(last, "s") || strings.HasSuffix(last, "ss"))
}

// If a phrase is not a known name of a cause, we take the cause of the known phrase that is nearest in meaning. The known
// phrase must be near enough, and no other cause may be nearly as near. We set the bounds on about 250 phrases so that none of
// them gets a wrong cause. Most phrases that stay unread are offered as a choice.
const (
	nearPhrase = .74 // least cosine
	nearWord   = .78 // for a single word
	nearName   = .80 // for a phrase that contains a known phrase: "second chance dog rescue" may be a name
	clearBy    = .12 // how much farther away the nearest cause of another letter must be
	sameBy     = .06 // causes of the same letter this close together count as equally near
	hinted     = .38 // least cosine for offering a cause as a choice
	shortlist  = 16  // phrases that the full encoder compares
	mostGaps   = 3   // phrases of one question that are examined
	longestGap = 5   // in words
	mostTried  = 5   // other wordings of a question that are tried
)

// anchor is a known phrase for a cause. The rough vector is cheap and selects
// the phrases that are worth comparing with the slow encoder.
type anchor struct {
	code, phrase string
	rough        meaning.Vector
	exact        func() meaning.Vector
}

var anchors = sync.OnceValue(func() (list []anchor) {
	m, err := meaning.Open()
	if err != nil {
		return nil
	}
	add := func(code, phrase string) {
		list = append(list, anchor{code, phrase, m.Gist(phrase), sync.OnceValue(func() meaning.Vector { return m.Read(phrase) })})
	}
	for _, w := range causeTable() {
		if w.code != "" && len(w.code) <= 3 {
			add(w.code, w.phrase)
		}
	}
	for _, e := range ntee.Codes() {
		if e.Code[1] >= '2' && !strings.HasSuffix(e.Title, "NEC") && e.Code.Major() < 'Y' {
			add(group(string(e.Code)), strings.ToLower(e.Title))
		}
	}
	return list
})

// neighbor is a known phrase and how near it is.
type neighbor struct {
	*anchor
	cosine float32
}

// nearest returns the known phrases near a phrase, nearest first.
func nearest(phrase string) []neighbor {
	m, err := meaning.Open()
	if err != nil {
		return nil
	}
	v := m.Read(phrase)
	list := make([]neighbor, len(anchors()))
	for i := range list {
		a := &anchors()[i]
		list[i] = neighbor{a, v.Dot(&a.rough)}
	}
	far := func(a, b neighbor) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), strings.Compare(a.code, b.code), strings.Compare(a.phrase, b.phrase))
	}
	slices.SortFunc(list, far)
	list = list[:min(shortlist, len(list))]
	for i := range list {
		exact := list[i].exact()
		list[i].cosine = v.Dot(&exact)
	}
	slices.SortFunc(list, far)
	return list
}

// causeMeant is the cause that a phrase means and its name, or empty if the cause is not clear.
func causeMeant(phrase string, partKnown bool) (code, name string) {
	list := nearest(phrase)
	if len(list) == 0 {
		return "", ""
	}
	bound, best := float32(nearPhrase), list[0]
	switch {
	case partKnown:
		bound = nearName
	case !strings.Contains(phrase, " "):
		bound = nearWord
	}
	if best.cosine < bound {
		return "", ""
	}
	code = best.code
	for _, n := range list[1:] {
		switch {
		case n.code[0] != code[0]:
			if best.cosine-n.cosine < clearBy {
				return "", ""
			}
		case best.cosine-n.cosine < sameBy:
			code = shared(code, n.code)
		}
	}
	return code, ntee.SubjectName(code)
}

// gaps are the phrases of a reading that have no meaning, with the causes and the words for people beside them. A phrase that
// touches a cause is marked as named. Phrases that look like names are left out: a word after the first of the question is
// capitalized while other words are not, is quoted or has digits.
func (r *reading) gaps(seq []*item) (list []*item) {
	syms := make([]string, len(r.toks)+2)
	for _, it := range seq {
		for k := it.from; k < it.to; k++ {
			syms[k] = it.sym
		}
	}
	named := func(t token) bool {
		return t.cap && t.from > 0 && r.mixed || t.quote != 0 || strings.ContainsAny(t.text, "0123456789$")
	}
	for i := 0; i < len(r.toks); i++ {
		if syms[i] != "?" {
			continue
		}
		u := r.widened(i, syms)
		if i = u.to - 1; u.to-u.from <= longestGap && !slices.ContainsFunc(r.toks[u.from:u.to], named) {
			u.named = slices.Contains(syms[u.from:u.to], "CAUSE")
			list = append(list, u)
		}
	}
	return list
}

// widened is the phrase around a word without a meaning.
func (r *reading) widened(i int, syms []string) *item {
	open := func(i int) bool { return syms[i] == "?" || syms[i] == "CAUSE" }
	u := &item{from: i, to: i + 1}
	for u.from > 0 && syms[u.from-1] == "CAUSE" && !r.toks[u.from-1].comma {
		u.from--
	}
	for u.to < len(r.toks) && !r.toks[u.to-1].comma {
		_, listed := causeWords()[r.joined(u.from, u.to+1)]
		switch {
		case listed, open(u.to), is("people", r.toks[u.to].text):
			u.to++
		case r.has(u.to, "of|for|to|with|the|in") && open(u.to+1):
			u.to += 2
		default:
			return u
		}
	}
	return u
}

// addMeanings adds causes for phrases without a meaning, by what they mean.
func (r *reading) addMeanings(seq []*item) (added bool) {
	list := r.gaps(seq)
	named := slices.ContainsFunc(seq, func(it *item) bool { return it.sym == "PARTY" })
	for _, u := range list[:min(len(list), mostGaps)] {
		words := r.text(u.from, u.to)
		if code, known := causeWords()[r.joined(u.from, u.to)]; known && code == "" {
			if added = named; named {
				r.add(u.from, u.to, item{sym: "WORDS", cost: costMeaning, adds: Plan{Words: quotedWords(strings.ToLower(words))},
					notes: []string{sentence("by_words", "words", words)}})
			}
			continue
		}
		if code, name := causeMeant(strings.ToLower(words), u.named); code != "" {
			added = true
			r.add(u.from, u.to, item{sym: "CAUSE", cost: costMeaning, cause: &Cause{Subject: code, Name: name, Asked: words},
				notes: []string{sentence("by_meaning", "words", words, "cause", name)}})
		}
	}
	return added
}

// suggest offers questions that can be answered: with causes near the phrase
// that was not understood, and with its words as a search in purposes.
func (r *reading) suggest(un *Unclear, seq []*item) {
	list := r.gaps(seq)
	if len(list) != 1 || is("function", r.toks[list[0].from].text) {
		return
	}
	u := list[0]
	words := strings.ToLower(r.text(u.from, u.to))
	if r.textAt(u.from-1) == "the" {
		u.from--
	}
	var names []string
	for i, n := range nearest(words) {
		if n.cosine < hinted || len(names) == 2 || i == mostTried {
			break
		}
		if q := r.withWords(u, n.phrase); !slices.Contains(names, ntee.SubjectName(n.code)) && r.understands(q) {
			un.Try, names = append(un.Try, q), append(names, ntee.SubjectName(n.code))
		}
	}
	if len(names) > 0 {
		un.Why += " " + sentence([]string{"nearest_one", "nearest"}[len(names)-1], "causes", joinWords(names, "and"))
	}
	mention := "How much was given in grants mentioning " + words + "?"
	if slices.ContainsFunc(seq, func(it *item) bool { return it.sym == "PARTY" }) {
		mention = r.withWords(u, "grants mentioning "+words)
	}
	un.Try = append(un.Try, mention)
}

// understands reports whether another question can be answered. Each is read once.
func (r *reading) understands(question string) bool {
	fine, ok := r.fine[question]
	if !ok {
		_, none := (&reading{lookups: r.lookups, again: true, fine: r.fine}).read(question)
		fine = none == nil
		r.fine[question] = fine
	}
	return fine
}
