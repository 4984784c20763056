package mapped

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"

	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
)

// File is an opened file. Its columns are valid until Close.
type File struct {
	path     string
	kind     *Kind
	data     []byte
	unmap    bool
	sections []section
	named    map[string][]byte
	err      error
}

type section struct {
	name   string
	data   []byte // without its padding
	padded []byte
	sum    uint32
}

// Open maps a file and verifies all of it. Errors are faults with the slugs of its kind.
func Open(path string, k *Kind) (*File, error) {
	read, err := OpenLater(path, k)
	if err != nil {
		return nil, err
	}
	return read()
}

// OpenLater maps a file now and reads it when read is first called. It is for callers that may no longer open files by then.
func OpenLater(path string, k *Kind) (read func() (*File, error), err error) {
	if err := checkMachine(); err != nil {
		return nil, err
	}
	data, err := mapFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fault.New(k.Missing, "there is no %s: %s does not exist", k.Name, path).Try("build the snapshot again")
	case err != nil:
		return nil, fault.Disk(path, err)
	}
	return func() (*File, error) {
		f, err := Read(path, data, k)
		if err != nil {
			_ = unmap(data)
			return nil, err
		}
		f.unmap = true
		return f, nil
	}, nil
}

// mapFile maps a file read-only. An empty file gives no bytes.
func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size == 0 {
		return nil, nil
	}
	if int64(int(size)) != size {
		return nil, fmt.Errorf("it has %d bytes, more than this machine can map", size)
	}
	return syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmap(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return syscall.Munmap(data)
}

// Read is Open for a file in memory, at an address that is a multiple of eight. The path is for messages.
func Read(path string, data []byte, k *Kind) (*File, error) {
	if err := checkMachine(); err != nil {
		return nil, err
	}
	f := &File{path: path, kind: k, data: data}
	if len(data) >= len(k.Magic) && string(data[:len(k.Magic)]) != k.Magic {
		return nil, fault.New(k.Version, "%s: not the %s of this version", path, k.Name).
			Try("build the snapshot again; the sources are untouched")
	}
	if err := f.readTable(); err != nil {
		return nil, err
	}
	return f, f.verify()
}

func (f *File) readTable() error {
	size := uint64(len(f.data))
	if size < headSize+tailSize {
		return f.damaged("it has only %d bytes", size)
	}
	tail := f.data[size-tailSize:]
	if written := binary.LittleEndian.Uint64(tail); written != size {
		return f.damaged("it has %d bytes, and its end does not say so: it is cut short, has grown or is damaged there", size)
	}
	tableAt, count := binary.LittleEndian.Uint64(tail[8:]), uint64(binary.LittleEndian.Uint32(tail[16:]))
	if count > size/entrySize || tableAt < headSize || tableAt > size || tableAt+count*entrySize+tailSize != size {
		return f.damaged("its table of sections is damaged")
	}
	table := f.data[tableAt : size-tailSize]
	if headSum(f.data[:headSize], table, tail) != binary.LittleEndian.Uint32(tail[tailSum:]) {
		return f.damaged("the checksum of its table of sections is wrong")
	}
	if !zeros(f.data[len(f.kind.Magic):headSize]) || !zeros(tail[tailSum+4:]) {
		return f.damaged("there is something where nothing is written")
	}
	f.named = make(map[string][]byte, count)
	at := uint64(headSize)
	for entry := range slices.Chunk(table, entrySize) {
		name := string(bytes.TrimRight(entry[:nameSize], "\x00"))
		if !validName(name) {
			return f.damaged("%q is not the name of a section", name)
		}
		begin, length := binary.LittleEndian.Uint64(entry[nameSize:]), binary.LittleEndian.Uint64(entry[nameSize+8:])
		if begin != at || length > tableAt-at || align(at+length) > tableAt {
			return f.damaged("section %q is not where it belongs", name)
		}
		if _, twice := f.named[name]; twice {
			return f.damaged("section %q stands there twice", name)
		}
		at = align(at + length)
		if !zeros(f.data[begin+length:at]) || !zeros(entry[nameSize+20:]) {
			return f.damaged("there is something behind section %q where nothing is written", name)
		}
		s := section{name, f.data[begin : begin+length : begin+length], f.data[begin:at], binary.LittleEndian.Uint32(entry[nameSize+16:])}
		f.sections = append(f.sections, s)
		f.named[name] = s.data
	}
	if at != tableAt {
		return f.damaged("there is something between its sections and their table")
	}
	return nil
}

