package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/fetch"
)

// TestFetchCommand fetches from a publisher on the loopback that has one list
// and lacks another.
func TestFetchCommand(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("070000001|Garden Society|Riverton|WY|United States|PC\r\n", 60)
	mux := http.NewServeMux()
	mux.HandleFunc("/data-download-pub78.zip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		fmt.Fprint(w, body)
	})
	mux.HandleFunc("/data-download-revocation.zip", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Sorry</html>") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	dir := filepath.Join(t.TempDir(), "sources")
	small := []string{"--mirror", "pub78=" + server.URL, "--floor", "pub78=1"}
	for _, c := range []struct {
		name     string
		args     []string
		code     int
		out, err string // must be printed
	}{
		{"the catalogue", []string{"--list"}, 0, "Internal Revenue Bulletin", ""},
		{"what would come", append([]string{"pub78", "--dry-run"}, small...), 0, "New: 1 file, at least 3.2 KiB. Nothing was downloaded.", "pub78"},
		{"a list", append([]string{"pub78"}, small...), 0, "Next:  grantgraph build --sources " + dir, "pub78"},
		{"the same again, quietly", append([]string{"pub78", "-q"}, small...), 0, "0 B downloaded", ""},
		{"a notice", []string{"revocation", "pub78", "--mirror", "revocation=" + server.URL, "--mirror", "pub78=" + server.URL}, 1, "web page", "revocation could not be fetched"},
		{"no such source", []string{"nowhere"}, 1, "", "Try: one of ofac"},
		{"no such mirror", []string{"--mirror", "nowhere=http://127.0.0.1"}, 1, "", "Try: one of ofac"},
		{"no address", []string{"--mirror", "bmf=somewhere"}, 1, "", "not a web address"},
		{"no number", []string{"--floor", "bmf=few"}, 1, "", "is not a number of rows"},
		{"no floor", []string{"--floor", "nowhere=1"}, 1, "", "there is no source"},
		{"no day", []string{"--since", "yesterday"}, 1, "", "Try: --since 2025-01-01"},
		{"help", []string{"--help"}, 0, "keeps the last good file", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"fetch", "--sources", dir}, c.args...)...)
			if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) {
				t.Errorf("exit %d, printed %q and %q", code, out, errs)
			}
		})
	}
	if got, err := os.ReadFile(filepath.Join(dir, "pub78", "data-download-pub78.zip")); err != nil || string(got) != body {
		t.Errorf("%d bytes, %v", len(got), err)
	}

	code, out, errs := command(t, append([]string{"fetch", "--sources", dir, "--json", "pub78", "--since", "2025"}, small...)...)
	var sum fetch.Summary
	if err := json.Unmarshal([]byte(out), &sum); code != 0 || err != nil || len(sum.Results) != 1 || sum.Results[0].Rows != 60 || sum.Results[0].Unchanged != 1 {
		t.Errorf("exit %d, %v, %+v, %s", code, err, sum, errs)
	}
	_, out, _ = command(t, "fetch", "--list", "--json")
	var catalogue []map[string]any
	if err := json.Unmarshal([]byte(out), &catalogue); err != nil || len(catalogue) != len(source.All()) || catalogue[0]["address"] == "" {
		t.Errorf("%v: %s", err, out)
	}
}
