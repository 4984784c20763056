package graph_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"grantgraph/internal/serve/graph"
)

// TestRemembered asks for pages again with a context that has ended: what is
// remembered needs no new evaluation and is answered all the same. A page far
// down is remembered on its own, and the first pages outlive it.
func TestRemembered(t *testing.T) {
	t.Parallel()
	g := open(t, wide(20_000).write(t, t.TempDir()))
	ended, end := context.WithCancel(context.Background())
	end()
	ask := map[string]func(context.Context, *graph.Filter, graph.Page) error{
		"transactions": func(ctx context.Context, f *graph.Filter, p graph.Page) error {
			_, _, err := g.Transactions(ctx, f, graph.Sort{By: graph.ByRecipName}, p)
			return err
		},
		"funders": func(ctx context.Context, f *graph.Filter, p graph.Page) error {
			_, _, err := g.Funders(ctx, f, graph.Sort{By: graph.ByCount}, p)
			return err
		},
		"recipients": func(ctx context.Context, f *graph.Filter, p graph.Page) error {
			_, _, err := g.Recipients(ctx, f, graph.Sort{By: graph.ByCount}, p)
			return err
		},
	}
	first, deep, other := graph.Page{Limit: 10}, graph.Page{Offset: 1200, Limit: 10}, graph.Page{Offset: 1300, Limit: 10}
	for _, list := range listNames {
		f := &graph.Filter{Years: []graph.Span{{From: firstYear, To: firstYear + 2}}}
		for _, p := range []graph.Page{first, deep} {
			if err := ask[list](t.Context(), f, p); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []graph.Page{deep, first} {
			if err := ask[list](ended, f, p); err != nil {
				t.Errorf("%s: the page at %d is evaluated again: %v", list, p.Offset, err)
			}
		}
		if err := ask[list](ended, f, other); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a page that nobody asked for is remembered: %v", list, err)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	g := open(t, random(10, 500).write(t, t.TempDir()))
	g.ShrinkCache(20_000)
	r := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	most := 0
	for range 500 {
		if _, _, err := g.Funders(ctx, randomFilter(r), graph.Sort{}, graph.Page{Limit: 5}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := g.Transactions(ctx, randomFilter(r), graph.Sort{}, graph.Page{Limit: 5}); err != nil {
			t.Fatal(err)
		}
		most = max(most, g.CacheSize())
	}
	if most > 20_000 || most < 10_000 {
		t.Errorf("the cache has held %d bytes", most)
	}
}
