package ask

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/meaning"
	"grantgraph/internal/ntee"
)

// A phrase that is no known word for a cause is read as the cause of the known
// phrase that is nearest in meaning, if that is near and no other cause is nearly as
// near. The bounds were set on some 250 phrases, so that none of them is read as a
// cause that it does not name; most that are not read are offered as a choice.
const (
	nearPhrase = .74 // cosine
	nearWord   = .78 // of a single word
	nearName   = .80 // of a phrase with a known one inside: second chance dog rescue is perhaps a name
	clearBy    = .12 // how much farther the nearest of another letter must be
	sameBy     = .06 // what is this much farther is as near, under the same letter
	hinted     = .38 // what may be offered
	shortlist  = 24  // phrases that are compared by the encoder itself
	mostGaps   = 3   // phrases of one question that are looked at
	longestGap = 5   // words
	mostTried  = 5   // other wordings of a question
)

// anchor is a known phrase for a cause. Its student's vector costs nothing and
// chooses what is worth the encoder.
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

// nearest are known phrases near one, the nearest first.
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

// causeMeant is the cause that a phrase means and what it is called, empty if that is
// not clear.
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

// gap is a phrase without a meaning yet, perhaps with words for causes beside it.
type gap struct {
	from, to  int
	partKnown bool
}

// gaps are the phrases of a question that no part of the plan has taken.
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

// readMeanings reads phrases that are left by what they mean. Those with a capital
// are names that were not found.
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

// looksNamed says whether a phrase may be a name: a word behind the first of the question
// has a capital where others have none.
func (r *reading) looksNamed(u gap, mixed bool) bool {
	for k := u.from; k < u.to; k++ {
		if r.toks[k].cap && k > 0 && mixed || r.toks[k].quote != 0 || strings.ContainsAny(r.toks[k].text, "0123456789$") {
			return true
		}
	}
	return false
}

// agrees says whether the words for causes in a phrase are of the same letter.
func (r *reading) agrees(u gap, code string) bool {
	for k := u.from; k < u.to; k++ {
		if n := r.toks[k].item; n != 0 && r.items[n-1].tag == tagCause && r.items[n-1].cause.Subject[0] != code[0] {
			return false
		}
	}
	return true
}

// suggest offers causes that are near what was not understood, and the same words to
// be looked for in purposes: as questions that can be answered.
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
