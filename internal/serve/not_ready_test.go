package serve

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
)

// TestLostLists starts a server whose lists cannot be used. Screening is refused before
// the charge, and readiness, metadata, the page about the data, the log and the metrics
// say why. A damaged side file changes nothing.
func TestLostLists(t *testing.T) {
	t.Parallel()
	remove := func(of func(*lists.Edition) string) func(string, *lists.Edition) error {
		return func(_ string, e *lists.Edition) error { return os.RemoveAll(of(e)) }
	}
	for name, c := range map[string]struct {
		spoil func(data string, e *lists.Edition) error
		lost  bool
	}{
		"pointer": {func(data string, _ *lists.Edition) error { return os.Remove(filepath.Join(lists.Dir(data), "current")) }, true},
		"folder":  {func(data string, _ *lists.Edition) error { return os.RemoveAll(lists.Dir(data)) }, true},
		"all but checks": {func(data string, e *lists.Edition) error {
			return errors.Join(os.RemoveAll(filepath.Dir(e.Dir)), os.Remove(filepath.Join(lists.Dir(data), "current")))
		}, true},
		"edition": {remove(func(e *lists.Edition) string { return e.Dir }), true},
		"index":   {remove(func(e *lists.Edition) string { return filepath.Join(e.Dir, filepath.FromSlash(screen.IndexPath)) }), true},
		"table":   {remove(func(e *lists.Edition) string { return e.Path(e.Status(lists.BMF).Tables[0]) }), true},
		"checks": {func(data string, _ *lists.Edition) error {
			return os.WriteFile(filepath.Join(lists.Dir(data), "checks.json"), []byte("{"), 0o644)
		}, false},
		"nothing": {func(string, *lists.Edition) error { return nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			publish(t, data, world.Small)
			e, err := lists.Open(data)
			if err == nil {
				err = c.spoil(data, e)
			}
			if err != nil {
				t.Fatal(err)
			}
			var log lines
			s := idle(t, data, slog.NewTextHandler(&log, nil))
			key, info, err := s.Store().Create(t.Context(), account.Pro, "", "")
			if err != nil {
				t.Fatal(err)
			}
			ask := func(method, path, body string) (int, string) {
				r, rec := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
				r.Header.Set("X-API-Key", key)
				s.Handler().ServeHTTP(rec, r)
				return rec.Code, rec.Body.String()
			}
			spent := 0
			for path, body := range map[string]string{
				"GET /api/v1/screening/123456789": "", "POST /api/v1/screening/bulk": `{"eins":["123456789"]}`,
				"POST /api/v1/screening/names": `{"names":[{"name":"Acme Fund"}]}`,
			} {
				method, at, _ := strings.Cut(path, " ")
				code, answer := ask(method, at, body)
				if code == 404 && strings.Contains(answer, "nothing at") {
					t.Fatalf("%s: %s", path, answer)
				}
				if refused := code == 503 && strings.Contains(answer, `"dataset_damaged"`); refused != c.lost {
					t.Errorf("%s: %d %.300s", path, code, answer)
				}
				spent++
			}
			balance, err := s.Store().Balance(t.Context(), info.ID)
			if err != nil || (balance.Remaining == balance.Limit) != c.lost {
				t.Errorf("of %d calls %d are left after %d screenings: %v", balance.Limit, balance.Remaining, spent, err)
			}
			if code, body := ask("GET", "/readyz", ""); (code == 503 && strings.Contains(body, "lists")) != c.lost {
				t.Errorf("/readyz: %d %s", code, body)
			}
			if _, body := ask("GET", "/api/v1/meta", ""); strings.Contains(body, "damaged or missing") != c.lost {
				t.Errorf("/meta: %.2000s", body)
			}
			if _, body := ask("GET", "/data", ""); strings.Contains(body, ">damaged<") != c.lost {
				t.Errorf("/data: %.2000s", body)
			}
			if strings.Contains(log.String(), "without compliance lists") != c.lost || strings.Contains(log.String(), "checks.json") != (name == "checks") {
				t.Errorf("log: %s", &log)
			}
			s.refresh()
			rec := httptest.NewRecorder()
			s.metrics.handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
			if strings.Contains(rec.Body.String(), `grantgraph_dataset_damaged{part="lists"} 1`) != c.lost {
				t.Error("the metric is wrong")
			}
		})
	}
}

