// Package ledger reads the grants of one organization: what it gave or received by year, cause and state, with whom, and how
// that changed over the years. The graph keeps the grants of one organization together, so each answer is one pass over them.
package ledger

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
)

// Ledger is everything that one organization gave, or everything that it received. Its parties are the other ends of the
// grants: the recipients of what it gave, or the funders of what it received.
type Ledger struct {
	graph.PartySums
	Years    []Year  // oldest first
	Subjects []Group // by the cause of the party, most dollars first; the key is a letter, or empty
	States   []Group // by the place of the grant if it gave, by the place of the funder if it received
	Top      []Party // most dollars first
}

// Year is one fiscal year of a ledger.
type Year struct {
	FiscalYear             int
	Total, Grants, Parties int64
	Partial                bool // some returns of this year have not arrived yet
}

// Group is a part of a ledger.
type Group struct {
	Key                    string
	Total, Grants, Parties int64
}

// Party is the other end of grants.
type Party struct {
	ID                string  // of a recipient
	EIN               ein.EIN // None for a recipient without an EIN
	Name, City, State string
	Kind              string // of a funder
	graph.PartySums          // Parties is not set
}

const rowsAtOnce = 1 << 12

// Read totals what an organization gave or received, and lists the given number of its parties. causeOf returns the cause of a
// party without a registered one in the rows, a letter or 0. causeOf may be nil.
func Read(ctx context.Context, g *graph.Graph, e ein.EIN, side graph.Side, top int, causeOf func(ein.EIN) byte) (*Ledger, error) {
	v, err := g.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	t := &tally{
		v: v, side: side, causeOf: causeOf, most: top, stateList: slices.Clone(v.States),
		states: make([]sum, len(v.States)), lastIn: make([]uint32, len(v.States)),
	}
	rows := v.GrantsOf(e, side)
	state := 0
	for i, party := range rows.Parties {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if side == graph.Gave {
			state = int(rows.States[i])
		} else if i == 0 || party != rows.Parties[i-1] {
			state = t.stateNumber(v.Funders[party].State)
		}
		t.add(party, rows.Amounts[i], rows.Years[i], state)
	}
	t.flush()
	return t.ledger(), nil
}

type sum struct{ amount, grants, parties int64 }

func (s *sum) add(amount, grants int64) {
	s.amount += amount
	s.grants += grants
}

type partySum struct {
	id     uint32
	amount int64
	grants int64
	years  uint64 // mask

	unnamed bool // it comes last
}

type tally struct {
	v       *graph.View
	side    graph.Side
	causeOf func(ein.EIN) byte
	most    int // parties to keep

	all      sum
	years    [graph.MaxYears]sum
	mask     uint64 // years that have grants
	subjects [27]sum
	states   []sum    // by the numbers of states
	lastIn   []uint32 // for each state, 1 more than the last party counted there

	stateList []uint32 // texts of the states
	current   partySum // the current party
	top       []partySum
}

func (t *tally) add(party uint32, amount int64, year uint8, state int) {
	if t.current.grants > 0 && t.current.id != party {
		t.flush()
	}
	year &= graph.MaxYears - 1
	t.current.id = party
	t.current.amount += amount
	t.current.grants++
	t.current.years |= 1 << year
	t.years[year].add(amount, 1)
	t.states[state].add(amount, 1)
	if t.lastIn[state] != party+1 {
		t.lastIn[state] = party + 1
		t.states[state].parties++
	}
}

func (t *tally) flush() {
	p := t.current
	if p.grants == 0 {
		return
	}
	t.current = partySum{}
	t.all.add(p.amount, p.grants)
	t.all.parties++
	t.mask |= p.years
	for m := p.years; m != 0; m &= m - 1 {
		t.years[bits.TrailingZeros64(m)].parties++
	}
	subject := &t.subjects[t.subject(p.id)]
	subject.add(p.amount, p.grants)
	subject.parties++

	p.unnamed = t.side == graph.Gave && t.v.Recipients[p.id].Unnamed()
	less := func(a, b *partySum) bool {
		if a.unnamed != b.unnamed {
			return a.unnamed
		}
		return a.amount < b.amount || a.amount == b.amount && a.id > b.id
	}
	if n := len(t.top); n < t.most || n > 0 && less(&t.top[n-1], &p) {
		i := sort.Search(n, func(i int) bool { return less(&t.top[i], &p) })
		t.top = slices.Insert(t.top, i, p)
		t.top = t.top[:min(len(t.top), t.most)]
	}
}

