package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/money"
)

// Errors is the page that describes every failure, each at an anchor of its slug.
const Errors = "/docs/errors"

// Reference is the operation table as the pages of the documentation show it.
type Reference struct {
	Groups   []Group   // without the operations that this service does not offer
	Refusals []Refusal // of all operations there are, by status
	handler  *Handler
	names    map[reflect.Type]string
}

func (s *Handler) Reference() *Reference {
	r := &Reference{Refusals: s.table.refusals, handler: s, names: map[reflect.Type]string{}}
	for _, g := range s.table.groups {
		maps.Copy(r.names, g.Schemas)
		g.Operations = nil
		for _, op := range s.table.ops {
			if op.Tag == g.Tag && !op.Off {
				g.Operations = append(g.Operations, op)
			}
		}
		if len(g.Operations) > 0 {
			r.Groups = append(r.Groups, g)
		}
	}
	return r
}

func (r *Reference) Operation(id string) *Operation {
	for _, g := range r.Groups {
		if i := slices.IndexFunc(g.Operations, func(op Operation) bool { return op.ID == id }); i >= 0 {
			return &g.Operations[i]
		}
	}
	return nil
}

func (op *Operation) Who() string { return accesses[op.Access].words }

// Failures are the failures that an operation can answer, by status.
func (op *Operation) Failures() []Refusal {
	all := op.refusals()
	slices.SortStableFunc(all, func(a, b Refusal) int { return a.Status - b.Status })
	return slices.CompactFunc(all, func(a, b Refusal) bool { return a.Slug == b.Slug })
}

func (p *Param) Kind() string {
	kind := map[Type]string{String: "text", Integer: "whole number", Number: "number", Boolean: "1 or 0"}[p.Type]
	if p.List {
		return "list, comma-separated"
	}
	return kind
}

// Rule says which values a parameter takes. It is empty when the type says enough.
func (p *Param) Rule() string {
	var rules []string
	switch most := cmp.Or(p.Max, p.Cap); {
	case p.Min != nil && most != nil:
		rules = append(rules, grouped(*p.Min)+" to "+grouped(*most))
	case p.Min != nil:
		rules = append(rules, "at least "+grouped(*p.Min))
	case most != nil:
		rules = append(rules, "at most "+grouped(*most))
	}
	switch {
	case p.List && p.MaxItems > 0:
		rules = append(rules, "at most "+grouped(float64(p.MaxItems))+" items")
	case p.List && len(p.Enum) == 0:
		rules = append(rules, "at most "+grouped(maxList)+" items")
	case p.Type == String && len(p.Enum) == 0:
		most := cmp.Or(p.MaxLength, maxText)
		rules = append(rules, "at most "+grouped(float64(most))+" bytes")
	}
	return strings.Join(rules, "; ")
}

// grouped writes a bound with thousands separators, except what may be a year.
func grouped(x float64) string {
	if x == float64(int64(x)) && (x >= 10_000 || x < 1900) {
		return money.Grouped(int64(x))
	}
	return plain(x)
}

type Shape struct {
	Name   string
	Fields []Field
}

type Field struct {
	Name     string
	Kind     string // in words
	Of       string // the shape of the object, or of the objects in the list; empty for others
	Nullable bool
	Optional bool
	Enum     []string
	Means    string
}

// Answer is the shape of the answer of an operation, and after it those of the objects in it.
func (r *Reference) Answer(op *Operation) []Shape { return r.shapes(op.Response) }

// Body does the same for the body of a request, empty if it has none.
func (r *Reference) Body(op *Operation) []Shape {
	if op.Body == nil {
		return nil
	}
	return r.shapes(op.Body)
}

func (r *Reference) shapes(of any) (list []Shape) {
	d := &describer{names: r.names}
	queue, seen := []reflect.Type{bare(reflect.TypeOf(of))}, map[reflect.Type]bool{}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		if seen[t] || t.Kind() != reflect.Struct {
			continue
		}
		seen[t] = true
		s := Shape{Name: d.schemaName(t)}
		for m := range Members(t) {
			field := Field{Name: m.Wire, Kind: kindOf(m.Type), Means: m.Doc, Optional: m.Optional, Nullable: m.Nullable, Enum: m.Enum}
			if inner := bare(m.Type); inner.Kind() == reflect.Struct {
				field.Of = d.schemaName(inner)
				queue = append(queue, inner)
			}
			s.Fields = append(s.Fields, field)
		}
		list = append(list, s)
	}
	return list
}

// bare is the type behind pointers and lists.
func bare(t reflect.Type) reflect.Type {
	for t != anything && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return t
}

