// Package world gives tests an invented world: the files that publishers would publish, and the snapshot that
// `grantgraph build` makes of them. It is for tests only.
//
// A world is made when a test first asks for it, once in a process, in a temporary directory that Main
// removes when the tests are over. `make test` names a directory in GRANTGRAPH_WORLDS, where one process
// makes the world for all. All tests share the world, so no test may write to it. A test that changes
// something takes a copy with CopySources or Publish.
//
// Packages that this package imports can use a world only in their external test
// packages, which may hand it to the internal tests through an exported variable.
package world

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// World says how many grants are invented, and from which seed. The same World is the same everywhere, byte for byte.
type World struct {
	Grants int
	Seed   uint64
}

// The worlds of the tests. Tests use Small unless they need another.
var (
	Small  = World{Grants: 2_000, Seed: 1}
	Other  = World{Grants: 2_000, Seed: 2}   // a second world, for tests of what follows the first
	Medium = World{Grants: 20_000, Seed: 11} // for tests of shares and rates, which need many grants
	Large  = World{Grants: 200_000, Seed: 1} // for benchmarks
)

var Built = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// documents is how many organizations of a world the slow encoder reads. That takes as long as the rest of a small world.
const documents = 40

// kept is how many snapshots stay in a directory that Publish has filled.
const kept = 2

var shared struct {
	mu     sync.Mutex
	dir    string // of this process; empty unless Main is running
	all    string // of the worlds: dir, or that of all processes
	worlds map[World]*made
}

// made is one world. Files and snapshot are each made when a test first asks.
type made struct {
	report   func() (*synth.Report, error)
	snapshot func() (*snapshot.Snapshot, error)
	sources  string
	data     string
}

// Main runs the tests of a package and removes the worlds that they have made. The code is for os.Exit.
func Main(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "grantgraph-world-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared.mu.Lock()
	shared.dir, shared.all, shared.worlds = dir, dir, map[World]*made{}
	// Read without os.Getenv: the folder has another name in each run, and go test would take that for a reason to run every
	// package again that has not changed.
	if all, ok := syscall.Getenv("GRANTGRAPH_WORLDS"); ok {
		shared.all = all
	}
	shared.mu.Unlock()
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}()
	return m.Run()
}

// made returns the world of this process, which it plans at the first call.
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
	dir := filepath.Join(shared.all, fmt.Sprintf("%d-%d", w.Grants, w.Seed))
	m := &made{sources: filepath.Join(dir, "sources"), data: filepath.Join(dir, "data")}
	if Linked() {
		m.data += "-with-warehouse"
	}
	m.report = sync.OnceValues(func() (*synth.Report, error) {
		err := once(m.sources, func() error {
			_, err := synth.Write(context.Background(), synth.Options{Out: m.sources, Grants: w.Grants, Seed: w.Seed})
			return err
		})
		if err != nil {
			return nil, err
		}
		return synth.Read(m.sources)
	})
	m.snapshot = sync.OnceValues(func() (*snapshot.Snapshot, error) {
		if _, err := m.report(); err != nil {
			return nil, err
		}
		err := once(m.data, func() error {
			_, err := ingest.Run(context.Background(), ingest.Options{Sources: m.sources, Data: m.data,
				Indexers: Indexers(), ListIndexers: indexes.Lists(), Now: func() time.Time { return Built }})
			return err
		})
		if err != nil {
			return nil, err
		}
		return snapshot.Open(m.data)
	})
	shared.worlds[w] = m
	return m
}

// once makes a folder, unless another process has made it. Processes that come while it is being made wait for that.
func once(dir string, write func() error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return err
	}
	if made, err := lock.Stat(); err != nil || made.Size() > 0 {
		return err
	}
	// A process that was killed may have left a part of it.
	if err := errors.Join(os.RemoveAll(dir), write()); err != nil {
		return err
	}
	_, err = lock.WriteString("made\n")
	return err
}

// Folder returns a path at which the tests of this process may keep what they make once and share. Main removes it.
func Folder(tb testing.TB, name string) string {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return filepath.Join(shared.dir, name)
}

// Indexers returns the indexes that a test can make: all of them, and the warehouse only in a test program that links DuckDB.
func Indexers() []snapshot.Indexer {
	all := indexes.Reading(documents)
	if !Linked() {
		all = slices.DeleteFunc(all, func(x snapshot.Indexer) bool { return x.Name == "warehouse" })
	}
	return all
}

// Linked reports whether this program includes the DuckDB engine, which the warehouse needs. The programs in cmd include it,
// and package warehouse does not import it, so that tests of serving packages need not link its 100 MB.
func Linked() bool { return slices.Contains(sql.Drivers(), "duckdb") }

// Report returns the report of the world: the counts that a build must find.
func (w World) Report(tb testing.TB) *synth.Report {
	tb.Helper()
	r, err := w.made(tb).report()
	if err != nil {
		tb.Fatal("inventing the world:", err)
	}
	return r
}

// Sources returns the directory of the invented files, which all tests share.
func (w World) Sources(tb testing.TB) string {
	tb.Helper()
	w.Report(tb)
	return w.made(tb).sources
}

// CopySources returns a copy of the invented files that the test may change.
func (w World) CopySources(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "sources")
	if err := os.CopyFS(dir, os.DirFS(w.Sources(tb))); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Snapshot returns the built world with all indexes, which all tests share. In a test
// program that does not link DuckDB, the warehouse is missing.
func (w World) Snapshot(tb testing.TB) *snapshot.Snapshot {
	tb.Helper()
	s, err := w.made(tb).snapshot()
	if err != nil {
		tb.Fatal("building the world:", err)
	}
	return s
}

// Data returns the data directory in which the world was built. All tests share it,
// so a test must not keep accounts or fetch lists there.
func (w World) Data(tb testing.TB) string {
	tb.Helper()
	w.Snapshot(tb)
	return w.made(tb).data
}

// Publish makes a copy of the world the current snapshot of a data directory, as if it had been built there
// just now. The copy lacks the indexes named by without. Publish also publishes the world's edition of the
// compliance lists, unless that edition is current already. The test may change what is published.
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

// republish publishes the files of a snapshot under a new version in another directory.
func republish(s *snapshot.Snapshot, data string, without []string) (_ *snapshot.Snapshot, err error) {
	w, err := snapshot.Create(data, Built)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	// Adopt links the file of a table, and the test may change the file, so the tables are copied first.
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
			var body []byte
			if body, err = os.ReadFile(filepath.Join(copied, filepath.FromSlash(f.Path))); err == nil {
				err = w.WriteFile(f.Path, func(out io.Writer) error { _, err := out.Write(body); return err })
			}
		}
		if err != nil {
			return nil, err
		}
	}
	m := s.Manifest
	published, err := w.Publish(snapshot.Manifest{Invented: m.Invented, Counts: m.Counts, Sources: m.Sources, Report: m.Report})
	if err != nil {
		return nil, err
	}
	return published, snapshot.Prune(data, kept)
}
