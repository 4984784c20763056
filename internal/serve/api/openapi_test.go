package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/golden"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func document(t *testing.T) ([]byte, *openapi3.T) {
	t.Helper()
	raw, err := serve.OpenAPI(apitest.Base)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	return raw, doc
}

// administration is the document of the operations for administrators.
func administration(t *testing.T) ([]byte, *openapi3.T) {
	t.Helper()
	raw, err := serve.AdminOpenAPI(apitest.Base)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	return raw, doc
}

func TestOpenAPIValid(t *testing.T) {
	t.Parallel()
	_, all := document(t)
	_, admin := administration(t)
	for _, doc := range []*openapi3.T{all, admin} {
		if err := doc.Validate(context.Background()); err != nil {
			t.Error(err)
		}
	}
	for _, op := range apitest.New(t).Operations() {
		doc := all
		if op.Access == api.Admin {
			doc = admin
			if all.Paths.Value("/api/v1"+op.Path) != nil {
				t.Errorf("%s is in the document for everybody", op.ID)
			}
		}
		item := doc.Paths.Value("/api/v1" + op.Path)
		if item == nil || item.GetOperation(op.Method) == nil {
			t.Errorf("%s is missing", op.ID)
			continue
		}
		for status, response := range item.GetOperation(op.Method).Responses.Map() {
			media := response.Value.Content["application/json"]
			if media == nil {
				continue
			}
			if status == "200" && media.Examples["success"] == nil {
				t.Errorf("%s has no example of success", op.ID)
			}
			for name, e := range media.Examples {
				if err := media.Schema.Value.VisitJSON(e.Value.Value); err != nil {
					t.Errorf("%s %s %s: %v", op.ID, status, name, err)
				}
			}
		}
	}
}

// TestOpenAPIPromise holds the document against the golden one: in v1 nothing
// is removed, renamed or retyped. make golden writes additions, but refuses to
// write a document that breaks the promise.
func TestOpenAPIPromise(t *testing.T) {
	t.Parallel()
	// Both documents together keep the promise: an operation may move from one to the other.
	all, _ := document(t)
	admin, _ := administration(t)
	var then, now []any
	read := func(raw []byte) (doc any) {
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	files := map[string][]byte{"openapi.golden.json": all, "openapi-admin.golden.json": admin}
	for file, raw := range files {
		now = append(now, read(raw))
		published, err := os.ReadFile(filepath.Join("testdata", file))
		if os.IsNotExist(err) && golden.Renewing() {
			published, err = raw, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		then = append(then, read(published))
	}
	for _, broken := range promises(then, now) {
		t.Error(broken)
	}
	for file, raw := range files {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		if !t.Failed() {
			golden.Check(t, filepath.Join("testdata", file), pretty.String())
		}
	}
	// The check itself finds what it is for.
	for _, damage := range []func(doc map[string]any){
		func(d map[string]any) { delete(d["paths"].(map[string]any), "/api/v1/meta") },
		func(d map[string]any) {
			get := d["paths"].(map[string]any)["/api/v1/search"].(map[string]any)["get"].(map[string]any)
			get["parameters"] = get["parameters"].([]any)[1:]
		},
		func(d map[string]any) { delete(properties(d, "GrantRow"), "amount") },
		func(d map[string]any) { properties(d, "GrantRow")["amount"].(map[string]any)["type"] = "string" },
	} {
		doc := read(all)
		damage(doc.(map[string]any))
		if len(promises([]any{read(all)}, []any{doc})) == 0 {
			t.Error("a broken promise was not noticed")
		}
	}
}

func properties(doc map[string]any, schema string) map[string]any {
	return doc["components"].(map[string]any)["schemas"].(map[string]any)[schema].(map[string]any)["properties"].(map[string]any)
}

// promises lists what the newer documents break of the older ones.
func promises(then, now []any) (broken []string) {
	old, cur := map[string]any{}, map[string]any{}
	for _, doc := range then {
		maps.Copy(old, promised(doc))
	}
	for _, doc := range now {
		maps.Copy(cur, promised(doc))
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		if got, ok := cur[key]; !ok {
			broken = append(broken, key+" is gone")
		} else if !reflect.DeepEqual(got, old[key]) {
			broken = append(broken, fmt.Sprintf("%s was %v and is %v", key, old[key], got))
		}
	}
	return broken
}

// promised flattens what a document promises: each operation, parameter and
// field with its type.
func promised(doc any) map[string]any {
	out := map[string]any{}
	d := doc.(map[string]any)
	for path, item := range d["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			out[method+" "+path] = true
			for _, p := range op.(map[string]any)["parameters"].([]any) {
				param := p.(map[string]any)
				if ref, ok := param["$ref"].(string); ok {
					param = d["components"].(map[string]any)["parameters"].(map[string]any)[filepath.Base(ref)].(map[string]any)
				}
				schema := param["schema"].(map[string]any)
				out[fmt.Sprint(method, " ", path, " ", param["in"], " ", param["name"])] = schema["type"]
			}
			for status := range op.(map[string]any)["responses"].(map[string]any) {
				out[method+" "+path+" "+status] = true
			}
		}
	}
	for name, schema := range d["components"].(map[string]any)["schemas"].(map[string]any) {
		for field, s := range schema.(map[string]any)["properties"].(map[string]any) {
			property := s.(map[string]any)
			kind := kindOf(property)
			if kind == nil {
				kind = fmt.Sprint(property["$ref"], property["allOf"])
				if either, ok := property["anyOf"]; ok {
					kind = fmt.Sprint(either)
				}
			}
			if items, ok := property["items"].(map[string]any); ok {
				kind = fmt.Sprint(kind, kindOf(items), items["$ref"])
			}
			out[name+"."+field] = kind
		}
	}
	return out
}

// kindOf is the type of a schema. A choice between plain types is the same as a list of them.
func kindOf(schema map[string]any) any {
	choices, _ := schema["anyOf"].([]any)
	var types []any
	for _, c := range choices {
		choice := c.(map[string]any)
		if choice["type"] == nil || choice["type"] == "null" {
			return schema["type"]
		}
		types = append(types, choice["type"])
		if items, ok := choice["items"]; ok {
			schema["items"] = items
		}
	}
	if types == nil {
		return schema["type"]
	}
	return types
}

// TestOpenAPIComplete checks that nothing is published without words.
func TestOpenAPIComplete(t *testing.T) {
	t.Parallel()
	raw, _ := document(t)
	admin, _ := administration(t)
	tags := ""
	for _, text := range [][]byte{raw, admin} {
		tags += described(t, text)
	}
	for _, op := range apitest.New(t).Operations() {
		if !strings.Contains(tags, "name:"+op.Tag+"]") {
			t.Errorf("the tag %s is not described", op.Tag)
		}
		for _, p := range op.Params {
			if p.Description == "" || p.Type == "" {
				t.Errorf("the parameter %s of %s is not described", p.Name, op.ID)
			}
		}
	}
}

// described checks that each field has words, and returns the tags.
func described(t *testing.T, raw []byte) (tags string) {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for name, schema := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		for field, s := range schema.(map[string]any)["properties"].(map[string]any) {
			property := s.(map[string]any)
			if property["description"] == nil && property["$ref"] == nil {
				t.Errorf("%s.%s is not described", name, field)
			}
		}
	}
	return fmt.Sprint(doc["tags"])
}

