package deflate64

import (
	"math/bits"
	"math/rand/v2"
)

// The encoder the tests need: there is none in the standard library. It makes
// valid streams of every kind of block, with codes as uneven as chance will
// have them; it does not try to pack well.

type token struct {
	literal      byte
	length, dist int // length 0 is a literal
}

// tokens finds repetitions in data, as far as the window of Deflate64 reaches.
func tokens(data []byte, rng *rand.Rand) []token {
	var out []token
	seen := map[uint32]int{}
	for i := 0; i < len(data); {
		if i+4 <= len(data) {
			key := uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24
			at, ok := seen[key]
			seen[key] = i
			if ok && i-at <= windowSize {
				n := 4
				for i+n < len(data) && n < 65538 && data[at+n] == data[i+n] {
					n++
				}
				if rng.IntN(8) == 0 {
					n = 3 + rng.IntN(n-2)
				}
				out = append(out, token{length: n, dist: i - at})
				i += n
				continue
			}
		}
		out = append(out, token{literal: data[i]})
		i++
	}
	return out
}

type bitWriter struct {
	out []byte
	n   uint
}

func (w *bitWriter) put(v uint32, n uint) {
	for i := range n {
		if w.n%8 == 0 {
			w.out = append(w.out, 0)
		}
		w.out[len(w.out)-1] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

func (w *bitWriter) align() { w.n = (w.n + 7) / 8 * 8 }

// code puts a Huffman code, which goes highest bit first.
func (w *bitWriter) code(c uint32, n uint8) { w.put(bits.Reverse32(c)>>(32-n), uint(n)) }

// canonical numbers the codes of the given lengths.
func canonical(lengths []uint8) []uint32 {
	codes := make([]uint32, len(lengths))
	code := uint32(0)
	for l := uint8(1); l <= maxBits; l++ {
		code <<= 1
		for s, have := range lengths {
			if have == l {
				codes[s] = code
				code++
			}
		}
	}
	return codes
}

// randomCode gives the used symbols the lengths of a complete prefix code.
func randomCode(used []bool, longest int, rng *rand.Rand) []uint8 {
	lengths := make([]uint8, len(used))
	var symbols []int
	for s, u := range used {
		if u {
			symbols = append(symbols, s)
		}
	}
	switch len(symbols) {
	case 0:
		return lengths
	case 1:
		lengths[symbols[0]] = 1
		return lengths
	}
	leaves := []uint8{0}
	for len(leaves) < len(symbols) {
		// The deepest leaf that may still be split, or any.
		i := rng.IntN(len(leaves))
		if rng.IntN(2) == 0 {
			i = len(leaves) - 1
		}
		if int(leaves[i]) >= longest {
			i = 0
			for int(leaves[i]) >= longest {
				i++
			}
		}
		leaves[i]++
		leaves = append(leaves, leaves[i])
	}
	rng.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
	for i, s := range symbols {
		lengths[s] = leaves[i]
	}
	return lengths
}

// lengthCode is the symbol, the extra bits and their number of a length.
func lengthCode(n int) (symbol int, extra uint32, count uint8) {
	if n > 257 {
		return 285, uint32(n - 3), 16
	}
	for i := len(lengthBase) - 2; ; i-- {
		if n >= int(lengthBase[i]) {
			return 257 + i, uint32(n - int(lengthBase[i])), lengthExtra[i]
		}
	}
}

func distCode(n int) (symbol int, extra uint32, count uint) {
	for c := maxDists - 1; ; c-- {
		if base, bits := distance(c); n >= base {
			return c, uint32(n - base), bits
		}
	}
}

type kind int

const (
	storedBlock kind = iota
	fixedBlock
	dynamicBlock
	mixedBlocks
)

// encode packs data into blocks of the given kind.
func encode(data []byte, k kind, rng *rand.Rand) []byte {
	w := &bitWriter{}
	list := tokens(data, rng)
	for at := 0; ; {
		n := min(len(list), 1+rng.IntN(4000))
		part, size := list[:n], 0
		for _, t := range part {
			size += max(t.length, 1)
		}
		list = list[n:]
		this := k
		if k == mixedBlocks {
			this = kind(rng.IntN(3))
		}
		if this == storedBlock && size > 0xffff {
			this = dynamicBlock
		}
		if len(list) == 0 {
			w.put(1, 1)
		} else {
			w.put(0, 1)
		}
		w.put(uint32(this), 2)
		switch this {
		case storedBlock:
			w.align()
			w.put(uint32(size), 16)
			w.put(uint32(^uint16(size)), 16)
			w.out = append(w.out, data[at:at+size]...)
			w.n += uint(size) * 8
		case fixedBlock:
			lit := make([]uint8, maxLiterals)
			for i := range lit {
				lit[i] = [...]uint8{8, 9, 7, 8}[min(i/144, 1)+max(0, min(i-255, 1))+max(0, min(i-279, 1))]
			}
			dist := make([]uint8, maxDists)
			for i := range dist {
				dist[i] = 5
			}
			w.symbols(part, lit, dist)
		case dynamicBlock:
			w.dynamic(part, rng)
		}
		at += size
		if len(list) == 0 {
			return w.out
		}
	}
}

func (w *bitWriter) dynamic(list []token, rng *rand.Rand) {
	lit, dist := make([]bool, maxLiterals-2), make([]bool, maxDists)
	lit[endOfBlock] = true
	for _, t := range list {
		if t.length == 0 {
			lit[t.literal] = true
			continue
		}
		s, _, _ := lengthCode(t.length)
		lit[s] = true
		s, _, _ = distCode(t.dist)
		dist[s] = true
	}
	litLengths, distLengths := randomCode(lit, maxBits, rng), randomCode(dist, maxBits, rng)
	// The lengths go out with runs now and then, so that all three repeat
	// codes are met.
	type piece struct {
		symbol int
		extra  uint32
		bits   uint
	}
	var pieces []piece
	all := append(append([]uint8{}, litLengths...), distLengths...)
	for i := 0; i < len(all); {
		run := 1
		for i+run < len(all) && all[i+run] == all[i] {
			run++
		}
		switch {
		case all[i] == 0 && run >= 11:
			run = min(run, 138)
			pieces = append(pieces, piece{18, uint32(run - 11), 7})
		case all[i] == 0 && run >= 3:
			pieces = append(pieces, piece{17, uint32(run - 3), 3})
		case i > 0 && all[i] == all[i-1] && run >= 3:
			run = min(run, 6)
			pieces = append(pieces, piece{16, uint32(run - 3), 2})
		default:
			run = 1
			pieces = append(pieces, piece{int(all[i]), 0, 0})
		}
		i += run
	}
	used := make([]bool, 19)
	for _, p := range pieces {
		used[p.symbol] = true
	}
	lengths := randomCode(used, 7, rng)
	codes := canonical(lengths)
	w.put(uint32(len(litLengths)-257), 5)
	w.put(uint32(len(distLengths)-1), 5)
	w.put(15, 4)
	for _, at := range lengthOrder {
		w.put(uint32(lengths[at]), 3)
	}
	for _, p := range pieces {
		w.code(codes[p.symbol], lengths[p.symbol])
		w.put(p.extra, p.bits)
	}
	w.symbols(list, litLengths, distLengths)
}

func (w *bitWriter) symbols(list []token, lit, dist []uint8) {
	litCodes, distCodes := canonical(lit), canonical(dist)
	for _, t := range list {
		if t.length == 0 {
			w.code(litCodes[t.literal], lit[t.literal])
			continue
		}
		s, extra, n := lengthCode(t.length)
		w.code(litCodes[s], lit[s])
		w.put(extra, uint(n))
		s, extra, m := distCode(t.dist)
		w.code(distCodes[s], dist[s])
		w.put(extra, m)
	}
	w.code(litCodes[endOfBlock], lit[endOfBlock])
}
