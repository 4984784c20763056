package shardfile

import (
	"encoding/binary"
	"io"
	"unsafe"

	"github.com/klauspost/compress/s2"

	"grantgraph/internal/ingest/source/irs990"
)

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
