package graph_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
)

// causeOf gives funders a cause for the tests: some none.
func causeOf(e ein.EIN) byte {
	if e%3 == 0 {
		return 0
	}
	return 'A' + byte(e%5)
}

// ledger is the same with maps over all rows.
func (n *naive) ledger(e ein.EIN, side graph.Side, top int) *ledger.Ledger {
	type group struct {
		total, grants int64
		parties       map[string]bool
	}
	var all group
	years, subjects, states, parties := map[int]*group{}, map[string]*group{}, map[string]*group{}, map[string]*ledger.Party{}
	add := func(to *group, party string, amount int64) {
		to.total, to.grants = to.total+amount, to.grants+1
		if to.parties == nil {
			to.parties = map[string]bool{}
		}
		to.parties[party] = true
	}
	for _, r := range n.rows {
		p := &ledger.Party{}
		var party, subject, state string
		if side == graph.Gave {
			if r.Funder.EIN != e {
				continue
			}
			party, state = r.Recipient.ID, r.State
			if m := r.NTEE.Major(); m != 0 {
				subject = string(rune(m))
			}
			p.ID, p.EIN, p.Name, p.City, p.State = r.Recipient.ID, r.Recipient.EIN, r.Recipient.Name, r.Recipient.City, r.Recipient.State
		} else {
			if r.Recipient.EIN != e {
				continue
			}
			party, state = r.Funder.EIN.String(), r.Funder.State
			if m := causeOf(r.Funder.EIN); m != 0 {
				subject = string(rune(m))
			}
			p.EIN, p.Name, p.City, p.State, p.Kind = r.Funder.EIN, r.Funder.Name, r.Funder.City, r.Funder.State, r.Funder.Kind
		}
		if parties[party] == nil {
			parties[party] = p
			p.FirstYear = r.FiscalYear
		}
		p = parties[party]
		p.Total, p.Grants = p.Total+r.Amount, p.Grants+1
		p.FirstYear, p.LastYear = min(p.FirstYear, r.FiscalYear), max(p.LastYear, r.FiscalYear)
		add(&all, party, r.Amount)
		for _, m := range []struct {
			in  map[string]*group
			key string
		}{{subjects, subject}, {states, state}} {
			if m.in[m.key] == nil {
				m.in[m.key] = &group{}
			}
			add(m.in[m.key], party, r.Amount)
		}
		if years[r.FiscalYear] == nil {
			years[r.FiscalYear] = &group{}
		}
		add(years[r.FiscalYear], party, r.Amount)
	}
	l := &ledger.Ledger{PartySums: graph.PartySums{Total: all.total, Grants: all.grants, Parties: int64(len(all.parties))}}
	for y, g := range years {
		l.Years = append(l.Years, ledger.Year{FiscalYear: y, Total: g.total, Grants: g.grants, Parties: int64(len(g.parties)), Partial: n.partial[y]})
	}
	slices.SortFunc(l.Years, func(a, b ledger.Year) int { return a.FiscalYear - b.FiscalYear })
	if len(l.Years) > 0 {
		l.FirstYear, l.LastYear = l.Years[0].FiscalYear, l.Years[len(l.Years)-1].FiscalYear
	}
	list := func(in map[string]*group) (out []ledger.Group) {
		for k, g := range in {
			out = append(out, ledger.Group{Key: k, Total: g.total, Grants: g.grants, Parties: int64(len(g.parties))})
		}
		slices.SortFunc(out, func(a, b ledger.Group) int {
			return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Key, b.Key))
		})
		return out
	}
	l.Subjects, l.States = list(subjects), list(states)
	for _, p := range parties {
		l.Top = append(l.Top, *p)
	}
	last := map[string]int{} // 1 for recipients that are no organization
	for i := range n.rows {
		if r := n.rows[i].Recipient; side == graph.Gave && nameless(r) {
			last[r.ID] = 1
		}
	}
	slices.SortFunc(l.Top, func(a, b ledger.Party) int {
		return cmp.Or(last[a.ID]-last[b.ID], cmp.Compare(b.Total, a.Total), cmp.Compare(a.ID, b.ID), cmp.Compare(a.EIN, b.EIN))
	})
	l.Top = l.Top[:min(len(l.Top), top)]
	return l
}

// neighbors is the same with maps. Weights are those of a walk without bounds.
func (n *naive) neighbors(e ein.EIN, side graph.Side) map[ein.EIN]neighbors.Neighbor {
	partyOf := func(r *graph.Grant) (self, party string) {
		if side == graph.Gave {
			return r.Funder.EIN.String(), r.Recipient.ID
		}
		return r.Recipient.ID, r.Funder.EIN.String()
	}
	einOf := func(r *graph.Grant) ein.EIN {
		if side == graph.Gave {
			return r.Funder.EIN
		}
		return r.Recipient.EIN
	}
	around := map[string]map[string]ein.EIN{} // of a party
	own := map[string]bool{}
	for i := range n.rows {
		r := &n.rows[i]
		self, party := partyOf(r)
		if around[party] == nil {
			around[party] = map[string]ein.EIN{}
		}
		around[party][self] = einOf(r)
		if einOf(r) == e {
			own[party] = true
		}
	}
	found, total := map[ein.EIN]neighbors.Neighbor{}, 0.0
	for party := range own {
		weight := float64(float32(1 / math.Log2(1+float64(len(around[party])))))
		total += weight
		for _, other := range around[party] {
			if other != e && other != ein.None {
				x := found[other]
				x.Shared, x.Weight = x.Shared+1, x.Weight+weight
				found[other] = x
			}
		}
	}
	for other, x := range found {
		x.Weight /= total + 0.5
		found[other] = x
	}
	return found
}

