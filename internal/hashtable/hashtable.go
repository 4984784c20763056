// Package hashtable numbers distinct things by their hashes, in the order first met. The caller keeps the things. A table of
// pointers to tens of millions of texts would be slow to fill and slow to collect; this one holds numbers only.
package hashtable

// Table is an open hash table. The zero value is an empty table.
type Table struct {
	slots []slot
	used  int
}

// slot is the hash of a thing and its number plus one, or 0 if it is empty. Most things that are not the one looked for have
// another hash, so that they are told apart without a look at the thing, which is far away in memory.
type slot uint64

func (s slot) hash() uint32   { return uint32(s >> 32) }
func (s slot) number() uint32 { return uint32(s) - 1 }

// Number returns the number of the thing that has this hash and for which same
// reports true. If the table has no such thing, it gives out the next number.
func (t *Table) Number(hash uint32, same func(number uint32) bool) (number uint32, fresh bool) {
	if 4*t.used >= 3*len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	at := hash & mask
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		if s := t.slots[at]; s.hash() == hash && same(s.number()) {
			return s.number(), false
		}
	}
	t.used++
	t.slots[at] = slot(hash)<<32 | slot(t.used)
	return uint32(t.used - 1), true
}

// Guess returns the number that a thing with this hash most likely has. It reads one slot and compares no things, so that
// callers can fetch the memory of many things before they look them up.
func (t *Table) Guess(hash uint32) (number uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := t.slots[hash&uint32(len(t.slots)-1)]
	return s.number(), s != 0 && s.hash() == hash
}

// Clear removes all numbers and keeps the memory.
func (t *Table) Clear() {
	clear(t.slots)
	t.used = 0
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, max(64, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := s.hash() & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}
