package mapped

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Writer writes a file in one pass. It keeps the first error, stops writing and returns the error from Close.
type Writer struct {
	out     io.Writer
	written uint64
	head    []byte
	table   []byte
	names   map[string]bool
	begun   bool   // a section is open
	begin   uint64 // offset of the open section
	sum     uint32 // checksum of the open section
	err     error
}

func NewWriter(out io.Writer, k *Kind) *Writer {
	w := &Writer{out: out, head: make([]byte, headSize), names: make(map[string]bool), err: checkMachine()}
	if copy(w.head, k.Magic); len(k.Magic) != 8 {
		w.Fail(fmt.Errorf("the magic %q is not of eight bytes", k.Magic))
	}
	w.put(w.head)
	return w
}

// Fail gives up the file with an error of the caller.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) put(b []byte) {
	if w.err != nil || len(b) == 0 {
		return
	}
	n, err := w.out.Write(b)
	w.written += uint64(n)
	w.Fail(err)
}

// Begin begins a section. Later writes go into it.
func (w *Writer) Begin(name string) {
	w.end()
	if !validName(name) || w.names[name] {
		w.Fail(fmt.Errorf("a file cannot have a section, or another one, of the name %q", name))
	}
	w.names[name] = true
	entry := make([]byte, entrySize)
	copy(entry, name)
	w.table = append(w.table, entry...)
	w.begun, w.begin, w.sum = true, w.written, 0
}

func (w *Writer) Write(b []byte) (int, error) {
	if !w.begun {
		w.Fail(errors.New("something is written outside of a section"))
	}
	if w.put(b); w.err != nil {
		return 0, w.err
	}
	w.sum = crc32.Update(w.sum, castagnoli, b)
	return len(b), nil
}

// end pads the section and fills in its entry.
func (w *Writer) end() {
	if !w.begun || w.err != nil {
		return
	}
	entry := w.table[len(w.table)-entrySize:]
	binary.LittleEndian.PutUint64(entry[nameSize:], w.begin)
	binary.LittleEndian.PutUint64(entry[nameSize+8:], w.written-w.begin)
	_, _ = w.Write(make([]byte, align(w.written)-w.written))
	binary.LittleEndian.PutUint32(entry[nameSize+16:], w.sum)
	w.begun = false
}

// Add writes a whole section. T is a number of fixed size, or a record of such numbers without gaps.
func Add[T any](w *Writer, name string, column []T) {
	w.Begin(name)
	_, _ = w.Write(bytesOf(column))
}

// Append adds elements to the open section, for a column written as its elements come.
func Append[T any](w *Writer, elements ...T) error {
	_, err := w.Write(bytesOf(elements))
	return err
}

// Close finishes the file and returns the first error. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.end()
	count := uint64(len(w.table) / entrySize)
	if count > math.MaxUint32 {
		w.Fail(errors.New("a file cannot have so many sections"))
	}
	tail := make([]byte, tailSize)
	binary.LittleEndian.PutUint64(tail, w.written+uint64(len(w.table))+tailSize)
	binary.LittleEndian.PutUint64(tail[8:], w.written)
	binary.LittleEndian.PutUint32(tail[16:], uint32(count))
	binary.LittleEndian.PutUint32(tail[tailSum:], headSum(w.head, w.table, tail))
	w.put(w.table)
	w.put(tail)
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("the file is closed")
	return nil
}
