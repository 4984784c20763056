package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"golang.org/x/sync/semaphore"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

// TestMain gives the whole package credentials, which come from the environment.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "tester-secret", "AWS_REGION": "us-east-1",
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// fake is an object store in this process, which a test may look over the
// shoulder of.
type fake struct {
	url string

	mu      sync.Mutex
	meddle  func(w http.ResponseWriter, r *http.Request) bool // true when it has answered
	puts    atomic.Int64                                      // bytes that objects were sent with
	gets    atomic.Int64                                      // requests for content
	headers http.Header                                       // of the last object that was sent
}

func (f *fake) set(meddle func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.meddle = meddle
}

func newFake(t *testing.T) *fake {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	inner := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	f := &fake{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		meddle := f.meddle
		if r.Method == http.MethodPut {
			f.headers = r.Header.Clone()
		}
		f.mu.Unlock()
		if meddle != nil && meddle(w, r) {
			return
		}
		switch {
		case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/objects/"):
			f.puts.Add(r.ContentLength)
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/objects/"):
			f.gets.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it writes some headers twice
	server.Start()
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// store opens the fake, with the shortest parts that a store takes.
func (f *fake) store(t *testing.T) *s3 {
	t.Helper()
	s, err := Open("s3://bucket/some/prefix?endpoint="+f.url, Options{Parallel: 3})
	if err != nil {
		t.Fatal(err)
	}
	s.(*s3).part = 5 << 20
	return s.(*s3)
}

// stores are the implementations that the behavior is held against.
func stores(t *testing.T, test func(t *testing.T, s Store)) {
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		s, err := Open("file://"+t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		test(t, newFake(t).store(t))
	})
	// Another object store, where somebody has started one: make fleet does.
	address := os.Getenv("GRANTGRAPH_TEST_STORE")
	if address == "" {
		return
	}
	t.Run("gateway", func(t *testing.T) {
		t.Parallel()
		bucket, options, _ := strings.Cut(address, "?")
		s, err := Open(bucket+"/"+newLeaseID("test")+"?"+options, Options{Parallel: 3})
		if err != nil {
			t.Fatal(err)
		}
		s.(*s3).part = 5 << 20
		test(t, s)
	})
}

func put(t *testing.T, s Store, key, body string) {
	t.Helper()
	if err := s.Put(t.Context(), key, strings.NewReader(body), int64(len(body))); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s Store, key string, off, n int64) string {
	t.Helper()
	r, err := s.Get(t.Context(), key, off, n)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestStore is what every store does.
func TestStore(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		ctx := t.Context()
		if _, err := s.Head(ctx, "a/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("head of nothing: %v", err)
		}
		if _, err := s.Get(ctx, "a/none", 0, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("nothing was read: %v", err)
		}
		if err := s.Delete(ctx, "a/none"); err != nil {
			t.Errorf("nothing was removed: %v", err)
		}
		put(t, s, "a/one", "0123456789")
		put(t, s, "a/b/two", "second")
		put(t, s, "c/three", "")
		for _, c := range []struct {
			key    string
			off, n int64
			want   string
		}{
			{"a/one", 0, 100, "0123456789"}, {"a/one", 3, 4, "3456"}, {"a/one", 8, 10, "89"}, {"a/b/two", 0, 6, "second"}, {"c/three", 0, 10, ""},
		} {
			if got := get(t, s, c.key, c.off, c.n); got != c.want {
				t.Errorf("%s from %d: %q", c.key, c.off, got)
			}
		}
		info, err := s.Head(ctx, "a/one")
		if err != nil || info.Size != 10 || info.Tag == "" || info.Modified.IsZero() || info.Key != "a/one" {
			t.Errorf("%+v, %v", info, err)
		}
		list := func(prefix string) (keys []string) {
			if err := s.List(ctx, prefix, func(o Info) error {
				keys = append(keys, o.Key)
				if o.Modified.IsZero() {
					t.Errorf("%s has no time", o.Key)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(keys)
			return keys
		}
		if got := list("a/"); !slices.Equal(got, []string{"a/b/two", "a/one"}) {
			t.Errorf("a/ has %v", got)
		}
		if got := list("none/"); len(got) != 0 {
			t.Errorf("none/ has %v", got)
		}
		stop := errors.New("enough")
		if err := s.List(ctx, "a/", func(Info) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("a list that was stopped: %v", err)
		}
		put(t, s, "a/one", "other")
		if got := get(t, s, "a/one", 0, 100); got != "other" {
			t.Errorf("replaced: %q", got)
		}
		if err := s.Delete(ctx, "a/one"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Head(ctx, "a/one"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
	})
}

// TestPutIf writes on conditions, alone and with others.
func TestPutIf(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		ctx := t.Context()
		if _, err := s.PutIf(ctx, "p/current", []byte("x"), "0123456789abcdef0123456789abcdef"); !errors.Is(err, ErrChanged) {
			t.Errorf("nothing was replaced: %v", err)
		}
		tag, err := s.PutIf(ctx, "p/current", []byte("first"), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutIf(ctx, "p/current", []byte("again"), ""); !errors.Is(err, ErrChanged) {
			t.Errorf("made twice: %v", err)
		}
		if info, err := s.Head(ctx, "p/current"); err != nil || info.Tag != tag {
			t.Errorf("tag %q, head %+v %v", tag, info, err)
		}
		next, err := s.PutIf(ctx, "p/current", []byte("second"), tag)
		if err != nil || next == tag {
			t.Fatalf("%v, tag %q", err, next)
		}
		if _, err := s.PutIf(ctx, "p/current", []byte("late"), tag); !errors.Is(err, ErrChanged) {
			t.Errorf("replaced with an old tag: %v", err)
		}
		if got := get(t, s, "p/current", 0, 100); got != "second" {
			t.Errorf("%q", got)
		}
		var won atomic.Int32
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := s.PutIf(ctx, "p/current", []byte{byte('a' + i)}, next)
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, ErrChanged):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of four succeeded", won.Load())
		}
	})
}

// TestPutInParts sends an object that is long enough to go in parts, and gives up
// in the middle.
func TestPutInParts(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB
	stores(t, func(t *testing.T, s Store) {
		if err := s.Put(t.Context(), "o/long", bytes.NewReader(body), int64(len(body))); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, "o/long", 0, 1<<30); got != string(body) {
			t.Errorf("%d bytes came back", len(got))
		}
		short := bytes.NewReader(body[:100])
		if err := s.Put(t.Context(), "o/short", short, 200); err == nil {
			t.Error("a file that is shorter than was said was stored")
		}
		if _, err := s.Head(t.Context(), "o/short"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("half an object is there: %v", err)
		}
		if err := s.Forget(t.Context(), "o/", time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
		if got := get(t, s, "o/long", 5, 4); got != "5678" {
			t.Errorf("%q", got)
		}
	})
}

// TestResumedUpload cuts an upload off after some parts; the next one sends the
// others only.
func TestResumedUpload(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := f.store(t)
	s.parallel, s.slots = 1, semaphore.NewWeighted(1) // so that two parts are whole when the third is cut off
	body := make([]byte, 23<<20)
	for i := range body {
		body[i] = byte(i >> 10)
	}
	var parts atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.set(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && r.URL.Query().Has("partNumber") && parts.Add(1) > 2 {
			cancel() // as if the program were killed
			panic(http.ErrAbortHandler)
		}
		return false
	})
	const key = "x/objects/long"
	if err := s.Put(ctx, key, bytes.NewReader(body), int64(len(body))); err == nil {
		t.Fatal("the upload was not cut off")
	}
	f.set(nil)
	before := f.puts.Load()
	if err := s.Put(t.Context(), key, bytes.NewReader(body), int64(len(body))); err != nil {
		t.Fatal(err)
	}
	if sent := f.puts.Load() - before; sent != int64(len(body))-2*s.part {
		t.Errorf("%d bytes were sent again of %d", sent, len(body))
	}
	if got := get(t, s, key, 0, 1<<30); got != string(body) {
		t.Error("other bytes came back")
	}
}

// TestFaults answers as stores do when something is wrong.
func TestFaults(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			if r.Method != http.MethodHead {
				_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>no</Message></Error>")
			}
			return true
		}
	}
	for _, c := range []struct {
		status     int
		code, slug string
	}{
		{403, "InvalidAccessKeyId", "store_credentials"},
		{403, "SignatureDoesNotMatch", "store_credentials"},
		{403, "AccessDenied", "store_credentials"},
		{404, "XAdminUserNotFound", "store_credentials"}, // of versitygw
		{403, "RequestTimeTooSkewed", "store_clock"},
		{404, "NoSuchBucket", "store_bucket"},
		{400, "InvalidArgument", "store_refused"},
		{501, "NotImplemented", "store_conditional"},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			s := f.store(t)
			f.set(answer(c.status, c.code))
			_, err := s.PutIf(t.Context(), "a", []byte("b"), "")
			got, ok := fault.Of(err)
			if !ok || got.Slug != c.slug || got.Hint == "" {
				t.Errorf("%v: %+v", err, got)
			}
		})
	}
	t.Run("missing bucket", func(t *testing.T) {
		t.Parallel()
		s, err := Open("s3://other-bucket?endpoint="+newFake(t).url, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Current(t.Context(), s, Snapshots)
		if f, ok := fault.Of(err); !ok || f.Slug != "store_bucket" {
			t.Error(err)
		}
		_, _, err = readPointer(t.Context(), s, Snapshots)
		if f, ok := fault.Of(err); !ok || f.Slug != "store_bucket" {
			t.Error(err)
		}
	})
	t.Run("missing folder", func(t *testing.T) {
		t.Parallel()
		s, err := Open(filepath.Join(t.TempDir(), "not", "mounted"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Current(t.Context(), s, Snapshots)
		if f, ok := fault.Of(err); !ok || f.Slug != "store_missing" {
			t.Error(err)
		}
	})
}

// TestAddresses opens stores by good and bad addresses.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"s3://bucket/a/b": "s3://bucket/a/b",
		"s3://bucket":     "s3://bucket/",
		"s3://bucket?endpoint=http://h:1&style=path": "s3://bucket/",
		"s3://bucket/a?style=virtual&region=eu-1":    "s3://bucket/a",
		"file:///srv/store":                          "/srv/store",
		"/srv/store":                                 "/srv/store",
	} {
		s, err := Open(address, Options{})
		if err != nil || s.String() != want {
			t.Errorf("%s: %v %v", address, s, err)
		}
	}
	for _, address := range []string{
		"", " ", "s3://", "s3:///prefix", "s3://UPPER/x", "s3://bucket/a/../b", "s3://bucket/a//b", "s3://key:secret-4711@bucket/a", "s3://bucket?style=odd", "s3://bucket?no=option",
		"s3://bucket?endpoint=ftp://x", "s3://bucket?endpoint=http://x/path", "http://bucket", "file://host/x", "file:relative://", "s3://bucket/%zz",
	} {
		_, err := Open(address, Options{})
		f, ok := fault.Of(err)
		if !ok || f.Slug != "bad_store" || f.Hint == "" {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "4711") {
			t.Errorf("%q: the secret is shown: %v", address, err)
		}
	}
}

