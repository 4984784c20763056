package snapshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// ScratchSuffix ends the names of files in the folder Scratch that the next build reuses.
const ScratchSuffix = ".cache"

// Writer fills a new snapshot. It must end with Publish or Abandon.
type Writer struct {
	data    string
	dir     string
	version string
	began   time.Time

	// Progress reports how much of the slowest index is written. It may be nil. Indexes may be written in parallel.
	Progress func(done, total int64)

	// Workers is the number of cores that compare an edition's names with the sanctions list; zero means all.
	Workers int

	mu    sync.Mutex // tables may be written in parallel
	files []File
}

// Make publishes a snapshot of what write writes.
func Make(data string, now time.Time, write func(*Writer) error) (*Snapshot, error) {
	w, err := Create(data, now)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	if err := write(w); err != nil {
		return nil, err
	}
	return w.Publish(Manifest{})
}

// Create begins a snapshot in the data directory. Its stamp is the given time, moved on by whole seconds
// until it is later than every existing stamp. So versions sort in the order of publication.
func Create(data string, now time.Time) (*Writer, error) {
	builds := filepath.Join(data, buildsName)
	if err := disk.MkdirAll(builds, 0o755); err != nil {
		return nil, fault.Disk(builds, err)
	}
	names, err := versions(builds)
	if err != nil {
		return nil, err
	}
	now = now.UTC().Truncate(time.Second)
	if n := len(names); n > 0 {
		last, err := time.Parse(stampLayout, names[n-1])
		if err == nil && !now.After(last) {
			now = last.Add(time.Second)
		}
	}
	w := &Writer{data: data}
	for tries := 0; ; tries++ {
		w.version, w.began = now.Format(stampLayout), now
		w.dir = filepath.Join(builds, newPrefix+w.version)
		err := disk.RemoveAll(w.dir)
		if err == nil {
			break
		}
		// Remains of a dead build that cannot be removed do not matter under the next stamp.
		if now = now.Add(time.Second); tries == 10 {
			return nil, fault.Disk(w.dir, err)
		}
	}
	if err := disk.MkdirAll(filepath.Join(w.dir, tablesName), 0o755); err != nil {
		return nil, fault.Disk(w.dir, err)
	}
	return w, nil
}

// Version is the stamp under which the snapshot will be published.
func (w *Writer) Version() string { return w.version }

// Scratch is the folder of the data directory for files that save the next build time. Files whose names end
// in ScratchSuffix are kept; all others are removed after the build.
func (w *Writer) Scratch() string { return filepath.Join(w.data, "stage") }

// file opens a new file of the snapshot. The returned function closes and records it.
func (w *Writer) file(rel string) (io.Writer, func(rows int64) error, error) {
	path := filepath.Join(w.dir, filepath.FromSlash(rel))
	f, err := disk.Create(path)
	if err != nil {
		return nil, nil, fault.Disk(path, err)
	}
	done := func(rows int64) error {
		if err := f.Close(); err != nil {
			return fault.Disk(path, err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.files = append(w.files, File{Path: rel, Bytes: f.Size(), SHA256: f.Sum(), Rows: rows})
		return nil
	}
	return f, done, nil
}

// WriteFile adds a file that is not a table, such as an index. The path is relative to the snapshot, with slashes.
func (w *Writer) WriteFile(rel string, fill func(io.Writer) error) error {
	path := filepath.Join(w.dir, filepath.FromSlash(rel))
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Disk(path, err)
	}
	out, done, err := w.file(rel)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(out, 1<<20)
	err = fill(buf)
	if err == nil {
		err = buf.Flush()
	}
	if derr := done(0); err == nil {
		err = derr
	}
	return fault.Disk(path, err)
}

// Unpublished is the snapshot as written so far, for indexes made from its tables.
func (w *Writer) Unpublished() *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Snapshot{Dir: w.dir, Manifest: Manifest{Files: slices.Clone(w.files)}}
}

// Kept opens the existing snapshots of the data directory, oldest first, to compare the new one with them. It
// leaves out a snapshot that cannot be opened: it is not served, and a build does not need it. The caller
// must hold a snapshot while reading its files.
func (w *Writer) Kept() ([]*Snapshot, error) {
	names, err := versions(filepath.Join(w.data, buildsName))
	if err != nil {
		return nil, err
	}
	var list []*Snapshot
	for _, name := range names {
		if s, err := OpenVersion(w.data, name); err == nil {
			list = append(list, s)
		}
	}
	return list, nil
}

// Verify checks the files written so far against their checksums, as the last step before Publish.
func (w *Writer) Verify(ctx context.Context) error {
	return (&Snapshot{Dir: w.dir, Manifest: Manifest{Files: w.files}}).VerifyFiles(ctx, nil)
}

// Publish completes the manifest, makes the snapshot visible and points current at
// it. Each step waits until the files it depends on are on the disk.
func (w *Writer) Publish(m Manifest) (*Snapshot, error) {
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	m.Format, m.Version, m.GeneratedAt, m.Files = Format, w.version, w.began, w.files
	m.Content = contentHash(w.files)
	body, err := m.encode()
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	path := filepath.Join(w.dir, manifestName)
	if err := disk.WriteFile(path, 0o644, writeBytes(body)); err != nil {
		return nil, fault.Disk(path, err)
	}
	final := filepath.Join(w.data, buildsName, w.version)
	if err := disk.Publish(w.dir, final); err != nil {
		return nil, fault.Disk(final, err)
	}
	if err := pointTo(w.data, w.version); err != nil {
		return nil, err
	}
	return &Snapshot{Dir: final, Manifest: m}, nil
}

func writeBytes(body []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(body); return err }
}

// Abandon removes the unfinished snapshot. It does nothing after Publish.
func (w *Writer) Abandon() { _ = disk.RemoveAll(w.dir) }

func pointTo(data, version string) error {
	path := filepath.Join(data, pointerName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, writeBytes([]byte(version+"\n"))))
}

// Indexer writes one index of an unpublished snapshot.
type Indexer struct {
	Name  string // shown as progress
	Path  string // of a file that it writes, by which it is known whether a snapshot has it; empty for one that every build writes
	Write func(ctx context.Context, w *Writer) error

	// Needs is the peak memory in bytes for each row of a table. Tables not listed need little.
	Needs   map[string]int64
	Foreign int64 // peak memory outside of Go's heap, in bytes
}

// Memory is the index's peak memory in Go's heap for a snapshot, in bytes.
func (x *Indexer) Memory(s *Snapshot) (bytes int64) {
	for table, each := range x.Needs {
		bytes += each * s.RowsOf(table)
	}
	return bytes
}

// Lock locks the data directory for one build. The kernel drops the lock when the
// process dies, so a killed build never blocks the next one.
func Lock(data string) (release func(), err error) {
	if err := disk.MkdirAll(data, 0o755); err != nil {
		return nil, fault.Disk(data, err)
	}
	path := filepath.Join(data, "build.lock")
	f, err := disk.LockPath(path)
	if errors.Is(err, disk.ErrLocked) {
		holder, _ := os.ReadFile(path)
		return nil, fault.New("build_running", "another build (process %s) is writing to %s", fault.Clip(strings.TrimSpace(string(holder)), 32), data).
			Try("wait for it to end, or build into another --data directory")
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			f.Close()
			return nil, fault.Disk(path, err)
		}
	}
	return func() { f.Close() }, nil
}