func zeros(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// verify compares the sections with their checksums, largest first. A file that becomes unreadable meanwhile counts as damaged.
func (f *File) verify() error {
	todo := slices.Clone(f.sections)
	slices.SortFunc(todo, func(a, b section) int { return cmp.Compare(len(b.padded), len(a.padded)) })
	return parallel.Each(context.Background(), 0, len(todo), func(_ context.Context, i int) (err error) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if p := recover(); p != nil {
				err = f.damaged("section %q cannot be read: %v", todo[i].name, p)
			}
		}()
		if crc32.Checksum(todo[i].padded, castagnoli) != todo[i].sum {
			return f.damaged("the checksum of section %q is wrong", todo[i].name)
		}
		return nil
	})
}

func (f *File) damaged(format string, args ...any) error {
	return f.kind.damaged(f.path, format, args...)
}

// Fail reports that the columns of a file do not fit together. Err returns the first such report.
func (f *File) Fail(format string, args ...any) {
	if f.err == nil {
		f.err = f.damaged(format, args...)
	}
}

// Err is the first error in the columns. A reader of many columns checks it once.
func (f *File) Err() error { return f.err }

func (f *File) Size() int64 { return int64(len(f.data)) }

// Names lists the sections in the order of the file.
func (f *File) Names() []string {
	list := make([]string, len(f.sections))
	for i := range f.sections {
		list[i] = f.sections[i].name
	}
	return list
}

// AnyLength accepts a column of any length.
const AnyLength = -1

// Column is a section as a column of length elements. If it is missing or of another
// length, the file records an error and Column returns nil.
func Column[T any](f *File, name string, length int) []T {
	b, ok := f.named[name]
	column, whole := columnOf[T](b)
	if !ok || !whole || length >= 0 && len(column) != length {
		f.Fail("section %q is missing or has the wrong length", name)
		return nil
	}
	return column
}

// Close unmaps the file. Calling it again is harmless.
func (f *File) Close() error {
	if !f.unmap {
		return nil
	}
	f.unmap = false
	return unmap(f.data)
}

// Load opens the file of a name in a folder and makes an index of its columns. If
// read records an error in the file, Load closes the file and returns the error.
func Load[X any](dir, name string, k *Kind, read func(*File) X) (X, error) {
	f, err := Open(filepath.Join(dir, filepath.FromSlash(name)), k)
	return finish(f, err, read)
}

// InMemory is Load for a file that write writes to memory.
func InMemory[X any](k *Kind, write func(io.Writer) error, read func(*File) X) (x X, err error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return x, err
	}
	return FromBytes(k, b.Bytes(), read)
}

// FromBytes is Load for a file that is in memory.
func FromBytes[X any](k *Kind, data []byte, read func(*File) X) (X, error) {
	f, err := Read("memory", data, k)
	return finish(f, err, read)
}

func finish[X any](f *File, err error, read func(*File) X) (x X, _ error) {
	if err != nil {
		return x, err
	}
	made := read(f)
	if err := f.Err(); err != nil {
		_ = f.Close()
		return x, err
	}
	return made, nil
}

// Guard keeps a file mapped while questions read it. The zero Guard has no file.
type Guard struct {
	mu     sync.RWMutex // held for reading by every question, for writing by Close
	file   *File
	after  error // what Begin returns after Close
	closed bool
}

// Guarded guards a file. Questions after Close get the error.
func Guarded(f *File, after error) Guard { return Guard{file: f, after: after} }

// Begin admits a question. Every success is paired with End.
func (g *Guard) Begin() error {
	g.mu.RLock()
	if g.closed {
		g.mu.RUnlock()
		return g.after
	}
	return nil
}

func (g *Guard) End() { g.mu.RUnlock() }

// Close waits for the questions under way and unmaps the file. Calling it again is harmless.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.file == nil {
		return nil
	}
	g.closed = true
	return g.file.Close()
}

// Layout is a file that is read or written. An index lists its columns once, in a method that takes a Layout and serves both.
type Layout struct {
	From *File // nil when writing
	To   *Writer
}

// Field writes a column, or reads one of the given length.
func Field[T any](l Layout, name string, column *[]T, length int) {
	if l.From != nil {
		*column = Column[T](l.From, name, length)
	} else {
		Add(l.To, name, *column)
	}
}

// Check refuses a file that is read without an error so far if its columns do not fit together. A file that is written fits.
func (l Layout) Check(fits func() bool, format string, args ...any) {
	if l.From != nil && l.From.Err() == nil && !fits() {
		l.From.Fail(format, args...)
	}
}
