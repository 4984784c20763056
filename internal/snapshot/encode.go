package snapshot

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library splits rows value by value, asks a map for each value and compares all values for the bounds of every page. Here
// one field of many rows is taken at a time, repeated values are recognized, and the bounds of a column come from its
// dictionary. The encodings, the compression and the schema are the library's. There are bounds for each row group but no page
// index: row groups are small, and no reader of ours uses one.

const (
	// rowGroup is the number of rows in a row group: small enough to bound memory, large enough for dictionaries to pay.
	rowGroup = 128 << 10

	// stride is for how many rows one field is taken at a time. They are few enough to stay in the cache until the next field.
	stride = 256

	// pageSize is the number of bytes of values in a page.
	pageSize = 256 << 10
)

// compression is the fastest level. It takes half the time of the next level, and tables are a tenth larger.
var compression = zstd.Codec{Level: zstd.SpeedFastest}

// rowEncoder writes rows of one type as a Parquet file. Generic code knows the encoder by this interface alone: the types of
// the library are generic too, and every package that writes a table would compile all of them again.
type rowEncoder interface {
	// write writes n rows that are size bytes apart.
	write(rows unsafe.Pointer, size uintptr, n int) error
	// close writes the last row group and the footer.
	close() error
}

type encoder struct {
	out     io.Writer
	at      int64 // bytes written
	columns []columnEncoder
	rows    int // of the row group
	footer  format.FileMetaData
}

type columnEncoder interface {
	// take takes one field of n rows that are size bytes apart.
	take(rows unsafe.Pointer, size uintptr, n int) error
	// end finishes the row group and returns its pages, the dictionary first, with
	// their metadata. Offsets count from the first page.
	end() ([][]byte, format.ColumnMetaData, error)
}

const magic = "PAR1"

func newEncoder(out io.Writer, t reflect.Type) (rowEncoder, error) {
	schema := parquet.SchemaOf(reflect.New(t).Interface())
	e := &encoder{out: out, columns: make([]columnEncoder, len(schema.Columns()))}
	var page pageBuffers
	for i := range t.NumField() {
		at, c, err := newColumn(schema, t.Field(i), &page)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		e.columns[at] = c
	}
	// The library writes the schema of the footer.
	var empty bytes.Buffer
	w := parquet.NewGenericWriter[any](&empty, schema, parquet.CreatedBy("grantgraph", "1", "0"))
	if err := w.Close(); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		return nil, err
	}
	e.footer = *f.Metadata()
	return e, e.put([]byte(magic))
}

func newColumn(schema *parquet.Schema, field reflect.StructField, page *pageBuffers) (at int, c columnEncoder, err error) {
	name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
	name = cmp.Or(name, field.Name)
	path := []string{name}
	kind, shape := field.Type, inPlace
	switch kind.Kind() {
	case reflect.Pointer:
		kind, shape = kind.Elem(), byPointer
	case reflect.Slice:
		kind, shape = kind.Elem(), inList
		path = []string{name, "list", "element"}
	}
	leaf, ok := schema.Lookup(path...)
	if !ok || leaf.MaxDefinitionLevel > 1 || (leaf.MaxRepetitionLevel > 0) != (shape == inList) {
		return 0, nil, fmt.Errorf("the field %s cannot be written as a column", field.Name)
	}
	if shape == inPlace && leaf.MaxDefinitionLevel > 0 {
		shape = unlessZero
	}
	b := columnBase{field: field.Offset, shape: shape, page: page}
	b.meta.Type, b.meta.PathInSchema, b.meta.Codec = format.Type(leaf.Node.Type().Kind()), path, format.Zstd
	coded := leaf.Node.Encoding() != nil && leaf.Node.Encoding().Encoding() == format.RLEDictionary
	switch kind.Kind() {
	case reflect.String:
		c = newValues(b, coded, texts)
	case reflect.Bool:
		c = newValues(b, coded, truths)
	case reflect.Int32:
		c = newValues(b, coded, numbers[int32]())
	case reflect.Uint32:
		c = newValues(b, coded, numbers[uint32]())
	case reflect.Int64:
		c = newValues(b, coded, numbers[int64]())
	case reflect.Float64:
		c = newValues(b, coded, numbers[float64]())
	default:
		return 0, nil, fmt.Errorf("the field %s has a type that no column has", field.Name)
	}
	return leaf.ColumnIndex, c, nil
}

