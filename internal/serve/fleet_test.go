package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/sqlbox"
)

// startPostgres is a database that several servers share.
func startPostgres(t *testing.T) *postgres.Server {
	t.Helper()
	pg, err := postgres.Start(t.Context(), "shared_buffers=32MB")
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to share: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pg.Stop(); err != nil {
			t.Error(err)
		}
	})
	return pg
}

// node is one server of a service, in process.
func node(t *testing.T, opt serve.Options) *serve.Server {
	t.Helper()
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s, err := serve.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	if opt.Addr == "" {
		close(done)
	} else {
		go func() { done <- s.Run(ctx) }()
	}
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s
}

// ask sends one request and reads the answer.
func ask(t *testing.T, method, url, key, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// TestEntrance asks a server that has nothing to serve yet: it tells operators that
// it lives and why it is not ready, and clients find it when it is.
func TestEntrance(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := world.Small.Publish(t, data).Manifest.Version
	opt := serve.Options{Data: data, Addr: "127.0.0.1:0", Admin: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}
	var err error
	if opt.Entrance, err = serve.Bind(opt); err != nil {
		t.Fatal(err)
	}
	defer opt.Entrance.Close()
	opt.Entrance.Say(func() string { return "fetching 34 %" })
	public, admin := opt.Entrance.Addresses()
	if public != "" {
		t.Errorf("there is nothing to serve, and clients are let in at %s", public)
	}
	expect := func(url string, status int, want string) {
		t.Helper()
		if r, body := ask(t, "GET", url, "", ""); r.StatusCode != status || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %s", url, r.StatusCode, body)
		} else if status == 503 && (r.Header.Get("Retry-After") == "" || r.Header.Get("X-Request-Id") == "") {
			t.Errorf("%s: %v", url, r.Header)
		}
	}
	expect(admin+"/healthz", 200, "ok")
	expect(admin+"/readyz", 503, "Not ready: fetching 34 %.")
	expect(admin+"/readyz/accounts", 503, `"error":"starting"`)
	expect(admin+"/api/v1/meta", 503, `"error":"no_dataset"`)
	expect(admin+"/metrics", 200, "grantgraph_requests_in_flight")

	s, err := serve.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	expect(admin+"/readyz", 503, "Not ready: opening the snapshot.")
	public, _ = opt.Entrance.Addresses()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	// Who comes at the moment of the change is answered by one or the other.
	var clients sync.WaitGroup
	ready := make(chan struct{})
	for range 4 {
		clients.Go(func() {
			for {
				r, err := http.Get(public + "/readyz")
				if err != nil {
					t.Error(err)
					return
				}
				r.Body.Close()
				if r.StatusCode == 200 {
					return
				}
			}
		})
	}
	go func() { done <- s.Run(ctx) }()
	go func() { clients.Wait(); close(ready) }()
	<-ready
	for _, at := range []string{public, admin} {
		expect(at+"/readyz", 200, version)
		expect(at+"/readyz/accounts", 200, version)
	}
	expect(public+"/api/v1/meta", 200, version)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestLostDatabase stops the database of the accounts and starts it again. What
// needs no account is answered all the while, what is charged is 503, and what was
// answered is what was charged.
func TestLostDatabase(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	data := t.TempDir()
	version := world.Small.Publish(t, data).Manifest.Version
	s := node(t, serve.Options{Data: data, Addr: "127.0.0.1:0", Poll: 20 * time.Millisecond, Database: secret.NewURL(pg.DSN)})
	key, k, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var paid int
	expect := func(path, key string, status int, want string) *http.Response {
		t.Helper()
		r, body := ask(t, "GET", s.URL()+path, key, "")
		if r.StatusCode != status || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %.300s", path, r.StatusCode, body)
		}
		if r.StatusCode == 200 && key != "" {
			paid++
		}
		return r
	}
	// await asks until the answer is one or the other.
	await := func(path string, status int) {
		t.Helper()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			if r, _ := ask(t, "GET", s.URL()+path, "", ""); r.StatusCode == status {
				return
			}
			<-tick.C
		}
	}
	free := func() {
		t.Helper()
		for path, want := range map[string]string{
			"/healthz": "ok", "/readyz": "ready " + version, "/api/v1/meta": version, "/api/v1/search?q=foundation": `"results"`,
			"/api/v1/grants/summary?example=1": "summary", "/": "Who funds whom", "/explore": "", "/openapi.json": "3.1",
		} {
			expect(path, "", 200, want)
		}
	}
	free()
	await("/readyz/accounts", 200)
	expect("/api/v1/grants/summary", key, 200, "grant_count")

	for range 2 {
		pg.Halt()
		await("/readyz/accounts", 503)
		free()
		if r, body := ask(t, "GET", s.URL()+"/readyz", "", ""); r.StatusCode != 200 || !strings.Contains(body, "the accounts do not answer") {
			t.Errorf("%d, %s", r.StatusCode, body)
		}
		if r := expect("/api/v1/grants/summary?min_amt=1", key, 503, `"error":"store_unavailable"`); r.Header.Get("Retry-After") == "" {
			t.Errorf("%v", r.Header)
		}
		if r, body := ask(t, "POST", s.URL()+"/api/v1/agent-key", "", `{"purpose":"to see","source":"by chance"}`); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
			t.Errorf("%d, %s", r.StatusCode, body)
		}
		if err := pg.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		await("/readyz/accounts", 200)
		expect("/readyz", "", 200, "ready "+version)
		expect("/api/v1/grants/summary?min_amt=2", key, 200, "grant_count")
	}
	if b, err := s.Store().Balance(t.Context(), k.ID); err != nil || b.Limit-b.Remaining != paid {
		t.Errorf("%d were answered, %d charged, %v", paid, b.Limit-b.Remaining, err)
	}
}

