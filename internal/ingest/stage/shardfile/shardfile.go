// Package shardfile is the format of the tables of a staged shard. A table is written once and read by several steps of every
// later build, each of which needs a few of its columns. So rows lie in blocks, and each column of a block is packed by itself.
//
// A row is a struct. Its fields, those of embedded structs included, are the columns, under their Go names; a
// row that is read may have fewer of them than the one that was written.
//
//	file    magic, uint32 length of the header, header, blocks
//	header  for each column: kind, length of the name, name
//	block   uint32 rows, for each column the uint32 length when packed; the columns
//
// A file ends with a block of no rows, so that a reader notices a file that was cut off.
package shardfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/s2"

	"grantgraph/internal/ingest/source/irs990"
)

const (
	magic = "shard table 1\n"

	// A block is complete when it has so many bytes or rows: large enough that
	// packing pays, small enough that a reader holds little.
	blockBytes = 4 << 20
	blockRows  = 64 << 10
)

// kind is what a column holds, and how it is written.
type kind byte

const (
	text     kind = 's' // string: its length and its bytes
	texts    kind = 'l' // []string: how many, and each as a text
	flag     kind = 'b' // bool: a byte
	int32s   kind = 'i' // numbers: the difference from the one before
	uint32s  kind = 'u'
	int64s   kind = 'n'
	optional kind = 'o' // irs990.Amount: 0, or 1 and the number
)

var kinds = map[reflect.Type]kind{
	reflect.TypeFor[string]():        text,
	reflect.TypeFor[[]string]():      texts,
	reflect.TypeFor[bool]():          flag,
	reflect.TypeFor[int32]():         int32s,
	reflect.TypeFor[uint32]():        uint32s,
	reflect.TypeFor[int64]():         int64s,
	reflect.TypeFor[irs990.Amount](): optional,
}

type field struct {
	name   string
	kind   kind
	offset uintptr
}

var known sync.Map // columns by row type

func fieldsOf[T any]() []field {
	t := reflect.TypeFor[T]()
	fields, ok := known.Load(t)
	if !ok {
		fields, _ = known.LoadOrStore(t, listFields(t))
	}
	return fields.([]field)
}

// listFields lists the columns of a row type. It panics if a field cannot be a column.
func listFields(t reflect.Type) []field {
	var fields []field
	for f := range t.Fields() {
		if f.Anonymous {
			for _, inner := range listFields(f.Type) {
				inner.offset += f.Offset
				fields = append(fields, inner)
			}
			continue
		}
		k, ok := kinds[f.Type]
		if !ok {
			panic(fmt.Sprintf("shardfile: the field %s of %s cannot be a column", f.Name, t))
		}
		fields = append(fields, field{f.Name, k, f.Offset})
	}
	return fields
}

// Own gives a row texts of its own. Texts that were read share the memory of their
// block, and a single text that is kept would keep the whole block.
func Own[T any](row *T) {
	for _, f := range fieldsOf[T]() {
		at := unsafe.Add(unsafe.Pointer(row), f.offset)
		switch f.kind {
		case text:
			s := (*string)(at)
			*s = strings.Clone(*s)
		case texts:
			for i, s := range *(*[]string)(at) {
				(*(*[]string)(at))[i] = strings.Clone(s)
			}
		}
	}
}

type Writer[T any] struct {
	out     io.Writer
	columns []column
	rows    int    // of the block
	block   []byte // the block when packed
	begun   bool   // the header is written
}

type column struct {
	field
	raw  []byte
	last int64 // the number before
}

// NewWriter makes a writer, which Reset gives something to write to.
func NewWriter[T any]() *Writer[T] {
	w := &Writer[T]{}
	for _, f := range fieldsOf[T]() {
		w.columns = append(w.columns, column{field: f})
	}
	return w
}

// Reset begins a table, which is written to out in large pieces. The memory of the last one is used again.
func (w *Writer[T]) Reset(out io.Writer) {
	w.out, w.rows, w.begun = out, 0, false
	for i := range w.columns {
		c := &w.columns[i]
		c.raw, c.last = c.raw[:0], 0
	}
}

// Add appends a row. Nothing of it is kept.
func (w *Writer[T]) Add(row *T) error {
	size := 0
	for i := range w.columns {
		c := &w.columns[i]
		c.add(unsafe.Add(unsafe.Pointer(row), c.offset))
		size += len(c.raw)
	}
	w.rows++
	if w.rows < blockRows && size < blockBytes {
		return nil
	}
	return w.flush()
}

// Close ends the table. It does not close what is written to.
func (w *Writer[T]) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.flush() // the block of no rows
}

func (w *Writer[T]) flush() error {
	b := w.block[:0]
	if !w.begun {
		b, w.begun = w.appendHeader(b), true
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(w.rows))
	lengths := len(b)
	b = append(b, make([]byte, 4*len(w.columns))...)
	for i := range w.columns {
		c := &w.columns[i]
		start := len(b)
		b = appendPacked(b, c.raw)
		binary.LittleEndian.PutUint32(b[lengths+4*i:], uint32(len(b)-start))
		c.raw, c.last = c.raw[:0], 0
	}
	w.rows, w.block = 0, b
	_, err := w.out.Write(b)
	return err
}

func (w *Writer[T]) appendHeader(b []byte) []byte {
	var header []byte
	for i := range w.columns {
		c := &w.columns[i]
		header = append(header, byte(c.kind))
		header = appendText(header, c.name)
	}
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	return append(b, header...)
}

// appendPacked packs a column. One without rows is nothing.
func appendPacked(b, raw []byte) []byte {
	if len(raw) == 0 {
		return b
	}
	start := len(b)
	if most := s2.MaxEncodedLen(len(raw)); cap(b)-start < most {
		b = append(make([]byte, 0, 2*cap(b)+most), b...)
	}
	return b[:start+len(s2.Encode(b[start:cap(b)], raw))]
}

func (c *column) add(at unsafe.Pointer) {
	switch c.kind {
	case text:
		c.raw = appendText(c.raw, *(*string)(at))
	case texts:
		list := *(*[]string)(at)
		c.raw = binary.AppendUvarint(c.raw, uint64(len(list)))
		for _, s := range list {
			c.raw = appendText(c.raw, s)
		}
	case flag:
		b := byte(0)
		if *(*bool)(at) {
			b = 1
		}
		c.raw = append(c.raw, b)
	case int32s:
		c.addNumber(int64(*(*int32)(at)))
	case uint32s:
		c.addNumber(int64(*(*uint32)(at)))
	case int64s:
		c.addNumber(*(*int64)(at))
	case optional:
		if a := (*irs990.Amount)(at); a.Set {
			c.raw = binary.AppendVarint(append(c.raw, 1), a.Value)
		} else {
			c.raw = append(c.raw, 0)
		}
	}
}

func (c *column) addNumber(n int64) {
	c.raw = binary.AppendVarint(c.raw, n-c.last)
	c.last = n
}

func appendText(b []byte, s string) []byte {
	if len(s) < 1<<7 {
		b = append(b, byte(len(s)))
	} else {
		b = binary.AppendUvarint(b, uint64(len(s)))
	}
	return append(b, s...)
}
