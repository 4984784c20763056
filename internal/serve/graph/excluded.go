package graph

import (
	"context"
	"slices"

	"grantgraph/internal/ntee"
)

// Excluded says what each class in f.Exclude takes away: the rows and dollars of the class among the rows
// that satisfy the filter without any exclusion. A row in two classes counts in both.
func (g *Graph) Excluded(ctx context.Context, f *Filter) (map[Class]Cost, error) {
	if err := g.Begin(); err != nil {
		return nil, err
	}
	defer g.End()
	rest := *f
	rest.Exclude = 0
	out := make(map[Class]Cost, classes)
	costs, err := remember(g, cacheKey(excludedAnswer, Question{About: AboutTotals, Filter: &rest}), func() ([]Cost, int, error) {
		list, err := g.classCosts(ctx, &rest)
		return list, 16 * classes, err
	})
	if err != nil {
		return nil, err
	}
	for i := range classes {
		if c := Class(1 << i); f.Exclude&c != 0 {
			out[c] = costs[i]
		}
	}
	return out, nil
}

func (g *Graph) classCosts(ctx context.Context, f *Filter) ([]Cost, error) {
	e := g.evaluate(ctx)
	defer e.end()
	set, err := e.filter(f)
	if err != nil {
		return nil, err
	}
	if set.all {
		return slices.Clone(g.sums.classes), nil
	}
	return e.sumIn(&set, g.postings.sets.class.all(classes))
}

// WiderBasis is what the subject of a filter would select in addition if inferred causes counted too: the
// rows and dollars of recipients without a code whose inferred letter is under the subject, and that satisfy
// the rest of the filter. It is zero where there is no subject or where they count already.
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
