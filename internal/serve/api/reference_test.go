package api_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// TestReference checks that every operation can be looked up, and that every
// failure says what to do about it.
func TestReference(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	r := w.Reference()
	if len(r.Groups) == 0 || r.Operation("nothing") != nil {
		t.Fatal("there are none, or too many")
	}
	for _, f := range r.Refusals {
		if f.Means == "" || !strings.HasSuffix(f.Do, ".") {
			t.Errorf("%s does not say what it means, or what to do", f.Slug)
		}
	}
	for _, want := range w.Operations() {
		op := r.Operation(want.ID)
		if op == nil {
			t.Fatalf("%s is missing", want.ID)
		}
		shapes := r.Answer(op)
		if len(shapes) == 0 || len(shapes[0].Fields) == 0 || shapes[0].Fields[0].Name != "code" {
			t.Errorf("%s answers %+v", op.ID, shapes)
		}
		for _, s := range append(shapes, r.Body(op)...) {
			for _, f := range s.Fields {
				known := slices.ContainsFunc(append(shapes, r.Body(op)...), func(s api.Shape) bool { return s.Name == f.Of })
				if f.Kind == "" || f.Of != "" && !known {
					t.Errorf("%s: %s.%s is %q of %q", op.ID, s.Name, f.Name, f.Kind, f.Of)
				}
			}
		}
		for _, f := range op.Failures() {
			if !slices.Contains(r.Refusals, f) {
				t.Errorf("%s: %s is not in the table", op.ID, f.Slug)
			}
		}
		sample, err := r.Sample(t.Context(), op)
		if err != nil || sample.Status != 200 || !json.Valid(sample.Body) {
			t.Errorf("%s: %d, %v", op.ID, sample.Status, err)
			continue
		}
		sent := httptest.NewRecorder()
		w.ServeHTTP(sent, httptest.NewRequest(op.Method, strings.TrimPrefix(sample.Request, op.Method+" "), nil))
		if !op.Anew && !bytes.Equal(sent.Body.Bytes(), sample.Body) {
			t.Errorf("%s is answered otherwise:\n%s\n%s", sample.Request, sent.Body, sample.Body)
		}
	}
}

// TestWithoutSome checks that what a service does not offer is not in its
// reference, but its failures are: their addresses are in other answers' links.
func TestWithoutSome(t *testing.T) {
	t.Parallel()
	r := apitest.Over(t, apitest.New(t).Data).Reference()
	if r.Operation("getKey") != nil {
		t.Error("it describes operations that are off")
	}
	if !slices.ContainsFunc(r.Refusals, func(f api.Refusal) bool { return f.Slug == "bad_admin_token" }) {
		t.Error("a failure is not described")
	}
}

func TestRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p          api.Param
		kind, rule string
	}{
		{api.Param{Type: api.Integer, Min: new(1.0), Cap: new(1000.0)}, "whole number", "1 to 1,000"},
		{api.Param{Type: api.Integer, Min: new(0.0)}, "whole number", "at least 0"},
		{api.Param{Type: api.Number, Max: new(0.5)}, "number", "at most 0.5"},
		{api.Param{Type: api.Integer, Min: new(1900.0), Max: new(2100.0)}, "whole number", "1900 to 2100"},
		{api.Param{Type: api.String}, "text", "at most 500 bytes"},
		{api.Param{Type: api.String, Enum: []string{"a"}}, "text", ""},
		{api.Param{Type: api.String, List: true, MaxItems: 20}, "list, comma-separated", "at most 20 items"},
		{api.Param{Type: api.Boolean}, "1 or 0", ""},
	} {
		if kind, rule := c.p.Kind(), c.p.Rule(); kind != c.kind || rule != c.rule {
			t.Errorf("%+v: %q, %q", c.p, kind, rule)
		}
	}
}

// TestDocsAddress checks that every failure says where it is described, in JSON
// and in XML.
func TestDocsAddress(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for path, slug := range map[string]string{
		"/api/v1/nothing":                         "not_found",
		"/api/v1/grants/summary":                  "no_key",
		"/api/v1/search":                          "invalid_request",
		"/api/v1/search?q=library&x=1&strict=1":   "unsupported_parameter",
		"/api/v1/search?q=%zz":                    "malformed_query",
		"/api/v1/grants/summary?example=nonsense": "invalid_request",
	} {
		at := apitest.Base + "/docs/errors#" + slug
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		var got struct{ Error, Docs string }
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || got.Error != slug || got.Docs != at {
			t.Errorf("%s: %s", path, rec.Body)
		}
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, httptest.NewRequest("GET", "/api/v1/grants/summary?format=xml", nil))
	if want := "<docs>" + apitest.Base + "/docs/errors#no_key</docs>"; !strings.Contains(rec.Body.String(), want) {
		t.Errorf("no %s in %s", want, rec.Body)
	}
}

// TestFor checks that a request of an account is answered and counted as one
// with its key, and that nobody becomes another by sending something.
func TestFor(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	ask := func(a account.Account, path string) int {
		rec := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-API-Key", "gg_test_pro") // is not looked at
		w.ServeHTTP(rec, api.For(r, a))
		return rec.Code
	}
	free := account.Account{ID: "free", Plan: account.Free, Active: true}
	for _, c := range []struct {
		a      account.Account
		path   string
		status int
	}{
		{free, "/api/v1/grants/summary", 200},
		{free, "/api/v1/grants/summary?year=abc", 422},
		{free, "/api/v1/gov-funding/00-0000001", 402},
		{account.Account{ID: "off", Plan: account.Pro}, "/api/v1/grants/summary", 402},
		{account.Account{ID: "spent", Plan: account.Pro, Active: true}, "/api/v1/grants/summary", 402},
	} {
		if got := ask(c.a, c.path); got != c.status {
			t.Errorf("%s asks %s: %d", c.a.ID, c.path, got)
		}
	}
	if free, pro := w.Ledger.Calls("free"), w.Ledger.Calls("pro"); free != 1 || pro != 0 {
		t.Errorf("%d and %d calls were counted", free, pro)
	}
}
