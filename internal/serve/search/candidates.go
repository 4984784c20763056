package search

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// collect finds the names that share words with the question and keeps the best for
// scoring. Rare words come first. A common word adds no name that has no other
// weighty word of the question.
func (fd *finder) collect(state uint16) {
	for _, f := range fd.touched {
		fd.covered[f] = 0
	}
	fd.touched = fd.touched[:0]
	fd.counts = slices.Grow(fd.counts[:0], len(fd.weights))[:len(fd.weights)]
	clear(fd.counts)
	fd.order, fd.scanned = fd.order[:0], fd.scanned[:0]
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
	for k := 0; k < len(fd.order); k++ {
		t := &fd.terms[fd.order[k]]
		adds := left >= 0.45*reachable || len(fd.touched) == 0
		if t.joined() {
			adds = true
		} else {
			left -= t.weight
		}
		if !adds && t.cost > 4*len(fd.touched) {
			// Later words are even commoner and add no names either.
			n := 1
			for k+n < len(fd.order) && !fd.terms[fd.order[k+n]].joined() {
				n++
			}
			fd.scan(fd.order[k:k+n], fd.order[k+n:])
			k += n - 1
			continue
		}
		if before := fd.touched; fd.walk(t, state, adds) {
			fd.readOn(t, before)
		}
	}
	fd.choose()
}

