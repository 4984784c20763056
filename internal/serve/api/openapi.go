package api

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/table"
)

const (
	title = "Grantgraph"
	pitch = "A read-only API over US grantmaking as reported in e-filed tax returns (Forms 990, 990-EZ and 990-PF): who funded whom, how much, when " +
		"and for what, in both directions."
)

// object is a JSON object; its members are written in the order of their names, so the document is the same every time.
type object = map[string]any

// OpenAPI is the OpenAPI 3.1 document of the service at the given address: of the operations for its administrators, or of all others.
// It is made from the operation table and the Go types of the answers; the examples in it are the answers that the code gives to them.
func OpenAPI(baseURL string, examples Examples, admin bool) ([]byte, error) {
	s, err := describing(baseURL, examples)
	if err != nil {
		return nil, err
	}
	base, all := s.config.BaseURL, s.table
	d := &describer{schemas: object{}, types: map[string]reflect.Type{}, names: map[reflect.Type]string{}, params: object{}, handler: s}
	tags := []object{}
	for _, g := range examples.Groups {
		if admin == slices.ContainsFunc(g.Operations, func(op Operation) bool { return op.Access == Admin }) {
			tags = append(tags, object{"name": g.Tag, "description": g.About})
		}
		maps.Copy(d.names, g.Schemas)
	}
	paths := object{}
	for i := range all.ops {
		op := &all.ops[i]
		if admin != (op.Access == Admin) {
			continue
		}
		item, _ := paths[Versioned+op.Path].(object)
		if item == nil {
			item = object{}
			paths[Versioned+op.Path] = item
		}
		if item[strings.ToLower(op.Method)], err = d.operation(op); err != nil {
			return nil, err
		}
	}
	slugs := each.Of(all.refusals, func(r Refusal) string { return r.Slug })
	for _, failure := range []string{"Failure", "Invalid"} {
		if s, ok := d.schemas[failure].(object); ok {
			s["properties"].(object)["error"].(object)["enum"] = slugs
		}
	}
	for _, w := range all.withheld {
		if admin {
			break
		}
		paths[Versioned+w.Path] = object{strings.ToLower(w.Method): d.withheld(w, examples.Groups)}
	}
	name, about := title, pitch+" Within v1 fields, endpoints and parameters may be added, never removed, renamed or retyped. "+
		"The unversioned form of each path (/api/…) is a legacy alias."
	keys := object{
		"apiKey": object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "A key of the service. Keys are secrets: server-side only."},
		"bearer": object{"type": "http", "scheme": "bearer", "description": "The same key as a bearer token."},
	}
	if admin {
		name, about = title+" administration", "For the operator of a service and its billing system. A service has these operations only where its "+
			"operator has set an admin token. "+base+"/openapi.json describes all other operations."
		keys = object{"admin": object{"type": "http", "scheme": "bearer", "description": "The admin token of the service."}}
	}
	doc := object{
		"openapi": "3.1.0",
		"info":    object{"title": name, "version": interfaceVersion, "summary": "Who funded whom, from public tax filings", "description": about},
		"servers": []object{{"url": base}},
		"tags":    tags,
		"paths":   paths,
		"components": object{
			"schemas": d.schemas, "parameters": d.params, "securitySchemes": keys,
		},
	}
	var b bytes.Buffer
	if err := encoder(&b).Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type describer struct {
	schemas object
	types   map[string]reflect.Type // behind the schemas
	names   map[reflect.Type]string // names in the document that differ from the names of the types
	params  object                  // those that several operations share
	handler *Handler
}

func (d *describer) operation(op *Operation) (object, error) {
	var params []object
	for i := range op.Params {
		params = append(params, d.parameter(&op.Params[i]))
	}
	if slices.ContainsFunc(op.Params, func(p Param) bool { return p.Name == "recip_id" }) { // the grants
		for _, u := range unhonored {
			d.params[u.name] = object{"name": u.name, "in": "query", "x-not-applied": true, "schema": object{"type": "string", "maxLength": maxText},
				"description": "Accepted and not applied, with a warning; strict=1 refuses it. " + u.reason}
			params = append(params, object{"$ref": "#/components/parameters/" + u.name})
		}
	}
	responses, err := d.responses(op)
	if err != nil {
		return nil, err
	}
	out := object{
		"operationId": op.ID, "tags": []string{op.Tag}, "summary": op.Summary,
		"description": fmt.Sprintf("%s Needs %s; %s.", op.Description, op.Who(), op.Price()),
		"parameters":  params, "responses": responses,
		"x-access": op.Access, "x-cost": op.Cost,
	}
	switch op.Access {
	case Open:
		out["security"] = []object{}
	case Admin:
		out["security"] = []object{{"admin": []string{}}}
	default:
		out["security"] = []object{{"apiKey": []string{}}, {"bearer": []string{}}}
	}
	if op.Body != nil {
		media := object{"schema": d.schema(reflect.TypeOf(op.Body))}
		if len(op.Examples) > 0 && json.Valid([]byte(op.Examples[0].Body)) {
			media["example"] = json.RawMessage(op.Examples[0].Body)
		}
		content := object{"application/json": media}
		for _, kind := range op.BodyTypes {
			content[kind] = file
		}
		out["requestBody"] = object{"required": true, "content": content}
	}
	return out, nil
}

