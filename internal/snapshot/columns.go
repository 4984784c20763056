package snapshot

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// The library puts rows together value by value, by reflection, which takes
// most of the time of whoever goes through a table. Here each column is decoded
// page by page straight into its field of the rows. Row types whose fields are
// strings, numbers, truth values, pointers to numbers and lists of strings can
// be read so; other ones are left to the library.

// columnKind is what a field is made of.
type columnKind uint8

const (
	stringColumn columnKind = iota
	boolColumn
	int32Column // and uint32
	int64Column
	floatColumn
	int64Pointer
	floatPointer
	stringList
)

var columnTypes = map[reflect.Type]struct {
	kind   columnKind
	stored parquet.Kind
}{
	reflect.TypeFor[string]():   {stringColumn, parquet.ByteArray},
	reflect.TypeFor[bool]():     {boolColumn, parquet.Boolean},
	reflect.TypeFor[int32]():    {int32Column, parquet.Int32},
	reflect.TypeFor[uint32]():   {int32Column, parquet.Int32},
	reflect.TypeFor[int64]():    {int64Column, parquet.Int64},
	reflect.TypeFor[float64]():  {floatColumn, parquet.Double},
	reflect.TypeFor[*int64]():   {int64Pointer, parquet.Int64},
	reflect.TypeFor[*float64](): {floatPointer, parquet.Double},
	reflect.TypeFor[[]string](): {stringList, parquet.ByteArray},
}

// column reads one column into one field of the rows.
type column struct {
	kind   columnKind
	field  uintptr // its place in the row
	at     int     // its number in the file
	most   byte    // the definition level of a value that is there
	chunk  parquet.Pages
	page   parquet.Page
	levels []byte // definition levels of the page, none where all values are there
	row    int    // rows of the page that were taken
	value  int    // values of the page that were taken
	rows   int    // of the page

	dictionary parquet.Dictionary
	numbers    []int32  // of the values in the dictionary, where the page has one
	words      []string // of the dictionary, as far as they were met
	met        []bool

	text    []byte // of strings outside a dictionary
	offsets []uint32
	bits    []byte
	int32s  []int32
	int64s  []int64
	floats  []float64

	list []parquet.Value // of a page of lists
}

// columnsOf are the columns of a row type in a file; false when the library
// must read it.
func columnsOf[T any](f *parquet.File) ([]column, bool) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	var columns []column
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		known, ok := columnTypes[field.Type]
		if !ok || name == "" || name == "-" || !field.IsExported() {
			return nil, false
		}
		path := []string{name}
		if known.kind == stringList {
			path = []string{name, "list", "element"}
		}
		leaf, ok := f.Schema().Lookup(path...)
		if !ok || leaf.Node.Type().Kind() != known.stored || leaf.MaxDefinitionLevel > 1 ||
			leaf.MaxRepetitionLevel != 0 && known.kind != stringList || leaf.MaxRepetitionLevel != 1 && known.kind == stringList {
			return nil, false
		}
		columns = append(columns, column{kind: known.kind, field: field.Offset, at: leaf.ColumnIndex, most: byte(leaf.MaxDefinitionLevel)})
	}
	return columns, true
}

// decodeColumns hands the rows of a file over in batches until take says no.
func decodeColumns[T any](f *parquet.File, columns []column, take func([]T) bool) error {
	defer func() {
		for i := range columns {
			columns[i].close()
		}
	}()
	for _, g := range f.RowGroups() {
		chunks := g.ColumnChunks()
		for i := range columns {
			columns[i].begin(chunks[columns[i].at])
		}
		for left := int(g.NumRows()); left > 0; {
			rows := make([]T, min(left, batch))
			for i := range columns {
				if err := columns[i].fill(unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(rows[0]), len(rows)); err != nil {
					return err
				}
			}
			left -= len(rows)
			if !take(rows) {
				return nil
			}
		}
	}
	return nil
}

// begin turns to the next row group.
func (c *column) begin(chunk parquet.ColumnChunk) {
	c.close()
	c.chunk = chunk.Pages()
	c.dictionary, c.words, c.met = nil, nil, nil
}

func (c *column) close() {
	c.release()
	if c.chunk != nil {
		c.chunk.Close()
		c.chunk = nil
	}
}

func (c *column) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

var errRows = errors.New("a column has fewer values than there are rows")

// turn opens the next page.
func (c *column) turn() error {
	c.release()
	page, err := c.chunk.ReadPage()
	if errors.Is(err, io.EOF) {
		return errRows
	}
	if err != nil {
		return err
	}
	c.page, c.row, c.value, c.rows = page, 0, 0, int(page.NumRows())
	if c.kind == stringList {
		c.list = make([]parquet.Value, page.NumValues())
		n, err := page.Values().ReadValues(c.list)
		if c.list = c.list[:n]; errors.Is(err, io.EOF) {
			err = nil
		}
		return err
	}
	if c.levels = nil; c.most > 0 {
		c.levels = page.DefinitionLevels()
	}
	data := page.Data()
	if d := page.Dictionary(); d != nil {
		if c.numbers = data.Int32(); d != c.dictionary {
			c.dictionary, c.words, c.met = d, make([]string, d.Len()), make([]bool, d.Len())
		}
		if c.kind == stringColumn {
			return nil
		}
		return c.lookUp(d)
	}
	c.numbers = nil
	switch c.kind {
	case stringColumn:
		c.text, c.offsets = data.ByteArray()
	case boolColumn:
		c.bits = data.Boolean()
	case int32Column:
		c.int32s = data.Int32()
	case int64Column, int64Pointer:
		c.int64s = data.Int64()
	case floatColumn, floatPointer:
		c.floats = data.Double()
	}
	return nil
}

