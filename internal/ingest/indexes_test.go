package ingest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/snapshot"
)

// TestWriteIndexes makes indexes that say what they need: no more are under way
// than there is memory for, and two that fit are made at once.
func TestWriteIndexes(t *testing.T) {
	t.Parallel()
	w, err := snapshot.Create(t.TempDir(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	type row struct {
		N int64 `parquet:"n"`
	}
	if err := snapshot.WriteTable(w, "rows", slices.Values([]row{{1}, {2}})); err != nil {
		t.Fatal(err)
	}
	const large, half = 3 * indexMemory, 3 * indexMemory / 2 // the large one says how much there is
	var taken, made atomic.Int64
	index := func(name string, need int64, meet func()) snapshot.Indexer {
		return snapshot.Indexer{Name: name, Needs: map[string]int64{"rows": need / 2}, Write: func(context.Context, *snapshot.Writer) error {
			if n := taken.Add(need); n > large {
				t.Errorf("%s makes it %d bytes", name, n)
			}
			meet()
			taken.Add(-need)
			made.Add(1)
			return nil
		}}
	}
	nobody, both := func() {}, make(chan struct{})
	var phases []string
	b := &builder{workers: 2, opt: Options{Indexers: []snapshot.Indexer{
		index("first", half, func() { both <- struct{}{} }), index("second", half, func() { <-both }),
		index("large", large, nobody), index("third", half+2, nobody), index("fourth", half, nobody),
	}}}
	b.show = func(phase string, done, total int64) {
		if done == total {
			phases = append(phases, phase)
		}
	}
	if err := b.writeIndexes(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(phases, []string{"indexes"}) || made.Load() != 5 {
		t.Errorf("%d are made, and the phases that end are %v", made.Load(), phases)
	}

	failed := errors.New("no")
	b.workers = 1
	b.opt.Indexers = []snapshot.Indexer{{Name: "a", Write: func(context.Context, *snapshot.Writer) error { return failed }}, index("b", 0, nobody)}
	if err := b.writeIndexes(t.Context(), w); !errors.Is(err, failed) || made.Load() != 5 {
		t.Errorf("after an error: %v", err)
	}
}

// TestMemoryOfGo holds that the memory of other engines is not given to Go, and
// that an index which needs more than is left is given what it needs.
func TestMemoryOfGo(t *testing.T) {
	t.Parallel()
	s := &snapshot.Snapshot{Manifest: snapshot.Manifest{Files: []snapshot.File{{Path: "tables/rows.parquet", Rows: 10}}}}
	engine := snapshot.Indexer{Foreign: indexMemory / 3}
	for _, c := range []struct {
		list []snapshot.Indexer
		want int64
	}{
		{nil, indexMemory},
		{[]snapshot.Indexer{engine}, indexMemory - indexMemory/3},
		{[]snapshot.Indexer{engine, {Needs: map[string]int64{"rows": 1}}}, indexMemory - indexMemory/3},
		{[]snapshot.Indexer{engine, {Needs: map[string]int64{"rows": indexMemory}}}, 10 * indexMemory},
	} {
		if got := memoryOfGo(s, c.list); got != c.want {
			t.Errorf("of %+v, %d bytes are Go's, not %d", c.list, got, c.want)
		}
	}
}
