// Package radix sorts and groups lists of millions, in time that does not grow faster than the list.
package radix

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
)

// Item is a key and the number of what it belongs to.
type Item struct {
	Key uint64
	Of  uint32
}

// Sort sorts by key, smallest first. Items with equal keys keep their order. Sort takes as much memory again as the list has,
// and one pass for each byte in which keys differ.
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

// Texts sorts by texts that begin with the keys, as Prefix makes them: by key, and items that share a key as compare says.
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

// Order returns the numbers from 0 to n-1, sorted by the key of each. Numbers that
// share a key are sorted by compare, or ascend if compare is nil.
func Order(n int, key func(i uint32) uint64, compare func(a, b uint32) int) []uint32 {
	list := make([]Item, n)
	for i := range list {
		list[i] = Item{key(uint32(i)), uint32(i)}
	}
	if compare == nil {
		Sort(list)
	} else {
		Texts(list, compare)
	}
	return Numbers(list)
}

// OrderTexts returns the numbers of texts in the order of the texts.
func OrderTexts(texts []string) []uint32 {
	return Order(len(texts), func(i uint32) uint64 { return Prefix(texts[i]) },
		func(a, b uint32) int { return strings.Compare(texts[a], texts[b]) })
}

// Numbers returns what the items belong to, in the order of the list.
func Numbers(list []Item) []uint32 {
	numbers := make([]uint32, len(list))
	for i, x := range list {
		numbers[i] = x.Of
	}
	return numbers
}

// Group returns the positions of a list by the group that stands there: those of
// group g are positions[starts[g]:starts[g+1]], in rising order.
func Group(list []uint32, groups int) (starts, positions []uint32) {
	starts, positions = make([]uint32, groups+1), make([]uint32, len(list))
	for _, g := range list {
		starts[g+1]++
	}
	for g := range groups {
		starts[g+1] += starts[g]
	}
	next := slices.Clone(starts)
	for i, g := range list {
		positions[next[g]] = uint32(i)
		next[g]++
	}
	return starts, positions
}

// Runs yields the runs of neighbors in a list that are the same.
func Runs[T any](list []T, same func(a, b T) bool) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for from := 0; from < len(list); {
			to := from + 1
			for to < len(list) && same(list[from], list[to]) {
				to++
			}
			if !yield(list[from:to]) {
				return
			}
			from = to
		}
	}
}

// Prefix is the beginning of a text as a key: if two texts have different keys, the smaller text has the smaller key.
func Prefix[T string | []byte](text T) uint64 {
	if len(text) >= 8 {
		return uint64(text[0])<<56 | uint64(text[1])<<48 | uint64(text[2])<<40 | uint64(text[3])<<32 |
			uint64(text[4])<<24 | uint64(text[5])<<16 | uint64(text[6])<<8 | uint64(text[7])
	}
	var head [8]byte
	copy(head[:], text)
	return binary.BigEndian.Uint64(head[:])
}

// Rising is a number as a key in the order of numbers.
func Rising(n int64) uint64 { return uint64(n) ^ 1<<63 }

// Falling is a number as a key, the largest first.
func Falling(n int64) uint64 { return ^Rising(n) }

// Intersect appends what two ascending lists have in common.
func Intersect[T cmp.Ordered](dst, a, b []T) []T {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			dst = append(dst, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return dst
}
