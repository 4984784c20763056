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
// than there is memory for, two that fit are made at once, and those that take the
// whole machine come last, one by one.
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
	const half = indexMemory / 2 // of two rows, a quarter for each
	var taken, under, made atomic.Int64
	index := func(name string, need int64, meet func()) snapshot.Indexer {
		return snapshot.Indexer{Name: name, Needs: map[string]int64{"rows": need / 2}, Write: func(context.Context, *snapshot.Writer) error {
			if n := taken.Add(need); n > indexMemory && n != need {
				t.Errorf("%s makes it %d bytes", name, n)
			}
			under.Add(1)
			meet()
			under.Add(-1)
			taken.Add(-need)
			made.Add(1)
			return nil
		}}
	}
	nobody, both := func() {}, make(chan struct{})
	alone := func(name string, after int64) snapshot.Indexer {
		x := index(name, 0, func() {
			if under.Load() != 1 || made.Load() != after {
				t.Errorf("%s is made beside %d others, after %d", name, under.Load()-1, made.Load())
			}
		})
		x.Alone = true
		return x
	}
	var phases []string
	b := &builder{workers: 2, opt: Options{Indexers: []snapshot.Indexer{
		alone("engine", 5), index("first", half, func() { both <- struct{}{} }), index("second", half, func() { <-both }),
		index("large", 3*indexMemory, nobody), index("third", half+2, nobody), index("fourth", half, nobody), alone("last", 6),
	}}}
	b.show = func(phase string, done, total int64) {
		if done == total {
			phases = append(phases, phase)
		}
	}
	if err := b.writeIndexes(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(phases, []string{"indexes", "engine", "last"}) || made.Load() != 7 {
		t.Errorf("%d are made, and the phases that end are %v", made.Load(), phases)
	}

	failed := errors.New("no")
	b.opt.Indexers = []snapshot.Indexer{{Name: "a", Write: func(context.Context, *snapshot.Writer) error { return failed }}, alone("b", 0)}
	if err := b.writeIndexes(t.Context(), w); !errors.Is(err, failed) || made.Load() != 7 {
		t.Errorf("after an error: %v", err)
	}
}
