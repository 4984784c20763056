package graph

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// item is a row or a record with what it is ordered by: a key ascending, then
// the amount of its sums descending, then its number ascending. For a row the
// number is its place among all amounts and the sums are nothing.
type item struct {
	key int64
	id  uint32
	sums
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

// sieve takes items in any order. It keeps the first k that do not come before
// a floor, of which it holds at most twice as many at a time; or it counts the
// items of a stretch of the order and keeps none.
type sieve struct {
	lo, hi int64 // an item whose key is outside is of no use for certain
	seen   int64 // how many items there were, for those who count

	k     int
	buf   []item
	full  bool
	limit item // when full, what does not come before it is out
	floor item // what comes before it is out

	counts []uint32 // nil when items are kept
	at     stretch

	_ [64]byte // keeps neighbours, which belong to other cores, on lines of their own
}

// passes reports whether an item with this key goes through the sieve for
// certain: most do, and then the rest of the item need not be looked at.
func (s *sieve) passes(key int64) bool { return key < s.lo || key > s.hi }

func (s *sieve) push(it item) {
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

func (s *sieve) trim() {
	slices.SortFunc(s.buf, compareItems)
	s.buf = s.buf[:s.k]
	s.full, s.limit = true, s.buf[s.k-1]
	s.hi = s.limit.key
}

// sieves lends one sieve at a time to each part of some work, so that there
// are no more of them than cores.
type sieves struct {
	mu   sync.Mutex
	free []*sieve
	all  []*sieve
	make func() *sieve
}

func (p *sieves) take() *sieve {
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

func (p *sieves) give(s *sieve) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, s)
}

// seen is how many items there were.
func (p *sieves) seen() (n int64) {
	for _, s := range p.all {
		n += s.seen
	}
	return n
}

// keeping are sieves for the first k items that do not come before the floor.
func keeping(k int, floor item) *sieves {
	return &sieves{make: func() *sieve { return &sieve{lo: floor.key, hi: math.MaxInt64, k: k, floor: floor} }}
}

// first is the first k of what the sieves have kept, in order.
func (p *sieves) first(k int) []item {
	var all []item
	for _, s := range p.all {
		all = append(all, s.buf...)
	}
	slices.SortFunc(all, compareItems)
	return all[:min(k, len(all))]
}

// within is the part of a list of n that a page shows. A page past the end, or
// one that makes no sense, shows nothing.
func (p Page) within(n int64) (from, to int64) {
	if p.Offset < 0 || p.Limit <= 0 || int64(p.Offset) >= n {
		return 0, 0
	}
	from = int64(p.Offset)
	return from, from + min(int64(p.Limit), n-from)
}
