package ingest

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"grantgraph/internal/hashtable"
)

// interner gives each distinct byte string a small number, in the order first seen. It keeps the strings in a
// few large blocks: the garbage collector follows no pointer per string, and growing moves no strings.
type interner struct {
	blocks [][]byte
	ends   []uint64 // where string i ends, counted through the blocks
	hashes []uint32 // of the strings
	table  hashtable.Table
}

// A string lies within one block. A string longer than a block gets several consecutive blocks that share one
// piece of memory; the slice of each of these blocks reaches to the end of the string.
const (
	blockBits = 20
	blockSize = 1 << blockBits
)

var internerSeed = maphash.MakeSeed()

func newInterner() *interner { return &interner{} }

// id returns the number of b, adding it when it is new.
func (in *interner) id(b []byte) uint32 { return in.hashed(b, uint32(maphash.Bytes(internerSeed, b))) }

// hashed is id for a string whose hash is already known.
func (in *interner) hashed(b []byte, hash uint32) uint32 {
	id, fresh := in.table.Number(hash, func(id uint32) bool { return in.at(id) == string(b) })
	if fresh {
		in.keep(b)
		in.hashes = append(in.hashes, hash)
	}
	return id
}

func (in *interner) keep(b []byte) {
	at := in.end(len(in.ends))
	if at%blockSize+uint64(len(b)) > blockSize {
		at = nextBlock(at)
	}
	if len(b) > 0 {
		block := int(at >> blockBits)
		if block < len(in.blocks) && len(in.blocks[block])-int(at%blockSize) < len(b) {
			in.blocks = in.blocks[:block] // left from before a reset, and too small
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

// nextBlock is the start of the first block at or after at.
func nextBlock(at uint64) uint64 { return (at + blockSize - 1) &^ (blockSize - 1) }

func (in *interner) end(n int) uint64 {
	if n == 0 {
		return 0
	}
	return in.ends[n-1]
}

// at returns string i. The result shares the memory of its block, which is reused only after reset.
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
		start = nextBlock(start) // the rest of the block was too small for this string
	}
	return in.blocks[start>>blockBits][start%blockSize:][:end-start]
}

func (in *interner) first(i uint32) byte {
	if b := in.bytes(i); len(b) > 0 {
		return b[0]
	}
	return 0
}

func (in *interner) len() int { return len(in.ends) }

// join adds all strings of another interner in their order, and returns the new number of each.
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

// fetchedAtOnce is how many strings are fetched from memory together.
const fetchedAtOnce = 64

// fetch reads the memory that strings with these hashes will be compared with. Among millions of strings,
// that memory is in no cache. Waiting for many reads at once takes little longer than waiting for one.
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

// reset removes all strings. Strings that at returned earlier become invalid.
func (in *interner) reset() {
	in.ends, in.hashes = in.ends[:0], in.hashes[:0]
	in.table.Clear()
}

// freeze frees the memory that only more strings would need. No strings can be added afterwards.
func (in *interner) freeze() {
	in.table, in.hashes = hashtable.Table{}, nil
	in.ends = slices.Clone(in.ends)
}
