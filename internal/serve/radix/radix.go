// Package radix sorts the long lists from which indexes are made by the bytes of
// their keys, in time that does not grow faster than the list.
package radix

import (
	"encoding/binary"
	"slices"
)

// Item is a key and the number of what it belongs to.
type Item struct {
	Key uint64
	Of  uint32
}

// Sort sorts by key, smallest first; equal ones stay as they stand. It takes as
// much memory again as the list has, and one pass for each byte in which keys
// differ.
func Sort(list []Item) {
	if len(list) < 2 {
		return
	}
	var counts [8][256]int
	for _, x := range list {
		for b := range counts {
			counts[b][byte(x.Key>>(8*b))]++
		}
	}
	from, to := list, make([]Item, len(list))
	for b := range counts {
		next := &counts[b]
		if next[byte(list[0].Key>>(8*b))] == len(list) {
			continue // all have the same byte
		}
		at := 0
		for value, n := range next {
			next[value] = at
			at += n
		}
		for _, x := range from {
			place := &next[byte(x.Key>>(8*b))]
			to[*place] = x
			*place++
		}
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}

// Texts sorts by texts that begin with the keys, as Prefix has them: by key, and
// those of one key as compare says.
func Texts(list []Item, compare func(a, b uint32) int) {
	Sort(list)
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j].Key == list[i].Key {
			j++
		}
		if j-i > 1 {
			slices.SortFunc(list[i:j], func(a, b Item) int { return compare(a.Of, b.Of) })
		}
		i = j
	}
}

// Prefix is the beginning of a text as a key: of two texts with different ones, the
// smaller text has the smaller.
func Prefix[T string | []byte](text T) uint64 {
	var head [8]byte
	copy(head[:], text)
	return binary.BigEndian.Uint64(head[:])
}

// Rising is a number as a key in the order of numbers.
func Rising(n int64) uint64 { return uint64(n) ^ 1<<63 }

// Falling is a number as a key, the largest first.
func Falling(n int64) uint64 { return ^Rising(n) }
