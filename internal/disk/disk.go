// Package disk makes files durable. A file that it has reported as written is there after a power cut. A file that it was still
// writing is there as a whole or not at all: it syncs the content before it gives the file its name.
//
// It does not know what the files mean. Callers explain its errors with fault.Disk.
package disk

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// WriteFile puts a file at path in one step. A reader, now or after a power cut, finds either the file that was there before or
// all that fill wrote. A path may have one writer at a time, because WriteFile first writes to path+".new".
func WriteFile(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	tmp := path + ".new"
	// A writer that died may have left a file with wider permissions than perm.
	if err := systemOf(tmp).Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := write(tmp, perm, fill); err != nil {
		return err
	}
	if err := systemOf(path).Rename(tmp, path); err != nil {
		_ = systemOf(tmp).Remove(tmp)
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// WriteNew is WriteFile for a path without a file. If there is a file, the error is
// fs.ErrExist. Of several writers at once, one succeeds.
func WriteNew(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	tmp := path + ".new-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(serial.Add(1), 36)
	if err := write(tmp, perm, fill); err != nil {
		return err
	}
	err := systemOf(path).Link(tmp, path)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported) {
		// A file system without links, such as a memory stick's.
		if _, there := os.Lstat(path); there == nil {
			err = fs.ErrExist
		} else {
			err = systemOf(path).Rename(tmp, path)
		}
	}
	_ = systemOf(tmp).Remove(tmp)
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// write writes a new file, and removes it if that fails.
func write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	f, err := create(path, perm, true)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 64<<10)
	err = fill(buf)
	if err == nil {
		err = buf.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = systemOf(path).Remove(path)
	}
	return err
}

// File is a file in the making. It counts and hashes what is written.
type File struct {
	Summed
	handle Handle
	err    error
}

// Create makes a file, or empties the file that is there. The content is durable after
// Close succeeds. The name is durable after the folder is synced: see Publish.
func Create(path string) (*File, error) { return create(path, 0o644, false) }

func create(path string, perm fs.FileMode, fresh bool) (*File, error) {
	h, err := systemOf(path).Create(path, perm, fresh)
	if err != nil {
		return nil, err
	}
	return &File{Summed: NewSummed(h), handle: h}, nil
}

func (f *File) Write(p []byte) (int, error) {
	n, err := f.Summed.Write(p)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n, err
}

// Close makes the content durable. If a write failed, Close returns the error of the first such write.
func (f *File) Close() error {
	if f.err == nil {
		f.err = f.handle.Sync()
	}
	if err := f.handle.Close(); f.err == nil {
		f.err = err
	}
	return f.err
}

// MkdirAll makes a folder and the missing folders above it, and makes their names durable.
func MkdirAll(path string, perm fs.FileMode) error {
	st, err := os.Stat(path)
	if err == nil {
		if !st.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := MkdirAll(parent, perm); err != nil {
			return err
		}
	}
	if err := systemOf(path).Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// Publish gives a finished file or folder its final name, after it has made everything in it durable. If a folder has the final
// name already, the two folders change places, and the old folder is then at from. If a file has it, Publish replaces the file.
func Publish(from, to string) error {
	if err := syncTree(from); err != nil {
		return err
	}
	st, err := os.Lstat(to)
	switch {
	case err == nil && st.IsDir():
		err = systemOf(to).Exchange(from, to)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		err = systemOf(to).Rename(from, to)
	}
	if err != nil {
		return err
	}
	// Sync the new name first: a file with two names after a power cut is a nuisance, a file without a name is lost.
	if err := syncFolder(filepath.Dir(to)); err != nil {
		return err
	}
	if filepath.Dir(from) == filepath.Dir(to) {
		return nil
	}
	return syncFolder(filepath.Dir(from))
}

// syncTree makes a file, or a folder with everything in it, durable. It syncs the content of a folder before the folder.
func syncTree(path string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		if !st.Mode().IsRegular() {
			return nil
		}
		return systemOf(path).Sync(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := syncTree(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return syncFolder(path)
}

// syncFolder makes the names in a folder durable, if the file system can do that.
func syncFolder(dir string) error {
	err := systemOf(dir).Sync(dir)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Link gives the file at from a second name, whose durability is that of its folder.
func Link(from, to string) error { return systemOf(to).Link(from, to) }

// Remove removes a file durably. If there is no file, that is no error.
func Remove(path string) error {
	switch err := systemOf(path).Remove(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// RemoveAll removes a file, or a folder with everything in it, as far as it can. After
// a power cut some of the files may be there again.
func RemoveAll(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	if st.IsDir() {
		entries, err := os.ReadDir(path)
		errs = append(errs, err)
		for _, e := range entries {
			errs = append(errs, RemoveAll(filepath.Join(path, e.Name())))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	if err := systemOf(path).Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ErrLocked says that another process, or another open file of this process, holds the lock.
var ErrLocked = errors.New("locked by another")

// Lock locks an open file for one holder. The lock ends when the file is closed or the
// process dies. On network file systems the file must be open for writing.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared locks an open file for several holders, so that Lock fails for everyone else.
func LockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

// LockPath opens a file, which it makes if there is none, and locks it until the file is closed.
func LockPath(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := Lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		}
		return err
	}
}

// Free is how many bytes the current user may still write below a folder.
func Free(dir string) (int64, error) {
	var st syscall.Statfs_t
	err := syscall.Statfs(dir, &st)
	return int64(st.Bavail) * int64(st.Bsize), err
}

// Summed counts what is written through it and takes its SHA-256.
type Summed struct {
	w    io.Writer
	hash hash.Hash
	size int64
}

func NewSummed(w io.Writer) Summed { return Summed{w: w, hash: sha256.New()} }

func (s *Summed) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.hash.Write(p[:n])
	s.size += int64(n)
	return n, err
}

// Size is the number of bytes written so far.
func (s *Summed) Size() int64 { return s.size }

// Sum is the SHA-256 of them, in hex.
func (s *Summed) Sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// Hash reads a file and returns its SHA-256 in hex and its size. It stops soon after the context ends.
func Hash(ctx context.Context, path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	s := NewSummed(io.Discard)
	if _, err := io.Copy(&s, Until(ctx, f)); err != nil {
		return "", 0, err
	}
	return s.Sum(), s.Size(), nil
}

// Digests returns the SHA-256, in hex, and the MD5 of what is read. Object stores and publishers state the second.
func Digests(r io.Reader) (sum string, old [md5.Size]byte, err error) {
	h, m := sha256.New(), md5.New()
	_, err = io.Copy(io.MultiWriter(h, m), r)
	return hex.EncodeToString(h.Sum(nil)), [md5.Size]byte(m.Sum(nil)), err
}

// Until returns a reader that fails after the context has ended.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx, r} }

func UntilAt(ctx context.Context, r io.ReaderAt) io.ReaderAt { return &untilAt{ctx, r} }

type untilAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (u *untilAt) ReadAt(p []byte, off int64) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.ReadAt(p, off)
}

type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
