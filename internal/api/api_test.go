package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/fault"
	"grantgraph/internal/graph"
	"grantgraph/internal/secret"
)

const (
	base       = "https://grants.example.org"
	adminToken = "a token only for tests"
)

// ledger is a store of one key per plan, in memory.
type ledger struct {
	mu      sync.Mutex
	spent   map[string]int
	fail    error
	account string // that all keys belong to
	broke   string // the key that has no calls left
}

// The keys of the ledger by the plan they stand for.
func (l *ledger) Authenticate(_ context.Context, secret string) (account.KeyInfo, error) {
	if l.fail != nil {
		return account.KeyInfo{}, l.fail
	}
	plan, ok := strings.CutPrefix(secret, "gg_test_")
	if !ok {
		return account.KeyInfo{}, &fault.Fault{Slug: "unknown_key", Message: "This key is not recognized.", Err: account.ErrUnknownKey}
	}
	k := account.KeyInfo{ID: plan, Plan: account.Plan(plan), Active: plan != "inactive", Account: l.account}
	if plan == "spent" || plan == "inactive" {
		k.Plan = account.Free
	}
	return k, nil
}

func (l *ledger) Balance(_ context.Context, id string) (account.Balance, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := account.Balance{Limit: 50, Remaining: 50 - l.spent[id], Reset: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)}
	if id == "spent" || id == l.broke {
		b.Remaining = 0
	}
	return b, nil
}

func (l *ledger) Charge(ctx context.Context, id string, cost int) (account.Balance, error) {
	if id == "spent" || id == l.broke {
		b, _ := l.Balance(ctx, id)
		return b, &fault.Fault{Slug: "quota_exhausted", Message: "The allowance of this key is spent: 50 calls a day on the free plan.", Err: account.ErrSpent}
	}
	l.mu.Lock()
	l.spent[id] += cost
	l.mu.Unlock()
	return l.Balance(ctx, id)
}

func (l *ledger) calls(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent[id]
}

// spy is the fixture's graph that remembers the last question and has many
// rows to page through.
type spy struct {
	fixtureGraph
	mu     sync.Mutex
	filter *graph.Filter
	sort   graph.Sort
	page   graph.Page
	hits   int64
	err    error
}

func (s *spy) note(f *graph.Filter, sort graph.Sort, p graph.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filter, s.sort, s.page = f, sort, p
}

func (s *spy) Transactions(ctx context.Context, f *graph.Filter, sort graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	s.note(f, sort, p)
	if s.err != nil {
		return nil, 0, s.err
	}
	if s.hits == 0 {
		return s.fixtureGraph.Transactions(ctx, &graph.Filter{}, sort, p)
	}
	var rows []graph.Grant
	for i := int64(p.Offset); i < s.hits && len(rows) < p.Limit; i++ {
		g := s.grants[i%int64(len(s.grants))]
		g.Key = fmt.Sprint("key-", i)
		rows = append(rows, g)
	}
	return rows, s.hits, nil
}

func (s *spy) Funders(ctx context.Context, f *graph.Filter, sort graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error) {
	s.note(f, sort, p)
	return s.fixtureGraph.Funders(ctx, &graph.Filter{}, sort, p)
}

func (s *spy) Recipients(ctx context.Context, f *graph.Filter, sort graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error) {
	s.note(f, sort, p)
	return s.fixtureGraph.Recipients(ctx, &graph.Filter{}, sort, p)
}

func (s *spy) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	s.note(f, graph.Sort{}, graph.Page{})
	if f.Support != 0 && s.err != nil {
		panic("the graph fell over")
	}
	return s.fixtureGraph.Summary(ctx, &graph.Filter{})
}

func (s *spy) Excluded(context.Context, *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return map[graph.Class]graph.Cost{graph.DAF: {Grants: 1, Amount: 5000}, graph.Individuals: {}}, nil
}