var scalarWords = map[string]string{"string": "text", "boolean": "true or false", "integer": "whole number", "number": "number"}

func kindOf(t reflect.Type) string {
	if t == anything {
		return "any"
	}
	if kind, ok := Scalars[t.Kind()]; ok {
		return scalarWords[kind]
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice:
		if inner := kindOf(t.Elem()); inner != "object" {
			return "list of " + inner
		}
		return "list of"
	case reflect.Struct:
		return "object"
	}
	return "any"
}

type Sample struct {
	Request string // as a line
	Status  int
	Body    []byte // JSON
}

// Sample answers the first example of an operation, without a key and without a charge.
func (r *Reference) Sample(ctx context.Context, op *Operation) (Sample, error) {
	_, out, err := r.handler.showExample(ctx, op, op.Examples[0].Case)
	defer out.release()
	if err != nil {
		return Sample{}, fmt.Errorf("the example of %s: %w", op.ID, err)
	}
	if !json.Valid(out.body) {
		return Sample{}, errors.New("the example of " + op.ID + " is not JSON")
	}
	return Sample{Request: op.Method + " " + op.Target(&op.Examples[0]) + "?example=1", Status: out.status, Body: slices.Clone(out.body)}, nil
}

// Describe is the table of a service that runs elsewhere, with all operations. A client that has no data of its own uses it.
func Describe(base string, examples Examples) (*Reference, error) {
	s, err := describing(base, examples)
	if err != nil {
		return nil, err
	}
	return s.Reference(), nil
}

// describing is a handler that only describes what a service at an address answers.
func describing(base string, examples Examples) (*Handler, error) {
	base, err := CheckBase(base)
	if err != nil {
		return nil, err
	}
	all, err := newTable(examples.Groups)
	return &Handler{config: Config{BaseURL: base, Examples: examples}, table: all, examples: all}, err
}

// showExample answers an example of an operation into a reply. The error is that of the answer.
func (s *Handler) showExample(ctx context.Context, op *Operation, name string) (*Call, *reply, error) {
	c := &Call{table: s.table, op: op, warn: &Warnings{}, Base: s.config.BaseURL, format: "json"}
	out := &reply{header: http.Header{}, id: "example-request"}
	return c, out, s.example(ctx, out, c, nil, url.Values{"example": {name}})
}

func (r *Reference) Base() string { return r.handler.config.BaseURL }

// Arguments describes the path, the query and the body of a request as the properties of one JSON Schema object, with the
// published descriptions. Schemas within it are written out, because not every reader of a schema follows references.
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
	body := r.Schema(op.Body)
	maps.Copy(properties, body["properties"].(object))
	return properties, append(required, body["required"].([]string)...)
}

// Schema describes an answer or a body as one JSON Schema object.
func (r *Reference) Schema(of any) map[string]any {
	d := &describer{schemas: object{}, types: map[string]reflect.Type{}, names: r.names, params: object{}, handler: r.handler}
	return d.written(d.structure(reflect.TypeOf(of))).(object)
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
		// A description beside a reference becomes that of the schema itself.
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

// catalogPath is where RFC 9727 looks for the catalogue of APIs of a site.
const catalogPath = "/.well-known/api-catalog"

// AdminDocument is where the operations for administrators are described.
const AdminDocument = "/openapi-admin.json"

// openapiType is the media type of OpenAPI documents, for clients that ask for it.
const openapiType = "application/vnd.oai.openapi+json"

const interfaceVersion = "1.0.0"

// describe answers the addresses that describe the service; handled is false for others.
func (s *Handler) describe(r *http.Request, out *reply) (handled bool, err error) {
	var kind string
	var body []byte
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case "/openapi.json", Versioned + "/openapi.json", legacy + "/openapi.json", AdminDocument:
		document := s.openapi
		if r.URL.Path == AdminDocument {
			document = s.openapiAdmin
		}
		doc, err := document()
		if err != nil {
			return true, err
		}
		// A browser shows JSON, but would offer the type of OpenAPI for download.
		kind, body = contentTypes["json"], doc
		out.header.Add("Vary", "Accept")
		if strings.Contains(r.Header.Get("Accept"), openapiType) {
			kind = openapiType + "; charset=utf-8"
		}
	case "/llms.txt":
		kind, body = "text/plain; charset=utf-8", s.overview
	case catalogPath:
		kind, body = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, s.catalog()
	case Versioned, legacy:
		kind, body = contentTypes["json"], s.listing()
	default:
		return false, nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return true, out.otherMethod(r, "GET, HEAD")
	}
	tag := `W/"` + fmt.Sprintf("%x", mark(body)) + `"`
	out.header.Set("ETag", tag)
	out.header.Set("Cache-Control", "public, max-age=300")
	out.header.Set("Content-Type", kind)
	out.status, out.body = http.StatusOK, body
	if matches(r.Header, tag) {
		out.status, out.body = http.StatusNotModified, nil
	}
	return true, nil
}

