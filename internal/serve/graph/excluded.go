package graph

import (
	"context"
	"slices"
)

// Excluded says what each class in f.Exclude takes away: the rows and dollars
// of the class among the rows that satisfy the filter without any exclusion. A
// row in two classes counts in both.
func (g *Graph) Excluded(ctx context.Context, f *Filter) (map[Class]Cost, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	rest := *f
	rest.Exclude = 0
	out := make(map[Class]Cost, classes)
	key := cacheKey('x', Question{About: AboutTotals, Filter: &rest})
	found, ok := g.cache.get(key)
	if !ok {
		list, err := g.classCosts(ctx, &rest)
		if err != nil {
			return nil, err
		}
		g.cache.put(key, list, 16*classes)
		found = list
	}
	costs := found.([]Cost)
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
