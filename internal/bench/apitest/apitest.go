// Package apitest is what the tests of the API share: a service over invented parts that remembers what it
// was asked, one over a built world, and requests written as data. It is for tests only.
package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/lists"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/graph"
)

const (
	Base       = "https://grants.example.org"
	AdminToken = "a token only for tests"
)

// Ledger is a store of one key per plan, in memory: gg_test_ and the plan.
type Ledger struct {
	mu      sync.Mutex
	spent   map[string]int
	screens map[string]bool
	Fail    error
	Account string // that all keys belong to
	Broke   string // the key that has no calls left
}

func NewLedger() *Ledger { return &Ledger{spent: map[string]int{}, screens: map[string]bool{}} }

func (l *Ledger) Authenticate(_ context.Context, secret string) (account.KeyInfo, error) {
	if l.Fail != nil {
		return account.KeyInfo{}, l.Fail
	}
	plan, ok := strings.CutPrefix(secret, "gg_test_")
	if !ok {
		return account.KeyInfo{}, &fault.Fault{Slug: "unknown_key", Message: "This key is not recognized.", Err: account.ErrUnknownKey}
	}
	k := account.KeyInfo{ID: plan, Plan: account.Plan(plan), Active: plan != "inactive", Account: l.Account}
	if plan == "spent" || plan == "inactive" {
		k.Plan = account.Free
	}
	return k, nil
}

func (l *Ledger) Balance(_ context.Context, id string) (account.Balance, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := account.Balance{Limit: 50, Remaining: 50 - l.spent[id], Reset: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)}
	if id == "spent" || id == l.Broke {
		b.Remaining = 0
	}
	return b, nil
}

func (l *Ledger) Charge(ctx context.Context, id string, cost int) (account.Balance, error) {
	if id == "spent" || id == l.Broke {
		b, _ := l.Balance(ctx, id)
		return b, &fault.Fault{Slug: "quota_exhausted", Message: "Daily limit reached: 50 calls a day on the free plan.", Err: account.ErrSpent}
	}
	l.mu.Lock()
	l.spent[id] += cost
	l.mu.Unlock()
	return l.Balance(ctx, id)
}

func (l *Ledger) TakeScreen(_ context.Context, id string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.screens[id]
	l.screens[id] = true
	return first, nil
}

func (l *Ledger) ReturnScreen(_ context.Context, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.screens, id)
	return nil
}

func (l *Ledger) Screened(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.screens[id]
}

func (l *Ledger) Calls(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent[id]
}

// Spy is the graph of the examples that remembers the last question and has many rows to page through.
type Spy struct {
	example.Graph
	mu     sync.Mutex
	Filter *graph.Filter
	Sort   graph.Sort
	Page   graph.Page
	Hits   int64
	Err    error
}

func (s *Spy) note(f *graph.Filter, sort graph.Sort, p graph.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Filter, s.Sort, s.Page = f, sort, p
}

// Transactions has as many rows as Hits says.
func (s *Spy) Transactions(ctx context.Context, f *graph.Filter, sort graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	s.note(f, sort, p)
	if s.Err != nil {
		return nil, 0, s.Err
	}
	if s.Hits == 0 {
		return s.Graph.Transactions(ctx, &graph.Filter{}, sort, p)
	}
	var rows []graph.Grant
	for i := int64(p.Offset); i < s.Hits && len(rows) < p.Limit; i++ {
		g := s.Rows[i%int64(len(s.Rows))]
		g.Key = fmt.Sprint("key-", i)
		rows = append(rows, g)
	}
	return rows, s.Hits, nil
}

func (s *Spy) Funders(ctx context.Context, f *graph.Filter, sort graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error) {
	s.note(f, sort, p)
	return s.Graph.Funders(ctx, &graph.Filter{}, sort, p)
}

func (s *Spy) Recipients(ctx context.Context, f *graph.Filter, sort graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error) {
	s.note(f, sort, p)
	return s.Graph.Recipients(ctx, &graph.Filter{}, sort, p)
}

// Summary is that of the examples. With an error and a filter by support it panics.
func (s *Spy) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	s.note(f, graph.Sort{}, graph.Page{})
	if f.Support != 0 && s.Err != nil {
		panic("the graph fell over")
	}
	return s.Graph.Summary(ctx, &graph.Filter{})
}

func (s *Spy) Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error) {
	s.note(f, graph.Sort{}, graph.Page{Limit: top})
	return s.Graph.Groups(ctx, &graph.Filter{}, by, top)
}

