package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/graph"
)

// funderFilter asks for funders and years and nothing else.
func funderFilter(r *rand.Rand) *graph.Filter {
	f := &graph.Filter{}
	if r.IntN(2) == 0 {
		f.Years = []graph.Span{{From: 2017 + r.IntN(6), To: 2018 + r.IntN(6)}}
	}
	if r.IntN(3) == 0 {
		f.FunderKind = pick(r, grant.FunderKinds())
	}
	if r.IntN(3) > 0 {
		f.Place = graph.Place{Of: pick(r, []graph.PlaceOf{graph.FunderPlace, graph.AreaServed}), Values: []graph.PlaceValue{{Name: pick(r, []string{"CA", "VT", "NY", "ZZ"})}}}
	}
	for range r.IntN(3) {
		f.Funders = append(f.Funders, ein.EIN(70_000_000+r.IntN(14)+1))
	}
	return f
}

// TestWholeFunders asks for what is answered without rows. Between the
// questions some are given up, which must leave nothing behind.
func TestWholeFunders(t *testing.T) {
	t.Parallel()
	given, stop := context.WithCancel(context.Background())
	stop()
	for seed, rows := range []int{1, 40, 500, 3000} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			t.Parallel()
			c := random(uint64(100+seed), rows)
			g, n := open(t, c.write(t, t.TempDir())), newNaive(c)
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			for i := range 400 {
				if i == 200 {
					g.Divide()
					g.DropCache()
				}
				if _, _, err := g.Summary(given, funderFilter(r)); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				f := funderFilter(r)
				totals, years, err := g.Summary(context.Background(), f)
				if err != nil {
					t.Fatal(err)
				}
				wantTotals, wantYears := n.summary(f)
				same(t, "totals", f, totals, wantTotals)
				same(t, "years", f, years, wantYears)
			}
		})
	}
}
