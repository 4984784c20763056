package fetch

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestResume(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	sum := sha256.Sum256(list(20000, "Garden"))
	f := file{
		body: list(20000, "Garden"), etag: `"one"`, ranges: true,
		header: map[string]string{"Repr-Digest": "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"},
	}
	u.put(pub78URL, f)
	u.script(pub78URL, cutAfter(f, 500_000))
	d := newTestFolder(t, u, "pub78")
	got, state := d.run()
	if got.New != 1 || got.Transferred != int64(len(f.body)) || state.Files[0].Rows != 20000 {
		t.Errorf("%+v", got)
	}
	d.has(pub78Path, f.body)
	if log := u.requests(); len(log) != 2 || !strings.HasSuffix(log[1], `Range=bytes=500000- If-Range="one"`) {
		t.Errorf("asked %q", log)
	}
	if len(d.slept) != 1 || d.slept[0] != time.Second {
		t.Errorf("slept %v", d.slept)
	}
}

// TestResumeLater goes on in another run, after all tries of the first ended
// in the middle.
func TestResumeLater(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	f := file{body: list(20000, "Garden"), modified: monday, ranges: true}
	u.put(pub78URL, f)
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	u.script(pub78URL, cutAfter(f, 300_000), abort, abort, abort, abort, abort, abort)
	d := newTestFolder(t, u, "pub78")
	got, _ := d.run()
	if got.New != 0 || !got.Failed() {
		t.Fatalf("%+v", got)
	}
	u.requests()
	u.script(pub78URL)
	if got, _ = d.run(); got.New != 1 || got.Transferred != int64(len(f.body))-300_000 {
		t.Errorf("%+v", got)
	}
	if log := u.requests(); len(log) != 1 || !strings.HasSuffix(log[0], "Range=bytes=300000- If-Range="+monday) {
		t.Errorf("asked %q", log)
	}
	d.has(pub78Path, f.body)
}

// TestResumeRefused has servers that answer a request for the rest in ways from
// which the file must still come out right.
func TestResumeRefused(t *testing.T) {
	t.Parallel()
	old := file{body: list(20000, "Garden"), etag: `"one"`}
	for name, c := range map[string]struct {
		then   file
		answer []step
	}{
		"ranges are ignored":  {then: old},
		"another version":     {then: file{body: list(20000, "Orchard"), etag: `"two"`, ranges: true}},
		"no rest":             {then: old, answer: []step{status(http.StatusRequestedRangeNotSatisfiable)}},
		"another part":        {then: old, answer: []step{partialFile(old, 7, `"one"`)}},
		"part of another tag": {then: old, answer: []step{partialFile(old, 500_000, `"two"`)}},
		"part of unknown":     {then: old, answer: []step{partialFile(old, -1, `"one"`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			u.put(pub78URL, c.then)
			u.script(pub78URL, append([]step{cutAfter(old, 500_000)}, c.answer...)...)
			d := newTestFolder(t, u, "pub78")
			if got, _ := d.run(); got.New != 1 || len(got.Problems) > 0 {
				t.Errorf("%+v", got)
			}
			d.has(pub78Path, c.then.body)
			if log := u.requests(); !strings.Contains(log[1], "Range=bytes=500000-") {
				t.Errorf("asked %q", log)
			}
		})
	}
}

// TestWeak has only a weak tag to go by, which does not promise equal bytes:
// the file is asked for from its start. It does say that nothing is new.
func TestWeak(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	f := file{body: list(20000, "Garden"), etag: `W/"one"`, ranges: true}
	u.put(pub78URL, f)
	u.script(pub78URL, cutAfter(f, 500_000))
	d := newTestFolder(t, u, "pub78")
	if got, _ := d.run(); got.New != 1 || got.Transferred != int64(len(f.body))+500_000 {
		t.Errorf("%+v", got)
	}
	d.has(pub78Path, f.body)
	if got, _ := d.run(); got.Unchanged != 1 || got.Transferred != 0 {
		t.Errorf("%+v", got)
	}
	want := []string{"GET " + pub78URL, "GET " + pub78URL, "GET " + pub78URL + ` If-None-Match=W/"one"`}
	if log := u.requests(); !slices.Equal(log, want) {
		t.Errorf("asked %q", log)
	}
}

// TestSpliced has a server that changes a file under its tag in the middle of
// a download. Only the digest it states shows that the halves do not fit.
func TestSpliced(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	old := file{body: list(20000, "Garden"), etag: `"one"`, ranges: true}
	now := file{body: list(20000, "Meadow"), etag: `"one"`, ranges: true}
	sum := md5.Sum(now.body)
	now.header = map[string]string{"Content-MD5": base64.StdEncoding.EncodeToString(sum[:])}
	old.header = now.header
	u.put(pub78URL, now)
	u.script(pub78URL, cutAfter(old, 500_000))
	d := newTestFolder(t, u, "pub78")
	if got, _ := d.run(); got.New != 1 {
		t.Errorf("%+v", got)
	}
	d.has(pub78Path, now.body)
	if log := u.requests(); len(log) != 3 {
		t.Errorf("asked %q", log)
	}
}

func status(code int) step {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func partialFile(f file, from int, etag string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", etag)
		if from >= 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(f.body)-1, len(f.body)))
		}
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(f.body[max(from, 0):])
	}
}

// TestAlwaysCut has a server that never gets to the end, and does not resume.
func TestAlwaysCut(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	f := file{body: list(20000, "Garden")}
	cuts := make([]step, 50)
	for i := range cuts {
		cuts[i] = cutAfter(f, 400_000)
	}
	u.script(pub78URL, cuts...)
	d := newTestFolder(t, u, "pub78")
	got, state := d.run()
	if got.Refused != 1 || !contains(got.Problems, fmt.Sprintf("cut short: 400000 of %d bytes", len(f.body))) || len(state.Refused) != 1 || state.Refused[0].Bytes != 400_000 {
		t.Errorf("%+v %+v", got, state.Refused)
	}
	if n := len(u.requests()); n != maxTries {
		t.Errorf("%d requests", n)
	}
}
