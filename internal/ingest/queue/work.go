package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/stage"
)

type WorkOptions struct {
	Stage   *stage.Shared
	Sources string        // where the archives are on this machine; empty means as planned
	Scratch string        // folder for shards that are being made; empty means the system's
	Slots   int           // shards at a time
	Lease   time.Duration // after how long a silent worker is taken for dead
	Patient time.Duration // how long to wait for a store, a disk or a database that fails
	Stay    bool          // wait for the next plan when everything is done
	// Progress is told how many shards are done, by all workers, and how many there are. It may be nil.
	Progress func(done, total int64)
	// Note is told what goes wrong on the way.
	Note func(text string)
}

type Worked struct {
	Worker      string  `json:"worker"`
	Staged      int     `json:"staged"`
	Quarantined int     `json:"quarantined"`
	Returns     int64   `json:"returns"`
	Bytes       int64   `json:"xml_bytes"`
	Packed      int64   `json:"packed_bytes"`
	Seconds     float64 `json:"seconds"`
}

type worker struct {
	river.WorkerDefaults[stageArgs]
	q       *Queue
	opt     WorkOptions
	id      string
	scratch string
	stop    chan struct{} // closed when no more is to be begun
	failed  chan error    // why the worker cannot go on; the first counts

	mu      sync.Mutex
	plan    *stage.Plan
	planID  string
	readers map[string]*stage.Reader // by address
	reading context.Context
	done    Worked
}

// Work takes jobs until all shards of the plan are done, by this worker and the
// others. If the context ends, Work finishes the shards that were begun.
func (q *Queue) Work(ctx context.Context, opt WorkOptions) (*Worked, error) {
	scratch, tidy, err := scratchFolder(opt.Scratch)
	if err != nil {
		return nil, err
	}
	defer tidy()
	host, _ := os.Hostname()
	reading, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	w := &worker{q: q, opt: opt, scratch: scratch, stop: make(chan struct{}), failed: make(chan error, 1), reading: reading, readers: map[string]*stage.Reader{},
		id: fmt.Sprintf("%s-%d-%s", fault.Clip(host, 40), os.Getpid(), strings.ToLower(rand.Text()[:6]))}
	w.done.Worker = w.id
	defer w.close()
	if err := w.check(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := w.beat(ctx, host); err != nil {
		return nil, q.explain(err)
	}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, w); err != nil {
		return nil, err
	}
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		ID: w.id, Schema: schema, Logger: quiet, Workers: workers, JobTimeout: -1,
		Queues:        map[string]river.QueueConfig{jobQueue: {MaxWorkers: opt.Slots}},
		FetchCooldown: 20 * time.Millisecond, FetchPollInterval: 500 * time.Millisecond,
		// Leases are ours, by the clock of the database; River's own rescue goes by
		// that of the machine and by how long a job has run.
		RescueStuckJobsAfter: 24 * time.Hour,
	})
	if err != nil {
		return nil, err
	}
	if err := client.Start(reading); err != nil {
		return nil, q.explain(err)
	}
	err = w.attend(ctx, host)
	close(w.stop)
	// Shards that were begun are finished. An operator who cannot wait kills the worker, and other workers take up its shards.
	rest := w.linger(host)
	if serr := client.Stop(reading); err == nil {
		err = serr
	}
	rest()
	w.leave()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done.Seconds = time.Since(began).Seconds()
	return &w.done, err
}

// check finds out before any job is taken whether this worker can do one.
func (w *worker) check(ctx context.Context) error {
	if err := w.q.version(ctx); err != nil {
		return err
	}
	id, err := w.q.currentPlan(ctx)
	if err != nil {
		return err
	}
	p, err := w.planned(ctx, id)
	if err != nil {
		return err
	}
	r, err := w.reader(p)
	if err != nil {
		return err
	}
	return r.Reach(ctx)
}

// attend tells the database that the worker lives, gives the jobs of dead workers to
// the living, and returns when there is nothing left to do.
func (w *worker) attend(ctx context.Context, host string) error {
	beat := time.NewTicker(w.opt.Lease / 3)
	defer beat.Stop()
	look := time.NewTicker(250 * time.Millisecond)
	defer look.Stop()
	last := time.Now() // when the database was told that this worker lives
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-w.failed:
			return err
		case <-beat.C:
			alive := time.Since(last) <= w.opt.Lease
			if err := w.beat(ctx, host); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				err = w.q.explain(err)
				// A worker that has a shard to record gives up by itself, but this one may be idle.
				if time.Since(last)-w.opt.Lease > w.opt.Patient {
					return err
				}
				w.note("the database cannot be told that this worker lives: %v", err)
				continue
			}
			last = time.Now()
			if !alive {
				continue // the database was away, so the other workers have been silent too
			}
			if err := w.rescue(ctx); err != nil && ctx.Err() == nil {
				w.note("jobs of dead workers could not be taken up: %v", w.q.explain(err))
			}
		case <-look.C:
			left, total, err := w.left(ctx)
			if err != nil {
				continue // the beat says so
			}
			if w.opt.Progress != nil {
				w.opt.Progress(total-left, total)
			}
			if left == 0 && !w.opt.Stay {
				return nil
			}
		}
	}
}

