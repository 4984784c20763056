package graph_test

import (
	"math/rand/v2"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
)

// TestStoredSums asks what sums and sets of the build answer: a state in one year
// or several, causes and kinds of funders, amounts that begin or end at a step.
func TestStoredSums(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	g, n := open(t, s), newNaive(readCorpus(t, s))
	step := func(r *rand.Rand) *int64 {
		v := pick(r, []int64{999, 1_000, 5_000, 5_001, 10_000, 100_000})
		return &v
	}
	compareWith(t, g, n, rand.New(rand.NewPCG(1, 8)), 40, func(r *rand.Rand) *graph.Filter {
		row := n.rows[r.IntN(len(n.rows))]
		f := &graph.Filter{Years: []graph.Span{{From: row.FiscalYear - r.IntN(2), To: row.FiscalYear}}}
		switch r.IntN(3) {
		case 0:
			f.Place.Values = []graph.PlaceValue{{Name: row.State}}
		case 1:
			f.FunderKind = pick(r, grant.FunderKinds())
		case 2:
			f.Years, f.MinAmount = nil, step(r)
			if r.IntN(2) == 0 {
				most := *step(r) - 1
				f.MaxAmount = &most
			}
		}
		if r.IntN(2) == 0 && len(row.NTEE) > 0 {
			f.Subject, _ = ntee.ParseSubject(string(row.NTEE[:1]))
			f.SubjectBasis = ntee.Basis(r.IntN(2))
		}
		return f
	})
}
