package disk_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"grantgraph/internal/disk"
	"grantgraph/internal/disk/powerloss"
)

var (
	older = strings.Repeat("the older content\n", 10)
	newer = strings.Repeat("the newer one, which is longer\n", 20)
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// oneOf expects the older or, once it was reported, the newer content.
func oneOf(path string, before, after string) func(dir string, done bool) error {
	return func(dir string, done bool) error {
		body, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil && !(before == "" && !done && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
		if got := string(body); got != after && (done || got != before) {
			return fmt.Errorf("%s holds %.60q", path, got)
		}
		return nil
	}
}

func TestPowerCutWriteFile(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "file")
	r := powerloss.Record(t, root)
	must(t, disk.MkdirAll(filepath.Dir(path), 0o755))
	must(t, disk.WriteFile(path, 0o644, text(newer)))
	r.Each(t, oneOf("a/b/file", "", newer))

	r = powerloss.Record(t, root)
	must(t, disk.WriteFile(path, 0o644, text(older)))
	r.Each(t, oneOf("a/b/file", newer, older))
}

func TestPowerCutWriteNew(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "file")
	r := powerloss.Record(t, root)
	must(t, disk.WriteNew(path, 0o600, text(newer)))
	r.Each(t, oneOf("file", "", newer))
	if err := disk.WriteNew(path, 0o600, text(older)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second one: %v", err)
	}
	if left, _ := os.ReadDir(root); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}

func TestPowerCutRemove(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "file")
	must(t, disk.WriteFile(path, 0o644, text(older)))
	r := powerloss.Record(t, root)
	must(t, disk.Remove(path))
	must(t, disk.Remove(path)) // there is none
	r.Each(t, func(dir string, done bool) error {
		if _, err := os.Stat(filepath.Join(dir, "file")); done && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("it is there again: %v", err)
		}
		return nil
	})
}

// fill writes a folder of two files, one of them by other means than disk.
func fill(t *testing.T, dir, content string) {
	t.Helper()
	must(t, disk.MkdirAll(filepath.Join(dir, "in"), 0o755))
	f, err := disk.Create(filepath.Join(dir, "in", "ours"))
	must(t, err)
	must(t, text(content)(f))
	must(t, f.Close())
	must(t, os.WriteFile(filepath.Join(dir, "theirs"), []byte(content), 0o644))
}

// whole reports which folder is at a path.
func whole(dir string) (string, error) {
	a, err := os.ReadFile(filepath.Join(dir, "in", "ours"))
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(dir, "theirs"))
	if err != nil {
		return "", err
	}
	if !bytes.Equal(a, b) {
		return "", fmt.Errorf("%.40q and %.40q", a, b)
	}
	return string(a), nil
}

func TestPowerCutPublish(t *testing.T) {
	root := t.TempDir()
	from, to := filepath.Join(root, ".new"), filepath.Join(root, "folder")
	r := powerloss.Record(t, root)
	fill(t, from, older)
	must(t, disk.Publish(from, to))
	r.Each(t, func(dir string, done bool) error {
		if _, err := os.Stat(filepath.Join(dir, "folder")); errors.Is(err, fs.ErrNotExist) && !done {
			return nil
		}
		_, err := whole(filepath.Join(dir, "folder"))
		return err
	})

	// In place of another.
	r = powerloss.Record(t, root)
	fill(t, from, newer)
	must(t, disk.Publish(from, to))
	must(t, disk.RemoveAll(from))
	r.Each(t, func(dir string, done bool) error {
		got, err := whole(filepath.Join(dir, "folder"))
		if err == nil && got != newer && (done || got != older) {
			err = fmt.Errorf("it holds %.40q", got)
		}
		return err
	})
}

