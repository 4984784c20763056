package resolve

import (
	"math/bits"
	"sort"
)

// hashed is a list that is sorted by a hash. The top bits of a hash lead to the few entries that share them, so a
// lookup touches two or three cache lines however long the list is.
type hashed[T hashable] struct {
	list   []T
	starts []uint32
	shift  uint
}

// hashable is an entry with the hash that it is found by.
type hashable interface{ foundBy() uint64 }

func newHashed[T hashable](list []T) hashed[T] {
	width := max(bits.Len(uint(len(list)))-1, 1)
	x := hashed[T]{list: list, starts: make([]uint32, 1<<width+1), shift: uint(64 - width)}
	for i := range list {
		x.starts[list[i].foundBy()>>x.shift+1]++
	}
	addUp(x.starts)
	return x
}

func (x *hashed[T]) of(h uint64) []T {
	if len(x.list) == 0 {
		return nil
	}
	near := x.list[x.starts[h>>x.shift]:x.starts[h>>x.shift+1]]
	near = near[sort.Search(len(near), func(i int) bool { return near[i].foundBy() >= h }):]
	return near[:sort.Search(len(near), func(i int) bool { return near[i].foundBy() > h })]
}

// addUp turns the size of each part, which stands one place after it, into where the part starts.
func addUp(starts []uint32) {
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
}
