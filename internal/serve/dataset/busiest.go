package dataset

import (
	"context"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// Busiest finds an example for a first look at the data: the funder with the most
// grants and the recipient, with an EIN, that it paid most. Either is ein.None if
// there is nobody.
func (d *Dataset) Busiest(ctx context.Context) (funder, recipient ein.EIN, err error) {
	funders, _, err := d.Graph.Funders(ctx, &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: 1})
	if err != nil || len(funders) == 0 {
		return ein.None, ein.None, err
	}
	funder = funders[0].EIN
	recipients, _, err := d.Graph.Recipients(ctx, &graph.Filter{Funders: []ein.EIN{funder}}, graph.Sort{}, graph.Page{Limit: 20})
	for _, r := range recipients {
		if r.EIN != ein.None {
			return funder, r.EIN, err
		}
	}
	return funder, ein.None, err
}
