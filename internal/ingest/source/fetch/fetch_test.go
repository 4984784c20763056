package fetch

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

const (
	pub78URL  = "/data-download-pub78.zip"
	pub78Path = "pub78/data-download-pub78.zip"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	body := zipped("data-download-pub78.txt", list(100, "Garden"))
	u.put(pub78URL, file{body: body, etag: `"one"`, modified: monday})
	d := newTestFolder(t, u, "pub78")

	got, state := d.run()
	if got.New != 1 || got.Files != 1 || got.Rows != 100 || got.Revised != "2026-11-02" || got.Failed() || len(got.Problems) > 0 {
		t.Errorf("first: %+v", got)
	}
	d.has(pub78Path, body)
	sum := sha256.Sum256(body)
	want := File{
		Path: pub78Path, URL: u.URL + pub78URL, Bytes: int64(len(body)), SHA256: hex.EncodeToString(sum[:]),
		ETag: `"one"`, LastModified: monday, FetchedAt: d.now, Rows: 100, Revised: "2026-11-02",
	}
	if len(state.Files) != 1 || state.Files[0] != want || state.UpstreamRevised != "2026-11-02" || !state.CheckedAt.Equal(d.now) {
		t.Errorf("state: %+v\nwant %+v", state, want)
	}
	d.hasNot(".fetch/part/" + pub78Path)
	d.hasNot(".fetch/part/" + pub78Path + ".json")

	u.requests()
	d.now = d.now.Add(time.Hour)
	got, later := d.run()
	if got.New != 0 || got.Unchanged != 1 || got.Transferred != 0 || got.Rows != 100 {
		t.Errorf("second: %+v", got)
	}
	if log := u.requests(); len(log) != 1 || !strings.Contains(log[0], `If-None-Match="one"`) || !strings.Contains(log[0], "If-Modified-Since="+monday) {
		t.Errorf("asked %q", log)
	}
	if !later.CheckedAt.Equal(d.now) || !later.Files[0].FetchedAt.Equal(want.FetchedAt) {
		t.Errorf("checked %v, fetched %v", later.CheckedAt, later.Files[0].FetchedAt)
	}

	newer := zipped("data-download-pub78.txt", list(101, "Garden"))
	u.put(pub78URL, file{body: newer, etag: `"two"`, modified: tuesday})
	got, state = d.run()
	if got.New != 1 || got.Replaced != 0 || state.Files[0].Rows != 101 || state.Files[0].Replaced || state.UpstreamRevised != "2026-11-03" {
		t.Errorf("third: %+v %+v", got, state)
	}
	d.has(pub78Path, newer)
}

// TestRefused offers one bad file after another where a good one is held. None
// of them may take its place.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := zipped("data-download-pub78.txt", list(100, "Garden"))
	whole := zipped("data-download-pub78.txt", list(120, "Orchard"))
	page := []byte("\r\n<!DOCTYPE html><html><head><title>Sorry</title></head><body>We are out.</body></html>")
	sum := md5.Sum([]byte("something else"))
	for name, c := range map[string]struct {
		f      file
		reason string
		rows   int64
		newer  bool // there is something newer upstream
	}{
		"zero bytes":    {file{body: []byte{}}, "zero bytes", 0, false},
		"cut zip":       {file{body: whole[:len(whole)-40]}, "damaged or cut short", 0, true},
		"page":          {file{body: page}, "web page", 0, false},
		"shrunken":      {file{body: list(89, "Garden")}, "89 rows and the last good file 100", 89, true},
		"other layout":  {file{body: []byte(strings.Repeat("070000001,Garden Society,Riverton\n", 200))}, "", 0, true},
		"stated digest": {file{body: whole, header: map[string]string{"Content-MD5": base64.StdEncoding.EncodeToString(sum[:])}}, "hash", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			u.put(pub78URL, file{body: good, modified: monday})
			d := newTestFolder(t, u, "pub78")
			_, first := d.run()
			c.f.modified = tuesday
			u.put(pub78URL, c.f)
			got, state := d.run()
			if got.Refused != 1 || got.New != 0 || got.Files != 1 || len(got.Problems) != 1 || got.Failed() {
				t.Errorf("%+v", got)
			}
			d.has(pub78Path, good)
			if len(state.Refused) != 1 || !slices.Equal(state.Files, first.Files) {
				t.Fatalf("state %+v", state)
			}
			r := state.Refused[0]
			if want := map[bool]string{true: "2026-11-03", false: "2026-11-02"}[c.newer]; state.UpstreamRevised != want {
				t.Errorf("upstream revised %s, want %s", state.UpstreamRevised, want)
			}
			if !strings.Contains(r.Reason, c.reason) || r.Bytes != int64(len(c.f.body)) || r.Rows != c.rows || r.URL != u.URL+pub78URL || !r.At.Equal(d.now) {
				t.Errorf("refusal %+v", r)
			}
			d.hasNot(".fetch/part/" + pub78Path)

			u.put(pub78URL, file{body: whole, modified: tuesday})
			if got, _ = d.run(); got.New != 1 {
				t.Errorf("a good file after it: %+v", got)
			}
			d.has(pub78Path, whole)
		})
	}
}

