package api

import (
	"maps"
	"reflect"
	"strings"
)

// Describe is the table of a service that is elsewhere: all operations there are,
// for who speaks to it and has no data of it.
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

// Base is the address of the service that the table is of.
func (r *Reference) Base() string { return r.handler.config.BaseURL }

// Arguments describes all that a request of an operation takes, in its path, its
// query and its body, as the properties of one object of JSON Schema, each with
// the words of the published description. Schemas within it are written out, since
// not everybody who reads a schema follows references.
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

// written is a schema with what it refers to in the place of the references.
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
		// What was said beside a reference is said of what it refers to.
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
