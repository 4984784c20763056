package graph

import (
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// grain says how work is divided. None of it changes an answer; tests make it
// small so that a small corpus is divided like a large one.
type grain struct {
	tiny  int64 // candidates up to which rows are tested one by one instead of set by set
	part  int   // rows that are worth a part of their own on another core
	words int   // the same for words of sets
	chunk int   // rows between two looks at the context
}

var defaultGrain = grain{tiny: 4096, part: 1 << 15, words: 8 << 10, chunk: 1 << 18}

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

// scratch is memory that questions borrow. A set is emptied when it is lent.
// The arrays, of which many a question uses few elements, are lent with zeros
// alone, and whoever has borrowed one gives it back so.
type scratch struct {
	sets  shelf[bitset]
	sums  shelf[[]sums]   // one per recipient
	masks shelf[[]uint64] // one per recipient
}

// shelf keeps a few pieces of memory for the next question. Unlike a
// sync.Pool it is not emptied by the garbage collector: making the pieces anew
// costs more than many a question.
type shelf[T any] struct {
	mu     sync.Mutex
	pieces []T
}

// shelfSize is how many pieces of a kind are kept.
const shelfSize = 4

func (s *shelf[T]) take() (piece T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.pieces)
	if n == 0 {
		return piece, false
	}
	piece = s.pieces[n-1]
	s.pieces = s.pieces[:n-1]
	return piece, true
}

func (s *shelf[T]) give(piece T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) < shelfSize {
		s.pieces = append(s.pieces, piece)
	}
}

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

func (q *question) setBySet(conds []cond) (rowset, error) {
	lo, hi := uint32(0), uint32(q.g.rows)
	type part struct {
		sets []bitset
		not  bool
	}
	var parts []part
	var tests []*cond
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
		set := q.set()
		c.scatter(set)
		parts = append(parts, part{[]bitset{set}, c.not})
		if err := q.ctx.Err(); err != nil {
			return rowset{}, err
		}
	}
	if lo >= hi {
		return rowset{short: true}, nil
	}
	out := q.set()
	first, last := int(lo>>6), int((hi-1)>>6)+1
	var total atomic.Int64
	err := q.g.parallel(q.ctx, first, last, q.g.grain.words, func(from, to int) {
		acc := out[from:to]
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
		// There are no rows past the end. Before lo there are none either: it
		// comes from a set of ranges, which is one of the parts.
		if to == last {
			acc[len(acc)-1] &= ^uint64(0) >> (63 - (hi-1)&63)
		}
		for _, c := range tests {
			if c.ranks.hi > 0 {
				q.g.keepRanks(acc, uint32(from)<<6, c.ranks)
				continue
			}
			for i, w := range acc {
				for m := w; m != 0; m &= m - 1 {
					if c.test(uint32(from+i)<<6+uint32(bits.TrailingZeros64(m))) == c.not {
						w &^= m & -m
					}
				}
				acc[i] = w
			}
		}
		total.Add(bitset(acc).count())
	})
	if err != nil {
		return rowset{}, err
	}
	return rowset{set: out, lo: lo, hi: hi, count: total.Load()}, nil
}

// keepRanks removes the rows, numbered from base, whose amounts are outside of
// the range of ranks.
func (g *Graph) keepRanks(set bitset, base uint32, ranks span) {
	lo, n := ranks.lo, ranks.hi-ranks.lo
	for i, w := range set {
		if w == 0 {
			continue
		}
		at := base + uint32(i)<<6
		// Without a branch that nobody can predict.
		var kept uint64
		for m := w; m != 0; m &= m - 1 {
			j := bits.TrailingZeros64(m)
			var in uint64
			if g.rank[at+uint32(j)]-lo < n {
				in = 1
			}
			kept |= in << j
		}
		set[i] = kept
	}
}

// has reports whether a row is in the set.
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

// blockRows is how many rows are unpacked at a time.
const blockRows = 4096

// each hands the rows from lo to hi-1 over in ascending blocks. The block is
// only good until the next one.
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
		n := 0
		if r.all {
			for row := at; row < end; row++ {
				buf[n] = row
				n++
			}
		} else {
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
		}
		rows := buf[:n]
		if len(rows) > 0 {
			take(rows)
		}
		at = end
	}
}

// chunks hands all rows over in ascending blocks and stops when the context
// ends.
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

// parallel runs work over parts of the numbers from lo to hi-1, on all cores
// when there is enough of it, and stops between parts when the context ends.
func (g *Graph) parallel(ctx context.Context, lo, hi, grain int, work func(from, to int)) error {
	cuts := []int{lo}
	for at := lo + grain; at < hi; at += grain {
		cuts = append(cuts, at)
	}
	return g.parts(ctx, append(cuts, hi), func(_, from, to int) { work(from, to) })
}

// parts runs work on each part between two cuts.
func (g *Graph) parts(ctx context.Context, cuts []int, work func(i, from, to int)) error {
	n := len(cuts) - 1
	var next atomic.Int64
	run := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= n || ctx.Err() != nil {
				return
			}
			work(i, cuts[i], cuts[i+1])
		}
	}
	if workers := min(runtime.GOMAXPROCS(0), n); workers > 1 {
		var wg sync.WaitGroup
		for range workers - 1 {
			wg.Go(run)
		}
		run()
		wg.Wait()
	} else {
		run()
	}
	return ctx.Err()
}