// walk reads the lists of a term. It reports whether it stopped before their end.
func (fd *finder) walk(t *term, state uint16, adds bool) (part bool) {
	budget := max(0, min(maxWalk, maxWork-fd.work))
	for _, a := range t.alts {
		budget -= fd.read(a.word, t.bits, state, adds, budget)
	}
	if t.inCity {
		budget -= fd.read(t.city, t.bits, state, adds, min(budget, maxWalk/2))
	}
	if n := int(t.to) - int(t.from); n > 0 {
		// Every word gets a share of the budget. So the most prominent names of each
		// word are seen, however many words begin alike.
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

// read marks names that have the word, at most most of them, and returns how many
// entries it read.
func (fd *finder) read(w uint32, bits uint16, state uint16, adds bool, most int) int {
	list, covered, touched := fd.x.list(w), fd.covered, fd.touched
	all := state == 0 && fd.within == nil
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
		if f >= uint64(len(covered)) {
			break
		}
		if c := covered[f]; c != 0 {
			fd.cover(uint32(f), c, bits)
		} else if adds && (all || !fd.outside(uint32(f), state)) {
			covered[f] = bits
			touched = append(touched, uint32(f))
		}
	}
	fd.counts[bits] += int32(len(touched) - len(fd.touched))
	fd.touched = touched
	fd.work += n
	return n
}

// cover marks more words of the question in a name that already has the words in c.
func (fd *finder) cover(f uint32, c, bits uint16) {
	fd.covered[f] = c | bits
	fd.counts[c]--
	fd.counts[c|bits]++
}

// readOn completes a word whose lists were read only in part: it looks for the word
// in the names that have the most of the rest of the question.
func (fd *finder) readOn(t *term, names []uint32) {
	names = names[:min(len(names), maxScan)]
	fd.work += len(names)
	most := fd.most(t.bits)
	for _, f := range names {
		if c := fd.covered[f]; fd.weights[c&^t.bits] >= most && c&t.bits != t.bits && t.in(fd.x.wordsOf(f)) {
			fd.cover(f, c, t.bits)
		}
	}
}

// scan looks for very common words in the names found so far; later are the terms
// that come after them. Looking at a name means waiting for memory. So scan begins
// with the names that may have the most of the question. It skips names that would
// not be scored even if they had every remaining word, which is most names.
func (fd *finder) scan(terms, later []int) {
	names := fd.touched[:min(len(fd.touched), maxScan)]
	fd.work += len(terms) * len(names)
	fd.scanned = append(fd.scanned, terms...)
	var hope uint16
	for _, i := range terms {
		hope |= fd.terms[i].bits
	}
	for _, i := range later {
		hope |= fd.terms[i].bits
	}
	bar := fd.bar()
	sets := slices.Clone(fd.sets)
	slices.SortStableFunc(sets, func(a, b uint16) int { return cmp.Compare(fd.weights[b|hope], fd.weights[a|hope]) })
	fd.group(names, sets)
	start := int32(0)
	for _, set := range sets {
		reach, group := fd.weights[set|hope], fd.grouped[start:fd.ends[set]]
		start = fd.ends[set]
		whole, last := 0, uint32(0) // names that have every word, and the last of these names
		for i, f := range group {
			if i%fetchAtOnce == 0 {
				bar = fd.bar()
				if reach >= bar {
					fd.fetchWords(group[i:min(i+fetchAtOnce, len(group))])
				}
			}
			if reach < bar {
				break
			}
			if whole >= maxScored && f > last {
				continue // it would rank after all of them
			}
			if fd.weights[fd.look(f, terms)] >= reach {
				whole, last = whole+1, max(last, f)
			}
		}
	}
}

// fetchAtOnce is how many names are brought into the CPU caches at a time.
const fetchAtOnce = 64

// fetchWords brings the words of names into the CPU caches. Reads with nothing
// between them wait for memory together.
func (fd *finder) fetchWords(names []uint32) {
	x, sum := fd.x, uint32(0)
	for _, f := range names {
		if words := x.wordsOf(f); len(words) > 0 {
			sum += words[0] + words[len(words)-1]
		}
	}
	fd.fetched = sum
}

// look looks for terms in a name and returns the words of the question that the name
// has.
func (fd *finder) look(f uint32, terms []int) uint16 {
	c, words, found := fd.covered[f], fd.x.wordsOf(f), uint16(0)
	for _, i := range terms {
		if t := &fd.terms[i]; c&t.bits != t.bits && t.in(words) {
			found |= t.bits
		}
	}
	if found != 0 {
		fd.cover(f, c, found)
	}
	return c | found
}

// group orders names by the set of question words that they have.
func (fd *finder) group(names []uint32, sets []uint16) {
	fd.ends = slices.Grow(fd.ends[:0], len(fd.weights))[:len(fd.weights)]
	clear(fd.ends)
	start := int32(0)
	for _, f := range names {
		fd.ends[fd.covered[f]]++
	}
	for _, set := range sets {
		start, fd.ends[set] = start+fd.ends[set], start
	}
	fd.grouped = slices.Grow(fd.grouped[:0], len(names))[:len(names)]
	for _, f := range names {
		at := &fd.ends[fd.covered[f]]
		fd.grouped[*at] = f
		*at++
	}
}

type ranked struct {
	weight float32
	name   uint32
}

func (r ranked) worse(s ranked) bool {
	return r.weight < s.weight || r.weight == s.weight && r.name > s.name
}

// choose keeps the names with the most of the question and, among them, the most
// prominent. It drops a name with less than half of the best name's weight: search
// would not show it.
func (fd *finder) choose() {
	fd.best = fd.best[:0]
	least := max(0.45*fd.most(0), fd.bar())
	for _, f := range fd.touched {
		r := ranked{fd.weights[fd.covered[f]], f}
		if r.weight < least {
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

// bar is the weight that a name needs to be among the maxScored names that are
// scored. It is 0 while there are fewer names.
func (fd *finder) bar() float32 {
	fd.sets = fd.sets[:0]
	for set := 1; set < len(fd.counts); set++ {
		if fd.counts[set] > 0 {
			fd.sets = append(fd.sets, uint16(set))
		}
	}
	slices.SortFunc(fd.sets, func(a, b uint16) int { return cmp.Compare(fd.weights[b], fd.weights[a]) })
	n := int32(0)
	for _, set := range fd.sets {
		if n += fd.counts[set]; n >= maxScored {
			return fd.weights[set]
		}
	}
	return 0
}

// most is the largest weight of question words in any one name, not counting the
// words in besides.
func (fd *finder) most(besides uint16) (most float32) {
	for set := 1; set < len(fd.counts); set++ {
		if fd.counts[set] > 0 {
			most = max(most, fd.weights[set&^int(besides)])
		}
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
