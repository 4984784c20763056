package graph

import (
	"context"
	"math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"grantgraph/internal/parallel"
)

// evaluation is the work on one question and the sets it has borrowed.
type evaluation struct {
	g    *Graph
	ctx  context.Context
	sets []bitset
}

func (g *Graph) evaluate(ctx context.Context) *evaluation { return &evaluation{g: g, ctx: ctx} }

// set lends an empty set of rows.
func (e *evaluation) set() bitset {
	b := e.g.buffers.sets.take(func() bitset { return make(bitset, wordsFor(e.g.rows)) })
	clear(b)
	e.sets = append(e.sets, b)
	return b
}

// end gives the sets back. Nothing that leaves the package may refer to them.
func (e *evaluation) end() {
	for _, b := range e.sets {
		e.g.buffers.sets.give(b, freeSets)
	}
	*e = evaluation{}
}

func (e *evaluation) filter(f *Filter) (rowset, error) {
	conditions, err := e.conditions(f)
	if err != nil {
		return rowset{}, err
	}
	return e.rows(conditions)
}

func (e *evaluation) conditions(f *Filter) ([]condition, error) {
	var reach bitset
	if f.Place.Of == AreaServed && !f.Place.empty() {
		var err error
		if reach, err = e.g.reach(e.ctx, f); err != nil {
			return nil, err
		}
	}
	return e.g.compile(f, reach), nil
}

func (e *evaluation) rows(conditions []condition) (rowset, error) {
	if err := e.ctx.Err(); err != nil {
		return rowset{}, err
	}
	n := uint32(e.g.rows)
	if len(conditions) == 0 {
		return rowset{all: true, lo: 0, hi: n, count: int64(n)}, nil
	}
	driver := -1
	for i := range conditions {
		c := &conditions[i]
		if c.not {
			continue
		}
		if c.bound == 0 {
			return rowset{short: true}, nil
		}
		if c.list != nil && c.bound <= e.g.grain.tiny && (driver < 0 || c.bound < conditions[driver].bound) {
			driver = i
		}
	}
	if driver >= 0 {
		return e.rowByRow(conditions, driver), nil
	}
	return e.setBySet(conditions)
}

func (e *evaluation) rowByRow(conditions []condition, driver int) rowset {
	list := conditions[driver].list(make([]uint32, 0, conditions[driver].bound))
	if !slices.IsSorted(list) {
		slices.Sort(list)
	}
	list = slices.Compact(list)
	for i := range conditions {
		if i == driver {
			continue
		}
		c := &conditions[i]
		list = slices.DeleteFunc(list, func(row uint32) bool { return c.test(row) == c.not })
	}
	return rowset{short: true, list: list, count: int64(len(list))}
}

// fewRanges is the number of row ranges up to which they bound the work.
const fewRanges = 64

// clause is a union of sets. A row must be in the union or, with not, outside of it.
type clause struct {
	sets []bitset
	not  bool
}

