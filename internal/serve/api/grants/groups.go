package grants

import (
	"fmt"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

// The kinds of rows.
const (
	valueRow = "value"
	restRow  = "rest"
	noneRow  = "none"
)

const defaultTop = 25

// groupWeight is what a group takes of the memory that all requests share, in
// bytes, on its way to the wire.
const groupWeight = 1 << 10

// groupParams are the parameters of a summary beside the filters.
func groupParams() []api.Param {
	return []api.Param{
		{Name: "by", Also: api.Words("group_by groupby group grouping breakdown dimension facet split_by aggregate"), EnumAlso: map[string]string{"cause": "subject", "causes": "subject", "subjects": "subject", "ntee": "subject", "states": "state", "recip_state": "state", "recipient_state": "state", "counties": "county", "county_fips": "county", "strategy": "support", "support_strategy": "support", "funder_kind": "funder_type", "kind": "funder_type", "funders": "funder", "funder_ein": "funder", "funder_id": "funder", "grantmaker": "funder", "recipients": "recipient", "recip_id": "recipient", "grantee": "recipient", "years": "year", "fiscal_year": "year"}, Type: api.String, Enum: graph.GroupingWords(), Example: "subject", Description: "One grouping of the grants that match: subject (cause of the recipient, as subject_basis says), state and county of the recipient, support, funder_type, funder, recipient or year. Without it the answer has no groups."},
		{Name: "top", Also: api.Words("limit size page_size per_page count n max_groups"), Type: api.Integer, Min: api.Bound(1), Max: api.Bound(graph.MaxGroups), Default: defaultTop, Description: "How many groups are listed, those with the most dollars; the others are one row, rest. Without by it is a 422."},
		api.FormatParam(api.Formats...),
	}
}

// readGrouping reads by and top.
func readGrouping(r *api.Reader) (by graph.Grouping, top int) {
	n, given := r.Integer("top")
	word, understood := r.Choice("by")
	by, _ = graph.ParseGrouping(word)
	switch {
	case by == graph.NoGrouping && given && understood:
		r.Problem(r.Param("top"), -1, "missing", "", nil, "top says how many groups are listed, but there is no grouping; add by")
	case by == graph.NoGrouping && given:
		r.Warn.Ignored("top", "by was not applied, so neither was top.")
	case by.Overlaps():
		r.Warn.Caveat("by", "A grant can have several support strategies and counts in each of them, so the groups add up to more than the summary.")
	}
	if !given {
		return by, defaultTop
	}
	return by, int(n)
}

// groupsRow is groups as the wire has them.
func groupsRow(d *graph.Grouped) *client.Groups {
	out := &client.Groups{By: d.By.String(), GroupCount: d.Count, Rows: make([]client.GroupRow, 0, len(d.Groups)+2)}
	for i := range d.Groups {
		g := &d.Groups[i]
		out.Rows = append(out.Rows, client.GroupRow{Kind: valueRow, Key: &g.Key, Label: d.By.Label(g), EIN: api.OrNull(g.EIN.String()), TotalAmount: g.Amount, GrantCount: g.Grants})
	}
	add := func(kind, label string, c *graph.Cost) {
		if c != nil {
			out.Rows = append(out.Rows, client.GroupRow{Kind: kind, Label: label, TotalAmount: c.Amount, GrantCount: c.Grants})
		}
	}
	others := fmt.Sprintf("%d others", d.Count-int64(len(d.Groups)))
	if d.Count-int64(len(d.Groups)) == 1 {
		others = "1 other"
	}
	add(restRow, others, d.Rest)
	add(noneRow, d.By.NoneLabel(), d.None)
	return out
}