func TestRefusedFirst(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden")})
	d := newTestFolder(t, u, "pub78")
	delete(d.opt.Floor, "pub78")
	got, state := d.run()
	if got.Refused != 1 || !got.Failed() || !contains(got.Problems, "a complete file has at least 1000000") || len(state.Files) != 0 {
		t.Errorf("%+v %+v", got, state)
	}
	d.hasNot(pub78Path)
}

// TestShrunkAndMeant has the last good file deleted, which is how a person says
// that a smaller one is right.
func TestShrunkAndMeant(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden"), etag: `"one"`})
	d := newTestFolder(t, u, "pub78")
	d.run()
	u.put(pub78URL, file{body: list(50, "Garden"), etag: `"two"`})
	if got, _ := d.run(); got.Refused != 1 {
		t.Fatalf("%+v", got)
	}
	if err := os.Remove(filepath.Join(d.dir, filepath.FromSlash(pub78Path))); err != nil {
		t.Fatal(err)
	}
	if got, state := d.run(); got.New != 1 || state.Files[0].Rows != 50 {
		t.Errorf("%+v %+v", got, state)
	}
}

// TestReplaced changes the content under the same date, which some publishers
// do.
func TestReplaced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ first, second file }{
		"same date, another tag": {file{etag: `"a"`, modified: monday}, file{etag: `"b"`, modified: monday}},
		"same tag, ignored":      {file{etag: `W/"a"`, modified: monday}, file{etag: `W/"a"`, modified: tuesday}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			c.first.body, c.second.body = list(100, "Garden"), list(100, "Orchard")
			u.put(pub78URL, c.first)
			d := newTestFolder(t, u, "pub78")
			d.run()
			u.put(pub78URL, c.second)
			// This server pays no heed to conditions.
			u.script(pub78URL, func(w http.ResponseWriter, r *http.Request) {
				r.Header = http.Header{}
				c.second.serve(w, r)
			})
			got, state := d.run()
			if got.New != 1 || got.Replaced != 1 || !state.Files[0].Replaced {
				t.Errorf("%+v %+v", got, state)
			}
			d.has(pub78Path, c.second.body)
		})
	}
}

// TestLostAndFetchedAgain has a file deleted here, not replaced there.
func TestLostAndFetchedAgain(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden"), etag: `"one"`, modified: monday})
	d := newTestFolder(t, u, "pub78")
	d.run()
	if err := os.Remove(filepath.Join(d.dir, filepath.FromSlash(pub78Path))); err != nil {
		t.Fatal(err)
	}
	if got, state := d.run(); got.New != 1 || got.Replaced != 0 || state.Files[0].Replaced {
		t.Errorf("%+v %+v", got, state)
	}
}

