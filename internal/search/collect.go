package search

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// collect finds the forms that have words of the question and keeps the best
// for scoring. Rare words come first; a common word adds no forms that have
// nothing else of weight.
func (sc *scratch) collect(state uint16) {
	for _, f := range sc.touched {
		sc.covered[f] = 0
	}
	sc.touched = sc.touched[:0]
	sc.order = sc.order[:0]
	var left float32
	for i := range sc.terms {
		if t := &sc.terms[i]; t.cost > 0 {
			sc.order = append(sc.order, i)
			if !t.joined() {
				left += t.weight
			}
		}
	}
	slices.SortStableFunc(sc.order, func(a, b int) int { return cmp.Compare(sc.terms[a].cost, sc.terms[b].cost) })
	reachable := left
	for _, i := range sc.order {
		t := &sc.terms[i]
		adds := left >= 0.45*reachable || len(sc.touched) == 0
		if t.joined() {
			adds = true
		} else {
			left -= t.weight
		}
		if !adds && t.cost > 4*len(sc.touched) {
			sc.scan(t, sc.touched, 0)
			continue
		}
		if before := sc.touched; sc.walk(t, state, adds) {
			sc.scan(t, before, sc.most(before, t.bits))
		}
	}
	sc.choose()
}

// walk reads the lists of a term. It reports whether it read only a part.
func (sc *scratch) walk(t *term, state uint16, adds bool) (part bool) {
	budget := max(0, min(maxWalk, maxWork-sc.work))
	for _, a := range t.alts {
		budget -= sc.read(a.word, t.bits, state, adds, budget)
	}
	if t.inCity {
		budget -= sc.read(t.city, t.bits, state, adds, min(budget, maxWalk/2))
	}
	if n := int(t.to) - int(t.from); n > 0 {
		// Every word gets its share, so that the most prominent names of each
		// are seen however many words begin alike.
		share := max(4, budget/n)
		sc.work += min(n, budget)
		for w := t.from; w < t.to && budget > 0; w++ {
			if t.known && w == t.from && t.begun == t.text {
				continue // the word itself, read above
			}
			n := sc.read(w, t.bits, state, adds, share)
			budget -= n
			part = part || n == share
		}
		part = part || budget <= 0
	}
	return part
}

// read marks at most most forms that have the word and returns how many
// entries it read.
func (sc *scratch) read(w uint32, bits uint16, state uint16, adds bool, most int) int {
	x := sc.x
	list := x.list(w)
	var f uint64
	n := 0
	for len(list) > 0 && n < most {
		d, size := uint64(list[0]), 1
		if d >= 0x80 {
			d, size = binary.Uvarint(list)
			if size <= 0 {
				break
			}
		}
		list = list[size:]
		f += d
		n++
		if f >= uint64(len(x.forms)) {
			break
		}
		c := sc.covered[f]
		if c == 0 {
			if !adds || state != 0 && x.forms[uint32(f)].State != state {
				continue
			}
			sc.touched = append(sc.touched, uint32(f))
		}
		sc.covered[f] = c | bits
	}
	sc.work += n
	return n
}

// scan looks for a very common word in those of the forms that have at least
// this much of the rest of the question.
func (sc *scratch) scan(t *term, forms []uint32, least float32) {
	forms = forms[:min(len(forms), maxScan)]
	sc.work += len(forms)
	for _, f := range forms {
		if c := sc.covered[f]; sc.weights[c&^t.bits] < least || c&t.bits == t.bits {
			continue
		}
		for _, w := range sc.x.wordsOf(f) {
			if t.has(w) {
				sc.covered[f] |= t.bits
				break
			}
		}
	}
}

type ranked struct {
	weight float32
	form   uint32
}

func (r ranked) worse(s ranked) bool {
	return r.weight < s.weight || r.weight == s.weight && r.form > s.form
}

// choose keeps the forms with the most of the question, and among them those
// of the most prominent organizations. What has less than half of what another
// form has would not be shown.
func (sc *scratch) choose() {
	sc.best = sc.best[:0]
	most := sc.most(sc.touched, 0)
	for _, f := range sc.touched {
		r := ranked{sc.weights[sc.covered[f]], f}
		if r.weight < 0.45*most {
			continue
		}
		if len(sc.best) < maxScored {
			sc.best = append(sc.best, r)
			sc.up(len(sc.best) - 1)
		} else if sc.best[0].worse(r) {
			sc.best[0] = r
			sc.down()
		}
	}
}

// most is the most of the question that one of the forms has besides the words
// in these bits.
func (sc *scratch) most(forms []uint32, besides uint16) (most float32) {
	for _, f := range forms {
		most = max(most, sc.weights[sc.covered[f]&^besides])
	}
	return most
}

func (sc *scratch) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !sc.best[i].worse(sc.best[p]) {
			return
		}
		sc.best[i], sc.best[p] = sc.best[p], sc.best[i]
		i = p
	}
}

func (sc *scratch) down() {
	i := 0
	for {
		c := 2*i + 1
		if c >= len(sc.best) {
			return
		}
		if c+1 < len(sc.best) && sc.best[c+1].worse(sc.best[c]) {
			c++
		}
		if !sc.best[c].worse(sc.best[i]) {
			return
		}
		sc.best[i], sc.best[c] = sc.best[c], sc.best[i]
		i = c
	}
}