// subject is the number of the cause of a party, 0 if it is not known.
func (t *tally) subject(party uint32) int {
	var letter byte
	var e ein.EIN
	if t.side == graph.Gave {
		r := &t.v.Recipients[party]
		letter, e = ntee.Code(t.v.Text(r.NTEE)).Major(), ein.EIN(r.EIN)
	} else {
		e = ein.EIN(t.v.Funders[party].EIN)
	}
	if letter == 0 && t.causeOf != nil && e != ein.None {
		letter = t.causeOf(e)
	}
	if letter < 'A' || letter > 'Z' {
		return 0
	}
	return int(letter-'A') + 1
}

// stateNumber is the number of a funder's state, a new one if no grant goes there.
func (t *tally) stateNumber(state uint32) int {
	if i := slices.Index(t.stateList, state); i >= 0 {
		return i
	}
	t.stateList, t.states, t.lastIn = append(t.stateList, state), append(t.states, sum{}), append(t.lastIn, 0)
	return len(t.states) - 1
}

func (t *tally) ledger() *Ledger {
	v := t.v
	l := &Ledger{PartySums: graph.PartySums{Total: t.all.amount, Grants: t.all.grants, Parties: t.all.parties}}
	for m := t.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		s, year := t.years[i], int(v.Years[i])
		l.Years = append(l.Years, Year{FiscalYear: year, Total: s.amount, Grants: s.grants, Parties: s.parties, Partial: v.Partial(year)})
	}
	if n := len(l.Years); n > 0 {
		l.FirstYear, l.LastYear = l.Years[0].FiscalYear, l.Years[n-1].FiscalYear
	}
	l.Subjects = groupList(t.subjects[:], func(i int) string {
		if i == 0 {
			return ""
		}
		return string(rune('A' + i - 1))
	})
	l.States = groupList(t.states, func(i int) string { return string(v.Text(t.stateList[i])) })
	for _, p := range t.top {
		l.Top = append(l.Top, readParty(v, t.side, p))
	}
	return l
}

func readParty(v *graph.View, side graph.Side, p partySum) (out Party) {
	if side == graph.Gave {
		x := v.Recipient(p.id)
		out = Party{ID: x.ID, EIN: x.EIN, Name: x.Name, City: x.City, State: x.State}
	} else {
		x := v.Funder(p.id)
		out = Party{EIN: x.EIN, Name: x.Name, City: x.City, State: x.State, Kind: x.Kind}
	}
	out.Total, out.Grants = p.amount, p.grants
	out.FirstYear, out.LastYear = int(v.Years[bits.TrailingZeros64(p.years)]), int(v.Years[bits.Len64(p.years)-1])
	return out
}

// groupList are the sums that have grants, most dollars first.
func groupList(sums []sum, key func(int) string) (list []Group) {
	for i, s := range sums {
		if s.grants > 0 {
			list = append(list, Group{key(i), s.amount, s.grants, s.parties})
		}
	}
	slices.SortFunc(list, func(a, b Group) int { return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Key, b.Key)) })
	return list
}

// Median is the median of the grants that an organization gave or received: of an even number
// the mean of the two in the middle. ok is false if there are none.
func Median(ctx context.Context, g *graph.Graph, e ein.EIN, side graph.Side) (dollars float64, ok bool, err error) {
	v, err := g.View()
	if err != nil {
		return 0, false, err
	}
	defer v.Close()
	amounts := v.GrantsOf(e, side).Amounts
	if len(amounts) == 0 {
		return 0, false, nil
	}
	low, atMost, err := nth(ctx, amounts, (len(amounts)-1)/2)
	if err != nil {
		return 0, false, err
	}
	high := low
	if atMost <= len(amounts)/2 {
		high = math.MaxInt64
		for _, a := range amounts {
			if a > low {
				high = min(high, a)
			}
		}
	}
	return float64(low) + float64(high-low)/2, true, nil
}

// nth is the nth amount in ascending order, from 0, and how many amounts are not greater. It counts the amounts in bins of a
// range, and repeats with the bin that holds the nth one until that is a single amount.
func nth(ctx context.Context, amounts []int64, n int) (amount int64, atMost int, err error) {
	low, high := amounts[0], amounts[0]
	for _, a := range amounts {
		low, high = min(low, a), max(high, a)
	}
	const bins = 4096
	var counts [bins]int
	below := 0 // amounts before the range
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		clear(counts[:])
		width := (high-low)/bins + 1
		for _, a := range amounts {
			if a >= low && a <= high {
				counts[(a-low)/width]++
			}
		}
		at := 0
		for ; below+counts[at] <= n; at++ {
			below += counts[at]
		}
		low += int64(at) * width
		high = min(high, low+width-1)
		if low == high {
			return low, below + counts[at], nil
		}
	}
}
