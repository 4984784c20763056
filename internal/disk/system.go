package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// System has the operations that change a file system. Reading is not among them: tests read changed files like any others.
type System interface {
	// Create opens a file for writing, empty. A fresh one must not be there yet.
	Create(path string, perm fs.FileMode, fresh bool) (Handle, error)
	Mkdir(path string, perm fs.FileMode) error
	Rename(from, to string) error
	// Exchange lets two folders change places.
	Exchange(a, b string) error
	Link(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(path string) error
	// Sync makes the content of a file, or the names in a folder, durable.
	Sync(path string) error
}

type Handle interface {
	io.WriteCloser
	Sync() error
}

// OS is the system of the kernel.
type OS struct{}

func (OS) Create(path string, perm fs.FileMode, fresh bool) (Handle, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if fresh {
		flags |= os.O_EXCL
	}
	f, err := os.OpenFile(path, flags, perm)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (OS) Mkdir(path string, perm fs.FileMode) error { return os.Mkdir(path, perm) }
func (OS) Rename(from, to string) error              { return os.Rename(from, to) }
func (OS) Link(from, to string) error                { return os.Link(from, to) }
func (OS) Remove(path string) error                  { return os.Remove(path) }
func (OS) Exchange(a, b string) error                { return exchange(a, b) }

func (OS) Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// swap replaces Exchange if the kernel cannot exchange names. For a moment one of the names is missing.
func swap(a, b string) error {
	aside := a + ".old"
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		_ = os.Rename(aside, b) // put back what was there
		return err
	}
	return os.Rename(aside, a)
}

// mounts are the systems that tests put under parts of the tree.
var (
	mounting sync.Mutex
	mounts   atomic.Pointer[[]*mount]
	serial   atomic.Uint64 // tells names of temporary files apart
)

type mount struct {
	root   string
	system System
}

// Mount makes paths below root use another system until it is unmounted. Tests use it for full disks and power cuts.
func Mount(root string, s System) (unmount func()) {
	m := &mount{filepath.Clean(root), s}
	change := func(to func([]*mount) []*mount) {
		mounting.Lock()
		defer mounting.Unlock()
		var list []*mount
		if old := mounts.Load(); old != nil {
			list = *old
		}
		list = to(list)
		mounts.Store(&list)
	}
	change(func(list []*mount) []*mount { return append(list[:len(list):len(list)], m) })
	return func() {
		change(func(list []*mount) []*mount {
			return slices.DeleteFunc(slices.Clone(list), func(x *mount) bool { return x == m })
		})
	}
}

func systemOf(path string) System {
	list := mounts.Load()
	if list == nil {
		return OS{}
	}
	path = filepath.Clean(path)
	for _, m := range slices.Backward(*list) { // the last one lies over the others
		if path == m.root || strings.HasPrefix(path, m.root+string(filepath.Separator)) {
			return m.system
		}
	}
	return OS{}
}
