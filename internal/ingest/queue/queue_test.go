package queue

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/secret"
	"grantgraph/internal/snapshot/remote"
)

var server struct {
	pg   *postgres.Server
	err  error
	next atomic.Int64
}

func TestMain(m *testing.M) {
	server.pg, server.err = postgres.Start(context.Background())
	code := m.Run()
	if server.pg != nil {
		_ = server.pg.Stop()
	}
	os.Exit(code)
}

// newQueue is a queue in an empty database.
func newQueue(t testing.TB) *Queue {
	t.Helper()
	if errors.Is(server.err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to keep the queue in: %v; scripts/require installs it", server.err)
	}
	if server.err != nil {
		t.Fatal(server.err)
	}
	dsn, err := server.pg.Create(t.Context(), fmt.Sprintf("queue%d", server.next.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	q, err := Open(t.Context(), secret.NewURL(dsn), 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func slugOf(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return fmt.Sprint(err)
}

// lay writes archives of a few returns each into a folder of sources.
func lay(t *testing.T, names ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for i, name := range names {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for j := range 3 {
			w, err := z.Create(fmt.Sprintf("2022%014d_public.xml", i*10+j))
			if err == nil {
				_, err = fmt.Fprintf(w, `<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.0"><ReturnHeader><ReturnTs>2022-05-01T10:00:00-05:00</ReturnTs><TaxPeriodEndDt>2021-12-31</TaxPeriodEndDt><ReturnTypeCd>990</ReturnTypeCd><Filer><EIN>07%07d</EIN></Filer></ReturnHeader><ReturnData><IRS990/></ReturnData></Return>`, i*10+j)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		put(t, root, name, b.Bytes())
	}
	return root
}

func put(t *testing.T, root, name string, body []byte) {
	t.Helper()
	path := filepath.Join(root, "990", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

func newStage(t *testing.T) *stage.Shared {
	t.Helper()
	store, err := remote.Open(t.TempDir(), remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return stage.OpenShared(store)
}

// plan plans with a shard for about every return.
func plan(t *testing.T, q *Queue, sources string, stage *stage.Shared) *Planned {
	t.Helper()
	p, err := q.Plan(t.Context(), PlanOptions{Sources: sources, Stage: stage, ShardBytes: 500})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func options(t *testing.T, stage *stage.Shared) WorkOptions {
	return WorkOptions{Stage: stage, Scratch: t.TempDir(), Slots: 2, Lease: 30 * time.Second, Patient: time.Minute, Note: func(text string) { t.Log(text) }}
}

func work(t *testing.T, q *Queue, stage *stage.Shared) *Worked {
	t.Helper()
	w, err := q.Work(t.Context(), options(t, stage))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func status(t *testing.T, q *Queue) *Status {
	t.Helper()
	s, err := q.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlanAndWork plans, works, plans again with more, and works again: only what
// is new is read.
func TestPlanAndWork(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	if _, err := q.Status(t.Context()); slugOf(err) != "no_plan" {
		t.Error(err)
	}
	root := lay(t, "a.zip", "b.zip")
	p := plan(t, q, root, stage)
	if p.Shards < 4 || p.Queued != p.Shards || p.Staged != 0 || p.Returns != 6 {
		t.Errorf("%+v", p)
	}
	if again := plan(t, q, root, stage); again.Queued != 0 || again.Plan != p.Plan {
		t.Errorf("planned twice: %+v", again)
	}
	if s := status(t, q); s.Waiting.Shards != int64(p.Shards) || s.Waiting.Returns != 6 || s.Plan != p.Plan {
		t.Errorf("%+v", s)
	}
	w := work(t, q, stage)
	if w.Staged != p.Shards || w.Returns != 6 || w.Quarantined != 0 {
		t.Errorf("%+v", w)
	}
	s := status(t, q)
	if s.Staged.Shards != int64(p.Shards) || s.Packed == 0 || len(s.Workers) != 1 || s.Workers[0].Alive || s.Workers[0].Shards != int64(p.Shards) {
		t.Errorf("%+v", s)
	}
	if w := work(t, q, stage); w.Staged != 0 {
		t.Errorf("there was nothing to do, and %+v", w)
	}
	more := lay(t, "a.zip", "b.zip", "c.zip")
	second := plan(t, q, more, stage)
	if second.Staged != p.Shards || second.Queued != second.Shards-p.Shards || second.Plan == p.Plan {
		t.Errorf("%+v", second)
	}
	if w := work(t, q, stage); w.Staged != second.Queued {
		t.Errorf("%+v", w)
	}
	// Back to the first: with Prune, what it does not use goes.
	third, err := q.Plan(t.Context(), PlanOptions{Sources: root, Stage: stage, ShardBytes: 500, Prune: true})
	if err != nil || third.Staged != p.Shards || third.Removed != second.Queued+1 {
		t.Errorf("%v: %+v", err, third)
	}
	// A stage that lost a shard gets it again.
	keys, err := stage.Shards(t.Context())
	if err != nil || len(keys) != p.Shards {
		t.Fatal(keys, err)
	}
	for key := range keys {
		if err := os.Remove(filepath.Join(stage.String(), "stage", "shards", key)); err != nil {
			t.Fatal(err)
		}
		break
	}
	if again := plan(t, q, root, stage); again.Queued != 1 {
		t.Errorf("%+v", again)
	}
	if w := work(t, q, stage); w.Staged != 1 {
		t.Errorf("%+v", w)
	}
}

// TestQuarantine has an archive that is none, and one that changes between plan
// and work: both are set aside with their reasons, the others are read, and a new
// plan gives them another chance.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	root := lay(t, "a.zip", "b.zip", "c.zip")
	put(t, root, "page.zip", []byte("<html>not found</html>"))
	p := plan(t, q, root, stage)
	if len(p.Refused) != 1 || !strings.Contains(p.Refused[0].Reason, "page.zip") {
		t.Errorf("%+v", p.Refused)
	}
	put(t, root, "b.zip", []byte("PK rubbish"))
	w := work(t, q, stage)
	if w.Quarantined == 0 || w.Staged == 0 || w.Quarantined+w.Staged != p.Shards {
		t.Errorf("%+v of %+v", w, p)
	}
	s := status(t, q)
	if len(s.Quarantine) != w.Quarantined+1 || s.Waiting.Shards != 0 {
		t.Errorf("%+v", s)
	}
	for _, x := range s.Quarantine {
		if x.Reason == "" || !strings.Contains(x.Archive, "b.zip") && !strings.Contains(x.Archive, "page.zip") {
			t.Errorf("%+v", x)
		}
	}
	fresh := lay(t, "a.zip", "b.zip", "c.zip")
	if p = plan(t, q, fresh, stage); p.Queued != w.Quarantined || len(p.Refused) != 0 {
		t.Errorf("%+v", p)
	}
	if w = work(t, q, stage); w.Quarantined != 0 || w.Staged != p.Queued {
		t.Errorf("%+v", w)
	}
	if s = status(t, q); len(s.Quarantine) != 0 || s.Staged.Shards != int64(p.Shards) {
		t.Errorf("%+v", s)
	}
}

// TestTwoPlanners plans from two sides at once: one does, the other is told. Two
// databases with one stage are told apart too.
func TestTwoPlanners(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	root := lay(t, "a.zip")
	conn, err := q.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", int64(planLock)); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Plan(t.Context(), PlanOptions{Sources: root, Stage: stage}); slugOf(err) != "plan_running" {
		t.Error(err)
	}
	// Who held it is killed.
	if err := conn.Conn().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn.Release()
	// The server notices in its own time.
	err = q.pool.AcquireFunc(t.Context(), func(conn *pgxpool.Conn) error {
		_, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1), pg_advisory_unlock($1)", int64(planLock))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	plan(t, q, root, stage)
	before := status(t, q)

	other := newQueue(t)
	interfere := func(int64, int64) {
		_, tag, err := stage.Current(t.Context())
		if err == nil {
			err = stage.PointTo(t.Context(), strings.Repeat("0", 24), tag)
		}
		if err != nil {
			t.Error(err)
		}
	}
	var once sync.Once
	_, err = other.Plan(t.Context(), PlanOptions{Sources: lay(t, "b.zip"), Stage: stage, Progress: func(done, total int64) { once.Do(func() { interfere(done, total) }) }})
	if slugOf(err) != "plan_conflict" {
		t.Error(err)
	}
	if _, err := other.Status(t.Context()); slugOf(err) != "no_plan" {
		t.Errorf("a plan that failed counts: %v", err)
	}
	if after := status(t, q); after.Plan != before.Plan || after.Waiting != before.Waiting {
		t.Errorf("%+v, before %+v", after, before)
	}
}

// hang puts jobs into the state they have when their worker was killed.
func hang(t *testing.T, q *Queue, worker string, attempts int) {
	t.Helper()
	if _, err := q.pool.Exec(t.Context(), "UPDATE river_job SET state = 'running', attempt = $2, attempted_at = now(), attempted_by = ARRAY[$1]", worker, attempts); err != nil {
		t.Fatal(err)
	}
}

// TestDeadWorkers leaves jobs with workers that are dead, alive, and over which too
// many have died.
func TestDeadWorkers(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	p := plan(t, q, lay(t, "a.zip"), stage)
	w := &worker{q: q, id: "me", opt: options(t, stage)}
	count := func(state string) (n int) {
		t.Helper()
		if err := q.pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE state::TEXT = $1", state).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	rescue := func() {
		t.Helper()
		if err := w.rescue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	seen := func(id, ago string) {
		t.Helper()
		if _, err := q.pool.Exec(t.Context(), `INSERT INTO worker (id, host, slots, lease, seen_at) VALUES ($1, 'h', 1, '1 hour', now() - $2::TEXT::INTERVAL)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, id, ago); err != nil {
			t.Fatal(err)
		}
	}
	seen("other", "1 minute")
	hang(t, q, "other", 1)
	if rescue(); count("running") != p.Shards {
		t.Error("the jobs of a living worker were taken away")
	}
	if s := status(t, q); s.Running.Shards != int64(p.Shards) || !s.Workers[0].Alive {
		t.Errorf("%+v", s)
	}
	seen("other", "61 minutes")
	if rescue(); count("available") != p.Shards {
		t.Error("the jobs of a dead worker stay with it")
	}
	hang(t, q, "never seen", 1)
	if rescue(); count("available") != p.Shards {
		t.Error("the jobs of an unknown worker stay with it")
	}
	// A machine whose clock is an hour fast has put jobs off.
	if _, err := q.pool.Exec(t.Context(), "UPDATE river_job SET state = 'scheduled', scheduled_at = now() + INTERVAL '1 hour'"); err != nil {
		t.Fatal(err)
	}
	if rescue(); count("available") != p.Shards {
		t.Error("jobs wait for a clock")
	}
	if w := work(t, q, stage); w.Staged != p.Shards {
		t.Errorf("%+v", w)
	}

	q, stage = newQueue(t), newStage(t)
	p = plan(t, q, lay(t, "a.zip"), stage)
	w = &worker{q: q, id: "me", opt: options(t, stage)}
	hang(t, q, "dead", maxDeaths)
	if rescue(); count("discarded") != p.Shards {
		t.Error("a deadly job is tried forever")
	}
	if s := status(t, q); s.Quarantined.Shards != int64(p.Shards) || !strings.Contains(s.Quarantine[0].Reason, "died") {
		t.Errorf("%+v", s)
	}
	if again := plan(t, q, lay(t, "a.zip"), stage); again.Queued != p.Shards {
		t.Errorf("%+v", again)
	}
}

// TestStoredAndKilled stores shards whose worker dies before it can say so: they
// are not read again.
func TestStoredAndKilled(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	root := lay(t, "a.zip")
	p := plan(t, q, root, stage)
	work(t, q, stage)
	second := newQueue(t)
	if _, err := second.Plan(t.Context(), PlanOptions{Sources: root, Stage: newStage(t), ShardBytes: 500}); err != nil {
		t.Fatal(err)
	}
	// Now the archives are gone; only the stage has them.
	if err := os.RemoveAll(filepath.Join(root, "990")); err != nil {
		t.Fatal(err)
	}
	if w := work(t, second, stage); w.Staged != p.Shards || w.Quarantined != 0 {
		t.Errorf("%+v", w)
	}
}

// TestStop stops a worker before it has done anything: nothing is lost.
func TestStop(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	p := plan(t, q, lay(t, "a.zip", "b.zip"), stage)
	ctx, cancel := context.WithCancel(t.Context())
	opt := options(t, stage)
	opt.Stay = true
	opt.Progress = func(done, total int64) {
		if done > 0 {
			cancel()
		}
	}
	if _, err := q.Work(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	stored, err := stage.Shards(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := status(t, q); s.Running.Shards != 0 || s.Staged.Shards != int64(len(stored)) || s.Staged.Shards+s.Waiting.Shards != int64(p.Shards) {
		t.Errorf("%d shards are stored: %+v", len(stored), s)
	}
	stopping := &worker{q: q, opt: opt, stop: make(chan struct{})}
	close(stopping.stop)
	if err := stopping.patiently(func(bool) error { return nil }); err != nil {
		t.Errorf("what was begun is not finished: %v", err)
	}
	if err := stopping.patiently(func(bool) error { return errors.New("fails") }); !errors.Is(err, errStopped) {
		t.Error(err)
	}
	work(t, q, stage)
	if s := status(t, q); s.Staged.Shards != int64(p.Shards) {
		t.Errorf("%+v", s)
	}
}

// TestGiveUp has a worker that cannot write to the stage: it says so and gives its
// jobs back; the archives are not blamed.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	p := plan(t, q, lay(t, "a.zip"), stage)
	// A file where the folder of the shards should be.
	if err := os.WriteFile(filepath.Join(stage.String(), "stage", "shards"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	opt := options(t, stage)
	opt.Patient = time.Nanosecond
	if _, err := q.Work(t.Context(), opt); slugOf(err) != "not_folder" && slugOf(err) != "io_error" {
		t.Error(err)
	}
	if s := status(t, q); s.Waiting.Shards != int64(p.Shards) || s.Quarantined.Shards != 0 {
		t.Errorf("%+v", s)
	}
	if err := os.Remove(filepath.Join(stage.String(), "stage", "shards")); err != nil {
		t.Fatal(err)
	}
	if w := work(t, q, stage); w.Staged != p.Shards {
		t.Errorf("%+v", w)
	}
}

// TestScratchGone has the folder for shards removed under a worker that waits: it
// makes another, and where it cannot, that is not the archives' fault.
func TestScratchGone(t *testing.T) {
	t.Parallel()
	to, scratch := newStage(t), filepath.Join(t.TempDir(), "scratch")
	p, err := stage.MakePlan(t.Context(), stage.PlanOptions{Sources: lay(t, "a.zip")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := stage.NewReader(t.Context(), p.Sources(), scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for s := range p.Shards() {
		if _, err := r.Stage(t.Context(), p, s.Key, to); err != nil {
			t.Error(err)
		}
	}
	if err := os.RemoveAll(scratch); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", scratch); err != nil {
		t.Fatal(err)
	}
	for s := range p.Shards() {
		if _, err := r.Stage(t.Context(), p, s.Key, to); slugOf(err) != "no_scratch" || !environment(err) {
			t.Error(err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for url, slug := range map[string]string{
		"": "bad_database",
		"postgres://user:hunter2@127.0.0.1:port/db":                 "bad_database",
		"postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=1":  "database_unreachable",
		"host=" + t.TempDir() + " dbname=x user=x password=hunter2": "database_unreachable",
	} {
		_, err := Open(t.Context(), secret.NewURL(url), 2)
		if slugOf(err) != slug || strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestLaterTables leaves the tables of a later version alone.
func TestLaterTables(t *testing.T) {
	t.Parallel()
	q, stage := newQueue(t), newStage(t)
	plan(t, q, lay(t, "a.zip"), stage)
	if _, err := q.pool.Exec(t.Context(), "INSERT INTO layout VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Plan(t.Context(), PlanOptions{Sources: lay(t, "a.zip"), Stage: stage}); slugOf(err) != "queue_version" {
		t.Error(err)
	}
	if _, err := q.Work(t.Context(), options(t, stage)); slugOf(err) != "queue_version" {
		t.Error(err)
	}
}
