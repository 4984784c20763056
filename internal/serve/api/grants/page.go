package grants

import (
	"slices"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

// listParams are the parameters of an endpoint that answers pages of rows.
func listParams(about graph.About, row any) []api.Param {
	names := about.OrderWords()
	sort := []api.Param{
		{Name: "sort_by", Also: api.Words("sort order_by orderby order sort_field sortby ordering sort_key"), EnumAlso: orderWords(names), Type: api.String, Enum: names, Default: "amount", Description: "Order of the rows. A field that this endpoint cannot order by is reported, not swapped."},
		{Name: "sort_order", Also: api.Words("order_direction direction sort_direction sort_dir sort_type dir"), EnumAlso: map[string]string{"ascending": "asc", "up": "asc", "increasing": "asc", "descending": "desc", "down": "desc", "decreasing": "desc"}, Type: api.String, Enum: []string{"asc", "desc"}, Description: "Direction; desc for amount, year and count, asc for names and states unless given."},
	}
	return append(slices.Concat(filterParams(), sort, api.PageParams()),
		api.Param{Name: "fields", Also: api.Words("columns field select include attributes fl cols"), Type: api.String, List: true, Enum: api.ColumnNames(row), Description: "Columns to return, comma-separated, in this order. Columns not named are left out, also those that the schema of a row says are required."},
		api.FormatParam(api.Formats...),
	)
}

// readSort reads sort_by and sort_order. Names and states run upwards unless
// the caller says otherwise, figures downwards. Where the field is not
// understood its direction is not applied to another one.
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
