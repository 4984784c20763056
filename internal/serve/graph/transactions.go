package graph

import (
	"context"
	"fmt"
	"math/bits"
	"sort"
)

// Transactions returns one page of the rows that satisfy the filter, and how many do in all. It orders by ByAmount, ByYear,
// ByFunderName, ByFunderState, ByRecipName (the canonical name) and ByRecipState (the state of the row); any other key is
// ErrOrder. Strings are ordered byte by byte, an absent one before all others. Rows that are equal in the key are ordered by
// amount descending, then by grant key ascending, whatever the direction. A page past the end is empty.
func (g *Graph) Transactions(ctx context.Context, f *Filter, s Sort, p Page) (rows []Grant, hits int64, err error) {
	if err := g.Begin(); err != nil {
		return nil, 0, err
	}
	defer g.End()
	if !AboutGrants.hasOrder(s.By) {
		return nil, 0, fmt.Errorf("transactions: %w", ErrOrder)
	}
	page, err := remember(g, cacheKey(rowsAnswer, Question{About: AboutGrants, Filter: f, Sort: s, Page: p}), func() (*rowPage, int, error) {
		page, err := g.page(ctx, f, s, g.rowOrder(s.By), p)
		if err != nil {
			return nil, 0, err
		}
		return page, 4*len(page.rows) + 32, nil
	})
	if err != nil {
		return nil, 0, err
	}
	r := g.reader()
	rows = make([]Grant, len(page.rows))
	for i, row := range page.rows {
		rows[i] = r.grant(row)
	}
	return rows, page.hits, nil
}

type rowPage struct {
	rows []uint32
	hits int64
}

// rowOrder is the key that rows are ordered by before their amount, or nil.
func (g *Graph) rowOrder(by Order) func(row uint32) uint32 {
	switch by {
	case ByYear:
		return func(row uint32) uint32 { return uint32(g.cols.years[row]) }
	case ByFunderName:
		return func(row uint32) uint32 { return g.dict.funders[g.cols.funders[row]].Name }
	case ByFunderState:
		return func(row uint32) uint32 { return g.dict.funders[g.cols.funders[row]].State }
	case ByRecipName:
		return func(row uint32) uint32 { return g.dict.recips[g.cols.recips[row]].Name }
	case ByRecipState:
		return func(row uint32) uint32 { return g.dict.places[g.cols.places[row]].State }
	}
	return nil
}

// page finds the rows of a page. group is the key that they are ordered by before their amount, or nil.
func (g *Graph) page(ctx context.Context, f *Filter, s Sort, group func(uint32) uint32, p Page) (*rowPage, error) {
	if group == nil && f.only("min_amt") {
		// The rows stand next to each other in the order of amounts.
		lo, hi := g.ranks(f.MinAmount, f.MaxAmount)
		out := &rowPage{hits: int64(hi - lo)}
		from, to := p.within(out.hits)
		out.rows, _ = g.walk(&rowset{all: true}, lo, hi, s.Asc, int(from), int(to), g.rows)
		return out, ctx.Err()
	}
	e := g.evaluate(ctx)
	defer e.end()
	set, err := e.filter(f)
	if err != nil {
		return nil, err
	}
	out := &rowPage{hits: set.count}
	from, to := p.within(set.count)
	if from == to {
		return out, nil
	}
	// Walking the order of amounts reads each row on the way. Picking the page out of the set reads each row
	// of the set, and sorts the rows that stay. A walk is given up if it takes many times as long as for rows
	// at random places, because then all rows of the set are at the far end.
	pick := float64(set.count) * float64(bits.Len64(uint64(to))) / 2
	if from > int64(g.grain.near) {
		pick = 2 * float64(set.count+int64(g.grain.bins)) // counted in bins, then kept
	}
	if expected := float64(to) * float64(g.rows) / float64(set.count); group == nil && !set.short && expected < pick {
		lo, hi := g.ranks(f.MinAmount, f.MaxAmount)
		if rows, ok := g.walk(&set, lo, hi, s.Asc, int(from), int(to), int(min(pick, maxWalkFactor*expected))); ok {
			out.rows = rows
			return out, nil
		}
	}
	list, err := e.pick(&set, s, group, from, to)
	if err != nil {
		return nil, err
	}
	for _, it := range list {
		out.rows = append(out.rows, g.orders.byAmount[it.id])
	}
	return out, nil
}

