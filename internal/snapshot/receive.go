package snapshot

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Bounds on the manifest of a snapshot from another machine.
const (
	MaxManifest  = 32 << 20 // bytes
	maxFiles     = 10_000
	maxFileBytes = 1 << 42
	maxFilePath  = 200
)

// receivedPrefix begins the name of a folder that is being filled with a snapshot from another machine. The
// folder outlives the process, so that the next one can continue.
const receivedPrefix = ".pull-"

var (
	filePattern = regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]*(\.[a-z0-9]+)?(/[a-z0-9_][a-z0-9_-]*(\.[a-z0-9]+)?){0,3}$`)
	sumPattern  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func IsVersion(text string) bool { return stampPattern.MatchString(text) }

func IsSum(text string) bool { return sumPattern.MatchString(text) }

// ParseManifest reads the manifest of a snapshot from another machine and does not trust it. Besides checksums, it checks that
// the names and sizes of files are such as a build writes. So the names can safely be used as paths.
func ParseManifest(version string, body []byte) (*Manifest, error) {
	bad := func(format string, args ...any) (*Manifest, error) {
		return nil, fault.New("bad_manifest", "the manifest of snapshot "+fault.Clip(version, 40)+" "+format, args...).
			Try("publish the snapshot again from the machine that built it")
	}
	if len(body) > MaxManifest {
		return bad("is longer than %d bytes", MaxManifest)
	}
	m := &Manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return bad("cannot be read: %w", err)
	}
	if m.Format != Format {
		return nil, fault.New("snapshot_format", "snapshot %s has layout %d, this program reads %d", fault.Clip(version, 40), m.Format, Format).
			Try("use the same release of grantgraph on every machine, and build with it")
	}
	switch {
	case !m.intact(body):
		return bad("does not match its checksum")
	case !IsVersion(version) || m.Version != version:
		return bad("is that of %q", fault.Clip(m.Version, 40))
	case len(m.Files) > maxFiles:
		return bad("lists more than %d files", maxFiles)
	}
	names := map[string]bool{}
	for _, f := range m.Files {
		switch {
		case len(f.Path) > maxFilePath || !filePattern.MatchString(f.Path) || f.Path == manifestName:
			return bad("has a file named %q", fault.Clip(f.Path, maxFilePath))
		case f.Bytes < 0 || f.Bytes > maxFileBytes:
			return bad("has a file of %d bytes", f.Bytes)
		case !sumPattern.MatchString(f.SHA256):
			return bad("has a file without a checksum")
		case names[f.Path]:
			return bad("lists %s twice", f.Path)
		}
		names[f.Path] = true
	}
	for _, f := range m.Files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if names[dir] {
				return bad("has %s as a file and as a folder", dir)
			}
		}
	}
	if contentHash(m.Files) != m.Content {
		return bad("lists other files than its checksum says")
	}
	return m, nil
}

func (s *Snapshot) Body() ([]byte, error) {
	name := filepath.Join(s.Dir, manifestName)
	body, err := os.ReadFile(name)
	return body, fault.Disk(name, err)
}

// Receiver receives a snapshot from another machine into a data directory. The caller fills its folder. The
// folder is kept until Publish or Discard, even across restarts.
type Receiver struct {
	Dir      string // the caller puts the files of the manifest here
	Journal  string // beside Dir, for the caller's notes on progress
	Manifest *Manifest

	data string
	body []byte
}

// Receive starts or continues to receive the snapshot of a manifest. The id is a
// digest of the manifest, to tell apart two snapshots of the same version.
func Receive(data, id string, m *Manifest, body []byte) (*Receiver, error) {
	builds := filepath.Join(data, buildsName)
	dir := filepath.Join(builds, receivedPrefix+m.Version+"-"+id)
	r := &Receiver{Dir: dir, Journal: dir + ".journal", Manifest: m, data: data, body: body}
	for _, f := range m.Files {
		sub := filepath.Dir(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err := disk.MkdirAll(sub, 0o755); err != nil {
			return nil, fault.Disk(sub, err)
		}
	}
	return r, fault.Disk(dir, disk.MkdirAll(dir, 0o755))
}

// LockReceiving keeps other processes from receiving into the same directory. The
// error is disk.ErrLocked if another process is receiving.
func LockReceiving(data string) (release func(), err error) {
	builds := filepath.Join(data, buildsName)
	if err := disk.MkdirAll(builds, 0o755); err != nil {
		return nil, fault.Disk(builds, err)
	}
	name := filepath.Join(builds, receivedPrefix+"lock")
	f, err := disk.LockPath(name)
	if err != nil {
		return nil, fault.Disk(name, err)
	}
	return func() { f.Close() }, nil
}

// received lists the folders of partly received snapshots, with their journals.
func received(data string) ([]string, error) {
	builds := filepath.Join(data, buildsName)
	entries, err := os.ReadDir(builds)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fault.Disk(builds, err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), receivedPrefix) && e.Name() != receivedPrefix+"lock" {
			names = append(names, filepath.Join(builds, e.Name()))
		}
	}
	return names, nil
}

// DiscardReceived removes partly received snapshots, except keep, which may be nil.
func DiscardReceived(data string, keep *Receiver) error {
	names, err := received(data)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if keep == nil || name != keep.Dir && name != keep.Journal {
			errs = append(errs, fault.Disk(name, disk.RemoveAll(name)))
		}
	}
	return errors.Join(errs...)
}

// Publish makes the snapshot visible and points current at it. The caller must have checked all files against their checksums.
func (r *Receiver) Publish() (*Snapshot, error) {
	name := filepath.Join(r.Dir, manifestName)
	if err := disk.WriteFile(name, 0o644, writeBytes(r.body)); err != nil {
		return nil, fault.Disk(name, err)
	}
	final := filepath.Join(r.data, buildsName, r.Manifest.Version)
	if err := disk.Publish(r.Dir, final); err != nil {
		return nil, fault.Disk(final, err)
	}
	if err := disk.Remove(r.Journal); err != nil {
		return nil, fault.Disk(r.Journal, err)
	}
	return &Snapshot{Dir: final, Manifest: *r.Manifest}, PointTo(r.data, r.Manifest.Version)
}

func PointTo(data, version string) error {
	if _, err := OpenVersion(data, version); err != nil {
		return err
	}
	if now, err := currentVersion(data); err == nil && now == version {
		return nil
	}
	return pointTo(data, version)
}

// Versions lists the snapshots of a data directory in order.
func Versions(data string) ([]string, error) { return versions(filepath.Join(data, buildsName)) }
