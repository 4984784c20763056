package ingest

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"grantgraph/internal/hashtable"
)

// interner gives each distinct byte string a small number, in the order first
// seen, and keeps all of them in few blocks: no pointer per string for the
// collector to follow, however many there are, and nothing to move when there
// are more of them.
type interner struct {
	blocks [][]byte
	ends   []uint64 // where string i stops, counted through the blocks
	hashes []uint32 // of the strings
	table  hashtable.Table
}

// A string stands within one block, but for one that is longer: that has
// consecutive blocks of one piece of memory to itself, of which each reaches to
// its end.
const (
	blockBits = 20
	blockSize = 1 << blockBits
)

var internerSeed = maphash.MakeSeed()

func newInterner() *interner { return &interner{} }

// id returns the number of b, adding it when it is new.
func (in *interner) id(b []byte) uint32 { return in.hashed(b, uint32(maphash.Bytes(internerSeed, b))) }

// hashed is id for a string whose hash is known.
func (in *interner) hashed(b []byte, hash uint32) uint32 {
	id, fresh := in.table.Number(hash, func(id uint32) bool { return in.at(id) == string(b) })
	if fresh {
		in.keep(b)
		in.hashes = append(in.hashes, hash)
	}
	return id
}

// keep appends a string to the blocks.
func (in *interner) keep(b []byte) {
	at := in.end(len(in.ends))
	if at%blockSize+uint64(len(b)) > blockSize {
		at = nextBlock(at)
	}
	if len(b) > 0 {
		block := int(at >> blockBits)
		if block < len(in.blocks) && len(in.blocks[block])-int(at%blockSize) < len(b) {
			in.blocks = in.blocks[:block] // left over from before a reset, and too small
		}
		if block == len(in.blocks) {
			room := make([]byte, nextBlock(uint64(len(b))))
			for from := 0; from < len(room); from += blockSize {
				in.blocks = append(in.blocks, room[from:])
			}
		}
		copy(in.blocks[block][at%blockSize:], b)
	}
	in.ends = append(in.ends, at+uint64(len(b)))
}

// nextBlock is where the first block starts that is not before at.
func nextBlock(at uint64) uint64 { return (at + blockSize - 1) &^ (blockSize - 1) }

// end is where the first n strings end.
func (in *interner) end(n int) uint64 {
	if n == 0 {
		return 0
	}
	return in.ends[n-1]
}

// at returns string i. It shares the memory of its block, which is not written
// again until reset takes all strings out.
func (in *interner) at(i uint32) string {
	text := in.bytes(i)
	return unsafe.String(unsafe.SliceData(text), len(text))
}

func (in *interner) bytes(i uint32) []byte {
	start, end := in.end(int(i)), in.ends[i]
	if start == end {
		return nil
	}
	if start>>blockBits != (end-1)>>blockBits {
		start = nextBlock(start) // the rest of the block was too small for it
	}
	return in.blocks[start>>blockBits][start%blockSize:][:end-start]
}

// first is the first byte of string i, 0 where it has none.
func (in *interner) first(i uint32) byte {
	if b := in.bytes(i); len(b) > 0 {
		return b[0]
	}
	return 0
}

func (in *interner) len() int { return len(in.ends) }

// join adds the strings of another in their order and returns the number that
// each of them has here.
func (in *interner) join(other *interner) []uint32 {
	ids := make([]uint32, other.len())
	for from := 0; from < len(ids); from += fetchedAtOnce {
		to := min(from+fetchedAtOnce, len(ids))
		in.fetch(other.hashes[from:to])
		for i := from; i < to; i++ {
			ids[i] = in.hashed(other.bytes(uint32(i)), other.hashes[i])
		}
	}
	return ids
}

// fetchedAtOnce is for how many strings the memory is fetched together.
const fetchedAtOnce = 64

// fetch reads what strings with these hashes will be compared with. Where there
// are millions it is in no cache; but to wait for many pieces of memory together
// takes little longer than to wait for one.
//
//go:noinline
func (in *interner) fetch(hashes []uint32) (last byte) {
	var ids [fetchedAtOnce]uint32
	var found [fetchedAtOnce]bool
	for i, hash := range hashes {
		ids[i], found[i] = in.table.Guess(hash)
	}
	var ends [fetchedAtOnce]uint64
	for i := range hashes {
		if found[i] {
			ends[i] = in.ends[ids[i]]
		}
	}
	for _, end := range ends[:len(hashes)] {
		if end > 0 {
			last ^= in.blocks[(end-1)>>blockBits][(end-1)%blockSize]
		}
	}
	return last
}

// reset takes all strings out. Those that at has returned are void then.
func (in *interner) reset() {
	in.ends, in.hashes = in.ends[:0], in.hashes[:0]
	in.table.Clear()
}

// freeze gives back the memory that only more strings would need. There can be
// none afterwards.
func (in *interner) freeze() {
	in.table, in.hashes = hashtable.Table{}, nil
	in.ends = slices.Clone(in.ends)
}
