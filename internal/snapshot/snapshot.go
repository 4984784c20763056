// Package snapshot is what packages ingest and serve share: an immutable directory of files with a manifest,
// published by one atomic rename and found through a pointer. It imports neither.
//
//	<data>/
//	  current              the version now served, one line
//	  builds/<version>/
//	    manifest.json      what is in it, where it came from, a checksum of every file
//	    tables/*.parquet   the rows
//	    …                  indexes that the serving side reads, each its own folder
//
// A snapshot is written under a hidden name in builds and renamed when it is complete and on the disk. So a
// reader sees all of it or nothing. If a build or its machine dies, the pointer stays where it was.
package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
)

const (
	pointerName  = "current"
	buildsName   = "builds"
	manifestName = "manifest.json"
	tablesName   = "tables"
	newPrefix    = ".new-" // of an unfinished snapshot
	stampLayout  = "20060102T150405Z"
)

var stampPattern = regexp.MustCompile(`^\d{8}T\d{6}Z$`)

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

type Snapshot struct {
	Dir      string
	Manifest Manifest
}

// OpenHeld opens the current snapshot of a data directory and holds it.
func OpenHeld(data string) (s *Snapshot, release func(), err error) {
	if s, err = Open(data); err == nil {
		release, err = s.Hold()
	}
	return s, release, err
}

// Hold keeps the snapshot from being pruned until release is called. It locks the
// manifest; the kernel drops the lock when the process dies.
func (s *Snapshot) Hold() (release func(), err error) {
	path := filepath.Join(s.Dir, manifestName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noSuchSnapshot(s.Dir)
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	// A file system without locks can still be read.
	locked := disk.LockShared(f)
	// Another process may have removed it before the lock.
	if _, err = os.Stat(path); err != nil || errors.Is(locked, disk.ErrLocked) {
		f.Close()
		return nil, noSuchSnapshot(s.Dir)
	}
	return func() { f.Close() }, nil
}

// noSuchSnapshot is the error for a snapshot that does not exist or is being removed.
func noSuchSnapshot(dir string) error {
	builds := filepath.Dir(dir)
	return fault.New("no_such_snapshot", "there is no snapshot %s in %s", filepath.Base(dir), builds).
		Try("write the name of one that is there into %s, or run grantgraph build again", filepath.Join(filepath.Dir(builds), pointerName))
}

// ErrNone is wrapped when a data directory has no snapshot yet.
var ErrNone = errors.New("no snapshot")

func Open(data string) (*Snapshot, error) {
	version, err := currentVersion(data)
	if err != nil {
		return nil, err
	}
	return OpenVersion(data, version)
}

func OpenVersion(data, version string) (*Snapshot, error) {
	if !stampPattern.MatchString(version) {
		return nil, fault.New("bad_pointer", "%q in %s is not a snapshot version", version, filepath.Join(data, pointerName)).
			Try("run grantgraph build again; it writes a new pointer")
	}
	s := &Snapshot{Dir: filepath.Join(data, buildsName, version)}
	path := filepath.Join(s.Dir, manifestName)
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noSuchSnapshot(s.Dir)
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

const Damaged = "snapshot_damaged"

func (s *Snapshot) Verify() error { return s.verify(nil) }

// VerifyTables is Verify for the tables only. Other files are verified when they are opened.
func (s *Snapshot) VerifyTables() error {
	return s.verify(func(f File) bool { return f.Table() != "" })
}

func (s *Snapshot) verify(keep func(File) bool) error {
	if got := contentHash(s.Manifest.Files); got != s.Manifest.Content {
		return fault.New(Damaged, "the file list of snapshot %s does not match its checksum", s.Manifest.Version).
			Try("build the snapshot again; the sources are untouched")
	}
	return s.VerifyFiles(context.Background(), keep)
}

// VerifyFiles checks the files that keep selects, or all if keep is nil, against their checksums. For the
// first damaged or missing file, the error is a fault with slug Damaged that names the file. VerifyFiles
// stops soon after the context ends, with the context's error.
func (s *Snapshot) VerifyFiles(ctx context.Context, keep func(File) bool) error {
	return parallel.Each(ctx, 0, len(s.Manifest.Files), func(ctx context.Context, i int) error {
		f := s.Manifest.Files[i]
		if keep != nil && !keep(f) {
			return nil
		}
		return s.VerifyFile(ctx, f)
	})
}

// VerifySize compares the size of a file with the manifest, without reading the file. The error is that of VerifyFiles.
func (s *Snapshot) VerifySize(want File) error {
	path := filepath.Join(s.Dir, filepath.FromSlash(want.Path))
	info, err := os.Stat(path)
	return verdict(path, err, err == nil && info.Size() == want.Bytes)
}

func (s *Snapshot) VerifyFile(ctx context.Context, want File) error {
	if err := s.VerifySize(want); err != nil {
		return err
	}
	path := filepath.Join(s.Dir, filepath.FromSlash(want.Path))
	sum, size, err := disk.Hash(ctx, path)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return verdict(path, err, size == want.Bytes && sum == want.SHA256)
}

// verdict is the error for a file that could not be read, or that differs.
func verdict(path string, err error, same bool) error {
	wrong := "does not match its checksum"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		wrong = "is missing"
	case errors.Is(err, fs.ErrPermission):
		return fault.Disk(path, err)
	case err != nil:
		wrong = "cannot be read: " + err.Error()
	case same:
		return nil
	}
	return fault.New(Damaged, "%s %s", path, wrong).Try("build the snapshot again; the sources are untouched")
}

// Prune removes all but the newest keep snapshots, and the remains of builds that died. It never removes the
// current snapshot or one that is held. If one cannot be removed, Prune goes on; the error names it.
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

// remove removes a snapshot that no process holds. The manifest goes first: without
// it, the remains after a power cut are not a snapshot.
func remove(dir string) error {
	// On network file systems a file must be open for writing to be locked exclusively. A snapshot without a
	// manifest cannot be opened, so no process holds it.
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
