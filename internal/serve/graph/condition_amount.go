package graph

import (
	"math/bits"
	"sort"
)

// ranks is the part of byAmount within the bounds.
func (g *Graph) ranks(least, most *int64) (lo, hi uint32) {
	hi = uint32(g.rows)
	if most != nil {
		lo = uint32(sort.Search(g.rows, func(i int) bool { return g.cols.amounts[g.orders.byAmount[i]] <= *most }))
	}
	if least != nil {
		hi = uint32(sort.Search(g.rows, func(i int) bool { return g.cols.amounts[g.orders.byAmount[i]] < *least }))
	}
	return lo, max(lo, hi)
}

// scatterPart says when a range of amounts is small: less than one in so many rows. Setting bits at random places for a small
// range is cheaper than testing all rows in order. The same holds for the rows outside of a large range.
const scatterPart = 8

// amountSteps are amounts that people often ask for, ascending. The index stores
// for each the set of rows with at least that amount.
var amountSteps = [...]int64{1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 10_000_000}

// amountConds are the conditions of a range of amounts. If the range begins and
// ends at steps and has many rows, the conditions are the stored sets.
func (g *Graph) amountConds(least, most *int64) []condition {
	lo, hi := g.ranks(least, most)
	if lo == hi || int(hi-lo) < g.rows/scatterPart {
		return []condition{g.rankCond(lo, hi)}
	}
	var list []condition
	for _, end := range [...]struct {
		rank uint32
		not  bool
	}{{hi, false}, {lo, true}} {
		if end.rank == 0 || int(end.rank) == g.rows {
			continue
		}
		step, ok := g.amountStep(end.rank)
		if !ok {
			return []condition{g.rankCond(lo, hi)}
		}
		c := g.union(g.postings.sets.amount.at(step))
		c.not = end.not
		list = append(list, c)
	}
	return list
}

// amountStep is the step that exactly the first rows of byAmount reach.
func (g *Graph) amountStep(rows uint32) (step int, ok bool) {
	least := g.cols.amounts[g.orders.byAmount[rows-1]]
	below := g.cols.amounts[g.orders.byAmount[rows]]
	step = sort.Search(len(amountSteps), func(i int) bool { return amountSteps[i] > below })
	return step, step < len(amountSteps) && amountSteps[step] <= least
}

func (g *Graph) rankCond(lo, hi uint32) condition {
	if lo == hi {
		return nothing()
	}
	c := condition{bound: int64(hi - lo), ranks: span{lo, hi}, test: func(row uint32) bool { return g.orders.rank[row]-lo < hi-lo }}
	c.list = func(dst []uint32) []uint32 { return append(dst, g.orders.byAmount[lo:hi]...) }
	if int(hi-lo) < g.rows/scatterPart {
		c.scatter = func(to bitset) {
			for _, row := range g.orders.byAmount[lo:hi] {
				to.set(row)
			}
		}
	} else if g.rows-int(hi-lo) < g.rows/scatterPart {
		c.fewOutside = func(to bitset) {
			for _, row := range g.orders.byAmount[:lo] {
				to.set(row)
			}
			for _, row := range g.orders.byAmount[hi:] {
				to.set(row)
			}
		}
	}
	return c
}

// keepRanks removes the rows, numbered from base, whose amounts are outside of the range of ranks.
func (g *Graph) keepRanks(set bitset, base uint32, ranks span) {
	lo, n := ranks.lo, ranks.hi-ranks.lo
	for i, w := range set {
		if w == 0 {
			continue
		}
		at := base + uint32(i)<<6
		// The loops have no branch on the amount, which the processor could not predict.
		var kept uint64
		if w == ^uint64(0) {
			for j, r := range g.orders.rank[at : at+64] {
				var in uint64
				if r-lo < n {
					in = 1
				}
				kept |= in << j
			}
			set[i] = kept
			continue
		}
		for m := w; m != 0; m &= m - 1 {
			j := bits.TrailingZeros64(m)
			var in uint64
			if g.orders.rank[at+uint32(j)]-lo < n {
				in = 1
			}
			kept |= in << j
		}
		set[i] = kept
	}
}
