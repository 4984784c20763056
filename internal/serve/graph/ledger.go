package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
)

// Side says at which end of its grants an organization stands.
type Side uint8

// The sides.
const (
	Gave Side = iota
	Received
)

// Ledger is all that one organization gave, or all that it received. The other
// ends of its grants are its parties: recipients of what it gave, funders of what
// it received.
type Ledger struct {
	PartySums
	Years    []LedgerYear  // oldest first
	Subjects []LedgerGroup // by the cause of the party, most dollars first; the key is a letter, empty for none
	States   []LedgerGroup // by the place of the grant where it gave, by that of the funder where it received
	Top      []Party       // most dollars first
}

// PartySums are the totals of the grants of one organization. Years are 0 when
// it has none.
type PartySums struct {
	Total, Grants, Parties int64
	FirstYear, LastYear    int
}

// LedgerYear is one fiscal year of a ledger.
type LedgerYear struct {
	FiscalYear             int
	Total, Grants, Parties int64
	Partial                bool
}

// LedgerGroup is a part of a ledger.
type LedgerGroup struct {
	Key                    string
	Total, Grants, Parties int64
}

// Party is the other end of grants.
type Party struct {
	ID                string  // of a recipient
	EIN               ein.EIN // None for a recipient without
	Name, City, State string
	Kind              string // of a funder
	PartySums                // Parties is not set
}

// Sums are the totals of what an organization gave or received. They are stored,
// so that no rows are read.
func (g *Graph) Sums(ctx context.Context, e ein.EIN, side Side) (PartySums, error) {
	if err := g.begin(); err != nil {
		return PartySums{}, err
	}
	defer g.mu.RUnlock()
	var stored *partyTotals
	if side == Gave {
		f, ok := g.findFunder(e)
		if !ok {
			return PartySums{}, nil
		}
		stored = &g.sums.funders[f]
	} else {
		recips := g.recipsOf([]ein.EIN{e})
		switch len(recips) {
		case 0:
			return PartySums{}, nil
		case 1:
			stored = &g.sums.recips[recips[0]]
		default: // funders of several of its identities count once
			l, err := g.ledger(ctx, e, side, 0, nil)
			if err != nil {
				return PartySums{}, err
			}
			return l.PartySums, nil
		}
	}
	if stored.Grants == 0 {
		return PartySums{}, nil
	}
	return PartySums{stored.Amount, int64(stored.Grants), int64(stored.Others), int(g.dict.years[stored.First]), int(g.dict.years[stored.Last])}, nil
}

// Ledger adds up what an organization gave or received, with so many of its
// parties. causeOf tells the cause of a funder, a letter or 0, which the rows do
// not have; it may be nil. It is one pass over the rows of the organization,
// which stand together; of a recipient it takes four bytes for each.
func (g *Graph) Ledger(ctx context.Context, e ein.EIN, side Side, top int, causeOf func(ein.EIN) byte) (*Ledger, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	return g.ledger(ctx, e, side, top, causeOf)
}

func (g *Graph) ledger(ctx context.Context, e ein.EIN, side Side, top int, causeOf func(ein.EIN) byte) (*Ledger, error) {
	t := &tally{g: g, side: side, causeOf: causeOf, most: top, stateList: slices.Clone(g.dict.states), states: make([]groupSum, len(g.dict.states)), seen: make(bitset, wordsFor(len(g.dict.states)))}
	if side == Gave {
		if err := t.addGiven(ctx, e); err != nil {
			return nil, err
		}
	} else if err := t.addReceived(ctx, e); err != nil {
		return nil, err
	}
	return t.ledger(), nil
}

// groupSum is a sum as it grows.
type groupSum struct{ amount, grants, parties int64 }

func (s *groupSum) add(amount, grants int64) {
	s.amount += amount
	s.grants += grants
}

// tally adds the rows of one organization up, party by party.
type tally struct {
	g       *Graph
	side    Side
	causeOf func(ein.EIN) byte
	most    int // parties that are kept

	all      groupSum
	years    [maxYears]groupSum
	mask     uint64 // years that have any
	subjects [majors + 1]groupSum
	states   []groupSum // by the numbers of states

	stateList []uint32 // their texts
	run       run      // the party under way
	seen      bitset   // states of its rows
	top       []record
}

// add takes a row of the party under way, or begins with the next one.
func (t *tally) add(party uint32, amount int64, year uint8, state int) {
	if t.run.grants > 0 && t.run.id != party {
		t.flush()
	}
	year &= maxYears - 1
	t.run.id = party
	t.run.amount += amount
	t.run.grants++
	t.run.years |= 1 << year
	t.years[year].add(amount, 1)
	t.states[state].add(amount, 1)
	t.seen.set(uint32(state))
}

