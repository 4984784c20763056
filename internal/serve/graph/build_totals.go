package graph

import "math/bits"

// computeTotals computes everything about the corpus as a whole, so that a question
// without a condition costs nothing.
func (b *builder) computeTotals() error {
	b.sums.funders, b.sums.recips = make([]partyTotals, len(b.funder)), make([]partyTotals, len(b.recip))
	b.sums.years, b.sums.classes = make([]yearSum, len(b.yearList)), make([]Cost, classes)
	funderYears, recipYears := make([]uint64, len(b.funder)), make([]uint64, len(b.recip))
	for row := range b.rows {
		f, r, year, amount := b.funders[row], b.recips[row], b.years[row], b.amounts[row]
		b.sums.funders[f].add(amount, year)
		b.sums.recips[r].add(amount, year)
		if row == 0 || b.funders[row-1] != f || b.recips[row-1] != r {
			b.sums.funders[f].Others++
			b.sums.recips[r].Others++
		}
		funderYears[f] |= 1 << year
		recipYears[r] |= 1 << year
		b.recip[r].Classes |= uint32(b.flags[row] & partyClasses)
		b.sums.years[year].Amount += amount
		b.sums.years[year].Grants++
		for c := range classes {
			if b.flags[row]>>c&1 != 0 {
				b.sums.classes[c].Grants++
				b.sums.classes[c].Amount += amount
			}
		}
		b.sums.all.Amount += amount
	}
	for _, m := range funderYears {
		for ; m != 0; m &= m - 1 {
			b.sums.years[bits.TrailingZeros64(m)].Funders++
		}
	}
	for _, m := range recipYears {
		for ; m != 0; m &= m - 1 {
			b.sums.years[bits.TrailingZeros64(m)].Recips++
		}
	}
	b.sums.all.Grants, b.sums.all.Funders, b.sums.all.Recipients = int64(b.rows), int64(len(b.funder)), int64(len(b.recip))
	return nil
}
