package snapshot

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// The library assembles rows value by value, by reflection, which takes most of the time of reading a table.
// Here each column is decoded page by page directly into its field of the rows.

// Word is a text of a table, for readers that would otherwise look up the same text repeatedly. If the column
// has a dictionary, all rows of a row group with the same text share one Word, and the reader can keep its
// own number in Note. A field of type *Word is never nil; a missing text is empty.
type Word struct {
	Text string // shares the memory of neighboring texts: clone it to keep it
	Note uint32 // for the reader's use, zero at first
}

// columnTypes says, for each type of field, how its column is stored and what reads it.
var columnTypes = map[reflect.Type]struct {
	stored parquet.Kind
	reader func() valueReader // nil for a list of strings
}{
	reflect.TypeFor[string]():   {parquet.ByteArray, readerOf(inPlace, readStrings)},
	reflect.TypeFor[*Word]():    {parquet.ByteArray, readerOf(shared, readWords)},
	reflect.TypeFor[bool]():     {parquet.Boolean, readerOf(inPlace, readBits)},
	reflect.TypeFor[int32]():    {parquet.Int32, readerOf(inPlace, asStored((*encoding.Values).Int32))},
	reflect.TypeFor[uint32]():   {parquet.Int32, readerOf(inPlace, asStored((*encoding.Values).Int32))},
	reflect.TypeFor[int64]():    {parquet.Int64, readerOf(inPlace, asStored((*encoding.Values).Int64))},
	reflect.TypeFor[float64]():  {parquet.Double, readerOf(inPlace, asStored((*encoding.Values).Double))},
	reflect.TypeFor[*bool]():    {parquet.Boolean, readerOf(byPointer, readBits)},
	reflect.TypeFor[*int32]():   {parquet.Int32, readerOf(byPointer, asStored((*encoding.Values).Int32))},
	reflect.TypeFor[*int64]():   {parquet.Int64, readerOf(byPointer, asStored((*encoding.Values).Int64))},
	reflect.TypeFor[*float64](): {parquet.Double, readerOf(byPointer, asStored((*encoding.Values).Double))},
	reflect.TypeFor[[]string](): {parquet.ByteArray, nil},
}

type column struct {
	field  uintptr // its offset in the row
	at     int     // its number in the file
	most   byte    // the definition level of a present value
	chunk  parquet.Pages
	page   parquet.Page
	levels []byte // definition levels of the page, empty if all values are present
	row    int    // rows of the page taken so far
	value  int    // values of the page taken so far
	rows   int    // of the page

	dictionary parquet.Dictionary
	values     valueReader     // nil for a list
	list       []parquet.Value // of a page of lists
}

// valueReader holds the values of a page or of its dictionary.
type valueReader interface {
	// begin starts a row group.
	begin()
	read(data *encoding.Values) error
	// number says which values of the dictionary the page has. It is nil for a page without a dictionary.
	number(numbers []int32)
	// set sets fields to the values from next on, and returns the position after the last value used.
	set(f fields, next int) (int, error)
}

type valuesRead[V any] struct {
	shape   shape
	decode  func(*encoding.Values) ([]V, error)
	values  []V
	numbers []int32
	missing *V // what shared fields without a value point at
}

func readerOf[V any](how shape, decode func(*encoding.Values) ([]V, error)) func() valueReader {
	return func() valueReader { return &valuesRead[V]{shape: how, decode: decode} }
}

// asStored reads values that have the same form in the file and in memory.
func asStored[V any](values func(*encoding.Values) []V) func(*encoding.Values) ([]V, error) {
	return func(data *encoding.Values) ([]V, error) { return values(data), nil }
}

func (r *valuesRead[V]) begin() {
	if r.shape == shared {
		r.missing = new(V)
	}
}

func (r *valuesRead[V]) read(data *encoding.Values) (err error) {
	r.values, err = r.decode(data)
	return err
}

func (r *valuesRead[V]) number(numbers []int32) { r.numbers = numbers }

func (r *valuesRead[V]) set(f fields, next int) (int, error) {
	count := len(r.values)
	if r.numbers != nil {
		count = len(r.numbers)
	}
	for i := range f.n {
		to := unsafe.Add(f.at, uintptr(i)*f.size)
		if f.levels != nil && f.levels[i] != f.most {
			if r.shape == shared {
				*(**V)(to) = r.missing
			}
			continue
		}
		if next >= count {
			return next, errRows
		}
		at := next
		if r.numbers != nil {
			at = int(r.numbers[next])
		}
		switch next++; r.shape {
		case byPointer:
			value := r.values[at]
			*(**V)(to) = &value
		case shared:
			*(**V)(to) = &r.values[at]
		default:
			*(*V)(to) = r.values[at]
		}
	}
	return next, nil
}