// TestPowerCutIsSeen leaves out one care at a time. The file system that loses
// things must show each of them.
func TestPowerCutIsSeen(t *testing.T) {
	for name, careless := range map[string]func(sys disk.System, root string) error{
		"content not synced": func(sys disk.System, root string) error {
			f, err := sys.Create(filepath.Join(root, "file.new"), 0o644, true)
			if err != nil {
				return err
			}
			return errors.Join(text(newer)(f), f.Close(), sys.Rename(filepath.Join(root, "file.new"), filepath.Join(root, "file")), sys.Sync(root))
		},
		"folder not synced": func(sys disk.System, root string) error {
			f, err := sys.Create(filepath.Join(root, "file.new"), 0o644, true)
			if err != nil {
				return err
			}
			return errors.Join(text(newer)(f), f.Sync(), f.Close(), sys.Rename(filepath.Join(root, "file.new"), filepath.Join(root, "file")))
		},
		"written in place": func(sys disk.System, root string) error {
			f, err := sys.Create(filepath.Join(root, "file"), 0o644, false)
			if err != nil {
				return err
			}
			return errors.Join(text(newer)(f), f.Sync(), f.Close(), sys.Sync(root))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			must(t, os.WriteFile(filepath.Join(root, "file"), []byte(older), 0o644))
			r := powerloss.Record(t, root)
			must(t, careless(r, root))
			seen := false
			r.Each(t, func(dir string, done bool) error {
				seen = seen || oneOf("file", older, newer)(dir, done) != nil
				return nil
			})
			if !seen {
				t.Error("nothing was lost")
			}
		})
	}
}

// full is a disk without room.
type full struct{ disk.OS }

func (f full) Create(path string, perm fs.FileMode, fresh bool) (disk.Handle, error) {
	h, err := f.OS.Create(path, perm, fresh)
	return fullHandle{h}, err
}

type fullHandle struct{ disk.Handle }

func (fullHandle) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFullDisk(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "file")
	must(t, disk.WriteFile(path, 0o644, text(older)))
	unmount := disk.Mount(root, full{})
	defer unmount()
	if err := disk.WriteFile(path, 0o644, text(newer)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if err := disk.WriteNew(path+"2", 0o644, text(newer)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	must(t, oneOf("file", older, older)(root, true))
	if left, _ := os.ReadDir(root); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
	unmount()
	must(t, disk.WriteFile(path, 0o644, text(newer)))
}

func TestWriteFileKeepsSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path+".new", []byte("left"), 0o666)) // by a writer that died
	must(t, disk.WriteFile(path, 0o600, text(newer)))
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestWriteNewOneWins(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	var wg sync.WaitGroup
	won := make(chan int, 8)
	for i := range 8 {
		wg.Go(func() {
			switch err := disk.WriteNew(path, 0o600, text(fmt.Sprint(i))); {
			case err == nil:
				won <- i
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d won", len(won))
	}
	if body, err := os.ReadFile(path); err != nil || string(body) != fmt.Sprint(<-won) {
		t.Errorf("%s, %v", body, err)
	}
}

func TestRemoveAllGoesOn(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a/1", "b/2", "c/3"} {
		must(t, disk.MkdirAll(filepath.Join(root, "x", filepath.Dir(name)), 0o755))
		must(t, disk.WriteFile(filepath.Join(root, "x", name), 0o644, text(name)))
	}
	defer disk.Mount(filepath.Join(root, "x", "b"), stuck{})()
	if err := disk.RemoveAll(filepath.Join(root, "x")); !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("got %v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(root, "x")); len(left) != 1 || left[0].Name() != "b" {
		t.Errorf("%v is left", left)
	}
}

// stuck is a folder in which nothing can be removed.
type stuck struct{ disk.OS }

func (stuck) Remove(path string) error {
	return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrPermission}
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		must(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	a, b, c := open(), open(), open()
	must(t, disk.LockShared(a))
	must(t, disk.LockShared(b))
	if err := disk.Lock(c); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("got %v", err)
	}
	a.Close()
	b.Close()
	must(t, disk.Lock(c))
	if err := disk.LockShared(open()); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("got %v", err)
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	f, err := disk.Create(path)
	must(t, err)
	must(t, text(newer)(f))
	must(t, f.Close())
	want := sha256.Sum256([]byte(newer))
	sum, size, err := disk.Hash(t.Context(), path)
	if err != nil || sum != hex.EncodeToString(want[:]) || size != int64(len(newer)) || sum != f.Sum() || size != f.Size() {
		t.Errorf("%s %d %v", sum, size, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := disk.Hash(stopped, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestUntil counts what is read after the context has ended: nothing.
func TestUntil(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	reads := 0
	r := disk.Until(ctx, readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 3 {
			stop()
		}
		return len(p), nil
	}))
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, context.Canceled) || reads != 3 {
		t.Errorf("%d reads, %v", reads, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
