package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

type FollowOptions struct {
	Store    Store
	Data     string        // data directory, filled only from the store
	Parallel int           // ranges at a time; 0 means a few
	Poll     time.Duration // how often to read the pointers; 0 means five seconds
	Log      *slog.Logger

	free  func(dir string) (int64, error) // free disk space; nil asks the disk
	chunk int64                           // 0 means the default
}

// Follower keeps a data directory at the versions that a store points at: snapshots, and editions of the
// lists. The server of the directory then takes up the new version.
type Follower struct {
	prometheus.Collector // of its metrics, for the server
	opt                  FollowOptions
	snapshots            *followed
	lists                *followed
	metrics              followMetrics
	fetching             atomic.Pointer[share] // progress of the running download; nil if there is none
}

// share is the number of bytes received so far and in all.
type share struct{ done, total int64 }

// followed is one area of the store and its folder in the data directory.
type followed struct {
	area   Area
	data   string
	lease  *holder
	want   Pointer   // last seen
	have   string    // current version here
	wrote  time.Time // when the lease was last written
	said   string    // the last failure that was logged
	again  time.Time // when to retry a failed version
	failed Pointer   // the failed version
}

// retryAfter is how long to wait before retrying a version that failed.
const retryAfter = 30 * time.Second

type followMetrics struct {
	pulled   *prometheus.CounterVec
	failures *prometheus.CounterVec
	bytes    prometheus.Counter
	seen     *prometheus.GaugeVec
	behind   *prometheus.GaugeVec
}

// NewFollower makes a follower of a store for a data directory. Its id in the store's
// leases is random and kept in the directory.
func NewFollower(opt FollowOptions) (*Follower, error) {
	opt.Parallel, opt.Poll, opt.chunk = cmp.Or(opt.Parallel, defaultParallel), cmp.Or(opt.Poll, 5*time.Second), cmp.Or(opt.chunk, chunk)
	if opt.free == nil {
		opt.free = disk.Free
	}
	id, err := nodeID(opt.Data)
	if err != nil {
		return nil, err
	}
	area := func(a Area, data string) *followed {
		return &followed{area: a, data: data, lease: &holder{store: opt.Store, area: a, id: id}}
	}
	own := prometheus.NewRegistry()
	metrics := promauto.With(own)
	f := &Follower{Collector: own, opt: opt, snapshots: area(Snapshots, opt.Data), lists: area(Lists, lists.Dir(opt.Data))}
	what := []string{"what"}
	f.metrics = followMetrics{
		pulled: metrics.NewCounterVec(prometheus.CounterOpts{Name: "grantgraph_store_pulled_total",
			Help: "Snapshots and editions of the lists fetched from the store."}, what),
		failures: metrics.NewCounterVec(prometheus.CounterOpts{Name: "grantgraph_store_failures_total",
			Help: "Failed attempts to fetch the store's current version: unreadable, or rejected as damaged."}, what),
		bytes: metrics.NewCounter(prometheus.CounterOpts{Name: "grantgraph_store_fetched_bytes_total", Help: "Bytes of content fetched from the store."}),
		seen: metrics.NewGaugeVec(prometheus.GaugeOpts{Name: "grantgraph_store_pointer_seen_timestamp_seconds",
			Help: "Time the store's current version was last read."}, what),
		behind: metrics.NewGaugeVec(prometheus.GaugeOpts{Name: "grantgraph_store_behind",
			Help: "1 while this server does not have the store's current version."}, what),
	}
	for _, a := range []Area{Snapshots, Lists} {
		f.metrics.pulled.WithLabelValues(string(a))
		f.metrics.failures.WithLabelValues(string(a))
	}
	return f, nil
}

// nodeID is the id of this directory in the leases of a store.
func nodeID(data string) (string, error) {
	path := filepath.Join(data, "node")
	if err := disk.MkdirAll(data, 0o755); err != nil {
		return "", fault.Disk(data, err)
	}
	for range 2 {
		body, err := os.ReadFile(path)
		if err == nil {
			if id := strings.TrimSpace(string(body)); leaseIDPattern.MatchString(id) {
				return id, nil
			}
			return "", fault.New("bad_node", "%s does not hold the name of a node", path).Try("remove it; a new one is drawn")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fault.Disk(path, err)
		}
		id := newLeaseID(leaseNode)
		err = disk.WriteNew(path, 0o644, func(w io.Writer) error { _, err := w.Write([]byte(id + "\n")); return err })
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fault.Disk(path, err)
		}
	}
	return "", fault.New("bad_node", "%s cannot be made", path).Try("check the disk")
}

// First fetches the versions that the store points at before the server starts. If that fails, the versions
// already in the directory are used. First returns the error only if there are none.
func (f *Follower) First(ctx context.Context) error {
	err := f.look(ctx, f.snapshots, true)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if _, there := snapshot.Open(f.opt.Data); there != nil {
			return err
		}
	}
	_ = f.look(ctx, f.lists, true) // logged; a service without lists says so
	return ctx.Err()
}

// State describes the progress of First in a few words.
func (f *Follower) State() string {
	at := f.fetching.Load()
	if at == nil || at.total == 0 {
		return "asking the store what to serve"
	}
	return fmt.Sprintf("fetching %d %%", 100*at.done/at.total)
}

