package directory

import (
	"math"
	"sort"

	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot/mapped"
)

const unknown = math.MinInt64

const cuts = 16

// figure is a number that many organizations have, and their order by it.
type figure struct {
	values []int64  // by organization
	up     []uint32 // those with a value, smallest first; ties by number
	down   []uint32 // the same, largest first; ties by number; empty if results are not sorted by it
	parts  Set      // the sets of the first sixteenth of up, the first two, and so on
}

func (g *figure) add(value *int64) {
	v := int64(unknown)
	if value != nil {
		v = *value
	}
	g.values = append(g.values, v)
}

// makeOrder orders the values. sortable is for figures by which results are sorted.
func (g *figure) makeOrder(sortable bool) {
	var list []radix.Item
	for org, v := range g.values {
		if v != unknown {
			list = append(list, radix.Item{Key: radix.Rising(v), Of: uint32(org)})
		}
	}
	radix.Sort(list)
	g.up = radix.Numbers(list)
	if sortable {
		// Runs of equal values swap places and keep their inner order.
		g.down = make([]uint32, 0, len(g.up))
		for hi := len(g.up); hi > 0; {
			lo := hi - 1
			for lo > 0 && g.values[g.up[lo-1]] == g.values[g.up[lo]] {
				lo--
			}
			g.down = append(g.down, g.up[lo:hi]...)
			hi = lo
		}
	}
	g.parts = make(Set, cuts*wordsFor(len(g.values)))
	for k := 1; k <= cuts; k++ {
		part := g.part(k)
		copy(part, g.part(k-1))
		part.add(g.up[g.cut(k-1):g.cut(k)])
	}
}

// cut is the number of organizations in the first k parts.
func (g *figure) cut(k int) int { return k * len(g.up) / cuts }

// part is the set of the organizations in the first k parts, nil if k is 0.
func (g *figure) part(k int) Set {
	if k == 0 {
		return nil
	}
	words := wordsFor(len(g.values))
	return g.parts[(k-1)*words : k*words]
}

func (g *figure) known() Set { return g.part(cuts) }

func (g *figure) layout(l mapped.Layout, name string, n int, sortable bool) {
	mapped.Field(l, name+".value", &g.values, n)
	mapped.Field(l, name+".up", &g.up, mapped.AnyLength)
	mapped.Field(l, name+".down", &g.down, mapped.AnyLength)
	mapped.Field(l, name+".parts", (*[]uint64)(&g.parts), cuts*wordsFor(n))
	l.Check(func() bool {
		return len(g.up) == g.known().Count() && (len(g.down) == len(g.up) || !sortable && len(g.down) == 0)
	}, "the orders of %s have the wrong length", name)
	checkBelow(l, name+".up", g.up, n)
	checkBelow(l, name+".down", g.down, n)
}

// Range is a range of a figure, both ends included; a nil end is open. An organization without the figure is in no range.
type Range struct{ Min, Max *int64 }

func (r Range) Empty() bool { return r.Min == nil && r.Max == nil }

func (g *figure) bounds(r Range) (lo, hi int) {
	hi = len(g.up)
	if r.Max != nil {
		hi = sort.Search(len(g.up), func(i int) bool { return g.values[g.up[i]] > *r.Max })
	}
	if r.Min != nil {
		lo = sort.Search(len(g.up), func(i int) bool { return g.values[g.up[i]] >= *r.Min })
	}
	return min(lo, hi), hi
}

func (g *figure) between(r Range) condition {
	lo, hi := g.bounds(r)
	least, most := int64(unknown+1), int64(math.MaxInt64)
	if r.Min != nil {
		least = max(least, *r.Min)
	}
	if r.Max != nil {
		most = *r.Max
	}
	return condition{
		size: hi - lo,
		fill: func(set Set) { g.fill(set, lo, hi) },
		has:  func(org uint32) bool { v := g.values[org]; return v >= least && v <= most },
	}
}

// fill adds the organizations lo to hi-1 of up to an empty set: a long range is the difference of two stored sets, corrected.
func (g *figure) fill(set Set, lo, hi int) {
	if n := len(g.up); hi-lo <= 2*n/cuts {
		set.add(g.up[lo:hi])
		return
	}
	first, last := g.nearest(lo), g.nearest(hi)
	copy(set, g.part(last))
	set.subtract(g.part(first))
	if at := g.cut(last); at < hi {
		set.add(g.up[at:hi])
	} else {
		set.remove(g.up[hi:at])
	}
	if at := g.cut(first); at < lo {
		set.remove(g.up[at:lo])
	} else {
		set.add(g.up[lo:at])
	}
}

func (g *figure) nearest(at int) int {
	k := at * cuts / len(g.up)
	if k < cuts && g.cut(k+1)-at < at-g.cut(k) {
		k++
	}
	return k
}
