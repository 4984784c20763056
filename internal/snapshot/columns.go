package snapshot

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// The library assembles rows value by value, by reflection, which takes most of the
// time of reading a table. Here each column is decoded page by page directly into its
// field of the rows. This works for row types whose fields are strings, numbers,
// booleans, pointers to numbers and lists of strings. The library reads other types.

// Word is a text of a table, for readers that would otherwise look up the same text
// repeatedly. If the column has a dictionary, all rows of a row group with the same
// text share one Word, and the reader can keep its own number in Note. A field of
// type *Word is never nil; a missing text is empty.
type Word struct {
	Text string // shares the memory of neighboring texts: clone it to keep it
	Note uint32 // for the reader's use, zero at first
}

// columnKind is what a field is made of.
type columnKind uint8

const (
	stringColumn columnKind = iota
	wordColumn
	boolColumn
	int32Column // also uint32
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
	reflect.TypeFor[*Word]():    {wordColumn, parquet.ByteArray},
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
	numbers    []int32  // dictionary numbers of the texts, if the page has a dictionary
	strings    []string // of the dictionary, or else of the page
	words      []Word   // the same as words
	none       *Word    // the missing text of the row group

	bits   []byte
	int32s []int32
	int64s []int64
	floats []float64

	list []parquet.Value // of a page of lists
}

// columnsOf lists the columns of a row type in a file. It is false if the library
// must read the file.
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

// hasWords reports whether rows have fields of type *Word, which the library does not
// know.
func hasWords[T any]() bool {
	t := reflect.TypeFor[T]()
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if t.Field(i).Type == reflect.TypeFor[*Word]() {
			return true
		}
	}
	return false
}

var errColumn = errors.New("it does not have the columns that are read")

