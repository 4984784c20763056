package refresh_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/ingest/source"
)

// upstream serves the compliance lists of an invented world as their publishers
// would. A test can replace files to make the publisher misbehave.
type upstream struct {
	*httptest.Server
	files string

	mu      sync.Mutex
	replace map[string][]byte // content to serve instead of a file, by relative path
	date    time.Time         // of all files
	asked   map[string]int    // requests by the name in mirrors
}

// Startupstream serves a folder of sources until the test ends.
func startUpstream(tb testing.TB, files string) *upstream {
	tb.Helper()
	p := &upstream{files: files, replace: map[string][]byte{}, date: time.Date(2026, 10, 13, 9, 0, 0, 0, time.UTC), asked: map[string]int{}}
	p.Server = httptest.NewServer(p)
	tb.Cleanup(p.Close)
	return p
}

// set replaces the content of a file, if rel names one, and sets the date of all files.
func (p *upstream) set(rel string, body []byte, date time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rel != "" {
		p.replace[rel] = body
	}
	p.date = date
}

// mirrors returns the addresses of the lists by source. Requests to these addresses
// are counted under the given name.
func (p *upstream) mirrors(name string) map[string]string {
	at := p.URL + "/"
	if name != "" {
		at += "for-" + name + "/"
	}
	urls := map[string]string{}
	for _, s := range source.All() {
		if s.Compliance != "" {
			urls[s.Name] = at + s.Folder
		}
	}
	return urls
}

// requests returns the number of requests counted under a name.
func (p *upstream) requests(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[name]
}

// ServeHTTP serves a file, or the page that links to the files of a list.
func (p *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rel := strings.ToLower(strings.Trim(r.URL.Path, "/"))
	who, prefix := "", "/"
	if named, ok := strings.CutPrefix(rel, "for-"); ok {
		who, rel, _ = strings.Cut(named, "/")
		prefix = "/for-" + who + "/"
	}
	p.mu.Lock()
	p.asked[who]++
	p.mu.Unlock()
	switch rel {
	case "irb":
		list, _ := filepath.Glob(filepath.Join(p.files, "irb", "*.html"))
		for _, f := range list {
			name := strings.TrimSuffix(filepath.Base(f), ".html")
			fmt.Fprintf(w, "<a href=\"%sirb/%s\">%s</a>\n", prefix, name, name)
		}
		return
	case "caftb":
		fmt.Fprintf(w, `<a href="%scaftb/revoked-exempt-organizations.csv">Revoked exempt organizations</a>`, prefix)
		return
	}
	if strings.HasPrefix(rel, "irb/") {
		rel = "irb/" + strings.ToUpper(rel[4:]) + ".html"
	}
	p.mu.Lock()
	body, ok := p.replace[rel]
	date := p.date
	p.mu.Unlock()
	if !ok {
		var err error
		if body, err = os.ReadFile(filepath.Join(p.files, filepath.FromSlash(rel))); err != nil {
			http.NotFound(w, r)
			return
		}
	}
	http.ServeContent(w, r, "", date, bytes.NewReader(body))
}
