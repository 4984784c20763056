package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync/atomic"
	"unsafe"

	"grantgraph/internal/fault"
)

// The index is one file: a header, a table of named sections, and the
// sections, each aligned so that it can be used in place as a slice of its
// element type. Every section carries a checksum which is verified when the
// file is opened; after that its numbers are trusted as indexes.
//
//	0   magic, 8 bytes
//	8   byte order mark, uint32
//	12  number of sections, uint32
//	16  rows, uint64
//	24  size of the file, uint64
//	32  checksum of bytes 0 to 31 and of the section table, uint32
//	64  section table: name 24 bytes, offset, length uint64, checksum uint32, zero uint32
const (
	magic      = "GGgraph2"
	orderMark  = 0x01020304
	headSize   = 64
	entrySize  = 48
	nameSize   = 24
	alignment  = 64
	maxEntries = 256
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// section is a named part of the file.
type section struct {
	name string
	data []byte
}

// raw views a slice of fixed-size numbers as bytes, without copying.
func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// writeSections writes the whole file.
func writeSections(w io.Writer, rows int, sections []section) error {
	table := make([]byte, entrySize*len(sections))
	at := align(headSize + len(table))
	for i, s := range sections {
		e := table[i*entrySize:]
		if len(s.name) > nameSize {
			return fmt.Errorf("section name %q is too long", s.name)
		}
		copy(e, s.name)
		binary.NativeEndian.PutUint64(e[24:], uint64(at))
		binary.NativeEndian.PutUint64(e[32:], uint64(len(s.data)))
		binary.NativeEndian.PutUint32(e[40:], crc32.Checksum(s.data, castagnoli))
		at = align(at + len(s.data))
	}
	head := make([]byte, headSize)
	copy(head, magic)
	binary.NativeEndian.PutUint32(head[8:], orderMark)
	binary.NativeEndian.PutUint32(head[12:], uint32(len(sections)))
	binary.NativeEndian.PutUint64(head[16:], uint64(rows))
	binary.NativeEndian.PutUint64(head[24:], uint64(at))
	binary.NativeEndian.PutUint32(head[32:], headSum(head, table))

	var pad [alignment]byte
	written := 0
	put := func(b []byte) error {
		n, err := w.Write(b)
		written += n
		return err
	}
	fill := func() error { return put(pad[:align(written)-written]) }
	for _, b := range [][]byte{head, table} {
		if err := put(b); err != nil {
			return err
		}
	}
	if err := fill(); err != nil {
		return err
	}
	for _, s := range sections {
		if err := put(s.data); err != nil {
			return err
		}
		if err := fill(); err != nil {
			return err
		}
	}
	return nil
}

func headSum(head, table []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:32], castagnoli), castagnoli, table)
}

// columns are the sections of an opened file.
type columns struct {
	path  string
	rows  int
	named map[string][]byte
	err   error // the first section that is missing or has the wrong size
}

// Damaged is the slug of the error for an index that is not as it was written.
const Damaged = "graph_damaged"

func damaged(path, format string, args ...any) error {
	return fault.New(Damaged, "%s cannot be used: %s", path, fmt.Sprintf(format, args...)).
		Try("build the snapshot again; the sources are untouched")
}

// readColumns checks the file and finds its sections. The data must stay
// mapped as long as the columns are in use.
func readColumns(path string, data []byte) (*columns, error) {
	if len(data) < headSize || string(data[:8]) != magic {
		return nil, fault.New("graph_version", "%s is not a graph index of this version", path).Try("build the snapshot again; the sources are untouched")
	}
	if binary.NativeEndian.Uint32(data[8:]) != orderMark {
		return nil, damaged(path, "it was written by a machine with another byte order")
	}
	count := int(binary.NativeEndian.Uint32(data[12:]))
	rows := binary.NativeEndian.Uint64(data[16:])
	if size := binary.NativeEndian.Uint64(data[24:]); size != uint64(len(data)) {
		return nil, damaged(path, "it has %d bytes, %d were written", len(data), size)
	}
	if count > maxEntries || headSize+count*entrySize > len(data) || rows > maxRows {
		return nil, damaged(path, "its header is broken")
	}
	table := data[headSize : headSize+count*entrySize]
	if headSum(data, table) != binary.NativeEndian.Uint32(data[32:]) {
		return nil, damaged(path, "the checksum of its header is wrong")
	}
	c := &columns{path: path, rows: int(rows), named: make(map[string][]byte, count)}
	sums := make([]uint32, count)
	sections := make([]section, count)
	for i := range sections {
		e := table[i*entrySize:][:entrySize]
		name := string(bytes.TrimRight(e[:nameSize], "\x00"))
		off, n := binary.NativeEndian.Uint64(e[24:]), binary.NativeEndian.Uint64(e[32:])
		if off > uint64(len(data)) || n > uint64(len(data))-off || off%alignment != 0 {
			return nil, damaged(path, "section %s lies outside of it", name)
		}
		sections[i] = section{name, data[off : off+n : off+n]}
		sums[i] = binary.NativeEndian.Uint32(e[40:])
		c.named[name] = sections[i].data
	}
	if name, ok := verify(sections, sums); !ok {
		return nil, damaged(path, "the checksum of section %s is wrong", name)
	}
	return c, nil
}

// verify compares the sections with their checksums and names one that is
// wrong. Reading everything once also brings the file into the page cache.
func verify(sections []section, sums []uint32) (wrong string, ok bool) {
	var bad atomic.Pointer[section]
	_ = parallel(context.Background(), 0, len(sections), 1, func(i, _ int) {
		if crc32.Checksum(sections[i].data, castagnoli) != sums[i] {
			bad.Store(&sections[i])
		}
	})
	if s := bad.Load(); s != nil {
		return s.name, false
	}
	return "", true
}

// anyLen asks for a section of whatever length.
const anyLen = -1

// column views a section as a slice of T with the given length. A mismatch is
// kept in c.err, so that a caller checks once after the last column.
func column[T any](c *columns, name string, want int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	b, ok := c.named[name]
	if !ok || len(b)%size != 0 || want >= 0 && len(b)/size != want {
		if c.err == nil {
			c.err = damaged(c.path, "section %s is missing or has the wrong size", name)
		}
		return make([]T, max(want, 0))
	}
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size)
}

// maxRows leaves room for a row number to be a uint32 with a spare value, and
// for the end of a block of rows after the last.
const maxRows = math.MaxUint32 - blockRows
