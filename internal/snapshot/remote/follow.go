package remote

import (
	"bytes"
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

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// FollowOptions say what follows a store.
type FollowOptions struct {
	Store    Store
	Data     string        // data directory, filled from the store alone
	Parallel int           // ranges at a time; 0 is a few
	Poll     time.Duration // how often to look at the pointers; 0 is five seconds
	Log      *slog.Logger

	free  func(dir string) (int64, error) // of the disk; nil asks it
	chunk int64                           // 0 is the usual
}

// Follower keeps a data directory at what a store points at: snapshots, and
// editions of the lists. A server of that directory takes up what it brings.
type Follower struct {
	opt       FollowOptions
	snapshots *followed
	lists     *followed
	metrics   followMetrics
	fetching  atomic.Pointer[share] // what is on its way; nil for nothing
}

// share is how much of something has come, in bytes.
type share struct{ done, total int64 }

// followed is one area of the store and its place in the data directory.
type followed struct {
	area   Area
	data   string
	lease  *holder
	want   Pointer   // last seen
	have   string    // version that is current here
	wrote  time.Time // when the lease was last written, by any clock
	said   string    // the failure that was last complained of
	again  time.Time // when to try what failed again
	failed Pointer   // what failed
}

// retryAfter is how long a version that could not be brought is left alone.
const retryAfter = 30 * time.Second

type followMetrics struct {
	pulled   *prometheus.CounterVec
	failures *prometheus.CounterVec
	bytes    prometheus.Counter
	seen     *prometheus.GaugeVec
	behind   *prometheus.GaugeVec
}

// NewFollower makes a follower of a store for a data directory. Its id, by which
// the store knows what it uses, is drawn at first and kept in the directory.
func NewFollower(opt FollowOptions) (*Follower, error) {
	if opt.Parallel <= 0 {
		opt.Parallel = defaultParallel
	}
	if opt.Poll <= 0 {
		opt.Poll = 5 * time.Second
	}
	if opt.chunk <= 0 {
		opt.chunk = chunk
	}
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
	f := &Follower{opt: opt, snapshots: area(Snapshots, opt.Data), lists: area(Lists, lists.Dir(opt.Data))}
	what := []string{"what"}
	f.metrics = followMetrics{
		pulled: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "grantgraph_store_pulled_total",
			Help: "Snapshots and editions of the lists brought from the store."}, what),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "grantgraph_store_failures_total",
			Help: "Times that what the store points at could not be read, or was refused as damaged."}, what),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "grantgraph_store_fetched_bytes_total", Help: "Bytes of content fetched from the store."}),
		seen: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "grantgraph_store_pointer_seen_timestamp_seconds",
			Help: "When the pointer of the store was last read."}, what),
		behind: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "grantgraph_store_behind",
			Help: "1 while the store points at another version than is here."}, what),
	}
	for _, a := range []Area{Snapshots, Lists} {
		f.metrics.pulled.WithLabelValues(string(a))
		f.metrics.failures.WithLabelValues(string(a))
	}
	return f, nil
}

// Describe and Collect make the follower one that is shown among the metrics of
// a server.
func (f *Follower) Describe(to chan<- *prometheus.Desc) {
	for _, c := range f.collectors() {
		c.Describe(to)
	}
}

// Collect is the other half of Describe.
func (f *Follower) Collect(to chan<- prometheus.Metric) {
	for _, c := range f.collectors() {
		c.Collect(to)
	}
}

func (f *Follower) collectors() []prometheus.Collector {
	m := &f.metrics
	return []prometheus.Collector{m.pulled, m.failures, m.bytes, m.seen, m.behind}
}

// nodeID is the name of this directory in the leases of a store.
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

// First brings what the store points at before anything is served. If that is
// impossible, what is in the directory already will do; the error is returned
// when nothing is.
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
	_ = f.look(ctx, f.lists, true) // a service without lists says so; it was logged
	return ctx.Err()
}

// State says what First is at, in a few words.
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
			_ = f.look(ctx, f.snapshots, false) // said in the log and the metrics
			_ = f.look(ctx, f.lists, false)
		}
	}
}

