package graph

import (
	"context"
	"slices"
)

type summary struct {
	totals Totals
	years  []YearTotals
}

// Summary returns the totals of the rows that satisfy the filter, and the same for each fiscal year that has
// any, in ascending order. A funder or recipient counts once in the totals and once in each of its years.
func (g *Graph) Summary(ctx context.Context, f *Filter) (Totals, []YearTotals, error) {
	if err := g.Begin(); err != nil {
		return Totals{}, nil, err
	}
	defer g.End()
	s, err := remember(g, cacheKey(summaryAnswer, Question{About: AboutTotals, Filter: f}), func() (*summary, int, error) {
		s, err := g.summarize(ctx, f)
		if err != nil {
			return nil, 0, err
		}
		return s, 56*len(s.years) + 96, nil
	})
	if err != nil {
		return Totals{}, nil, err
	}
	return s.totals, slices.Clone(s.years), nil
}

func (g *Graph) yearTotals(i int, t Totals) YearTotals {
	year := int(g.dict.years[i])
	return YearTotals{FiscalYear: year, Totals: t, Partial: g.dict.partial[year]}
}

func (g *Graph) summarize(ctx context.Context, f *Filter) (*summary, error) {
	e := g.evaluate(ctx)
	defer e.end()
	conditions, err := e.conditions(f)
	if err != nil {
		return nil, err
	}
	if len(conditions) > 0 {
		if s, ok, err := e.sumCells(f); ok || err != nil {
			return s, err
		}
	}
	if w, ok := g.wholeFunders(conditions); ok {
		return e.sumWholeFunders(w)
	}
	set, err := e.rows(conditions)
	if err != nil {
		return nil, err
	}
	if set.all {
		s := &summary{totals: g.sums.all, years: make([]YearTotals, len(g.dict.years))}
		for i, y := range g.sums.years {
			s.years[i] = g.yearTotals(i, Totals{y.Amount, y.Grants, y.Funders, y.Recips})
		}
		return s, nil
	}
	if missing, few := g.missingRows(&set); few {
		return e.sumComplement(&set, missing)
	}
	sum, funders, err := e.sumYears(&set)
	if err != nil {
		return nil, err
	}
	recips, err := e.countRecipients(&set)
	if err != nil {
		return nil, err
	}
	return g.summary(&sum, &funders, &recips), nil
}

type yearly struct{ amounts, grants [MaxYears]int64 }

func (g *Graph) summary(sum *yearly, funders, recips *distinctCounter) *summary {
	s := &summary{totals: Totals{Funders: funders.n, Recipients: recips.n}, years: []YearTotals{}}
	funders.flush()
	recips.flush()
	for i := range g.dict.years {
		s.totals.Amount += sum.amounts[i]
		s.totals.Grants += sum.grants[i]
		if sum.grants[i] > 0 {
			s.years = append(s.years, g.yearTotals(i, Totals{sum.amounts[i], sum.grants[i], funders.byYear[i], recips.byYear[i]}))
		}
	}
	return s
}

// sumYears goes through the rows in the order of funders.
func (e *evaluation) sumYears(set *rowset) (sum yearly, funders distinctCounter, err error) {
	g := e.g
	type part struct {
		yearly
		funders distinctCounter
	}
	lo, hi := set.bounds()
	start := func() part { return part{funders: g.distinctCounter()} }
	parts, err := inParts(e.ctx, g.cuts(lo, hi, g.postings.funderRows), start, func(p *part, from, to int) {
		var mask uint64
		var funder uint32
		set.each(uint32(from), uint32(to), func(rows []uint32) {
			for len(rows) > 0 {
				if f := g.cols.funders[rows[0]]; f != funder {
					p.funders.add(mask)
					mask, funder = 0, f
				}
				end, m, n := g.postings.funderRows[funder+1], mask, 0
				for ; n < len(rows) && rows[n] < end; n++ {
					y := g.cols.years[rows[n]] & (MaxYears - 1)
					m |= 1 << y
					p.amounts[y] += g.cols.amounts[rows[n]]
					p.grants[y]++
				}
				mask, rows = m, rows[n:]
			}
		})
		p.funders.add(mask)
	})
	funders = g.distinctCounter()
	for i := range parts {
		p := &parts[i]
		funders.merge(&p.funders, 1)
		for y := range MaxYears {
			sum.amounts[y] += p.amounts[y]
			sum.grants[y] += p.grants[y]
		}
	}
	return sum, funders, err
}
