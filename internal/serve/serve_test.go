package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/sqlbox/worker"
)

// TestMain is a SQL worker when a server starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(world.Main(m))
}

// publish makes a world the current snapshot of a data directory.
func publish(t testing.TB, data string, w world.World) string {
	t.Helper()
	return w.Publish(t, data).Manifest.Version
}

// start serves a data directory until the test ends.
func start(t *testing.T, data string) *Server {
	t.Helper()
	return startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler)})
}

// startWith is start with further options.
func startWith(t testing.TB, opt Options) *Server {
	t.Helper()
	opt.Addr, opt.Admin, opt.Poll = "127.0.0.1:0", "127.0.0.1:0", 10*time.Millisecond
	s, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		s.Close()
	})
	return s
}

// idle is a server that listens to nobody and looks for nothing new until it is
// told to.
func idle(t *testing.T, data string, log slog.Handler) *Server {
	t.Helper()
	s, err := Open(Options{Data: data, BaseURL: "http://localhost", Log: slog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func get(url, key string) (status int, body string, err error) {
	return send(http.MethodGet, url, key, nil)
}

// send makes one request and reads the answer.
func send(method, url, key string, content io.Reader) (status int, body string, err error) {
	r, err := http.NewRequest(method, url, content)
	if err != nil {
		return 0, "", err
	}
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(b), err
}

func TestServe(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := publish(t, data, world.Small)
	s := start(t, data)
	key, _, err := s.Store().Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	admin := "http://" + s.entrance.admin.Addr().String()
	for _, tc := range []struct {
		url, key string
		status   int
		want     string
	}{
		{s.URL() + "/", "", 200, "Who funds whom"},
		{s.URL() + "/data", "", 200, "OFAC sanctions list"},
		{s.URL() + "/data", "", 200, "exact name, the only one in its state"},
		{s.URL() + "/static/style.css", "", 200, "--paper"},
		{s.URL() + "/nowhere", "", 404, "Page not found"},
		{s.URL() + "/org/12", "", 404, "Page not found"},
		{s.URL() + "/api/v1/meta", "", 200, version},
		{s.URL() + "/api/v1/search?q=foundation", "", 200, `"results"`},
		{s.URL() + "/api/v1/grants/summary", "", 401, "no_key"},
		{s.URL() + "/api/v1/grants/summary", key, 200, "grant_count"},
		{s.URL() + "/api/grants/summary", key, 200, "grant_count"},
		{s.URL() + "/api/v1/nothing", "", 404, `"code":404`},
		{s.URL() + "/api/v1/meta?x=" + strings.Repeat("a", 100_000), "", 414, `"error":"uri_too_long"`},
		{s.URL() + "/api/v1/meta", strings.Repeat("a", 100_000), 431, `"error":"headers_too_large"`},
		{s.URL() + "/openapi.json", "", 200, "3.1"},
		{s.URL() + "/healthz", "", 200, "ok"},
		{s.URL() + "/readyz", "", 200, version},
		{s.URL() + "/metrics", "", 404, "Page not found"},
		{admin + "/metrics", "", 200, "grantgraph_requests_total"},
		{admin + "/metrics", "", 200, "grantgraph_memory_held_bytes 0"},
		{admin + "/readyz", "", 200, version},
	} {
		status, body, err := get(tc.url, tc.key)
		if err != nil || status != tc.status || !strings.Contains(strings.ReplaceAll(body, " ", ""), strings.ReplaceAll(tc.want, " ", "")) {
			t.Errorf("%s: %d, %v, %.300s", tc.url, status, err, body)
		}
	}
	for _, path := range []string{"/", "/nowhere", "/healthz", "/openapi.json", "/api/v1/meta"} {
		answer, err := http.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if ids := answer.Header.Values("X-Request-Id"); len(ids) != 1 || ids[0] == "" {
			t.Errorf("%s has the request ids %q", path, ids)
		}
	}
}

// TestMoreMetrics shows what somebody beside the server counts.
func TestMoreMetrics(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	beside := prometheus.NewCounter(prometheus.CounterOpts{Name: "grantgraph_beside_total", Help: "Counted beside the server."})
	beside.Inc()
	s, err := Open(Options{Data: data, BaseURL: "http://localhost", Metrics: []prometheus.Collector{beside}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rec := httptest.NewRecorder()
	s.metrics.handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(rec.Body.String(), "grantgraph_beside_total 1") {
		t.Error(rec.Body.String())
	}
}

// TestOrganizationPages follows links from search to the pages of the largest
// funder and of what it paid.
func TestOrganizationPages(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	s := start(t, data)
	_, body, err := get(s.URL()+"/api/v1/search?q=foundation", "")
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Results []struct{ Href, Name, URL string }
	}
	if err := json.Unmarshal([]byte(body), &found); err != nil || len(found.Results) == 0 {
		t.Fatalf("%v: %s", err, body)
	}
	for _, r := range found.Results[:min(5, len(found.Results))] {
		status, page, err := get(s.URL()+r.Href, "")
		if err != nil || status != 200 || !strings.Contains(page, "EIN") || r.URL != s.URL()+r.Href {
			t.Errorf("%+v: %d, %v", r, status, err)
		}
	}
}

// TestSwapUnderLoad publishes snapshots and lists while clients ask. No request
// fails, every answer is of the snapshot it names, every client moves to the new
// data, and the ledger has exactly the answers that cost something. With
// GRANTGRAPH_SWAPS it does so that often, on both stores, with a clock that is set
// forward and back.
func TestSwapUnderLoad(t *testing.T) {
	t.Parallel()
	soak := os.Getenv("GRANTGRAPH_SWAPS")
	if soak == "" {
		swapUnderLoad(t, Options{}, 4)
		return
	}
	swaps, err := strconv.Atoi(soak)
	if err != nil || swaps < 1 {
		t.Fatalf("GRANTGRAPH_SWAPS is %q", soak)
	}
	t.Run("sqlite", func(t *testing.T) { swapUnderLoad(t, Options{}, swaps) })
	t.Run("postgres", func(t *testing.T) {
		pg, err := postgres.Start(t.Context())
		if errors.Is(err, postgres.ErrNone) {
			t.Skipf("no PostgreSQL to keep the ledger in: %v; scripts/require installs it", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer pg.Stop()
		swapUnderLoad(t, Options{Database: secret.NewURL(pg.DSN)}, swaps)
	})
}

func swapUnderLoad(t *testing.T, opt Options, swaps int) {
	opt.Data, opt.Log = t.TempDir(), slog.New(slog.DiscardHandler)
	worlds := []world.World{world.Small, world.Other}
	made := map[string]int{publish(t, opt.Data, worlds[0]): 0}
	var step atomic.Int64 // what the clock is off by
	begin, noon := time.Now(), time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	soak := swaps > 4
	if soak {
		opt.Clock = func() time.Time { return noon.Add(time.Since(begin) + time.Duration(step.Load())) }
	}
	s := startWith(t, opt)
	type seen struct {
		version, path string
		hits          int64
	}
	var (
		stop                          atomic.Bool
		asked, lost, wrong, uncharged atomic.Int64
		wg                            sync.WaitGroup
		answers                       sync.Map
	)
	paths := []string{"/api/v1/grants/summary", "/api/v1/grants/funders?limit=3", "/api/v1/grants/transactions?limit=3",
		"/api/v1/search?q=church", "/api/v1/screening/" + anEIN(t, s), "/api/v1/meta", "/"}
	for i := range 6 {
		wg.Go(func() {
			for !stop.Load() {
				key, k, err := s.Store().Create(t.Context(), account.Pro, "", "")
				if err != nil {
					t.Error(err)
					return
				}
				charged := 0
				for n := 0; !stop.Load() && n < 600; n++ {
					path := paths[(i+n)%len(paths)]
					status, body, err := get(s.URL()+path, key)
					if err != nil || status != 200 {
						lost.Add(1)
						t.Errorf("%s: %d, %v, %.200s", path, status, err, body)
						return
					}
					asked.Add(1)
					if strings.Contains(path, "/grants/") || strings.Contains(path, "/screening/") {
						charged++
					}
					var envelope struct {
						Hits int64
						X    struct {
							Dataset struct{ Version string }
						} `json:"x_service"`
					}
					if json.Unmarshal([]byte(body), &envelope) == nil && envelope.X.Dataset.Version != "" {
						answers.Store(seen{envelope.X.Dataset.Version, path, envelope.Hits}, true)
					}
				}
				if b, err := s.Store().Balance(t.Context(), k.ID); soak && (err != nil || b.Limit-b.Remaining != charged) {
					uncharged.Add(int64(max(0, charged-(b.Limit-b.Remaining))))
					t.Errorf("%d answers cost something, %d are in the ledger: %v", charged, b.Limit-b.Remaining, err)
				}
			}
		})
	}
	for i := range swaps {
		last := publish(t, opt.Data, worlds[(i+1)%2])
		made[last] = (i + 1) % 2
		if soak {
			step.Store(int64(time.Duration(i%5-2) * 10 * time.Minute))
			removeOlder(t, opt.Data, 3)
		}
		deadline := time.Now().Add(5 * time.Minute)
		for {
			if _, body, err := get(s.URL()+"/readyz", ""); err == nil && strings.Contains(body, last) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("snapshot %s was not taken up", last)
			}
		}
	}
	stop.Store(true)
	wg.Wait()
	versions, hits := map[string]bool{}, map[seen]int64{}
	answers.Range(func(key, _ any) bool {
		a := key.(seen)
		versions[a.version] = true
		of := seen{fmt.Sprint(made[a.version]), a.path, 0}
		if was, ok := hits[of]; ok && was != a.hits {
			wrong.Add(1)
			t.Errorf("%s has %d hits and %d in the same data", a.path, was, a.hits)
		}
		hits[of] = a.hits
		return true
	})
	if len(versions) < 2 || asked.Load() == 0 {
		t.Errorf("%d requests saw %d versions", asked.Load(), len(versions))
	}
	t.Logf("soak: | Snapshots and lists swapped under load, with a clock set forward and back, %s | %d | %d answers | %d | %d | %d |",
		path.Base(t.Name()), swaps, asked.Load(), lost.Load(), wrong.Load(), uncharged.Load())
}

// anEIN returns the EIN of an organization in the data.
func anEIN(t *testing.T, s *Server) string {
	t.Helper()
	var found struct{ Results []struct{ EIN string } }
	_, body, err := get(s.URL()+"/api/v1/search?q=church", "")
	if err != nil || json.Unmarshal([]byte(body), &found) != nil || len(found.Results) == 0 {
		t.Fatalf("%v: %.300s", err, body)
	}
	return found.Results[0].EIN
}

// removeOlder keeps the newest builds of a data directory.
func removeOlder(t *testing.T, data string, keep int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(data, "builds"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries[:max(0, len(entries)-keep)] {
		if err := os.RemoveAll(filepath.Join(data, "builds", e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedSnapshotIsNotTakenUp points the data directory at a snapshot that
// cannot be opened; the old one is served on.
func TestDamagedSnapshotIsNotTakenUp(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := publish(t, data, world.Small)
	s := idle(t, data, slog.DiscardHandler)
	dir := filepath.Join(data, "builds", "29990101T000000Z")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(`{"format":1,"version":"29990101T000000Z"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "current"), []byte("29990101T000000Z\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.refresh()
	}
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/readyz", nil))
	if !strings.Contains(rec.Body.String(), version) {
		t.Errorf("%s", rec.Body)
	}
	rec = httptest.NewRecorder()
	s.metrics.handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(rec.Body.String(), "grantgraph_snapshot_refresh_failures_total 1\n") {
		t.Error("the same failure is not counted once")
	}
}

// TestFileLost takes the content of a file away that the server has mapped, as
// a disk that fails does. Requests that need it fail, the process does not, and
// the next snapshot is served.
func TestFileLost(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := publish(t, data, world.Small)
	s := idle(t, data, slog.DiscardHandler)
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) (status int, body string) {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-API-Key", key)
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		return rec.Code, rec.Body.String()
	}
	for _, part := range []string{"graph", "search"} {
		files, err := filepath.Glob(filepath.Join(data, "builds", version, part, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			if err := os.Truncate(f, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	paths := []string{"/api/v1/grants/transactions?query=school&sort_by=amount", "/api/v1/grants/summary?location=CA",
		"/api/v1/grants/funders?subject=B&exclude=daf", "/api/v1/search?q=community"}
	if code, body := ask(paths[0]); code != 500 || !strings.Contains(body, `"internal_error"`) {
		t.Errorf("%s: %d, %s", paths[0], code, body)
	}
	// The failure is noticed: what needs the files is soon out of service.
	until(t, func() bool { code, _ := ask("/readyz"); return code == 503 })
	for _, path := range paths {
		if code, body := ask(path); code != 503 || !strings.Contains(body, `"dataset_damaged"`) {
			t.Errorf("%s: %d, %s", path, code, body)
		}
	}
	if code, body := ask("/search?q=community"); code != 503 || !strings.Contains(body, "Out of service") {
		t.Errorf("the page: %d, %s", code, body)
	}
	if code, body := ask("/readyz"); !strings.Contains(body, "graph, search") {
		t.Errorf("ready: %d, %s", code, body)
	}
	publish(t, data, world.Other)
	s.refresh()
	for _, path := range append(paths, "/search?q=community") {
		if code, body := ask(path); code != 200 {
			t.Errorf("%s of the next snapshot: %d, %s", path, code, body)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	h, err := NewAPI(API{Config: api.Config{BaseURL: "https://grants.example.org", Accounts: struct{ api.Accounts }{}, Acquire: func() (api.Dataset, func()) { return nil, nil }}})
	if err != nil {
		t.Fatal(err)
	}
	patterns := map[string]string{"/": "GET /{$}", "/org/070000001/lantern-house": "GET /org/{ein}/{rest...}", "/grant/abcdefghij234": "GET /grant/{key}", "/funders": "GET /funders"}
	for path, want := range map[string][2]string{
		"/":                                  {"/", "/"},
		"/org/070000001/lantern-house":       {"/org", "/org/070000001/lantern-house"},
		"/funders":                           {"/funders", "/funders"},
		"/wp-login.php":                      {"/other", "/other"},
		"/grant/abcdefghij234":               {"/grant", "/grant"},
		"/wilhelmina@example.org":            {"/other", "/other"},
		"/api/v1/grants/summary":             {"/grants/summary", "/api/v1/grants/summary"},
		"/api/grants/summary":                {"/grants/summary", "/api/v1/grants/summary"},
		"/api/v1/sql":                        {"/sql", "/api/v1/sql"},
		"/api/v1/admin/accounts/a@b.example": {"/admin/accounts/{email}", "/api/v1/admin/accounts/{email}"},
		"/api/v1/admin/keys/gg_r_secret":     {"/admin/keys/{id}", "/api/v1/admin/keys/{id}"},
		"/api/v1/admin/kezs/gg_r_secret":     {"/api/other", "/api/v1/admin/…"},
		"/api/v1/nothing":                    {"/api/other", "/api/v1/nothing"},
	} {
		r := httptest.NewRequest("GET", path, nil)
		r.Pattern = cmp.Or(patterns[path], "/")
		if got := [2]string{route(r, h.Route), shown(r, h.Route)}; got != want {
			t.Errorf("%s is counted and shown as %q, want %q", path, got, want)
		}
	}
}

// TestLogLine looks at what the log says of a request: the ID of its key and no address.
func TestLogLine(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	var log bytes.Buffer
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	s, err := Open(Options{Data: data, BaseURL: "http://localhost", Log: slog.New(slog.NewJSONHandler(&log, nil)), Clock: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	secret, k, err := s.Store().Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	const summary = "/api/v1/grants/summary"
	line := func(path, from, key string) (said struct{ From, Key, Plan, Path string }) {
		t.Helper()
		log.Reset()
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = from
		r.Header.Set("X-API-Key", key)
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
		if err := json.Unmarshal(log.Bytes(), &said); err != nil || strings.Contains(log.String(), "192.0.2.") || !strings.Contains(log.String(), `"took_ms":`) {
			t.Fatalf("%v: %s", err, log.String())
		}
		return said
	}
	first := line(summary, "192.0.2.1:1234", secret)
	if first.Key != k.ID || first.Plan != "plus" || len(first.From) != 16 || first.Path != summary {
		t.Errorf("%+v", first)
	}
	if again := line(summary, "192.0.2.1:99", ""); again.From != first.From || again.Key != "" {
		t.Errorf("the same client is %+v", again)
	}
	if other := line(summary, "192.0.2.2:1234", ""); other.From == first.From {
		t.Error("two clients have one name")
	}
	at = at.Add(12 * time.Hour)
	if tomorrow := line(summary, "192.0.2.1:1234", ""); tomorrow.From == first.From {
		t.Error("a client keeps its name overnight")
	}
	// Every page is counted and logged by its route, and an address that no page has, as another.
	for path, want := range map[string]string{"/funders": "/funders", "/lists": "/lists", "/grant/nothing": "/grant", "/nobody@example.org": "/other"} {
		if got := line(path, "192.0.2.1:1234", ""); got.Path != want {
			t.Errorf("%s is logged as %s", path, got.Path)
		}
	}
}

// TestGoneClient counts a request whose client has gone apart from failures.
func TestGoneClient(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, tc := range []struct {
		ctx            context.Context
		status, counts int
	}{
		{t.Context(), 200, 200},
		{t.Context(), 503, 503},
		{gone, 503, 499},
		{gone, 500, 500},
		{gone, 200, 200},
	} {
		m, log := newMetrics(nil), &lines{}
		h := m.watch(slog.New(slog.NewTextHandler(log, nil)), func(string) string { return "" }, func(*http.Request) string { return "" }, func() {}, false, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tc.status) }))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(tc.ctx, "GET", "/", nil))
		rec := httptest.NewRecorder()
		m.handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
		if !strings.Contains(rec.Body.String(), fmt.Sprintf(`grantgraph_requests_total{route="/other",status="%d"} 1`, tc.counts)) || !strings.Contains(log.String(), fmt.Sprint("status=", tc.counts)) {
			t.Errorf("%+v: %s", tc, log)
		}
	}
}

// TestAccountsTakenAway removes the file of the accounts, or puts another in its
// place: that is complained of, once.
func TestAccountsTakenAway(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(path string) error{
		"nothing": func(string) error { return nil },
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			publish(t, data, world.Small)
			log := &lines{}
			s := idle(t, data, slog.NewTextHandler(log, nil))
			if err := take(Accounts(data)); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				s.refresh()
			}
			want := 1
			if name == "nothing" {
				want = 0
			}
			if n := strings.Count(log.String(), "removed or replaced"); n != want {
				t.Errorf("%d complaints:\n%s", n, log)
			}
		})
	}
}

// heard is a log that hands every message to a function.
type heard struct {
	slog.Handler
	hear func(message string)
}

func (h heard) Enabled(context.Context, slog.Level) bool { return true }

func (h heard) Handle(_ context.Context, r slog.Record) error {
	h.hear(r.Message)
	return nil
}

// TestStopsWhenNothingIsTakenUp stops a server while it takes up a snapshot:
// what Close closes must not be opened behind its back.
func TestStopsWhenNothingIsTakenUp(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	taking, taken, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s, err := Open(Options{Data: data, Addr: "127.0.0.1:0", Poll: time.Millisecond, Log: slog.New(heard{slog.DiscardHandler, func(message string) {
		switch message {
		case "serving a new snapshot":
			close(taking)
			<-taken
		case "stopped":
			close(stopped)
		}
	}})})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	publish(t, data, world.Other)
	<-taking
	stop()
	select {
	case <-stopped:
		t.Error("the server has stopped while it takes up a snapshot")
	case <-time.After(100 * time.Millisecond): // it would have by now; on a slow machine a fault may pass here, and nothing sound can fail
	}
	close(taken)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestDrain stops a server that is to drain: it says that it is not ready, on
// both addresses, and goes on serving until the time is up.
func TestDrain(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := publish(t, data, world.Small)
	asked, up := make(chan time.Duration, 1), make(chan time.Time)
	s, err := Open(Options{Data: data, Addr: "127.0.0.1:0", Admin: "127.0.0.1:0", Drain: time.Minute, Log: slog.New(slog.DiscardHandler),
		after: func(d time.Duration) <-chan time.Time { asked <- d; return up }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	expect := func(url string, status int, want string) {
		t.Helper()
		if got, body, err := get(url, ""); err != nil || got != status || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %v, %s", url, got, err, body)
		}
	}
	admin := "http://" + s.entrance.admin.Addr().String()
	expect(s.URL()+"/readyz", 200, version)
	stop()
	if d := <-asked; d != time.Minute {
		t.Errorf("it drains for %s", d)
	}
	for _, url := range []string{s.URL(), admin} {
		expect(url+"/readyz", 503, `"error":"stopping"`)
		expect(url+"/healthz", 200, "ok")
	}
	expect(s.URL()+"/api/v1/search?q=foundation", 200, `"results"`)
	close(up)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, _, err := get(s.URL()+"/healthz", ""); err == nil {
		t.Error("it answers after its time is up")
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	if _, err := Open(Options{Data: t.TempDir(), Addr: "127.0.0.1:0", Log: log}); err == nil {
		t.Error("a data directory without a snapshot is served")
	} else if f, ok := fault.Of(err); !ok || f.Hint == "" {
		t.Errorf("%v", err)
	}
	data := t.TempDir()
	publish(t, data, world.Small)
	if _, err := Open(Options{Data: data, Addr: "127.0.0.1:99999", Log: log}); err == nil {
		t.Error("an impossible port is bound")
	} else if f, ok := fault.Of(err); !ok || f.Hint == "" {
		t.Errorf("%v", err)
	}
}
