package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/snapshot"
)

// objectStore is an object store on loopback: one in this process, or, where
// GRANTGRAPH_TEST_STORE names one, that behind a proxy in this process.
type objectStore struct {
	address string   // as grantgraph takes it
	env     []string // credentials

	fetched atomic.Int64 // bytes of content that were read
	mu      sync.Mutex
	stuck   func(fetched int64) bool                  // whether to leave a reader waiting
	left    atomic.Int64                              // readers that went away while they waited
	spoil   func(r *http.Request, body []byte) []byte // what a reader gets instead
	let     chan struct{}                             // closed when readers are let go
}

func startObjectStore(t *testing.T) *objectStore {
	t.Helper()
	s := &objectStore{let: make(chan struct{})}
	bucket, options := "s3://bucket", ""
	var inner http.Handler
	if named := os.Getenv("GRANTGRAPH_TEST_STORE"); named != "" {
		var at url.Values
		bucket, options, _ = strings.Cut(named, "?")
		at, err := url.ParseQuery(options)
		if err != nil {
			t.Fatal(err)
		}
		target, err := url.Parse(at.Get("endpoint"))
		if err != nil {
			t.Fatal(err)
		}
		// The host that was signed is the one that is sent on.
		inner = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host }}
	} else {
		backend := s3mem.New()
		if err := backend.CreateBucket("bucket"); err != nil {
			t.Fatal(err)
		}
		inner = gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/snapshots/objects/") {
			s.mu.Lock()
			stuck, spoil, let := s.stuck != nil && s.stuck(s.fetched.Load()), s.spoil, s.let
			s.mu.Unlock()
			if stuck {
				select {
				case <-let:
				case <-r.Context().Done():
					s.left.Add(1)
					return
				}
			}
			w = &counted{w, r, spoil, &s.fetched}
		}
		inner.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	s.address = bucket + "/fleet-" + strings.ToLower(rand.Text()[:8]) + "?endpoint=" + server.URL
	s.env = storeCredentials
	return s
}

// storeCredentials are those of every store of the tests.
var storeCredentials = []string{"AWS_ACCESS_KEY_ID=tester", "AWS_SECRET_ACCESS_KEY=tester-secret", "AWS_REGION=us-east-1", "AWS_ENDPOINT_URL=", "AWS_ENDPOINT_URL_S3="}

// counted counts what a reader gets, and may spoil it.
type counted struct {
	http.ResponseWriter
	r     *http.Request
	spoil func(*http.Request, []byte) []byte
	n     *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	if c.spoil != nil {
		return c.ResponseWriter.Write(c.spoil(c.r, bytes.Clone(p)))
	}
	return c.ResponseWriter.Write(p)
}

// program is a command as a process of its own.
func (s *objectStore) program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = s.env
	return cmd
}

func (s *objectStore) publish(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.tryPublish(args...)
	if err != nil {
		t.Fatalf("publish %v: %v\n%s", args, err, out)
	}
	return out
}

func (s *objectStore) tryPublish(args ...string) (string, error) {
	cmd := s.program(append([]string{"publish", "--to", s.address, "--quiet"}, args...)...)
	cmd.Env = append(append(os.Environ(), cmd.Env...), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// servedVersion asks a node for something that rests on the dataset.
func servedVersion(url string) (version string, err error) {
	r, err := http.Get(url + "/api/v1/meta")
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return "", err
	}
	if r.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %d", r.StatusCode)
	}
	return r.Header.Get("X-Dataset-Version"), nil
}

// awaitVersion asks until a node serves a version.
func awaitVersion(t *testing.T, url, version string, log fmt.Stringer) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := servedVersion(url)
		if err != nil {
			t.Fatal(err)
		}
		if got == version {
			return
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("%s is not served\n%s", version, log)
		}
	}
}

