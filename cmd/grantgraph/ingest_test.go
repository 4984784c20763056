package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest/queue"
)

// startPostgres is the address of a database of the test's own.
func startPostgres(t *testing.T) string {
	t.Helper()
	pg, err := postgres.Start(t.Context())
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to keep the queue in: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop() })
	return pg.DSN
}

// gate lets a few shards through to a store for each worker that was killed, so
// that there is always one to kill that has not finished.
type gate struct {
	mu     sync.Mutex
	stored int
	kills  int
	most   int
	turn   chan struct{} // closed and made anew at every kill
}

func (g *gate) pass(r *http.Request) {
	for {
		g.mu.Lock()
		turn := g.turn
		open := g.kills >= g.most || g.stored < 2*(g.kills+1)
		if open {
			g.stored++
		}
		g.mu.Unlock()
		if open {
			return
		}
		select {
		case <-turn:
		case <-r.Context().Done():
			return
		}
	}
}

func (g *gate) killed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kills++
	close(g.turn)
	g.turn = make(chan struct{})
}

// before puts something before the store that every request to store a shard
// has to pass.
func (s *objectStore) before(t *testing.T, pass func(*http.Request)) {
	t.Helper()
	bucket, options, _ := strings.Cut(s.address, "?")
	at, err := url.ParseQuery(options)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(at.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/stage/shards/") {
			pass(r)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = bucket + "?endpoint=" + server.URL
}

// under is an address below the store's.
func (s *objectStore) under(prefix string) string {
	bucket, options, _ := strings.Cut(s.address, "?")
	return bucket + "/" + prefix + "?" + options
}

// upload puts files of a folder into the store, below a prefix.
func (s *objectStore) upload(t *testing.T, dir, prefix string) {
	t.Helper()
	at, err := url.Parse(s.under(prefix))
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := url.Parse(at.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(endpoint.Host, &minio.Options{Creds: credentials.NewStaticV4("tester", "tester-secret", ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		_, err = client.FPutObject(t.Context(), at.Host, strings.TrimPrefix(at.Path, "/")+"/"+path, filepath.Join(dir, path), minio.PutObjectOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// call runs a command as a process that knows the store's credentials.
func (s *objectStore) call(args ...string) (out, errs string, err error) {
	cmd := s.process(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}

func (s *objectStore) process(args ...string) *exec.Cmd {
	cmd := s.program(args...)
	cmd.Env = append(append(os.Environ(), s.env...), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	return cmd
}

func (s *objectStore) must(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, err := s.call(args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
	}
	return out
}

// TestIngestKilled reads a world with four worker processes, of which one at
// random is killed every second, from archives in an object store, and builds
// what they staged: the content is that of a build on one machine.
func TestIngestKilled(t *testing.T) {
	t.Parallel()
	database := startPostgres(t)
	store := startObjectStore(t)
	sources := world.Small.CopySources(t)
	store.upload(t, filepath.Join(sources, "990"), "sources/990")
	g := &gate{most: 8, turn: make(chan struct{})}
	store.before(t, g.pass)
	if err := os.RemoveAll(filepath.Join(sources, "990")); err != nil { // the build does without
		t.Fatal(err)
	}
	store.must(t, "ingest", "plan", "--quiet", "--sources", store.under("sources"), "--database", database, "--stage", store.address, "--shard-bytes", "65536")

	random := rand.New(rand.NewPCG(seed(t), 19))
	type process struct {
		cmd   *exec.Cmd
		log   *bytes.Buffer
		ended chan error
	}
	scratch := t.TempDir()
	start := func() *process {
		p := &process{cmd: store.process("ingest", "work", "--database", database, "--stage", store.address, "--workers", "1", "--lease", "5s", "--scratch", scratch),
			log: new(bytes.Buffer), ended: make(chan error, 1)}
		p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { p.ended <- p.cmd.Wait() }()
		return p
	}
	workers := make([]*process, 4)
	for i := range workers {
		workers[i] = start()
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for range g.most {
		<-tick.C
		i := random.IntN(len(workers))
		if err := workers[i].cmd.Process.Kill(); err != nil {
			t.Fatalf("worker %d has ended before everything was staged: %v\n%s", i, err, workers[i].log)
		}
		<-workers[i].ended
		g.killed()
		workers[i] = start()
	}
	for i, p := range workers {
		if err := <-p.ended; err != nil {
			t.Errorf("worker %d: %v\n%s", i, err, p.log)
		}
	}

	var status queue.Status
	if err := json.Unmarshal([]byte(store.must(t, "ingest", "status", "--json", "--database", database)), &status); err != nil {
		t.Fatal(err)
	}
	if status.Staged.Shards < 20 || status.Waiting.Shards+status.Running.Shards+status.Quarantined.Shards != 0 || len(status.Quarantine) != 0 {
		t.Errorf("%+v", status)
	}
	if left, err := filepath.Glob(filepath.Join(scratch, "*")); err != nil || len(left) > len(workers) {
		t.Errorf("killed workers have left %v, %v", left, err)
	}
	data := filepath.Join(t.TempDir(), "data")
	store.must(t, "build", "--quiet", "--sources", sources, "--data", data, "--stage", store.address, "--meaning-documents", "0")
	var built struct{ Content string }
	manifests, err := filepath.Glob(filepath.Join(data, "builds", "*", "manifest.json"))
	if err != nil || len(manifests) != 1 {
		t.Fatal(manifests, err)
	}
	if err := json.Unmarshal([]byte(textOf(t, manifests[0])), &built); err != nil {
		t.Fatal(err)
	}
	if want := world.Small.Snapshot(t).Manifest.Content; built.Content != want {
		t.Errorf("content %s, on one machine %s", built.Content, want)
	}
}

// TestIngestMistakes makes the mistakes of operators: each is told what is wrong
// and what to do, and what was planned and staged before stays.
func TestIngestMistakes(t *testing.T) {
	t.Parallel()
	database := startPostgres(t)
	store := startObjectStore(t)
	stage, sources := t.TempDir(), world.Small.Sources(t)
	bad := filepath.Join(t.TempDir(), "sources")
	if err := os.MkdirAll(bad, 0o755); err != nil {
		t.Fatal(err)
	}
	nowhere := "host=" + t.TempDir() + " dbname=x user=x password=hunter2"
	wrong := func(want, try string, args ...string) {
		t.Helper()
		out, errs, err := store.call(args...)
		if err == nil || !strings.Contains(errs, want) || !strings.Contains(errs, "Try: ") || !strings.Contains(errs, try) || strings.Contains(out+errs, "hunter2") {
			t.Errorf("%v: %v\n%s%s", args, err, out, errs)
		}
	}
	plan := []string{"ingest", "plan", "--quiet", "--database", database, "--stage", stage, "--sources", sources}
	work := []string{"ingest", "work", "--quiet", "--database", database, "--stage", stage}
	with := func(args []string, more ...string) []string { return append(append([]string{}, args...), more...) }

	wrong("--database is missing", "postgres://", "ingest", "status")
	wrong("--stage is missing", "s3://", "ingest", "plan", "--database", database)
	wrong("cannot be read", "postgres://", "ingest", "status", "--database", "postgres://user:hunter2@127.0.0.1:port/db")
	wrong("does not answer", "PostgreSQL", "ingest", "status", "--database", nowhere)
	wrong("no such database", "createdb", "ingest", "status", "--database", strings.Replace(database, "dbname=postgres", "dbname=nosuch", 1))
	wrong("no plan in this database", "ingest plan", "ingest", "status", "--database", database)
	wrong("no plan in this database", "ingest plan", work...)
	wrong("no plan in the stage", "ingest plan", "build", "--quiet", "--sources", sources, "--data", t.TempDir(), "--stage", stage)
	wrong("--shard-bytes", "--help", with(plan, "--shard-bytes", "1")...)
	wrong("--lease", "--help", with(work, "--lease", "1ms")...)
	wrong("are for --stage", "omit", "build", "--without-quarantined")
	wrong("are for --stage", "omit", "build", "--store-header", "x-amz-server-side-encryption: AES256")
	wrong("does not exist", "fetch", with(plan, "--sources", filepath.Join(bad, "nosuch"))...)
	wrong("no filings", "fetch", with(plan, "--sources", bad)...)
	wrong("no filings", "990/", with(plan, "--sources", store.under("empty"))...)
	wrong("no bucket", "bucket", with(plan, "--sources", strings.Replace(store.address, "s3://", "s3://no", 1))...)
	wrong("no bucket", "bucket", with(plan, "--stage", strings.Replace(store.address, "s3://", "s3://no", 1))...)
	wrong("does not exist", "mount", with(plan, "--stage", filepath.Join(bad, "nosuch"))...)

	store.must(t, plan...)
	before := store.must(t, "ingest", "status", "--json", "--database", database)
	if !strings.Contains(before, `"waiting"`) {
		t.Error(before)
	}
	wrong("not in the stage", "ingest work", "build", "--quiet", "--sources", sources, "--data", t.TempDir(), "--stage", stage)
	wrong("does not have the plan", "--stage", with(work, "--stage", t.TempDir())...)
	wrong("cannot be reached", "--sources", with(work, "--sources", filepath.Join(bad, "nosuch"))...)
	// A plan that fails changes nothing.
	wrong("no filings", "fetch", with(plan, "--sources", bad)...)
	if after := store.must(t, "ingest", "status", "--json", "--database", database); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if out := store.must(t, work...); !strings.Contains(out, "shards staged") {
		t.Error(out)
	}
	if out := store.must(t, "ingest", "status", "--database", database); !strings.Contains(out, "All shards are done") {
		t.Error(out)
	}
	// The build is told when the folder has archives that nobody planned.
	other := world.Small.CopySources(t)
	if err := os.WriteFile(filepath.Join(other, "990", "2031_TEOS_XML_01A.zip"), []byte("PK"), 0o644); err != nil {
		t.Fatal(err)
	}
	wrong("not what was planned", "plan again", "build", "--quiet", "--sources", other, "--data", t.TempDir(), "--stage", stage)
}

// TestIngestPage runs the commands of docs/scale.md by which several machines read,
// in their order, on archives and a stage in an object store.
func TestIngestPage(t *testing.T) {
	t.Parallel()
	database := startPostgres(t)
	store := startObjectStore(t)
	work := t.TempDir()
	wrapper := "#!/bin/sh\nGRANTGRAPH_TEST_AS_PROGRAM=1 exec '" + os.Args[0] + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(work, "grantgraph"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(work, "sources"), os.DirFS(world.Small.Sources(t))); err != nil {
		t.Fatal(err)
	}
	store.upload(t, filepath.Join(work, "sources", "990"), "sources/990")
	text := strings.NewReplacer("AWS_ACCESS_KEY_ID=…", "AWS_ACCESS_KEY_ID=tester", "AWS_SECRET_ACCESS_KEY=…", "AWS_SECRET_ACCESS_KEY=tester-secret",
		"s3://grants/production?endpoint=https://s3.example.org", store.address, "s3://grants/sources?endpoint=https://s3.example.org", store.under("sources"),
		"postgres://grants:…@db.example.org/ingest", database).Replace(textOf(t, "../../docs/scale.md"))
	set := ""
	says := []string{"shards\n", "shards staged", "All shards are done", "By fiscal year", "tables in s3://", "files in s3://"}
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		kind, code := m[2], m[3]
		switch {
		case strings.HasPrefix(code, "export "):
			set += code
		case kind == "ingest":
			cmd := exec.Command("bash", "-euc", set+code)
			cmd.Dir = work
			cmd.Env = append(append(os.Environ(), store.env...), "PATH="+work+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, code, out)
			}
			if len(says) == 0 || !strings.Contains(string(out), says[0]) {
				t.Fatalf("%s does not say %q:\n%s", code, says, out)
			}
			says = says[1:]
		}
	}
	if len(says) != 0 {
		t.Errorf("what says %q was not run", says)
	}
}