// look reads one pointer and does what it says.
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
	a.have, _ = currentOf(a.data)
	if a.have == to.Version && !first {
		f.tidy(a)
		if time.Since(a.wrote) > leaseRenew {
			return f.hold(ctx, a, to.Version)
		}
		return nil
	}
	release, err := snapshot.LockReceiving(a.data)
	if errors.Is(err, disk.ErrLocked) {
		return nil // another server of this directory is at it
	}
	if err != nil {
		return err
	}
	defer release()
	err = f.bring(ctx, a, to)
	if err != nil {
		a.failed, a.again = to, time.Now().Add(retryAfter)
		return err
	}
	a.failed = Pointer{}
	f.tidy(a)
	return nil
}

// bring pulls a version. The lease is written before the pointer is read for the
// last time, so who moves it afterwards sees what is in use here.
func (f *Follower) bring(ctx context.Context, a *followed, to Pointer) error {
	if err := f.hold(ctx, a, held(a.have, to.Version)...); err != nil {
		return err
	}
	again, err := Current(ctx, f.opt.Store, a.area)
	if err != nil {
		return err
	}
	if again != to {
		return nil // the next look takes that
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for pause(ctx, leaseRenew) == nil {
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

// held are the versions that a lease names: what is here and what comes.
func held(have, next string) []string {
	if have == "" || have == next {
		return []string{next}
	}
	return []string{have, next}
}

func (f *Follower) hold(ctx context.Context, a *followed, versions ...string) error {
	_, err := a.lease.set(ctx, leaseNode, versions...)
	if err == nil {
		a.wrote = time.Now()
	}
	return err
}

// tidy removes older versions as soon as no server holds them.
func (f *Follower) tidy(a *followed) {
	if err := prune(a.data); err != nil {
		f.opt.Log.Warn("an old version cannot be removed", "what", string(a.area), "error", err)
	}
}

// prune leaves the current version of a directory, and those that are held.
func prune(data string) error {
	if _, err := currentOf(data); err != nil {
		return nil // nothing to keep it by
	}
	return snapshot.Prune(data, 0)
}

// currentOf is the version that a directory points at.
func currentOf(data string) (string, error) {
	s, err := snapshot.Open(data)
	if err != nil {
		return "", err
	}
	return s.Manifest.Version, nil
}

// takeChecks brings what is known of the publishers of the lists: when they were
// last looked at.
func (f *Follower) takeChecks(ctx context.Context) error {
	body, err := read(ctx, f.opt.Store, Lists.checksKey(), maxChecks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	checks, err := ParseChecks(body)
	if err != nil {
		return err
	}
	now, err := lists.ReadChecks(f.opt.Data)
	if err == nil && bytes.Equal(encode(now), encode(checks)) {
		return nil
	}
	return lists.WriteChecks(f.opt.Data, checks)
}

// ParseChecks reads what was seen of the publishers.
func ParseChecks(body []byte) ([]lists.Check, error) {
	var checks []lists.Check
	err := strict(body, maxChecks, &checks)
	known := map[string]bool{}
	for _, name := range lists.Names() {
		known[name] = true
	}
	for _, c := range checks {
		if !known[c.Name] {
			err = errors.Join(err, errors.New("it knows lists that there are not"))
			break
		}
		known[c.Name] = false // each once
	}
	if err != nil {
		return nil, fault.New("bad_object", "what the store says of the publishers of the lists cannot be read: %w", err).Try("publish again")
	}
	return checks, nil
}

// PublishChecks stores when the publishers of the lists were last looked at,
// unless somebody who looked later has.
func PublishChecks(ctx context.Context, s Store, checks []lists.Check) error {
	for range 5 {
		tag, merged := "", checks
		info, err := s.Head(ctx, Lists.checksKey())
		if err == nil {
			tag = info.Tag
			body, err := read(ctx, s, Lists.checksKey(), maxChecks)
			if err != nil {
				return err
			}
			if there, err := ParseChecks(body); err == nil {
				merged = newest(checks, there)
			}
			if bytes.Equal(encode(merged), body) {
				return nil
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := s.PutIf(ctx, Lists.checksKey(), encode(merged), tag); !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return fault.New("store_busy", "others are writing to %s all the time", s).Try("run it again")
}

// newest has the later look at each list.
func newest(a, b []lists.Check) (out []lists.Check) {
	for _, name := range lists.Names() {
		var best *lists.Check
		for _, list := range [][]lists.Check{a, b} {
			for i := range list {
				if c := &list[i]; c.Name == name && (best == nil || c.CheckedAt.After(best.CheckedAt)) {
					best = c
				}
			}
		}
		if best != nil {
			out = append(out, *best)
		}
	}
	return out
}
