// Package mapped is the format of the files that are served from mapped memory, such as the graph and the search index. A file
// is a list of named sections. Each is a column of numbers or small records that is used in place, without a copy.
//
//	  0  head, 64 bytes: the magic of 8 bytes, which names the kind of file
//	     and its version, and zeros
//	 64  the sections, one after the other, each padded with zeros to a
//	     multiple of 64 bytes
//	     table, 64 bytes for each section:
//	        0  name, padded with zeros to 40 bytes
//	       40  offset of the section, uint64
//	       48  length without its padding, uint64
//	       56  checksum of the section and its padding, uint32
//	       60  zero, uint32
//	-64  tail, 64 bytes:
//	        0  size of the file, uint64
//	        8  offset of the table, uint64
//	       16  number of sections, uint32
//	       20  checksum of head, table and tail, without this field, uint32
//	       24  zeros
//
// The table stands at the end so that a file is written in one pass, sections of any size included. Numbers
// are little-endian and records are laid out as Go does on 64-bit machines; a big-endian machine neither
// writes nor opens such a file, and says so. Checksums are CRC-32C and cover every byte. All of them are
// compared when a file is opened, on all cores; this also brings the file into memory. A checksum cannot show
// whether the numbers make sense together: the package that opens a kind of file checks that.
//
// Files are written through a snapshot's writer, which makes them complete and durable or leaves nothing.
package mapped

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"strings"
	"unsafe"

	"grantgraph/internal/fault"
)

const (
	alignment = 64
	headSize  = alignment
	entrySize = 64
	nameSize  = 40
	tailSize  = 64
	tailSum   = 20 // offset of the checksum in the tail
)

// Kind is a kind of file at one version.
type Kind struct {
	Magic string // eight bytes; the last is the version
	Name  string // in messages: "graph index"

	// Slugs of errors: the file is missing, of another version or kind, or damaged.
	Missing, Version, Damaged string
}

// Unusable reports whether an error means that a file of the kind is missing, of another version, or damaged.
func (k *Kind) Unusable(err error) bool {
	f, ok := fault.Of(err)
	return ok && (f.Slug == k.Missing || f.Slug == k.Version || f.Slug == k.Damaged)
}

func (k *Kind) damaged(path, format string, args ...any) error {
	return fault.New(k.Damaged, "the %s %s cannot be used: %s", k.Name, path, fmt.Sprintf(format, args...)).
		Try("build the snapshot again; the sources are untouched")
}

// littleEndian reports whether numbers in memory have the byte order of files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// checkMachine refuses a machine that cannot use files in place.
func checkMachine() error {
	if !littleEndian {
		return fault.New("byte_order", "this machine is big-endian, and index files are mapped as little-endian numbers").
			Try("run on a little-endian machine, such as amd64 or arm64")
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headSum is the checksum of the parts outside of sections.
func headSum(head, table, tail []byte) uint32 {
	sum := crc32.Checksum(head, castagnoli)
	for _, b := range [][]byte{table, tail[:tailSum], tail[tailSum+4:]} {
		sum = crc32.Update(sum, castagnoli, b)
	}
	return sum
}

func validName(name string) bool {
	return name != "" && len(name) <= nameSize && !strings.Contains(name, "\x00")
}

func align(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// bytesOf views a column as bytes, without copying.
func bytesOf[T any](column []T) []byte {
	mustBePlain[T]()
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), len(column)*int(unsafe.Sizeof(column[0])))
}

// columnOf views bytes as a column, if they are a whole number of elements.
func columnOf[T any](b []byte) (column []T, ok bool) {
	mustBePlain[T]()
	size := int(unsafe.Sizeof(*new(T)))
	if len(b)%size != 0 {
		return nil, false
	}
	if len(b) == 0 {
		return nil, true
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size), true
}

// mustBePlain panics unless T is a number of fixed size or consists of such numbers
// without gaps. Anything else in a column is a bug.
func mustBePlain[T any]() {
	if t := reflect.TypeFor[T](); t.Size() == 0 || plainSize(t) != t.Size() || alignment%t.Align() != 0 {
		panic("mapped: a column cannot hold " + t.String())
	}
}

// plainSize is the total size of the numbers in a type, without gaps.
func plainSize(t reflect.Type) (size uintptr) {
	switch t.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		return t.Size()
	case reflect.Array:
		return uintptr(t.Len()) * plainSize(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			size += plainSize(t.Field(i).Type)
		}
	}
	return size
}

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