// left counts the shards that nobody has made yet, and all.
func (w *worker) left(ctx context.Context) (left, total int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.opt.Lease)
	defer cancel()
	err = w.q.pool.QueryRow(ctx, "SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FROM shard").Scan(&left, &total)
	return left, total, err
}

// linger tells the database that the worker lives while it finishes its shards, until rest is called.
func (w *worker) linger(host string) (rest func()) {
	ctx, cancel := context.WithCancel(w.reading)
	var lingering sync.WaitGroup
	lingering.Go(func() {
		again := time.NewTicker(w.opt.Lease / 3)
		defer again.Stop()
		for {
			if err := w.beat(ctx, host); err != nil && ctx.Err() == nil {
				w.note("the database cannot be told that this worker lives: %v", w.q.explain(err))
			}
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
		}
	})
	return func() { cancel(); lingering.Wait() }
}

func (w *worker) note(format string, args ...any) {
	if w.opt.Note != nil {
		w.opt.Note(fmt.Sprintf(format, args...))
	}
}

func (w *worker) beat(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, w.opt.Lease)
	defer cancel()
	_, err := w.q.pool.Exec(ctx, `INSERT INTO worker (id, host, slots, lease) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET seen_at = now()`, w.id, host, w.opt.Slots, w.opt.Lease)
	return err
}

// dead is the condition of a job whose worker has been silent for too long.
const dead = ` kind = '` + jobKind + `' AND river_job.state = 'running' AND NOT EXISTS (
	SELECT FROM worker WHERE worker.id = attempted_by[array_upper(attempted_by, 1)] AND seen_at + lease >= now())`

// rescue gives the jobs of dead workers to the living. A shard over which many workers have died goes into quarantine.
func (w *worker) rescue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.opt.Lease)
	defer cancel()
	pool := w.q.pool
	back, err := pool.Exec(ctx, "UPDATE river_job SET state = 'available', scheduled_at = least(scheduled_at, now()) WHERE attempt < $1 AND"+dead, maxDeaths)
	if err != nil {
		return err
	}
	if n := back.RowsAffected(); n > 0 {
		w.note("took up %d jobs of workers that died", n)
	}
	// Jobs are never scheduled for later, so a time in the future is that of a machine whose clock is fast.
	_, err = pool.Exec(ctx, `UPDATE river_job SET state = 'available', scheduled_at = now()
		WHERE kind = $1 AND state IN ('available', 'scheduled', 'retryable') AND scheduled_at > now()`, jobKind)
	if err != nil {
		return err
	}
	found, err := pool.Query(ctx, `SELECT river_job.id, args->>'key' AS key, archive
		FROM river_job JOIN shard ON shard.key = args->>'key' WHERE attempt >= $1 AND`+dead, maxDeaths)
	if err != nil {
		return err
	}
	type deadly struct {
		ID           int64
		Key, Archive string
	}
	jobs, err := pgx.CollectRows(found, pgx.RowToStructByPos[deadly])
	if err != nil {
		return err
	}
	for _, job := range jobs {
		// The last worker may have stored the shard before it died.
		size, there, err := w.opt.Stage.Has(ctx, job.Key)
		if err != nil {
			return err
		}
		o := outcome{state: "staged", packed: size}
		if !there {
			o = outcome{state: "quarantined", reason: fmt.Sprintf("%d workers died while they read it; it may need more memory than they have", maxDeaths)}
		}
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if err := w.write(ctx, tx, job.Key, job.Archive, o, 0); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "UPDATE river_job SET state = 'discarded', finalized_at = now() WHERE id = $1 AND state = 'running'", job.ID)
			return err
		})
		if err != nil {
			return err
		}
	}
	// Workers that have been silent for long are not shown any more.
	_, err = pool.Exec(ctx, "DELETE FROM worker WHERE seen_at + 20 * lease < now()")
	return err
}

// leave tells the database that the worker is gone, and gives back its unfinished jobs.
func (w *worker) leave() {
	ctx, cancel := context.WithTimeout(w.reading, 5*time.Second)
	defer cancel()
	if _, err := w.q.pool.Exec(ctx, "DELETE FROM worker WHERE id = $1", w.id); err == nil {
		_, _ = w.q.pool.Exec(ctx, `UPDATE river_job SET state = 'available', scheduled_at = least(scheduled_at, now())
			WHERE attempted_by[array_upper(attempted_by, 1)] = $2 AND kind = $1 AND state IN ('running', 'scheduled', 'retryable')`, jobKind, w.id)
	}
}

