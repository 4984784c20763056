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

// Letters of causes are numbered from 1; 0 is none.
const (
	letters = majors + 1
	// inferredLetter marks a letter that counts only with the wider basis.
	inferredLetter = 1 << 7
)

// supportSets is the number of sets of strategies.
const supportSets = 1 << grant.Strategies

// groupIndex is what rows are grouped by beside the columns that there are for
// other ends: narrow columns by place and recipient, which stay in the
// processor's cache where columns by row would not; and the sums of all rows.
type groupIndex struct {
	countyList    []uint32 // numbers of short strings, ascending
	placeStates   []uint16 // by place: number in stateList
	placeCounties []uint16 // by place: number in countyList
	recipLetters  []uint8  // by recipient

	stateSums, countySums, kindSums, supportSums []Cost
	letterSums                                   []Cost // registered, then inferred
}

// groupBuilder is a groupIndex in the making.
type groupBuilder struct{ groupIndex }

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
	x.placeStates, x.placeCounties = make([]uint16, len(b.placeList)), make([]uint16, len(b.placeList))
	for i := range b.placeList {
		county, _ := slices.BinarySearch(x.countyList, b.placeList[i].County)
		x.placeStates[i], x.placeCounties[i] = uint16(b.placeList[i].StateNo), uint16(county)
	}
	x.recipLetters = make([]uint8, len(b.recip))
	for i := range b.recip {
		if r := &b.recip[i]; r.EIN == 0 {
			continue
		} else if m := ntee.Code(b.short.list[r.NTEE]).Major(); m != 0 {
			x.recipLetters[i] = m - 'A' + 1
		} else if r.Inferred != 0 {
			x.recipLetters[i] = inferredLetter | uint8(r.Inferred-'A'+1)
		}
	}
	x.stateSums, x.countySums = make([]Cost, len(states)), make([]Cost, len(x.countyList))
	x.kindSums, x.supportSums, x.letterSums = make([]Cost, len(kindNumbers)+1), make([]Cost, supportSets), make([]Cost, 2*letters)
	for row := range b.rows {
		amount, at, letter := b.amounts[row], b.places[row], x.recipLetters[b.recips[row]]
		x.stateSums[x.placeStates[at]].add(amount)
		x.countySums[x.placeCounties[at]].add(amount)
		x.supportSums[b.supports[row]&(supportSets-1)].add(amount)
		x.kindSums[kindPlace(b.funder[b.funders[row]].Kind)].add(amount)
		x.letterSums[int(letter&(inferredLetter-1))+letters*int(letter>>7)].add(amount)
	}
	return nil
}

// kindPlace is where a kind of funder stands in the sums of kinds: those without
// one come last.
func kindPlace(kind uint32) int {
	if kind == noKind {
		return len(kindNumbers)
	}
	return int(kind)
}

func (c *Cost) add(amount int64) {
	c.Amount += amount
	c.Grants++
}

func (x *groupBuilder) write(w *mapped.Writer) {
	mapped.Add(w, "counties", x.countyList)
	mapped.Add(w, "place.states", x.placeStates)
	mapped.Add(w, "place.counties", x.placeCounties)
	mapped.Add(w, "recip.letters", x.recipLetters)
	mapped.Add(w, "state.sums", x.stateSums)
	mapped.Add(w, "county.sums", x.countySums)
	mapped.Add(w, "kind.sums", x.kindSums)
	mapped.Add(w, "support.sums", x.supportSums)
	mapped.Add(w, "letter.sums", x.letterSums)
}

func openGroups(f *mapped.File, states, places, recips int) groupIndex {
	costs := func(name string, n int) []Cost { return mapped.Column[Cost](f, name, n) }
	x := groupIndex{
		countyList:    mapped.Column[uint32](f, "counties", mapped.AnyLength),
		placeStates:   mapped.Column[uint16](f, "place.states", places),
		placeCounties: mapped.Column[uint16](f, "place.counties", places),
		recipLetters:  mapped.Column[uint8](f, "recip.letters", recips),
	}
	x.stateSums, x.countySums = costs("state.sums", states), costs("county.sums", len(x.countyList))
	x.kindSums, x.supportSums, x.letterSums = costs("kind.sums", len(kindNumbers)+1), costs("support.sums", supportSets), costs("letter.sums", 2*letters)
	return x
}