// varying is what differs from answer to answer by design: how long it took.
var varying = regexp.MustCompile(`"elapsed_ms": ?[0-9.]+`)

// TestSameOnEveryNode asks two servers of one service the same things at the same
// time of day: one has answered them before, the other has cached nothing and is
// asked in the opposite order. The answers are the same, byte for byte, signatures
// included, and have the same names.
func TestSameOnEveryNode(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	shared := filepath.Join(t.TempDir(), "secrets.json")
	noon := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var nodes [2]*serve.Server
	for i := range nodes {
		data := t.TempDir()
		world.Small.Publish(t, data)
		nodes[i] = node(t, serve.Options{Data: data, BaseURL: apitest.Base, Database: secret.NewURL(pg.DSN), Secrets: shared, AdminToken: secret.New(apitest.AdminToken),
			SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Clock: func() time.Time { return noon }})
	}
	key, _, err := nodes[0].Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	type question struct{ method, path, body string }
	var questions []question
	// EINs of the invented world in place of those of the examples.
	known := regexp.MustCompile(`\b\d{2}-?\d{7}\b`)
	ein := largestFunder(t, nodes[0])
	operations := map[string]bool{}
	for _, op := range apitest.Operations(t) {
		if op.Access == api.Admin || op.Tag == "agents" || strings.HasPrefix(op.Path, "/agent-key") {
			continue // they change what they are about
		}
		for _, e := range op.Examples {
			path := api.Versioned + op.Path
			for name, value := range e.Path {
				path = strings.ReplaceAll(path, "{"+name+"}", value)
			}
			questions = append(questions,
				question{op.Method, path + "?example=" + e.Case, e.Body},
				question{op.Method, known.ReplaceAllString(path+"?"+e.Query, ein), known.ReplaceAllString(e.Body, ein)})
			operations[op.ID] = true
		}
	}
	if len(operations) < 18 || len(questions) < 80 {
		t.Fatalf("only %d questions to %d operations", len(questions), len(operations))
	}
	type answer struct {
		status  int
		body    string
		headers map[string]string
	}
	put := func(s *serve.Server, q question) answer {
		r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
		r.Header.Set("X-API-Key", key)
		r.Header.Set("X-Request-Id", "the-same-for-both")
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		a := answer{rec.Code, varying.ReplaceAllString(rec.Body.String(), ""), map[string]string{}}
		for _, name := range []string{"ETag", "Content-Type", "X-Dataset-Version", "Cache-Control", "Vary", "Link"} {
			a.headers[name] = strings.Join(rec.Header().Values(name), ", ")
		}
		return a
	}
	// The first has answered everything once before.
	for _, q := range questions {
		put(nodes[0], q)
	}
	answers := make([]answer, len(questions))
	for i, q := range questions {
		answers[i] = put(nodes[0], q)
	}
	named, found := 0, 0
	for i, q := range slices.Backward(questions) {
		got, want := put(nodes[1], q), answers[i]
		if got.headers["ETag"] != "" {
			named++
		}
		if got.status == 200 {
			found++
		}
		if got.status != want.status || !maps.Equal(got.headers, want.headers) || got.body != want.body {
			at := 0
			for at < min(len(got.body), len(want.body)) && got.body[at] == want.body[at] {
				at++
			}
			from := max(0, at-100)
			t.Errorf("%s %s %s: %d and %d, %v and %v, from byte %d on:\n%.200s\n%.200s", q.method, q.path, q.body, want.status, got.status, want.headers, got.headers,
				at, want.body[min(from, len(want.body)):], got.body[min(from, len(got.body)):])
		}
	}
	t.Logf("%d questions to %d operations: %d answered with 200, %d with an ETag", len(questions), len(operations), found, named)
	if found < len(questions)/2 || named < 40 {
		t.Errorf("%d of %d were answered, %d with an ETag", found, len(questions), named)
	}
}

