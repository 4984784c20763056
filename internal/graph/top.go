package graph

import "slices"

// top keeps the first k of the values pushed, in the order of compare. It
// holds at most twice as many at a time.
type top[T any] struct {
	k       int
	compare func(a, b T) int
	buf     []T
	full    bool
	limit   T // when full, what does not come before it is out
}

func (t *top[T]) push(v T) {
	if t.full && t.compare(v, t.limit) >= 0 || t.k == 0 {
		return
	}
	t.buf = append(t.buf, v)
	if len(t.buf) >= 2*t.k {
		t.trim()
	}
}

func (t *top[T]) trim() {
	slices.SortFunc(t.buf, t.compare)
	if t.k > 0 && len(t.buf) >= t.k {
		t.buf = t.buf[:t.k]
		t.full, t.limit = true, t.buf[t.k-1]
	}
}

// sorted is the first k in order.
func (t *top[T]) sorted() []T {
	t.trim()
	return t.buf
}

// within is the part of a list of n that a page shows. A page past the end, or
// one that makes no sense, shows nothing.
func (p Page) within(n int64) (from, to int64) {
	if p.Offset < 0 || p.Limit <= 0 || int64(p.Offset) >= n {
		return 0, 0
	}
	from = int64(p.Offset)
	return from, from + min(int64(p.Limit), n-from)
}
