package ask

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/meaning"
	"grantgraph/internal/ntee"
)

// If a phrase is not a known name of a cause, we take the cause of the known
// phrase that is nearest in meaning. The known phrase must be near enough, and
// no other cause may be nearly as near. We set the bounds on about 250 phrases
// so that none of them gets a wrong cause. Most phrases that stay unread are
// offered as a choice.
const (
	nearPhrase = .74 // least cosine
	nearWord   = .78 // for a single word
	nearName   = .80 // for a phrase that contains a known phrase: "second chance dog rescue" may be a name
	clearBy    = .12 // how much farther away the nearest cause of another letter must be
	sameBy     = .06 // causes of the same letter this close together count as equally near
	hinted     = .38 // least cosine for offering a cause as a choice
	shortlist  = 24  // phrases that the full encoder compares
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

// causeMeant is the cause that a phrase means and its name, or empty if the
// cause is not clear.
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
			k := 0
			for k < len(code) && k < len(n.code) && code[k] == n.code[k] {
				k++
			}
			code = code[:k]
		}
	}
	return code, causeName(code)
}

// gap is a phrase that has no meaning yet. It may touch words for causes.
type gap struct {
	from, to  int
	partKnown bool
}

// gaps are the phrases of a question that no part of the plan has used.
func (r *reading) gaps() (list []gap) {
	open := func(i int) bool { return r.toks[i].item == 0 && !slices.Contains(silent, r.toks[i].text) }
	cause := func(i int) bool { n := r.toks[i].item; return n != 0 && r.items[n-1].tag == tagCause }
	joins := func(i int) bool {
		return slices.Contains([]string{"of", "for", "to", "with", "the", "in"}, r.toks[i].text) && (r.toks[i].item == 0 || r.toks[i].tag != tagPlace)
	}
	for i := 0; i < len(r.toks); i++ {
		if !open(i) {
			continue
		}
		u := gap{from: i, to: i + 1}
		for u.from > 0 && cause(u.from-1) && !r.toks[u.from-1].comma {
			u.from--
			u.partKnown = true
		}
		for !r.toks[u.to-1].comma && u.to < len(r.toks) {
			switch end := u.to; {
			case open(end):
				u.to++
				continue
			case cause(end):
				u.to++
				u.partKnown = true
				continue
			case slices.Contains(peopleWords, r.toks[end].text), causeKnown(r.joined(u.from, end+1)):
				u.to++
				continue
			case joins(end) && end+1 < len(r.toks) && (open(end+1) || cause(end+1)):
				u.to += 2
				u.partKnown = u.partKnown || cause(end+1)
				continue
			}
			break
		}
		list = append(list, u)
		i = u.to - 1
	}
	return list
}

// readMeanings reads the remaining phrases by their meaning. Phrases with a
// capital letter are names that were not found, so it skips them.
func (r *reading) readMeanings() {
	if r.again {
		return
	}
	mixed := r.mixedCase()
	for i, u := range r.gaps() {
		if i == mostGaps {
			return
		}
		if u.to-u.from > longestGap || !r.reasonable(u.from, u.to) || r.looksNamed(u, mixed) {
			continue
		}
		text := strings.ToLower(r.text(u.from, u.to))
		if code, known := causeWords()[r.joined(u.from, u.to)]; known && code == "" {
			continue
		}
		code, name := causeMeant(text, u.partKnown)
		if code == "" || !r.agrees(u, code) {
			continue
		}
		r.clear(u.from, u.to)
		r.put(u.from, u.to, &item{tag: tagCause, cause: &Cause{Subject: code, Name: name, Asked: r.text(u.from, u.to)}})
		r.note("“%s” was read as the cause %s, by its meaning.", r.text(u.from, u.to), name)
	}
}

// looksNamed reports whether a phrase may be a name: a word after the first of
// the question is capitalized while other words are not. Quoted text and text
// with digits also count.
func (r *reading) looksNamed(u gap, mixed bool) bool {
	for k := u.from; k < u.to; k++ {
		if r.toks[k].cap && k > 0 && mixed || r.toks[k].quote != 0 || strings.ContainsAny(r.toks[k].text, "0123456789$") {
			return true
		}
	}
	return false
}

// agrees reports whether the words for causes in a phrase have the same NTEE
// letter as the cause.
func (r *reading) agrees(u gap, code string) bool {
	for k := u.from; k < u.to; k++ {
		if n := r.toks[k].item; n != 0 && r.items[n-1].tag == tagCause && r.items[n-1].cause.Subject[0] != code[0] {
			return false
		}
	}
	return true
}

// suggest offers questions that can be answered: with causes near the phrase
// that was not understood, and with its words as a search in purposes.
func (r *reading) suggest() {
	if r.again {
		return
	}
	list := r.gaps()
	if len(list) != 1 || list[0].to-list[0].from > longestGap || r.looksNamed(list[0], r.mixedCase()) {
		return
	}
	u := list[0]
	from, to := r.toks[u.from].from, r.toks[u.to-1].to
	if r.textAt(u.from-1) == "the" {
		from = r.toks[u.from-1].from
	}
	try := func(words string) bool {
		q := r.q[:from] + words + r.q[to:]
		_, u := (&reading{a: r.a, ctx: r.ctx, again: true}).read(q)
		if u == nil && len(r.unclear.Try) < 3 {
			r.unclear.Try = append(r.unclear.Try, q)
		}
		return u == nil
	}
	var names []string
	for i, n := range nearest(strings.ToLower(r.text(u.from, u.to))) {
		name := causeName(n.code)
		if n.cosine < hinted || len(names) == 2 || i == mostTried {
			break
		}
		if !slices.Contains(names, name) && try(n.phrase) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		r.unclear.Why += " The nearest causes are " + joinWords(names, "and") + "."
		if len(names) == 1 {
			r.unclear.Why = strings.Replace(r.unclear.Why, "The nearest causes are", "The nearest cause is", 1)
		}
	}
	words := strings.ToLower(r.text(u.from, u.to))
	q := "How much was given in grants mentioning " + words + "?"
	if _, u := (&reading{a: r.a, ctx: r.ctx, again: true}).read(q); u == nil && len(r.unclear.Try) < 3 {
		r.unclear.Try = append(r.unclear.Try, q)
	}
}
