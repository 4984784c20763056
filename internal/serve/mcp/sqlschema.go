package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"grantgraph/internal/fault"
)

// shapes shorten the answers of some operations, which are too long for a model to
// read at once.
var shapes = map[string]func(object, map[string]json.RawMessage) (object, error){
	"getSQLSchema": shortSchema,
}

// shortSchema shortens the description of the warehouse. Without the argument
// tables it lists every table with the names of its columns; else it describes the
// tables that were asked for in full.
func shortSchema(answer object, given map[string]json.RawMessage) (object, error) {
	described, _ := answer.get("tables").(*table)
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
	rest := answer.without("tables")
	if len(want) == 0 {
		list := &table{columns: []string{"name", "plan", "meaning", "columns"}}
		for _, row := range described.rows {
			columns, _ := at(row, "columns").([]any)
			var names []string
			for _, c := range columns {
				c, _ := c.(object)
				name, _ := c.get("name").(string)
				names = append(names, name)
			}
			list.rows = append(list.rows, []any{at(row, "name"), at(row, "plan"), at(row, "meaning"), strings.Join(names, ", ")})
		}
		return append(rest, member{"tables", list}), nil
	}
	var found object
	var known []string
	for _, row := range described.rows {
		name, _ := at(row, "name").(string)
		known = append(known, name)
		if !slices.Contains(want, strings.ToLower(name)) {
			continue
		}
		columns, _ := at(row, "columns").([]any)
		examples, _ := at(row, "examples").([]any)
		found = append(found, member{name, object{
			{"meaning", at(row, "meaning")}, {"plan", at(row, "plan")}, {"traps", at(row, "traps")}, {"columns", tabled(columns)}, {"examples", tabled(examples)},
		}})
	}
	if len(found) == 0 {
		return nil, fault.New("bad_arguments", "There is no table of that name.").Try("one of %s", strings.Join(known, ", "))
	}
	return append(object{{"described", found}}, rest...), nil
}
