package served

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/build"
	"grantgraph/internal/graph"
	"grantgraph/internal/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/synth"
)

// publish builds a small world into a data directory.
func publish(t *testing.T, data string, seed uint64) {
	t.Helper()
	world := filepath.Join(t.TempDir(), "world")
	if _, err := synth.Write(t.Context(), synth.Options{Out: world, Grants: 300, Seed: seed}); err != nil {
		t.Fatal(err)
	}
	if _, err := build.Run(t.Context(), build.Options{Sources: world, Data: data, Keep: 2,
		Indexers: []build.Indexer{{Name: "graph", Write: graph.Build}, {Name: "search", Write: search.Build}}}); err != nil {
		t.Fatal(err)
	}
}

// answers reports whether a set can still be asked.
func answers(t *testing.T, s *Set) bool {
	t.Helper()
	_, _, err := s.Graph.Summary(context.Background(), &graph.Filter{})
	return err == nil
}

func version(s *Set) string { return s.Snapshot.Manifest.Version }

func TestSwap(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, 1)
	h, err := Open(data, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if swapped, err := h.Refresh(); swapped || err != nil {
		t.Fatalf("the same snapshot is taken up again: %v, %v", swapped, err)
	}
	old, releaseOld := h.Acquire()
	_, releaseToo := h.Acquire()
	publish(t, data, 2)
	if swapped, err := h.Refresh(); !swapped || err != nil {
		t.Fatalf("a new snapshot is not taken up: %v, %v", swapped, err)
	}
	next, releaseNext := h.Acquire()
	if version(next) == version(old) {
		t.Error("the old set is still current")
	}
	releaseOld()
	if !answers(t, old) {
		t.Error("a set is closed while somebody reads it")
	}
	releaseToo()
	if answers(t, old) {
		t.Error("a set that nobody reads any more stays open")
	}
	h.Close()
	h.Close()
	if !answers(t, next) {
		t.Error("closing does not wait for the reader")
	}
	releaseNext()
	if answers(t, next) {
		t.Error("the last set stays open")
	}
}

// TestPrune prunes behind a holder: what it serves stays, whatever is current by
// then, until it has given way to another and the last reader is done.
func TestPrune(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, 1)
	h, err := Open(data, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	old, release := h.Acquire()
	// there reports whether the set outlives pruning.
	there := func() bool {
		t.Helper()
		if err := snapshot.Prune(data, 1); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(old.Snapshot.Path("grants"))
		return err == nil
	}
	publish(t, data, 2)
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(s.Dir, "search")
	if err := os.Rename(index, index+".away"); err != nil {
		t.Fatal(err)
	}
	if swapped, err := h.Refresh(); swapped || err == nil {
		t.Fatalf("a damaged snapshot is taken up: %v, %v", swapped, err)
	}
	if !there() {
		t.Fatal("the snapshot being served is pruned")
	}
	if err := os.Rename(index+".away", index); err != nil {
		t.Fatal(err)
	}
	if swapped, err := h.Refresh(); !swapped || err != nil {
		t.Fatalf("the snapshot is not taken up: %v, %v", swapped, err)
	}
	if !there() {
		t.Error("a snapshot is pruned while somebody reads it")
	}
	release()
	if there() {
		t.Error("a snapshot that nobody reads any more is kept")
	}
	h.Close()
	publish(t, data, 3) // the damaged one was let go of when it could not be opened
	if err := snapshot.Prune(data, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); err == nil {
		t.Error("a snapshot is kept after the holder was closed")
	}
}

// TestClosedHolder publishes a snapshot as the holder is closed: it is not
// taken up, whenever during Refresh that happens.
func TestClosedHolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, 1)
	h, err := Open(data, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	publish(t, data, 2)
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	next, err := open(s)
	if err != nil {
		t.Fatal(err)
	}
	h.Close()
	if h.swap(next) || answers(t, next) {
		t.Error("a closed holder takes a set up")
	}
	if swapped, err := h.Refresh(); swapped || err != nil {
		t.Errorf("a closed holder refreshes: %v, %v", swapped, err)
	}
}
