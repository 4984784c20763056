package api

import (
	"maps"
	"reflect"
	"strings"
)

// Describe is the table of a service that runs elsewhere, with all operations. A
// client that has no data of its own uses it.
func Describe(base string, examples Examples) (*Reference, error) {
	base, err := CheckBase(base)
	if err != nil {
		return nil, err
	}
	all, err := newTable(examples.Groups)
	if err != nil {
		return nil, err
	}
	s := &Handler{config: Config{BaseURL: base, Examples: examples}, table: all, examples: all}
	return s.Reference(), nil
}

// Base is the address of the service that the table describes.
func (r *Reference) Base() string { return r.handler.config.BaseURL }

// Arguments describes the path, the query and the body of a request as the
// properties of one JSON Schema object, with the published descriptions. Schemas
// within it are written out, because not every reader of a schema follows
// references.
func (r *Reference) Arguments(op *Operation) (properties map[string]any, required []string) {
	properties = map[string]any{}
	for i := range op.Params {
		p := &op.Params[i]
		whole := parameter(p)
		one := whole["schema"].(object)
		one["description"] = p.Description
		if whole["required"] == true {
			required = append(required, p.Name)
		}
		properties[p.Name] = one
	}
	if op.Body == nil {
		return properties, required
	}
	d := &describer{schemas: object{}, types: map[string]reflect.Type{}, names: r.names, params: object{}, handler: r.handler}
	body := d.structure(reflect.TypeOf(op.Body))
	maps.Copy(properties, d.written(body["properties"]).(object))
	return properties, append(required, body["required"].([]string)...)
}

// written is a schema with each reference replaced by the schema it refers to.
func (d *describer) written(schema any) any {
	switch s := schema.(type) {
	case object:
		if ref, ok := s["$ref"].(string); ok {
			return d.written(d.schemas[ref[strings.LastIndexByte(ref, '/')+1:]])
		}
		out := object{}
		for name, v := range s {
			out[name] = d.written(v)
		}
		// A description beside a reference becomes the description of the schema
		// itself.
		if all, ok := out["allOf"].([]any); ok && len(all) == 1 {
			delete(out, "allOf")
			whole := maps.Clone(all[0].(object))
			maps.Copy(whole, out)
			return whole
		}
		return out
	case []object:
		list := make([]any, len(s))
		for i := range s {
			list[i] = d.written(s[i])
		}
		return list
	}
	return schema
}
