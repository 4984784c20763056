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

// groupWeight is the bytes that a group takes on its way to the wire.
const groupWeight = 1 << 10

func groupParams() []api.Param {
	return append(described(graph.Documented(
		&graph.Param{Name: "by", Type: graph.TextParam, Enum: graph.GroupingWords(), Example: "subject"},
		&graph.Param{Name: "top", Type: graph.IntegerParam, Bounds: []float64{1, graph.MaxGroups}, Default: defaultTop},
	)...), api.FormatParam(api.Formats...))
}

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

func groupsRow(d *graph.Grouped) *client.Groups {
	out := &client.Groups{By: d.By.String(), GroupCount: d.Count, Rows: make([]client.GroupRow, 0, len(d.Groups)+2)}
	for i := range d.Groups {
		g := &d.Groups[i]
		out.Rows = append(out.Rows, client.GroupRow{Kind: valueRow, Key: &g.Key, Label: d.By.Label(g), EIN: api.OrNull(g.EIN.String()),
			TotalAmount: g.Amount, GrantCount: g.Grants})
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