func (d *describer) withheld(w Withheld, groups []Group) object {
	tag := ""
	for _, g := range groups {
		if slices.ContainsFunc(g.Withheld, func(x Withheld) bool { return x.ID == w.ID }) {
			tag = g.Tag
		}
	}
	refused := object{"description": refusedNotPublic.Slug + ": " + refusedNotPublic.Means + ".",
		"content": object{"application/json": object{"schema": d.schema(reflect.TypeFor[client.Failure]())}}}
	return object{
		"operationId": w.ID, "tags": []string{tag}, "summary": w.Summary, "description": w.Description,
		"parameters": []object{}, "security": []object{}, "x-not-public": true,
		"requestBody": object{"required": true, "content": object{"application/json": object{"schema": d.schema(reflect.TypeOf(w.Body))}}},
		"responses": object{
			"200": object{"description": "To the page alone.", "content": object{w.Answers: object{"schema": object{"type": "string"}}}},
			"403": refused,
		},
	}
}

var file = object{"schema": object{"type": "string", "format": "binary"}}

func (d *describer) parameter(p *Param) object {
	out := parameter(p)
	uses := 0
	for i := range d.handler.table.ops {
		for _, other := range d.handler.table.ops[i].Params {
			if reflect.DeepEqual(other, *p) {
				uses++
			}
		}
	}
	if uses < 2 {
		return out
	}
	// The same name may stand for different things.
	name := p.Name
	for n := 2; d.params[name] != nil && !reflect.DeepEqual(d.params[name], out); n++ {
		name = fmt.Sprint(p.Name, n)
	}
	d.params[name] = out
	return object{"$ref": "#/components/parameters/" + name}
}

// parameter describes one parameter. enum does not enforce: a word outside of it gets a warning.
func parameter(p *Param) object {
	in := cmp.Or(p.In, "query")
	one := object{"type": string(p.Type)}
	if len(p.Enum) > 0 {
		one["enum"] = p.Enum
	}
	if p.Min != nil {
		one["minimum"] = *p.Min
	}
	if most := cmp.Or(p.Cap, p.Max); most != nil {
		one["maximum"] = *most
	}
	if p.Default != nil {
		one["default"] = p.Default
	}
	out := object{"name": p.Name, "in": in, "description": p.Description, "schema": one}
	if p.Required || in == "path" {
		out["required"] = true
	}
	if p.Example != nil {
		out["example"] = p.Example
	}
	if p.List {
		most := cmp.Or(p.MaxItems, maxList)
		out["schema"] = object{"type": "array", "items": one, "maxItems": most}
		out["style"], out["explode"] = "form", false
		if p.Example != nil {
			out["example"] = []any{p.Example}
		}
	} else if p.Type == String && len(p.Enum) == 0 {
		one["maxLength"] = cmp.Or(p.MaxLength, maxText)
	}
	return out
}

func (d *describer) content(op *Operation, examples object) object {
	content := object{}
	for _, f := range op.Formats {
		kind, _, _ := strings.Cut(contentTypes[f], ";")
		switch f {
		case "json":
			schema := d.schema(reflect.TypeOf(op.Response))
			if other := d.variant(schema, op.Variant, ""); op.Variant != nil && other != nil {
				schema = object{"anyOf": []object{schema, other}, "description": "The first form is the usual one, the second " + op.Variant.Means + "."}
			}
			content[kind] = object{"schema": schema, "examples": examples}
		case "pdf", "zip":
			content[kind] = file
		default:
			content[kind] = object{"schema": object{"type": "string", "description": formatWords[f]}}
		}
	}
	return content
}

