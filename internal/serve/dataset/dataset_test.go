package dataset

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// isOpen reports whether a dataset can still be asked.
func isOpen(t *testing.T, s *Dataset) bool {
	t.Helper()
	_, _, err := s.Graph.Summary(context.Background(), &graph.Filter{})
	return err == nil
}

func version(s *Dataset) string { return s.Snapshot.Manifest.Version }

func TestSwap(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	h, err := Open(data, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if swapped, err := h.Refresh(); swapped || err != nil {
		t.Fatalf("the same snapshot is taken up again: %v, %v", swapped, err)
	}
	old, releaseOld := h.Acquire()
	_, releaseToo := h.Acquire()
	world.Other.Publish(t, data)
	if swapped, err := h.Refresh(); !swapped || err != nil {
		t.Fatalf("a new snapshot is not taken up: %v, %v", swapped, err)
	}
	next, releaseNext := h.Acquire()
	if version(next) == version(old) {
		t.Error("the old set is still current")
	}
	releaseOld()
	if !isOpen(t, old) {
		t.Error("a set is closed while somebody reads it")
	}
	releaseToo()
	if isOpen(t, old) {
		t.Error("a set that nobody reads any more stays open")
	}
	h.Close()
	h.Close()
	if !isOpen(t, next) {
		t.Error("closing does not wait for the reader")
	}
	releaseNext()
	if isOpen(t, next) {
		t.Error("the last set stays open")
	}
}

// TestPrune prunes behind a holder: what it serves stays, whatever is current by
// then, until it has given way to another and the last reader is done.
func TestPrune(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	var clock atomic.Int64
	h, err := Open(data, Options{Log: slog.New(slog.DiscardHandler), Clock: func() time.Time { return time.Unix(0, clock.Load()) }})
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
	world.Other.Publish(t, data)
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
	if swapped, err := h.Refresh(); swapped || err == nil {
		t.Fatalf("what could not be opened is looked at again at once: %v, %v", swapped, err)
	}
	clock.Add(int64(retryAfter))
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
	world.Small.Publish(t, data) // the damaged one was let go of when it could not be opened
	if err := snapshot.Prune(data, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); err == nil {
		t.Error("a snapshot is kept after the holder was closed")
	}
}

// TestClosedHolder publishes a snapshot as the holder is closed: it is not
// taken up.
func TestClosedHolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	h, err := Open(data, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	world.Other.Publish(t, data)
	h.Close()
	if swapped, err := h.Refresh(); swapped || err != nil {
		t.Errorf("a closed holder refreshes: %v, %v", swapped, err)
	}
}

// flip changes one bit in the middle of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedIndex serves what is left of a snapshot when there is nothing
// else: the damaged index is out of service, and logged. A damaged snapshot
// that follows a sound one is refused.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	for _, index := range []string{"graph", "search", "directory", "history"} {
		t.Run(index, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			world.Small.Publish(t, data)
			sound, err := Open(data, Options{Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer sound.Close()
			world.Other.Publish(t, data)
			s, err := snapshot.Open(data)
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(s.Dir, index, "*"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			flip(t, files[0])
			if swapped, err := sound.Refresh(); swapped || err == nil {
				t.Errorf("a damaged snapshot takes the place of a sound one: %v, %v", swapped, err)
			}
			var log strings.Builder
			h, err := Open(data, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			d, release := h.Acquire()
			defer release()
			if d.Whole() != (index == "history") || (d.Changes == nil) != (index == "history") || (d.Graph == nil) != (index == "graph") || (d.Search == nil) != (index == "search") || (d.Directory == nil) != (index == "directory") || (d.Standing == nil) != (index == "directory") || !strings.Contains(log.String(), filepath.Base(files[0])) {
				t.Errorf("graph %t, search %t; %s", d.Graph != nil, d.Search != nil, &log)
			}
		})
	}
	// Without their changes the lists are in service, after others too.
	t.Run("changes of the lists", func(t *testing.T) {
		t.Parallel()
		data := t.TempDir()
		world.Small.Publish(t, data)
		var after, first strings.Builder
		following, err := Open(data, Options{Log: slog.New(slog.NewTextHandler(&after, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer following.Close()
		world.Other.Publish(t, data)
		e, err := lists.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		flip(t, filepath.Join(e.Dir, filepath.FromSlash(change.LogPath)))
		if swapped, err := following.RefreshLists(); !swapped || err != nil {
			t.Fatalf("the edition is not taken up: %v, %v", swapped, err)
		}
		h, err := Open(data, Options{Log: slog.New(slog.NewTextHandler(&first, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		for h, log := range map[*Holder]*strings.Builder{following: &after, h: &first} {
			d, release := h.Acquire()
			if d.Lists.Version() != e.Manifest.Version || !d.Lists.Status(lists.BMF).Loaded || len(d.ListLog.Versions()) > 0 || !strings.Contains(log.String(), "lists.gg") {
				t.Errorf("edition %q, %+v; %s", d.Lists.Version(), d.Lists.Status(lists.BMF), log)
			}
			release()
		}
	})
}

// TestDamagedLists damages an edition of the lists, a table of it or its index, or
// gives it the index of another: the edition before stays, and where there is none
// before, the lists say that they are out of service rather than that somebody is
// not on them.
func TestDamagedLists(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, e, before *lists.Edition){
		"table": func(t *testing.T, e, _ *lists.Edition) { flip(t, e.Path(e.Status(lists.BMF).Tables[0])) },
		"index": func(t *testing.T, e, _ *lists.Edition) {
			flip(t, filepath.Join(e.Dir, filepath.FromSlash(screen.IndexPath)))
		},
		"index of another": func(t *testing.T, e, before *lists.Edition) {
			index, err := os.ReadFile(filepath.Join(before.Dir, filepath.FromSlash(screen.IndexPath)))
			if err == nil {
				err = os.WriteFile(filepath.Join(e.Dir, filepath.FromSlash(screen.IndexPath)), index, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			world.Small.Publish(t, data)
			sound, err := Open(data, Options{Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer sound.Close()
			world.Other.Publish(t, data)
			e, err := lists.Open(data)
			if err != nil {
				t.Fatal(err)
			}
			before := sound.current.Lists
			if before.Version() == "" || before.Version() == e.Manifest.Version {
				t.Fatalf("the editions are %q and %q", before.Version(), e.Manifest.Version)
			}
			damage(t, e, before.Edition)
			if swapped, err := sound.RefreshLists(); swapped || err == nil || sound.current.Lists.Version() != before.Version() {
				t.Errorf("a damaged edition is taken up: %v, %v", swapped, err)
			}
			var log strings.Builder
			h, err := Open(data, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			d, release := h.Acquire()
			defer release()
			if s := d.Lists.Status(lists.BMF); s.Loaded || s.Problem != "its files on this server are damaged or missing" || d.Lists.Version() != "" || !strings.Contains(log.String(), "serving without compliance lists") {
				t.Errorf("edition %q, %+v; %s", d.Lists.Version(), s, &log)
			}
		})
	}
}