// decodeColumns passes the rows of a file to take in batches until take returns
// false. It asks for room for each batch; the rows there may have been used before.
func decodeColumns[T any](f *parquet.File, columns []column, room func() []T, take func([]T) bool) error {
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
			rows := room()[:min(left, batch)]
			clear(rows)
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

// begin starts the next row group.
func (c *column) begin(chunk parquet.ColumnChunk) {
	c.close()
	c.chunk = chunk.Pages()
	c.dictionary, c.none = nil, new(Word)
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
	data, d := page.Data(), page.Dictionary()
	if d == nil {
		c.numbers, c.dictionary = nil, nil
		return c.read(&data)
	}
	// Numbers of the page are replaced by their values now. Texts are looked up
	// later, because there are few texts and many rows.
	numbers, known := data.Int32(), d.Page().Data()
	for _, no := range numbers {
		if no < 0 || int(no) >= d.Len() {
			return errWord
		}
	}
	switch c.kind {
	case stringColumn, wordColumn:
		if c.numbers = numbers; d == c.dictionary {
			return nil
		}
		c.dictionary = d
		return c.read(&known)
	case int32Column:
		c.int32s = lookUp(known.Int32(), numbers)
	case int64Column, int64Pointer:
		c.int64s = lookUp(known.Int64(), numbers)
	case floatColumn, floatPointer:
		c.floats = lookUp(known.Double(), numbers)
	default:
		return errWord
	}
	return nil
}

// read takes the values of a page or of a dictionary.
func (c *column) read(data *encoding.Values) error {
	switch c.kind {
	case stringColumn, wordColumn:
		return c.readTexts(data.ByteArray())
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

// readTexts copies the texts of a page or dictionary once, however many rows have
// them. Strings are copied one by one, because readers keep some of them; words are
// copied together.
func (c *column) readTexts(text []byte, offsets []uint32) error {
	n := max(len(offsets), 1) - 1
	for i := range n {
		if offsets[i] > offsets[i+1] || int(offsets[i+1]) > len(text) {
			return errRows
		}
	}
	if c.kind == stringColumn {
		c.strings = make([]string, n)
		for i := range c.strings {
			c.strings[i] = string(text[offsets[i]:offsets[i+1]])
		}
		return nil
	}
	whole := string(text)
	c.words = make([]Word, n)
	for i := range c.words {
		c.words[i].Text = whole[offsets[i]:offsets[i+1]]
	}
	return nil
}

// lookUp replaces numbers by the dictionary's values.
func lookUp[V any](dictionary []V, numbers []int32) []V {
	values := make([]V, len(numbers))
	for i, no := range numbers {
		values[i] = dictionary[no]
	}
	return values
}

var errWord = errors.New("a value is not in the dictionary of its column")

// fill sets the field of n rows that are size bytes apart.
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
	to := fields{at: at, size: size, n: n, most: c.most}
	if c.levels != nil {
		if c.row+n > len(c.levels) {
			return errRows
		}
		to.levels = c.levels[c.row : c.row+n]
	}
	from, err := c.value, error(nil)
	switch c.kind {
	case stringColumn:
		if c.dictionary == nil {
			c.value, err = set(to, c.strings, from)
		} else {
			c.value, err = setNumbered(to, c.strings, c.numbers, from)
		}
	case wordColumn:
		c.value, err = c.setWords(to, from)
	case boolColumn:
		c.value, err = setBits(to, c.bits, from)
	case int32Column:
		c.value, err = set(to, c.int32s, from)
	case int64Column:
		c.value, err = set(to, c.int64s, from)
	case floatColumn:
		c.value, err = set(to, c.floats, from)
	case int64Pointer:
		c.value, err = setPointers(to, c.int64s, from)
	case floatPointer:
		c.value, err = setPointers(to, c.floats, from)
	}
	return err
}

// fields are one field of several rows. A row whose level is below most has no value.
type fields struct {
	at     unsafe.Pointer
	size   uintptr // of a row
	n      int
	levels []byte // empty if all rows have a value
	most   byte
}

func (f *fields) place(i int) unsafe.Pointer { return unsafe.Add(f.at, uintptr(i)*f.size) }
func (f *fields) has(i int) bool             { return f.levels == nil || f.levels[i] == f.most }

// set sets the fields to the values from next on, and returns the position after the
// last value used.
func set[V any](f fields, values []V, next int) (int, error) {
	for i := range f.n {
		if !f.has(i) {
			continue
		}
		if next >= len(values) {
			return next, errRows
		}
		*(*V)(f.place(i)) = values[next]
		next++
	}
	return next, nil
}

// setNumbered is set for values that are numbers in a dictionary, which has all of
// them.
func setNumbered[V any](f fields, dictionary []V, numbers []int32, next int) (int, error) {
	for i := range f.n {
		if !f.has(i) {
			continue
		}
		if next >= len(numbers) {
			return next, errRows
		}
		*(*V)(f.place(i)) = dictionary[numbers[next]]
		next++
	}
	return next, nil
}

func (c *column) setWords(f fields, next int) (int, error) {
	count := len(c.words)
	if c.dictionary != nil {
		count = len(c.numbers)
	}
	for i := range f.n {
		word := c.none
		if f.has(i) {
			if next >= count {
				return next, errRows
			}
			no := next
			if c.dictionary != nil {
				no = int(c.numbers[next])
			}
			word = &c.words[no]
			next++
		}
		*(**Word)(f.place(i)) = word
	}
	return next, nil
}

func setBits(f fields, bits []byte, next int) (int, error) {
	for i := range f.n {
		if !f.has(i) {
			continue
		}
		if next>>3 >= len(bits) {
			return next, errRows
		}
		*(*bool)(f.place(i)) = bits[next>>3]>>(next&7)&1 != 0
		next++
	}
	return next, nil
}

func setPointers[V any](f fields, values []V, next int) (int, error) {
	for i := range f.n {
		if !f.has(i) {
			continue
		}
		if next >= len(values) {
			return next, errRows
		}
		value := values[next]
		*(**V)(f.place(i)) = &value
		next++
	}
	return next, nil
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
