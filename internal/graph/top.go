package graph

import (
	"cmp"
	"slices"
)

// item is a row or a record with what it is ordered by: a key ascending, then
// the amount of its sums descending, then its number ascending. For a row the
// number is its place among all amounts and the sums are nothing.
type item struct {
	key int64
	id  uint32
	sums
}

func compareItems(a, b item) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	if a.Amount != b.Amount {
		return cmp.Compare(b.Amount, a.Amount)
	}
	return cmp.Compare(a.id, b.id)
}

// top keeps the first k of the items pushed. It holds at most twice as many at
// a time.
type top struct {
	k     int
	buf   []item
	full  bool
	limit item // when full, what does not come before it is out

	pushed int64 // how many there were, for those who count

	_ [40]byte // keeps neighbours, which belong to other cores, on lines of their own
}

// late reports whether an item with this key comes after the first k for
// certain: most do, and then the rest of the item need not be looked at.
func (t *top) late(key int64) bool { return t.full && key > t.limit.key }

func (t *top) push(it item) {
	if t.full && compareItems(it, t.limit) >= 0 || t.k == 0 {
		return
	}
	t.buf = append(t.buf, it)
	if len(t.buf) >= 2*t.k {
		t.trim()
	}
}

func (t *top) trim() {
	slices.SortFunc(t.buf, compareItems)
	if t.k > 0 && len(t.buf) >= t.k {
		t.buf = t.buf[:t.k]
		t.full, t.limit = true, t.buf[t.k-1]
	}
}

// merge is the first k of several, in order.
func merge(parts []top, k int) []item {
	var all []item
	for i := range parts {
		all = append(all, parts[i].buf...)
	}
	slices.SortFunc(all, compareItems)
	return all[:min(k, len(all))]
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
