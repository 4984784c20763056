package api_test

import (
	"context"
	"errors"
	"fmt"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/admin"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestPinnedToTheLastByte holds the dataset while the answer is written, and no
// longer.
func TestPinnedToTheLastByte(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for _, path := range []string{"/api/v1/grants/transactions", "/api/v1/grants/transactions?format=csv", "/api/v1/grants/transactions?format=ndjson", "/api/v1/meta", "/api/v1/nothing", "/api/v1/grants/summary?year=x"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-API-Key", "gg_test_pro")
		rec := &pinnedRecorder{ResponseRecorder: httptest.NewRecorder(), acquired: &w.Acquired}
		w.ServeHTTP(rec, r)
		if rec.least != 1 || w.Acquired.Load() != 0 {
			t.Errorf("%s: %d datasets are held while it is written, %d afterwards", path, rec.least, w.Acquired.Load())
		}
		if got := rec.Header().Get("X-Dataset-Version"); got != w.Data.Manifest.Version {
			t.Errorf("%s is stamped %q", path, got)
		}
	}
	// An example is of the invented dataset, and says so.
	rec := w.Get(t, "GET", "/api/v1/grants/summary?example=1&format=csv", "")
	if got := rec.Header().Get("X-Dataset-Version"); got != serve.Invented().Manifest.Version {
		t.Errorf("an example is stamped %q", got)
	}
}

// pinnedRecorder notes how many datasets are held when the last byte arrives.
type pinnedRecorder struct {
	*httptest.ResponseRecorder
	acquired *atomic.Int64
	least    int64
}

func (r *pinnedRecorder) Write(b []byte) (int, error) {
	r.least = r.acquired.Load()
	return r.ResponseRecorder.Write(b)
}

func TestNew(t *testing.T) {
	t.Parallel()
	acquire := func() (api.Dataset, func()) { return nil, func() {} }
	for _, c := range []api.Config{
		{BaseURL: "", Accounts: &apitest.Ledger{}, Acquire: acquire},
		{BaseURL: "ftp://x", Accounts: &apitest.Ledger{}, Acquire: acquire},
		{BaseURL: apitest.Base, Acquire: acquire},
		{BaseURL: apitest.Base, Accounts: &apitest.Ledger{}},
	} {
		if _, err := serve.NewAPI(serve.API{Config: c}); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "search needs no key", Path: "search?q=example", Plan: "none", Has: []string{`"mode":"text"`, `"ein":"000000001"`, `"url":"https://grants.example.org/org/000000001/example-community-foundation"`},
			Heads: map[string]string{"X-Calls-Limit": "", "Cache-Control": "public, max-age=300"}},
		{Name: "meta needs no key", Path: "meta", Plan: "none", Has: []string{`"version":"20260101T000000Z"`}},
		{Name: "unknown revenue is told from none", Path: "search?q=example", Plan: "none", Has: []string{`"revenue_known":true`}},
		{Name: "an example about the organization in the path", Path: "essentials/00-0000002?example=1", Plan: "none", Has: []string{`"ein":"000000002"`, `/essentials/000000002`}},
		{Name: "no example about a real one", Path: "essentials/36-1234567?example=1", Plan: "none", Has: []string{`"ein":"000000001"`}, Lacks: []string{"361234567"}},
		{Name: "nor about one that nobody invented", Path: "essentials/00-0000009?example=1", Plan: "none", Has: []string{`"ein":"000000001"`, "no example about this organization"}},
		{Name: "no key", Path: "grants/summary", Plan: "none", Status: 401, Has: []string{`"error":"no_key"`, `"code":401`, `"request_id"`}, Heads: map[string]string{"WWW-Authenticate": "*", "Cache-Control": "no-store"}},
		{Name: "unknown key", Path: "grants/summary", Plan: "none", Header: []string{"X-API-Key", "nonsense"}, Status: 401, Has: []string{`"error":"unknown_key"`}},
		{Name: "basic is no key", Path: "grants/summary", Plan: "none", Header: []string{"Authorization", "Basic abc"}, Status: 401, Has: []string{"no_key"}},
		{Name: "bearer", Path: "grants/summary", Plan: "none", Header: []string{"Authorization", "bearer gg_test_plus"}},
		{Name: "free key", Path: "grants/summary", Costs: 1, Heads: map[string]string{"X-Calls-Limit": "50", "X-Calls-Remaining": "49", "X-Calls-Reset": "2026-11-16T00:00:00Z", "Cache-Control": "private, max-age=300"}},
		{Name: "pro key", Path: "grants/funders", Plan: "pro", Costs: 1},
		{Name: "spent", Path: "grants/summary", Plan: "spent", Status: 402, Has: []string{`"error":"quota_exhausted"`, "Daily limit reached"}, Heads: map[string]string{"X-Calls-Remaining": "0"}},
		{Name: "inactive", Path: "grants/summary", Plan: "inactive", Status: 402, Has: []string{`"error":"account_inactive"`}},
		{Name: "refused requests are free", Path: "grants/summary?year=abc", Status: 422, Heads: map[string]string{"X-Calls-Remaining": "50"}},
		{Name: "strict refusals are free", Path: "grants/summary?nonsense=1&strict=1", Status: 400},
		{Name: "the key is looked at first", Path: "grants/summary?year=abc", Plan: "none", Status: 401},
		{Name: "even when the query is broken", Path: "grants/summary?year=%zz", Plan: "none", Status: 401},
		{Name: "a broken query tells the balance", Path: "grants/summary?year=%zz", Status: 400, Has: []string{"malformed_query"}, Heads: map[string]string{"X-Calls-Limit": "50", "X-Calls-Remaining": "50"}},
		{Name: "so do too many parameters", Path: "grants/summary?" + strings.Repeat("year=2020&", 101), Status: 400, Has: []string{"too_many_parameters"}, Heads: map[string]string{"X-Calls-Remaining": "50"}},
		{Name: "a broken example needs no key", Path: "grants/summary?example=1&year=%zz", Plan: "none", Status: 400, Has: []string{"malformed_query"}},
	})
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "legacy alias", Path: "/api/grants/summary", Costs: 1, Has: []string{`"by_year"`}},
		{Name: "trailing slash", Path: "/api/v1/meta/"},
		{Name: "unknown", Path: "nothing", Status: 404, Has: []string{`"error":"not_found"`, `"code":404`}},
		{Name: "a key in an unknown path is not repeated", Path: "nothing/gg_p_verysecret", Status: 404, Has: []string{"nothing/gg_…"}, Lacks: []string{"verysecret"}},
		{Name: "nor when it is escaped", Path: "nothing/gg%255fp_verysecret", Status: 404, Has: []string{"nothing/gg_…"}, Lacks: []string{"verysecret"}},
		{Name: "nor where the method is another", Method: "BREW", Path: "admin/keys/gg_p_verysecret", Status: 405, Has: []string{"keys/gg_…"}, Lacks: []string{"verysecret"}},
		{Name: "unknown version", Path: "/api/v2/meta", Status: 404},
		{Name: "outside", Path: "/else", Status: 404},
		{Name: "method", Method: "POST", Path: "meta", Status: 405, Has: []string{"method_not_allowed"}, Heads: map[string]string{"Allow": "GET, HEAD"}},
		{Name: "odd method", Method: "BREW", Path: "grants/funders", Status: 405, Heads: map[string]string{"Allow": "GET, HEAD"}},
		{Name: "options has no CORS", Method: "OPTIONS", Path: "grants/funders", Status: 405},
		{Name: "head", Method: "HEAD", Path: "grants/funders", Costs: 1, Lacks: []string{"{"}, Heads: map[string]string{"Content-Length": "*"}},
		{Name: "long address", Path: "meta?x=" + strings.Repeat("a", 70_000), Status: 414, Has: []string{"uri_too_long"}},
		{Name: "large headers", Path: "meta", Header: []string{"X-Large", strings.Repeat("a", 70_000)}, Status: 431, Has: []string{"headers_too_large"}},
		{Name: "bad escape", Path: "meta?x=%zz", Status: 400, Has: []string{"malformed_query"}},
		{Name: "semicolon", Path: "meta?x=1;y=2", Status: 400, Has: []string{"malformed_query"}},
		{Name: "many parameters", Path: "meta?" + strings.Repeat("a=1&", 101), Status: 400, Has: []string{"too_many_parameters"}},
		{Name: "openapi by the legacy alias", Path: "/api/openapi.json", Plan: "none", Has: []string{`"openapi":"3.1.0"`}},
		{Name: "openapi", Path: "/openapi.json", Plan: "none", Has: []string{`"openapi":"3.1.0"`}, Heads: map[string]string{"ETag": "*", "Content-Type": "application/json; charset=utf-8"}},
		{Name: "openapi by its type", Path: "/openapi.json", Plan: "none", Header: []string{"Accept", "application/vnd.oai.openapi+json"}, Heads: map[string]string{"Content-Type": "application/vnd.oai.openapi+json; charset=utf-8"}},
		{Name: "openapi by post", Method: "POST", Path: "/openapi.json", Status: 405, Heads: map[string]string{"Allow": "GET, HEAD"}},
		{Name: "llms", Path: "/llms.txt", Plan: "none", Has: []string{"# Grantgraph", "- [GET /grants/transactions](" + apitest.Base + "/api/v1/grants/transactions?example=1): ", "- POST /sql: ", "costs 1 call.", "quota_exhausted"}},
		{Name: "catalog", Path: "/.well-known/api-catalog", Plan: "none", Has: []string{"linkset", "/openapi.json"}},
		{Name: "listing", Path: "/api/v1", Plan: "none", Has: []string{`"operations":[`, `"access":"grants"`, `"example":"` + apitest.Base + `/api/v1/admin/keys/` + admin.ExampleKeyID + `?example=1"`}},
		{Name: "request id is kept", Path: "meta", Header: []string{"X-Request-Id", "abc-12345"}, Heads: map[string]string{"X-Request-Id": "abc-12345"}},
	})
	t.Run("request id is replaced", func(t *testing.T) {
		rec := apitest.New(t).Get(t, "GET", "/api/v1/meta", "", "X-Request-Id", "<script>alert</script>")
		if id := rec.Header().Get("X-Request-Id"); strings.Contains(id, "<") {
			t.Errorf("kept %q", id)
		}
	})
	t.Run("large body", func(t *testing.T) {
		w := apitest.New(t)
		r := httptest.NewRequest("GET", "/api/v1/meta", strings.NewReader(strings.Repeat("a", 2<<20)))
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		if rec.Code != 413 || !strings.Contains(rec.Body.String(), "body_too_large") {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	})
}