type outcome struct {
	state  string // staged or quarantined
	reason string
	packed int64
}

var errStopped = errors.New("the worker stops")

// Timeout lets a job take any time: leases show whether its worker lives.
func (w *worker) Timeout(*river.Job[stageArgs]) time.Duration { return -1 }

// Work makes one shard. The transaction that completes the job records what became
// of the shard. If the machine, the store or the database fails, Work tries again.
func (w *worker) Work(ctx context.Context, job *river.Job[stageArgs]) error {
	select {
	case <-w.stop:
		return river.JobSnooze(0)
	default:
	}
	began := time.Now()
	var found *stage.PlannedShard
	var o outcome
	again := false // a new plan wants a shard that no plan wanted when we looked
	err := w.patiently(func(last bool) (err error) {
		found, o, err = w.make(ctx, job.Args.Key, last)
		return err
	})
	if err == nil {
		took := time.Since(began).Seconds()
		err = w.patiently(func(bool) error {
			return pgx.BeginFunc(ctx, w.q.pool, func(tx pgx.Tx) (err error) {
				if found == nil {
					if again, err = waits(ctx, tx, job.Args.Key); err != nil || again {
						return err
					}
				} else if err := w.write(ctx, tx, job.Args.Key, found.Archive, o, took); err != nil {
					return err
				}
				_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
				if errors.Is(err, rivertype.ErrNotFound) {
					return nil // this worker was taken for dead, and another has made the shard
				}
				return err
			})
		})
	}
	if err != nil || again {
		return river.JobSnooze(0)
	}
	if found != nil {
		w.count(found, o)
	}
	return nil
}

func (w *worker) count(s *stage.PlannedShard, o outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.state == "quarantined" {
		w.done.Quarantined++
		return
	}
	w.done.Staged++
	w.done.Returns += s.Members
	w.done.Bytes += s.Bytes
	w.done.Packed += o.packed
}

// waits says whether a shard waits to be made, and keeps others from changing that.
func waits(ctx context.Context, tx pgx.Tx, key string) (bool, error) {
	var state string
	err := tx.QueryRow(ctx, "SELECT state FROM shard WHERE key = $1 FOR UPDATE", key).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // of a plan before
	}
	return state == "waiting", err
}

// write records what became of a shard, unless it is staged already. The note on a shard in quarantine is stored while the row
// of the shard is locked. A planner locks all rows before it removes the notes, so row and note stay in agreement.
func (w *worker) write(ctx context.Context, tx pgx.Tx, key, archive string, o outcome, took float64) error {
	done, err := tx.Exec(ctx, `UPDATE shard SET state = $2, reason = $3, worker = $4, took = $5, packed = $6, done_at = now()
		WHERE key = $1 AND state <> 'staged'`, key, o.state, clean(o.reason), w.id, took, o.packed)
	if err != nil || o.state != "quarantined" || done.RowsAffected() == 0 {
		return err
	}
	return w.opt.Stage.Quarantine(ctx, key, stage.Refused{Archive: archive, Reason: o.reason})
}

// make makes a shard and stores it. It returns an error if the machine, the store or the database fails. At the last attempt,
// an archive that cannot be read while all else can be reached puts the shard into quarantine.
func (w *worker) make(ctx context.Context, key string, last bool) (found *stage.PlannedShard, o outcome, err error) {
	var id, state string
	var s stage.PlannedShard
	err = w.q.pool.QueryRow(ctx, "SELECT plan.id, shard.state, shard.archive, shard.members, shard.bytes FROM plan, shard WHERE shard.key = $1", key).
		Scan(&id, &state, &s.Archive, &s.Members, &s.Bytes)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && state != "waiting" {
		return nil, o, nil // an earlier plan wanted it, or it is done already
	}
	if err != nil {
		return nil, o, w.q.explain(err)
	}
	// Another worker may have stored the shard before it died.
	if size, there, err := w.opt.Stage.Has(ctx, key); err != nil || there {
		return &s, outcome{state: "staged", packed: size}, err
	}
	p, err := w.planned(ctx, id)
	if err != nil {
		return nil, o, err
	}
	r, err := w.reader(p)
	if err != nil {
		return nil, o, err
	}
	size, err := stageSafely(ctx, r, p, key, w.opt.Stage)
	if err == nil {
		return &s, outcome{state: "staged", packed: size}, nil
	}
	if ctx.Err() != nil || environment(err) && !(last && stage.OfArchive(err) && w.reaches(ctx, r, key)) {
		return nil, o, err
	}
	reason := err.Error()
	w.note("%s is set aside: %s", s.Archive, reason)
	return &s, outcome{state: "quarantined", reason: reason}, nil
}