// Run follows the pointers until the context ends, then gives the leases back.
func (f *Follower) Run(ctx context.Context) {
	tick := time.NewTicker(f.opt.Poll)
	defer tick.Stop()
	defer func() {
		f.snapshots.lease.drop()
		f.lists.lease.drop()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = f.look(ctx, f.snapshots, false) // logged and counted in the metrics
			_ = f.look(ctx, f.lists, false)
		}
	}
}

// look reads one pointer and fetches its version if it is new. It logs each failure once.
func (f *Follower) look(ctx context.Context, a *followed, first bool) error {
	err := f.take(ctx, a, first)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != a.said {
		f.metrics.failures.WithLabelValues(string(a.area)).Inc()
		f.opt.Log.Error("what the store points at cannot be taken; what is here stays", "what", string(a.area), "store", f.opt.Store.String(), "error", err)
	}
	a.said = text
	behind := 0.0
	if a.want.Version != a.have {
		behind = 1
	}
	f.metrics.behind.WithLabelValues(string(a.area)).Set(behind)
	return err
}

// take is how a node takes up a new version: it reads the pointer, pulls the version
// and removes older ones. If the version is already current, take only renews the lease.
func (f *Follower) take(ctx context.Context, a *followed, first bool) error {
	to, err := Current(ctx, f.opt.Store, a.area)
	if errors.Is(err, fs.ErrNotExist) {
		if a.area == Lists {
			return nil // none was ever published
		}
		return fault.New("no_snapshot", "%s holds no snapshot", f.opt.Store).Try("grantgraph publish --to %s on the machine that builds", f.opt.Store)
	}
	if err != nil {
		return err
	}
	a.want = to
	f.metrics.seen.WithLabelValues(string(a.area)).SetToCurrentTime()
	if a.area == Lists {
		if err := f.takeChecks(ctx); err != nil {
			return err
		}
	}
	if to == a.failed && time.Now().Before(a.again) {
		return errors.New(a.said)
	}
	a.have = ""
	if s, err := snapshot.Open(a.data); err == nil {
		a.have = s.Manifest.Version
	}
	if a.have == to.Version && !first {
		f.tidy(a)
		if time.Since(a.wrote) > leaseRenew {
			return f.hold(ctx, a, to.Version)
		}
		return nil
	}
	release, err := snapshot.LockReceiving(a.data)
	if errors.Is(err, disk.ErrLocked) {
		return nil // another server of this directory is receiving
	}
	if err != nil {
		return err
	}
	defer release()
	if err := f.bring(ctx, a, to); err != nil {
		a.failed, a.again = to, time.Now().Add(retryAfter)
		return err
	}
	a.failed = Pointer{}
	f.tidy(a)
	return nil
}

// bring pulls a version. It writes the lease before it reads the pointer once more.
// So a publisher that moves the pointer later sees which versions are in use here.
func (f *Follower) bring(ctx context.Context, a *followed, to Pointer) error {
	versions := []string{to.Version}
	if a.have != "" && a.have != to.Version {
		versions = []string{a.have, to.Version}
	}
	if err := f.hold(ctx, a, versions...); err != nil {
		return err
	}
	again, err := Current(ctx, f.opt.Store, a.area)
	if err != nil {
		return err
	}
	if again != to {
		return nil // the next look takes the new version
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for parallel.Pause(ctx, leaseRenew) == nil {
			_ = a.lease.renew(ctx)
		}
	}()
	defer f.fetching.Store(nil)
	fresh := a.have != to.Version
	var fetched atomic.Int64
	began, said := time.Now(), time.Now()
	p := &pull{
		store: f.opt.Store, area: a.area, data: a.data, parallel: f.opt.Parallel, chunk: f.opt.chunk, free: f.opt.free,
		came: func(n int64) { fetched.Add(n); f.metrics.bytes.Add(float64(n)) },
		tidy: func() error { return prune(a.data) },
		progress: func(done, total int64) {
			f.fetching.Store(&share{done, total})
			if time.Since(said) > 10*time.Second {
				said = time.Now()
				f.opt.Log.Info("fetching from the store", "what", string(a.area), "version", to.Version, "bytes", done, "of", total)
			}
		},
	}
	if err := p.run(ctx, to); err != nil {
		return err
	}
	a.have = to.Version
	if fresh {
		f.metrics.pulled.WithLabelValues(string(a.area)).Inc()
		f.opt.Log.Info("fetched from the store", "what", string(a.area), "version", to.Version, "bytes", fetched.Load(), "took",
			time.Since(began).Round(time.Millisecond))
	}
	return f.hold(ctx, a, to.Version)
}

func (f *Follower) hold(ctx context.Context, a *followed, versions ...string) error {
	_, err := a.lease.set(ctx, leaseNode, versions...)
	if err == nil {
		a.wrote = time.Now()
	}
	return err
}

// tidy removes older versions that no server holds any more.
func (f *Follower) tidy(a *followed) {
	if err := prune(a.data); err != nil {
		f.opt.Log.Warn("an old version cannot be removed", "what", string(a.area), "error", err)
	}
}

// prune removes all versions of a directory except the current one and those that are held.
func prune(data string) error {
	if _, err := snapshot.Open(data); err != nil {
		return nil // without a current version, nothing is removed
	}
	return snapshot.Prune(data, 0)
}
