package graph

import (
	"cmp"
	"math"
	"math/bits"
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

// A deep page is found without keeping the items before it. A first round counts how many items fall into each of many ranges
// of the order. The counts tell in which range the page begins, and how many items come before that range. A range with too
// many items is divided by another round. A last round keeps the first items from there on. Most pages take two or three
// rounds, and no page takes more than a dozen. The memory is the same for all pages; page_memory.go says how much.

// order describes the order of a list, as far as finding a page needs it.
type order struct {
	lo, hi int64 // of keys
	skewed bool  // most keys are small
	most   int64 // of numbers

	// amount is that of an item with this key, where the key tells it; nil where items of one key have different amounts.
	amount func(key int64) int64
}

// The levels of an order: what an item is ordered by, in this sequence.
const (
	byKey = iota
	byAmountDown
	byNumber
)

// orderRange is a part of the order: the items that are equal to the first one on the levels before this one, and lie from lo
// to hi on this one. It is divided into bins of equal width or, when skewed, of a width that grows with the distance from zero.
type orderRange struct {
	level  int
	lo, hi int64
	first  item
	skewed bool
	shift  uint
}

func (s *orderRange) chooseBins(bins int) {
	width := uint64(s.hi) - uint64(s.lo)
	s.skewed = s.skewed && bins >= skewedBins && width >= uint64(bins)
	s.shift = uint(max(0, bits.Len64(width)-bits.Len(uint(bins-1))))
}

func (s *orderRange) bin(it *item) (int, bool) {
	w := it.key
	switch s.level {
	case byAmountDown:
		w = -it.Amount
	case byNumber:
		if it.Amount != s.first.Amount {
			return 0, false
		}
		w = int64(it.id)
	}
	if w < s.lo || w > s.hi || it.key != s.first.key && s.level != byKey {
		return 0, false
	}
	if s.skewed {
		return skewedBin(w), true
	}
	return int((uint64(w) - uint64(s.lo)) >> s.shift), true
}

func (s *orderRange) narrowTo(bin int) {
	lo, hi := skewedRange(bin)
	if !s.skewed {
		from := uint64(s.lo) + uint64(bin)<<s.shift
		lo, hi = int64(from), s.hi
		if left := uint64(s.hi) - from; left >= 1<<s.shift {
			hi = int64(from + 1<<s.shift - 1)
		}
	}
	s.lo, s.hi, s.skewed = max(lo, s.lo), min(hi, s.hi), false
	s.setFirst()
}

func (s *orderRange) setFirst() {
	switch s.level {
	case byKey:
		s.first = item{key: s.lo, partyTotals: partyTotals{Amount: math.MaxInt64}}
	case byAmountDown:
		s.first.Amount, s.first.id = -s.lo, 0
	case byNumber:
		s.first.id = uint32(s.lo)
	}
}

// descend goes on to the next level, as one value of this one is left.
func (s *orderRange) descend(o *order) {
	if s.level == byKey && o.amount == nil {
		s.level, s.lo, s.hi, s.skewed = byAmountDown, -math.MaxInt64, math.MaxInt64, true
	} else {
		if s.level == byKey {
			s.first.Amount = o.amount(s.first.key)
		}
		s.level, s.lo, s.hi = byNumber, 0, o.most
	}
	s.setFirst()
}

// keys are the bounds of the keys of its items.
func (s *orderRange) keys() (lo, hi int64) {
	if s.level == byKey {
		return s.lo, s.hi
	}
	return s.first.key, s.first.key
}

// selectPage finds the items from place from to place to-1 of an order, and how many items there are in all.
// run goes through all of them, each time it is called, and counts them as seen.
func (g *Graph) selectPage(o order, from, to int64, run func(*selectors) error) (page []item, seen int64, err error) {
	s := orderRange{lo: o.lo, hi: o.hi, skewed: o.skewed}
	s.setFirst()
	before := int64(0) // items that come before the range
	for from-before > int64(g.grain.near) {
		if s.lo == s.hi {
			s.descend(&o)
		}
		s.chooseBins(g.grain.bins)
		counting := &selectors{make: func() *selector {
			lo, hi := s.keys()
			return &selector{lo: lo, hi: hi, at: s, counts: make([]uint32, g.grain.bins)}
		}}
		if err := run(counting); err != nil {
			return nil, 0, err
		}
		if seen = counting.seen(); from >= seen {
			return nil, seen, nil
		}
		to = min(to, seen)
		bin, n := counting.holds(from - before)
		before += n
		s.narrowTo(bin)
	}
	last := &selectors{make: func() *selector {
		return &selector{lo: s.first.key, hi: math.MaxInt64, k: int(to - before), floor: s.first}
	}}
	if err := run(last); err != nil {
		return nil, 0, err
	}
	seen = last.seen()
	list := last.first(int(to - before))
	return list[min(from-before, int64(len(list))):], seen, nil
}

// holds is the bin in which the item with a number of the range is, and how many items are in the bins before.
func (p *selectors) holds(number int64) (bin int, before int64) {
	for bin = range p.all[0].counts {
		var n int64
		for _, s := range p.all {
			n += int64(s.counts[bin])
		}
		if before+n > number {
			return bin, before
		}
		before += n
	}
	panic("graph: the items changed while they were counted")
}

// Skewed bins have a width of one up to twice skewedPart from zero, and then each power of two is divided into skewedPart bins.
const (
	skewedBits = 9
	skewedPart = 1 << skewedBits
	skewedSide = (64-skewedBits)*skewedPart + skewedPart // bins on either side of zero, at most
	skewedBins = 1 << 16
)

func skewedBin(v int64) int {
	if v < 0 {
		return skewedSide - 1 - skewedCode(uint64(^v))
	}
	return skewedSide + skewedCode(uint64(v))
}

func skewedCode(u uint64) int {
	shift := max(0, bits.Len64(u)-skewedBits-1)
	return shift<<skewedBits + int(u>>shift)
}

func skewedRange(bin int) (lo, hi int64) {
	if bin < skewedSide {
		lo, hi = skewedRange(2*skewedSide - 1 - bin)
		return ^hi, ^lo
	}
	code := bin - skewedSide
	shift := max(0, code>>skewedBits-1)
	from := uint64(code-shift<<skewedBits) << shift
	return int64(from), int64(from + 1<<shift - 1)
}