// compareLedgers asks for one in so many organizations.
func compareLedgers(t *testing.T, g *graph.Graph, n *naive, oneIn int) {
	t.Helper()
	eins := map[ein.EIN]bool{ein.EIN(990000001): true} // nobody
	for _, r := range n.rows {
		eins[r.Funder.EIN] = true
		if r.Recipient.EIN != ein.None {
			eins[r.Recipient.EIN] = true
		}
	}
	for i, e := range slices.Sorted(maps.Keys(eins)) {
		if i%oneIn != 0 {
			continue
		}
		for _, side := range []graph.Side{graph.Gave, graph.Received} {
			for _, top := range []int{0, 3, 25} {
				want := n.ledger(e, side, top)
				if top == 0 {
					want.Top = nil
				}
				cause := causeOf
				if side == graph.Gave {
					cause = nil
				}
				got, err := ledger.Read(t.Context(), g, e, side, top, cause)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("the ledger of %s on side %d is\n%+v, want\n%+v: %v", e, side, got, want, err)
				}
				if sums, err := g.Sums(t.Context(), e, side); err != nil || sums != want.PartySums {
					t.Fatalf("the sums of %s on side %d are %+v, want %+v: %v", e, side, sums, want.PartySums, err)
				}
			}
			ask := neighbors.Cofunders
			if side == graph.Received {
				ask = neighbors.SharingFunders
			}
			want := n.neighbors(e, side)
			got, err := ask(t.Context(), g, e, 1<<30, neighbors.MostEdges)
			if err != nil || got.Total != len(want) || len(got.List) != len(want) || got.Examined != got.Parties {
				t.Fatalf("%s on side %d has %d neighbors, want %d: %v", e, side, got.Total, len(want), err)
			}
			for i, x := range got.List {
				w := want[x.EIN]
				if x.Shared != w.Shared || math.Abs(x.Weight-w.Weight) > 1e-6 || i > 0 && x.Weight > got.List[i-1].Weight {
					t.Fatalf("%s on side %d: neighbor %+v, want %+v", e, side, x, w)
				}
			}
		}
	}
}

// TestLedgers holds ledgers and neighbors against loops, on corpora in which
// everything collides and on a world that went through the build.
func TestLedgers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		c := random(seed, 40+int(seed)*20)
		g := open(t, c.write(t, t.TempDir()))
		if seed%2 == 1 {
			g.Divide()
		}
		compareLedgers(t, g, newNaive(c), 1)
	}
	s := world.Small.Snapshot(t)
	compareLedgers(t, open(t, s), newNaive(readCorpus(t, s)), 11)
}

// TestNeighborsWithin bounds the walk: parties with few neighbors are taken
// first, what is said of how many were looked at is true, and a smaller budget
// finds no more.
func TestNeighborsWithin(t *testing.T) {
	t.Parallel()
	c := random(5, 400)
	g := open(t, c.write(t, t.TempDir()))
	for _, r := range newNaive(c).rows {
		for side, ask := range []func(context.Context, *graph.Graph, ein.EIN, int, int) (neighbors.Neighbors, error){neighbors.Cofunders, neighbors.SharingFunders} {
			e := r.Funder.EIN
			if side == 1 {
				e = r.Recipient.EIN
			}
			last := neighbors.Neighbors{Examined: -1}
			for _, budget := range []int{0, 1, 5, 20, 100, 1 << 20} {
				got, err := ask(t.Context(), g, e, 5, budget)
				again, _ := ask(t.Context(), g, e, 5, budget)
				if err != nil || !reflect.DeepEqual(got, again) || got.Examined < last.Examined || got.Examined > got.Parties || len(got.List) > 5 {
					t.Fatalf("within %d: %+v after %+v: %v", budget, got, last, err)
				}
				if budget == 0 && got.Total != 0 || budget == 1<<20 && got.Examined != got.Parties {
					t.Fatalf("within %d: %+v", budget, got)
				}
				last = got
			}
		}
	}
}

func TestLedgerEnds(t *testing.T) {
	t.Parallel()
	c := random(1, 60)
	// An EIN with two identities: its sums are not stored.
	first, second := &c.grants[0], &c.grants[1]
	first.RecipientEIN, second.RecipientEIN = "990000001", "990000001"
	first.RecipID, second.RecipID = "ein-990000001", "nm-99"
	g := open(t, c.write(t, t.TempDir()))
	e := newNaive(c).rows[0].Funder.EIN
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ledger.Read(ctx, g, e, graph.Gave, 5, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled ledger: %v", err)
	}
	if _, err := neighbors.Cofunders(ctx, g, e, 5, neighbors.MostEdges); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled neighbors: %v", err)
	}
	if sums, err := g.Sums(ctx, 99_0000001, graph.Received); !errors.Is(err, context.Canceled) || sums != (graph.PartySums{}) {
		t.Errorf("canceled sums: %v, %v", sums, err)
	}
	if sums, err := g.Sums(t.Context(), 99_0000001, graph.Received); err != nil || sums.Grants != 2 {
		t.Errorf("sums of two identities: %v, %v", sums, err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	_, read := ledger.Read(t.Context(), g, e, graph.Gave, 5, nil)
	_, sums := g.Sums(t.Context(), e, graph.Gave)
	_, near := neighbors.Cofunders(t.Context(), g, e, 5, neighbors.MostEdges)
	_, sharing := neighbors.SharingFunders(t.Context(), g, e, 5, neighbors.MostEdges)
	for _, err := range []error{read, sums, near, sharing} {
		if !errors.Is(err, graph.ErrClosed) {
			t.Errorf("a closed graph: %v", err)
		}
	}
}