func (e *encoder) write(rows unsafe.Pointer, size uintptr, n int) error {
	for n > 0 {
		part := min(n, stride, rowGroup-e.rows)
		for _, c := range e.columns {
			if err := c.take(rows, size, part); err != nil {
				return err
			}
		}
		if n -= part; n > 0 {
			rows = unsafe.Add(rows, uintptr(part)*size)
		}
		if e.rows += part; e.rows == rowGroup {
			if err := e.endGroup(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *encoder) put(b []byte) error {
	n, err := e.out.Write(b)
	e.at += int64(n)
	return err
}

func (e *encoder) endGroup() error {
	g := format.RowGroup{NumRows: int64(e.rows), FileOffset: e.at, Ordinal: int16(len(e.footer.RowGroups))}
	for _, c := range e.columns {
		pages, meta, err := c.end()
		if err != nil {
			return err
		}
		meta.DataPageOffset += e.at
		if meta.Encoding[0] == format.RLEDictionary {
			meta.DictionaryPageOffset = e.at
		}
		for _, p := range pages {
			if err := e.put(p); err != nil {
				return err
			}
		}
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: meta})
		g.TotalByteSize += meta.TotalUncompressedSize
		g.TotalCompressedSize += meta.TotalCompressedSize
	}
	e.footer.RowGroups = append(e.footer.RowGroups, g)
	e.footer.NumRows += int64(e.rows)
	e.rows = 0
	return nil
}

func (e *encoder) close() error {
	if e.rows > 0 {
		if err := e.endGroup(); err != nil {
			return err
		}
	}
	body, err := thrift.Marshal(new(thrift.CompactProtocol), &e.footer)
	if err != nil {
		return err
	}
	body = binary.LittleEndian.AppendUint32(body, uint32(len(body)))
	return e.put(append(body, magic...))
}

// shape is how a field holds its value.
type shape uint8

const (
	inPlace    shape = iota
	unlessZero       // the zero value means null
	byPointer
	inList
	shared // by a pointer to a value that rows have in common; only for reading
)

type columnBase struct {
	field uintptr // its offset in the row
	shape shape

	definitions []byte // of the page: whether there is a value
	repetitions []byte // of the page: whether it is in the same row as the previous value
	rows, nulls int    // of the page

	page  *pageBuffers
	pages [][]byte // of the row group
	meta  format.ColumnMetaData
}

// pageBuffers are the buffers for making a page. The columns of a table share them.
type pageBuffers struct{ levels, values, packed []byte }

// values makes the pages of a column whose values have type V.
type values[V comparable] struct {
	columnBase
	codec[V]

	list  []V // of the page, for a column without a dictionary
	bytes int // size of the values waiting for the page
	some  bool
	least V // of the row group
	most  V

	numbers []int32        // of the page, into the dictionary
	dict    *dictionary[V] // nil for a column without a dictionary
	last    V              // the previous value, and its number
	lastNo  int32
}

func newValues[V comparable](b columnBase, coded bool, c codec[V]) *values[V] {
	v := &values[V]{columnBase: b, codec: c}
	v.meta.Encoding = thrift.Slice[format.Encoding]{c.encoding}
	if coded {
		v.dict = &dictionary[V]{hash: c.hash}
		v.meta.Encoding = thrift.Slice[format.Encoding]{format.RLEDictionary, format.Plain}
	}
	if b.shape != inPlace {
		v.meta.Encoding = append(v.meta.Encoding, format.RLE)
	}
	return v
}

func (v *values[V]) take(rows unsafe.Pointer, size uintptr, n int) error {
	var zero V
	before := len(v.list)
	at := unsafe.Add(rows, v.field)
	for i := range n {
		if i > 0 {
			at = unsafe.Add(at, size)
		}
		switch v.shape {
		case inPlace:
			v.add(*(*V)(at))
		case unlessZero:
			if value := *(*V)(at); value != zero {
				v.definitions = append(v.definitions, 1)
				v.add(value)
			} else {
				v.addNull()
			}
		case byPointer:
			if value := *(**V)(at); value != nil {
				v.definitions = append(v.definitions, 1)
				v.add(*value)
			} else {
				v.addNull()
			}
		case inList:
			v.addList(*(*[]V)(at))
		}
	}
	v.rows += n
	v.bytes += v.size(v.list[before:])
	if v.bytes+4*len(v.numbers)+len(v.definitions) >= pageSize {
		return v.endPage()
	}
	return nil
}

func (v *values[V]) add(value V) {
	if v.dict == nil {
		v.list = append(v.list, value)
		return
	}
	if value != v.last || len(v.dict.words) == 0 {
		v.last, v.lastNo = value, v.dict.number(value)
	}
	v.numbers = append(v.numbers, v.lastNo)
}

func (v *values[V]) addNull() {
	v.definitions = append(v.definitions, 0)
	v.nulls++
}

func (v *values[V]) addList(list []V) {
	if len(list) == 0 {
		v.repetitions = append(v.repetitions, 0)
		v.addNull()
		return
	}
	for i, value := range list {
		v.repetitions = append(v.repetitions, byte(min(i, 1)))
		v.definitions = append(v.definitions, 1)
		v.add(value)
	}
}

func (v *values[V]) bound(list []V) {
	if len(list) == 0 {
		return
	}
	if !v.some {
		v.some, v.least, v.most = true, list[0], list[0]
	}
	v.least, v.most = v.widen(v.least, v.most, list)
}

// addLevels encodes repetition or definition levels of 0 and 1 and returns their size in bytes.
func (p *pageBuffers) addLevels(list []byte) (int, error) {
	if len(list) == 0 {
		return 0, nil
	}
	b, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, list)
	p.levels = append(p.levels, b...)
	return len(b), err
}