// TestOldDate replaces a file that has nothing but a date, and keeps the date:
// the server says that nothing is new, and within a week it is asked without
// the condition.
func TestOldDate(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden"), modified: monday})
	d := newTestFolder(t, u, "pub78")
	d.run()
	u.put(pub78URL, file{body: list(100, "Orchard"), modified: monday})
	if got, _ := d.run(); got.Unchanged != 1 {
		t.Fatalf("%+v", got)
	}
	d.now = d.now.Add(8 * 24 * time.Hour)
	if got, _ := d.run(); got.Replaced != 1 {
		t.Errorf("%+v", got)
	}
	d.has(pub78Path, list(100, "Orchard"))
}

// TestSameContent serves the same bytes without any condition: they are
// recognized.
func TestSameContent(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden"), etag: `"a"`})
	d := newTestFolder(t, u, "pub78")
	d.run()
	u.put(pub78URL, file{body: list(100, "Garden"), etag: `"b"`})
	got, state := d.run()
	if got.New != 0 || got.Unchanged != 1 || state.Files[0].ETag != `"b"` || state.Files[0].Rows != 100 {
		t.Errorf("%+v %+v", got, state)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	busy := func(code int, after string) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(code)
		}
	}
	for name, c := range map[string]struct {
		steps []step
		slept []time.Duration
		fails string
	}{
		"seconds":  {[]step{busy(503, "90")}, []time.Duration{90 * time.Second}, ""},
		"date":     {[]step{busy(429, "Mon, 09 Nov 2026 12:02:00 GMT")}, []time.Duration{2 * time.Minute}, ""},
		"past":     {[]step{busy(503, monday)}, []time.Duration{time.Second}, ""},
		"nonsense": {[]step{busy(503, "soon")}, []time.Duration{time.Second}, ""},
		"too long": {[]step{busy(503, "86400")}, nil, "asks to come back in 24h0m0s"},
		"often":    {[]step{status(500), status(502), status(504)}, []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second}, ""},
		"always":   {[]step{status(503), status(503), status(503), status(503), status(503)}, []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}, "503 Service Unavailable (tried 5 times)"},
		"for good": {[]step{status(403)}, nil, "403 Forbidden"},
		"gone":     {[]step{status(410)}, nil, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			u.put(pub78URL, file{body: list(100, "Garden")})
			u.script(pub78URL, c.steps...)
			d := newTestFolder(t, u, "pub78")
			got, _ := d.run()
			if c.fails != "" {
				if !got.Failed() || !contains(got.Problems, c.fails) || got.Refused != 0 {
					t.Errorf("%+v", got)
				}
			} else if got.New != 1 {
				t.Errorf("%+v", got)
			}
			if !slices.Equal(d.slept, c.slept) {
				t.Errorf("slept %v", d.slept)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put("/elsewhere", file{body: list(100, "Garden"), etag: `"one"`})
	to := func(path string) step {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, path, http.StatusFound) }
	}
	u.script(pub78URL, to("/elsewhere?signature=secret"), to("/elsewhere"))
	d := newTestFolder(t, u, "pub78")
	got, state := d.run()
	if got.New != 1 || state.Files[0].URL != u.URL+pub78URL {
		t.Errorf("%+v %+v", got, state)
	}
	if got, _ = d.run(); got.Unchanged != 1 || got.Transferred != 0 {
		t.Errorf("%+v", got)
	}
	loop := make([]step, 100)
	for i := range loop {
		loop[i] = to(pub78URL)
	}
	u.script(pub78URL, loop...)
	u.requests()
	if got, _ = d.run(); !contains(got.Problems, "redirected more than 10 times") || got.Files != 1 {
		t.Errorf("%+v", got)
	}
	if n := len(u.requests()); n != maxRedirects+1 {
		t.Errorf("%d requests", n)
	}
}

func TestDowngrade(t *testing.T) {
	t.Parallel()
	plain := newUpstream(t)
	plain.put("/elsewhere", file{body: list(100, "Garden")})
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/elsewhere", http.StatusFound))
	t.Cleanup(secure.Close)
	d := newTestFolder(t, plain, "pub78")
	d.opt.Client, d.opt.Base["pub78"] = secure.Client(), secure.URL
	if got, _ := d.run(); !contains(got.Problems, "insecure") {
		t.Errorf("%+v", got)
	}
	if log := plain.requests(); len(log) > 0 {
		t.Errorf("asked %q", log)
	}
}

