package graph

import (
	"math/bits"
	"slices"
)

// distinctCounter counts funders or recipients, each given once with the mask of its years: how many have any year, and how
// many have each year. It counts eight years at once, in the bytes of a word, which it empties before a byte can overflow. It
// does not branch on the bits of a mask, because the processor could not predict them.
type distinctCounter struct {
	n       int64
	byYear  [MaxYears]int64
	lanes   [MaxYears / 8]uint64
	octets  int // lanes in use
	pending uint8
}

func (g *Graph) distinctCounter() distinctCounter {
	return distinctCounter{octets: (len(g.dict.years) + 7) / 8}
}

// spread has bit i of a byte in byte i of a word.
var spread = func() (t [256]uint64) {
	for b := range t {
		for i := range 8 {
			t[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return t
}()

func (t *distinctCounter) add(mask uint64) {
	t.n += int64((mask | -mask) >> 63)
	for i := range t.octets {
		t.lanes[i&(len(t.lanes)-1)] += spread[mask&0xff]
		mask >>= 8
	}
	if t.pending++; t.pending == 255 {
		t.flush()
	}
}

// flush moves the counts in the lanes to byYear. Call it before reading byYear.
func (t *distinctCounter) flush() {
	for i := range t.byYear {
		t.byYear[i] += int64(t.lanes[i/8] >> (8 * (i % 8)) & 0xff)
	}
	clear(t.lanes[:])
	t.pending = 0
}

// merge adds another counter, or takes it away if the sign is -1.
func (t *distinctCounter) merge(o *distinctCounter, sign int64) {
	t.flush()
	o.flush()
	t.n += sign * o.n
	for i, n := range o.byYear {
		t.byYear[i] += sign * n
	}
}

func (e *evaluation) countRecipients(set *rowset) (recips distinctCounter, err error) {
	g := e.g
	if set.short || set.count < int64(g.rows)/sparse {
		return e.countFewRecipients(set)
	}
	words := set.set // empty outside of its range
	parts, err := inParts(e.ctx, g.cuts(0, uint32(g.rows), g.back.rows.off), g.distinctCounter, func(t *distinctCounter, from, to int) {
		off, val := g.back.rows.off, g.back.rows.val
		id, _ := slices.BinarySearch(off, uint32(from))
		for pos := from; pos < to; id++ {
			end := int(off[id+1])
			years := g.back.years[pos:end]
			var mask uint64
			for i, row := range val[pos:end] {
				// Without a branch: the bit of the row, at the place of its year.
				mask |= words[row>>6] >> (row & 63) & 1 << (years[i] & (MaxYears - 1))
			}
			pos = end
			t.add(mask)
		}
	})
	return g.mergeCounters(parts), err
}

func (g *Graph) mergeCounters(parts []distinctCounter) distinctCounter {
	sum := g.distinctCounter()
	for i := range parts {
		sum.merge(&parts[i], 1)
	}
	return sum
}

func (e *evaluation) countFewRecipients(set *rowset) (recips distinctCounter, err error) {
	g := e.g
	masks := g.recipMasks()
	var touched []uint32
	err = set.chunks(e.ctx, g.grain.chunk, func(rows []uint32) {
		for _, row := range rows {
			r := g.cols.recips[row]
			if masks[r] == 0 {
				touched = append(touched, r)
			}
			masks[r] |= 1 << (g.cols.years[row] & (MaxYears - 1))
		}
	})
	recips = g.distinctCounter()
	for _, r := range touched {
		recips.add(masks[r])
		masks[r] = 0
	}
	g.buffers.masks.give(masks, freeArrays)
	return recips, err
}

// partySets are sets of recipients and of funders. With them a summary counts the recipients and funders of a
// cause, a kind of funder and some years without reading rows.
type partySets struct {
	recipKinds    dimension // recipients that a kind of funder gave to in a year
	recipLetters  dimension // recipients by their letter
	funderLetters dimension // funders that gave to a letter in a year
	funderKinds   dimension // funders by their kind
}

// After the kinds come a set for funders without a kind and one for all kinds. After the letters comes a set for all causes.
const anyLetter = letters

var (
	noKindSet  = len(kindNumbers)
	anyKindSet = len(kindNumbers) + 1
)

func (p *partySets) each(years, funders, recips int, visit func(name string, values, of int, d *dimension)) {
	visit("bits.recipient.kind", (anyKindSet+1)*years, recips, &p.recipKinds)
	visit("bits.recipient.letter", letters, recips, &p.recipLetters)
	visit("bits.funder.letter", (anyLetter+1)*years, funders, &p.funderLetters)
	visit("bits.funder.kind", anyKindSet+1, funders, &p.funderKinds)
}

func (b *builder) partySets() (p partySets) {
	years := len(b.yearList)
	p.each(years, len(b.funder), len(b.recip), func(_ string, values, of int, d *dimension) { *d = newDimension(values, of) })
	for row := range b.rows {
		f, r, year, letter := b.funders[row], b.recips[row], int(b.years[row]), int(b.groups.letters[row])
		kind := noKindSet
		if k := b.funder[f].Kind; k != noKind {
			kind = int(k)
		}
		p.recipKinds.at(kind*years + year).set(r)
		p.recipKinds.at(anyKindSet*years + year).set(r)
		p.recipLetters.at(letter).set(r)
		p.funderLetters.at(letter*years + year).set(f)
		p.funderLetters.at(anyLetter*years + year).set(f)
		p.funderKinds.at(kind).set(f)
	}
	return p
}

func (p *partySets) ofLetters(c *cellFilter) bitset {
	out := make(bitset, p.recipLetters.words)
	for l := range letters {
		if c.letters[l] {
			out.add(p.recipLetters.at(l))
		}
	}
	return out
}

func (b bitset) add(other bitset) {
	for i, w := range other {
		b[i] |= w
	}
}

// countYears counts the members of the union of sets of each year. It leaves out
// members that are not in some, unless some is nil.
func (t *distinctCounter) countYears(words int, years []int, some bitset, sets func(year int) []bitset) {
	lists := make([][]bitset, len(years))
	for i, y := range years {
		lists[i] = sets(y)
	}
	const block = 512
	var either, total [block]uint64
	for at := 0; at < words; at += block {
		n := min(block, words-at)
		clear(total[:n])
		for i, y := range years {
			copy(either[:n], lists[i][0][at:])
			for _, s := range lists[i][1:] {
				for k, w := range s[at : at+n] {
					either[k] |= w
				}
			}
			if some != nil {
				for k, w := range some[at : at+n] {
					either[k] &= w
				}
			}
			count := 0
			for k, w := range either[:n] {
				count += bits.OnesCount64(w)
				total[k] |= w
			}
			t.byYear[y] += int64(count)
		}
		t.n += bitset(total[:n]).count()
	}
}