// variant describes an answer in the rendering of a variant, or is nil where nothing differs. within are the members around the schema.
func (d *describer) variant(s object, v *Variant, within string) object {
	if v == nil {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		name := path.Base(ref)
		changed := d.variant(d.schemas[name].(object), v, within)
		if changed == nil {
			return nil
		}
		d.schemas[name+v.Name] = changed
		return object{"$ref": ref + v.Name}
	}
	out, differs := maps.Clone(s), false
	if items, ok := s["items"].(object); ok {
		if changed := d.variant(items, v, within); changed != nil {
			out["items"], differs = changed, true
		}
	}
	for _, list := range []string{"anyOf", "allOf"} {
		if parts, ok := s[list].([]object); ok {
			out[list] = each.Of(parts, func(part object) object {
				changed := d.variant(part, v, within)
				if changed == nil {
					return part
				}
				differs = true
				return changed
			})
		}
	}
	if properties, ok := s["properties"].(object); ok {
		members := maps.Clone(properties)
		for name, member := range properties {
			changed := d.variant(member.(object), v, within+"/"+name)
			if changed == nil {
				changed = v.Member(within, name, member.(object))
			}
			if changed != nil {
				members[name], differs = changed, true
			}
		}
		out["properties"] = members
	}
	if !differs {
		return nil
	}
	return out
}

var formatWords = map[string]string{
	"xml": "The same document as XML: an element response with an element per member, item elements in lists, and nil=\"true\" for null.",
	"csv": "The rows with a header line; nested fields have a dot in their name, lists are joined by semicolons. A text that a spreadsheet would take " +
		"for a formula begins with an apostrophe.",
	"ndjson": "One row per line as JSON.",
	"360giving": "The grants in the 360Giving Data Standard. Private persons are not named. " +
		"awardDate is the end of the fiscal year, because returns do not date grants.",
}

// headerTable describes the headers of a success, by the operations that send them.
//
//go:embed headers.tsv
var headerTable string

func headers(op *Operation) object {
	sends := map[string]bool{
		"every": true, "cacheable": op.cacheable(), "csv": slices.Contains(op.Formats, "csv"), "pdf": slices.Contains(op.Formats, "pdf"),
		"keyed": op.Access != Open && op.Access != Admin,
		"paged": op.Method == http.MethodGet && slices.ContainsFunc(op.Params, func(p Param) bool { return p.Name == "cursor" }),
	}
	out := object{}
	for _, r := range table.Read("headers.tsv", headerTable, "on", "header", "type", "description") {
		if sends[r.Text("on")] {
			out[r.Text("header")] = object{"schema": object{"type": r.Text("type")}, "description": r.Text("description")}
		}
	}
	return out
}

func (d *describer) responses(op *Operation) (object, error) {
	examples, err := d.examples(op)
	if err != nil {
		return nil, err
	}
	content := d.content(op, examples[http.StatusOK])
	out := object{"200": object{"description": "Success.", "headers": headers(op), "content": content}}
	if op.cacheable() {
		out["304"] = object{"description": "The answer named in If-None-Match is still right. It costs nothing."}
	}
	mine := op.refusals()
	for _, f := range d.handler.table.refusals {
		if !slices.Contains(mine, f) {
			continue
		}
		key := strconv.Itoa(f.Status)
		response, _ := out[key].(object)
		if response == nil {
			body := reflect.TypeFor[client.Failure]()
			if f.Status == http.StatusUnprocessableEntity {
				body = reflect.TypeFor[client.Invalid]()
			}
			media := object{"schema": d.schema(body)}
			if body == reflect.TypeFor[client.Failure]() {
				for _, more := range op.Details {
					d.addTo(body, reflect.TypeOf(more))
				}
			}
			if e := examples[f.Status]; e != nil {
				media["examples"] = e
			}
			response = object{"description": "", "content": object{"application/json": media}}
			if xml, ok := content["application/xml"]; ok {
				response["content"].(object)["application/xml"] = xml
			}
			switch f.Status {
			case http.StatusPaymentRequired, http.StatusTooManyRequests, http.StatusServiceUnavailable:
				response["headers"] = object{"Retry-After": object{
					"schema": object{"type": "integer"}, "description": "Seconds after which to ask again; absent where waiting alone does not help.",
				}}
			}
			out[key] = response
		}
		response["description"] = strings.TrimSpace(response["description"].(string) + " " + f.Slug + ": " + f.Means + ".")
	}
	return out, nil
}

