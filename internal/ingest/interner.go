package ingest

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unsafe"
)

// interner gives each distinct byte string a small number, in the order first
// seen, and keeps all of them in one arena: no pointer per string for the
// collector to follow, however many there are.
type interner struct {
	arena []byte
	ends  []uint64 // ends[i] is where string i stops in the arena
	table []slot   // open addressing
}

// slot is an entry of the table: half of a hash and the number of the string plus
// one, 0 when it is empty. Most strings that are not the one that is looked up
// differ in the hash, and need not be fetched from the arena to be told apart.
type slot uint64

func (s slot) hash() uint32 { return uint32(s >> 32) }
func (s slot) id() uint32   { return uint32(s) - 1 }

var internerSeed = maphash.MakeSeed()

func newInterner() *interner { return &interner{table: make([]slot, 1<<10)} }

// id returns the number of b, adding it when it is new.
func (in *interner) id(b []byte) uint32 {
	if uint64(len(in.ends))*4 >= uint64(len(in.table))*3 {
		in.grow()
	}
	hash := uint32(maphash.Bytes(internerSeed, b))
	mask := uint32(len(in.table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch s := in.table[i]; {
		case s == 0:
			in.arena = append(in.arena, b...)
			in.ends = append(in.ends, uint64(len(in.arena)))
			in.table[i] = slot(hash)<<32 | slot(len(in.ends))
			return uint32(len(in.ends) - 1)
		case s.hash() == hash && in.at(s.id()) == string(b):
			return s.id()
		}
	}
}

// at returns string i. It shares the memory of the arena, which is only added to
// until reset takes all strings out.
func (in *interner) at(i uint32) string {
	text := in.bytes(i)
	return unsafe.String(unsafe.SliceData(text), len(text))
}

func (in *interner) bytes(i uint32) []byte {
	var start uint64
	if i > 0 {
		start = in.ends[i-1]
	}
	return in.arena[start:in.ends[i]]
}

func (in *interner) len() int { return len(in.ends) }

// join adds the strings of another in their order and returns the number that
// each of them has here.
func (in *interner) join(other *interner) []uint32 {
	ids := make([]uint32, other.len())
	for i := range ids {
		ids[i] = in.id(other.bytes(uint32(i)))
	}
	return ids
}

// reset takes all strings out. Those that at has returned are void then.
func (in *interner) reset() {
	in.arena, in.ends = in.arena[:0], in.ends[:0]
	clear(in.table)
}

// freeze gives back the memory that only more strings would need. There can be
// none afterwards.
func (in *interner) freeze() {
	in.table = nil
	in.arena, in.ends = bytes.Clone(in.arena), slices.Clone(in.ends)
}

func (in *interner) grow() {
	old := in.table
	in.table = make([]slot, 2*len(old))
	mask := uint32(len(in.table) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := s.hash() & mask
		for in.table[i] != 0 {
			i = (i + 1) & mask
		}
		in.table[i] = s
	}
}
