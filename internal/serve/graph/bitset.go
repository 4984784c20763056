package graph

import "math/bits"

// bitset is a set of row numbers, or of any other small numbers.
type bitset []uint64

func wordsFor(n int) int { return (n + 63) / 64 }

func (b bitset) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// setRange adds the numbers from lo to hi-1.
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