func (s *Handler) catalog() []byte {
	link := func(href, kind string) []map[string]string {
		return []map[string]string{{"href": s.config.BaseURL + href, "type": kind}}
	}
	// The operations are what the API consists of; each is linked to its page.
	items := []map[string]string{}
	for i := range s.table.ops {
		op := &s.table.ops[i]
		if op.listed() {
			items = append(items, map[string]string{
				"href": s.config.BaseURL + "/docs/api/" + op.ID, "type": "text/html", "title": op.Method + " " + Versioned + op.Path + ": " + op.Summary,
			})
		}
	}
	return compact(map[string]any{"linkset": []map[string]any{{
		"anchor":       s.config.BaseURL + Versioned,
		"service-desc": link("/openapi.json", openapiType),
		"service-doc":  append(link("/llms.txt", "text/plain"), link("/docs", "text/html")...),
		"service-meta": link(Versioned+"/meta", "application/json"),
		"item":         items,
	}, {
		"anchor":       s.config.BaseURL + toolsPath,
		"service-desc": link(toolsPath+"/server-card", "application/mcp-server-card+json"),
		"service-doc":  link("/docs/mcp", "text/html"),
	}}})
}

const toolsPath = "/mcp"

// listed reports whether an operation is published: offered, and not for billing systems.
func (op *Operation) listed() bool { return op.Access != Admin && !op.Off }

func (s *Handler) listing() []byte {
	l := client.Listing{Head: Success, Name: title, Version: interfaceVersion, OpenAPI: s.config.BaseURL + "/openapi.json"}
	for i := range s.table.ops {
		op := &s.table.ops[i]
		if op.Off {
			continue
		}
		l.Operations = append(l.Operations, client.Entry{
			ID: op.ID, Method: op.Method, URL: s.config.BaseURL + Versioned + op.Path, Summary: op.Summary,
			Access: string(op.Access), Cost: op.Cost, Example: s.config.BaseURL + op.Target(&op.Examples[0]) + "?example=1",
		})
	}
	return compact(l)
}

func compact(v any) []byte {
	var b bytes.Buffer
	if err := encoder(&b).Encode(v); err != nil {
		panic("api: " + err.Error())
	}
	return b.Bytes()
}

func (s *Handler) llms() []byte {
	base := s.config.BaseURL
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n", title, pitch)
	fmt.Fprintf(&b, "Every answer is JSON with `code` and `message`, unless `format` asks for something else; read `x_service.warnings` before "+
		"trusting a filter: a parameter in `x_service.unsupported` did NOT run. "+
		"`strict=1` turns those into errors. Find EINs with `/search` first. Send a key as `X-API-Key`. `example=1` on any endpoint answers from "+
		"invented data without a key.\n\n")
	for _, g := range s.table.groups {
		if g.Note != "" {
			b.WriteString(g.Note + "\n\n")
		}
	}
	b.WriteString("## Endpoints\n\n")
	for i := range s.table.ops {
		op := &s.table.ops[i]
		if !op.listed() {
			continue
		}
		name := op.Method + " " + op.Path
		if op.Method == http.MethodGet { // following a link is a GET
			name = fmt.Sprintf("[%s](%s%s?example=1)", name, base, op.Target(&op.Examples[0]))
		}
		fmt.Fprintf(&b, "- %s: %s. Needs %s; %s.", name, op.Summary, op.Who(), op.Price())
		if len(op.Params) > 0 {
			b.WriteString(" Parameters: " + strings.Join(each.Of(op.Params, func(p Param) string { return p.Name }), ", ") + ".")
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## Errors\n\n")
	for _, r := range s.table.refusals {
		fmt.Fprintf(&b, "- %d `%s`: %s\n", r.Status, r.Slug, r.Means)
	}
	fmt.Fprintf(&b, "\n## Tools\n\n- [%s%s](%s/docs/mcp): the same operations as tools of the Model Context Protocol, over streamable HTTP, with "+
		"the same keys and the same price; [server card](%s%s/server-card)\n", base, toolsPath, base, base, toolsPath)
	fmt.Fprintf(&b, "\n## Description\n\n- [Documentation](%s/docs): guides, every parameter and field, every error and what to do about it\n- "+
		"[OpenAPI 3.1](%s/openapi.json): every parameter, field and status\n- [Metadata](%s%s/meta): build stamp, scope, sources\n", base, base, base, Versioned)
	return []byte(b.String())
}
