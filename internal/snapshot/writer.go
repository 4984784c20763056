package snapshot

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// ScratchSuffix ends the names of the files in the folder Scratch that the next
// build finds again.
const ScratchSuffix = ".cache"

// Writer fills a new snapshot. It must end with Publish or Abandon.
type Writer struct {
	data    string
	dir     string
	version string
	began   time.Time

	// Progress is told how much is written of the index that takes longest; nil
	// when nobody asks. Indexes may be written side by side.
	Progress func(done, total int64)

	// Workers is on how many cores an edition's names are compared with the sanctions
	// list; zero is all of them.
	Workers int

	mu    sync.Mutex // tables may be written side by side
	files []File
}

// Create begins a snapshot in the data directory. The stamp is the time given,
// moved on by whole seconds until it is later than every stamp already there,
// so that versions always sort in the order of publication.
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
		// What a build that died has left and nobody can remove is in nobody's
		// way under the next stamp.
		if now = now.Add(time.Second); tries == 10 {
			return nil, fault.Disk(w.dir, err)
		}
	}
	if err := disk.MkdirAll(filepath.Join(w.dir, tablesName), 0o755); err != nil {
		return nil, fault.Disk(w.dir, err)
	}
	return w, nil
}

// Version is the stamp the snapshot will be published under.
func (w *Writer) Version() string { return w.version }

// Scratch is the folder of the data directory in which a build leaves what saves
// the next one time. Of what indexes leave there, files whose names end in
// ScratchSuffix are kept; all else is tidied up after the build.
func (w *Writer) Scratch() string { return filepath.Join(w.data, "stage") }

// file opens a new file of the snapshot and returns it with the function that
// closes and records it.
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

// WriteFile adds a file that is not a table, such as an index. The path is
// relative to the snapshot, with slashes.
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

// Unpublished is the snapshot as far as it has been written, for those who
// derive an index from its tables.
func (w *Writer) Unpublished() *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Snapshot{Dir: w.dir, Manifest: Manifest{Files: slices.Clone(w.files)}}
}

// Kept opens the snapshots that are in the data directory already, oldest first,
// for those who compare the new one with them. One that cannot be opened is left
// out: it is not served, and a build does without it. Whoever reads their files
// holds them.
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

// Verify reads the files written so far from where they will be read and holds
// them against their checksums, as the last thing before Publish.
func (w *Writer) Verify(ctx context.Context) error {
	return (&Snapshot{Dir: w.dir, Manifest: Manifest{Files: w.files}}).VerifyFiles(ctx, nil)
}

// Publish completes the manifest, makes the snapshot visible and points
// current at it, each when what it rests on is on the disk.
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

// Abandon removes what was written. It is harmless after Publish.
func (w *Writer) Abandon() { _ = disk.RemoveAll(w.dir) }

// pointTo makes current name the version.
func pointTo(data, version string) error {
	path := filepath.Join(data, pointerName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, writeBytes([]byte(version+"\n"))))
}

// Indexer writes one index of a snapshot, before it is published.
type Indexer struct {
	Name  string // for the progress
	Path  string // of a file that it writes, by which it is known whether a snapshot has it; empty for one that every build writes
	Write func(ctx context.Context, w *Writer) error

	// Needs is how many bytes of memory it takes at its height for each row of a
	// table; what it takes for tables that are not named is little.
	Needs   map[string]int64
	Foreign int64 // bytes that it takes beside, of which Go knows nothing
}

// Memory is how many bytes of Go's the index of a snapshot takes at its height.
func (x *Indexer) Memory(s *Snapshot) (bytes int64) {
	for table, each := range x.Needs {
		bytes += each * s.RowsOf(table)
	}
	return bytes
}
