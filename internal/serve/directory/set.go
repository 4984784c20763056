package directory

import (
	"math/bits"
	"sync"
)

// Set is a set of organizations: the bit of number i is bit i%64 of word i/64.
type Set []uint64

func wordsFor(n int) int { return (n + 63) / 64 }

func (s Set) has(org uint32) bool { return s[org>>6]>>(org&63)&1 != 0 }

func (s Set) add(orgs []uint32) {
	for _, o := range orgs {
		s[o>>6] |= 1 << (o & 63)
	}
}

func (s Set) remove(orgs []uint32) {
	for _, o := range orgs {
		s[o>>6] &^= 1 << (o & 63)
	}
}

func (s Set) union(other Set) {
	for i, w := range other {
		s[i] |= w
	}
}

func (s Set) intersect(other Set) {
	for i, w := range other {
		s[i] &= w
	}
}

func (s Set) subtract(other Set) {
	for i, w := range other {
		s[i] &^= w
	}
}

func (s Set) Count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s Set) countBoth(other Set) (n int) {
	for i, w := range other {
		n += bits.OnesCount64(s[i] & w)
	}
	return n
}

func (s Set) keep(holds func(uint32) bool) {
	for i, w := range s {
		for rest := w; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			if !holds(uint32(i<<6 + bit)) {
				w &^= 1 << bit
			}
		}
		s[i] = w
	}
}

func (s Set) fill(n int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if last := n & 63; last != 0 {
		s[len(s)-1] = 1<<last - 1
	}
}

// freeSets keeps a few sets for reuse, which would be garbage after every question.
type freeSets struct {
	mu   sync.Mutex
	list []Set
}

const mostFree = 8

func (f *freeSets) borrow(words int) Set {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.list); n > 0 {
		s := f.list[n-1]
		f.list = f.list[:n-1]
		clear(s)
		return s
	}
	return make(Set, words)
}

func (f *freeSets) give(s Set) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) < mostFree {
		f.list = append(f.list, s)
	}
}