// pick is the rows of a set from place from to place to-1, in order, each by its rank among all amounts.
func (e *evaluation) pick(set *rowset, s Sort, group func(uint32) uint32, from, to int64) ([]item, error) {
	g := e.g
	lo, hi := set.bounds()
	sign := int64(-1)
	if s.Asc {
		sign = 1
	}
	o := order{most: int64(g.rows), amount: func(int64) int64 { return 0 }}
	switch {
	case group != nil:
		groups := int64(g.dict.short.len())
		if s.By == ByYear {
			groups = MaxYears
		}
		o.lo, o.hi = min(0, sign*groups), max(0, sign*groups)
	case s.Asc:
		o.lo, o.hi, o.skewed = g.cols.amounts[g.orders.byAmount[g.rows-1]], g.cols.amounts[g.orders.byAmount[0]], true
	default:
		o.lo, o.hi = 0, int64(g.rows)
	}
	list, _, err := g.selectPage(o, from, to, e.inParts(g.evenCuts(lo, hi), func(best *selector, lo, hi int) {
		set.each(uint32(lo), uint32(hi), func(rows []uint32) {
			best.seen += int64(len(rows))
			switch {
			case group != nil:
				for _, row := range rows {
					if key := sign * int64(group(row)); !best.skips(key) {
						best.push(item{key: key, id: g.orders.rank[row]})
					}
				}
			case s.Asc:
				for _, row := range rows {
					if key := g.cols.amounts[row]; !best.skips(key) {
						best.push(item{key: key, id: g.orders.rank[row]})
					}
				}
			default:
				for _, row := range rows {
					if rank := g.orders.rank[row]; !best.skips(int64(rank)) {
						best.push(item{key: int64(rank), id: rank})
					}
				}
			}
		})
	}))
	return list, err
}

// maxWalkFactor is how many times as long as expected a walk may take.
const maxWalkFactor = 64

// walk goes through the rows in the order of amounts, within the ranks from lo to hi-1, and takes the rows of
// the set from place from to place to-1. It gives up after the given number of steps.
func (g *Graph) walk(set *rowset, lo, hi uint32, asc bool, from, to, steps int) (rows []uint32, ok bool) {
	rows = make([]uint32, 0, to-from)
	seen := 0
	visit := func(ranks []uint32) bool { // reports whether it is done
		if set.all && seen+len(ranks) <= from {
			seen += len(ranks)
			return false
		}
		for _, row := range ranks {
			if seen >= to {
				break
			}
			if steps--; steps < 0 {
				return true
			}
			if set.has(row) {
				if seen >= from {
					rows = append(rows, row)
				}
				seen++
			}
		}
		return seen >= to
	}
	if !asc {
		if set.all && from < to {
			return append(rows, g.orders.byAmount[int(lo)+from:int(lo)+to]...), true
		}
		visit(g.orders.byAmount[lo:hi])
		return rows, seen >= to
	}
	// Backwards, but rows of one amount stay in the order of their keys.
	for hi > lo && seen < to {
		amount := g.cols.amounts[g.orders.byAmount[hi-1]]
		start := lo + uint32(sort.Search(int(hi-lo), func(i int) bool { return g.cols.amounts[g.orders.byAmount[int(lo)+i]] <= amount }))
		if visit(g.orders.byAmount[start:hi]) {
			break
		}
		hi = start
	}
	return rows, seen >= to
}