// columnsOf lists the columns of a row type in a file. A field whose column the file lacks stays zero. It is
// false if the file has a column of another type, or lacks one that is read as words.
func columnsOf(t reflect.Type, f *parquet.File) ([]column, bool) {
	columns := make([]column, 0, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		name = cmp.Or(name, field.Name)
		known, ok := columnTypes[field.Type]
		if !ok {
			return nil, false
		}
		path := []string{name}
		c, repeats := column{field: field.Offset}, byte(0)
		if known.reader == nil {
			path, repeats = []string{name, "list", "element"}, 1
		} else {
			c.values = known.reader()
		}
		leaf, ok := f.Schema().Lookup(path...)
		if !ok && field.Type != reflect.TypeFor[*Word]() {
			continue
		}
		if !ok || leaf.Node.Type().Kind() != known.stored || leaf.MaxDefinitionLevel > 1 || byte(leaf.MaxRepetitionLevel) != repeats {
			return nil, false
		}
		c.at, c.most = leaf.ColumnIndex, byte(leaf.MaxDefinitionLevel)
		columns = append(columns, c)
	}
	return columns, true
}

var errColumn = errors.New("it does not have the columns that are read")

// decodeColumns passes the rows of a file to take in batches until take returns false. It asks for room for each batch.
func decodeColumns(f *parquet.File, columns []column, size uintptr, room func() unsafe.Pointer, take func(n int) bool) error {
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
			rows, n := room(), min(left, batch)
			for i := range columns {
				if err := columns[i].fill(rows, size, n); err != nil {
					return err
				}
			}
			left -= n
			if !take(n) {
				return nil
			}
		}
	}
	return nil
}

func (c *column) begin(chunk parquet.ColumnChunk) {
	c.close()
	c.chunk, c.dictionary = chunk.Pages(), nil
	if c.values != nil {
		c.values.begin()
	}
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
	if c.values == nil {
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
	data, d := page.Data(), page.Dictionary()
	if d == nil {
		c.dictionary = nil
		c.values.number(nil)
		return c.values.read(&data)
	}
	numbers := data.Int32()
	for _, no := range numbers {
		if no < 0 || int(no) >= d.Len() {
			return errWord
		}
	}
	if c.values.number(numbers); d == c.dictionary {
		return nil
	}
	c.dictionary = d
	known := d.Page().Data()
	return c.values.read(&known)
}

// readTexts makes a value of each text of a page or dictionary.
func readTexts[V any](data *encoding.Values, value func(text []byte, from, to uint32) V) ([]V, error) {
	text, offsets := data.ByteArray()
	values := make([]V, max(len(offsets), 1)-1)
	for i := range values {
		if offsets[i] > offsets[i+1] || int(offsets[i+1]) > len(text) {
			return nil, errRows
		}
		values[i] = value(text, offsets[i], offsets[i+1])
	}
	return values, nil
}

// readStrings copies texts one by one, because readers keep some of them.
func readStrings(data *encoding.Values) ([]string, error) {
	return readTexts(data, func(text []byte, from, to uint32) string { return string(text[from:to]) })
}

// readWords copies all texts together.
func readWords(data *encoding.Values) ([]Word, error) {
	text, _ := data.ByteArray()
	whole := string(text)
	return readTexts(data, func(_ []byte, from, to uint32) Word { return Word{Text: whole[from:to]} })
}

func readBits(data *encoding.Values) ([]bool, error) {
	bits := data.Boolean()
	values := make([]bool, 8*len(bits))
	for i := range values {
		values[i] = bits[i>>3]>>(i&7)&1 != 0
	}
	return values, nil
}

var errWord = errors.New("a value is not in the dictionary of its column")

// fill sets the field of n rows that are size bytes apart.
func (c *column) fill(rows unsafe.Pointer, size uintptr, n int) error {
	at := unsafe.Add(rows, c.field)
	if c.values == nil {
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
		to := fields{at: at, size: size, n: part, most: c.most}
		if c.levels != nil {
			if c.row+part > len(c.levels) {
				return errRows
			}
			to.levels = c.levels[c.row : c.row+part]
		}
		var err error
		if c.value, err = c.values.set(to, c.value); err != nil {
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

// fields are one field of several rows. A row whose level is below most has no value.
type fields struct {
	at     unsafe.Pointer
	size   uintptr // of a row
	n      int
	levels []byte // empty if all rows have a value
	most   byte
}

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
					break // the end of the last row
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
