package graph

import (
	"context"
	"math/bits"
	"slices"

	"grantgraph/internal/grant"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot/mapped"
)

// rowset is the rows that satisfy a filter: all of them, a short ascending
// list, or a set, which is empty outside of the rows from lo to hi-1.
type rowset struct {
	all   bool
	short bool
	list  []uint32
	set   bitset
	lo    uint32
	hi    uint32
	count int64
}

func (r *rowset) has(row uint32) bool {
	switch {
	case r.all:
		return true
	case r.short:
		_, ok := slices.BinarySearch(r.list, row)
		return ok
	}
	return r.set.has(row)
}

// bounds is a range outside of which the set has no rows.
func (r *rowset) bounds() (lo, hi uint32) {
	if !r.short {
		return r.lo, r.hi
	}
	if len(r.list) == 0 {
		return 0, 0
	}
	return r.list[0], r.list[len(r.list)-1] + 1
}

const blockRows = 4096

// each passes the rows from lo to hi-1 to take in ascending blocks. A block is valid until the next call.
func (r *rowset) each(lo, hi uint32, take func(rows []uint32)) {
	if r.short {
		from, _ := slices.BinarySearch(r.list, lo)
		to, _ := slices.BinarySearch(r.list, hi)
		if from < to {
			take(r.list[from:to])
		}
		return
	}
	lo, hi = max(lo, r.lo), min(hi, r.hi)
	var buf [blockRows]uint32
	for at := lo; at < hi; {
		end := min(hi, (at+blockRows)&^63)
		if rows := buf[:r.unpack(&buf, at, end)]; len(rows) > 0 {
			take(rows)
		}
		at = end
	}
}

// unpack writes the rows from at to end-1, at most a block, and returns their number.
func (r *rowset) unpack(buf *[blockRows]uint32, at, end uint32) (n int) {
	if r.all {
		for row := at; row < end; row++ {
			buf[n] = row
			n++
		}
		return n
	}
	for w := at >> 6; w<<6 < end; w++ {
		m, base := r.set[w], w<<6
		if w == at>>6 {
			m &= ^uint64(0) << (at & 63)
		}
		if w == (end-1)>>6 {
			m &= ^uint64(0) >> (63 - (end-1)&63)
		}
		if m == ^uint64(0) {
			// Whole funders are long runs of ones.
			full := buf[n : n+64]
			for i := range full {
				full[i] = base + uint32(i)
			}
			n += 64
			continue
		}
		for ; m != 0; m &= m - 1 {
			buf[n] = base + uint32(bits.TrailingZeros64(m))
			n++
		}
	}
	return n
}

// chunks passes all rows to take in ascending blocks. It stops when the context ends.
func (r *rowset) chunks(ctx context.Context, chunk int, take func(rows []uint32)) error {
	lo, hi := r.bounds()
	for at := uint64(lo); at < uint64(hi); at += uint64(chunk) {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.each(uint32(at), uint32(min(uint64(hi), at+uint64(chunk))), take)
	}
	return nil
}

// bitset is a set of row numbers, or of any other small numbers.
type bitset []uint64

func wordsFor(n int) int { return (n + 63) / 64 }

func (b bitset) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

func (b bitset) setRange(lo, hi uint32) {
	if lo >= hi {
		return
	}
	first, last := lo>>6, (hi-1)>>6
	head, tail := ^uint64(0)<<(lo&63), ^uint64(0)>>(63-(hi-1)&63)
	if first == last {
		b[first] |= head & tail
		return
	}
	b[first] |= head
	for w := first + 1; w < last; w++ {
		b[w] = ^uint64(0)
	}
	b[last] |= tail
}

// take keeps the members that the other set has too, and empties the other set.
func (b bitset) take(other bitset) {
	for i, w := range other {
		b[i] &= w
		other[i] = 0
	}
}

func (b bitset) count() int64 {
	var n int
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}