func (w *worker) reaches(ctx context.Context, r *stage.Reader, key string) bool {
	if r.Reach(ctx) != nil {
		return false
	}
	_, _, err := w.opt.Stage.Has(ctx, key)
	return err == nil
}

// stageSafely makes a shard, and turns a panic over a document into an error, so that the worker goes on.
func stageSafely(ctx context.Context, r *stage.Reader, p *stage.Plan, key string, to *stage.Shared) (size int64, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the program failed over it: %v\n%s", cause, debug.Stack())
		}
	}()
	return r.Stage(ctx, p, key, to)
}

// environment says whether an error is one of this machine, the store or the database, and not of the archive.
func environment(err error) bool {
	f, ok := fault.Of(err)
	if !ok {
		var broken net.Error
		return errors.As(err, &broken)
	}
	return strings.HasPrefix(f.Slug, "store_") || strings.HasPrefix(f.Slug, "database_") || hopeless(f) ||
		slices.Contains([]string{"no_space", "no_permission", "no_scratch", "io_error", "not_folder", "sources_missing"}, f.Slug)
}

// hopeless says whether a worker cannot do any job, however long it waits.
func hopeless(f *fault.Fault) bool {
	return slices.Contains([]string{"stage_version", "stage_mismatch", "bad_plan", "bad_object", "bad_store", "no_plan"}, f.Slug)
}

// patiently calls do until it succeeds, the worker stops, or do has failed for too long; in the last case the
// worker gives up. It calls do at least once, even if the worker stops, so that a shard that is stored is
// recorded. The argument of do is true at the last attempt.
func (w *worker) patiently(do func(last bool) error) error {
	began := time.Now()
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		last := time.Since(began) >= w.opt.Patient
		err := w.q.explain(do(last))
		if err == nil {
			return nil
		}
		f, ok := fault.Of(err)
		if last || ok && hopeless(f) {
			select {
			case w.failed <- err:
			default:
			}
			return err
		}
		w.note("waiting: %v", err)
		pause := time.NewTimer(wait)
		select {
		case <-w.stop:
			pause.Stop()
			return errStopped
		case <-pause.C:
		}
	}
}

func (w *worker) planned(ctx context.Context, id string) (*stage.Plan, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.planID == id {
		return w.plan, nil
	}
	p, err := w.opt.Stage.Plan(ctx, id)
	if err != nil {
		return nil, err
	}
	w.plan, w.planID = p, id
	return p, nil
}

func (w *worker) reader(p *stage.Plan) (*stage.Reader, error) {
	address := cmp.Or(w.opt.Sources, p.Sources())
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.readers[address]; r != nil {
		return r, nil
	}
	r, err := stage.NewReader(w.reading, address, w.scratch)
	if err != nil {
		return nil, err
	}
	w.readers[address] = r
	return r, nil
}

func (w *worker) close() {
	for _, r := range w.readers {
		r.Close()
	}
}

func (q *Queue) currentPlan(ctx context.Context) (id string, err error) {
	err = q.pool.QueryRow(ctx, "SELECT id FROM plan").Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", noPlan()
	}
	return id, q.explain(err)
}

// scratchMark begins the names of the folders in which workers make shards.
const scratchMark = "grantgraph-work-"

// scratchFolder makes a folder for this worker, and removes those of workers that were killed.
func scratchFolder(below string) (dir string, tidy func(), err error) {
	below = cmp.Or(below, os.TempDir())
	if err := disk.MkdirAll(below, 0o755); err != nil {
		return "", nil, fault.Disk(below, err)
	}
	left, err := filepath.Glob(filepath.Join(below, scratchMark+"*"))
	if err != nil {
		return "", nil, fault.Disk(below, err)
	}
	for _, old := range left {
		if f, err := os.Open(filepath.Join(old, "lock")); err == nil {
			if disk.Lock(f) == nil {
				_ = os.RemoveAll(old)
			}
			f.Close()
		}
	}
	if dir, err = os.MkdirTemp(below, scratchMark); err != nil {
		return "", nil, fault.Disk(below, err)
	}
	// The file gets its name when it is locked, so a file of that name without a lock is that of a dead worker.
	fresh := filepath.Join(dir, "lock.new")
	lock, err := os.Create(fresh)
	if err == nil {
		err = disk.Lock(lock)
	}
	if err == nil {
		err = os.Rename(fresh, filepath.Join(dir, "lock"))
	}
	return dir, func() { lock.Close(); _ = os.RemoveAll(dir) }, fault.Disk(dir, err)
}

func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(fault.Clip(s, 4000), "�"), "\x00", "")
}
