// Package newfilter_test adds an invented filter to the table of grant filters, in
// this test binary alone, and follows it through the API and the pages.
package newfilter_test

import (
	"encoding/json"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
)

// round carries the value of the invented filter. No class has this bit.
const round graph.Class = 1 << 7

func init() {
	graph.Filters = append(graph.Filters, &graph.Declaration{
		Params: []*graph.Param{{Name: "round", Type: graph.BooleanParam, Label: "Round amounts",
			Description: "Keeps grants of whole thousands.", Also: []graph.Synonym{{Word: "whole_thousands"}}}},
		Read: func(r *graph.Reading) {
			if r.Boolean("round") {
				r.Filter.Exclude |= round
			}
		},
		Write:     func(_ *graph.Filter, set func(name, value string)) { set("round", "1") },
		On:        func(f *graph.Filter) bool { return f.Exclude&round != 0 },
		Take:      func(from, to *graph.Filter) { to.Exclude = to.Exclude&^round | from.Exclude&round },
		Canonical: func(w *graph.Name, f *graph.Filter) { w.Flag(f.Exclude&round != 0) },
		SQL:       func(w *graph.Where, _ *graph.Filter) { w.And("amount %% 1000 = 0") },
		Say: func(w *graph.Words, _ *graph.Filter) {
			w.Chip("Round amounts only", func(f *graph.Filter) { f.Exclude &^= round })
			w.Phrase("of round amounts")
		},
	})
}

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// TestNewFilter finds an entry of the table in the OpenAPI document, in requests,
// cursors, suggestions, chips, sentences and SQL.
func TestNewFilter(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string, status int) string {
		t.Helper()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("X-API-Key", key)
		w := httptest.NewRecorder()
		if s.Handler().ServeHTTP(w, r); w.Code != status {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return html.UnescapeString(w.Body.String())
	}
	has := func(body string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(body, part) {
				t.Errorf("%q is missing", part)
			}
		}
	}
	has(get("/api/v1/openapi.json", 200), "Keeps grants of whole thousands.")
	var list struct {
		Next    string `json:"next_cursor"`
		Service struct {
			Unsupported []string `json:"unsupported"`
		} `json:"x_service"`
	}
	if err := json.Unmarshal([]byte(get("/api/v1/grants/transactions?round=1&limit=5", 200)), &list); err != nil {
		t.Fatal(err)
	}
	if list.Next == "" || slices.Contains(list.Service.Unsupported, "round") {
		t.Errorf("round is not read: %+v", list)
	}
	get("/api/v1/grants/transactions?round=1&limit=5&cursor="+list.Next, 200)
	has(get("/api/v1/grants/transactions?limit=5&cursor="+list.Next, 400), "cursor_mismatch")
	has(get("/api/v1/grants/transactions?whole_thousands=1", 200), "Did you mean round?")
	has(get("/api/v1/grants/summary?round=perhaps", 422), "not a switch")
	page := get("/explore?tab=summary&year=2020&round=1", 200)
	has(page, "Round amounts only", "Grants in fiscal year 2020, of round amounts", "AND amount % 1000 = 0", `href="/explore?tab=summary&year=2020"`)
	has(get("/explore?round=perhaps", 422), "Round amounts: ")
}
