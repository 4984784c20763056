package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/admin"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// echo is the answer of an operation that only a test has.
type echo struct {
	client.Head
	EIN  string `json:"ein"`
	Body string `json:"body"`
	client.Tail
}

// TestNewOperation checks that an operation is no more than its table entry: a
// path with a parameter, a body, an alias of the legacy form, a paid plan, and
// another method at the same path.
func TestNewOperation(t *testing.T) {
	t.Parallel()
	op := api.Operation{
		ID: "echo", Method: "POST", Path: "/echo/{ein}", Legacy: []string{"/older/{ein}"}, Access: api.Paid, Cost: 2,
		Params: []api.Param{{Name: "ein", In: "path", Type: api.String, MaxLength: 10}},
		Body:   struct{}{}, MaxBody: 8, Response: echo{}, Formats: []string{"json"},
		Examples: []api.Example{{Case: "1", Description: "An echo", Path: map[string]string{"ein": "000000001"}, Body: "hello"}},
		Plan: func(c *api.Call) (api.Run, error) {
			ein, _ := c.Params.Text("ein")
			return func(context.Context) (client.Answer, error) {
				return &echo{Head: api.Success, EIN: ein, Body: string(c.Body()), Tail: c.Tail()}, nil
			}, nil
		},
	}
	get := op
	get.ID, get.Method, get.Access, get.Cost, get.Body = "echoes", "GET", api.Pro, 0, nil
	for _, c := range []struct {
		name, method, path, body, plan string
		status                         int
		has                            string
		costs                          int
	}{
		{"free", "POST", "/api/v1/echo/5", "hi", "free", 402, `"error":"plan_required"`, 0},
		{"plus", "POST", "/api/v1/echo/5", "hi", "plus", 200, `"ein":"5","body":"hi"`, 2},
		{"alias", "POST", "/api/older/5", "hi", "plus", 200, `"ein":"5"`, 2},
		{"alias is legacy only", "POST", "/api/v1/older/5", "hi", "plus", 404, "not_found", 0},
		{"slash in a value", "POST", "/api/v1/echo/5%2F6", "hi", "plus", 200, `"ein":"5/6"`, 2},
		{"escaped letter", "POST", "/api/v1/%65cho/5", "hi", "plus", 200, `"ein":"5"`, 2},
		{"escaped slash is none", "POST", "/api/v1/echo%2F5", "hi", "plus", 404, "nothing at /api/v1/echo%2F5.", 0},
		{"no value", "POST", "/api/v1/echo/", "hi", "plus", 404, "not_found", 0},
		{"long body", "POST", "/api/v1/echo/5", "123456789", "plus", 413, "body_too_large", 0},
		{"long value", "POST", "/api/v1/echo/12345678901", "hi", "plus", 422, `"loc":["path","ein"]`, 0},
		{"pro only", "GET", "/api/v1/echo/5", "", "plus", 402, "the Pro plan", 0},
		{"pro", "GET", "/api/v1/echo/5", "", "pro", 200, `"ein":"5"`, 0},
		{"method", "DELETE", "/api/v1/echo/5", "", "pro", 405, "POST, GET, HEAD", 0},
		{"example", "POST", "/api/v1/echo/5?example=1", "", "", 200, `"ein":"000000001","body":"hello"`, 0},
		{"list", "POST", "/api/v1/echo/5?example=list", "", "", 200, `"request":"POST /api/v1/echo/000000001"`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := apitest.New(t)
			groups := []api.Group{{Tag: "Echoes", About: "What was sent.", Operations: []api.Operation{op, get}}}
			h, err := api.New(api.Config{
				BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: func() (api.Dataset, func()) { return w.Data, nil },
				Groups: groups, Examples: api.Examples{Groups: groups, Data: serve.Invented()},
			})
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			if c.plan != "" {
				r.Header.Set("X-API-Key", "gg_test_"+c.plan)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.has) {
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
			if cost := w.Ledger.Calls(c.plan); cost != c.costs {
				t.Errorf("it cost %d calls", cost)
			}
			if (c.plan != "" && rec.Code != 404 && rec.Code != 405) != (rec.Header().Get("X-Calls-Limit") != "") {
				t.Errorf("X-Calls-Limit is %q", rec.Header().Get("X-Calls-Limit"))
			}
		})
	}
}

// paper is an answer that is a file.
type paper struct {
	echo
	Maybe *string `json:"maybe,omitzero" doc:"May be absent."`
}

func (p *paper) File() (string, []byte) { return "paper.pdf", []byte("%PDF-" + p.EIN) }

