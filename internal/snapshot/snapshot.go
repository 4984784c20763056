// Package snapshot is the only thing that the build wing and the serving wing
// both know: an immutable directory of files with a manifest, published by one
// atomic rename and found through a pointer.
//
//	<data>/
//	  current              the version now served, one line
//	  builds/<version>/
//	    manifest.json      what is in it, where it came from, a checksum of every file
//	    tables/*.parquet   the rows
//	    …                  indexes that the serving side reads, each its own folder
//
// A snapshot is written under a hidden name in builds and renamed when it is
// whole, so a reader sees all of it or nothing, and a build that dies leaves
// the pointer where it was.
package snapshot

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"grantgraph/internal/fault"
)

// Format is the version of the layout. A reader refuses another one.
const Format = 1

// Manifest describes a snapshot. Everything in it but Version and GeneratedAt
// is a function of the sources, so two builds of the same sources differ in
// nothing else, save in the size and checksum of database files: their rows are
// the same, their bytes are the engine's own business, so Content leaves them
// out.
type Manifest struct {
	Format      int             `json:"format"`
	Version     string          `json:"version"`      // build stamp, sortable
	GeneratedAt time.Time       `json:"generated_at"` // when the build began
	Content     string          `json:"content"`      // SHA-256 over the checksums of all files but databases
	Counts      Counts          `json:"counts"`
	Sources     []Source        `json:"sources"`
	Files       []File          `json:"files"`
	Report      json.RawMessage `json:"report"` // the build report, see package build
}

// Counts are the headline numbers.
type Counts struct {
	Grants            int64 `json:"grants"`
	TotalAmount       int64 `json:"total_amount"`
	Funders           int64 `json:"funders"`
	Recipients        int64 `json:"recipients"`
	Linked            int64 `json:"linked"` // grants whose recipient has an EIN
	LinkedAmount      int64 `json:"linked_amount"`
	Organizations     int64 `json:"organizations"`
	Returns           int64 `json:"returns"`
	FirstFiscalYear   int   `json:"first_fiscal_year"`
	LastFiscalYear    int   `json:"last_fiscal_year"`
	LastCompleteYear  int   `json:"last_complete_fiscal_year"`
	PartialFiscalYear []int `json:"partial_fiscal_years"`
}

// Source is one upstream file that went into the snapshot.
type Source struct {
	Kind   string `json:"kind"` // irs990, bmf, override_human, census
	Path   string `json:"path"` // relative to the sources folder
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"` // returns or records read from it
}

// File is one file of the snapshot.
type File struct {
	Path   string `json:"path"` // relative to the snapshot, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows,omitempty"`
}

const (
	pointerName  = "current"
	buildsName   = "builds"
	manifestName = "manifest.json"
	tablesName   = "tables"
	stampLayout  = "20060102T150405Z"
)

var stampPattern = regexp.MustCompile(`^\d{8}T\d{6}Z$`)

// Writer fills a new snapshot. It must end with Publish or Abandon.
type Writer struct {
	data    string
	dir     string
	version string
	began   time.Time
	create  func(path string) (io.WriteCloser, error)

	mu    sync.Mutex // tables may be written side by side
	files []File
}

