package mcp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/serve/api"
)

type schema = map[string]any

// resultSchema describes the result of a tool, of a reshaped answer only the members that all results have.
func resultSchema(answer any, reshaped bool) schema {
	s := schema{"type": "object"}
	properties, required := schema{}, []string{}
	if !reshaped {
		properties, required = membersOf(reflect.TypeOf(answer), 0)
	}
	for _, name := range dropped {
		delete(properties, name)
		required = slices.DeleteFunc(required, func(r string) bool { return r == name })
	}
	properties["dataset_version"] = schema{"type": "string", "description": "Build of the dataset that the whole result is from."}
	properties["notes"] = schema{"type": "array", "items": schema{"type": "string"},
		"description": "What the figures do not say by themselves: caveats, filters that were not applied, rows that were left out. Read them before stating a " +
			"figure."}
	properties["calls_remaining"] = schema{"type": "integer", "description": "Calls left in the allowance of the key."}
	s["properties"], s["required"] = properties, append([]string{"dataset_version", "notes"}, required...)
	return s
}

// Models read the schemas of all tools first, so deeper levels are described in brief.
const (
	typed  = 2  // levels whose members are described
	nested = 2  // levels of objects in a row whose columns are named
	worded = 40 // a table with more columns has their names only
)

// membersOf describes the members of an object at a level below the result.
func membersOf(t reflect.Type, level int) (properties schema, required []string) {
	properties = schema{}
	for m := range api.Members(pointed(t)) {
		if !m.Optional {
			required = append(required, m.Wire)
		}
		p := valueSchema(m.Type, m.Tag.Get("items") == "object", level)
		about := []string{m.Doc}
		if more, ok := p["description"].(string); ok {
			about = append(about, more)
		}
		if said := strings.TrimSpace(strings.Join(about, " ")); said != "" {
			p["description"] = said
		}
		properties[m.Wire] = p
	}
	return properties, required
}

var raw = reflect.TypeFor[json.RawMessage]()

func valueSchema(t reflect.Type, rows bool, level int) schema {
	switch {
	case t == raw:
		return schema{}
	case rows:
		return tableSchema(nil, level)
	case isTable(t):
		return tableSchema(t.Elem(), level)
	}
	if kind, ok := api.Scalars[t.Kind()]; ok {
		return schema{"type": kind}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := valueSchema(t.Elem(), false, level)
		if kind, ok := s["type"].(string); ok {
			s["type"] = []string{kind, "null"}
		}
		return s
	case reflect.Slice:
		return schema{"type": "array", "items": valueSchema(t.Elem(), false, level)}
	case reflect.Struct:
		if level+1 >= typed {
			return schema{"type": "object"}
		}
		properties, required := membersOf(t, level+1)
		return schema{"type": "object", "properties": properties, "required": append([]string{}, required...)}
	}
	return schema{}
}

// tableSchema describes a table. row is nil where the columns depend on the call.
func tableSchema(row reflect.Type, level int) schema {
	s := schema{"type": "object", "required": []string{"columns", "rows"}}
	if level > 0 {
		return s
	}
	s["properties"] = schema{
		"columns":  schema{"type": "array", "items": schema{"type": "string"}},
		"rows":     schema{"type": "array", "items": schema{"type": "array"}},
		"left_out": schema{"type": "integer", "description": "Rows of the answer that are not here."},
	}
	if row != nil {
		s["description"] = "Columns: " + columnWords(row)
	}
	return s
}

func columnWords(row reflect.Type) string {
	var names, words []string
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for m := range api.Members(pointed(t)) {
			if slices.Contains(untabled, m.Wire) {
				continue
			}
			inner, name := pointed(m.Type), prefix+m.Wire
			switch {
			case inner.Kind() != reflect.Struct:
				names = append(names, name)
				words = append(words, strings.TrimSpace(name+": "+m.Doc))
			case strings.Count(prefix, ".") < nested:
				walk(inner, name+".")
			default:
				names, words = append(names, name+".…"), append(words, name+".…")
			}
		}
	}
	walk(row, "")
	if len(names) > worded {
		return strings.Join(names, ", ") + "."
	}
	return strings.Join(words, " ")
}
