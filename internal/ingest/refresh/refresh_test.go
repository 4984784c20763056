package refresh_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/refresh"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/indexes"
)

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// meta is the part of /meta that lists are seen in.
type meta struct {
	Dataset struct {
		Version string `json:"version"`
	} `json:"dataset"`
	Sources map[string]struct {
		RowCount          *int64  `json:"row_count"`
		IsCurrent         *bool   `json:"is_current"`
		UpstreamRevised   *string `json:"upstream_revised"`
		UpstreamCheckedAt *string `json:"upstream_checked_at"`
		Note              *string `json:"note"`
	} `json:"compliance_sources"`
}

// A running server takes up new lists while it answers: nothing is dropped,
// the grant snapshot stays what it is, and a list that upstream spoils keeps
// its rows and dates.
func TestListsOfARunningServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	published, data, sources := world.Small.CopySources(t), filepath.Join(dir, "data"), filepath.Join(dir, "sources")
	// The filings are built from the world without its lists, which come
	// through the fetcher.
	if err := os.MkdirAll(sources, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(published, "990"), filepath.Join(sources, "990")); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Run(ctx, ingest.Options{Sources: sources, Data: data, Indexers: world.Indexers(), ListIndexers: indexes.Lists()}); err != nil {
		t.Fatal(err)
	}

	p := startUpstream(t, published)
	p.set("", nil, time.Date(2026, 10, 13, 9, 0, 0, 0, time.UTC))
	clock := &clock{now: time.Date(2026, 10, 14, 12, 0, 0, 0, time.UTC)}
	from := fetch.Options{
		Dir: sources, Client: p.Client(), Now: clock.Now, Since: time.Date(2025, 8, 1, 0, 0, 0, 0, time.UTC),
		Base: map[string]string{}, Floor: map[string]int64{}, Sleep: func(context.Context, time.Duration) error { return nil },
	}
	for name, url := range p.mirrors("") {
		from.Base[name], from.Floor[name] = url, 1
	}
	var log bytes.Buffer
	lists := refresh.New(refresh.Options{Data: data, Fetch: from, Indexers: indexes.Lists(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	srv, err := serve.Open(serve.Options{Data: data, Addr: "127.0.0.1:0", Poll: 5 * time.Millisecond, Clock: clock.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- srv.Run(serving) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	get := func(path string) (int, []byte) {
		r, err := http.Get(srv.URL() + path)
		if err != nil {
			t.Error(err)
			return 0, nil
		}
		defer r.Body.Close()
		var b bytes.Buffer
		if _, err := b.ReadFrom(r.Body); err != nil {
			t.Error(err)
		}
		return r.StatusCode, b.Bytes()
	}
	// wait asks until the answer is as expected; the test's own deadline ends it.
	wait := func(what string, ok func(*meta) bool) *meta {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Minute); ; {
			_, body := get("/api/v1/meta")
			m := &meta{}
			if err := json.Unmarshal(body, m); err != nil {
				t.Fatal(err)
			}
			if ok(m) {
				return m
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %s\n%s", what, body, log.String())
			}
		}
	}

	before := wait("nothing loaded", func(m *meta) bool { return len(m.Sources) == 7 })
	for name, s := range before.Sources {
		if s.RowCount != nil || s.IsCurrent != nil || s.Note == nil || !strings.HasPrefix(*s.Note, "Not loaded") {
			t.Errorf("%s before anything was fetched: %+v", name, s)
		}
	}

	// Somebody else keeps asking all the while.
	busy, quiet := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(quiet)
		for {
			select {
			case <-busy:
				return
			default:
			}
			if code, body := get("/api/v1/search?q=county"); code != 200 {
				t.Errorf("%d: %s", code, body)
			}
		}
	}()

	next := lists.Step(ctx)
	if want := clock.Now().Add(15 * time.Minute); !next.Equal(want) {
		t.Errorf("next at %s, want %s", next, want)
	}
	loaded := wait("all lists loaded", func(m *meta) bool {
		for _, s := range m.Sources {
			if s.RowCount == nil || s.UpstreamCheckedAt == nil {
				return false
			}
		}
		return true
	})
	for name, s := range loaded.Sources {
		if *s.RowCount == 0 || s.IsCurrent == nil || !*s.IsCurrent || s.Note != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	entries := *loaded.Sources["ofac"].RowCount

	// A new entry is published.
	path := filepath.Join(published, "ofac", "sdn.csv")
	list, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list = bytes.TrimRight(list, "\x1a\r\n")
	longer := append(bytes.Clone(list), []byte("\r\n99999999,\"ZORVANT TRADING\",-0- ,\"SDGT\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n\x1a")...)
	p.set("ofac/sdn.csv", longer, time.Date(2026, 10, 14, 9, 0, 0, 0, time.UTC))
	clock.advance(5 * time.Minute)
	lists.Step(ctx)
	if m := wait("too early to look", func(*meta) bool { return true }); *m.Sources["ofac"].RowCount != entries {
		t.Error("upstream was asked before its time")
	}
	clock.advance(11 * time.Minute)
	lists.Step(ctx)
	updated := wait("the new entry", func(m *meta) bool { return *m.Sources["ofac"].RowCount == entries+1 })
	if *updated.Sources["ofac"].UpstreamRevised != "2026-10-14" || !*updated.Sources["ofac"].IsCurrent {
		t.Errorf("%+v", updated.Sources["ofac"])
	}

	// Upstream spoils the list: the last good one stays, and that is said.
	p.set("ofac/sdn.csv", nil, time.Date(2026, 10, 15, 9, 0, 0, 0, time.UTC))
	clock.advance(16 * time.Minute)
	lists.Step(ctx)
	spoiled := wait("the empty list is refused", func(m *meta) bool { return m.Sources["ofac"].Note != nil })
	if got := spoiled.Sources["ofac"]; *got.RowCount != entries+1 || !strings.HasPrefix(*got.Note, "The last good list is served") {
		t.Errorf("%d rows, note %s", *got.RowCount, *got.Note)
	}

	// It comes back.
	p.set("ofac/sdn.csv", append(list, "\r\n\x1a"...), time.Date(2026, 10, 15, 10, 0, 0, 0, time.UTC))
	clock.advance(16 * time.Minute)
	lists.Step(ctx)
	back := wait("the list is back", func(m *meta) bool { return *m.Sources["ofac"].RowCount == entries })
	if back.Sources["ofac"].Note != nil {
		t.Errorf("note %s", *back.Sources["ofac"].Note)
	}

	// What is noted of another source is damaged: the server starts, and the
	// lists of the others go on.
	if err := os.WriteFile(filepath.Join(sources, ".fetch", "pub78.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := *back.Sources["pub78"].RowCount
	p.set("ofac/sdn.csv", longer, time.Date(2026, 10, 16, 9, 0, 0, 0, time.UTC))
	clock.advance(16 * time.Minute)
	refresh.New(refresh.Options{Data: data, Fetch: from, Indexers: indexes.Lists(), Log: slog.New(slog.NewTextHandler(&log, nil))}).Step(ctx)
	beside := wait("the others go on", func(m *meta) bool { return *m.Sources["ofac"].RowCount == entries+1 })
	if got := beside.Sources["pub78"]; *got.RowCount != rows || !strings.Contains(log.String(), "pub78.json is damaged") {
		t.Errorf("%+v, %s", got, log.String())
	}
	close(busy)
	<-quiet
	if back.Dataset.Version != before.Dataset.Version {
		t.Errorf("the grant snapshot was swapped: %s, then %s", before.Dataset.Version, back.Dataset.Version)
	}
}
