package graph

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