// TestFlippedBits changes one bit of every file while it is served. The daily check
// finds each, and what needs it is out of service.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := publish(t, data, world.Small)
	s := idle(t, data, slog.DiscardHandler)
	e, err := lists.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(e.Dir, filepath.FromSlash(screen.IndexPath))}
	for _, part := range []string{"graph", "search", "directory", "profile"} {
		found, err := filepath.Glob(filepath.Join(data, "builds", version, part, "*"))
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		files = append(files, found[0])
	}
	for _, path := range files {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		b := []byte{0}
		if _, err := f.ReadAt(b, 100); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1
		if _, err := f.WriteAt(b, 100); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	s.holder.Suspect()
	until(t, func() bool {
		d, release := s.holder.Acquire()
		defer release()
		return len(d.Damaged()) == len(files)
	})
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/readyz", nil))
	if rec.Code != 503 || !strings.Contains(rec.Body.String(), "graph, search, directory, profile, lists") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	s.refresh() // the damaged lists are not taken up again
	d, release := s.holder.Acquire()
	defer release()
	if len(d.Damaged()) != len(files) {
		t.Errorf("only %v are out of service", d.Damaged())
	}
}

// TestWithoutKnownNames truncates the index of known names, or damages it or the index
// of words before the start. The server is not ready, and search goes on without the
// damaged index.
func TestWithoutKnownNames(t *testing.T) {
	t.Parallel()
	const names = "identify/names.gg"
	for name, c := range map[string]struct {
		file, part string
		running    bool
	}{
		"while it runs":          {names, "identify", true},
		"before the start":       {names, "identify", false},
		"words before the start": {"search/words.gg", "search", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			path := filepath.Join(data, "builds", publish(t, data, world.Small), filepath.FromSlash(c.file))
			var s *Server
			if c.running {
				s = idle(t, data, slog.DiscardHandler)
			}
			if err := os.Truncate(path, 4096); err != nil {
				t.Fatal(err)
			}
			if !c.running {
				s = idle(t, data, slog.DiscardHandler)
			}
			get := func(path string) (int, string) {
				rec := httptest.NewRecorder()
				s.Handler().ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
				return rec.Code, rec.Body.String()
			}
			if c.running {
				s.holder.Suspect()
				until(t, func() bool { code, _ := get("/readyz"); return code == 503 })
			}
			if code, body := get("/readyz"); code != 503 || !strings.Contains(body, "missing: "+c.part+".") {
				t.Errorf("/readyz: %d %s", code, body)
			}
			if code, body := get("/api/v1/search?q=fund"); code != 200 {
				t.Errorf("search: %d %s", code, body)
			}
			s.refresh()
			rec := httptest.NewRecorder()
			s.metrics.handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
			if !strings.Contains(rec.Body.String(), `grantgraph_dataset_damaged{part="`+c.part+`"} 1`) {
				t.Error("the metric is wrong")
			}
		})
	}
}

// TestFullDisk tells load balancers when the disk of the accounts is full.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	var free atomic.Int64
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler), free: func(string) (int64, error) { return free.Load(), nil }})
	status := func(path string) int {
		code, _, err := get(s.URL()+path, "")
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	until(t, func() bool { return status("/readyz/accounts") == 503 })
	if code := status("/readyz"); code != 200 {
		t.Errorf("/readyz: %d", code)
	}
	free.Store(1 << 40)
	until(t, func() bool { return status("/readyz/accounts") == 200 })
}
