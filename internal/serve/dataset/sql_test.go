package dataset

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/sqlbox/worker"
)

// TestMain is the SQL worker when it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(world.Main(m))
}

// TestFoundDamagedUnderway finds a warehouse damaged between the check of a
// query and its end: what it found is not told, and no other query begins.
func TestFoundDamagedUnderway(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	h, err := Open(data, Options{SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	d, release := h.Acquire()
	defer release()
	q := sqlbox.Request{SQL: "SELECT count(*) AS n FROM grants"}
	if err := d.SQL.Check(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SQL.Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	d.SQL.damaged.Store(true)
	found, err := d.SQL.Run(t.Context(), q)
	if f, ok := fault.Of(err); !ok || f.Slug != sqlbox.Unavailable || found != nil {
		t.Errorf("a query on a damaged warehouse: %v, %v", found, err)
	}
	if f, ok := fault.Of(d.SQL.Check(t.Context(), q)); !ok || f.Slug != sqlbox.Unavailable {
		t.Errorf("a query that begins on a damaged warehouse: %v", f)
	}
}