// TestExamples holds the answers to every example of every operation.
func TestExamples(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for _, op := range apitest.New(t).Operations() {
		for _, name := range []string{"1", "unsupported", "strict"} {
			if !slices.ContainsFunc(op.Examples, func(e api.Example) bool { return e.Case == name }) {
				t.Errorf("%s has no example %s", op.ID, name)
			}
		}
		for _, e := range append(slices.Clone(op.Examples), api.Example{Case: "list"}) {
			rec := w.Get(t, op.Method, "/api/v1"+op.Path+"?example="+e.Case, "", "X-Request-Id", "example-request")
			want := 200
			switch e.Case {
			case "strict", "subject_pcs", "wrong_answer", "rejected", "timeout":
				want = 400
			case "plan_required":
				want = 402
			case "pro_table":
				want = 403
			case "unknown_ein", "unknown_version":
				want = 404
			case "invalid":
				want = 422
			}
			if e.Case == "pdf" {
				if h := rec.Header(); rec.Code != 200 || !strings.HasPrefix(rec.Body.String(), "%PDF-") || h.Get("Content-Type") != "application/pdf" || !strings.Contains(h.Get("X-Service-Warnings"), "invented") {
					t.Errorf("%s %s: %d %v", op.ID, e.Case, rec.Code, h)
				}
				continue
			}
			var body struct {
				Code    int            `json:"code"`
				Service client.Service `json:"x_service"`
			}
			if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			if rec.Code != want || body.Code != want || body.Service.Example == nil || body.Service.Example.Case != e.Case {
				t.Errorf("%s %s: %d %s", op.ID, e.Case, rec.Code, rec.Body)
			}
			if e.Case == "unsupported" && (len(body.Service.Unsupported) == 0 || rec.Header().Get("X-Service-Unsupported") == "") {
				t.Errorf("%s %s shows nothing unsupported", op.ID, e.Case)
			}
			if e.Case == "unsupported" && !slices.ContainsFunc(body.Service.Warnings, func(x client.Warning) bool { return x.Severity == "caveat" }) {
				t.Errorf("%s %s shows no caveat", op.ID, e.Case)
			}
			var pretty strings.Builder
			enc := json.NewEncoder(&pretty)
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			if err := enc.Encode(json.RawMessage(rec.Body.Bytes())); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", "example", op.ID+"."+e.Case+".json"), pretty.String())
		}
	}
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "no value", Path: "grants/summary?example", Costs: 1, Has: []string{`"unsupported":["example"]`}, Lacks: []string{`"case":`}},
		{Name: "no value and no key", Path: "grants/summary?example=", Plan: "none", Status: 401},
		{Name: "no such case", Path: "grants/summary?example=nonsense", Plan: "none", Status: 422, Has: []string{"subject_pcs", `"example":{"case":"nonsense"`}},
		{Name: "with a key", Path: "grants/summary?example=1", Heads: map[string]string{"X-Calls-Limit": ""}},
		{Name: "xml", Path: "grants/funders?example=1&format=xml", Plan: "none", Has: []string{"<example><case>1</case>"}},
		{Name: "csv", Path: "grants/summary?example=1&format=csv", Plan: "none", Has: []string{"fiscal_year,"}, Heads: map[string]string{
			"X-Service-Warnings": `[{"parameter":"example","severity":"caveat","reason":"The answer is invented, and all other parameters except format were ignored."}]`}},
		{Name: "bad format", Path: "grants/funders?example=1&format=yaml", Plan: "none", Status: 422},
		{Name: "other parameters are not read", Path: "grants/funders?example=1&page=0", Plan: "none"},
	})
}
