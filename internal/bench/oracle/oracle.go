// Package oracle puts the questions of package graph to SQL engines. It is
// the reference that the graph is held against, row by row, and the
// competition that it is timed against. It is for tests and `measure bench`
// only.
//
// There are three engines. Plain is DuckDB over the tables as the snapshot has
// them, with conditions written the way an analyst would write them; it is the
// definition of what each filter means, so it is kept simple and not fast.
// Coded is DuckDB over sorted, integer-coded tables, and Postgres the same
// tables with indexes: what somebody would build who knows those engines.
//
// Nothing here shares code with the graph but the types of a question and its
// answer. Words, stems and recipient identities are stated a second time, so
// that a mistake in one statement shows as a difference.
package oracle

import (
	"context"

	"grantgraph/internal/serve/graph"
)

// Engine answers the questions of package graph. Answers are equal to the
// graph's in every field and in their order.
type Engine interface {
	Name() string
	Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error)
	Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error)
	Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error)
	Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error)
	Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error)
	Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error)
	Close() error
}
