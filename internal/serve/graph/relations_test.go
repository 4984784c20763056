package graph_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
)

// relations is the same with maps over all rows.
func (n *naive) relations(q ledger.RelationsQuestion) *ledger.Relations {
	parties := map[string]*ledger.Relation{}
	classes, grants := map[string]graph.Class{}, map[string][]graph.Grant{}
	data, own := map[int]bool{}, map[int]bool{}
	for _, r := range n.rows {
		data[r.FiscalYear] = true
		if r.Recipient.EIN == ein.None {
			classes[r.Recipient.ID] |= r.Classes
		}
		p, key := ledger.Relation{}, r.Recipient.ID
		switch {
		case q.Side == graph.Gave && r.Funder.EIN == q.EIN:
			p.ID, p.EIN, p.Name, p.City, p.State = r.Recipient.ID, r.Recipient.EIN, r.Recipient.Name, r.Recipient.City, r.Recipient.State
		case q.Side == graph.Received && r.Recipient.EIN == q.EIN:
			p.EIN, p.Name, p.City, p.State, p.Kind = r.Funder.EIN, r.Funder.Name, r.Funder.City, r.Funder.State, r.Funder.Kind
			key = r.Funder.EIN.String()
		default:
			continue
		}
		own[r.FiscalYear] = true
		if parties[key] == nil {
			p.FirstYear = r.FiscalYear
			parties[key] = &p
		}
		x := parties[key]
		x.Total, x.Grants = x.Total+r.Amount, x.Grants+1
		x.FirstYear, x.LastYear = min(x.FirstYear, r.FiscalYear), max(x.LastYear, r.FiscalYear)
		grants[key] = append(grants[key], r)
	}
	out := &ledger.Relations{Apart: make([]graph.Cost, len(q.Apart))}
	var years []int
	for y := range data {
		years = append(years, y)
	}
	slices.Sort(years)
	var complete []int
	for _, y := range years {
		if q.Complete(y) {
			complete = append(complete, y)
		}
	}
	if len(complete) > 1 {
		out.Latest = complete[len(complete)-1]
	}
	for i, y := range years {
		if slices.ContainsFunc(years[:i+1], func(y int) bool { return own[y] }) && slices.ContainsFunc(years[i:], func(y int) bool { return own[y] }) {
			out.Years = append(out.Years, y)
		}
	}
	for key, x := range parties {
		if i := slices.IndexFunc(q.Apart, func(c graph.Class) bool { return classes[key]&c != 0 }); i >= 0 {
			out.Apart[i].Grants += x.Grants
			out.Apart[i].Amount += x.Total
			continue
		}
		x.ByYear = make([]graph.Cost, len(out.Years))
		for _, r := range grants[key] {
			y := &x.ByYear[slices.Index(out.Years, r.FiscalYear)]
			y.Grants++
			y.Amount += r.Amount
		}
		at := slices.ContainsFunc(grants[key], func(r graph.Grant) bool { return r.FiscalYear == out.Latest })
		switch {
		case out.Latest == 0:
		case x.FirstYear < out.Latest && x.LastYear >= out.Latest:
			x.Mark = ledger.Repeat
		case x.FirstYear < out.Latest:
			x.Mark = ledger.Lapsed
		case at:
			x.Mark = ledger.New
		}
		out.Marked[x.Mark]++
		if q.Only == ledger.Unmarked || x.Mark == q.Only {
			out.List = append(out.List, *x)
		}
	}
	slices.SortFunc(out.List, func(a, b ledger.Relation) int {
		first := 0
		switch q.Order {
		case ledger.MostGrants:
			first = cmp.Compare(b.Grants, a.Grants)
		case ledger.LatestYear:
			first = cmp.Compare(b.LastYear, a.LastYear)
		}
		return cmp.Or(first, cmp.Compare(b.Total, a.Total), cmp.Compare(a.ID, b.ID), cmp.Compare(a.EIN, b.EIN))
	})
	out.Hits = int64(len(out.List))
	from := min(q.Page.Offset, len(out.List))
	out.List = out.List[from:min(from+q.Page.Limit, len(out.List))]
	return out
}

// openBoth is the small world and the same in maps.
func openBoth(t *testing.T) (*graph.Graph, *naive) {
	t.Helper()
	s := world.Small.Snapshot(t)
	return open(t, s), newNaive(readCorpus(t, s))
}

