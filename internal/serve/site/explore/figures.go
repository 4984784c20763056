package explore

import (
	"context"
	"slices"

	"grantgraph/internal/serve/graph"
)

// cuts divide grants by their amounts.
var cuts = []int64{1_000, 10_000, 50_000, 250_000, 1_000_000}

// sures are the probabilities that the form offers.
var sures = []float64{0, 0.5, 0.8, 0.9, 0.95}

// figures are what the page counts beside the rows.
type figures = graph.Facets

// countyStates are the states whose counties the form offers: those that are
// chosen, or of which a county is; ok is false where there are none, or too many.
func countyStates(f *graph.Filter) (states []string, ok bool) {
	if f.Place.Of != graph.RecipientPlace {
		return nil, false
	}
	for _, v := range f.Place.Values {
		state := v.Name
		if f.Place.Kind == graph.County {
			state = stateOf(v.Name)
		}
		if state != "" && !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	return states, (f.Place.Kind == graph.State || f.Place.Kind == graph.County) && len(states) > 0 && len(states) <= 3
}

// weight bounds the memory that count takes.
func weight(g *graph.Graph, f *graph.Filter) int64 {
	return g.FacetsWeight(f) + max(0, g.Weight(graph.AboutTotals, f, graph.Page{}))
}

// count asks for the figures.
func count(ctx context.Context, g *graph.Graph, f *graph.Filter) (*figures, error) {
	return g.Facets(ctx, f, graph.FacetsOf{Amounts: cuts, Probabilities: sures})
}

// total adds groups up that do not overlap.
func total(d *graph.Grouped) (sum graph.Cost) {
	add := func(c graph.Cost) { sum.Grants += c.Grants; sum.Amount += c.Amount }
	for _, g := range d.Groups {
		add(g.Cost)
	}
	for _, c := range []*graph.Cost{d.Rest, d.None} {
		if c != nil {
			add(*c)
		}
	}
	return sum
}

// of is what a group of the figures has.
func of(d *graph.Grouped, key string) graph.Cost {
	for _, g := range d.Groups {
		if g.Key == key {
			return g.Cost
		}
	}
	return graph.Cost{}
}