// world is a server over a spy.
type world struct {
	http.Handler
	spy      *spy
	ledger   *ledger
	data     *Dataset
	log      *strings.Builder
	acquired atomic.Int64
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{ledger: &ledger{spent: map[string]int{}}, data: fixture(), log: &strings.Builder{}}
	w.spy = &spy{fixtureGraph: w.data.Graph.(fixtureGraph)}
	w.data.Graph = w.spy
	h, err := New(Config{
		BaseURL: base + "/", Accounts: w.ledger, Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Acquire: func() (*Dataset, func()) {
			w.acquired.Add(1)
			return w.data, func() { w.acquired.Add(-1) }
		},
		Agents: exampleStore{}, Registry: exampleStore{}, Examiner: exampleStore{}, AdminToken: secret.New(adminToken), SQL: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Handler = h
	return w
}

// TestPinnedToTheLastByte holds the dataset while the answer is written, and no
// longer.
func TestPinnedToTheLastByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/api/v1/grants/transactions", "/api/v1/grants/transactions?format=csv", "/api/v1/grants/transactions?format=ndjson", "/api/v1/meta", "/api/v1/nothing", "/api/v1/grants/summary?year=x"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-API-Key", "gg_test_pro")
		rec := &pinnedRecorder{ResponseRecorder: httptest.NewRecorder(), acquired: &w.acquired}
		w.ServeHTTP(rec, r)
		if rec.least != 1 || w.acquired.Load() != 0 {
			t.Errorf("%s: %d datasets are held while it is written, %d afterwards", path, rec.least, w.acquired.Load())
		}
		if got := rec.Header().Get("X-Dataset-Version"); got != w.data.Manifest.Version {
			t.Errorf("%s is stamped %q", path, got)
		}
	}
	// An example is of the invented dataset, and says so.
	rec := w.get(t, "GET", "/api/v1/grants/summary?example=1&format=csv", "")
	if got := rec.Header().Get("X-Dataset-Version"); got != fixture().Manifest.Version {
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

// get sends a request with the key of a plan, or none.
func (w *world) get(t testing.TB, method, path, plan string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	if plan != "" {
		r.Header.Set("X-API-Key", "gg_test_"+plan)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	if n := w.acquired.Load(); n != 0 {
		t.Errorf("%s: %d datasets were not given back", path, n)
	}
	if rec.Header().Get("X-Request-Id") == "" || rec.Header().Get("Link") == "" {
		t.Errorf("%s: X-Request-Id or Link is missing", path)
	}
	for name := range rec.Header() {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: sent the CORS header %s", path, name)
		}
	}
	return rec
}

// scenario is a request and what must be true of its answer.
type scenario struct {
	name   string
	method string // GET when empty
	path   string // /api/v1 is put in front unless it begins with a slash and api
	plan   string // free when empty, none for no key
	header []string
	status int // 200 when 0
	has    []string
	lacks  []string
	heads  map[string]string // exact; "*" for any, "" for absent
	costs  int
}

func (s scenario) run(t *testing.T, w *world) *httptest.ResponseRecorder {
	t.Helper()
	method, path, plan := s.method, s.path, s.plan
	if method == "" {
		method = http.MethodGet
	}
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	switch plan {
	case "":
		plan = "free"
	case "none":
		plan = ""
	}
	before := w.ledger.calls(plan)
	rec := w.get(t, method, path, plan, s.header...)
	body := rec.Body.String()
	want := s.status
	if want == 0 {
		want = 200
	}
	if rec.Code != want {
		t.Errorf("status %d, want %d: %s", rec.Code, want, body)
	}
	for _, x := range s.has {
		if !strings.Contains(body, x) {
			t.Errorf("the answer lacks %s:\n%s", x, body)
		}
	}
	for _, x := range s.lacks {
		if strings.Contains(body, x) {
			t.Errorf("the answer has %s:\n%s", x, body)
		}
	}
	for name, value := range s.heads {
		got := rec.Header().Get(name)
		if value == "*" && got == "" || value != "*" && got != value {
			t.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
	if plan != "" {
		if cost := w.ledger.calls(plan) - before; cost != s.costs {
			t.Errorf("it cost %d calls, want %d", cost, s.costs)
		}
	}
	declared(t, method, path, rec.Code)
	return rec
}

// declared checks that an operation answers only statuses its entry declares.
func declared(t *testing.T, method, path string, status int) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	ops, _ := allRoutes().find(path)
	op := choose(ops, method)
	if op == nil || status == 200 || status == 304 {
		return
	}
	for _, slug := range op.failures() {
		if statusOf(slug) == status {
			return
		}
	}
	t.Errorf("%s answered %d, which its entry does not declare", op.ID, status)
}

func runAll(t *testing.T, list []scenario) {
	t.Helper()
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, newWorld(t))
		})
	}
}

