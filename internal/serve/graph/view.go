package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"grantgraph/internal/ein"
)

// View is the graph as the packages read it that walk from one organization to others: ledger, neighbors and prospect. Funders
// and recipients are numbers, which are their places in Funders and Recipients. Other numbers are places in Years, States and
// Counties. The slices belong to the mapped file: nobody may change them, or use them after Close.
type View struct {
	Funders    []FunderRecord    // by EIN
	Recipients []RecipientRecord // by identity
	Years      []int32           // fiscal years, ascending
	States     []uint32          // texts, as are Counties and Codes
	Counties   []uint32
	Codes      []uint32 // NTEE codes that recipients have

	g    *Graph
	read *reader
}

// MaxYears is how many fiscal years there may be, so that a set of years is a mask of 64 bits.
const MaxYears = 64

// View opens the graph for reading. Close must follow.
func (g *Graph) View() (*View, error) {
	if err := g.Begin(); err != nil {
		return nil, err
	}
	d := &g.dict
	return &View{
		Funders: d.funders, Recipients: d.recips, Years: d.years, States: d.states, Counties: g.groups.countyList, Codes: d.codes,
		g: g, read: g.reader(),
	}, nil
}

// Close ends the reading.
func (v *View) Close() { v.g.End() }

// Text is the text of a number.
func (v *View) Text(n uint32) []byte { return v.g.dict.short.at(n) }

// Partial reports whether returns of a fiscal year are still to arrive.
func (v *View) Partial(year int) bool { return v.g.dict.partial[year] }

// FindFunder is the number of the funder with an EIN.
func (v *View) FindFunder(e ein.EIN) (uint32, bool) { return v.g.findFunder(e) }

// FindRecipients are the recipient identities with an EIN, ascending.
func (v *View) FindRecipients(e ein.EIN) []uint32 { return v.g.recipsOf([]ein.EIN{e}) }

// Funder copies what is known of a funder out of the file.
func (v *View) Funder(f uint32) Funder { return v.read.funder(f) }

// Recipient copies what is known of a recipient out of the file.
func (v *View) Recipient(r uint32) Recipient { return v.read.recipient(r) }

// KindNumber is the number of a kind of funders, as FunderRecord has it.
func KindNumber(kind string) (uint32, bool) { return kindNumbers.parse(kind) }

// Side says at which end of its grants an organization stands.
type Side uint8

const (
	Gave Side = iota
	Received
)

// Rows are the grants of one organization, ordered by who is at the other end:
// recipients of what it gave, funders of what it received.
type Rows struct {
	Parties []uint32
	Amounts []int64
	Years   []uint8

	// Where the grant went. Rows that an organization received do not have these.
	States, Counties []uint16
	letters          []uint8
}

// Cause is the letter of the recipient's cause, registered or inferred, or 0.
func (r *Rows) Cause(i int) byte {
	switch n := r.letters[i]; {
	case n == 0:
		return 0
	case n > majors:
		return 'A' + n - 1 - majors
	default:
		return 'A' + n - 1
	}
}

// Gave is the grants of a funder.
func (v *View) Gave(f uint32) Rows {
	g := v.g
	from, to := g.postings.funderRows[f], g.postings.funderRows[f+1]
	return Rows{
		Parties: g.cols.recips[from:to], Amounts: g.cols.amounts[from:to], Years: g.cols.years[from:to],
		States: g.groups.states[from:to], Counties: g.groups.counties[from:to], letters: g.groups.letters[from:to],
	}
}

// Received is the grants to a recipient.
func (v *View) Received(r uint32) Rows { return v.g.received(r) }

func (g *Graph) received(r uint32) Rows {
	from, to := g.back.rows.off[r], g.back.rows.off[r+1]
	return Rows{Parties: g.back.funders[from:to], Amounts: g.back.amounts[from:to], Years: g.back.years[from:to]}
}

// GrantsOf is the grants of an organization. They are copied only if the organization is a recipient with several identities.
func (v *View) GrantsOf(e ein.EIN, side Side) Rows {
	if side == Received {
		return v.g.receivedBy(v.FindRecipients(e))
	}
	f, ok := v.FindFunder(e)
	if !ok {
		return Rows{}
	}
	return v.Gave(f)
}

// receivedBy joins the grants to several recipients.
func (g *Graph) receivedBy(recips []uint32) (rows Rows) {
	if len(recips) == 1 {
		return g.received(recips[0])
	}
	var places []uint32
	for _, r := range recips {
		for at := g.back.rows.off[r]; at < g.back.rows.off[r+1]; at++ {
			places = append(places, at)
		}
	}
	slices.SortStableFunc(places, func(a, b uint32) int { return cmp.Compare(g.back.funders[a], g.back.funders[b]) })
	return Rows{Parties: inOrder(g.back.funders, places), Amounts: inOrder(g.back.amounts, places), Years: inOrder(g.back.years, places)}
}

// Links is the recipients of a funder, each once, with the years of each as a mask.
func (v *View) Links(f uint32) (recips []uint32, years []uint64) { return v.g.sums.giving.linksOf(f) }

// YearsOf is what a funder gave in each of its years, oldest first.
func (v *View) YearsOf(f uint32) []YearGiving { return v.g.sums.giving.yearsOf(f) }

// GaveIn is what each funder gave in a state in a year.
func (v *View) GaveIn(state, year int) []StateSum {
	c, at := &v.g.sums.funderStates, state*len(v.Years)+year
	return c.cells[c.at[at]:c.at[at+1]]
}

// CountFunders is how many funders a recipient has.
func (v *View) CountFunders(r uint32) int { return int(v.g.sums.recips[r].Others) }

// AppendFunders appends the funders of a recipient, each once.
func (v *View) AppendFunders(to []uint32, r uint32) []uint32 {
	last := uint32(math.MaxUint32)
	for _, f := range v.Received(r).Parties {
		if f != last {
			to = append(to, f)
			last = f
		}
	}
	return to
}

// InRanges runs work over ranges of the numbers from 0 to n-1, of the given size,
// on all cores. It stops between ranges when the context ends.
func (v *View) InRanges(ctx context.Context, n, size int, work func(from, to int)) error {
	return inRanges(ctx, 0, n, size, work)
}

// PartySums are the totals of the grants of one organization. Years are 0 when it has none.
type PartySums struct {
	Total, Grants, Parties int64
	FirstYear, LastYear    int
}

// Sums are the totals of what an organization gave or received. They are stored, so that no rows are read,
// except for a recipient with several identities, whose common funders count once.
func (g *Graph) Sums(ctx context.Context, e ein.EIN, side Side) (PartySums, error) {
	if err := g.Begin(); err != nil {
		return PartySums{}, err
	}
	defer g.End()
	var sum partyTotals
	if side == Gave {
		if f, ok := g.findFunder(e); ok {
			sum = g.sums.funders[f]
		}
	} else if recips := g.recipsOf([]ein.EIN{e}); len(recips) == 1 {
		sum = g.sums.recips[recips[0]]
	} else if err := ctx.Err(); err != nil {
		return PartySums{}, err
	} else {
		rows := g.receivedBy(recips)
		for i, f := range rows.Parties {
			sum.add(rows.Amounts[i], rows.Years[i])
			if i == 0 || f != rows.Parties[i-1] {
				sum.Others++
			}
		}
	}
	if sum.Grants == 0 {
		return PartySums{}, nil
	}
	return PartySums{sum.Amount, int64(sum.Grants), int64(sum.Others), int(g.dict.years[sum.First]), int(g.dict.years[sum.Last])}, nil
}
