package graph

import (
	"cmp"
	"slices"

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

// AllGroups is how many groups a map may ask for: more than there are counties.
const AllGroups = 4000

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

// tables are the sums of rows by the values of columns with few values, and by funder. A table that no grouping needs is nil.
type tables struct {
	states, counties, letters, supports, years []Cost
	funders                                    []Cost
	kinds                                      []Cost // by kind of funder, if the sums are from cells
}

func (c *Cost) merge(o Cost, sign int64) {
	c.Amount += sign * o.Amount
	c.Grants += sign * o.Grants
}

// newTables makes the tables that the groupings need, with zeros. The table of
// funders is not made, because parts with different funders can share one.
func (g *Graph) newTables(asks []GroupsOf) *tables {
	t := new(tables)
	for i := range asks {
		switch asks[i].By {
		case GroupSubject:
			t.letters = make([]Cost, letters)
		case GroupState:
			t.states = make([]Cost, len(g.dict.states))
		case GroupCounty:
			t.counties = make([]Cost, len(g.groups.countyList))
		case GroupSupport:
			t.supports = make([]Cost, supportSets)
		case GroupYear, GroupRecipient: // whose sum of all rows is that of all years
			t.years = make([]Cost, MaxYears)
		}
	}
	return t
}

// small are the tables but that of funders.
func (t *tables) small() [5]*[]Cost {
	return [...]*[]Cost{&t.states, &t.counties, &t.letters, &t.supports, &t.years}
}

func (t *tables) merge(o *tables) {
	from := o.small()
	for i, to := range t.small() {
		for k, c := range *from[i] {
			(*to)[k].merge(c, 1)
		}
	}
}

// subtractFromStored makes tables the sums of all other rows.
func (t *tables) subtractFromStored(g *Graph) {
	x := &g.groups
	years := make([]Cost, MaxYears)
	for i, y := range g.sums.years {
		years[i] = Cost{Amount: y.Amount, Grants: y.Grants}
	}
	from := tables{states: x.stateSums, counties: x.countySums, letters: x.letterSums, supports: x.supportSums, years: years}
	parts := from.small()
	for i, to := range t.small() {
		for k, c := range *to {
			all := (*parts[i])[k]
			(*to)[k] = Cost{Amount: all.Amount - c.Amount, Grants: all.Grants - c.Grants}
		}
	}
	for f, c := range t.funders {
		all := &g.sums.funders[f]
		t.funders[f] = Cost{Amount: all.Amount - c.Amount, Grants: int64(all.Grants) - c.Grants}
	}
}

// tabulate adds the rows of a set up. The sums of all rows are stored. If a set has
// more than half of all rows, it adds up the other rows and subtracts.
func (e *evaluation) tabulate(set *rowset, asks []GroupsOf) (*tables, error) {
	g := e.g
	out := g.newTables(asks)
	rows, stored := set, set.all
	if !set.all && !set.short && set.count > int64(g.rows)/2 {
		rows, stored = e.others(set), true
	}
	if slices.ContainsFunc(asks, func(a GroupsOf) bool { return a.By == GroupFunder || a.By == GroupFunderType }) {
		out.funders = make([]Cost, len(g.dict.funders))
	}
	if !set.all {
		if err := e.addUp(out, rows, asks); err != nil {
			return nil, err
		}
	}
	if stored {
		out.subtractFromStored(g)
	}
	return out, nil
}

func (e *evaluation) others(set *rowset) *rowset {
	out := &rowset{set: e.set(), hi: uint32(e.g.rows), count: int64(e.g.rows) - set.count}
	for i, w := range set.set { // empty outside of its range
		out.set[i] = ^w
	}
	return out // rowset.each stops at hi, before the bits past the last row
}

func (e *evaluation) addUp(out *tables, set *rowset, asks []GroupsOf) error {
	g := e.g
	start := func() tables {
		t := g.newTables(asks)
		t.funders = out.funders // no funder is in two parts
		return *t
	}
	lo, hi := set.bounds()
	parts, err := inParts(e.ctx, g.cuts(lo, hi, g.postings.funderRows), start, func(t *tables, from, to int) {
		set.each(uint32(from), uint32(to), func(rows []uint32) { t.add(g, rows) })
	})
	for i := range parts {
		out.merge(&parts[i])
	}
	return err
}

// add takes rows, which are ascending, into the tables.
func (t *tables) add(g *Graph, rows []uint32) {
	x := &g.groups
	addColumn(t.states, x.states, g.cols.amounts, rows, ^uint16(0))
	addColumn(t.counties, x.counties, g.cols.amounts, rows, ^uint16(0))
	addColumn(t.letters, x.letters, g.cols.amounts, rows, ^uint8(0))
	addColumn(t.supports, g.cols.supports, g.cols.amounts, rows, supportSets-1)
	addColumn(t.years, g.cols.years, g.cols.amounts, rows, MaxYears-1)
	if t.funders != nil {
		t.addFunders(g, rows)
	}
}

func addColumn[K uint8 | uint16](sums []Cost, column []K, amounts []int64, rows []uint32, mask K) {
	if sums == nil {
		return // no grouping needs the column
	}
	for _, row := range rows {
		sums[column[row]&mask].add(amounts[row])
	}
}

// addFunders goes funder by funder, as rows stand in their order.
func (t *tables) addFunders(g *Graph, rows []uint32) {
	for len(rows) > 0 {
		f := g.cols.funders[rows[0]]
		end, amount, n := g.postings.funderRows[f+1], int64(0), 0
		for ; n < len(rows) && rows[n] < end; n++ {
			amount += g.cols.amounts[rows[n]]
		}
		t.funders[f].merge(Cost{Amount: amount, Grants: int64(n)}, 1)
		rows = rows[n:]
	}
}