// Create begins a snapshot in the data directory. The stamp is the time given,
// moved on by whole seconds until it is later than every stamp already there,
// so that versions always sort in the order of publication.
func Create(data string, now time.Time) (*Writer, error) {
	builds := filepath.Join(data, buildsName)
	if err := os.MkdirAll(builds, 0o755); err != nil {
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
	w := &Writer{data: data, version: now.Format(stampLayout), began: now, create: createFile}
	w.dir = filepath.Join(builds, ".new-"+w.version)
	if err := os.RemoveAll(w.dir); err != nil {
		return nil, fault.Disk(w.dir, err)
	}
	if err := os.MkdirAll(filepath.Join(w.dir, tablesName), 0o755); err != nil {
		return nil, fault.Disk(w.dir, err)
	}
	return w, nil
}

// CreateWith is Create with another way to make files, for tests of full
// disks.
func CreateWith(data string, now time.Time, create func(path string) (io.WriteCloser, error)) (*Writer, error) {
	w, err := Create(data, now)
	if err == nil {
		w.create = create
	}
	return w, err
}

func createFile(path string) (io.WriteCloser, error) { return os.Create(path) }

// Version is the stamp the snapshot will be published under.
func (w *Writer) Version() string { return w.version }

// Began is the time the stamp stands for.
func (w *Writer) Began() time.Time { return w.began }

// file opens a new file of the snapshot and returns it with the function that
// closes and records it.
func (w *Writer) file(rel string) (io.Writer, func(rows int64) error, error) {
	path := filepath.Join(w.dir, filepath.FromSlash(rel))
	f, err := w.create(path)
	if err != nil {
		return nil, nil, fault.Disk(path, err)
	}
	sum := &summed{w: f, hash: sha256.New()}
	done := func(rows int64) error {
		if s, ok := f.(interface{ Sync() error }); ok && sum.err == nil {
			sum.err = s.Sync()
		}
		if err := f.Close(); sum.err == nil {
			sum.err = err
		}
		if sum.err != nil {
			return fault.Disk(path, sum.err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.files = append(w.files, File{Path: rel, Bytes: sum.n, SHA256: hex.EncodeToString(sum.hash.Sum(nil)), Rows: rows})
		return nil
	}
	return sum, done, nil
}

// WriteFile adds a file that is not a table, such as an index. The path is
// relative to the snapshot, with slashes.
func (w *Writer) WriteFile(rel string, fill func(io.Writer) error) error {
	path := filepath.Join(w.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
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
func (w *Writer) Unpublished() *Snapshot { return &Snapshot{Dir: w.dir} }

// summed counts and hashes what passes through it.
type summed struct {
	w    io.Writer
	hash hash.Hash
	n    int64
	err  error
}

func (s *summed) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.hash.Write(p[:n])
	s.n += int64(n)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// Publish completes the manifest, makes the snapshot visible and points
// current at it.
func (w *Writer) Publish(m Manifest) (*Snapshot, error) {
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	m.Format, m.Version, m.GeneratedAt, m.Files = Format, w.version, w.began, w.files
	m.Content = contentHash(w.files)
	path := filepath.Join(w.dir, manifestName)
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	f, err := w.create(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if _, err := f.Write(append(body, '\n')); err != nil {
		f.Close()
		return nil, fault.Disk(path, err)
	}
	if err := f.Close(); err != nil {
		return nil, fault.Disk(path, err)
	}
	final := filepath.Join(w.data, buildsName, w.version)
	if err := os.Rename(w.dir, final); err != nil {
		return nil, fault.Disk(final, err)
	}
	if err := syncDir(filepath.Join(w.data, buildsName)); err != nil {
		return nil, fault.Disk(final, err)
	}
	if err := point(w.data, w.version); err != nil {
		return nil, err
	}
	return &Snapshot{Dir: final, Manifest: m}, nil
}

// contentHash is one number for the whole content: the hash of the list of
// file hashes. Databases hold what tables hold as well.
func contentHash(files []File) string {
	h := sha256.New()
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".duckdb") {
			continue
		}
		fmt.Fprintf(h, "%s %d %s\n", f.SHA256, f.Bytes, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Abandon removes what was written. It is harmless after Publish.
func (w *Writer) Abandon() { _ = os.RemoveAll(w.dir) }

// point makes current name the version, atomically.
func point(data, version string) error {
	path := filepath.Join(data, pointerName)
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(version+"\n"), 0o644); err != nil {
		return fault.Disk(tmp, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fault.Disk(path, err)
	}
	return fault.Disk(data, syncDir(data))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// versions lists the published versions in order.
func versions(builds string) ([]string, error) {
	entries, err := os.ReadDir(builds)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Disk(builds, err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && stampPattern.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Prune removes all but the newest keep snapshots, never the current one nor one
// that is held, and the remains of builds that died.
func Prune(data string, keep int) error {
	builds := filepath.Join(data, buildsName)
	current, err := currentVersion(data)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(builds)
	if err != nil {
		return fault.Disk(builds, err)
	}
	names, err := versions(builds)
	if err != nil {
		return err
	}
	old := map[string]bool{}
	for i, name := range names {
		old[name] = i < len(names)-keep && name != current
	}
	for _, e := range entries {
		if old[e.Name()] || strings.HasPrefix(e.Name(), ".new-") {
			if err := remove(filepath.Join(builds, e.Name())); err != nil {
				return fault.Disk(filepath.Join(builds, e.Name()), err)
			}
		}
	}
	return nil
}

// remove removes a snapshot, unless somebody holds it.
func remove(dir string) error {
	// To lock a file for oneself it must be open for writing on network file
	// systems. A snapshot that has no manifest cannot be opened, so nobody
	// holds it.
	f, err := os.OpenFile(filepath.Join(dir, manifestName), os.O_RDWR, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		defer f.Close()
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// Snapshot is an opened, immutable snapshot.
type Snapshot struct {
	Dir      string
	Manifest Manifest
}

// Hold keeps the snapshot from being pruned until release is called. It is a
// lock on the manifest, which the kernel drops when the process dies.
func (s *Snapshot) Hold() (release func(), err error) {
	path := filepath.Join(s.Dir, manifestName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone(s.Dir)
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	// A file system that has no locks is read all the same.
	locked := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	// It may have been removed before it was locked.
	if _, err = os.Stat(path); err != nil || errors.Is(locked, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, gone(s.Dir)
	}
	return func() { f.Close() }, nil
}

// gone is the error of a snapshot that is not there, or not for much longer.
func gone(dir string) error {
	builds := filepath.Dir(dir)
	return fault.New("no_such_snapshot", "there is no snapshot %s in %s", filepath.Base(dir), builds).
		Try("write the name of one that is there into %s, or run grantgraph build again", filepath.Join(filepath.Dir(builds), pointerName))
}

// ErrNone is wrapped when a data directory has no snapshot yet.
var ErrNone = errors.New("no snapshot")

// Open opens the current snapshot of a data directory.
func Open(data string) (*Snapshot, error) {
	version, err := currentVersion(data)
	if err != nil {
		return nil, err
	}
	return OpenVersion(data, version)
}

// OpenVersion opens one snapshot by its version.
func OpenVersion(data, version string) (*Snapshot, error) {
	if !stampPattern.MatchString(version) {
		return nil, fault.New("bad_pointer", "%q in %s is not a snapshot version", version, filepath.Join(data, pointerName)).
			Try("run grantgraph build again; it writes a new pointer")
	}
	s := &Snapshot{Dir: filepath.Join(data, buildsName, version)}
	path := filepath.Join(s.Dir, manifestName)
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone(s.Dir)
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if err := json.Unmarshal(body, &s.Manifest); err != nil {
		return nil, fault.New("bad_manifest", "%s cannot be read: %w", path, err).
			Try("run grantgraph build again")
	}
	if s.Manifest.Format != Format {
		return nil, fault.New("snapshot_format", "snapshot %s has layout %d, this program reads %d", version, s.Manifest.Format, Format).
			Try("build it again with this program")
	}
	return s, nil
}

func currentVersion(data string) (string, error) {
	path := filepath.Join(data, pointerName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		f := fault.New("no_snapshot", "%s holds no snapshot", data).Try("grantgraph build --sources DIR --data %s", data)
		f.Err = ErrNone
		return "", f
	}
	if err != nil {
		return "", fault.Disk(path, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// Verify reads every file and holds it against its checksum.
func (s *Snapshot) Verify() error {
	if err := s.VerifyFiles(context.Background(), func(File) bool { return true }); err != nil {
		return err
	}
	if got := contentHash(s.Manifest.Files); got != s.Manifest.Content {
		return fault.New("snapshot_damaged", "the file list of snapshot %s does not match its checksum", s.Manifest.Version).
			Try("build the snapshot again; the sources are untouched")
	}
	return nil
}

// VerifyFiles holds those files that are wanted against their checksums, until
// the context ends.
func (s *Snapshot) VerifyFiles(ctx context.Context, wanted func(File) bool) error {
	for _, want := range s.Manifest.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !wanted(want) {
			continue
		}
		path := filepath.Join(s.Dir, filepath.FromSlash(want.Path))
		f, err := os.Open(path)
		if err != nil {
			return fault.Disk(path, err)
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return fault.Disk(path, err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); n != want.Bytes || got != want.SHA256 {
			return fault.New("snapshot_damaged", "%s does not match its checksum", path).
				Try("build the snapshot again; the sources are untouched")
		}
	}
	return nil
}
