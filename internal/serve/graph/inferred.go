package graph

import (
	"context"

	"grantgraph/internal/ntee"
)

// WiderBasis is what the subject of a filter would select in addition if
// inferred causes counted too: the rows and dollars of recipients without a code
// whose inferred letter is under the subject, and that satisfy the rest of the
// filter. It is zero where there is no subject or where they count already.
func (g *Graph) WiderBasis(ctx context.Context, f *Filter) (Cost, error) {
	if f.Subject.Empty() || f.SubjectBasis == ntee.Any {
		return Cost{}, nil
	}
	if err := g.Begin(); err != nil {
		return Cost{}, err
	}
	defer g.End()
	return remember(g, cacheKey(widerAnswer, Question{About: AboutTotals, Filter: f}), func() (cost Cost, size int, err error) {
		rest := *f
		rest.inferredOnly = true
		e := g.evaluate(ctx)
		defer e.end()
		set, err := e.filter(&rest)
		if err != nil {
			return cost, 0, err
		}
		err = set.chunks(ctx, g.grain.chunk, func(rows []uint32) {
			for _, row := range rows {
				cost.add(g.cols.amounts[row])
			}
		})
		return cost, 16, err
	})
}