// TestClaim checks that what an answer uses up beside its calls is taken before
// the charge, and given back where there is no answer.
func TestClaim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, plan string
		claim      error
		run        func() error
		status     int
		taken      int
		kept       bool
		costs      int
	}{
		{"an answer", "plus", nil, func() error { return nil }, 200, 1, true, 1},
		{"a claim that is refused", "plus", fault.New("odd", "No."), nil, 409, 1, false, 0},
		{"no call to pay with", "spent", nil, nil, 402, 1, false, 0},
		{"no answer", "plus", nil, func() error { return errors.New("it broke") }, 500, 1, false, 1},
		{"a panic", "plus", nil, func() error { panic("it broke") }, 500, 1, false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := apitest.New(t)
			taken, held := 0, false
			op := api.Operation{
				ID: "claim", Method: "GET", Path: "/claim", Access: api.Grants, Cost: 1, Anew: true, Response: paper{}, Formats: []string{"json", "pdf"},
				Refusals: []api.Refusal{{Slug: "odd", Status: 409, Means: "it is odd"}}, Examples: []api.Example{{Case: "1"}}, Params: []api.Param{api.FormatParam("json", "pdf")},
				Plan: func(call *api.Call) (api.Run, error) {
					call.ReadFormat()
					call.Claim = func(context.Context) (func(context.Context) error, error) {
						if w.Ledger.Calls(c.plan) > 0 {
							t.Error("the charge came first")
						}
						taken++
						if c.claim != nil {
							return nil, c.claim
						}
						held = true
						return func(ctx context.Context) error { held = false; return ctx.Err() }, nil
					}
					return func(context.Context) (client.Answer, error) {
						if err := c.run(); err != nil {
							return nil, err
						}
						return &paper{echo: echo{Head: api.Success, EIN: "5", Tail: call.Tail()}}, nil
					}, nil
				},
			}
			groups := []api.Group{{Tag: "Claims", About: "What is claimed.", Operations: []api.Operation{op}}}
			h, err := api.New(api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: func() (api.Dataset, func()) { return w.Data, nil }, Groups: groups, Examples: api.Examples{Groups: groups, Data: serve.Invented()}})
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/api/v1/claim?format=pdf", nil)
			r.Header.Set("X-API-Key", "gg_test_"+c.plan)
			rec := httptest.NewRecorder()
			if h.ServeHTTP(rec, r); rec.Code != c.status || taken != c.taken || held != c.kept || w.Ledger.Calls(c.plan) != c.costs {
				t.Errorf("%d, taken %d times, kept %v, cost %d: %s", rec.Code, taken, held, w.Ledger.Calls(c.plan), rec.Body)
			}
			head := rec.Header()
			if head.Get("Cache-Control") != "no-store" || head.Get("ETag") != "" {
				t.Errorf("%v", head)
			}
			if c.status == 200 && (rec.Body.String() != "%PDF-5" || head.Get("Content-Type") != "application/pdf" || head.Get("Content-Disposition") != `attachment; filename="paper.pdf"`) {
				t.Errorf("%v %s", head, rec.Body)
			}
			if c.status != 200 && !strings.HasPrefix(head.Get("Content-Type"), "application/json") {
				t.Errorf("a refusal of type %s", head.Get("Content-Type"))
			}
		})
	}
}