// flush ends the party under way.
func (t *tally) flush() {
	r := t.run
	if r.grants == 0 {
		return
	}
	t.run = run{}
	t.all.add(r.amount, int64(r.grants))
	t.all.parties++
	t.mask |= r.years
	for m := r.years; m != 0; m &= m - 1 {
		t.years[bits.TrailingZeros64(m)].parties++
	}
	for i, w := range t.seen {
		for ; w != 0; w &= w - 1 {
			t.states[i<<6+bits.TrailingZeros64(w)].parties++
		}
		t.seen[i] = 0
	}
	subject := &t.subjects[t.subject(r.id)]
	subject.add(r.amount, int64(r.grants))
	subject.parties++

	rec := r.record()
	less := func(a, b *record) bool { return a.Amount < b.Amount || a.Amount == b.Amount && a.id > b.id }
	if n := len(t.top); n < t.most || n > 0 && less(&t.top[n-1], &rec) {
		i := sort.Search(n, func(i int) bool { return less(&t.top[i], &rec) })
		t.top = slices.Insert(t.top, i, rec)
		t.top = t.top[:min(len(t.top), t.most)]
	}
}

// subject is the number of the cause of a party, 0 for none.
func (t *tally) subject(party uint32) int {
	var letter byte
	if t.side == Gave {
		letter = ntee.Code(t.g.dict.short.at(t.g.dict.recips[party].NTEE)).Major()
	} else if t.causeOf != nil {
		letter = t.causeOf(ein.EIN(t.g.dict.funders[party].EIN))
	}
	if letter < 'A' || letter > 'Z' {
		return 0
	}
	return int(letter-'A') + 1
}

// addGiven adds the rows of a funder.
func (t *tally) addGiven(ctx context.Context, e ein.EIN) error {
	g := t.g
	f, ok := g.findFunder(e)
	if !ok {
		return nil
	}
	for at, end := g.postings.funderRows[f], g.postings.funderRows[f+1]; at < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := min(end, at+uint32(g.grain.chunk))
		for ; at < stop; at++ {
			t.add(g.cols.recips[at], g.cols.amounts[at], g.cols.years[at], int(g.dict.places[g.cols.places[at]].StateNo))
		}
	}
	t.flush()
	return nil
}

// addReceived adds the rows of a recipient. Of an EIN that stands for several
// identities the rows are put in the order of funders first.
func (t *tally) addReceived(ctx context.Context, e ein.EIN) error {
	g := t.g
	recips := g.recipsOf([]ein.EIN{e})
	var places []uint32 // of the rows in the order of recipients
	for _, r := range recips {
		for at := g.back.rows.off[r]; at < g.back.rows.off[r+1]; at++ {
			places = append(places, at)
		}
	}
	if len(recips) > 1 {
		slices.SortStableFunc(places, func(a, b uint32) int { return cmp.Compare(g.back.funders[a], g.back.funders[b]) })
	}
	state := -1
	for i, at := range places {
		if i%g.grain.chunk == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f := g.back.funders[at]
		if i == 0 || f != g.back.funders[places[i-1]] {
			state = t.stateNumber(g.dict.funders[f].State)
		}
		t.add(f, g.back.amounts[at], g.back.years[at], state)
	}
	t.flush()
	return nil
}

// stateNumber is the number of a state, which is a new one where no grant goes
// to it.
func (t *tally) stateNumber(state uint32) int {
	if i := slices.Index(t.stateList, state); i >= 0 {
		return i
	}
	t.stateList, t.states = append(t.stateList, state), append(t.states, groupSum{})
	for len(t.seen) < wordsFor(len(t.states)) {
		t.seen = append(t.seen, 0)
	}
	return len(t.states) - 1
}

// ledger is what was added up.
func (t *tally) ledger() *Ledger {
	g := t.g
	l := &Ledger{PartySums: PartySums{Total: t.all.amount, Grants: t.all.grants, Parties: t.all.parties}}
	for m := t.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		s, year := t.years[i], int(g.dict.years[i])
		l.Years = append(l.Years, LedgerYear{FiscalYear: year, Total: s.amount, Grants: s.grants, Parties: s.parties, Partial: g.dict.partial[year]})
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
	l.States = groupList(t.states, func(i int) string { return string(g.dict.short.at(t.stateList[i])) })
	r := g.reader()
	for _, rec := range t.top {
		p := Party{PartySums: PartySums{Total: rec.Amount, Grants: int64(rec.Grants), FirstYear: int(g.dict.years[rec.First]), LastYear: int(g.dict.years[rec.Last])}}
		if t.side == Gave {
			x := r.recipient(rec.id)
			p.ID, p.EIN, p.Name, p.City, p.State = x.ID, x.EIN, x.Name, x.City, x.State
		} else {
			x := r.funder(rec.id)
			p.EIN, p.Name, p.City, p.State, p.Kind = x.EIN, x.Name, x.City, x.State, x.Kind
		}
		l.Top = append(l.Top, p)
	}
	return l
}

// groupList are the sums that have any grants, most dollars first.
func groupList(sums []groupSum, key func(int) string) (list []LedgerGroup) {
	for i, s := range sums {
		if s.grants > 0 {
			list = append(list, LedgerGroup{key(i), s.amount, s.grants, s.parties})
		}
	}
	slices.SortFunc(list, func(a, b LedgerGroup) int { return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Key, b.Key)) })
	return list
}