// parties are all that gave or received, some of them.
func (n *naive) parties() (list []ein.EIN) {
	for i, r := range n.rows {
		if i%23 == 0 {
			list = append(list, r.Funder.EIN)
			if r.Recipient.EIN != ein.None {
				list = append(list, r.Recipient.EIN)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestRelations holds the parties of every organization to maps over all rows:
// both sides, each order, each mark, and pages anywhere.
func TestRelations(t *testing.T) {
	t.Parallel()
	g, n := openBoth(t)
	marks := map[ledger.Mark]int64{}
	apart := int64(0)
	for i, e := range n.parties() {
		for _, side := range []graph.Side{graph.Gave, graph.Received} {
			for _, complete := range []func(int) bool{func(y int) bool { return y%7 != int(e%7) }, func(y int) bool { return y < 2016 }, func(int) bool { return false }} {
				q := ledger.RelationsQuestion{EIN: e, Side: side, Complete: complete, Only: ledger.Mark(i % 4), Order: ledger.RelationOrder(i % 3), Page: graph.Page{Offset: i % 5, Limit: 7}}
				if side == graph.Gave {
					q.Apart = []graph.Class{graph.Individuals}
				}
				got, err := ledger.ReadRelations(t.Context(), g, q)
				if err != nil {
					t.Fatal(err)
				}
				want := n.relations(q)
				if len(want.List) == 0 {
					want.List = got.List[:0:0]
				}
				if len(got.List) == 0 {
					got.List = want.List
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s side %d only %d order %d:\n%+v\n%+v", e, side, q.Only, q.Order, got, want)
				}
				for m, k := range got.Marked {
					marks[ledger.Mark(m)] += k
				}
				for _, c := range got.Apart {
					apart += c.Grants
				}
			}
		}
	}
	if len(marks) != 4 || apart == 0 || marks[ledger.New] == 0 || marks[ledger.Repeat] == 0 || marks[ledger.Lapsed] == 0 {
		t.Errorf("marks %v, %d rows apart: this world shows too little", marks, apart)
	}
}

// TestRelationPages reads the relations of a funder page by page, where there are
// more than are sorted at once.
func TestRelationPages(t *testing.T) {
	t.Parallel()
	c := random(3, 900)
	for i := range c.grants {
		c.grants[i].FunderEIN = c.grants[0].FunderEIN
		c.grants[i].RecipientEIN, c.grants[i].RecipID = "", fmt.Sprintf("nm-%d", i/3)
	}
	g := open(t, c.write(t, t.TempDir()))
	e := newNaive(c).rows[0].Funder.EIN
	for _, order := range []ledger.RelationOrder{ledger.MostDollars, ledger.MostGrants, ledger.LatestYear} {
		whole, err := ledger.ReadRelations(t.Context(), g, ledger.RelationsQuestion{EIN: e, Order: order, Page: graph.Page{Limit: 1 << 30}})
		if err != nil || whole.Hits < 100 || int64(len(whole.List)) != whole.Hits {
			t.Fatal(err, whole.Hits)
		}
		for offset := 0; offset < len(whole.List); offset += 13 {
			part, err := ledger.ReadRelations(t.Context(), g, ledger.RelationsQuestion{EIN: e, Order: order, Page: graph.Page{Offset: offset, Limit: 13}})
			if err != nil || !reflect.DeepEqual(part.List, whole.List[offset:min(offset+13, len(whole.List))]) {
				t.Fatalf("from %d: %v", offset, err)
			}
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	g, n := openBoth(t)
	for _, e := range append(n.parties(), ein.None) {
		for _, side := range []graph.Side{graph.Gave, graph.Received} {
			var amounts []int64
			for _, r := range n.rows {
				if e != ein.None && (side == graph.Gave && r.Funder.EIN == e || side == graph.Received && r.Recipient.EIN == e) {
					amounts = append(amounts, r.Amount)
				}
			}
			slices.Sort(amounts)
			want := 0.0
			if k := len(amounts); k > 0 {
				want = (float64(amounts[(k-1)/2]) + float64(amounts[k/2])) / 2
			}
			got, ok, err := ledger.Median(t.Context(), g, e, side)
			if err != nil || ok != (len(amounts) > 0) || got != want {
				t.Fatalf("%s side %d: %v %t %v, want %v of %d", e, side, got, ok, err, want, len(amounts))
			}
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	g, n := openBoth(t)
	list := append(n.parties()[:40:40], ein.None)
	some := int64(0)
	for _, side := range []graph.Side{graph.Gave, graph.Received} {
		sets := make([]map[string]bool, len(list))
		for i, e := range list {
			sets[i] = map[string]bool{}
			for _, r := range n.rows {
				if e != ein.None && side == graph.Gave && r.Funder.EIN == e && r.Recipient.EIN != ein.None {
					sets[i][r.Recipient.ID] = true
				} else if e != ein.None && side == graph.Received && r.Recipient.EIN == e {
					sets[i][r.Funder.EIN.String()] = true
				}
			}
		}
		shared, err := neighbors.ReadShared(t.Context(), g, list, side, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		got := shared.Counts
		if len(shared.Parties) != shared.Hits {
			t.Fatalf("%d of %d parties", len(shared.Parties), shared.Hits)
		}
		for _, p := range shared.Parties {
			of := 0
			for i, e := range list {
				var want neighbors.Between
				for _, r := range n.rows {
					if side == graph.Gave && r.Funder.EIN == e && r.Recipient.EIN == p.EIN && r.Recipient.Name == p.Name ||
						side == graph.Received && r.Recipient.EIN == e && r.Funder.EIN == p.EIN {
						if want.Grants == 0 {
							want.First = int(r.FiscalYear)
						}
						want.Grants++
						want.Amount += r.Amount
						want.First, want.Last = min(want.First, int(r.FiscalYear)), max(want.Last, int(r.FiscalYear))
					}
				}
				if e != ein.None && p.By[i] != want {
					t.Fatalf("%s and %s, side %d: %+v, want %+v", e, p.EIN, side, p.By[i], want)
				}
				if p.By[i].Grants > 0 {
					of++
				}
			}
			if of < 2 {
				t.Fatalf("%s is a party of %d", p.EIN, of)
			}
		}
		for i := range list {
			for j := range list {
				want := int64(0)
				for key := range sets[i] {
					if sets[j][key] {
						want++
					}
				}
				if got[i][j] != want {
					t.Fatalf("%s and %s, side %d: %d, want %d", list[i], list[j], side, got[i][j], want)
				}
				if i != j {
					some += want
				}
			}
		}
	}
	if some == 0 {
		t.Error("nobody has anybody in common: this world shows nothing")
	}
}
