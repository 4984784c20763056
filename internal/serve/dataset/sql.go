package dataset

import (
	"context"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

type SQL struct {
	*sqlbox.Warehouse
	damaged atomic.Bool // found while the warehouse was served
}

// Check asks the gate whether a query may run.
func (s *SQL) Check(ctx context.Context, r sqlbox.Request) error {
	if s.damaged.Load() {
		return damagedWarehouse()
	}
	return s.Warehouse.Check(ctx, r)
}

// Run runs a query that Check has let pass.
func (s *SQL) Run(ctx context.Context, r sqlbox.Request) (*sqlbox.Result, error) {
	found, err := s.Warehouse.Run(ctx, r)
	if s.damaged.Load() { // the result may be wrong
		return nil, damagedWarehouse()
	}
	return found, err
}

func damagedWarehouse() error {
	return fault.New(sqlbox.Unavailable, "the warehouse of the dataset being served is damaged, and out of service").
		Try("use the other endpoints meanwhile, and retry after the next build of the dataset")
}

func (h *Holder) startWorkers(s *snapshot.Snapshot) (*sqlbox.Warehouse, error) {
	if h.box == nil {
		return nil, nil
	}
	return h.box.Open(s.Dir)
}

// retryWorkers starts the workers again: opening the indexes may have left them too little time.
func (h *Holder) retryWorkers(s *snapshot.Snapshot, w *sqlbox.Warehouse, err error) (*sqlbox.Warehouse, error) {
	if err == nil {
		return w, nil
	}
	return h.startWorkers(s)
}

// takeSQL takes up the workers on the warehouse of a snapshot; err says why there are none. Then SQL is refused.
func (h *Holder) takeSQL(s *snapshot.Snapshot, w *sqlbox.Warehouse, err error) (*SQL, *shared) {
	h.retrySQL = time.Time{}
	if err != nil {
		h.opt.Log.Error("serving without SQL", "dataset", s.Manifest.Version, "error", err)
		if f, ok := fault.Of(err); !ok || f.Slug != "no_warehouse" {
			h.retrySQL = h.opt.Clock().Add(retryAfter)
		}
		return nil, nil
	}
	if w == nil {
		return nil, nil
	}
	return &SQL{Warehouse: w}, &shared{close: func() error { w.Close(); return nil }}
}

func isWarehouse(f snapshot.File) bool {
	return f.Path == warehouse.OpenFile || f.Path == warehouse.ProFile
}

func isTable(f snapshot.File) bool {
	return path.Ext(f.Path) == ".parquet" && strings.HasPrefix(f.Path, "tables/")
}
