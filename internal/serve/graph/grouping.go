package graph

import (
	"cmp"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
)

// Grouping says what rows are grouped by. The zero Grouping is no grouping.
type Grouping uint8

const (
	NoGrouping Grouping = iota
	GroupSubject
	GroupState
	GroupCounty
	GroupSupport
	GroupFunderType
	GroupFunder
	GroupRecipient
	GroupYear
)

var groupingWords = vocabulary[Grouping]{
	{GroupSubject, "subject"},
	{GroupState, "state"},
	{GroupCounty, "county"},
	{GroupSupport, "support"},
	{GroupFunderType, "funder_type"},
	{GroupFunder, "funder"},
	{GroupRecipient, "recipient"},
	{GroupYear, "year"},
}

// GroupingWords lists the words of the groupings in published order.
func GroupingWords() []string { return groupingWords.words() }

// ParseGrouping is the inverse of String.
func ParseGrouping(word string) (Grouping, bool) { return groupingWords.parse(word) }

// String is the published word.
func (by Grouping) String() string { return groupingWords.word(by) }

// MaxGroups is how many groups an answer has at most.
const MaxGroups = 1000

// Group is the totals of the rows that have one value.
type Group struct {
	// Key is the letter of a cause, the code of a state, the FIPS code of a county, the id of a strategy, the
	// word of a kind of funder, the EIN of a funder, the identity of a recipient or a fiscal year.
	Key     string
	Name    string  // of a funder or recipient as the tables have it
	EIN     ein.EIN // of a funder or recipient; None when unresolved
	Classes Class   // of a recipient, as Recipient has them
	Cost
}

// Grouped is rows by one grouping.
type Grouped struct {
	By     Grouping
	Count  int64   // groups that have a value and a row
	Groups []Group // the first groups
	// Rest is the rows of the other groups, and None is the rows without a value. Each is nil if there is no such row.
	Rest, None *Cost
}

// Label is what people call a group.
func (by Grouping) Label(g *Group) string {
	switch by {
	case GroupSubject:
		if len(g.Key) == 1 {
			return ntee.Label(g.Key[0])
		}
	case GroupState:
		if r, ok := place.RegionOf(g.Key); ok {
			return r.Name
		}
	case GroupCounty:
		if c, ok := place.Shipped().County(g.Key); ok {
			return c.Name + ", " + c.State
		}
	case GroupSupport:
		if s, ok := grant.ParseSupport(g.Key); ok {
			return s.Label()
		}
	case GroupFunderType:
		return grant.KindLabel(g.Key)
	case GroupFunder, GroupRecipient:
		return g.Name
	}
	return g.Key
}

// NoneLabel is what the rows without a value are called.
func (by Grouping) NoneLabel() string {
	return cmp.Or(map[Grouping]string{
		GroupSubject: "No cause known", GroupState: "No state known", GroupCounty: "No county known",
		GroupSupport: "No strategy recognized", GroupFunderType: "Kind not known",
	}[by], "Not known")
}

// Overlaps reports whether a row can be in several groups.
func (by Grouping) Overlaps() bool { return by == GroupSupport }