// TestFleet publishes from one process and serves from two others, which have
// nothing in common but an object store. While clients ask, a second build is
// published, a third is damaged on the way, and the second is rolled back: no
// request fails, and each answer names its version.
func TestFleet(t *testing.T) {
	t.Parallel()
	store := startObjectStore(t)
	from := filepath.Join(t.TempDir(), "data")
	first := world.Small.Publish(t, from).Manifest.Version
	store.publish(t, "--data", from)

	type node struct {
		data  string
		url   string
		log   *listening
		cmd   *exec.Cmd
		ended <-chan error
	}
	var nodes []node
	for range 2 {
		data := filepath.Join(t.TempDir(), "node")
		cmd := store.program("serve", "--snapshots", store.address, "--data", data)
		url, log, ended := startServing(t, cmd)
		nodes = append(nodes, node{data, url, log, cmd, ended})
	}
	for _, n := range nodes {
		if got, err := servedVersion(n.url); err != nil || got != first {
			t.Fatalf("%s, %v\n%s", got, err, n.log)
		}
	}

	var (
		mu      sync.Mutex
		seen    = map[string]int{} // answers by version
		failed  error
		done    = make(chan struct{})
		clients sync.WaitGroup
	)
	for _, n := range nodes {
		clients.Go(func() {
			steady := time.NewTicker(5 * time.Millisecond)
			defer steady.Stop()
			for {
				select {
				case <-done:
					return
				case <-steady.C:
				}
				version, err := servedVersion(n.url)
				mu.Lock()
				seen[version]++
				failed = errors.Join(failed, err)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	second := world.Other.Publish(t, from).Manifest.Version
	store.publish(t, "--data", from)
	for _, n := range nodes {
		awaitVersion(t, n.url, second, n.log)
		// The old one goes; so what it has in common with the next must be fetched.
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			versions, err := snapshot.Versions(n.data)
			if err != nil {
				t.Fatal(err)
			}
			if len(versions) == 1 {
				break
			}
			<-tick.C
		}
	}

	// A third comes with another byte in each file.
	store.mu.Lock()
	store.spoil = func(_ *http.Request, body []byte) []byte {
		if len(body) > 0 {
			body[len(body)/2] ^= 1
		}
		return body
	}
	store.mu.Unlock()
	third := world.Small.Publish(t, from).Manifest.Version
	store.publish(t, "--data", from)
	for _, n := range nodes {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ; !strings.Contains(n.log.String(), "does not match its checksum"); <-tick.C {
			if got, err := servedVersion(n.url); err != nil || got != second {
				t.Fatalf("%s, %v\n%s", got, err, n.log)
			}
		}
	}
	store.mu.Lock()
	store.spoil = nil
	store.mu.Unlock()

	if out := store.publish(t, "--list"); !strings.Contains(out, third) || !strings.Contains(out, "current") {
		t.Errorf("%s", out)
	}
	store.publish(t, "--rollback", first)
	for _, n := range nodes {
		awaitVersion(t, n.url, first, n.log)
	}
	close(done)
	clients.Wait()
	if failed != nil {
		t.Error(failed)
	}
	if len(seen) != 2 || seen[first] == 0 || seen[second] == 0 {
		t.Errorf("answers by version: %v", seen)
	}
	t.Logf("answers by version: %v", seen)
	for _, n := range nodes {
		if err := n.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := <-n.ended; err != nil {
			t.Errorf("%v\n%s", err, n.log)
		}
	}
}

// TestPullKilled kills a node in the middle of its first pull; the next one goes
// on where it was.
func TestPullKilled(t *testing.T) {
	t.Parallel()
	store := startObjectStore(t)
	from := filepath.Join(t.TempDir(), "data")
	snap := world.Small.Publish(t, from)
	store.publish(t, "--data", from)
	size := totalBytes(&snap.Manifest)
	// When all that it asks for at a time is waited for, what came before is
	// noted.
	const atATime = 6
	half := make(chan struct{}, 100)
	store.mu.Lock()
	store.stuck = func(fetched int64) bool {
		if fetched < size/2 {
			return false
		}
		half <- struct{}{}
		return true
	}
	store.mu.Unlock()

	node := filepath.Join(t.TempDir(), "node")
	dying := store.program("serve", "--snapshots", store.address, "--data", node, "--addr", "127.0.0.1:0")
	dying.Env = append(append(os.Environ(), dying.Env...), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	if err := dying.Start(); err != nil {
		t.Fatal(err)
	}
	for range atATime {
		<-half
	}
	if err := dying.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dying.Wait()
	// None of those that waited is answered any more, or it would count as fetched.
	until(t, "the readers to go away", func() (bool, error) { return store.left.Load() == atATime, nil })
	store.mu.Lock()
	store.stuck = nil
	close(store.let)
	store.mu.Unlock()
	before := store.fetched.Load()

	cmd := store.program("serve", "--snapshots", store.address, "--data", node)
	url, log, ended := startServing(t, cmd)
	if got, err := servedVersion(url); err != nil || got != snap.Manifest.Version {
		t.Errorf("%s, %v\n%s", got, err, log)
	}
	again := store.fetched.Load() - before
	t.Logf("%d bytes: %d before the kill, %d after it", size, before, again)
	if before+again != size {
		t.Errorf("%d bytes were fetched twice", before+again-size)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("%v\n%s", err, log)
	}
}

// TestPublishMistakes are those that an operator makes: each is told what to do,
// and nothing changes.
func TestPublishMistakes(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	store := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"publish", "--data", data}, "--to is missing"},
		{[]string{"publish", "--data", data, "--to", "ftp://x"}, "neither s3:// nor file://"},
		{[]string{"publish", "--data", data, "--to", filepath.Join(store, "none")}, "does not exist"},
		{[]string{"publish", "--data", t.TempDir(), "--to", store}, "holds no snapshot"},
		{[]string{"publish", "--data", data, "--to", store, "--lists"}, "--lists is for --rollback"},
		{[]string{"publish", "--data", data, "--to", store, "--keep=-1"}, "out of range"},
		{[]string{"publish", "--to", store, "--rollback", "yesterday"}, "not a version"},
		{[]string{"publish", "--to", store, "--rollback", "20200101T000000Z"}, "there is no snapshot 20200101T000000Z"},
		{[]string{"publish", "--to", "s3://bucket", "--store-header", "cookie: x"}, "not a header of server-side encryption"},
		{[]string{"serve", "--data", t.TempDir(), "--snapshots", store}, "holds no snapshot"},
		{[]string{"serve", "--data", t.TempDir(), "--snapshots", store, "--sources", "x"}, "needs --database"},
		{[]string{"serve", "--data", t.TempDir(), "--store-header", "x-amz-server-side-encryption: AES256"}, "none is set"},
	} {
		code, out, errs := command(t, c.args...)
		if code == 0 || !strings.Contains(errs, c.want) || !strings.Contains(errs, "Try: ") {
			t.Errorf("%v: exit %d\n%s%s", c.args, code, out, errs)
		}
	}
	// Several headers in one setting, as the environment has them.
	if code, out, errs := command(t, "publish", "--to", "s3://bucket", "--store-header", "x-amz-server-side-encryption: aws:kms,cookie: x"); code == 0 || !strings.Contains(errs, "not a header") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs := command(t, "publish", "--data", data, "--to", store, "--quiet", "--json")
	if code != 0 || !strings.Contains(out, `"bytes_sent"`) {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = command(t, "publish", "--to", store, "--list", "--json")
	if code != 0 || strings.Count(out, `"current": true`) != 2 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// TestScalePage runs the commands of docs/scale.md in their order, against an
// object store: the first machine builds, the second serves.
func TestScalePage(t *testing.T) {
	t.Parallel()
	store := startObjectStore(t)
	work := t.TempDir()
	wrapper := "#!/bin/sh\nGRANTGRAPH_TEST_AS_PROGRAM=1 exec '" + os.Args[0] + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(work, "grantgraph"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil || self != os.Args[0] {
		t.Fatalf("%s, %v", os.Args[0], err)
	}
	data := filepath.Join(work, "data")
	first := world.Small.Publish(t, data).Manifest.Version

	text := textOf(t, "../../docs/scale.md")
	replaced := strings.NewReplacer("AWS_ACCESS_KEY_ID=…", "AWS_ACCESS_KEY_ID=tester", "AWS_SECRET_ACCESS_KEY=…", "AWS_SECRET_ACCESS_KEY=tester-secret",
		"s3://grants/production?endpoint=https://s3.example.org", store.address, ":8080", ":0", ":9090", ":0").Replace(text)
	set, node := "export VERSION="+first+"\n", ""
	shell := func(code string) *exec.Cmd {
		cmd := exec.Command("bash", "-euc", set+code, "bash")
		cmd.Dir = work
		cmd.Env = []string{"PATH=" + work + ":" + os.Getenv("PATH"), "AWS_ENDPOINT_URL=", "AWS_ENDPOINT_URL_S3=", "AWS_REGION="}
		return cmd
	}
	run := func(code string) string {
		t.Helper()
		cmd := shell(code)
		cmd.Env = append(os.Environ(), cmd.Env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, code, out)
		}
		return string(out)
	}
	var log *listening
	ran := 0
	for _, m := range fence.FindAllStringSubmatch(replaced, -1) {
		language, kind, code := m[1], m[2], m[3]
		switch {
		case language == "text", kind == "fleet", kind == "ingest", kind == "accounts": // TestBackupPage, TestIngestPage and TestAccountsWalk run the last three
			continue
		case language != "bash":
			t.Errorf("code in %q is not run:\n%s", language, code)
		case strings.HasPrefix(code, "export "):
			set += code
		case kind == "serve":
			cmd := shell("exec " + strings.TrimSpace(code) + ` "$@"`)
			var ended <-chan error
			node, log, ended = startServing(t, cmd)
			awaitVersion(t, node, first, log)
			defer func() {
				if err := cmd.Process.Signal(os.Interrupt); err != nil {
					t.Error(err)
				}
				if err := <-ended; err != nil {
					t.Errorf("%v\n%s", err, log)
				}
			}()
		case strings.Contains(code, "--rollback"):
			second := world.Other.Publish(t, data).Manifest.Version
			run(`grantgraph publish --data data --to "$STORE" --quiet`)
			awaitVersion(t, node, second, log)
			run(code)
			awaitVersion(t, node, first, log)
		default:
			if out := run(code); !strings.Contains(out, first) {
				t.Errorf("%s\n%s", code, out)
			}
		}
		ran++
	}
	if ran < 4 {
		t.Errorf("%d blocks were run", ran)
	}
}
