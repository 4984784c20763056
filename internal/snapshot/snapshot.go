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
// whole and on the disk, so a reader sees all of it or nothing, and a build
// that dies, or whose machine does, leaves the pointer where it was.
package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Format is the version of the layout. A reader refuses another one.
const Format = 2

// Manifest describes a snapshot. Everything in it but Version, GeneratedAt and
// the Seal over them is a function of the sources, so two builds of the same sources differ in
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
	Seal        string          `json:"seal"`   // SHA-256 of the manifest's file with zeros in this place
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

// Table is the name of the table that the file holds, empty when it is none.
func (f *File) Table() string {
	if dir, name := path.Split(f.Path); dir == tablesName+"/" {
		return strings.TrimSuffix(name, ".parquet")
	}
	return ""
}

const (
	pointerName  = "current"
	buildsName   = "builds"
	manifestName = "manifest.json"
	tablesName   = "tables"
	newPrefix    = ".new-" // of a snapshot in the making
	stampLayout  = "20060102T150405Z"
)

var stampPattern = regexp.MustCompile(`^\d{8}T\d{6}Z$`)

// Writer fills a new snapshot. It must end with Publish or Abandon.
type Writer struct {
	data    string
	dir     string
	version string
	began   time.Time

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

// Began is the time the stamp stands for.
func (w *Writer) Began() time.Time { return w.began }

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
func (w *Writer) Unpublished() *Snapshot { return &Snapshot{Dir: w.dir} }

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
	if err := disk.WriteFile(path, 0o644, whole(body)); err != nil {
		return nil, fault.Disk(path, err)
	}
	final := filepath.Join(w.data, buildsName, w.version)
	if err := disk.Publish(w.dir, final); err != nil {
		return nil, fault.Disk(final, err)
	}
	if err := point(w.data, w.version); err != nil {
		return nil, err
	}
	return &Snapshot{Dir: final, Manifest: m}, nil
}

func whole(body []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(body); return err }
}

// unsealed stands in the place of the seal while it is reckoned.
var unsealed = strings.Repeat("0", hex.EncodedLen(sha256.Size))

func sealed(seal string) []byte { return []byte(`"seal": "` + seal + `"`) }

// encode seals the manifest and returns its file. A changed bit anywhere in it
// shows: counts and sources are told to others as they stand there.
func (m *Manifest) encode() ([]byte, error) {
	m.Seal = unsealed
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	sum := sha256.Sum256(body)
	m.Seal = hex.EncodeToString(sum[:])
	at := bytes.LastIndex(body, sealed(unsealed))
	copy(body[at:], sealed(m.Seal))
	return body, nil
}

// intact reports whether the file of a manifest is as it was written.
func (m *Manifest) intact(body []byte) bool {
	at := bytes.LastIndex(body, sealed(m.Seal))
	if at < 0 || len(m.Seal) != len(unsealed) {
		return false
	}
	body = bytes.Clone(body)
	copy(body[at:], sealed(unsealed))
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]) == m.Seal
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
func (w *Writer) Abandon() { _ = disk.RemoveAll(w.dir) }

// point makes current name the version.
func point(data, version string) error {
	path := filepath.Join(data, pointerName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, whole([]byte(version+"\n"))))
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
// that is held, and the remains of builds that died. One that cannot be removed
// does not keep the others; the error says which.
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
	var errs []error
	for _, e := range entries {
		if old[e.Name()] || strings.HasPrefix(e.Name(), newPrefix) {
			dir := filepath.Join(builds, e.Name())
			errs = append(errs, fault.Disk(dir, remove(dir)))
		}
	}
	return errors.Join(errs...)
}

// remove removes a snapshot, unless somebody holds it. The manifest goes first:
// without it, what is left after a power cut is no snapshot.
func remove(dir string) error {
	// To lock a file for oneself it must be open for writing on network file
	// systems. A snapshot that has no manifest cannot be opened, so nobody
	// holds it.
	manifest := filepath.Join(dir, manifestName)
	f, err := os.OpenFile(manifest, os.O_RDWR, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		defer f.Close()
		err = disk.Lock(f)
		if errors.Is(err, disk.ErrLocked) {
			return nil
		}
		if err == nil {
			err = disk.Remove(manifest)
		}
		if err != nil {
			return err
		}
	}
	return disk.RemoveAll(dir)
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
	locked := disk.Share(f)
	// It may have been removed before it was locked.
	if _, err = os.Stat(path); err != nil || errors.Is(locked, disk.ErrLocked) {
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
	if !s.Manifest.intact(body) {
		return nil, fault.New("bad_manifest", "%s does not match its checksum", path).
			Try("run grantgraph build again")
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

// Damaged is the slug of the error for a file that is not as it was written.
const Damaged = "snapshot_damaged"

// Verify reads every file and holds it against its checksum.
func (s *Snapshot) Verify() error {
	if got := contentHash(s.Manifest.Files); got != s.Manifest.Content {
		return fault.New(Damaged, "the file list of snapshot %s does not match its checksum", s.Manifest.Version).
			Try("build the snapshot again; the sources are untouched")
	}
	return s.VerifyFiles(context.Background(), nil)
}

// VerifyFiles reads the files that keep asks for, or all when it is nil, and
// holds them against their checksums. The error of the first one that is
// damaged or missing is a fault with the slug Damaged that names it. It ends
// soon after the context does, with the context's error.
func (s *Snapshot) VerifyFiles(ctx context.Context, keep func(File) bool) error {
	for _, f := range s.Manifest.Files {
		if keep != nil && !keep(f) {
			continue
		}
		if err := s.VerifyFile(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// VerifyFile is VerifyFiles of one file.
func (s *Snapshot) VerifyFile(ctx context.Context, want File) error {
	path := filepath.Join(s.Dir, filepath.FromSlash(want.Path))
	sum, size, err := disk.Hash(ctx, path)
	wrong := ""
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		wrong = "is missing"
	case errors.Is(err, fs.ErrPermission):
		return fault.Disk(path, err)
	case err != nil:
		wrong = "cannot be read: " + err.Error()
	case size != want.Bytes || sum != want.SHA256:
		wrong = "does not match its checksum"
	default:
		return nil
	}
	return fault.New(Damaged, "%s %s", path, wrong).Try("build the snapshot again; the sources are untouched")
}
