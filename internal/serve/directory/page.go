package directory

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
)

type Order uint8

const (
	ByRevenue Order = iota
	ByAssets
	ByExpenses
	ByGrantsPaid
	ByName
)

// Sort is an order and its direction. Organizations without the figure come last in both directions. Ties are in EIN order.
type Sort struct {
	By  Order
	Asc bool
}

// sortedPart is the largest set that is sorted for a page, instead of reading a whole order.
const sortedPart = 4096

// Page is a part of a set (nil for all), which has n members, in an order.
func (x *Index) Page(set Set, n int, s Sort, offset, limit int) ([]uint32, error) {
	if err := x.Begin(); err != nil {
		return nil, err
	}
	defer x.End()
	limit = max(0, min(limit, n-offset))
	if limit == 0 || offset < 0 {
		return nil, nil
	}
	page := make([]uint32, 0, limit)
	g := x.figure(s.By)
	have := len(g.up)
	if set != nil {
		have = set.countBoth(g.known())
	}
	if offset < have {
		page = g.page(page, set, have, s.Asc, offset, min(limit, have-offset))
	}
	if rest := limit - len(page); rest > 0 {
		page = x.without(page, set, g, max(0, offset-have), rest)
	}
	return page, nil
}

func (x *Index) figure(by Order) *figure {
	switch by {
	case ByAssets:
		return &x.assets
	case ByExpenses:
		return &x.expenses
	case ByGrantsPaid:
		return &x.grants
	case ByName:
		return &x.name
	}
	return &x.revenue
}

func (g *figure) page(to []uint32, set Set, have int, asc bool, offset, limit int) []uint32 {
	order := g.down
	if asc {
		order = g.up
	}
	switch {
	case set == nil || have == len(g.up):
		return append(to, order[offset:offset+limit]...)
	case have <= sortedPart:
		return append(to, g.sorted(set, have, asc)[offset:offset+limit]...)
	}
	at, before := g.start(set, have, asc, offset)
	skip, from := offset-before, len(to)
	for _, org := range order[at:] {
		if !set.has(org) {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if to = append(to, org); len(to)-from == limit {
			break
		}
	}
	return to
}

// start is where in the order the search for a page begins, the last cut before its first member, and how many members of the
// set precede it. In descending order a cut through equal values cannot be used, because ties keep their order.
func (g *figure) start(set Set, have int, asc bool, offset int) (at, before int) {
	within := func(k int) int { return set.countBoth(g.part(k)) } // in the first k parts
	if asc {
		k := sort.Search(cuts, func(k int) bool { return within(k+1) > offset })
		if k == cuts {
			k--
		}
		return g.cut(k), within(k)
	}
	k := sort.Search(cuts, func(k int) bool { return within(k) >= have-offset })
	for k < cuts && !g.clean(k) {
		k++
	}
	return len(g.up) - g.cut(k), have - within(k)
}

// clean reports whether the values on both sides of a cut differ.
func (g *figure) clean(k int) bool {
	at := g.cut(k)
	return at == 0 || at == len(g.up) || g.values[g.up[at-1]] != g.values[g.up[at]]
}

func (g *figure) sorted(set Set, have int, asc bool) []uint32 {
	list := make([]uint32, 0, have)
	known := g.known()
	for i, w := range set {
		for w &= known[i]; w != 0; w &= w - 1 {
			list = append(list, uint32(i<<6+bits.TrailingZeros64(w)))
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		order := cmp.Compare(g.values[a], g.values[b])
		if !asc {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a, b))
	})
	return list
}

// without appends a part of the members of a set that lack a figure.
func (x *Index) without(to []uint32, set Set, g *figure, offset, limit int) []uint32 {
	n, from := len(x.eins), len(to)
	for i, known := range g.known() {
		w := ^known
		if set != nil {
			w &= set[i]
		} else if last := n - i<<6; last < 64 {
			w &= 1<<last - 1
		}
		if c := bits.OnesCount64(w); offset >= c {
			offset -= c
			continue
		}
		for ; w != 0; w &= w - 1 {
			if offset--; offset >= 0 {
				continue
			}
			if to = append(to, uint32(i<<6+bits.TrailingZeros64(w))); len(to)-from == limit {
				return to
			}
		}
		offset = 0
	}
	return to
}
