package dataset

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/snapshot"
)

// TestSuspect damages files while they are served. A failed request has them found at
// once: while the daily check reads a file without end, a truncated file before other
// files are read, and again a moment after a check that found something else.
func TestSuspect(t *testing.T) {
	t.Parallel()
	for name, endless := range map[string]bool{"while other files are read": true, "one after the other": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			world.Small.Publish(t, data)
			var clock atomic.Int64
			h, err := Open(data, Options{Log: slog.New(slog.DiscardHandler), Clock: func() time.Time { return time.Unix(0, clock.Load()) }})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(h.Close)
			files := h.current.Snapshot.Manifest.Files
			// resize gives the first file of a part another size, and with known the manifest, too.
			resize := func(part string, size int64, known bool) {
				t.Helper()
				i := slices.IndexFunc(files, func(f snapshot.File) bool { return strings.HasPrefix(f.Path, part+"/") })
				if err := os.Truncate(filepath.Join(h.current.Snapshot.Dir, filepath.FromSlash(files[i].Path)), size); err != nil {
					t.Fatal(err)
				}
				if known {
					files[i].Bytes = size
				}
			}
			found := func(parts ...string) {
				t.Helper()
				h.Suspect()
				for look := time.NewTicker(time.Millisecond); ; <-look.C {
					d, release := h.Acquire()
					damaged := d.Damaged()
					release()
					if slices.Equal(damaged, parts) {
						return
					}
					if t.Context().Err() != nil {
						t.Fatalf("%v are out of service", damaged)
					}
				}
			}
			if endless {
				const hours = 1 << 40 // bytes, which are zeros that take no room on the disk
				// Before the daily check begins, because it may read a size here at any moment after.
				resize("tables", hours, true)
				resize("directory", hours, true)
				clock.Add(int64(inspectEvery))
				h.InspectDaily()
				resize("graph", 100, false)
				found(partGraph)
				return
			}
			resize("profile", 100, false)
			found(partProfiles)
			for done := false; !done; { // the check ends
				h.change.Lock()
				done = !h.suspicion.running
				h.change.Unlock()
			}
			clock.Add(int64(2 * time.Second))
			resize("graph", 100, false)
			found(partGraph, partProfiles)
		})
	}
}
