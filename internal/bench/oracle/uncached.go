package oracle

import (
	"context"
	"reflect"
	"slices"

	"grantgraph/internal/serve/graph"
)

// Uncached is a graph that cannot answer from memory: every question is changed in a way that leaves its
// meaning, so that it has never been asked before. Transactions by amount alone stay as they are: they are
// cut from an order made with the index, and memory saves them nothing. It is for one asker at a time.
func Uncached(g *graph.Graph) Engine { return &uncached{Graph: g} }

type uncached struct {
	*graph.Graph
	round int
}

func (*uncached) Name() string { return "graph" }

// vary adds a span of years that no other question has and that does not change the answer: a span of all
// years to a question without years, and an empty span to any other question.
func (e *uncached) vary(f *graph.Filter) *graph.Filter {
	e.round++
	g := *f
	if len(g.Years) == 0 {
		g.Years = []graph.Span{{From: -e.round}}
	} else {
		g.Years = append(slices.Clone(g.Years), graph.Span{From: -e.round, To: -e.round})
	}
	return &g
}

func (e *uncached) Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	amounts := graph.Filter{MinAmount: f.MinAmount, MaxAmount: f.MaxAmount}
	if !reflect.DeepEqual(*f, amounts) {
		f = e.vary(f)
	}
	return e.Graph.Transactions(ctx, f, s, p)
}

func (e *uncached) Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error) {
	return e.Graph.Funders(ctx, e.vary(f), s, p)
}

func (e *uncached) Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error) {
	return e.Graph.Recipients(ctx, e.vary(f), s, p)
}

func (e *uncached) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	return e.Graph.Summary(ctx, e.vary(f))
}

func (e *uncached) Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error) {
	return e.Graph.Groups(ctx, e.vary(f), by, top)
}

func (e *uncached) Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return e.Graph.Excluded(ctx, e.vary(f))
}
