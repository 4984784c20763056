package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Prune removes all but the newest keep snapshots, and the remains of builds that
// died. It never removes the current snapshot or one that is held. If one cannot be
// removed, Prune goes on; the error names it.
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
	// On network file systems a file must be open for writing to be locked
	// exclusively. A snapshot without a manifest cannot be opened, so no process
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
