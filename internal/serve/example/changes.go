package example

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/snapshot/lists"
)

// before is the version of the invented build and of the edition of the lists
// before those of the examples.
const before = "20251201T000000Z"

// Changes are what is different from the build before: a new return of one funder,
// and an amended one of another.
func Changes() *change.Index {
	x, err := change.New([]change.Invented{{Version: before, Filers: []change.Filer{
		{EIN: 1, Funder: 1, Counts: change.Counts{ReturnsNew: 1, RowsAdded: 2, NetAmount: 130_000}},
		{EIN: 2, Funder: 1, Counts: change.Counts{ReturnsAmended: 1, RowsChanged: 1, NetAmount: 5_000}},
	}}})
	if err != nil {
		panic(err) // the rows are right here
	}
	return x
}

// ListLog is what is different from the edition of the lists before.
func ListLog() *change.Log {
	l, err := change.NewLog([]change.InventedEdition{{Version: before}, {Version: Version, Changes: []change.ListChange{
		{List: lists.OFAC, Change: "listed", Name: "EXEMPLARY GAP RELIEF", Reference: "900001"},
		{List: lists.OFAC, Change: "listed", Name: "EXEMPLARY GAP TRADING COMPANY", Reference: "900001"},
		{List: change.Matches, Change: change.PotentialMatch, EIN: ein.EIN(7), Reference: "900001", Match: &change.Match{
			Listed: "EXEMPLARY GAP TRADING COMPANY", Name: "EXEMPLARY GAP TRADING COMPANY RELIEF FUND", Score: 0.8325, Strength: "possible"}},
		{List: lists.Pub78, Change: change.Delisted, Was: "listed", EIN: ein.EIN(6)},
		{List: lists.Revocation, Change: "revoked", EIN: ein.EIN(6)},
	}}})
	if err != nil {
		panic(err)
	}
	return l
}
