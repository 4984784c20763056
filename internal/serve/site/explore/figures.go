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

// every is all classes that can be left out.
const every = graph.DAF | graph.Individuals | graph.RelatedParty | graph.Unidentified

// How many groups a grouping shows: all there are, but of counties the largest.
const (
	mostCauses   = 26
	mostStates   = 70
	mostCounties = 120
	mostYears    = 64
)

// figures are what the page counts beside the rows. What stands beside the
// choices of a filter is counted without that filter and with all others, so
// that each number is what choosing it would give.
type figures struct {
	causes, states, counties, supports, kinds, years graph.Grouped
	bands, sures                                     []int64
	classes                                          map[graph.Class]graph.Cost

	// Of the selection itself.
	ofCause, ofState, ofKind graph.Grouped
	// people and nobody are what goes to individuals and to whom no line names.
	people, nobody graph.Cost
}

// countyPlace is where the counties that the form offers are: the states that
// are chosen, or those of the counties that are; ok is false where there are none.
func countyPlace(f *graph.Filter) (p graph.Place, ok bool) {
	p = graph.Place{Kind: graph.State, Near: f.Place.Near}
	if f.Place.Of != graph.RecipientPlace {
		return p, false
	}
	for _, v := range f.Place.Values {
		switch f.Place.Kind {
		case graph.State:
			p.Values = append(p.Values, graph.PlaceValue{Name: v.Name})
		case graph.County:
			if s := (graph.PlaceValue{Name: stateOf(v.Name)}); s.Name != "" && !slices.Contains(p.Values, s) {
				p.Values = append(p.Values, s)
			}
		}
	}
	return p, len(p.Values) > 0 && len(p.Values) <= 3
}

// questions are the groupings that a page asks for, in a fixed order.
func questions(f *graph.Filter) []graph.GroupsOf {
	county := *f
	county.Place, _ = countyPlace(f)
	persons, named := *f, *f
	persons.Exclude |= graph.Individuals
	named.Exclude |= graph.Individuals | graph.Unidentified
	list := []graph.GroupsOf{
		{Filter: f, By: graph.GroupSubject, Top: mostCauses},
		{Filter: f, By: graph.GroupState, Top: mostStates},
		{Filter: f, By: graph.GroupFunderType, Top: 10},
		{Filter: f.Without(graph.GroupSubject), By: graph.GroupSubject, Top: mostCauses},
		{Filter: f.Without(graph.GroupState), By: graph.GroupState, Top: mostStates},
		{Filter: f.Without(graph.GroupSupport), By: graph.GroupSupport, Top: 20},
		{Filter: f.Without(graph.GroupFunderType), By: graph.GroupFunderType, Top: 10},
		{Filter: f.Without(graph.GroupYear), By: graph.GroupYear, Top: mostYears},
		{Filter: &county, By: graph.GroupCounty, Top: mostCounties},
		{Filter: &persons, By: graph.GroupFunderType, Top: 10},
		{Filter: &named, By: graph.GroupFunderType, Top: 10},
	}
	return list
}

// weight bounds the memory that count takes.
func weight(g *graph.Graph, f *graph.Filter) (n int64) {
	for _, q := range questions(f) {
		n = max(n, g.Weight(graph.AboutGroups, q.Filter, graph.Page{Limit: q.Top}))
	}
	return n + max(0, g.Weight(graph.AboutTotals, f, graph.Page{}))
}

// count asks for the figures. People are asked for only where they are shown,
// and counties where there is a state to look at.
func count(ctx context.Context, g *graph.Graph, f *graph.Filter, people bool) (*figures, error) {
	list := questions(f)
	if !people {
		list = list[:len(list)-2]
	}
	if _, ok := countyPlace(f); !ok {
		list[8] = list[0]
	}
	found, err := g.GroupsMany(ctx, list)
	if err != nil {
		return nil, err
	}
	x := &figures{
		ofCause: found[0], ofState: found[1], ofKind: found[2],
		causes: found[3], states: found[4], supports: found[5], kinds: found[6], years: found[7],
	}
	if found[8].By == graph.GroupCounty {
		x.counties = found[8]
	}
	if people {
		all, named, known := total(&x.ofKind), total(&found[9]), total(&found[10])
		x.people = graph.Cost{Grants: all.Grants - named.Grants, Amount: all.Amount - named.Amount}
		x.nobody = graph.Cost{Grants: named.Grants - known.Grants, Amount: named.Amount - known.Amount}
	}
	other := *f
	other.MinAmount, other.MaxAmount = nil, nil
	if x.bands, err = g.Bands(ctx, &other, cuts); err != nil {
		return nil, err
	}
	other = *f
	other.MinProb = nil
	if x.sures, err = g.Surest(ctx, &other, sures); err != nil {
		return nil, err
	}
	other = *f
	other.Exclude = every
	x.classes, err = g.Excluded(ctx, &other)
	return x, err
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
