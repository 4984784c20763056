package ingest

import (
	"hash/maphash"
	"unsafe"
)

// interner gives each distinct byte string a small number, in the order first
// seen, and keeps all of them in one arena: no pointer per string for the
// collector to follow, however many there are.
type interner struct {
	seed  maphash.Seed
	arena []byte
	ends  []uint64 // ends[i] is where string i stops in the arena
	table []uint32 // open addressing; 0 is empty, else id+1
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), table: make([]uint32, 1<<10)}
}

// id returns the number of b, adding it when it is new.
func (in *interner) id(b []byte) uint32 {
	if uint64(len(in.ends))*4 >= uint64(len(in.table))*3 {
		in.grow()
	}
	mask := uint64(len(in.table) - 1)
	for i := maphash.Bytes(in.seed, b) & mask; ; i = (i + 1) & mask {
		slot := in.table[i]
		if slot == 0 {
			in.arena = append(in.arena, b...)
			in.ends = append(in.ends, uint64(len(in.arena)))
			in.table[i] = uint32(len(in.ends))
			return uint32(len(in.ends) - 1)
		}
		if in.at(slot-1) == string(b) {
			return slot - 1
		}
	}
}

// at returns string i. It shares the memory of the arena, which is only ever
// added to.
func (in *interner) at(i uint32) string {
	var start uint64
	if i > 0 {
		start = in.ends[i-1]
	}
	text := in.arena[start:in.ends[i]]
	return unsafe.String(unsafe.SliceData(text), len(text))
}

func (in *interner) len() int { return len(in.ends) }

func (in *interner) grow() {
	in.table = make([]uint32, 2*len(in.table))
	mask := uint64(len(in.table) - 1)
	for id := range in.ends {
		i := maphash.String(in.seed, in.at(uint32(id))) & mask
		for in.table[i] != 0 {
			i = (i + 1) & mask
		}
		in.table[i] = uint32(id + 1)
	}
}
