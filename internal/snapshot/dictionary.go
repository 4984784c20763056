package snapshot

import (
	"hash/maphash"

	"grantgraph/internal/hashtable"
)

// dictionary numbers the distinct values of a column in order of first appearance. It
// is faster than a map.
type dictionary[V comparable] struct {
	hash    func(V) uint32
	words   []V
	numbers hashtable.Table
}

var dictionarySeed = maphash.MakeSeed()

func hashText(s string) uint32 { return uint32(maphash.String(dictionarySeed, s)) }

func hashValue[V comparable](v V) uint32 { return uint32(maphash.Comparable(dictionarySeed, v)) }

func (d *dictionary[V]) number(value V) int32 {
	no, fresh := d.numbers.Number(d.hash(value), func(no uint32) bool { return d.words[no] == value })
	if fresh {
		d.words = append(d.words, value)
	}
	return int32(no)
}

func (d *dictionary[V]) reset() {
	d.numbers.Clear()
	clear(d.words) // frees the memory that they refer to
	d.words = d.words[:0]
}
