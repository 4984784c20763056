package graph

import (
	"cmp"
	"slices"
	"sync"
)

// item is a row or a record with what it is ordered by: a key ascending, then its amount descending, then its
// number ascending. For a row the number is its place among all amounts and the totals are nothing.
type item struct {
	key int64
	id  uint32
	partyTotals
}

func compareItems(a, b item) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	if a.Amount != b.Amount {
		return cmp.Compare(b.Amount, a.Amount)
	}
	return cmp.Compare(a.id, b.id)
}

// selector takes items in any order. It keeps the first k that do not come before a floor, of which it holds
// at most twice as many at a time; or it counts the items of a range of the order and keeps none.
type selector struct {
	lo, hi int64 // an item with a key outside of these is not on the page
	seen   int64 // items so far, if the caller counts them

	k     int
	buf   []item
	full  bool
	limit item // when full, only items before it are kept
	floor item // items before it are not kept

	counts []uint32 // nil when items are kept
	at     orderRange

	_ [64]byte // keeps neighbours, which belong to other cores, on lines of their own
}

// skips reports whether an item with this key is certainly not on the page. Most
// items are skipped, and the rest of the item need not be read.
func (s *selector) skips(key int64) bool { return key < s.lo || key > s.hi }

func (s *selector) push(it item) {
	if s.counts != nil {
		if bin, ok := s.at.bin(&it); ok {
			s.counts[bin]++
		}
		return
	}
	if s.full && compareItems(it, s.limit) >= 0 || compareItems(it, s.floor) < 0 || s.k == 0 {
		return
	}
	s.buf = append(s.buf, it)
	if len(s.buf) >= 2*s.k {
		s.trim()
	}
}

func (s *selector) trim() {
	slices.SortFunc(s.buf, compareItems)
	s.buf = s.buf[:s.k]
	s.full, s.limit = true, s.buf[s.k-1]
	s.hi = s.limit.key
}

// selectors lends a selector to each part of some work while it runs, so that there are no more selectors than cores.
type selectors struct {
	mu   sync.Mutex
	free []*selector
	all  []*selector
	make func() *selector
}

func (p *selectors) take() *selector {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		return s
	}
	s := p.make()
	p.all = append(p.all, s)
	return s
}

func (p *selectors) give(s *selector) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, s)
}

// inParts runs work over the ranges between cuts, each time with a selector.
func (e *evaluation) inParts(cuts []int, work func(s *selector, from, to int)) func(*selectors) error {
	return func(p *selectors) error {
		return betweenCuts(e.ctx, cuts, func(_, from, to int) {
			s := p.take()
			defer p.give(s)
			work(s, from, to)
		})
	}
}

func (p *selectors) seen() (n int64) {
	for _, s := range p.all {
		n += s.seen
	}
	return n
}

func (p *selectors) first(k int) []item {
	var all []item
	for _, s := range p.all {
		all = append(all, s.buf...)
	}
	slices.SortFunc(all, compareItems)
	return all[:min(k, len(all))]
}

// within is the part of a list of n items that a page shows. A page past the end, or with a negative offset, shows nothing.
func (p Page) within(n int64) (from, to int64) {
	if p.Offset < 0 || p.Limit <= 0 || int64(p.Offset) >= n {
		return 0, 0
	}
	from = int64(p.Offset)
	return from, from + min(int64(p.Limit), n-from)
}