func (d *describer) examples(op *Operation) (map[int]object, error) {
	out := map[int]object{}
	for _, e := range op.Examples {
		c, r, err := d.handler.showExample(context.Background(), op, e.Case)
		if err != nil {
			d.handler.fail(r, c, err, true)
		}
		if r.status >= http.StatusInternalServerError {
			return nil, fmt.Errorf("the example %s of %s fails: %w", e.Case, op.ID, err)
		}
		if out[r.status] != nil && len(r.body) > 8<<10 {
			continue // one large example is enough
		}
		if c.format != "json" && r.status == http.StatusOK {
			continue // the schema does not describe this format
		}
		if out[r.status] == nil {
			out[r.status] = object{}
		}
		name := e.Case
		if name == "1" {
			name = "success"
		}
		out[r.status][name] = object{"summary": e.Description, "value": json.RawMessage(bytes.Clone(r.body))}
		r.release()
	}
	return out, nil
}

var anything = reflect.TypeFor[json.RawMessage]()

// Scalars are the types of JSON by the kinds of Go types that answers have.
var Scalars = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number",
}

// schema describes a Go type. Named structs become components.
func (d *describer) schema(t reflect.Type) object {
	if t == anything {
		return object{}
	}
	if kind, ok := Scalars[t.Kind()]; ok {
		return object{"type": kind}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Struct:
		name := d.schemaName(t)
		switch d.types[name] {
		case nil:
			d.types[name], d.schemas[name] = t, object{} // stops recursion
			d.schemas[name] = d.structure(t)
		case t:
		default:
			panic(fmt.Sprintf("api: %v and %v have the same name in the description", t, d.types[name]))
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	return object{}
}

// schemaName is the name of a type in the document: List[GrantRow] is GrantRowList.
func (d *describer) schemaName(t reflect.Type) string {
	if name, ok := d.names[t]; ok {
		return name
	}
	outer, inner, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return outer
	}
	inner = strings.TrimSuffix(inner, "]")
	return inner[strings.LastIndexByte(inner, '.')+1:] + outer
}

func (d *describer) addTo(to, more reflect.Type) {
	properties := d.schemas[d.schemaName(to)].(object)["properties"].(object)
	maps.Copy(properties, d.structure(more)["properties"].(object))
}

func (d *describer) structure(t reflect.Type) object {
	properties, required := object{}, []string{}
	for m := range Members(t) {
		if !m.Optional {
			required = append(required, m.Wire)
		}
		properties[m.Wire] = d.property(m)
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// either is a schema of one of several types, the first of which may have further members. Many generators know no list of types, except
// with null.
func either(first object, types []string) object {
	if len(types) == 1 {
		first["type"] = types
		return first
	}
	first["type"] = types[0]
	all := []object{first}
	for _, t := range types[1:] {
		all = append(all, object{"type": t})
	}
	if items, ok := first["items"].(object); ok && items["enum"] != nil { // generators would name the words and their list alike
		all[1]["enum"] = items["enum"]
		delete(items, "enum")
	}
	return object{"anyOf": all}
}

func (d *describer) property(m Member) object {
	p := d.schema(m.Type)
	if ref, ok := p["$ref"]; ok {
		switch {
		case m.Nullable:
			return object{"anyOf": []object{{"$ref": ref}, {"type": "null"}}, "description": m.Doc}
		case m.Doc == "":
			return p
		}
		return object{"allOf": []object{{"$ref": ref}}, "description": m.Doc}
	}
	value := p
	if items, ok := p["items"].(object); ok {
		value = items
		if kinds := m.Tag.Get("items"); kinds != "" {
			value = either(items, strings.Split(kinds, "|"))
			p["items"] = value
			if kinds == "object" { // generators take an object without members for an empty one
				value["additionalProperties"] = true
			}
		}
	}
	if m.Enum != nil {
		words := each.Append(nil, m.Enum, func(w string) any { return w })
		if m.Nullable {
			words = append(words, nil)
		}
		value["enum"] = words
	}
	for _, key := range []string{"format", "pattern"} {
		if text := m.Tag.Get(key); text != "" {
			value[key] = text
		}
	}
	if m.Nullable {
		p["type"] = []string{p["type"].(string), "null"}
	}
	if also := m.Tag.Get("also"); also != "" { // for requests: other types that are accepted
		p = either(p, append([]string{p["type"].(string)}, strings.Split(also, "|")...))
	}
	if m.Doc != "" {
		p["description"] = m.Doc
	}
	return p
}
