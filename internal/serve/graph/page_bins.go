package graph

import (
	"math"
	"math/bits"
)

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
