package graph_test

import (
	"context"
	"slices"
	"testing"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// TestAreaServed has three funders: one gives in Vermont and elsewhere, one
// gave there in another year, one never did.
func TestAreaServed(t *testing.T) {
	t.Parallel()
	c := &corpus{}
	add := func(key, funder, state string, year int32, amount int64, daf bool) {
		c.grants = append(c.grants, snapshot.Grant{Key: key, FunderEIN: funder, RecipID: "nm-" + key, RecipientRaw: "R " + key,
			RecipientState: state, TaxYear: year, Amount: amount, IsDAF: daf, Filing: "f", ReturnType: "990", PeriodEnd: "2022-12-31"})
	}
	add("a1", "070000001", "VT", 2022, 10, true)
	add("a2", "070000001", "CA", 2022, 500, false)
	add("a3", "070000001", "CA", 2020, 700, false)
	add("b1", "070000002", "VT", 2020, 20, false)
	add("b2", "070000002", "NY", 2022, 300, false)
	add("c1", "070000003", "NY", 2022, 900, false)
	g := open(t, c.write(t, t.TempDir()))
	served := graph.Place{Of: graph.AreaServed, Values: []graph.PlaceValue{{Name: "VT"}}}
	least := int64(100)
	for _, q := range []struct {
		name   string
		filter graph.Filter
		reach  int64
		want   []string
	}{
		{"all years", graph.Filter{Place: served}, 2, []string{"a3", "a2", "b2", "b1", "a1"}},
		{"years bound the reach and the rows", graph.Filter{Place: served, Years: []graph.Span{{From: 2022}}}, 1, []string{"a2", "a1"}},
		{"an amount bounds the rows alone", graph.Filter{Place: served, MinAmount: &least}, 2, []string{"a3", "a2", "b2"}},
		{"an exclusion bounds the rows alone", graph.Filter{Place: served, Exclude: graph.DAF}, 2, []string{"a3", "a2", "b2", "b1"}},
		{"nobody", graph.Filter{Place: graph.Place{Of: graph.AreaServed, Values: []graph.PlaceValue{{Name: "WY"}}}}, 0, nil},
	} {
		t.Run(q.name, func(t *testing.T) {
			ctx := context.Background()
			rows, hits, err := g.Transactions(ctx, &q.filter, graph.Sort{}, graph.Page{Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rows {
				got = append(got, r.Key)
			}
			if !slices.Equal(got, q.want) || hits != int64(len(q.want)) {
				t.Errorf("got %v of %d, want %v", got, hits, q.want)
			}
			if n, err := g.ReachingFunders(ctx, &q.filter); err != nil || n != q.reach {
				t.Errorf("%d funders reach it, want %d; %v", n, q.reach, err)
			}
		})
	}
}
