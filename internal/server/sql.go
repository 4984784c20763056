package server

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/sqlbox"
)

// again is how long a warehouse that could not be opened is left alone.
const again = time.Minute

// warehouse answers SQL from the snapshot being served. A snapshot that has no
// warehouse is served all the same; SQL then says so, rather than answer from
// the snapshot before.
type warehouse struct {
	box   *sqlbox.Box
	log   *slog.Logger
	clock func() time.Time
	ready atomic.Bool

	mu      sync.Mutex
	version string    // of the snapshot last tried
	retry   time.Time // zero when there is nothing to retry
}

func openWarehouse(opt sqlbox.Options, log *slog.Logger, clock func() time.Time) (*warehouse, error) {
	if opt.Log == nil {
		opt.Log = log
	}
	box, err := sqlbox.New(opt)
	if err != nil {
		return nil, err
	}
	return &warehouse{box: box, log: log, clock: clock}, nil
}

// use turns to a snapshot, unless it is the one in use already.
func (w *warehouse) use(s *snapshot.Snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	same := s.Manifest.Version == w.version
	if same && (w.retry.IsZero() || w.clock().Before(w.retry)) {
		return
	}
	w.version, w.retry = s.Manifest.Version, time.Time{}
	err := w.box.Use(s.Dir)
	w.ready.Store(err == nil)
	if err == nil {
		return
	}
	w.log.Error("serving without SQL", "dataset", w.version, "error", err)
	if f, ok := fault.Of(err); !ok || f.Slug != "no_warehouse" {
		w.retry = w.clock().Add(again)
	}
}

// absent is the answer while there is no warehouse.
func (w *warehouse) absent() error {
	if w.ready.Load() {
		return nil
	}
	return fault.New(sqlbox.Unavailable, "the dataset being served has no warehouse to ask").
		Try("use the other endpoints meanwhile, and retry after the next build of the dataset")
}

// Check asks the gate.
func (w *warehouse) Check(ctx context.Context, r sqlbox.Request) error {
	if err := w.absent(); err != nil {
		return err
	}
	return w.box.Check(ctx, r)
}

// Run runs a query that Check has let pass.
func (w *warehouse) Run(ctx context.Context, r sqlbox.Request) (*sqlbox.Result, error) {
	if err := w.absent(); err != nil {
		return nil, err
	}
	return w.box.Run(ctx, r)
}

func (w *warehouse) close() {
	if err := w.box.Close(); err != nil {
		w.log.Error("closing the SQL sandbox", "error", err)
	}
}
