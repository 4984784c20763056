package resolve

import (
	"math/bits"
	"sort"
)

// hashed is a list that is sorted by a hash. The top bits of a hash lead to the few entries that share them, so a
// lookup touches two or three cache lines however long the list is.
type hashed[T any] struct {
	list   []T
	hash   func(*T) uint64
	starts []uint32
	shift  uint
}

func newHashed[T any](list []T, hash func(*T) uint64) hashed[T] {
	width := max(bits.Len(uint(len(list)))-1, 1)
	x := hashed[T]{list: list, hash: hash, starts: make([]uint32, 1<<width+1), shift: uint(64 - width)}
	for i := range list {
		x.starts[hash(&list[i])>>x.shift+1]++
	}
	addUp(x.starts)
	return x
}

func (x *hashed[T]) of(h uint64) []T {
	if len(x.list) == 0 {
		return nil
	}
	near := x.list[x.starts[h>>x.shift]:x.starts[h>>x.shift+1]]
	near = near[sort.Search(len(near), func(i int) bool { return x.hash(&near[i]) >= h }):]
	return near[:sort.Search(len(near), func(i int) bool { return x.hash(&near[i]) > h })]
}

// addUp turns the size of each part, which stands one place after it, into where the part starts.
func addUp(starts []uint32) {
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
}
