package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
)

// folder is a store in a file system: local, or a network file system with locks.
type folder struct{ root string }

func openFolder(root string) (Store, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fault.Disk(root, err)
	}
	return &folder{root}, nil
}

func (f *folder) String() string { return f.root }

func (f *folder) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

const partPrefix = ".part-"

func (f *folder) Get(_ context.Context, key string, off, n int64) (io.ReadCloser, error) {
	file, err := os.Open(f.path(key))
	if err != nil {
		return nil, f.explain(key, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, off, n), file}, nil
}

// serial distinguishes files that a process writes at the same time.
var serial atomic.Uint64

func (f *folder) Put(ctx context.Context, key string, body io.ReaderAt, size int64) error {
	path := f.path(key)
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Disk(path, err)
	}
	part := filepath.Join(filepath.Dir(path), partPrefix+strconv.Itoa(os.Getpid())+"-"+strconv.FormatUint(serial.Add(1), 36))
	err := f.write(ctx, part, io.NewSectionReader(body, 0, size), size)
	if err == nil {
		err = disk.Publish(part, path)
	}
	if err != nil {
		_ = disk.Remove(part)
	}
	return fault.Disk(path, err)
}

func (f *folder) write(ctx context.Context, path string, r io.Reader, size int64) error {
	out, err := disk.Create(path)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, disk.Until(ctx, r))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

func (f *folder) PutIf(ctx context.Context, key string, body []byte, tag string) (string, error) {
	path := f.path(key)
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fault.Disk(path, err)
	}
	release, err := f.lock(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	now, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if tag != "" {
			return "", ErrChanged
		}
	case err != nil:
		return "", fault.Disk(path, err)
	case tag != digest(now):
		return "", ErrChanged
	}
	err = disk.WriteFile(path, 0o644, func(w io.Writer) error { _, err := w.Write(body); return err })
	return digest(body), fault.Disk(path, err)
}

// lock excludes conditional writes of other processes.
func (f *folder) lock(ctx context.Context) (release func(), err error) {
	path := filepath.Join(f.root, ".lock")
	for {
		file, err := disk.LockPath(path)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if errors.Is(err, disk.ErrLocked) {
			err = parallel.Pause(ctx, 10*time.Millisecond)
		}
		if err != nil {
			return nil, fault.Disk(path, err)
		}
	}
}

func (f *folder) Head(ctx context.Context, key string) (Info, error) {
	st, err := os.Stat(f.path(key))
	if err == nil && st.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Info{}, f.explain(key, err)
	}
	info := Info{Key: key, Size: st.Size(), Modified: st.ModTime()}
	// Only small objects are written conditionally.
	if st.Size() <= maxLease {
		if info.Tag, _, err = disk.Hash(ctx, f.path(key)); err != nil {
			return Info{}, f.explain(key, err)
		}
	}
	return info, nil
}

func (f *folder) List(ctx context.Context, prefix string, each func(Info) error) error {
	return f.walk(ctx, prefix, func(path string, e fs.DirEntry) error {
		if strings.HasPrefix(e.Name(), ".") {
			return nil
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fault.Disk(path, err)
		}
		rel, err := filepath.Rel(f.root, path)
		if err != nil {
			return err
		}
		return each(Info{Key: filepath.ToSlash(rel), Size: st.Size(), Modified: st.ModTime()})
	})
}

// walk calls each for the files below the folder of a prefix.
func (f *folder) walk(ctx context.Context, prefix string, each func(string, fs.DirEntry) error) error {
	if _, err := os.Stat(f.root); err != nil {
		return f.explain(prefix, err)
	}
	return filepath.WalkDir(f.path(prefix), func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fault.Disk(path, err)
		}
		if !e.Type().IsRegular() {
			return nil
		}
		return each(path, e)
	})
}

func (f *folder) Delete(_ context.Context, key string) error {
	return fault.Disk(f.path(key), disk.Remove(f.path(key)))
}

func (f *folder) Forget(ctx context.Context, prefix string, then time.Time) error {
	return f.walk(ctx, prefix, func(path string, e fs.DirEntry) error {
		st, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), partPrefix) || !st.ModTime().Before(then) {
			return nil
		}
		return fault.Disk(path, disk.Remove(path))
	})
}

// explain puts an error into words. A missing root folder, such as an unmounted disk,
// is a different error from a missing object.
func (f *folder) explain(key string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Stat(f.root); there != nil {
			return fault.New("store_missing", "the folder %s does not exist", f.root).Try("make it, or mount the disk it is on")
		}
		return err
	}
	return fault.Disk(f.path(key), err)
}
