package shardfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/s2"

	"grantgraph/internal/ingest/source/irs990"
)

// batchRows is how many rows are put together at a time: few enough that they stay in the cache until they are used.
const batchRows = 256

// Bounds on what a file can make a reader hold, whoever wrote it.
const (
	maxHeader = 64 << 10
	maxBlock  = 8 * blockBytes // the columns that are read, unpacked: one row may be larger than a block
	maxTexts  = 4 << 10        // of one list
)

// Read reads a table. The sequence ends with an error when the file is missing
// or damaged. The texts of a row share the memory of its block; see Own.
func Read[T any](path string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			var zero T
			yield(zero, err)
			return
		}
		defer f.Close()
		rowsOf[T](f)(yield)
	}
}

func rowsOf[T any](in io.ReaderAt) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		r := reader{in: in}
		if err := r.begin(fieldsOf[T]()); err != nil {
			yield(zero, err)
			return
		}
		rows := make([]T, batchRows)
		for {
			left, err := r.next()
			for ; left > 0; left -= len(rows) {
				rows = rows[:min(left, batchRows)]
				if err = r.fill(unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(zero), len(rows)); err != nil {
					break
				}
				for i := range rows {
					if !yield(rows[i], nil) {
						return
					}
				}
			}
			rows = rows[:cap(rows)]
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(zero, err)
				return
			}
		}
	}
}

type reader struct {
	in     io.ReaderAt
	at     int64   // what is read next
	starts []int64 // of the columns of the file, in this block
	wanted []wantedColumn
	head   []byte // of the block
	packed []byte // the column that is unpacked
}

// wantedColumn is a column that is read, and its block.
type wantedColumn struct {
	field
	index int    // among the columns of the file
	raw   []byte // the block, whose memory is used again unless texts share it
	rest  string // what was not yet taken of it
	last  int64  // the number before
}

var errDamaged = errors.New("is damaged")

func (r *reader) begin(fields []field) error {
	var start [len(magic) + 4]byte
	if err := r.read(start[:]); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(start[len(magic):])
	if string(start[:len(magic)]) != magic || size > maxHeader {
		return errors.New("is not a table of a shard")
	}
	header := make([]byte, size)
	if err := r.read(header); err != nil {
		return err
	}
	var columns []field
	for c := (wantedColumn{rest: string(header)}); c.rest != ""; {
		k := kind(c.rest[0])
		c.rest = c.rest[1:]
		name, err := c.text()
		if err != nil {
			return err
		}
		columns = append(columns, field{name: name, kind: k})
	}
	r.starts, r.head = make([]int64, len(columns)), make([]byte, 4+4*len(columns))
	for _, f := range fields {
		i := slices.IndexFunc(columns, func(c field) bool { return c.name == f.name && c.kind == f.kind })
		if i < 0 {
			return fmt.Errorf("has no column %s", f.name)
		}
		r.wanted = append(r.wanted, wantedColumn{field: f, index: i})
	}
	return nil
}

func (r *reader) read(p []byte) error {
	n, err := r.in.ReadAt(p, r.at)
	r.at += int64(n)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return errors.New("ends too early")
	}
	return err
}

// next turns to the next block and says how many rows it has. The error is io.EOF at the end.
func (r *reader) next() (rows int, err error) {
	if err := r.read(r.head); err != nil {
		return 0, err
	}
	if rows = int(binary.LittleEndian.Uint32(r.head)); rows == 0 {
		return 0, io.EOF
	}
	if rows > blockRows {
		return 0, errDamaged
	}
	end := r.at
	for i := range r.starts {
		r.starts[i] = end
		end += r.length(i)
	}
	room := maxBlock
	for i := range r.wanted {
		c := &r.wanted[i]
		r.at = r.starts[c.index]
		if err := r.unpack(c, room); err != nil {
			return 0, err
		}
		room -= len(c.raw)
	}
	r.at = end
	return rows, nil
}

func (r *reader) length(i int) int64 { return int64(binary.LittleEndian.Uint32(r.head[4+4*i:])) }

// unpack reads the block of a column, which takes no more than there is room for.
func (r *reader) unpack(c *wantedColumn, room int) error {
	size := r.length(c.index)
	if size > int64(s2.MaxEncodedLen(room)) {
		return errDamaged
	}
	r.packed = slices.Grow(r.packed[:0], int(size))[:size]
	if err := r.read(r.packed); err != nil {
		return err
	}
	if n, err := s2.DecodedLen(r.packed); err != nil || n > room {
		return errDamaged
	}
	if c.kind == text || c.kind == texts {
		c.raw = nil
	}
	var err error
	if c.raw, err = s2.Decode(c.raw[:cap(c.raw)], r.packed); err != nil {
		return errDamaged
	}
	c.rest, c.last = unsafe.String(unsafe.SliceData(c.raw), len(c.raw)), 0
	return nil
}

// fill sets the fields of n rows, which lie size bytes from each other.
func (r *reader) fill(rows unsafe.Pointer, size uintptr, n int) error {
	for i := range r.wanted {
		c := &r.wanted[i]
		for row := range n {
			if err := c.take(unsafe.Add(rows, uintptr(row)*size+c.offset)); err != nil {
				return err
			}
		}
	}
	return nil
}

// take moves the next value of the block to a place.
func (c *wantedColumn) take(at unsafe.Pointer) (err error) {
	switch c.kind {
	case text:
		*(*string)(at), err = c.text()
	case texts:
		*(*[]string)(at), err = c.texts()
	case flag:
		var b byte
		b, err = c.byte()
		*(*bool)(at) = b != 0
	case int32s:
		err = c.number()
		*(*int32)(at) = int32(c.last)
	case uint32s:
		err = c.number()
		*(*uint32)(at) = uint32(c.last)
	case int64s:
		err = c.number()
		*(*int64)(at) = c.last
	case optional:
		*(*irs990.Amount)(at), err = c.optional()
	}
	return err
}

func (c *wantedColumn) byte() (byte, error) {
	if c.rest == "" {
		return 0, errDamaged
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b, nil
}

// uvarint is binary.Uvarint for a string.
func (c *wantedColumn) uvarint() (n uint64, err error) {
	for i := 0; i < len(c.rest) && i < binary.MaxVarintLen64; i++ {
		b := c.rest[i]
		if n |= uint64(b&0x7f) << (7 * i); b < 0x80 {
			c.rest = c.rest[i+1:]
			return n, nil
		}
	}
	return 0, errDamaged
}

func (c *wantedColumn) varint() (int64, error) {
	u, err := c.uvarint()
	return int64(u>>1) ^ -int64(u&1), err
}

// number sets last to the next number.
func (c *wantedColumn) number() error {
	d, err := c.varint()
	c.last += d
	return err
}

func (c *wantedColumn) optional() (a irs990.Amount, err error) {
	there, err := c.byte()
	if err != nil || there == 0 {
		return a, err
	}
	a.Set = true
	a.Value, err = c.varint()
	return a, err
}

func (c *wantedColumn) text() (string, error) {
	n, err := c.uvarint()
	if err != nil || n > uint64(len(c.rest)) {
		return "", errDamaged
	}
	s := c.rest[:n]
	c.rest = c.rest[n:]
	return s, nil
}

func (c *wantedColumn) texts() ([]string, error) {
	n, err := c.uvarint()
	if err != nil || n > maxTexts {
		return nil, errDamaged
	}
	list := make([]string, n)
	for i := range list {
		if list[i], err = c.text(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
