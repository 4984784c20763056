package graph

import (
	"context"
	"slices"
	"sort"
	"strconv"
)

// Bands counts the rows that satisfy a filter by their amounts: those below the
// first cut, those from each cut up to the next, and those from the last one on.
// Cuts ascend.
func (g *Graph) Bands(ctx context.Context, f *Filter, cuts []int64) ([]int64, error) {
	return g.spread(ctx, 'b', f, cutsName(cuts), func() (int, func(uint32) int) {
		// A row's place in the order of amounts says its band, so that the
		// amount need not be compared. The largest come first.
		ranks := make([]uint32, len(cuts))
		for i := range cuts {
			_, ranks[len(cuts)-1-i] = g.ranks(&cuts[i], nil)
		}
		return len(cuts) + 1, func(row uint32) int {
			rank, n := g.rank[row], 0
			for n < len(ranks) && rank >= ranks[n] {
				n++
			}
			return len(ranks) - n
		}
	})
}

// Surest counts the rows that satisfy a filter and whose recipient has an EIN
// with at least a probability, for each of several.
func (g *Graph) Surest(ctx context.Context, f *Filter, least []float64) ([]int64, error) {
	linked := *f
	if linked.MinProb == nil {
		linked.MinProb = new(float64) // rows without an EIN never match
	}
	counts, err := g.spread(ctx, 'p', &linked, "", func() (int, func(uint32) int) {
		return len(g.probList), func(row uint32) int { return int(g.probs[row]) }
	})
	if err != nil {
		return nil, err
	}
	list, err := g.probabilities()
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(least))
	for i, p := range least {
		for _, n := range counts[sort.SearchFloat64s(list, p):] {
			out[i] += n
		}
	}
	return out, nil
}

// probabilities are those that rows have, ascending.
func (g *Graph) probabilities() ([]float64, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	return slices.Clone(g.probList), nil
}

// spread counts the rows of a filter by a small number that each has, which by
// says together with how many there are. What is counted is remembered under a
// kind and a name.
func (g *Graph) spread(ctx context.Context, kind byte, f *Filter, name string, by func() (n int, of func(row uint32) int)) ([]int64, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	key := cacheKey(kind, Question{About: AboutTotals, Filter: f}) + name
	if found, ok := g.cache.get(key); ok {
		return slices.Clone(found.([]int64)), nil
	}
	e := g.evaluate(ctx)
	defer e.end()
	set, err := e.filter(f)
	if err != nil {
		return nil, err
	}
	n, of := by()
	lo, hi := set.bounds()
	at := g.evenCuts(lo, hi)
	parts := make([][]int64, len(at)-1)
	err = betweenCuts(ctx, at, func(i, from, to int) {
		counts := make([]int64, n)
		set.each(uint32(from), uint32(to), func(rows []uint32) {
			for _, row := range rows {
				counts[of(row)]++
			}
		})
		parts[i] = counts
	})
	if err != nil {
		return nil, err
	}
	out := make([]int64, n)
	for _, p := range parts {
		for i := range p {
			out[i] += p[i]
		}
	}
	g.cache.put(key, out, 8*n)
	return slices.Clone(out), nil
}

// cutsName names cuts.
func cutsName(cuts []int64) string {
	var b []byte
	for _, c := range cuts {
		b = append(strconv.AppendInt(b, c, 10), ',')
	}
	return string(b)
}