func (v *values[V]) endPage() error {
	if v.rows == 0 {
		return nil
	}
	p := v.page
	p.levels = p.levels[:0]
	repetitions, err := p.addLevels(v.repetitions)
	if err != nil {
		return err
	}
	definitions, err := p.addLevels(v.definitions)
	if err != nil {
		return err
	}
	if v.dict != nil {
		p.values, err = parquet.RLEDictionary.EncodeInt32(p.values[:0], v.numbers)
	} else {
		v.bound(v.list)
		p.values, err = v.encode(p.values[:0], v.list)
	}
	if err != nil {
		return err
	}
	count := len(v.list) + len(v.numbers) + v.nulls
	header := format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: int32(count), NumNulls: int32(v.nulls), NumRows: int32(v.rows), Encoding: v.meta.Encoding[0],
		DefinitionLevelsByteLength: int32(definitions), RepetitionLevelsByteLength: int32(repetitions),
		IsCompressed: thrift.New(true),
	})}
	if err := v.addPage(&header); err != nil {
		return err
	}
	v.meta.NumValues += int64(count)
	v.meta.Statistics.NullCount += int64(v.nulls)
	clear(v.list) // frees the memory that the values refer to
	v.list, v.numbers, v.definitions, v.repetitions = v.list[:0], v.numbers[:0], v.definitions[:0], v.repetitions[:0]
	v.bytes, v.rows, v.nulls = 0, 0, 0
	return nil
}

// addPage adds the page in the buffers to the row group: a header, the uncompressed levels and the compressed values.
func (b *columnBase) addPage(header *format.PageHeader) (err error) {
	p := b.page
	if p.packed, err = compression.Encode(p.packed, p.values); err != nil {
		return err
	}
	if len(p.levels)+len(p.values) > math.MaxInt32 || len(p.levels)+len(p.packed) > math.MaxInt32 {
		return fmt.Errorf("a page of %s is too large", strings.Join(b.meta.PathInSchema, "."))
	}
	header.UncompressedPageSize = int32(len(p.levels) + len(p.values))
	header.CompressedPageSize = int32(len(p.levels) + len(p.packed))
	header.CRC = int32(crc32.Update(crc32.ChecksumIEEE(p.levels), crc32.IEEETable, p.packed))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if err != nil {
		return err
	}
	b.pages = append(b.pages, slices.Concat(head, p.levels, p.packed))
	b.meta.TotalUncompressedSize += int64(len(head)) + int64(header.UncompressedPageSize)
	b.meta.TotalCompressedSize += int64(len(head)) + int64(header.CompressedPageSize)
	return nil
}

func (v *values[V]) end() ([][]byte, format.ColumnMetaData, error) {
	if err := v.endPage(); err != nil {
		return nil, v.meta, err
	}
	if v.dict != nil {
		if err := v.addDictionary(); err != nil {
			return nil, v.meta, err
		}
	}
	if v.some && v.least == v.least { // NaN is no bound
		v.meta.Statistics.MinValue, v.meta.Statistics.MaxValue = boundOf(v.least), boundOf(v.most)
	}
	pages, meta := v.pages, v.meta
	v.pages, v.some = nil, false
	v.meta = format.ColumnMetaData{Type: meta.Type, Encoding: meta.Encoding, PathInSchema: meta.PathInSchema, Codec: meta.Codec}
	return pages, meta, nil
}

// addDictionary puts the dictionary before the pages and resets it.
func (v *values[V]) addDictionary() (err error) {
	data, size := v.pages, v.meta.TotalCompressedSize
	v.pages = nil
	header := format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(len(v.dict.words)), Encoding: format.Plain,
	})}
	v.page.levels = v.page.levels[:0]
	if v.page.values, err = v.plain(v.page.values[:0], v.dict.words); err != nil {
		return err
	}
	if err := v.addPage(&header); err != nil {
		return err
	}
	v.pages = append(v.pages, data...)
	v.meta.DataPageOffset = v.meta.TotalCompressedSize - size
	v.bound(v.dict.words)
	v.dict.reset()
	return nil
}
