package api_test

import (
	"context"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/admin"
	"net/http/httptest"
	"strings"
	"testing"
)

// echo is the answer of an operation that only a test has.
type echo struct {
	api.Head
	EIN  string `json:"ein"`
	Body string `json:"body"`
	api.Tail
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
			return func(context.Context) (api.Answer, error) {
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