func TestBroken(t *testing.T) {
	t.Parallel()
	t.Run("internal text stays inside", func(t *testing.T) {
		w := apitest.New(t)
		w.Spy.Err = errors.New("disk /var/secret is on fire")
		rec := apitest.Scenario{Path: "grants/transactions", Status: 500, Has: []string{"internal_error", "request_id"}, Lacks: []string{"secret"}, Costs: 1}.Run(t, w)
		if !strings.Contains(w.Log.String(), "secret") || !strings.Contains(w.Log.String(), rec.Header().Get("X-Request-Id")) {
			t.Errorf("the log says %s", w.Log)
		}
	})
	t.Run("unknown fault", func(t *testing.T) {
		w := apitest.New(t)
		w.Spy.Err = fault.New("odd", "the words of an unlisted fault")
		apitest.Scenario{Path: "grants/transactions", Status: 500, Lacks: []string{"unlisted"}, Costs: 1}.Run(t, w)
	})
	t.Run("panic", func(t *testing.T) {
		w := apitest.New(t)
		w.Spy.Err = errors.New("x")
		apitest.Scenario{Path: "grants/summary?support=program", Status: 500, Has: []string{"internal_error"}, Lacks: []string{"fell over"}, Costs: 1}.Run(t, w)
		if !strings.Contains(w.Log.String(), "fell over") {
			t.Errorf("the log says %s", w.Log)
		}
	})
	t.Run("timeout", func(t *testing.T) {
		w := apitest.New(t)
		w.Spy.Err = fmt.Errorf("scan: %w", context.DeadlineExceeded)
		apitest.Scenario{Path: "grants/transactions", Status: 503, Has: []string{"timed_out"}, Heads: map[string]string{"Retry-After": "*"}, Costs: 1}.Run(t, w)
	})
	t.Run("store down", func(t *testing.T) {
		w := apitest.New(t)
		w.Ledger.Fail = errors.New("database is locked")
		apitest.Scenario{Path: "grants/transactions", Status: 500, Lacks: []string{"locked"}}.Run(t, w)
	})
	t.Run("no dataset", func(t *testing.T) {
		w := apitest.New(t)
		w.Data = nil
		apitest.Scenario{Path: "grants/transactions", Status: 503, Has: []string{"no_dataset"}, Heads: map[string]string{"Retry-After": "30"}}.Run(t, w)
		apitest.Scenario{Path: "grants/transactions?example=1", Plan: "none"}.Run(t, w)
	})
}

