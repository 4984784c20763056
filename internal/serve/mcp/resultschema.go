package mcp

import "grantgraph/internal/serve/api"

type schema = map[string]any

// resultSchema describes the results of a tool. Only what every result has is required: a compact one has fewer members. Of an
// answer that is put into another form, it describes the members that all results have.
func (t *tool) resultSchema(r *api.Reference) schema {
	properties := schema{}
	if t.op.ID != sqlSchema {
		properties = asResult(r.Schema(t.op.Response)).(schema)["properties"].(schema)
	}
	for _, name := range dropped {
		delete(properties, name)
	}
	properties["dataset_version"] = schema{"type": "string", "description": "Build of the dataset that the whole result is from."}
	properties["notes"] = schema{"type": "array", "items": schema{"type": "string"}, "description": "Caveats, and what was left out. Read them first."}
	properties["calls_remaining"] = schema{"type": "integer", "description": "Calls left in the allowance of the key."}
	return schema{"type": "object", "properties": properties, "required": []string{"dataset_version", "notes"}}
}

// asResult is the schema of an answer as that of a result: a list of objects is a table of such rows, and nothing is required.
func asResult(answer any) any {
	s, ok := answer.(schema)
	if !ok {
		return answer
	}
	items, _ := s["items"].(schema)
	if kinds, _ := items["type"].([]string); items["properties"] != nil || len(kinds) == 1 && kinds[0] == "object" {
		return schema{"type": "object", "description": s["description"], "required": []string{"columns", "rows"}, "$defs": schema{"row": items}, "properties": schema{
			"columns":  schema{"type": "array", "items": schema{"type": "string"}},
			"rows":     schema{"type": "array", "items": schema{"type": "array"}},
			"left_out": schema{"type": "integer", "description": "Rows of the answer that are not here."},
		}}
	}
	out := schema{}
	for name, v := range s {
		if name != "required" {
			out[name] = asResult(v)
		}
	}
	return out
}
