package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/ingest/source/rows/rowstest"
)

// step answers one request in its own way.
type step func(w http.ResponseWriter, r *http.Request)

// upstream is a publisher on the loopback. Each path answers the steps given
// for it, one a request, and its file after that.
type upstream struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string]file
	steps map[string][]step
	log   []string // of requests: method, path, and the headers that matter
}

// file is what a publisher has at a path.
type file struct {
	body     []byte
	etag     string
	modified string
	ranges   bool
	header   map[string]string
}

const (
	monday  = "Mon, 02 Nov 2026 08:00:00 GMT"
	tuesday = "Tue, 03 Nov 2026 08:00:00 GMT"
)

func newUpstream(t *testing.T) *upstream {
	u := &upstream{files: map[string]file{}, steps: map[string][]step{}}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	line := r.Method + " " + r.URL.Path
	for _, h := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
		if v := r.Header.Get(h); v != "" {
			line += " " + h + "=" + v
		}
	}
	u.log = append(u.log, line)
	f, ok := u.files[r.URL.Path]
	var s step
	if list := u.steps[r.URL.Path]; len(list) > 0 {
		s, u.steps[r.URL.Path] = list[0], list[1:]
	}
	u.mu.Unlock()
	switch {
	case s != nil:
		s(w, r)
	case !ok:
		http.NotFound(w, r)
	default:
		f.serve(w, r)
	}
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	f.announce(w)
	if m := r.Header.Get("If-None-Match"); m != "" && m == f.etag ||
		m == "" && f.modified != "" && r.Header.Get("If-Modified-Since") == f.modified {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, status := f.body, http.StatusOK
	var from int
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); n == 1 && f.ranges {
		if v := r.Header.Get("If-Range"); v == f.etag || v == f.modified {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(body)-1, len(body)))
			body, status = body[from:], http.StatusPartialContent
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (f file) announce(w http.ResponseWriter) {
	if f.etag != "" {
		w.Header().Set("ETag", f.etag)
	}
	if f.modified != "" {
		w.Header().Set("Last-Modified", f.modified)
	}
	for name, value := range f.header {
		w.Header().Set(name, value)
	}
}

// cutAfter sends the first n bytes of a file and breaks off.
func cutAfter(f file, n int) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		f.announce(w)
		w.Header().Set("Content-Length", strconv.Itoa(len(f.body)))
		_, _ = w.Write(f.body[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func (u *upstream) put(path string, f file) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.files[path] = f
}

func (u *upstream) script(path string, s ...step) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.steps[path] = s
}

// requests returns the log since the last call.
func (u *upstream) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	log := u.log
	u.log = nil
	return log
}

// testFolder is a sources folder with a clock that moves only when the fetcher
// sleeps.
type testFolder struct {
	t     *testing.T
	dir   string
	now   time.Time
	slept []time.Duration
	opt   Options
}

func newTestFolder(t *testing.T, u *upstream, sources ...string) *testFolder {
	d := &testFolder{t: t, dir: filepath.Join(t.TempDir(), "sources"), now: time.Date(2026, 11, 9, 12, 0, 0, 0, time.UTC)}
	d.opt = Options{
		Dir: d.dir, Sources: sources, Client: u.Client(), Base: map[string]string{}, Floor: map[string]int64{},
		Now: func() time.Time { return d.now },
		Sleep: func(ctx context.Context, wait time.Duration) error {
			d.now = d.now.Add(wait)
			if wait != pause {
				d.slept = append(d.slept, wait)
			}
			return context.Cause(ctx)
		},
		After:  func(time.Duration) <-chan time.Time { return nil },
		Jitter: func() float64 { return 0.5 },
	}
	for _, s := range sources {
		d.opt.Base[s] = u.URL
		d.opt.Floor[s] = 1
	}
	return d
}

// run fetches and returns the result of the first source and the state that
// was written.
func (d *testFolder) run() (Result, State) {
	d.t.Helper()
	sum, err := Run(d.t.Context(), d.opt)
	if err != nil {
		d.t.Fatal(err)
	}
	state, err := ReadState(d.dir, sum.Results[0].Source)
	if err != nil {
		d.t.Fatal(err)
	}
	return sum.Results[0], state
}

// has reports whether the file at a path has the content.
func (d *testFolder) has(path string, want []byte) {
	d.t.Helper()
	got, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(path)))
	if err != nil {
		d.t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		d.t.Errorf("%s has %d bytes, want %d others", path, len(got), len(want))
	}
}

func (d *testFolder) hasNot(path string) {
	d.t.Helper()
	if _, err := os.Stat(filepath.Join(d.dir, filepath.FromSlash(path))); !errors.Is(err, os.ErrNotExist) {
		d.t.Errorf("%s is there (%v)", path, err)
	}
}

// list is a Publication 78 of n invented organizations.
func list(n int, word string) []byte {
	var b bytes.Buffer
	b.WriteString("\r\n\r\n")
	for i := range n {
		fmt.Fprintf(&b, "07%07d|%s Society No. %d|Riverton|WY|United States|PC\r\n", i, word, i)
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// zipped packs one member.
func zipped(name string, body []byte) []byte { return []byte(rowstest.Zip(name, string(body))) }

func contains(list []string, part string) bool {
	for _, s := range list {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
