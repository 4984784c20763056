// Package dataset holds all that a request is answered from, as one value: a snapshot with its indexes, the workers that run
// SQL on its warehouse, and the edition of the compliance lists. A request acquires it once, before its first read, and gives
// it back after its last byte, so that everything in an answer is of one version.
//
// A Holder has the current dataset and takes up a newer one without dropping a request. Requests that hold the old dataset go
// on reading it. When the last of them is done, the parts that no newer dataset shares are closed and may be pruned.
package dataset

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Dataset is what one request is answered from. A nil part is out of service.
type Dataset struct {
	Snapshot  *snapshot.Snapshot
	Graph     *graph.Graph
	Search    *search.Index
	Directory *directory.Index
	Profiles  *profile.Index
	Changes   *change.Index // since earlier builds
	SQL       *SQL
	Lists     *lists.Current
	Screen    *screen.Screener // never nil: without lists it answers not_screened
	Standing  *screen.Standing // of the organizations of Directory with Screen; nil without Directory
	ListLog   *change.Log      // what changed on Lists since earlier editions; never nil

	// These must be closed. Consecutive datasets share those that have not changed.
	build, warehouse, edition *shared

	readers int // under the holder's lock; being current counts as one
}

func (d *Dataset) Version() string { return d.Snapshot.Manifest.Version }

// Whole reports whether all indexes that most requests need are in service.
func (d *Dataset) Whole() bool {
	return d.Browsable() && d.Directory != nil && d.Profiles != nil
}

// Browsable says whether what pages show is in service: grants and names.
func (d *Dataset) Browsable() bool { return d.Graph != nil && d.Search != nil }

func (d *Dataset) shared() (list []*shared) {
	for _, p := range []*shared{d.build, d.warehouse, d.edition} {
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// shared is something open that several datasets may share.
type shared struct {
	users int // datasets, under the holder's lock
	close func() error
}

// openBuild opens the indexes of a snapshot. With lenient, a damaged index is left out, which bad says.
func openBuild(s *snapshot.Snapshot, lenient bool) (d *Dataset, bad error, err error) {
	unhold, err := s.Hold()
	if err != nil {
		return nil, nil, err
	}
	d = &Dataset{Snapshot: s}
	d.build = &shared{close: func() (err error) {
		defer unhold()
		for _, index := range []struct {
			open bool
			io.Closer
		}{
			{d.Graph != nil, d.Graph}, {d.Search != nil, d.Search}, {d.Directory != nil, d.Directory}, {d.Profiles != nil, d.Profiles}, {d.Changes != nil, d.Changes},
		} {
			if index.open {
				err = errors.Join(err, index.Close())
			}
		}
		return err
	}}
	var errs [5]error
	parallel.All(
		func() { d.Graph, errs[0] = graph.Open(s) },
		func() { d.Search, errs[1] = search.Open(s) },
		func() { d.Directory, errs[2] = directory.Open(s) },
		func() { d.Profiles, errs[3] = profile.Open(s) },
		func() { d.Changes, errs[4] = change.Open(s) },
	)
	damaged := []string{graph.Damaged, search.Damaged, directory.Damaged, profile.Damaged}
	for _, err := range errs {
		f, ok := fault.Of(err)
		spared := change.Unusable(err) || ok && slices.Contains(damaged, f.Slug)
		if err != nil && (!lenient || !spared) {
			return nil, nil, errors.Join(err, d.build.close())
		}
	}
	if d.Search != nil && d.Search.Bad() != nil {
		// Search by name still works: better than nothing, worse than the dataset before.
		if !lenient {
			return nil, nil, errors.Join(d.Search.Bad(), d.build.close())
		}
		errs[1] = d.Search.Bad()
	}
	return d, errors.Join(errs[:]...), nil
}

func (d *Dataset) withLists(o opened, standing *screen.Standing) *Dataset {
	next := *d
	next.Lists, next.Screen, next.ListLog, next.edition = o.lists, o.screener, o.log, o.edition
	next.Standing, next.readers = standing, 0
	return &next
}

// standingWith is how the organizations stand with lists, nil without a directory.
func (d *Dataset) standingWith(screener *screen.Screener) (*screen.Standing, error) {
	if d.Directory == nil {
		return nil, nil
	}
	return screen.NewStanding(d.Directory.EINs(), screener)
}

func (d *Dataset) withSQL(sql *SQL, warehouse *shared) *Dataset {
	next := *d
	next.SQL, next.warehouse, next.readers = sql, warehouse, 0
	return &next
}

type opened struct {
	lists    *lists.Current
	screener *screen.Screener
	log      *change.Log
	edition  *shared // nil without an edition
	bad      error   // why nothing is told of changes, nil where it is
}

// openEdition opens what screens against an edition of the lists and what tells of its changes,
// without which, as bad says, the lists are as good as before.
func openEdition(now *lists.Current) (o opened, err error) {
	o.lists = now
	if now.Edition == nil {
		o.log = &change.Log{}
		o.screener, err = screen.Open(now)
		return o, err
	}
	unhold, err := now.Edition.Hold()
	if err != nil {
		return o, err
	}
	if o.screener, err = screen.Open(now); err != nil {
		unhold()
		return opened{}, err
	}
	switch o.log, err = change.OpenLog(now.Edition.Snapshot); {
	case change.Unusable(err):
		o.log, o.bad = &change.Log{}, err
	case err != nil:
		err = errors.Join(err, o.screener.Close())
		unhold()
		return opened{}, err
	}
	o.edition = &shared{close: func() error { defer unhold(); return errors.Join(o.screener.Close(), o.log.Close()) }}
	return o, nil
}

// Busiest finds an example: the funder with the most grants and the recipient with an EIN that it paid most.
func (d *Dataset) Busiest(ctx context.Context) (funder, recipient ein.EIN, err error) {
	funders, _, err := d.Graph.Funders(ctx, &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: 1})
	if err != nil || len(funders) == 0 {
		return ein.None, ein.None, err
	}
	funder = funders[0].EIN
	recipients, _, err := d.Graph.Recipients(ctx, &graph.Filter{Funders: []ein.EIN{funder}}, graph.Sort{}, graph.Page{Limit: 20})
	for _, r := range recipients {
		if r.EIN != ein.None {
			return funder, r.EIN, err
		}
	}
	return funder, ein.None, err
}

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