func TestETag(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	first := apitest.Scenario{Path: "grants/summary?year=2020", Costs: 1, Heads: map[string]string{"ETag": "*"}}.Run(t, w)
	tag := first.Header().Get("ETag")
	apitest.Scenario{Path: "grants/summary?year=2020", Header: []string{"If-None-Match", tag}, Status: 304, Lacks: []string{"{"}, Heads: map[string]string{"ETag": tag, "X-Calls-Remaining": "49"}}.Run(t, w)
	apitest.Scenario{Path: "grants/summary?year=2020", Header: []string{"If-None-Match", `"x", ` + strings.TrimPrefix(tag, "W/")}, Status: 304}.Run(t, w)
	apitest.Scenario{Path: "/api/grants/summary?year=2020", Header: []string{"If-None-Match", tag}, Status: 304}.Run(t, w)
	lines := httptest.NewRequest("GET", "/api/v1/grants/summary?year=2020", nil)
	lines.Header = http.Header{"X-Api-Key": {"gg_test_free"}, "If-None-Match": {`"x"`, tag}}
	rec := httptest.NewRecorder()
	if w.ServeHTTP(rec, lines); rec.Code != 304 {
		t.Errorf("a second line of If-None-Match is not read: %d", rec.Code)
	}
	// The same question in other words has the same name; one that is warned of
	// something has another, because the warning is in the answer.
	for _, same := range []string{"year=2020-2020", "year=2020,2020", "min_year=2020&max_year=2020", "format=json&year=2020"} {
		apitest.Scenario{Path: "grants/summary?" + same, Header: []string{"If-None-Match", tag}, Status: 304}.Run(t, w)
	}
	apitest.Scenario{Path: "grants/summary?year=2020&yaer=2021", Header: []string{"If-None-Match", tag}, Costs: 1}.Run(t, w)
	apitest.Scenario{Path: "grants/summary?year=2021", Header: []string{"If-None-Match", tag}, Costs: 1}.Run(t, w)
	apitest.Scenario{Path: "grants/funders?year=2020", Header: []string{"If-None-Match", tag}, Costs: 1}.Run(t, w)
	apitest.Scenario{Path: "grants/funders?year=2020", Header: []string{"If-None-Match", "*"}, Costs: 1}.Run(t, w)
	apitest.Scenario{Path: "grants/summary?year=2020&format=xml", Header: []string{"If-None-Match", tag}, Costs: 1}.Run(t, w)
	// Examples are named as well, and cost nobody anything.
	shown := apitest.Scenario{Path: "grants/summary?example=1", Plan: "none", Heads: map[string]string{"ETag": "*"}}.Run(t, w).Header().Get("ETag")
	apitest.Scenario{Path: "grants/summary?example=1", Plan: "none", Header: []string{"If-None-Match", shown}, Status: 304, Lacks: []string{"{"}, Heads: map[string]string{"Cache-Control": "public, max-age=3600"}}.Run(t, w)
	apitest.Scenario{Path: "grants/summary?example=1&format=xml", Plan: "none", Header: []string{"If-None-Match", shown}, Has: []string{"<response>"}}.Run(t, w)
	apitest.Scenario{Path: "grants/summary?example=unsupported", Plan: "none", Header: []string{"If-None-Match", shown}}.Run(t, w)
	apitest.Scenario{Path: "grants/summary?example=strict", Plan: "none", Status: 400, Heads: map[string]string{"ETag": ""}}.Run(t, w)
	// A spent key may still learn that nothing changed.
	apitest.Scenario{Path: "grants/summary?year=2020", Plan: "spent", Header: []string{"If-None-Match", tag}, Status: 304}.Run(t, w)
	w.Data.Manifest.Version = "20260201T000000Z"
	apitest.Scenario{Path: "grants/summary?year=2020", Header: []string{"If-None-Match", tag}, Costs: 1}.Run(t, w)
}
