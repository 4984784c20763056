package grants

import (
	"fmt"
	"net/url"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

func filterParams() []api.Param { return described(graph.Params()...) }

// described are parameters as the table of operations has them.
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

// ReadFilter reads the grant filters of a query without running it. The error is
// the one that an operation would return for the same values.
func ReadFilter(query url.Values, m *snapshot.Manifest, g counties) (*graph.Filter, error) {
	r := api.NewReader(filterParams(), query)
	f, err := readFilter(r, m, g)
	if err != nil {
		return nil, err
	}
	return f, r.Err()
}
