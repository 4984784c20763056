package dataset

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

type Options struct {
	SQL   *sqlbox.Options  // limits of SQL; nil means that there is none
	Clock func() time.Time // nil is the clock of the machine
	Log   *slog.Logger
}

type Holder struct {
	data string
	opt  Options
	box  *sqlbox.Box // nil when there is no SQL

	// change is held while another dataset becomes current. It guards:
	change   sync.Mutex
	closed   bool
	refused  struct{ snapshot, lists refusal }
	retrySQL time.Time          // when to try the warehouse again; zero for never
	stop     context.CancelFunc // ends the check of the files being served
	checks   sync.WaitGroup

	daily, suspicion inspection
	badChecks        string // why the file of upstream checks cannot be read, as logged

	mu      sync.Mutex // and change, to set current
	current *Dataset   // nil before the first one
}

// retryAfter is how long the holder waits before it reads again all of what it could not open.
const retryAfter = time.Minute

type refusal struct {
	version string
	until   time.Time
	err     error
}

// Open opens the current snapshot of a data directory and its lists. A damaged index or edition, or a warehouse that cannot be
// opened, stays out of service and is logged. Call FinishOpening when everything else that requests need is ready.
func Open(data string, opt Options) (_ *Holder, err error) {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	h := &Holder{data: data, opt: opt, stop: func() {}}
	h.daily.next = opt.Clock().Add(inspectEvery)
	if opt.SQL != nil {
		limits := *opt.SQL
		if limits.Log == nil {
			limits.Log = opt.Log
		}
		if h.box, err = sqlbox.New(limits); err != nil {
			return nil, fmt.Errorf("setting up SQL: %w", err)
		}
	}
	if err := h.openFirst(); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// FinishOpening does the work that would have delayed Open: it starts other SQL workers and verifies further files.
func (h *Holder) FinishOpening() {
	h.change.Lock()
	defer h.change.Unlock()
	if !h.closed {
		h.finishOpening(h.current)
	}
}

// openFirst opens the first dataset, all parts at the same time, and serves every part that is sound. Without lists that can
// be read, screenings say that they are missing.
func (h *Holder) openFirst() (err error) {
	h.change.Lock()
	defer h.change.Unlock()
	s, err := snapshot.Open(h.data)
	if err != nil {
		return err
	}
	var (
		next                *Dataset
		edition             opened
		workers             *sqlbox.Warehouse
		bad, noLists, noSQL error
	)
	parallel.All(
		func() { next, bad, err = openBuild(s, true) },
		func() { edition, noLists = h.openFirstLists() },
		func() { workers, noSQL = h.startWorkers(s) },
	)
	defer func() {
		if err == nil {
			return
		}
		if next != nil {
			err = errors.Join(err, next.build.close())
		}
		if edition.edition != nil {
			err = errors.Join(err, edition.edition.close())
		}
		if workers != nil {
			workers.Close()
		}
	}()
	if err = errors.Join(err, noLists); err != nil {
		return err
	}
	standing, err := next.standingWith(edition.screener)
	if err != nil {
		return err
	}
	if bad != nil {
		h.opt.Log.Error("serving without what is damaged", "dataset", next.Version(), "error", bad)
	}
	next = next.withLists(edition, standing)
	workers, noSQL = h.retryWorkers(s, workers, noSQL)
	next.SQL, next.warehouse = h.takeSQL(s, workers, noSQL)
	h.swap(next)
	return nil
}

// openFirstLists opens the lists of the data directory, or an empty edition.
func (h *Holder) openFirstLists() (o opened, err error) {
	var none *lists.Current
	now, err := none.Reread(h.data)
	if err == nil {
		o, err = openEdition(now)
	}
	if err != nil {
		h.refuseLists(listsVersion(h.data), err)
		h.opt.Log.Error("serving without compliance lists", "error", err)
		return openEdition(lost(nil))
	}
	h.logBadChecks(now)
	h.logBadChanges(o)
	return o, nil
}

// Acquire returns the current dataset, open until release is called, exactly once.
func (h *Holder) Acquire() (d *Dataset, release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d = h.current
	d.readers++
	return d, func() { h.release(d) }
}

// release gives a dataset back. Its last reader closes what nobody shares.
func (h *Holder) release(d *Dataset) {
	h.mu.Lock()
	var idle []*shared
	if d.readers--; d.readers == 0 {
		for _, p := range d.shared() {
			if p.users--; p.users == 0 {
				idle = append(idle, p)
			}
		}
	}
	h.mu.Unlock()
	for _, p := range idle {
		if err := p.close(); err != nil {
			h.opt.Log.Error("closing a dataset", "version", d.Version(), "error", err)
		}
	}
}

func (h *Holder) swap(next *Dataset) {
	h.mu.Lock()
	for _, p := range next.shared() {
		p.users++
	}
	next.readers = 1
	old := h.current
	h.current = next
	h.mu.Unlock()
	if old != nil {
		h.release(old)
	}
}

// Refresh takes up a new snapshot: the one that the data directory points to, if it is not the current one. It also tries again
// to open a warehouse that failed. swapped says that the snapshot changed. On an error the current dataset stays.
func (h *Holder) Refresh() (swapped bool, err error) {
	h.change.Lock()
	defer h.change.Unlock()
	if h.closed {
		return false, nil
	}
	s, err := snapshot.Open(h.data)
	if err != nil {
		return false, err
	}
	now := h.current
	if now.Version() == s.Manifest.Version {
		h.retryWarehouse(now)
		return false, nil
	}
	if r := &h.refused.snapshot; r.version == s.Manifest.Version && h.opt.Clock().Before(r.until) {
		return false, r.err
	}
	var (
		next    *Dataset
		workers *sqlbox.Warehouse
		noSQL   error
	)
	parallel.All(
		func() { next, _, err = openBuild(s, false) },
		func() { workers, noSQL = h.startWorkers(s) },
	)
	if err == nil {
		next.Lists, next.Screen, next.ListLog, next.edition = now.Lists, now.Screen, now.ListLog, now.edition
		if next.Standing, err = next.standingWith(next.Screen); err != nil {
			err = errors.Join(err, next.build.close())
		}
	}
	if err != nil {
		if workers != nil {
			workers.Close()
		}
		h.refused.snapshot = refusal{s.Manifest.Version, h.opt.Clock().Add(retryAfter), err}
		return false, err
	}
	workers, noSQL = h.retryWorkers(s, workers, noSQL)
	next.SQL, next.warehouse = h.takeSQL(s, workers, noSQL)
	h.stop()
	h.swap(next)
	h.finishOpening(next)
	return true, nil
}

// retryWarehouse tries to open a warehouse that failed.
func (h *Holder) retryWarehouse(d *Dataset) {
	if h.retrySQL.IsZero() || h.opt.Clock().Before(h.retrySQL) {
		return
	}
	workers, err := h.startWorkers(d.Snapshot)
	if sql, warehouse := h.takeSQL(d.Snapshot, workers, err); sql != nil {
		next := d.withSQL(sql, warehouse)
		h.stop()
		h.swap(next)
		h.finishOpening(next)
	}
}

// RefreshLists takes up the compliance lists that the data directory has. On an error the current lists stay.
func (h *Holder) RefreshLists() (swapped bool, err error) {
	h.change.Lock()
	defer h.change.Unlock()
	if h.closed {
		return false, nil
	}
	now, version := h.current, listsVersion(h.data)
	if r := &h.refused.lists; version != "" && r.version == version && h.opt.Clock().Before(r.until) {
		return false, r.err
	}
	next, err := now.Lists.Reread(h.data)
	if err != nil {
		return false, h.refuseLists(version, err)
	}
	h.logBadChecks(next)
	if next.Version() == now.Lists.Version() && now.Lists.Problem == "" {
		if next.Stamp() != now.Lists.Stamp() {
			next.Edition = now.Lists.Edition
			h.swap(now.withLists(opened{lists: next, screener: now.Screen.With(next), log: now.ListLog, edition: now.edition}, now.Standing))
		}
		return false, nil
	}
	o, err := openEdition(next)
	if err != nil {
		return false, h.refuseLists(version, err)
	}
	standing, err := now.standingWith(o.screener)
	if err != nil {
		if o.edition != nil {
			err = errors.Join(err, o.edition.close())
		}
		return false, h.refuseLists(version, err)
	}
	h.logBadChanges(o)
	h.swap(now.withLists(o, standing))
	return true, nil
}

func listsVersion(data string) string {
	e, err := lists.Open(data)
	if err != nil {
		return ""
	}
	return e.Manifest.Version
}

// logBadChecks says once that the file of upstream checks cannot be read.
func (h *Holder) logBadChecks(now *lists.Current) {
	text := ""
	if now.BadChecks != nil {
		text = now.BadChecks.Error()
	}
	if text != "" && text != h.badChecks {
		h.opt.Log.Error("serving the compliance lists without knowing when upstream was last checked", "error", now.BadChecks)
	}
	h.badChecks = text
}

func (h *Holder) refuseLists(version string, err error) error {
	h.refused.lists = refusal{version, h.opt.Clock().Add(retryAfter), err}
	return err
}

func (h *Holder) logBadChanges(o opened) {
	if o.bad != nil {
		h.opt.Log.Error("serving the compliance lists without their changes", "edition", o.lists.Version(), "error", o.bad)
	}
}

// finishOpening starts the other SQL workers and verifies the files that no index checked, while requests are served.
func (h *Holder) finishOpening(d *Dataset) {
	if d.SQL != nil {
		d.SQL.StartMore()
	}
	h.stop() // the dataset before need not be verified any more
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	_, release := h.Acquire()
	h.checks.Go(func() {
		defer release()
		defer stop()
		h.inspect(ctx, d, isWarehouse)
		h.inspect(ctx, d, isTable)
	})
}

// Close closes the current dataset when its last reader is done.
func (h *Holder) Close() {
	h.change.Lock()
	defer h.change.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	h.stop()
	for _, i := range []*inspection{&h.daily, &h.suspicion} {
		if i.stop != nil {
			i.stop()
		}
	}
	h.change.Unlock() // a check that has ended takes it
	h.checks.Wait()
	h.change.Lock()
	if h.current != nil {
		h.release(h.current)
	}
	if h.box != nil {
		h.box.Close()
	}
}
