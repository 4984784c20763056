package graph

import "context"

// ReachingFunders is the number of funders that an area_served place selects: those with at least one row to a recipient in the
// place within f.Years, whatever the other conditions. It is 0 for a filter without such a place.
func (g *Graph) ReachingFunders(ctx context.Context, f *Filter) (int64, error) {
	if err := g.Begin(); err != nil {
		return 0, err
	}
	defer g.End()
	if f.Place.Of != AreaServed || f.Place.empty() {
		return 0, nil
	}
	set, err := g.reach(ctx, f)
	if err != nil {
		return 0, err
	}
	return set.count(), nil
}

func (g *Graph) reach(ctx context.Context, f *Filter) (bitset, error) {
	place := &Filter{Years: f.Years, Place: f.Place}
	place.Place.Of = RecipientPlace
	return remember(g, cacheKey(reachAnswer, Question{About: AboutTotals, Filter: place}), func() (bitset, int, error) {
		reach, err := g.fundersReaching(ctx, place)
		return reach, 8 * len(reach), err
	})
}

func (g *Graph) fundersReaching(ctx context.Context, f *Filter) (bitset, error) {
	reach := make(bitset, wordsFor(len(g.dict.funders)))
	if c, ok := g.cellFilter(f); ok {
		list, _ := g.sums.funderStates.within(g, c)
		for _, l := range list {
			for i := range l.cells {
				reach.set(l.cells[i].ID)
			}
		}
		return reach, ctx.Err()
	}
	e := g.evaluate(ctx)
	defer e.end()
	set, err := e.filter(f)
	if err != nil {
		return nil, err
	}
	err = set.chunks(ctx, g.grain.chunk, func(rows []uint32) {
		for _, row := range rows {
			reach.set(g.cols.funders[row])
		}
	})
	return reach, err
}