// TestSilent has a server that sends the first half and nothing more. Time is
// the test's: it passes once the half has come, until the fetcher gives up.
func TestSilent(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	f := file{body: list(20000, "Garden"), etag: `"one"`, ranges: true}
	half := len(f.body) / 2
	u.put(pub78URL, f)
	u.script(pub78URL, func(w http.ResponseWriter, r *http.Request) {
		f.announce(w)
		w.Header().Set("Content-Length", fmt.Sprint(len(f.body)))
		_, _ = w.Write(f.body[:half])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ticks, came, gaveUp := make(chan time.Time), make(chan struct{}), make(chan struct{})
	d := newTestFolder(t, u, "pub78")
	d.opt.After = func(time.Duration) <-chan time.Time { return ticks }
	var once, twice sync.Once
	d.opt.Progress = func(_, _ string, done, _ int64) {
		if done == int64(half) {
			once.Do(func() { close(came) })
		}
	}
	sleep := d.opt.Sleep
	d.opt.Sleep = func(ctx context.Context, wait time.Duration) error {
		twice.Do(func() { close(gaveUp) })
		return sleep(ctx, wait)
	}
	go func() {
		for <-came; ; {
			select {
			case ticks <- time.Time{}:
			case <-gaveUp:
				return
			}
		}
	}()
	got, _ := d.run()
	if got.New != 1 || got.Transferred != int64(len(f.body)) {
		t.Errorf("%+v", got)
	}
	d.has(pub78Path, f.body)
	if log := u.requests(); len(log) != 2 || !strings.Contains(log[1], fmt.Sprintf("Range=bytes=%d-", half)) {
		t.Errorf("asked %q", log)
	}
}

func TestOversized(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	endless := func(announced bool) step {
		return func(w http.ResponseWriter, r *http.Request) {
			if announced {
				w.Header().Set("Content-Length", "999999999999")
			}
			block := make([]byte, 1<<20)
			for r.Context().Err() == nil {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}
	}
	const path = "/tab20_zcta520_county20_natl.txt"
	for _, announced := range []bool{true, false} {
		u.script(path, endless(announced))
		d := newTestFolder(t, u, "census")
		got, state := d.run()
		if got.Refused != 1 || !contains(got.Problems, "more than census can have") || len(state.Files) != 0 {
			t.Errorf("announced %v: %+v", announced, got)
		}
		d.hasNot(".fetch/part/census/" + path[1:])
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped by hand")
	u.script(pub78URL, func(w http.ResponseWriter, r *http.Request) {
		cancel(stop)
		<-r.Context().Done()
	})
	d := newTestFolder(t, u, "pub78")
	if _, err := Run(ctx, d.opt); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Sources: []string{"nowhere"}}, {Base: map[string]string{"nowhere": "http://127.0.0.1"}}, {Floor: map[string]int64{"nowhere": 1}}} {
		o.Dir = t.TempDir()
		_, err := Run(t.Context(), o)
		if f, ok := fault.Of(err); !ok || f.Slug != "unknown_source" || !strings.Contains(f.Hint, "ofac") {
			t.Errorf("%v", err)
		}
	}
}

// TestOthersGoOn has the first of two sources fail.
func TestOthersGoOn(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden")})
	d := newTestFolder(t, u, "revocation", "pub78")
	sum, err := Run(t.Context(), d.opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Results) != 2 || !sum.Results[0].Failed() || sum.Results[1].New != 1 || !slices.Equal(sum.Failed(), []string{"revocation"}) {
		t.Errorf("%+v", sum)
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden")})
	d := newTestFolder(t, u, "pub78")
	d.run()
	release, err := lock(d.dir, "pub78")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := d.run(); !contains(got.Problems, "is running") || got.Unchanged != 0 {
		t.Errorf("%+v", got)
	}
	release()
	if got, _ := d.run(); got.Unchanged != 1 {
		t.Errorf("%+v", got)
	}
}
