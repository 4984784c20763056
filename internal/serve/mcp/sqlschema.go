package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
)

// sqlSchema is the operation whose answer is too long for a model to read at once.
const sqlSchema = "getSQLSchema"

// shortSchema lists the tables of the warehouse in short, or describes in full those that the argument tables names.
func shortSchema(answer api.Ordered, given map[string]json.RawMessage) (api.Ordered, error) {
	described, _ := answer.Get("tables").(*table)
	if described == nil {
		return answer, nil
	}
	at := func(row []any, column string) any {
		if i := slices.Index(described.columns, column); i >= 0 {
			return row[i]
		}
		return nil
	}
	var want []string
	if raw, ok := given["tables"]; ok {
		text, err := plain("tables", raw, true)
		if err != nil {
			return nil, err
		}
		want = strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
	}
	rest := answer.Without("tables")
	if len(want) == 0 {
		list := &table{columns: []string{"name", "plan", "meaning", "columns"}}
		for _, row := range described.rows {
			columns, _ := at(row, "columns").([]any)
			var names []string
			for _, c := range columns {
				c, _ := c.(api.Ordered)
				name, _ := c.Get("name").(string)
				names = append(names, name)
			}
			list.rows = append(list.rows, []any{at(row, "name"), at(row, "plan"), at(row, "meaning"), strings.Join(names, ", ")})
		}
		return rest.With("tables", list), nil
	}
	var found api.Ordered
	var known []string
	for _, row := range described.rows {
		name, _ := at(row, "name").(string)
		known = append(known, name)
		if !slices.Contains(want, strings.ToLower(name)) {
			continue
		}
		columns, _ := at(row, "columns").([]any)
		examples, _ := at(row, "examples").([]any)
		found = found.With(name, api.Ordered{}.With("meaning", at(row, "meaning")).With("plan", at(row, "plan")).With("traps", at(row, "traps")).
			With("columns", tabled(columns)).With("examples", tabled(examples)))
	}
	if len(found) == 0 {
		return nil, fault.New("bad_arguments", "There is no table of that name.").Try("one of %s", strings.Join(known, ", "))
	}
	return append(api.Ordered{}.With("described", found), rest...), nil
}