// unmarshal reads a JSON answer.
func unmarshal[T any](t *testing.T, rec *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	return v
}

func TestNew(t *testing.T) {
	t.Parallel()
	acquire := func() (*Dataset, func()) { return nil, func() {} }
	for _, c := range []Config{
		{BaseURL: "", Accounts: &ledger{}, Acquire: acquire},
		{BaseURL: "ftp://x", Accounts: &ledger{}, Acquire: acquire},
		{BaseURL: base, Acquire: acquire},
		{BaseURL: base, Accounts: &ledger{}},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	runAll(t, []scenario{
		{name: "search needs no key", path: "search?q=example", plan: "none", has: []string{`"mode":"text"`, `"ein":"000000001"`, `"url":"https://grants.example.org/org/000000001/example-community-foundation"`},
			heads: map[string]string{"X-Calls-Limit": "", "Cache-Control": "public, max-age=300"}},
		{name: "meta needs no key", path: "meta", plan: "none", has: []string{`"version":"20260101T000000Z"`}},
		{name: "no key", path: "grants/summary", plan: "none", status: 401, has: []string{`"error":"no_key"`, `"code":401`, `"request_id"`}, heads: map[string]string{"WWW-Authenticate": "*", "Cache-Control": "no-store"}},
		{name: "unknown key", path: "grants/summary", plan: "none", header: []string{"X-API-Key", "nonsense"}, status: 401, has: []string{`"error":"unknown_key"`}},
		{name: "basic is no key", path: "grants/summary", plan: "none", header: []string{"Authorization", "Basic abc"}, status: 401, has: []string{"no_key"}},
		{name: "bearer", path: "grants/summary", plan: "none", header: []string{"Authorization", "bearer gg_test_plus"}},
		{name: "free key", path: "grants/summary", costs: 1, heads: map[string]string{"X-Calls-Limit": "50", "X-Calls-Remaining": "49", "X-Calls-Reset": "2026-11-16T00:00:00Z", "Cache-Control": "private, max-age=300"}},
		{name: "pro key", path: "grants/funders", plan: "pro", costs: 1},
		{name: "spent", path: "grants/summary", plan: "spent", status: 402, has: []string{`"error":"quota_exhausted"`, "spent"}, heads: map[string]string{"X-Calls-Remaining": "0"}},
		{name: "inactive", path: "grants/summary", plan: "inactive", status: 402, has: []string{`"error":"account_inactive"`}},
		{name: "refused requests are free", path: "grants/summary?year=abc", status: 422, heads: map[string]string{"X-Calls-Remaining": "50"}},
		{name: "strict refusals are free", path: "grants/summary?nonsense=1&strict=1", status: 400},
		{name: "the key is looked at first", path: "grants/summary?year=abc", plan: "none", status: 401},
		{name: "even when the query is broken", path: "grants/summary?year=%zz", plan: "none", status: 401},
		{name: "a broken query tells the balance", path: "grants/summary?year=%zz", status: 400, has: []string{"malformed_query"}, heads: map[string]string{"X-Calls-Limit": "50", "X-Calls-Remaining": "50"}},
		{name: "so do too many parameters", path: "grants/summary?" + strings.Repeat("year=2020&", 101), status: 400, has: []string{"too_many_parameters"}, heads: map[string]string{"X-Calls-Remaining": "50"}},
		{name: "a broken example needs no key", path: "grants/summary?example=1&year=%zz", plan: "none", status: 400, has: []string{"malformed_query"}},
	})
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	runAll(t, []scenario{
		{name: "legacy alias", path: "/api/grants/summary", costs: 1, has: []string{`"by_year"`}},
		{name: "trailing slash", path: "/api/v1/meta/"},
		{name: "unknown", path: "nothing", status: 404, has: []string{`"error":"not_found"`, `"code":404`}},
		{name: "a key in an unknown path is not repeated", path: "nothing/gg_p_verysecret", status: 404, has: []string{"nothing/gg_…"}, lacks: []string{"verysecret"}},
		{name: "nor when it is escaped", path: "nothing/gg%255fp_verysecret", status: 404, has: []string{"nothing/gg_…"}, lacks: []string{"verysecret"}},
		{name: "nor where the method is another", method: "BREW", path: "admin/keys/gg_p_verysecret", status: 405, has: []string{"keys/gg_…"}, lacks: []string{"verysecret"}},
		{name: "unknown version", path: "/api/v2/meta", status: 404},
		{name: "outside", path: "/else", status: 404},
		{name: "method", method: "POST", path: "meta", status: 405, has: []string{"method_not_allowed"}, heads: map[string]string{"Allow": "GET, HEAD"}},
		{name: "odd method", method: "BREW", path: "grants/funders", status: 405, heads: map[string]string{"Allow": "GET, HEAD"}},
		{name: "options has no CORS", method: "OPTIONS", path: "grants/funders", status: 405},
		{name: "head", method: "HEAD", path: "grants/funders", costs: 1, lacks: []string{"{"}, heads: map[string]string{"Content-Length": "*"}},
		{name: "long address", path: "meta?x=" + strings.Repeat("a", 70_000), status: 414, has: []string{"uri_too_long"}},
		{name: "large headers", path: "meta", header: []string{"X-Large", strings.Repeat("a", 70_000)}, status: 431, has: []string{"headers_too_large"}},
		{name: "bad escape", path: "meta?x=%zz", status: 400, has: []string{"malformed_query"}},
		{name: "semicolon", path: "meta?x=1;y=2", status: 400, has: []string{"malformed_query"}},
		{name: "many parameters", path: "meta?" + strings.Repeat("a=1&", 101), status: 400, has: []string{"too_many_parameters"}},
		{name: "openapi by the legacy alias", path: "/api/openapi.json", plan: "none", has: []string{`"openapi": "3.1.0"`}},
		{name: "openapi", path: "/openapi.json", plan: "none", has: []string{`"openapi": "3.1.0"`}, heads: map[string]string{"ETag": "*", "Content-Type": "application/json; charset=utf-8"}},
		{name: "openapi by its type", path: "/openapi.json", plan: "none", header: []string{"Accept", "application/vnd.oai.openapi+json"}, heads: map[string]string{"Content-Type": "application/vnd.oai.openapi+json; charset=utf-8"}},
		{name: "openapi by post", method: "POST", path: "/openapi.json", status: 405, heads: map[string]string{"Allow": "GET, HEAD"}},
		{name: "llms", path: "/llms.txt", plan: "none", has: []string{"# Grantgraph", "- [GET /grants/transactions](" + base + "/api/v1/grants/transactions?example=1): ", "- POST /sql: ", "costs 1 call.", "quota_exhausted"}},
		{name: "catalog", path: "/.well-known/api-catalog", plan: "none", has: []string{"linkset", "/openapi.json"}},
		{name: "listing", path: "/api/v1", plan: "none", has: []string{`"operations":[`, `"access":"grants"`, `"example":"` + base + `/api/v1/admin/keys/` + exampleKeyID + `?example=1"`}},
		{name: "request id is kept", path: "meta", header: []string{"X-Request-Id", "abc-12345"}, heads: map[string]string{"X-Request-Id": "abc-12345"}},
	})
	t.Run("request id is replaced", func(t *testing.T) {
		rec := newWorld(t).get(t, "GET", "/api/v1/meta", "", "X-Request-Id", "<script>alert</script>")
		if id := rec.Header().Get("X-Request-Id"); strings.Contains(id, "<") {
			t.Errorf("kept %q", id)
		}
	})
	t.Run("large body", func(t *testing.T) {
		w := newWorld(t)
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
		w := newWorld(t)
		w.spy.err = errors.New("disk /var/secret is on fire")
		rec := scenario{path: "grants/transactions", status: 500, has: []string{"internal_error", "request_id"}, lacks: []string{"secret"}, costs: 1}.run(t, w)
		if !strings.Contains(w.log.String(), "secret") || !strings.Contains(w.log.String(), rec.Header().Get("X-Request-Id")) {
			t.Errorf("the log says %s", w.log)
		}
	})
	t.Run("unknown fault", func(t *testing.T) {
		w := newWorld(t)
		w.spy.err = fault.New("odd", "the words of an unlisted fault")
		scenario{path: "grants/transactions", status: 500, lacks: []string{"unlisted"}, costs: 1}.run(t, w)
	})
	t.Run("panic", func(t *testing.T) {
		w := newWorld(t)
		w.spy.err = errors.New("x")
		scenario{path: "grants/summary?support=program", status: 500, has: []string{"internal_error"}, lacks: []string{"fell over"}, costs: 1}.run(t, w)
		if !strings.Contains(w.log.String(), "fell over") {
			t.Errorf("the log says %s", w.log)
		}
	})
	t.Run("timeout", func(t *testing.T) {
		w := newWorld(t)
		w.spy.err = fmt.Errorf("scan: %w", context.DeadlineExceeded)
		scenario{path: "grants/transactions", status: 503, has: []string{"timed_out"}, heads: map[string]string{"Retry-After": "*"}, costs: 1}.run(t, w)
	})
	t.Run("store down", func(t *testing.T) {
		w := newWorld(t)
		w.ledger.fail = errors.New("database is locked")
		scenario{path: "grants/transactions", status: 500, lacks: []string{"locked"}}.run(t, w)
	})
	t.Run("no dataset", func(t *testing.T) {
		w := newWorld(t)
		w.data = nil
		scenario{path: "grants/transactions", status: 503, has: []string{"no_dataset"}, heads: map[string]string{"Retry-After": "30"}}.run(t, w)
		scenario{path: "grants/transactions?example=1", plan: "none"}.run(t, w)
	})
}

func TestETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := scenario{path: "grants/summary?year=2020", costs: 1, heads: map[string]string{"ETag": "*"}}.run(t, w)
	tag := first.Header().Get("ETag")
	scenario{path: "grants/summary?year=2020", header: []string{"If-None-Match", tag}, status: 304, lacks: []string{"{"}, heads: map[string]string{"ETag": tag, "X-Calls-Remaining": "49"}}.run(t, w)
	scenario{path: "grants/summary?year=2020", header: []string{"If-None-Match", `"x", ` + strings.TrimPrefix(tag, "W/")}, status: 304}.run(t, w)
	scenario{path: "/api/grants/summary?year=2020", header: []string{"If-None-Match", tag}, status: 304}.run(t, w)
	lines := httptest.NewRequest("GET", "/api/v1/grants/summary?year=2020", nil)
	lines.Header = http.Header{"X-Api-Key": {"gg_test_free"}, "If-None-Match": {`"x"`, tag}}
	rec := httptest.NewRecorder()
	if w.ServeHTTP(rec, lines); rec.Code != 304 {
		t.Errorf("a second line of If-None-Match is not read: %d", rec.Code)
	}
	scenario{path: "grants/summary?year=2021", header: []string{"If-None-Match", tag}, costs: 1}.run(t, w)
	scenario{path: "grants/funders?year=2020", header: []string{"If-None-Match", tag}, costs: 1}.run(t, w)
	scenario{path: "grants/summary?year=2020&format=xml", header: []string{"If-None-Match", tag}, costs: 1}.run(t, w)
	// Examples are named as well, and cost nobody anything.
	shown := scenario{path: "grants/summary?example=1", plan: "none", heads: map[string]string{"ETag": "*"}}.run(t, w).Header().Get("ETag")
	scenario{path: "grants/summary?example=1", plan: "none", header: []string{"If-None-Match", shown}, status: 304, lacks: []string{"{"}, heads: map[string]string{"Cache-Control": "public, max-age=3600"}}.run(t, w)
	scenario{path: "grants/summary?example=1&format=xml", plan: "none", header: []string{"If-None-Match", shown}, has: []string{"<response>"}}.run(t, w)
	scenario{path: "grants/summary?example=unsupported", plan: "none", header: []string{"If-None-Match", shown}}.run(t, w)
	scenario{path: "grants/summary?example=strict", plan: "none", status: 400, heads: map[string]string{"ETag": ""}}.run(t, w)
	// A spent key may still learn that nothing changed.
	scenario{path: "grants/summary?year=2020", plan: "spent", header: []string{"If-None-Match", tag}, status: 304}.run(t, w)
	w.data.Manifest.Version = "20260201T000000Z"
	scenario{path: "grants/summary?year=2020", header: []string{"If-None-Match", tag}, costs: 1}.run(t, w)
}
