package graph

import (
	"context"
	"slices"
)

// summary is a remembered answer of Summary.
type summary struct {
	totals Totals
	years  []YearTotals
}

// Summary returns the totals of the rows that satisfy the filter, and the same
// for each fiscal year that has any, in ascending order. A funder or recipient
// counts once in the totals and once in each of its years.
func (g *Graph) Summary(ctx context.Context, f *Filter) (Totals, []YearTotals, error) {
	if err := g.begin(); err != nil {
		return Totals{}, nil, err
	}
	defer g.mu.RUnlock()
	key := cacheKey('s', Question{About: AboutTotals, Filter: f})
	found, ok := g.cache.get(key)
	if !ok {
		s, err := g.summarize(ctx, f)
		if err != nil {
			return Totals{}, nil, err
		}
		g.cache.put(key, s, 56*len(s.years)+96)
		found = s
	}
	s := found.(*summary)
	return s.totals, slices.Clone(s.years), nil
}

func (g *Graph) yearTotals(i int, t Totals) YearTotals {
	year := int(g.yearList[i])
	return YearTotals{FiscalYear: year, Totals: t, Partial: g.partial[year]}
}

func (g *Graph) summarize(ctx context.Context, f *Filter) (*summary, error) {
	q := g.ask(ctx)
	defer q.end()
	conds, err := q.conditions(f)
	if err != nil {
		return nil, err
	}
	if w, ok := g.whole(conds); ok {
		return q.sumWhole(w)
	}
	set, err := q.rows(conds)
	if err != nil {
		return nil, err
	}
	if set.all {
		s := &summary{totals: g.totals, years: make([]YearTotals, len(g.yearList))}
		for i, y := range g.yearSums {
			s.years[i] = g.yearTotals(i, Totals{y.Amount, y.Grants, y.Funders, y.Recips})
		}
		return s, nil
	}
	if missing, few := g.missing(&set); few {
		return q.sumRest(&set, missing)
	}
	sum, funders, err := q.sumYears(&set)
	if err != nil {
		return nil, err
	}
	recips, err := q.countRecipients(&set)
	if err != nil {
		return nil, err
	}
	return g.summary(&sum, &funders, &recips), nil
}

// yearly is what was given in each year.
type yearly struct{ amounts, grants [maxYears]int64 }

func (g *Graph) summary(sum *yearly, funders, recips *tally) *summary {
	s := &summary{totals: Totals{Funders: funders.n, Recipients: recips.n}, years: []YearTotals{}}
	funders.settle()
	recips.settle()
	for i := range g.yearList {
		s.totals.Amount += sum.amounts[i]
		s.totals.Grants += sum.grants[i]
		if sum.grants[i] > 0 {
			s.years = append(s.years, g.yearTotals(i, Totals{sum.amounts[i], sum.grants[i], funders.byYear[i], recips.byYear[i]}))
		}
	}
	return s
}

// sumYears goes through the rows in the order of funders.
func (q *question) sumYears(set *rowset) (sum yearly, funders tally, err error) {
	g := q.g
	lo, hi := set.bounds()
	at := g.cuts(lo, hi, g.funderRows)
	type part struct {
		yearly
		funders tally
	}
	parts := make([]part, len(at)-1)
	err = inParts(q.ctx, at, func(i, from, to int) {
		p := &parts[i]
		p.funders = g.tally()
		var mask uint64
		var funder uint32
		set.each(uint32(from), uint32(to), func(rows []uint32) {
			for len(rows) > 0 {
				if f := g.funders[rows[0]]; f != funder {
					p.funders.add(mask)
					mask, funder = 0, f
				}
				end, m, n := g.funderRows[funder+1], mask, 0
				for ; n < len(rows) && rows[n] < end; n++ {
					y := g.years[rows[n]] & (maxYears - 1)
					m |= 1 << y
					p.amounts[y] += g.amounts[rows[n]]
					p.grants[y]++
				}
				mask, rows = m, rows[n:]
			}
		})
		p.funders.add(mask)
	})
	funders = g.tally()
	for i := range parts {
		p := &parts[i]
		funders.merge(&p.funders)
		for y := range maxYears {
			sum.amounts[y] += p.amounts[y]
			sum.grants[y] += p.grants[y]
		}
	}
	return sum, funders, err
}

// countRecipients counts distinct recipients, in all and by year.
func (q *question) countRecipients(set *rowset) (recips tally, err error) {
	g := q.g
	if set.short || set.count < int64(g.rows)/sparse {
		return q.gatherYears(set)
	}
	at := g.cuts(0, uint32(g.rows), g.recipRows.off)
	parts := make([]tally, len(at)-1)
	words := set.set // empty outside of its range
	err = inParts(q.ctx, at, func(i, from, to int) {
		t := g.tally()
		off, val := g.recipRows.off, g.recipRows.val
		id, _ := slices.BinarySearch(off, uint32(from))
		for pos := from; pos < to; id++ {
			end := int(off[id+1])
			years := g.backYears[pos:end]
			var mask uint64
			for i, row := range val[pos:end] {
				// Without a branch: the bit of the row, at the place of its year.
				mask |= words[row>>6] >> (row & 63) & 1 << (years[i] & (maxYears - 1))
			}
			pos = end
			t.add(mask)
		}
		parts[i] = t
	})
	recips = g.tally()
	for i := range parts {
		recips.merge(&parts[i])
	}
	return recips, err
}

// gatherYears is countRecipients for few rows: a mask of years per recipient.
func (q *question) gatherYears(set *rowset) (recips tally, err error) {
	g := q.g
	masks := g.recipMasks()
	var touched []uint32
	err = set.chunks(q.ctx, g.grain.chunk, func(rows []uint32) {
		for _, row := range rows {
			r := g.recips[row]
			if masks[r] == 0 {
				touched = append(touched, r)
			}
			masks[r] |= 1 << (g.years[row] & (maxYears - 1))
		}
	})
	recips = g.tally()
	for _, r := range touched {
		recips.add(masks[r])
		masks[r] = 0
	}
	g.scratch.masks.give(masks)
	return recips, err
}
