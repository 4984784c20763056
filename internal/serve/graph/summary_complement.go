package graph

// Where at most one row in complementPart is left out, it is cheaper to look at what is
// missing, and at those it concerns, than at all that is left.
const complementPart = 8

// missingRows is the rows that a set leaves out, if they are few.
func (g *Graph) missingRows(set *rowset) (rows []uint32, few bool) {
	n := int64(g.rows) - set.count
	if set.all || set.short || n > int64(g.rows)/complementPart {
		return nil, false
	}
	rows = make([]uint32, 0, n+64)
	for i, w := range set.set { // empty outside of its range
		rows = bitset{^w}.appendTo(rows, uint32(i)<<6)
	}
	return rows[:n], true // without those past the end
}

// touched is the keys that rows have in a column.
func touched(rows, col []uint32, keys int) bitset {
	out := make(bitset, wordsFor(keys))
	for _, row := range rows {
		out.set(col[row])
	}
	return out
}

// sumComplement is the summary of nearly all rows: that of all, without what is
// missing. Whoever has a missing row is counted anew.
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
		y := g.cols.years[row] & (maxYears - 1)
		sum.amounts[y] -= g.cols.amounts[row]
		sum.grants[y]--
	}
	before, after := g.distinctCounter(), g.distinctCounter()
	for _, f := range touched(missing, g.cols.funders, len(g.dict.funders)).appendTo(nil, 0) {
		var all, left uint64
		for _, p := range g.sums.giving.yearsOf(f) {
			all |= 1 << (p.Year & (maxYears - 1))
		}
		for row := g.postings.funderRows[f]; row < g.postings.funderRows[f+1] && left != all; row++ {
			left |= set.set[row>>6] >> (row & 63) & 1 << (g.cols.years[row] & (maxYears - 1))
		}
		before.add(all)
		after.add(left)
	}
	funders.merge(&after)
	funders.subtract(&before)

	some := touched(missing, g.cols.recips, len(g.dict.recips)).appendTo(nil, 0)
	at := g.evenCuts(0, uint32(len(some)))
	type change struct{ before, after distinctCounter }
	parts := make([]change, len(at)-1)
	err := betweenCuts(e.ctx, at, func(i, from, to int) {
		before, after := g.distinctCounter(), g.distinctCounter()
		for _, id := range some[from:to] {
			lo, hi := g.back.rows.off[id], g.back.rows.off[id+1]
			years := g.back.years[lo:hi]
			var all, left uint64
			for i, row := range g.back.rows.val[lo:hi] {
				y := years[i] & (maxYears - 1)
				all |= 1 << y
				left |= set.set[row>>6] >> (row & 63) & 1 << y
			}
			before.add(all)
			after.add(left)
		}
		parts[i] = change{before, after}
	})
	for i := range parts {
		recips.merge(&parts[i].after)
		recips.subtract(&parts[i].before)
	}
	return g.summary(&sum, &funders, &recips), err
}
