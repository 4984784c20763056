package graph

import (
	"math"
	"math/bits"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot/mapped"
)

// partyClasses are the classes that a recipient inherits from its rows.
const partyClasses = flagPerson | flagNobody

// letters is the size of a table of causes: no cause, the 26 registered letters, and
// the 26 inferred letters, which count only with the wider basis.
const letters = 1 + 2*majors

const supportSets = 1 << grant.Strategies

// groupIndex is the columns that rows are grouped by and that no other question needs, and the sums of all rows by each.
type groupIndex struct {
	countyList []uint32 // numbers of short strings, ascending
	states     []uint16 // by row: number in stateList
	counties   []uint16 // by row: number in countyList
	letters    []uint8  // by row

	stateSums, countySums, supportSums, letterSums []Cost
}

// groupRows fills the columns and adds all rows up.
func (b *builder) groupRows(states []uint32) error {
	x := &b.groups
	var countyOf []uint32 // of a place
	x.countyList, countyOf = distinct(b.placeList, func(p *placeRecord) uint32 { return p.County })
	if max(len(states), len(x.countyList)) > math.MaxUint16 {
		return inconsistent("the grants are in %d states and %d counties", len(states), len(x.countyList))
	}
	letterOf := make([]uint8, len(b.recip))
	for i := range b.recip {
		if r := &b.recip[i]; r.EIN == 0 {
			continue
		} else if m := ntee.Code(b.short.list[r.NTEE]).Major(); m != 0 {
			letterOf[i] = 1 + m - 'A'
		} else if r.Inferred != 0 {
			letterOf[i] = 1 + majors + uint8(r.Inferred-'A')
		}
	}
	x.states, x.counties, x.letters = make([]uint16, b.rows), make([]uint16, b.rows), make([]uint8, b.rows)
	x.stateSums, x.countySums = make([]Cost, len(states)), make([]Cost, len(x.countyList))
	x.supportSums, x.letterSums = make([]Cost, supportSets), make([]Cost, letters)
	for row := range b.rows {
		amount, at := b.amounts[row], b.places[row]
		x.states[row], x.counties[row], x.letters[row] = uint16(b.placeList[at].StateNo), uint16(countyOf[at]), letterOf[b.recips[row]]
		x.stateSums[x.states[row]].add(amount)
		x.countySums[x.counties[row]].add(amount)
		x.letterSums[x.letters[row]].add(amount)
		x.supportSums[b.supports[row]&(supportSets-1)].add(amount)
	}
	return nil
}

func (c *Cost) add(amount int64) {
	c.Amount += amount
	c.Grants++
}

func (x *groupIndex) layout(s mapped.Layout, states, rows int) {
	mapped.Field(s, "counties", &x.countyList, mapped.AnyLength)
	mapped.Field(s, "row.state", &x.states, rows)
	mapped.Field(s, "row.county", &x.counties, rows)
	mapped.Field(s, "row.letter", &x.letters, rows)
	mapped.Field(s, "state.sums", &x.stateSums, states)
	mapped.Field(s, "county.sums", &x.countySums, len(x.countyList))
	mapped.Field(s, "support.sums", &x.supportSums, supportSets)
	mapped.Field(s, "letter.sums", &x.letterSums, letters)
}

// computeTotals computes everything about the corpus as a whole, so that a question without a condition costs nothing.
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
				b.sums.classes[c].add(amount)
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