// appendTo appends the members to dst; base is added to each.
func (b bitset) appendTo(dst []uint32, base uint32) []uint32 {
	for i, w := range b {
		at := base + uint32(i)<<6
		for w != 0 {
			dst = append(dst, at+uint32(bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
	return dst
}

// dimension is a set of rows for each value of a column, laid end to end.
type dimension struct {
	words int
	data  []uint64
}

func newDimension(values, rows int) dimension {
	return dimension{wordsFor(rows), make([]uint64, values*wordsFor(rows))}
}

func (d *dimension) layout(s mapped.Layout, name string, values, rows int) {
	d.words = wordsFor(rows)
	mapped.Field(s, name, &d.data, values*d.words)
}

func (d dimension) at(value int) bitset {
	return d.data[value*d.words : (value+1)*d.words : (value+1)*d.words]
}

// dimensions are the sets of rows of every value of the columns that have few.
type dimensions struct {
	year, state, major, inferred, kind, rule, class, support, linked, prob, amount dimension
}

// majors is the number of major groups of NTEE codes, the letters.
const majors = 26

// maxProbSets is how many distinct probabilities get a bitset each.
const maxProbSets = 64

// each visits the dimensions in the order of the file, each with the name of its section and the number of its values.
func (d *dimensions) each(years, states, probs int, visit func(name string, values int, d *dimension)) {
	if probs > maxProbSets {
		probs = 0
	}
	visit("bits.year", years, &d.year)
	visit("bits.state", states, &d.state)
	visit("bits.major", majors, &d.major)
	visit("bits.inferred", majors, &d.inferred)
	visit("bits.kind", len(kindNumbers), &d.kind)
	visit("bits.rule", len(grant.Rules())+1, &d.rule)
	visit("bits.class", classes, &d.class)
	visit("bits.support", grant.Strategies, &d.support)
	visit("bits.linked", 1, &d.linked)
	visit("bits.prob", probs, &d.prob)
	visit("bits.amount", len(amountSteps), &d.amount)
}

// lists is a list of numbers per key: list k is val[off[k]:off[k+1]].
type lists struct {
	off []uint32
	val []uint32
}

func (l *lists) layout(s mapped.Layout, name string, keys, values int) {
	mapped.Field(s, name+".off", &l.off, keys+1)
	mapped.Field(s, name+".val", &l.val, values)
	complete(s, "lists of "+name, l.off, len(l.val))
}

// complete refuses a file whose offsets do not end where the values end.
func complete(s mapped.Layout, what string, offsets []uint32, values int) {
	s.Check(func() bool { return int(offsets[len(offsets)-1]) == values }, "the %s are incomplete", what)
}

func (l *lists) at(k uint32) []uint32 { return l.val[l.off[k]:l.off[k+1]:l.off[k+1]] }
func (l *lists) len(k uint32) int     { return int(l.off[k+1] - l.off[k]) }

// invert lists, for each key, the positions at which it stands in col, in ascending order.
func invert(col []uint32, keys int) lists {
	off, val := radix.Group(col, keys)
	return lists{off, val}
}

// transpose turns a list of keys per position into a list of positions per key, ascending, each position once.
func transpose(from lists, keys int) lists {
	l := lists{off: make([]uint32, keys+1)}
	last := make([]uint32, keys) // one more than the last position seen
	positions := uint32(len(from.off) - 1)
	for i := range positions {
		for _, k := range from.at(i) {
			if last[k] != i+1 {
				last[k] = i + 1
				l.off[k+1]++
			}
		}
	}
	for k := range keys {
		l.off[k+1] += l.off[k]
	}
	l.val = make([]uint32, l.off[keys])
	clear(last)
	next := append([]uint32(nil), l.off[:keys]...)
	for i := range positions {
		for _, k := range from.at(i) {
			if last[k] != i+1 {
				last[k] = i + 1
				l.val[next[k]] = i
				next[k]++
			}
		}
	}
	return l
}
