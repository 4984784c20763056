package grants

import (
	"slices"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

func listParams(about graph.About, row any) []api.Param {
	names := about.OrderWords()
	return slices.Concat(filterParams(), described(graph.Documented(
		&graph.Param{Name: "sort_by", Type: graph.TextParam, Enum: names, Default: "amount", EnumAlso: shortOrders(names)},
		&graph.Param{Name: "sort_order", Type: graph.TextParam, Enum: []string{"asc", "desc"}},
	)...), api.PageParams(), described(graph.Documented(
		&graph.Param{Name: "fields", Type: graph.TextParam, List: true, Enum: api.ColumnNames(row)},
	)...), []api.Param{api.FormatParam(api.Formats...)})
}

// shortOrders are the orders by name and by state where rows are of funders only
// or of recipients only: the word need not say whose name or state is meant.
func shortOrders(names []string) map[string]string {
	out := map[string]string{}
	for _, part := range []string{"name", "state"} {
		funder, recip := slices.Contains(names, "funder_"+part), slices.Contains(names, "recip_"+part)
		switch {
		case funder && !recip:
			out[part] = "funder_" + part
		case recip && !funder:
			out[part] = "recip_" + part
		}
	}
	return out
}

// readSort reads sort_by and sort_order. Names and states ascend and figures
// descend unless the caller says otherwise. If sort_by is not understood, its
// direction is not applied to the default order.
func readSort(r *api.Reader) graph.Sort {
	var sort graph.Sort
	name, understood := r.Choice("sort_by")
	if name != "" {
		sort.By, _ = graph.ParseOrder(name)
	}
	switch sort.By {
	case graph.ByFunderName, graph.ByFunderState, graph.ByRecipName, graph.ByRecipState:
		sort.Asc = true
	}
	direction, _ := r.Choice("sort_order")
	switch {
	case direction != "" && !understood:
		r.Warn.Ignored("sort_order", "sort_by was not applied, so neither was its direction.")
	case direction != "":
		sort.Asc = direction == "asc"
	}
	return sort
}
