package likeness

// nearby finds the texts that are few slips away from another. It stands on
// this: cut a text into one piece more than it may have slips, and one piece is
// left as it was. So every text is filed under each of its pieces, with its
// length and the place of the piece, and is looked for under the pieces of the
// other, shifted by as many places as letters may have been lost or added. A
// swap of neighbors may touch two pieces; for it the piece is also looked for
// with its last letter from beyond its end.
type nearby struct {
	slips   func(length int) int // that a filed text of this length may have; negative to leave it out
	longest int
	seen    []uint64 // filter before the map, a bit a hash
	filed   map[uint32][]int32
}

const filterBits = 20

func newNearby(slips func(int) int) *nearby {
	return &nearby{slips: slips, seen: make([]uint64, 1<<filterBits/64), filed: map[uint32][]int32{}}
}

// reaching turns a bound by the longer of two texts, which is how many slips
// they may have, into one by the length of the one that is filed. ok says
// whether so many count at that length.
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

// add files a text.
func (n *nearby) add(text string, id int32) {
	k := n.slips(len(text))
	if k < 0 {
		return
	}
	n.longest = max(n.longest, len(text))
	for piece := range k + 1 {
		from, to := cut(len(text), piece, k)
		h := hashPiece(len(text), piece, text[from:to-1], text[to-1])
		n.seen[h>>(32-filterBits)/64] |= 1 << (h >> (32 - filterBits) % 64)
		n.filed[h] = append(n.filed[h], id)
	}
}

// cut is where a piece of a text lies.
func cut(length, piece, k int) (from, to int) {
	return piece * length / (k + 1), (piece + 1) * length / (k + 1)
}

func hashPiece(length, piece int, head string, last byte) uint32 {
	h := uint32(2166136261) ^ uint32(length)<<8 ^ uint32(piece)
	for i := 0; i < len(head); i++ {
		h = (h ^ uint32(head[i])) * 16777619
	}
	h = (h ^ uint32(last)) * 16777619
	h ^= h >> 15
	return h * 0x85ebca6b
}

// find calls visit for every text that may be as near as its slips allow, some
// more than once, and for some that are not.
func (n *nearby) find(text string, visit func(id int32)) {
	for length := len(text) - maxSlips; length <= min(len(text)+maxSlips, n.longest); length++ {
		if length < 1 {
			continue
		}
		k := n.slips(length)
		if k < 0 || abs(length-len(text)) > k {
			continue
		}
		for piece := range k + 1 {
			from, to := cut(length, piece, k)
			low, high := -k, k
			switch piece {
			case 0: // no letter comes before it
				low, high = 0, 0
			case k: // nor after it
				low, high = len(text)-length, len(text)-length
			}
			for shift := low; shift <= high; shift++ {
				a, b := from+shift, to+shift
				if a < 0 || b > len(text) {
					continue
				}
				n.look(hashPiece(length, piece, text[a:b-1], text[b-1]), visit)
				if b < len(text) && text[b] != text[b-1] && piece < k {
					n.look(hashPiece(length, piece, text[a:b-1], text[b]), visit)
				}
			}
		}
	}
}

func (n *nearby) look(h uint32, visit func(id int32)) {
	if n.seen[h>>(32-filterBits)/64]>>(h>>(32-filterBits)%64)&1 == 0 {
		return
	}
	for _, id := range n.filed[h] {
		visit(id)
	}
}