// largestFunder is an EIN of the invented world.
func largestFunder(t *testing.T, s *serve.Server) string {
	t.Helper()
	r := httptest.NewRequest("GET", "/api/v1/search?q=foundation&limit=1", nil)
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, r)
	var found struct{ Results []struct{ EIN string } }
	if err := json.Unmarshal(rec.Body.Bytes(), &found); err != nil || len(found.Results) == 0 {
		t.Fatalf("%v, %s", err, rec.Body)
	}
	return found.Results[0].EIN
}

// TestTwoVersions asks two servers on two builds, as during a rollout: each answer
// names its build, the name of an answer of one is none of the other, and a place
// in the result of one is refused by the other with the reason.
func TestTwoVersions(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	shared := filepath.Join(t.TempDir(), "secrets.json")
	var nodes [2]*serve.Server
	var versions [2]string
	for i, w := range []world.World{world.Small, world.Other} {
		data := t.TempDir()
		if i == 1 {
			world.Small.Publish(t, data) // so that the next has another version
		}
		versions[i] = w.Publish(t, data).Manifest.Version
		nodes[i] = node(t, serve.Options{Data: data, Addr: "127.0.0.1:0", BaseURL: "", Database: secret.NewURL(pg.DSN), Secrets: shared})
	}
	if versions[0] == versions[1] {
		t.Fatal("there is one version")
	}
	key, _, err := nodes[0].Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/grants/transactions?limit=2"
	var tags, cursors [2]string
	for i, s := range nodes {
		r, body := ask(t, "GET", s.URL()+path, key, "")
		var page struct {
			NextCursor string `json:"next_cursor"`
			Service    struct {
				Dataset struct{ Version string } `json:"dataset"`
			} `json:"x_service"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		if r.Header.Get("X-Dataset-Version") != versions[i] || page.Service.Dataset.Version != versions[i] {
			t.Errorf("%s, %s, want %s", r.Header.Get("X-Dataset-Version"), page.Service.Dataset.Version, versions[i])
		}
		tags[i], cursors[i] = r.Header.Get("ETag"), page.NextCursor
	}
	if tags[0] == tags[1] {
		t.Error("answers of two builds have one name")
	}
	for i, s := range nodes {
		if r, body := ask(t, "GET", s.URL()+path+"&cursor="+cursors[i], key, ""); r.StatusCode != 200 {
			t.Errorf("its own cursor: %d, %s", r.StatusCode, body)
		}
		if r, body := ask(t, "GET", s.URL()+path+"&cursor="+cursors[1-i], key, ""); r.StatusCode != 400 || !strings.Contains(body, "cursor_stale") || r.Header.Get("X-Dataset-Version") != versions[i] {
			t.Errorf("a cursor of another build: %d, %s", r.StatusCode, body)
		}
	}
}

// TestExactAcrossNodes spends one allowance through two servers at once: it is
// spent once.
func TestExactAcrossNodes(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	shared := filepath.Join(t.TempDir(), "secrets.json")
	var nodes [2]*serve.Server
	for i := range nodes {
		data := t.TempDir()
		world.Small.Publish(t, data)
		nodes[i] = node(t, serve.Options{Data: data, Addr: "127.0.0.1:0", Database: secret.NewURL(pg.DSN), Secrets: shared})
	}
	key, _, err := nodes[0].Store().Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var answered, refused atomic.Int64
	var clients sync.WaitGroup
	const more = 20
	for n := range account.Free.Terms().Allowance + more {
		clients.Go(func() {
			r, body := ask(t, "GET", fmt.Sprintf("%s/api/v1/grants/summary?min_amt=%d", nodes[n%2].URL(), n+1), key, "")
			switch {
			case r.StatusCode == 200:
				answered.Add(1)
			case r.StatusCode == 402 && strings.Contains(body, "quota_exhausted"):
				refused.Add(1)
			default:
				t.Errorf("%d, %s", r.StatusCode, body)
			}
		})
	}
	clients.Wait()
	if answered.Load() != int64(account.Free.Terms().Allowance) || refused.Load() != more {
		t.Errorf("%d were answered, %d refused", answered.Load(), refused.Load())
	}
}