// TestEncryptionHeaders sends the headers that an operator asked for.
func TestEncryptionHeaders(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s, err := Open("s3://bucket?endpoint="+f.url, Options{Headers: []secret.Text{secret.New("x-amz-server-side-encryption: aws:kms"), secret.New("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id:key-1")}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "a", "b")
	if f.headers.Get("X-Amz-Server-Side-Encryption") != "aws:kms" || f.headers.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id") != "key-1" {
		t.Errorf("%v", f.headers)
	}
	if f.headers.Get("Content-Md5") == "" || len(f.headers.Get("X-Amz-Content-Sha256")) != 64 {
		t.Errorf("no checksum was sent: %v", f.headers)
	}
	for _, line := range []string{"", "x-amz-server-side-encryption", "authorization: x", "x-amz-server-side-encryption: a\r\nb: c", "x-amz-server-side-encryption:"} {
		if _, err := Open("s3://bucket", Options{Headers: []secret.Text{secret.New(line)}}); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}

// TestTimeout tells a connection that times out, which looks like a deadline, from
// the end of the caller's own time.
func TestTimeout(t *testing.T) {
	t.Parallel()
	opened, err := Open("s3://bucket?endpoint=http://127.0.0.1:1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*s3)
	late := &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	if f, ok := fault.Of(s.explain(t.Context(), late)); !ok || f.Slug != "store_unreachable" {
		t.Errorf("a dial that timed out is %v", f)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.explain(over, late); err != context.Canceled {
		t.Error(err)
	}
}
