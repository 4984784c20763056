package graph

import (
	"context"
	"slices"

	"grantgraph/internal/ntee"
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

// If at most one row in complementPart is missing from a set, reading the missing rows, and the funders and
// recipients that they concern, is cheaper than reading the set.
const complementPart = 8

func (g *Graph) missingRows(set *rowset) (rows []uint32, few bool) {
	n := int64(g.rows) - set.count
	if set.all || set.short || n > int64(g.rows)/complementPart {
		return nil, false
	}
	rows = make([]uint32, 0, n+64)
	for i, w := range set.set { // empty outside of its range
		rows = bitset{^w}.appendTo(rows, uint32(i)<<6)
	}
	return rows[:n], true // without the bits past the last row
}

// missingRecipients is the recipients that have missing rows, if the missing rows
// are few; else it is nil. The stored totals hold for all other recipients.
func (g *Graph) missingRecipients(set *rowset) bitset {
	missing, few := g.missingRows(set)
	if !few {
		return nil
	}
	return touched(missing, g.cols.recips, len(g.dict.recips))
}

func touched(rows, col []uint32, keys int) bitset {
	out := make(bitset, wordsFor(keys))
	for _, row := range rows {
		out.set(col[row])
	}
	return out
}

// sumComplement is the summary of nearly all rows: the stored summary of all rows, minus the missing rows. It
// counts the funders and recipients that have missing rows again.
func (e *evaluation) sumComplement(set *rowset, missing []uint32) (*summary, error) {
	g := e.g
	var sum yearly
	funders, recips := g.distinctCounter(), g.distinctCounter()
	funders.n, recips.n = g.sums.all.Funders, g.sums.all.Recipients
	for i, y := range g.sums.years {
		sum.amounts[i], sum.grants[i] = y.Amount, y.Grants
		funders.byYear[i], recips.byYear[i] = y.Funders, y.Recips
	}
	for _, row := range missing {
		y := g.cols.years[row] & (MaxYears - 1)
		sum.amounts[y] -= g.cols.amounts[row]
		sum.grants[y]--
	}
	type change struct{ before, after distinctCounter }
	start := func() change { return change{g.distinctCounter(), g.distinctCounter()} }
	changed := start()
	for _, f := range touched(missing, g.cols.funders, len(g.dict.funders)).appendTo(nil, 0) {
		var all, left uint64
		for _, p := range g.sums.giving.yearsOf(f) {
			all |= 1 << (p.Year & (MaxYears - 1))
		}
		for row := g.postings.funderRows[f]; row < g.postings.funderRows[f+1] && left != all; row++ {
			left |= set.set[row>>6] >> (row & 63) & 1 << (g.cols.years[row] & (MaxYears - 1))
		}
		changed.before.add(all)
		changed.after.add(left)
	}
	funders.merge(&changed.after, 1)
	funders.merge(&changed.before, -1)

	some := touched(missing, g.cols.recips, len(g.dict.recips)).appendTo(nil, 0)
	parts, err := inParts(e.ctx, g.evenCuts(0, uint32(len(some))), start, func(c *change, from, to int) {
		for _, id := range some[from:to] {
			lo, hi := g.back.rows.off[id], g.back.rows.off[id+1]
			years := g.back.years[lo:hi]
			var all, left uint64
			for i, row := range g.back.rows.val[lo:hi] {
				y := years[i] & (MaxYears - 1)
				all |= 1 << y
				left |= set.set[row>>6] >> (row & 63) & 1 << y
			}
			c.before.add(all)
			c.after.add(left)
		}
	})
	for i := range parts {
		recips.merge(&parts[i].after, 1)
		recips.merge(&parts[i].before, -1)
	}
	return g.summary(&sum, &funders, &recips), err
}

// Excluded says what each class in f.Exclude takes away: the rows and dollars of the class among the rows
// that satisfy the filter without any exclusion. A row in two classes counts in both.
func (g *Graph) Excluded(ctx context.Context, f *Filter) (map[Class]Cost, error) {
	if err := g.Begin(); err != nil {
		return nil, err
	}
	defer g.End()
	rest := *f
	rest.Exclude = 0
	out := make(map[Class]Cost, classes)
	costs, err := remember(g, cacheKey(excludedAnswer, Question{About: AboutTotals, Filter: &rest}), func() ([]Cost, int, error) {
		list, err := g.classCosts(ctx, &rest)
		return list, 16 * classes, err
	})
	if err != nil {
		return nil, err
	}
	for i := range classes {
		if c := Class(1 << i); f.Exclude&c != 0 {
			out[c] = costs[i]
		}
	}
	return out, nil
}

func (g *Graph) classCosts(ctx context.Context, f *Filter) ([]Cost, error) {
	e := g.evaluate(ctx)
	defer e.end()
	set, err := e.filter(f)
	if err != nil {
		return nil, err
	}
	if set.all {
		return slices.Clone(g.sums.classes), nil
	}
	return e.sumIn(&set, g.postings.sets.class.all(classes))
}

// WiderBasis is what the subject of a filter would select in addition if inferred causes counted too: the
// rows and dollars of recipients without a code whose inferred letter is under the subject, and that satisfy
// the rest of the filter. It is zero where there is no subject or where they count already.
func (g *Graph) WiderBasis(ctx context.Context, f *Filter) (Cost, error) {
	if f.Subject.Empty() || f.SubjectBasis == ntee.Any {
		return Cost{}, nil
	}
	if err := g.Begin(); err != nil {
		return Cost{}, err
	}
	defer g.End()
	return remember(g, cacheKey(widerAnswer, Question{About: AboutTotals, Filter: f}), func() (cost Cost, size int, err error) {
		rest := *f
		rest.inferredOnly = true
		e := g.evaluate(ctx)
		defer e.end()
		set, err := e.filter(&rest)
		if err != nil {
			return cost, 0, err
		}
		err = set.chunks(ctx, g.grain.chunk, func(rows []uint32) {
			for _, row := range rows {
				cost.add(g.cols.amounts[row])
			}
		})
		return cost, 16, err
	})
}
