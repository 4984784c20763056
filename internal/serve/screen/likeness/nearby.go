package likeness

import (
	"cmp"
	"math/bits"
	"slices"
)

// nearby finds the texts that are few typos away from another text. Of one piece more than typos, one piece is unchanged. So
// every text is filed under its pieces, and looked up by those of the other, shifted by what may be lost or added, and with
// another last letter, for a swap that touches two pieces.
type nearby struct {
	slips   func(length int) int // typos that a filed text of this length may have; negative to leave it out
	longest int

	filed  []filedPiece // once sealed, in order of hash
	starts []uint32     // where the hashes with these first bits begin
	bits   int          // how many first bits
	seen   []uint64     // a filter before them, with a bit for each hash
}

type filedPiece struct {
	hash uint32
	id   int32
}

// filterBits is the logarithm of the filter's bits for each start: few false hits, and it stays in the processor's cache.
const filterBits = 4

func newNearby(slips func(int) int) *nearby { return &nearby{slips: slips} }

// reaching turns a bound on typos by the longer of two texts into a bound by the length of the filed text.
func reaching(ok func(slips, longer int) bool) func(length int) int {
	var by [maxBytes * 4]int8
	for length := range by {
		by[length] = -1
		for k := range maxSlips + 1 {
			if ok(k, length+k) {
				by[length] = int8(k)
			}
		}
	}
	return func(length int) int { return int(by[min(length, len(by)-1)]) }
}

// add files a text. seal must follow before find.
func (n *nearby) add(text string, id int32) {
	k := n.slips(len(text))
	if k < 0 {
		return
	}
	n.longest = max(n.longest, len(text))
	var buf [usualLength]uint64
	sums := prefixSums(buf[:0], text)
	for piece := range k + 1 {
		from, to := cut(len(text), piece, k)
		n.filed = append(n.filed, filedPiece{hashPiece(len(text), piece, sums, from, to, text[to-1]), id})
	}
}

func (n *nearby) seal() {
	slices.SortFunc(n.filed, func(a, b filedPiece) int { return cmp.Compare(a.hash, b.hash) })
	n.bits = bits.Len(uint(len(n.filed)))
	n.starts = make([]uint32, 1<<n.bits+1)
	n.seen = make([]uint64, max(1, 1<<(n.bits+filterBits)/64))
	for _, f := range n.filed {
		n.starts[f.hash>>(32-n.bits)+1]++
		at := f.hash >> (32 - n.bits - filterBits)
		n.seen[at/64] |= 1 << (at % 64)
	}
	for i := 1; i < len(n.starts); i++ {
		n.starts[i] += n.starts[i-1]
	}
}

func cut(length, piece, k int) (from, to int) {
	return piece * length / (k + 1), (piece + 1) * length / (k + 1)
}

// The hash of a piece is a polynomial of its letters, computed from the sums of two prefixes.
const (
	hashBase    = 0x9e3779b97f4a7c15
	longestHead = 63 // letters of a piece that are hashed, beside its last
	usualLength = 96 // of a text; the sums of a longer text are allocated
)

var hashPowers = func() (t [longestHead + 1]uint64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * hashBase
	}
	return t
}()

// prefixSums appends the sums of the prefixes of a text, the empty prefix first.
func prefixSums(sums []uint64, text string) []uint64 {
	sum := uint64(0)
	sums = append(sums, sum)
	for i := range len(text) {
		sum = sum*hashBase + uint64(text[i]) + 1
		sums = append(sums, sum)
	}
	return sums
}

// hashPiece returns the hash of a piece of a text that has these sums, with another last letter.
func hashPiece(length, piece int, sums []uint64, from, to int, last byte) uint32 {
	end := min(to-1, from+longestHead)
	h := sums[end] - sums[from]*hashPowers[end-from]
	h = h*hashBase + uint64(last) + uint64(length)<<32 + uint64(piece)<<56
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

// find calls visit for every filed text within its number of typos, some more than once, and for some others.
func (n *nearby) find(text string, visit func(id int32)) {
	var buf [usualLength]uint64
	sums := prefixSums(buf[:0], text)
	for length := max(1, len(text)-maxSlips); length <= min(len(text)+maxSlips, n.longest); length++ {
		k, added := n.slips(length), len(text)-length
		if k < abs(added) {
			continue
		}
		for piece := range k + 1 {
			from, to := cut(length, piece, k)
			low, high := shifts(added, k)
			switch piece {
			case 0: // no letter comes before it
				low, high = 0, 0
			case k: // nor after it
				low, high = added, added
			}
			swapLow, swapHigh := shifts(added, k-1) // the swap is a slip, too
			for shift := low; shift <= high; shift++ {
				a, b := from+shift, to+shift
				if a < 0 || b > len(text) {
					continue
				}
				n.look(hashPiece(length, piece, sums, a, b, text[b-1]), visit)
				if piece < k && shift >= swapLow && shift <= swapHigh && b < len(text) && text[b] != text[b-1] {
					n.look(hashPiece(length, piece, sums, a, b, text[b]), visit)
				}
			}
		}
	}
}

// shifts returns how far a piece can have moved after k typos, each before or after it, in a text of other length.
func shifts(added, k int) (low, high int) {
	spare := k - abs(added)
	if spare < 0 {
		return 1, 0 // nowhere
	}
	return min(0, added) - spare/2, max(0, added) + spare/2
}

func (n *nearby) look(h uint32, visit func(id int32)) {
	at := h >> (32 - n.bits - filterBits)
	if n.seen[at/64]>>(at%64)&1 == 0 {
		return
	}
	at >>= filterBits
	for _, f := range n.filed[n.starts[at]:n.starts[at+1]] {
		if f.hash == h {
			visit(f.id)
		}
	}
}
