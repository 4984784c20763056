package deflate64

import "math/bits"

const (
	maxBits  = 15
	fastBits = 10
	fastMask = 1<<fastBits - 1
	link     = 1 << 31 // an entry that leads on to the codes longer than fastBits
)

// table looks up prefix codes: with one probe for codes of up to ten bits, with two for longer codes. An
// entry is the symbol and, in the low four bits, the length of its code; 0 where no code is defined.
type table struct {
	fast    [1 << fastBits]uint32
	slow    []uint32
	longest uint // of the defined codes, at least 1
}

func (t *table) find(bits uint64) uint32 {
	e := t.fast[bits&fastMask]
	if e&link == 0 {
		return e
	}
	return t.slow[e&^link|uint32(bits>>fastBits)&(1<<(maxBits-fastBits)-1)]
}

// build makes the table of the canonical code with the given lengths, and reports whether the lengths are
// valid. A code must be complete, with two exceptions that other implementations also allow: a code without
// symbols, as long as nothing uses it, and a single symbol of one bit.
func (t *table) build(lengths []uint8) bool {
	var count [maxBits + 1]int
	longest := 0
	for _, l := range lengths {
		count[l]++
		longest = max(longest, int(l))
	}
	clear(t.fast[:])
	t.slow = t.slow[:0]
	t.longest = max(uint(longest), 1)
	if longest == 0 {
		return true
	}
	var next [maxBits + 1]int
	code := 0
	for l := 1; l <= longest; l++ {
		code <<= 1
		next[l] = code
		code += count[l]
	}
	if code != 1<<longest && (code != 1 || longest != 1) {
		return false
	}
	for symbol, l := range lengths {
		if l == 0 {
			continue
		}
		c := int(bits.Reverse16(uint16(next[l])) >> (16 - l))
		next[l]++
		e := uint32(symbol)<<4 | uint32(l)
		if l <= fastBits {
			for ; c < len(t.fast); c += 1 << l {
				t.fast[c] = e
			}
			continue
		}
		head := &t.fast[c&fastMask]
		if *head == 0 {
			*head = link | uint32(len(t.slow))
			t.slow = append(t.slow, make([]uint32, 1<<(maxBits-fastBits))...)
		}
		sub := t.slow[*head&^link:][:1<<(maxBits-fastBits)]
		for c >>= fastBits; c < len(sub); c += 1 << (l - fastBits) {
			sub[c] = e
		}
	}
	return true
}

// The fixed codes, for blocks that do not define their own.
var fixedLiterals, fixedDistances = func() (l, d table) {
	var lengths [maxLiterals]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	l.build(lengths[:])
	var five [maxDists]uint8
	for i := range five {
		five[i] = 5
	}
	d.build(five[:])
	return l, d
}()
