package ask

import (
	"context"
	"fmt"

	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
)

// Examples are three questions that can be answered from this dataset: about its
// largest funder, about a state, and about a cause.
func (a *Asker) Examples(ctx context.Context) []string {
	out := []string{}
	if a.Data == nil || a.Data.Graph == nil {
		return out
	}
	g := a.Data.Graph
	if funders, _, err := g.Funders(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1}); err == nil && len(funders) > 0 {
		out = append(out, fmt.Sprintf("How much did %s give in %d?", orgname.Display(funders[0].Name), funders[0].LastYear))
	}
	if by, err := g.Groups(ctx, &graph.Filter{}, graph.GroupState, 1); err == nil && len(by.Groups) > 0 {
		if r, ok := place.RegionOf(by.Groups[0].Key); ok {
			out = append(out, "Who are the top 10 funders of education in "+r.Name+"?")
		}
	}
	if by, err := g.Groups(ctx, &graph.Filter{}, graph.GroupSubject, 1); err == nil && len(by.Groups) > 0 {
		if key := by.Groups[0].Key; len(key) == 1 {
			out = append(out, "How has giving for "+ntee.Label(key[0])+" changed over time?")
		}
	}
	return out
}