// WiderBasis is the same for every subject.
func (s *Spy) WiderBasis(_ context.Context, f *graph.Filter) (graph.Cost, error) {
	if f.Subject.Empty() || f.SubjectBasis == ntee.Any {
		return graph.Cost{}, nil
	}
	return graph.Cost{Grants: 3, Amount: 45_000}, nil
}

func (s *Spy) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 3, nil }

func (s *Spy) Excluded(context.Context, *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return map[graph.Class]graph.Cost{graph.DAF: {Grants: 1, Amount: 5000}, graph.Individuals: {}}, nil
}

type World struct {
	*api.Handler
	Spy      *Spy // nil over a built world
	Ledger   *Ledger
	Data     *serve.Dataset
	Log      *strings.Builder
	Acquired atomic.Int64 // datasets that are held
}

// New is a service over a Spy, with every operation.
func New(t testing.TB) *World {
	t.Helper()
	w := &World{Data: serve.Invented()}
	w.Spy = &Spy{Graph: example.Grants()}
	w.Spy.Rows = slices.Clone(w.Spy.Rows) // tests change them
	w.Data.Graph = w.Spy
	return w.open(t, serve.API{Agents: example.Store{}, Registry: example.Store{}, Examiner: example.Store{}, SQL: true,
		Lists: struct{ lists.Store }{}, Watcher: struct{ lists.Watcher }{}, // only examples ask for lists
		Operators: operators{}, Desk: emptyDesk{}})
}

// Over is a service over a dataset, with the operations that need no store of agents.
func Over(t testing.TB, d *serve.Dataset) *World {
	t.Helper()
	return (&World{Data: d}).open(t, serve.API{SQL: true})
}

func (w *World) open(t testing.TB, c serve.API) *World {
	t.Helper()
	w.Ledger, w.Log = NewLedger(), &strings.Builder{}
	c.Ring = example.Ring()
	c.Config = api.Config{
		BaseURL: Base + "/", Accounts: w.Ledger, Log: slog.New(slog.NewTextHandler(w.Log, nil)), Acquire: w.Acquire, Clock: example.Now,
	}
	if c.Registry != nil {
		c.AdminToken = secret.New(AdminToken)
	}
	return w.Reopen(t, c)
}

func (w *World) Acquire() (api.Dataset, func()) {
	w.Acquired.Add(1)
	release := func() { w.Acquired.Add(-1) }
	if w.Data == nil {
		return nil, release
	}
	return w.Data, release
}

func (w *World) Reopen(t testing.TB, c serve.API) *World {
	t.Helper()
	h, err := serve.NewAPI(c)
	if err != nil {
		t.Fatal(err)
	}
	w.Handler = h
	return w
}

func (w *World) Get(t testing.TB, method, path, plan string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	return w.Send(t, method, path, plan, "", header...)
}

