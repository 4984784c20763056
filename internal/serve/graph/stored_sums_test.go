package graph_test

import (
	"math/rand/v2"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
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

// TestRecipientCells asks what the cells of recipients answer, in one block and in
// many: states, years and causes in every combination; and for the funders of one
// recipient, in all years and in some.
func TestRecipientCells(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	g, n := open(t, s), newNaive(readCorpus(t, s))
	r := rand.New(rand.NewPCG(2, 8))
	for _, divided := range []bool{false, true} {
		if divided {
			g.Divide()
			g.DropCache()
		}
		compareWith(t, g, n, r, 20, func(r *rand.Rand) *graph.Filter {
			row, f := n.rows[r.IntN(len(n.rows))], &graph.Filter{}
			if r.IntN(4) > 0 {
				f.Years = []graph.Span{{From: row.FiscalYear - r.IntN(4), To: row.FiscalYear}}
			}
			if r.IntN(4) == 0 {
				f.Recipients = []ein.EIN{row.Recipient.EIN}
				return f
			}
			for range r.IntN(4) {
				f.Place.Values = append(f.Place.Values, graph.PlaceValue{Name: n.rows[r.IntN(len(n.rows))].State})
			}
			if r.IntN(3) == 0 && len(row.NTEE) > 0 {
				f.Subject, _ = ntee.ParseSubject(string(row.NTEE[:1]))
			}
			return f
		})
	}
}
