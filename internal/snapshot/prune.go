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
