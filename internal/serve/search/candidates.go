package search

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// collect finds the names that have words of the question and keeps the best
// for scoring. Rare words come first; a common word adds no names that have
// nothing else of weight.
func (fd *finder) collect(state uint16) {
	for _, f := range fd.touched {
		fd.covered[f] = 0
	}
	fd.touched = fd.touched[:0]
	fd.order = fd.order[:0]
	var left float32
	for i := range fd.terms {
		if t := &fd.terms[i]; t.cost > 0 {
			fd.order = append(fd.order, i)
			if !t.joined() {
				left += t.weight
			}
		}
	}
	slices.SortStableFunc(fd.order, func(a, b int) int { return cmp.Compare(fd.terms[a].cost, fd.terms[b].cost) })
	reachable := left
	for _, i := range fd.order {
		t := &fd.terms[i]
		adds := left >= 0.45*reachable || len(fd.touched) == 0
		if t.joined() {
			adds = true
		} else {
			left -= t.weight
		}
		if !adds && t.cost > 4*len(fd.touched) {
			fd.scan(t, fd.touched, 0)
			continue
		}
		if before := fd.touched; fd.walk(t, state, adds) {
			fd.scan(t, before, fd.most(before, t.bits))
		}
	}
	fd.choose()
}

// walk reads the lists of a term. It reports whether it read only a part.
func (fd *finder) walk(t *term, state uint16, adds bool) (part bool) {
	budget := max(0, min(maxWalk, maxWork-fd.work))
	for _, a := range t.alts {
		budget -= fd.read(a.word, t.bits, state, adds, budget)
	}
	if t.inCity {
		budget -= fd.read(t.city, t.bits, state, adds, min(budget, maxWalk/2))
	}
	if n := int(t.to) - int(t.from); n > 0 {
		// Every word gets its share, so that the most prominent names of each
		// are seen however many words begin alike.
		share := max(4, budget/n)
		fd.work += min(n, budget)
		for w := t.from; w < t.to && budget > 0; w++ {
			if t.inVocabulary && w == t.from && t.begun == t.text {
				continue // the word itself, read above
			}
			n := fd.read(w, t.bits, state, adds, share)
			budget -= n
			part = part || n == share
		}
		part = part || budget <= 0
	}
	return part
}

// read marks at most most names that have the word and returns how many
// entries it read.
func (fd *finder) read(w uint32, bits uint16, state uint16, adds bool, most int) int {
	x := fd.x
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
		if f >= uint64(len(x.names)) {
			break
		}
		c := fd.covered[f]
		if c == 0 {
			if !adds || fd.outside(uint32(f), state) {
				continue
			}
			fd.touched = append(fd.touched, uint32(f))
		}
		fd.covered[f] = c | bits
	}
	fd.work += n
	return n
}

// scan looks for a very common word in those of the names that have at least
// this much of the rest of the question.
func (fd *finder) scan(t *term, names []uint32, least float32) {
	names = names[:min(len(names), maxScan)]
	fd.work += len(names)
	for _, f := range names {
		if c := fd.covered[f]; fd.weights[c&^t.bits] < least || c&t.bits == t.bits {
			continue
		}
		for _, w := range fd.x.wordsOf(f) {
			if t.has(w) {
				fd.covered[f] |= t.bits
				break
			}
		}
	}
}

type ranked struct {
	weight float32
	name   uint32
}

func (r ranked) worse(s ranked) bool {
	return r.weight < s.weight || r.weight == s.weight && r.name > s.name
}

// choose keeps the names with the most of the question, and among them those
// of the most prominent organizations. What has less than half of what another
// name has would not be shown.
func (fd *finder) choose() {
	fd.best = fd.best[:0]
	most := fd.most(fd.touched, 0)
	for _, f := range fd.touched {
		r := ranked{fd.weights[fd.covered[f]], f}
		if r.weight < 0.45*most {
			continue
		}
		if len(fd.best) < maxScored {
			fd.best = append(fd.best, r)
			fd.up(len(fd.best) - 1)
		} else if fd.best[0].worse(r) {
			fd.best[0] = r
			fd.down()
		}
	}
}

// most is the most of the question that one of the names has besides the words
// in these bits.
func (fd *finder) most(names []uint32, besides uint16) (most float32) {
	for _, f := range names {
		most = max(most, fd.weights[fd.covered[f]&^besides])
	}
	return most
}

func (fd *finder) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !fd.best[i].worse(fd.best[p]) {
			return
		}
		fd.best[i], fd.best[p] = fd.best[p], fd.best[i]
		i = p
	}
}

func (fd *finder) down() {
	i := 0
	for {
		c := 2*i + 1
		if c >= len(fd.best) {
			return
		}
		if c+1 < len(fd.best) && fd.best[c+1].worse(fd.best[c]) {
			c++
		}
		if !fd.best[c].worse(fd.best[i]) {
			return
		}
		fd.best[i], fd.best[c] = fd.best[c], fd.best[i]
		i = c
	}
}