// setBySet intersects the conditions that are sets, or that are cheap to turn into
// sets. It tests the other conditions on the remaining rows.
func (e *evaluation) setBySet(conditions []condition) (rowset, error) {
	lo, hi := uint32(0), uint32(e.g.rows)
	var clauses []clause
	var tests []*condition
	var sets clauseSets
	for i := range conditions {
		c := &conditions[i]
		switch {
		case c.stored:
			if len(c.sets) > 0 {
				clauses = append(clauses, clause{c.sets, c.not})
			}
			continue
		case c.scatter == nil:
			tests = append(tests, c)
			continue
		}
		if !c.not && len(c.ranges) > 0 && len(c.ranges) <= fewRanges {
			lo, hi = max(lo, c.ranges[0].lo), min(hi, c.ranges[len(c.ranges)-1].hi)
		}
		sets.add(e, c)
		if err := e.ctx.Err(); err != nil {
			return rowset{}, err
		}
	}
	if lo >= hi {
		return rowset{short: true}, nil
	}
	clauses = sets.appendTo(clauses)
	out := e.set()
	first, last := int(lo>>6), int((hi-1)>>6)+1
	var total atomic.Int64
	err := inRanges(e.ctx, first, last, e.g.grain.words, func(from, to int) {
		acc := out[from:to]
		combine(acc, from, clauses)
		// Clear the bits past the last row. There are none before lo, because lo
		// comes from a set of ranges, which is one of the clauses.
		if to == last {
			acc[len(acc)-1] &= ^uint64(0) >> (63 - (hi-1)&63)
		}
		for _, c := range tests {
			if c.ranks.hi > 0 {
				e.g.keepRanks(acc, uint32(from)<<6, c.ranks)
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

// clauseSets are the sets that a question makes for its conditions: at most three, however many words a query has.
type clauseSets struct{ within, next, without bitset }

func (m *clauseSets) add(e *evaluation, c *condition) {
	switch {
	case c.not:
		if m.without == nil {
			m.without = e.set()
		}
		c.scatter(m.without)
	case m.within == nil:
		m.within = e.set()
		c.scatter(m.within)
	default:
		if m.next == nil {
			m.next = e.set()
		}
		c.scatter(m.next)
		m.within.take(m.next)
	}
}

func (m *clauseSets) appendTo(clauses []clause) []clause {
	if m.within != nil {
		clauses = append(clauses, clause{[]bitset{m.within}, false})
	}
	if m.without != nil {
		clauses = append(clauses, clause{[]bitset{m.without}, true})
	}
	return clauses
}

// combine sets acc, a part of the words of a set that begins at word from, to the
// rows that satisfy all clauses. It works in blocks that stay in the cache.
func combine(acc bitset, from int, clauses []clause) {
	for i := range acc {
		acc[i] = ^uint64(0)
	}
	const block = 512
	var either [block]uint64
	for at := 0; at < len(acc); at += block {
		words := acc[at:min(at+block, len(acc))]
		for _, p := range clauses {
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
func (c *condition) keep(set bitset, base uint32) {
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

// grain says how work is divided. It never changes an answer. Tests make it small,
// so that a small corpus is divided like a large one.
type grain struct {
	tiny  int64 // candidates up to which rows are tested one by one instead of set by set
	part  int   // rows that are worth a part of their own on another core
	words int   // the same for words of sets
	chunk int   // rows between two looks at the context
	near  int   // items before a page up to which they are kept rather than counted
	bins  int   // ranges that items are counted in at a time
	block int   // recipients whose cells are added up at a time, at most cellBlock
}

// grainFor is the grain for a number of rows. Making a set takes time in proportion
// to all rows, so with more rows a longer list is worth testing row by row.
func grainFor(rows int) grain {
	return grain{tiny: max(fewRows, int64(rows)/256), part: 1 << 15, words: 8 << 10, chunk: 1 << 18, near: 4096, bins: 1 << 16, block: cellBlock}
}

// inRanges runs work over ranges of the numbers from lo to hi-1, on all cores
// when there is enough of it, and stops between ranges when the context ends.
func inRanges(ctx context.Context, lo, hi, grain int, work func(from, to int)) error {
	cuts := []int{lo}
	for at := lo + grain; at < hi; at += grain {
		cuts = append(cuts, at)
	}
	return betweenCuts(ctx, append(cuts, hi), func(_, from, to int) { work(from, to) })
}

// betweenCuts is inRanges over the ranges between cuts, each with its number. A
// single core, or a single range, takes no other goroutine.
func betweenCuts(ctx context.Context, cuts []int, work func(i, from, to int)) error {
	n := len(cuts) - 1
	if min(runtime.GOMAXPROCS(0), n) <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			work(i, cuts[i], cuts[i+1])
		}
		return ctx.Err()
	}
	return parallel.Each(ctx, 0, n, func(_ context.Context, i int) error {
		// The file may turn unreadable while it is mapped.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		work(i, cuts[i], cuts[i+1])
		return nil
	})
}

// inParts runs work over the ranges between cuts. Each range has a value of its own to add to, which is not
// part of a shared array while it changes: two cores would fight for its memory.
func inParts[T any](ctx context.Context, cuts []int, start func() T, work func(t *T, from, to int)) ([]T, error) {
	parts := make([]T, len(cuts)-1)
	err := betweenCuts(ctx, cuts, func(i, from, to int) {
		t := start()
		work(&t, from, to)
		parts[i] = t
	})
	return parts, err
}

// evenCuts divides the numbers from lo to hi-1 for several cores.
func (g *Graph) evenCuts(lo, hi uint32) []int {
	out := []int{int(lo)}
	size := max(int(hi-lo)/(4*runtime.GOMAXPROCS(0)), g.grain.part)
	for at := int(lo) + size; at < int(hi); at += size {
		out = append(out, at)
	}
	return append(out, int(hi))
}

// cuts divides the rows from lo to hi-1 so that no key is divided; starts are the positions at which keys begin.
func (g *Graph) cuts(lo, hi uint32, starts []uint32) []int {
	out := []int{int(lo)}
	size := max(uint64(hi-lo)/uint64(4*runtime.GOMAXPROCS(0)), uint64(g.grain.part))
	for at := uint64(lo) + size; at < uint64(hi); {
		i, _ := slices.BinarySearch(starts, uint32(at))
		if i == len(starts) || starts[i] >= hi {
			break
		}
		out = append(out, int(starts[i]))
		at = uint64(starts[i]) + size
	}
	return append(out, int(hi))
}
