// Package world gives tests an invented world: the files that publishers would
// publish, and the snapshot that `grantgraph build` makes of them. It is for
// tests only.
//
// A world is made when a test first asks for it, once in a process, in a
// temporary directory that Main removes when the tests are over. Everybody
// shares it, so nobody may write to it; who wants to change something takes a
// copy with CopySources or Publish.
//
// A package that this one imports uses it from its external test package, which
// may hand it on to the internal one through an exported variable of a test file.
package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// World says how many grants are invented, and from which seed. The same World
// is the same everywhere, byte for byte.
type World struct {
	Grants int
	Seed   uint64
}

// The worlds of the tests. A test that has no reason for another takes Small.
var (
	Small  = World{Grants: 2_000, Seed: 1}
	Other  = World{Grants: 2_000, Seed: 2}   // a second one, for what follows a first
	Medium = World{Grants: 20_000, Seed: 11} // for shares and rates that mean something
	Large  = World{Grants: 200_000, Seed: 1} // for benchmarks
)

// Built is when every world is built.
var Built = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// documents is how many organizations of a world are read by the slow encoder,
// which takes as long as all the rest of a small world.
const documents = 40

// kept is how many snapshots stay in a directory that Publish has filled.
const kept = 2

// shared is everything made in this process.
var shared struct {
	mu     sync.Mutex
	dir    string // empty unless Main is running
	worlds map[World]*made
}

// made is one world: each half is made when it is asked for.
type made struct {
	report   func() (*synth.Report, error)
	snapshot func() (*snapshot.Snapshot, error)
	sources  string
	data     string
}

// Main runs the tests of a package and removes the worlds that they have made.
// The code is for os.Exit.
func Main(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "grantgraph-world-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared.mu.Lock()
	shared.dir, shared.worlds = dir, map[World]*made{}
	shared.mu.Unlock()
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}()
	return m.Run()
}

// made finds the world, or plans it.
func (w World) made(tb testing.TB) *made {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.dir == "" {
		tb.Fatal("TestMain of this package must run the tests with world.Main")
	}
	if m := shared.worlds[w]; m != nil {
		return m
	}
	dir := filepath.Join(shared.dir, fmt.Sprintf("%d-%d", w.Grants, w.Seed))
	m := &made{sources: filepath.Join(dir, "sources"), data: filepath.Join(dir, "data")}
	m.report = sync.OnceValues(func() (*synth.Report, error) {
		return synth.Write(context.Background(), synth.Options{Out: m.sources, Grants: w.Grants, Seed: w.Seed})
	})
	m.snapshot = sync.OnceValues(func() (*snapshot.Snapshot, error) {
		if _, err := m.report(); err != nil {
			return nil, err
		}
		indexers := indexes.Reading(documents)
		if !warehouse.Linked() {
			indexers = slices.DeleteFunc(indexers, func(x snapshot.Indexer) bool { return x.Name == "warehouse" })
		}
		result, err := ingest.Run(context.Background(), ingest.Options{Sources: m.sources, Data: m.data, Indexers: indexers, ListIndexers: indexes.Lists(),
			Now: func() time.Time { return Built }})
		if err != nil {
			return nil, err
		}
		return result.Snapshot, nil
	})
	shared.worlds[w] = m
	return m
}

// Report is what the world knows about itself and a build must find.
func (w World) Report(tb testing.TB) *synth.Report {
	tb.Helper()
	r, err := w.made(tb).report()
	if err != nil {
		tb.Fatal("inventing the world:", err)
	}
	return r
}

// Sources is the directory of the invented files. It is shared.
func (w World) Sources(tb testing.TB) string {
	tb.Helper()
	w.Report(tb)
	return w.made(tb).sources
}

// CopySources is a copy of the invented files that the test may change.
func (w World) CopySources(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "sources")
	if err := os.CopyFS(dir, os.DirFS(w.Sources(tb))); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Snapshot is the world as it is built, with all indexes. The warehouse is missing
// from it in a test program that does not link DuckDB. It is shared.
func (w World) Snapshot(tb testing.TB) *snapshot.Snapshot {
	tb.Helper()
	s, err := w.made(tb).snapshot()
	if err != nil {
		tb.Fatal("building the world:", err)
	}
	return s
}

// Data is the data directory in which the world was built. It is shared, so it
// is not for those who keep accounts or fetch lists there.
func (w World) Data(tb testing.TB) string {
	tb.Helper()
	w.Snapshot(tb)
	return w.made(tb).data
}

// Publish makes a copy of the world the current snapshot of a data directory, as
// if it had been built there just now, without the files of some indexes if the
// test says so, and with its edition of the compliance lists unless it is current
// already. The test may change what is published.
func (w World) Publish(tb testing.TB, data string, without ...string) *snapshot.Snapshot {
	tb.Helper()
	s := w.Snapshot(tb)
	edition, err := lists.Open(w.made(tb).data)
	if err != nil {
		tb.Fatal(err)
	}
	if current, err := snapshot.Open(lists.Dir(data)); err != nil || current.Manifest.Content != edition.Manifest.Content {
		if _, err := republish(edition.Snapshot, lists.Dir(data), nil); err != nil {
			tb.Fatal(err)
		}
	}
	checks, err := lists.ReadChecks(w.made(tb).data)
	if err == nil {
		err = lists.WriteChecks(data, checks)
	}
	if err != nil {
		tb.Fatal(err)
	}
	s, err = republish(s, data, without)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// republish publishes the files of a snapshot under a new version in another
// directory.
func republish(s *snapshot.Snapshot, data string, without []string) (_ *snapshot.Snapshot, err error) {
	w, err := snapshot.Create(data, Built)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	// A table is adopted by a link, so what is adopted is a copy.
	copied, err := os.MkdirTemp(data, ".copied-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }()
	from := &snapshot.Snapshot{Dir: copied, Manifest: s.Manifest}
	if err := os.CopyFS(copied, os.DirFS(s.Dir)); err != nil {
		return nil, err
	}
	for _, f := range s.Manifest.Files {
		switch {
		case f.Table() != "":
			err = w.Adopt(from, f.Table())
		case !slices.ContainsFunc(without, func(index string) bool { return strings.HasPrefix(f.Path, index) }):
			err = w.WriteFile(f.Path, func(out io.Writer) error {
				body, err := os.ReadFile(filepath.Join(copied, filepath.FromSlash(f.Path)))
				if err == nil {
					_, err = out.Write(body)
				}
				return err
			})
		}
		if err != nil {
			return nil, err
		}
	}
	published, err := w.Publish(snapshot.Manifest{Invented: s.Manifest.Invented, Counts: s.Manifest.Counts, Sources: s.Manifest.Sources, Report: s.Manifest.Report})
	if err != nil {
		return nil, err
	}
	return published, snapshot.Prune(data, kept)
}
