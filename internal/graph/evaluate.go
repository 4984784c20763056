package graph

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"
)

// question is one evaluation and the sets it has borrowed.
type question struct {
	g    *Graph
	ctx  context.Context
	sets []bitset
}

func (g *Graph) ask(ctx context.Context) *question { return &question{g: g, ctx: ctx} }

// set lends an empty set of rows.
func (q *question) set() bitset {
	b, ok := q.g.scratch.sets.take()
	if ok {
		clear(b)
	} else {
		b = make(bitset, wordsFor(q.g.rows))
	}
	q.sets = append(q.sets, b)
	return b
}

// end gives the sets back. Nothing that leaves the package may refer to them.
func (q *question) end() {
	for _, b := range q.sets {
		q.g.scratch.sets.give(b)
	}
	*q = question{}
}

// filter evaluates a filter.
func (q *question) filter(f *Filter) (rowset, error) {
	conds, err := q.conditions(f)
	if err != nil {
		return rowset{}, err
	}
	return q.rows(conds)
}

// conditions are what a filter asks of a row.
func (q *question) conditions(f *Filter) ([]cond, error) {
	var reach bitset
	if f.Place.Of == AreaServed && len(f.Place.Values) > 0 {
		var err error
		if reach, err = q.g.reach(q.ctx, f); err != nil {
			return nil, err
		}
	}
	return q.g.compile(f, reach), nil
}

// rows evaluates conditions.
func (q *question) rows(conds []cond) (rowset, error) {
	if err := q.ctx.Err(); err != nil {
		return rowset{}, err
	}
	n := uint32(q.g.rows)
	if len(conds) == 0 {
		return rowset{all: true, lo: 0, hi: n, count: int64(n)}, nil
	}
	driver := -1
	for i := range conds {
		c := &conds[i]
		if c.not {
			continue
		}
		if c.bound == 0 {
			return rowset{short: true}, nil
		}
		if c.gather != nil && c.bound <= q.g.grain.tiny && (driver < 0 || c.bound < conds[driver].bound) {
			driver = i
		}
	}
	if driver >= 0 {
		return q.rowByRow(conds, driver), nil
	}
	return q.setBySet(conds)
}

// rowByRow takes the candidates of one condition and tests the others on each.
func (q *question) rowByRow(conds []cond, driver int) rowset {
	list := conds[driver].gather(make([]uint32, 0, conds[driver].bound))
	if !slices.IsSorted(list) {
		slices.Sort(list)
	}
	list = slices.Compact(list)
	for i := range conds {
		if i == driver {
			continue
		}
		c := &conds[i]
		list = slices.DeleteFunc(list, func(row uint32) bool { return c.test(row) == c.not })
	}
	return rowset{short: true, list: list, count: int64(len(list))}
}

// fewRanges is the number of row ranges up to which they bound the work.
const fewRanges = 64

// part is a union of sets of which rows must be in one, or in none.
type part struct {
	sets []bitset
	not  bool
}

// setBySet combines the conditions that are sets, or cheaply made into one, and
// tests the others on the rows that are left.
func (q *question) setBySet(conds []cond) (rowset, error) {
	lo, hi := uint32(0), uint32(q.g.rows)
	var parts []part
	var tests []*cond
	var made made
	for i := range conds {
		c := &conds[i]
		switch {
		case c.stored:
			if len(c.sets) > 0 {
				parts = append(parts, part{c.sets, c.not})
			}
			continue
		case c.scatter == nil:
			tests = append(tests, c)
			continue
		}
		if !c.not && len(c.ranges) > 0 && len(c.ranges) <= fewRanges {
			lo, hi = max(lo, c.ranges[0].lo), min(hi, c.ranges[len(c.ranges)-1].hi)
		}
		made.add(q, c)
		if err := q.ctx.Err(); err != nil {
			return rowset{}, err
		}
	}
	if lo >= hi {
		return rowset{short: true}, nil
	}
	parts = made.appendTo(parts)
	out := q.set()
	first, last := int(lo>>6), int((hi-1)>>6)+1
	var total atomic.Int64
	err := parallel(q.ctx, first, last, q.g.grain.words, func(from, to int) {
		acc := out[from:to]
		combine(acc, from, parts)
		// There are no rows past the end. Before lo there are none either: it
		// comes from a set of ranges, which is one of the parts.
		if to == last {
			acc[len(acc)-1] &= ^uint64(0) >> (63 - (hi-1)&63)
		}
		for _, c := range tests {
			if c.ranks.hi > 0 {
				q.g.keepRanks(acc, uint32(from)<<6, c.ranks)
			} else {
				c.keep(acc, uint32(from)<<6)
			}
		}
		total.Add(acc.count())
	})
	if err != nil {
		return rowset{}, err
	}
	return rowset{set: out, lo: lo, hi: hi, count: total.Load()}, nil
}

// made are the sets that a question makes of its conditions. They are never
// more than three, however many words a query has.
type made struct{ within, next, without bitset }

func (m *made) add(q *question, c *cond) {
	switch {
	case c.not:
		if m.without == nil {
			m.without = q.set()
		}
		c.scatter(m.without)
	case m.within == nil:
		m.within = q.set()
		c.scatter(m.within)
	default:
		if m.next == nil {
			m.next = q.set()
		}
		c.scatter(m.next)
		m.within.take(m.next)
	}
}

func (m *made) appendTo(parts []part) []part {
	if m.within != nil {
		parts = append(parts, part{[]bitset{m.within}, false})
	}
	if m.without != nil {
		parts = append(parts, part{[]bitset{m.without}, true})
	}
	return parts
}

// combine makes acc, which are the words of a set from the given one on, the
// rows that are in all of the parts. It goes in blocks that stay in the cache.
func combine(acc bitset, from int, parts []part) {
	for i := range acc {
		acc[i] = ^uint64(0)
	}
	const block = 512
	var either [block]uint64
	for at := 0; at < len(acc); at += block {
		words := acc[at:min(at+block, len(acc))]
		for _, p := range parts {
			src := p.sets[0][from+at:][:len(words)]
			if len(p.sets) > 1 {
				copy(either[:], src)
				for _, s := range p.sets[1:] {
					for i, w := range s[from+at:][:len(words)] {
						either[i] |= w
					}
				}
				src = either[:len(words)]
			}
			if p.not {
				for i, w := range src {
					words[i] &^= w
				}
			} else {
				for i, w := range src {
					words[i] &= w
				}
			}
		}
	}
}

// keep removes the rows, numbered from base, that do not satisfy the condition.
func (c *cond) keep(set bitset, base uint32) {
	for i, w := range set {
		at := base + uint32(i)<<6
		for m := w; m != 0; m &= m - 1 {
			if c.test(at+uint32(bits.TrailingZeros64(m))) == c.not {
				w &^= m & -m
			}
		}
		set[i] = w
	}
}
