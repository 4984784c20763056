package grants

import (
	"fmt"
	"net/url"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

func filterParams() []api.Param { return described(graph.Params()...) }

func described(params ...*graph.Param) []api.Param {
	list := make([]api.Param, len(params))
	for i, p := range params {
		list[i] = api.Param{Name: p.Name, Type: api.Type(p.Type), List: p.List, Enum: p.Enum, EnumAlso: p.EnumAlso,
			MaxLength: p.MaxLength, MaxItems: p.MaxItems, Default: p.Default, Example: p.Example, Description: p.Description}
		if p.Bounds != nil {
			list[i].Min, list[i].Max = &p.Bounds[0], &p.Bounds[1]
		}
		for _, s := range p.Also {
			list[i].Also = append(list[i].Also, api.Alias(s))
		}
	}
	return list
}

type request struct{ *api.Reader }

func (r request) Refuse(name string, index int, kind, input string, limits map[string]any, format string, args ...any) {
	var ctx any
	if limits != nil {
		ctx = api.Limit(limits)
	}
	r.Problem(r.Param(name), index, kind, input, ctx, format, args...)
}

func (r request) Ignored(name, format string, args ...any) {
	r.Warn.Ignored(name, fmt.Sprintf(format, args...))
}

func (r request) Caveat(name, format string, args ...any) {
	r.Warn.Caveat(name, fmt.Sprintf(format, args...))
}

type counties interface{ HasCounty(fips string) bool }

func readFilter(r *api.Reader, m *snapshot.Manifest, g counties) (*graph.Filter, error) {
	f := &graph.Filter{}
	reading := graph.Reading{Request: request{r}, Filter: f, Manifest: m, HasCounty: g.HasCounty}
	return f, reading.Read()
}

// ReadFilter reads the grant filters of a query without running it, with the errors of an operation.
func ReadFilter(query url.Values, m *snapshot.Manifest, g counties) (*graph.Filter, error) {
	r := api.NewReader(filterParams(), query)
	f, err := readFilter(r, m, g)
	if err != nil {
		return nil, err
	}
	return f, r.Err()
}

func listParams(about graph.About, row any) []api.Param {
	names := about.OrderWords()
	return slices.Concat(filterParams(), described(graph.Documented(
		&graph.Param{Name: "sort_by", Type: graph.TextParam, Enum: names, Default: "amount", EnumAlso: shortOrders(names)},
		&graph.Param{Name: "sort_order", Type: graph.TextParam, Enum: []string{"asc", "desc"}},
	)...), mixedParam(about), api.PageParams(), described(graph.Documented(
		&graph.Param{Name: "fields", Type: graph.TextParam, List: true, Enum: api.ColumnNames(row)},
	)...), []api.Param{api.FormatParam(api.Formats...)})
}

// mixedParam brings recipients that are no organization back into the order.
func mixedParam(about graph.About) []api.Param {
	if about != graph.AboutRecipients {
		return nil
	}
	return described(graph.Documented(&graph.Param{Name: "rank_unidentified", Type: graph.BooleanParam, Default: false})...)
}

// shortOrders are the orders by name and by state where the word need not say whose name or state is meant.
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

// readSort reads sort_by and sort_order. Names and states ascend by default, figures descend.
func readSort(r *api.Reader) graph.Sort {
	var sort graph.Sort
	name, understood := r.Choice("sort_by")
	sort.By, _ = graph.ParseOrder(name)
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

const (
	valueRow = "value"
	restRow  = "rest"
	noneRow  = "none"
)

const defaultTop = 25

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
	others := d.Count - int64(len(d.Groups))
	add(restRow, fmt.Sprint(others, plural.Word(others, " other", " others")), d.Rest)
	add(noneRow, d.By.NoneLabel(), d.None)
	return out
}
