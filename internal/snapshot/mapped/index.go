package mapped

import (
	"bytes"
	"io"
	"path/filepath"
	"sync"
)

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