// TestDescribed checks how the description tells of bodies of several types,
// files, fields that may be absent, objects that may be null, and types that
// have another name there.
func TestDescribed(t *testing.T) {
	t.Parallel()
	type inner struct {
		A string `json:"a" doc:"A."`
	}
	type answer struct {
		client.Head
		Maybe inner  `json:"maybe,omitzero" doc:"May be absent."`
		Null  *inner `json:"null" doc:"May be null."`
		client.Tail
	}
	op := api.Operation{
		ID: "describe", Method: "POST", Path: "/describe", Access: api.Open, Body: inner{}, BodyTypes: []string{"application/pdf"}, MaxBody: 8, Response: answer{}, Formats: []string{"json", "pdf"},
		Examples: []api.Example{{Case: "1", Body: `{"a":"b"}`}},
		Plan: func(c *api.Call) (api.Run, error) {
			return func(context.Context) (client.Answer, error) { return &answerOf{Tail: c.Tail(), Head: api.Success}, nil }, nil
		},
	}
	doc, err := api.OpenAPI(apitest.Base, api.Examples{Data: serve.Invented(), Groups: []api.Group{{Tag: "T", Operations: []api.Operation{op}, Schemas: map[reflect.Type]string{reflect.TypeFor[inner](): "Renamed"}}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, doc, "", "  "); err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{
		`"application/pdf": {
              "schema": {
                "format": "binary",
                "type": "string"`,
		`"Renamed": {`, `"anyOf": [
              {
                "$ref": "#/components/schemas/Renamed"
              },
              {
                "type": "null"
              }
            ]`,
		`"required": [
          "code",
          "message",
          "null",
          "x_service"
        ]`,
	} {
		if !strings.Contains(indented.String(), has) {
			t.Errorf("the document lacks %s:\n%s", has, &indented)
		}
	}
}

// answerOf is an answer without more.
type answerOf struct {
	client.Head
	client.Tail
}

// TestNarrowRoutes checks that a path of its own goes before one with a parameter.
func TestNarrowRoutes(t *testing.T) {
	t.Parallel()
	op := func(id, path string) api.Operation {
		return api.Operation{ID: id, Method: "GET", Path: path, Access: api.Open, Formats: []string{"json"}, Response: answerOf{}, Examples: []api.Example{{Case: "1"}},
			Params: []api.Param{{Name: "x", In: "path", Type: api.String}}, Plan: func(c *api.Call) (api.Run, error) { return nil, fault.New("odd", "%s", id) },
			Refusals: []api.Refusal{{Slug: "odd", Status: 409, Means: "it is odd"}}}
	}
	groups := []api.Group{{Tag: "T", Operations: []api.Operation{op("any", "/a/{x}"), op("one", "/a/b"), op("deep", "/{x}/b")}}}
	h, err := api.New(api.Config{BaseURL: apitest.Base, Accounts: apitest.NewLedger(), Acquire: func() (api.Dataset, func()) { return serve.Invented(), nil }, Groups: groups, Examples: api.Examples{Groups: groups, Data: serve.Invented()}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/a/b": "one", "/a/c": "any", "/c/b": "deep"} {
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, httptest.NewRequest("GET", "/api/v1"+path, nil)); !strings.Contains(rec.Body.String(), `"message":"`+want+`"`) {
			t.Errorf("%s: %s", path, rec.Body)
		}
	}
}

// TestUncovered refuses a table that would fail later: an operation without its
// example, a slug with two meanings, two operations of one name.
func TestUncovered(t *testing.T) {
	t.Parallel()
	op := func(id string, r ...api.Refusal) api.Operation {
		return api.Operation{ID: id, Method: "GET", Path: "/" + id, Access: api.Open, Formats: []string{"json"}, Refusals: r, Examples: []api.Example{{Case: "1"}}}
	}
	group := func(ops ...api.Operation) []api.Group { return []api.Group{{Tag: "Test", Operations: ops}} }
	one, other := api.Refusal{Slug: "odd", Status: 400, Means: "one thing"}, api.Refusal{Slug: "odd", Status: 409, Means: "another"}
	for name, c := range map[string]api.Config{
		"no example":   {Groups: group(op("a"), op("b")), Examples: api.Examples{Groups: group(op("a"))}},
		"two meanings": {Groups: group(op("a", one), op("b", other))},
		"two of them":  {Groups: group(op("a"), op("a"))},
	} {
		c.BaseURL, c.Accounts, c.Acquire = apitest.Base, apitest.NewLedger(), func() (api.Dataset, func()) { return nil, nil }
		if _, err := api.New(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestNoAdminToken checks that an engine without a token admits nobody, not even
// who sends an empty one.
func TestNoAdminToken(t *testing.T) {
	t.Parallel()
	examples, err := serve.Examples(apitest.Base)
	if err != nil {
		t.Fatal(err)
	}
	h, err := api.New(api.Config{BaseURL: apitest.Base, Accounts: apitest.NewLedger(), Acquire: func() (api.Dataset, func()) { return serve.Invented(), nil }, Groups: examples.Groups, Examples: examples})
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer  "} {
		r := httptest.NewRequest("GET", "/api/v1/admin/keys/"+admin.ExampleKeyID, nil)
		r.Header.Set("Authorization", header)
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, r); rec.Code != 401 {
			t.Errorf("%q: %d %s", header, rec.Code, rec.Body)
		}
	}
}

// TestWithheld refuses an operation that serves a page, at both of its addresses
// and by every method, and describes it.
func TestWithheld(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "OPTIONS"} {
		for _, path := range []string{"/api/v1/analyze", "/api/analyze", "/api/v1/analyze/", "/api/v1/analyze?example=1"} {
			rec := w.Get(t, method, path, "gg_test_pro")
			if rec.Code != 403 || method != "HEAD" && !strings.Contains(rec.Body.String(), `"error":"not_public"`) {
				t.Errorf("%s %s: %d %s", method, path, rec.Code, rec.Body)
			}
		}
	}
	if got := w.Route("/api/analyze"); got != "/analyze" {
		t.Errorf("it is counted as %q", got)
	}
	_, doc := document(t)
	op := doc.Paths.Value("/api/v1/analyze").Post
	if op.Extensions["x-not-public"] != true || op.Responses.Value("403") == nil || op.Responses.Value("200").Value.Content["text/event-stream"] == nil {
		t.Errorf("it is described as %+v", op)
	}
}
