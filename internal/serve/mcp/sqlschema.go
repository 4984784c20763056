package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
)

// sqlSchema is the operation whose answer is too long for a model to read at once.
const sqlSchema = "getSQLSchema"

// shortSchema lists the tables of the warehouse in short, or describes in full those that the argument tables names.
func shortSchema(answer api.Ordered, given map[string]json.RawMessage) (api.Ordered, error) {
	var want []string
	if raw, ok := given["tables"]; ok {
		text, err := plain("tables", raw, true)
		if err != nil {
			return nil, err
		}
		want = strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
	}
	var described api.Ordered
	var listed []any
	var known []string
	tables, _ := answer.Get("tables").([]any)
	for _, one := range tables {
		one, _ := one.(api.Ordered)
		name, _ := one.Get("name").(string)
		columns, _ := one.Get("columns").([]any)
		examples, _ := one.Get("examples").([]any)
		names := each.Of(columns, func(c any) string {
			column, _ := c.(api.Ordered)
			name, _ := column.Get("name").(string)
			return name
		})
		known = append(known, name)
		listed = append(listed, one.Without("columns", "examples", "traps").With("columns", strings.Join(names, ", ")))
		if slices.Contains(want, strings.ToLower(name)) {
			described = described.With(name, one.Without("name", "columns", "examples").With("columns", tabled(columns)).With("examples", tabled(examples)))
		}
	}
	switch {
	case len(want) == 0:
		return answer.Without("tables").With("tables", tabled(listed)), nil
	case len(described) == 0:
		return nil, fault.New("bad_arguments", "There is no table of that name.").Try("one of %s", strings.Join(known, ", "))
	}
	return append(api.Ordered{}.With("described", described), answer.Without("tables")...), nil
}
