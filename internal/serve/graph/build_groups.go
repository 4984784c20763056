package graph

import (
	"math"
	"slices"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot/mapped"
)

// partyClasses are the classes that a recipient has of its rows.
const partyClasses = flagPerson | flagNobody

// letters is how many causes a table of them has room for: none, the letters
// that are registered, and as many that are inferred, which count only with the
// wider basis.
const letters = 1 + 2*majors

// supportSets is the number of sets of strategies.
const supportSets = 1 << grant.Strategies

// groupIndex is what rows are grouped by beside the columns that there are for
// other ends, and the sums of all rows.
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
	for i := range b.placeList {
		x.countyList = append(x.countyList, b.placeList[i].County)
	}
	slices.Sort(x.countyList)
	x.countyList = slices.Compact(x.countyList)
	if max(len(states), len(x.countyList)) > math.MaxUint16 {
		return inconsistent("the grants are in %d states and %d counties", len(states), len(x.countyList))
	}
	countyOf := make([]uint16, len(b.placeList))
	for i := range b.placeList {
		no, _ := slices.BinarySearch(x.countyList, b.placeList[i].County)
		countyOf[i] = uint16(no)
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
		x.states[row], x.counties[row], x.letters[row] = uint16(b.placeList[at].StateNo), countyOf[at], letterOf[b.recips[row]]
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

func (x *groupIndex) layout(s sections, states, rows int) {
	column(s, "counties", &x.countyList, mapped.AnyLength)
	column(s, "row.state", &x.states, rows)
	column(s, "row.county", &x.counties, rows)
	column(s, "row.letter", &x.letters, rows)
	column(s, "state.sums", &x.stateSums, states)
	column(s, "county.sums", &x.countySums, len(x.countyList))
	column(s, "support.sums", &x.supportSums, supportSets)
	column(s, "letter.sums", &x.letterSums, letters)
}
