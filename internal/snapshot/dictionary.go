package snapshot

import "hash/maphash"

// dictionary numbers the distinct values of a column in the order first met. A map
// would do, but takes longer: here a value finds half of its hash in a table of
// numbers, and is compared with hardly any word but its own.
type dictionary[V comparable] struct {
	hash  func(V) uint32
	words []V
	table []dictionaryEntry // open addressing
}

// dictionaryEntry is half of a hash and the number of a word plus one, 0 when it
// is empty.
type dictionaryEntry uint64

func (e dictionaryEntry) hash() uint32  { return uint32(e >> 32) }
func (e dictionaryEntry) number() int32 { return int32(uint32(e)) - 1 }

var dictionarySeed = maphash.MakeSeed()

func hashText(s string) uint32 { return uint32(maphash.String(dictionarySeed, s)) }

func hashValue[V comparable](v V) uint32 { return uint32(maphash.Comparable(dictionarySeed, v)) }

// number is the number of a value, which is added when it is new.
func (d *dictionary[V]) number(value V) int32 {
	if len(d.words)*4 >= len(d.table)*3 {
		d.grow()
	}
	hash := d.hash(value)
	at := d.find(hash, value)
	if d.table[at] == 0 {
		d.words = append(d.words, value)
		d.table[at] = dictionaryEntry(hash)<<32 | dictionaryEntry(len(d.words))
	}
	return d.table[at].number()
}

// find is where a value stands in the table, or is to stand.
func (d *dictionary[V]) find(hash uint32, value V) uint32 {
	mask := uint32(len(d.table) - 1)
	at := hash & mask
	for e := d.table[at]; e != 0 && (e.hash() != hash || d.words[e.number()] != value); e = d.table[at] {
		at = (at + 1) & mask
	}
	return at
}

func (d *dictionary[V]) grow() {
	old := d.table
	d.table = make([]dictionaryEntry, max(64, 2*len(old)))
	mask := uint32(len(d.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		at := e.hash() & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = e
	}
}

// reset takes all words out.
func (d *dictionary[V]) reset() {
	clear(d.table)
	clear(d.words) // what they refer to is not held any longer
	d.words = d.words[:0]
}