// lookUp replaces the numbers of a page by what the dictionary has for them.
func (c *column) lookUp(d parquet.Dictionary) error {
	for _, no := range c.numbers {
		if no < 0 || int(no) >= d.Len() {
			return errWord
		}
	}
	switch c.kind {
	case int32Column:
		c.int32s = make([]int32, len(c.numbers))
		for i, no := range c.numbers {
			c.int32s[i] = d.Index(no).Int32()
		}
	case int64Column, int64Pointer:
		c.int64s = make([]int64, len(c.numbers))
		for i, no := range c.numbers {
			c.int64s[i] = d.Index(no).Int64()
		}
	case floatColumn, floatPointer:
		c.floats = make([]float64, len(c.numbers))
		for i, no := range c.numbers {
			c.floats[i] = d.Index(no).Double()
		}
	default:
		return errWord
	}
	return nil
}

var errWord = errors.New("a value is not in the dictionary of its column")

// fill sets the field of n rows, which lie size bytes from each other.
func (c *column) fill(rows unsafe.Pointer, size uintptr, n int) error {
	at := unsafe.Add(rows, c.field)
	if c.kind == stringList {
		return c.fillLists(at, size, n)
	}
	for n > 0 {
		if c.page == nil || c.row == c.rows {
			if err := c.turn(); err != nil {
				return err
			}
			continue
		}
		part := min(n, c.rows-c.row)
		if err := c.fillPart(at, size, part); err != nil {
			return err
		}
		c.row += part
		n -= part
		if n > 0 {
			at = unsafe.Add(at, uintptr(part)*size)
		}
	}
	return nil
}

// fillPart sets the field of rows that are all in the page.
func (c *column) fillPart(at unsafe.Pointer, size uintptr, n int) error {
	levels := c.levels
	if levels != nil {
		if c.row+n > len(levels) {
			return errRows
		}
		levels = levels[c.row : c.row+n]
	}
	for i := range n {
		if i > 0 {
			at = unsafe.Add(at, size)
		}
		if levels != nil && levels[i] != c.most {
			continue
		}
		v := c.value
		c.value++
		switch c.kind {
		case stringColumn:
			s, err := c.stringAt(v)
			if err != nil {
				return err
			}
			*(*string)(at) = s
		case boolColumn:
			if v>>3 >= len(c.bits) {
				return errRows
			}
			*(*bool)(at) = c.bits[v>>3]>>(v&7)&1 != 0
		case int32Column:
			if v >= len(c.int32s) {
				return errRows
			}
			*(*int32)(at) = c.int32s[v]
		case int64Column, int64Pointer:
			if v >= len(c.int64s) {
				return errRows
			}
			if c.kind == int64Column {
				*(*int64)(at) = c.int64s[v]
			} else {
				x := c.int64s[v]
				*(**int64)(at) = &x
			}
		case floatColumn, floatPointer:
			if v >= len(c.floats) {
				return errRows
			}
			if c.kind == floatColumn {
				*(*float64)(at) = c.floats[v]
			} else {
				x := c.floats[v]
				*(**float64)(at) = &x
			}
		}
	}
	return nil
}

// stringAt is a value of the page. One that the dictionary has is copied once,
// however many rows have it.
func (c *column) stringAt(v int) (string, error) {
	if c.numbers == nil {
		if v+1 >= len(c.offsets) {
			return "", errRows
		}
		from, to := c.offsets[v], c.offsets[v+1]
		if from > to || int(to) > len(c.text) {
			return "", errRows
		}
		return string(c.text[from:to]), nil
	}
	if v >= len(c.numbers) {
		return "", errRows
	}
	no := c.numbers[v]
	if no < 0 || int(no) >= len(c.words) {
		return "", errWord
	}
	if !c.met[no] {
		c.words[no], c.met[no] = string(c.dictionary.Index(no).ByteArray()), true
	}
	return c.words[no], nil
}

// fillLists sets a field that is a list of strings.
func (c *column) fillLists(at unsafe.Pointer, size uintptr, n int) error {
	for i := range n {
		if i > 0 {
			at = unsafe.Add(at, size)
		}
		list := []string{}
		for first := true; ; first = false {
			for c.page == nil || c.value == len(c.list) {
				err := c.turn()
				if errors.Is(err, errRows) && !first {
					break // of the last row
				}
				if err != nil {
					return err
				}
			}
			if c.page == nil {
				break
			}
			v := &c.list[c.value]
			if first != (v.RepetitionLevel() == 0) {
				if first {
					return errRows
				}
				break
			}
			c.value++
			if v.DefinitionLevel() == int(c.most) {
				list = append(list, string(v.ByteArray()))
			}
		}
		*(*[]string)(at) = list
	}
	return nil
}
