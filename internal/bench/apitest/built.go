package apitest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/snapshot/lists"
)

// built is a small invented world, built and opened as in production.
var built struct {
	once sync.Once
	data *serve.Dataset
	sql  *sqlbox.Warehouse
	err  error
}

// Main runs the tests of a package that asks for the built world.
func Main(m *testing.M) int {
	code := world.Main(m)
	if built.sql != nil {
		built.sql.Close()
	}
	return code
}

// Built is the built world. It is shared, so nobody may change it. It answers SQL
// in a test program that links package worker and is a worker when started as one.
func Built(t testing.TB) *serve.Dataset {
	t.Helper()
	s := world.Small.Snapshot(t)
	built.once.Do(func() {
		d := &serve.Dataset{Manifest: s.Manifest, Standing: &screen.Standing{}, Compliance: &lists.Current{},
			Screen: screen.New(&lists.Current{}, &screen.Rows{}), ListLog: &change.Log{}}
		var errs [5]error
		d.Graph, errs[0] = graph.Open(s)
		d.Search, errs[1] = search.Open(s)
		d.Directory, errs[2] = directory.Open(s)
		d.Profiles, errs[3] = profile.Open(s)
		d.Changes, errs[4] = change.Open(s)
		built.data, built.err = d, errors.Join(errs[:]...)
		if built.err != nil || !world.Linked() {
			return
		}
		var box *sqlbox.Box
		// Tests run side by side with the same few keys.
		if box, built.err = sqlbox.New(sqlbox.Options{Workers: 2, Queue: 1000, PerOwner: 1000, Wait: time.Hour, Timeout: time.Hour}); built.err != nil {
			return
		}
		if built.sql, built.err = box.Open(s.Dir); built.err != nil {
			return
		}
		built.data.SQL = built.sql
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.data
}

func SQL(t testing.TB) *sqlbox.Warehouse {
	t.Helper()
	Built(t)
	return built.sql
}

func Real(t testing.TB) *World {
	t.Helper()
	return Over(t, Built(t))
}