func (w *World) Send(t testing.TB, method, path, plan, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if plan != "" {
		r.Header.Set("X-API-Key", "gg_test_"+plan)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	if n := w.Acquired.Load(); n != 0 {
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

type Scenario struct {
	Name   string
	Method string // GET when empty
	Path   string // /api/v1 is put in front unless it begins with a slash
	Plan   string // free when empty, none for no key
	Header []string
	Body   string
	Status int // 200 when 0
	Has    []string
	Lacks  []string
	Heads  map[string]string // exact; "*" for any, "" for absent
	Costs  int
}

func (s Scenario) Run(t *testing.T, w *World) *httptest.ResponseRecorder {
	t.Helper()
	method, path, plan := s.Method, s.Path, s.Plan
	method = cmp.Or(method, http.MethodGet)
	if !strings.HasPrefix(path, "/") {
		path = api.Versioned + "/" + path
	}
	switch plan {
	case "":
		plan = "free"
	case "none":
		plan = ""
	}
	before := w.Ledger.Calls(plan)
	rec := w.Send(t, method, path, plan, s.Body, s.Header...)
	body := rec.Body.String()
	want := cmp.Or(s.Status, 200)
	if rec.Code != want {
		t.Errorf("status %d, want %d: %s", rec.Code, want, body)
	}
	for _, x := range s.Has {
		if !strings.Contains(body, x) {
			t.Errorf("the answer lacks %s:\n%s", x, body)
		}
	}
	for _, x := range s.Lacks {
		if strings.Contains(body, x) {
			t.Errorf("the answer has %s:\n%s", x, body)
		}
	}
	for name, value := range s.Heads {
		got := rec.Header().Get(name)
		if value == "*" && got == "" || value != "*" && got != value {
			t.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
	if plan != "" {
		if cost := w.Ledger.Calls(plan) - before; cost != s.Costs {
			t.Errorf("it cost %d calls, want %d", cost, s.Costs)
		}
	}
	Declared(t, method, path, rec.Code)
	return rec
}

// RunAll sends each request to a service of its own.
func RunAll(t *testing.T, list []Scenario) {
	t.Helper()
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			s.Run(t, New(t))
		})
	}
}

func Operations(t testing.TB) (all []api.Operation) {
	t.Helper()
	examples, err := serve.Examples(Base)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range examples.Groups {
		for _, op := range g.Operations {
			op.Tag = g.Tag
			all = append(all, op)
		}
	}
	return all
}

// Cases are all examples of an operation that the service lists, those that every operation has included.
func (w *World) Cases(t testing.TB, op *api.Operation) []api.Example {
	t.Helper()
	plain := op.Examples[0]
	path := api.Versioned + op.Path
	for name, value := range plain.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	all := slices.Clone(op.Examples)
	for _, c := range Unmarshal[client.ExampleList](t, w.Send(t, op.Method, path+"?example=list", "", "")).Results {
		if slices.ContainsFunc(all, func(e api.Example) bool { return e.Case == c.Case }) {
			continue
		}
		_, query, _ := strings.Cut(c.Request, "?")
		all = append(all, api.Example{Case: c.Case, Description: c.Description, Query: query, Path: plain.Path, Body: plain.Body})
	}
	return all
}

// described are the operations of the OpenAPI document by their path.
var described = sync.OnceValues(func() (paths map[string]map[string]struct {
	Responses map[string]json.RawMessage `json:"responses"`
}, err error) {
	for _, document := range []func(string) ([]byte, error){serve.OpenAPI, serve.AdminOpenAPI} {
		raw, err := document(Base)
		if err != nil {
			return nil, err
		}
		doc := struct{ Paths any }{&paths} // a second document adds to the map
		if err := json.Unmarshal(raw, &doc); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("the OpenAPI documents have no paths")
	}
	return paths, nil
})

// Declared checks that an operation answers only with statuses that the OpenAPI document has for it.
// Addresses that are no operations, of the legacy form, and of the description itself are not checked.
func Declared(t testing.TB, method, path string, status int) {
	t.Helper()
	paths, err := described()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ = strings.Cut(path, "?")
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for pattern, operations := range paths {
		op, ok := operations[strings.ToLower(method)]
		if ok && fits(pattern, strings.TrimSuffix(path, "/")) && op.Responses[strconv.Itoa(status)] == nil {
			t.Errorf("%s %s answered %d, which is not declared", method, pattern, status)
		}
	}
}

// fits reports whether a path is one of a pattern such as /keys/{id}.
func fits(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}

func Unmarshal[T any](t testing.TB, rec *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	return v
}

func Bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// operators find nothing, and the keys that they make are not kept.
type operators struct{ example.Store }

func (operators) View(context.Context, string, map[string]any) ([]account.Row, error) {
	return []account.Row{{JSON: []byte("{}")}}, nil
}
func (operators) Audit(context.Context, account.Event) error { return nil }
func (o operators) Create(ctx context.Context, _ account.Plan, _, _ string) (string, account.KeyInfo, error) {
	k, err := o.Find(ctx, "")
	return example.Key, k, err
}
func (o operators) CreateFor(ctx context.Context, _, _ string) (string, account.KeyInfo, error) {
	return o.Create(ctx, "", "", "")
}
func (o operators) Rotate(ctx context.Context, _ string) (string, account.KeyInfo, error) {
	return o.Create(ctx, "", "", "")
}
func (o operators) Delete(ctx context.Context, id string) (account.KeyInfo, error) {
	return o.Find(ctx, id)
}
func (operators) Invite(context.Context, string) (token string, a account.Account, err error) { return }
func (operators) AcceptCorrection(context.Context, string, func(string) error) (row string, err error) {
	return
}
func (operators) RejectCorrection(context.Context, string, string) error { return nil }

type emptyDesk struct{}

func (emptyDesk) StatusJSON(context.Context) (json.RawMessage, error)                    { return []byte("{}"), nil }
func (emptyDesk) Rulings() func(string) error                                            { return nil }
func (emptyDesk) Datasets() (list []json.RawMessage, err error)                          { return }
func (emptyDesk) Publish(string, func(string) error) (err error)                         { return }
func (emptyDesk) Deliver(context.Context, string, string, bool) (link string, err error) { return }
