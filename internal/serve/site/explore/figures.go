package explore

import (
	"context"
	"slices"

	"grantgraph/internal/serve/graph"
)

// cuts are the amounts between the bands that the form offers.
var cuts = []int64{1_000, 10_000, 50_000, 250_000, 1_000_000}

var sures = []float64{0, 0.5, 0.8, 0.9, 0.95}

type figures = graph.Facets

// countyStates are the states whose counties the form offers: chosen states, and
// states of chosen counties. ok is false if there are none or more than three.
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

func weight(g *graph.Graph, f *graph.Filter) int64 {
	return g.FacetsWeight(f) + max(0, g.Weight(graph.AboutTotals, f, graph.Page{}))
}

// shown are the groupings that every tab draws.
var shown = []graph.Grouping{graph.GroupSubject, graph.GroupState, graph.GroupFunderType}

// count asks for the figures. The summary tab needs all groupings.
func count(ctx context.Context, g *graph.Graph, f *graph.Filter, all bool) (*figures, error) {
	by := shown
	if all {
		by = append(by[:len(by):len(by)], graph.GroupSupport)
		if _, ok := countyStates(f); ok && f.Place.Kind == graph.State {
			by = append(by, graph.GroupCounty)
		}
	}
	return g.Facets(ctx, f, graph.FacetsOf{Amounts: cuts, Probabilities: sures, By: by})
}

func of(d graph.Grouped, key string) graph.Cost {
	for _, g := range d.Groups {
		if g.Key == key {
			return g.Cost
		}
	}
	return graph.Cost{}
}
