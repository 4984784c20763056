package synth

import (
	"io"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"grantgraph/internal/ein"
	"grantgraph/internal/table"
)

// xmlWriter appends XML to a buffer and hands it on when it has grown: a return of a million lines takes no
// more memory than one of ten. The first error sticks and is reported by flush.
type xmlWriter struct {
	b      []byte
	w      io.Writer
	n      int64
	err    error
	indent bool
	tags   generation
}

const xmlChunk = 48 << 10

func (x *xmlWriter) reset(w io.Writer, indent bool) {
	x.b, x.w, x.n, x.indent = x.b[:0], w, 0, indent
}

func (x *xmlWriter) flush() error {
	if x.err == nil && len(x.b) > 0 {
		_, x.err = x.w.Write(x.b)
		x.n += int64(len(x.b))
	}
	x.b = x.b[:0]
	return x.err
}

func (x *xmlWriter) raw(s string) { x.b = append(x.b, s...) }

func escape[T string | []byte](x *xmlWriter, s T) {
	start := 0
	for i := range len(s) {
		code := ""
		switch s[i] {
		case '&':
			code = "&amp;"
		case '<':
			code = "&lt;"
		case '>':
			code = "&gt;"
		default:
			continue
		}
		x.b = append(append(x.b, s[start:i]...), code...)
		start = i + 1
	}
	x.b = append(x.b, s[start:]...)
}

// generation says which element names a filer's software writes: those of schemas 2014 and later, those of
// 2013, which has new groups with old names inside them, or those of 2012 and before.
type generation uint8

const (
	names2014 generation = iota
	names2013
	names2012
	generations
)

func (g generation) schema(taxYear int, h uint64) string {
	year := [generations]int{names2014: min(max(taxYear, 2016), 2025), names2013: 2013, names2012: 2012}[g]
	versions := schemas.of(string(appendInt(nil, int64(year))))
	return versions[scale(h, len(versions))]
}

// shape is a part of a return: the elements that returns.tsv lists for it, filled from the fields of a T.
type shape[T any] struct{ rows []shapeRow }

type shapeRow struct {
	breaks        bool // begins a new line in indented files
	before, after [generations]string
	value, when   fieldOf
}

// fieldOf finds a field in a T: where it begins, and of what kind it is.
type fieldOf struct {
	offset uintptr
	kind   fieldKind
}

type fieldKind uint8

const (
	noField fieldKind = iota
	int64Field
	boolField
	stringField
	bytesField
	markupField // bytes that are markup
	einField
	dateField
)

var fieldKinds = map[reflect.Type]fieldKind{reflect.TypeFor[int64](): int64Field, reflect.TypeFor[bool](): boolField,
	reflect.TypeFor[string](): stringField, reflect.TypeFor[[]byte](): bytesField, reflect.TypeFor[ein.EIN](): einField,
	reflect.TypeFor[time.Time](): dateField}

var returnRows = readRows("returns.tsv", "part", "element", "in_2013", "in_2012", "value", "when")

// newShape compiles a part of returns.tsv for values of type T.
func newShape[T any](part string) *shape[T] {
	s := &shape[T]{}
	for _, r := range returnRows {
		if r.Text("part") == part {
			s.rows = append(s.rows, compileRow(r, reflect.TypeFor[T]()))
		}
	}
	if len(s.rows) == 0 {
		panic("synth: no part " + part)
	}
	return s
}

func compileRow(r table.Row, values reflect.Type) (row shapeRow) {
	find := func(name string) (f fieldOf) {
		field, ok := values.FieldByName(name)
		if !ok || fieldKinds[field.Type] == noField {
			r.Fail("%s has no field %s", values, name)
		}
		f.kind = fieldKinds[field.Type]
		for i := range field.Index { // through the structs that it is embedded in
			f.offset += values.FieldByIndex(field.Index[:i+1]).Offset
		}
		return f
	}
	element, value, when := r.Text("element"), r.Text("value"), r.Text("when")
	if when != "" {
		row.when = find(when)
	}
	literal, isLiteral := strings.CutPrefix(strings.TrimSuffix(value, `"`), `"`)
	if !isLiteral {
		literal = ""
		if value != "" {
			row.value = find(value)
		}
	}
	if element == "" {
		row.value.kind = markupField
		return row
	}
	element, row.breaks = strings.CutPrefix(element, "~")
	names := [generations]string{names2014: strings.Trim(element, "</>"), names2013: r.Text("in_2013"), names2012: r.Text("in_2012")}
	for g, name := range names {
		if name == "" {
			name = names[g-1]
			names[g] = name
		}
		group, inner, grouped := strings.Cut(name, "/")
		switch {
		case strings.HasPrefix(element, "</"):
			row.before[g] = "</" + name + ">"
		case strings.HasPrefix(element, "<"):
			row.before[g] = "<" + name + ">"
		case grouped:
			row.breaks = true
			row.before[g] = "<" + group + "><" + inner + ">" + literal
			row.after[g] = "</" + inner + "></" + group + ">"
		default:
			row.before[g] = "<" + name + ">" + literal
			row.after[g] = "</" + name + ">"
		}
	}
	return row
}

// write writes the part with the values of v. It reads the fields by their offsets,
// because reflection would make up a good part of the time of a whole world.
func (s *shape[T]) write(x *xmlWriter, v *T) {
	base := unsafe.Pointer(v)
	for i := range s.rows {
		r := &s.rows[i]
		if r.when.kind != noField && r.when.isEmpty(base) {
			continue
		}
		if r.breaks && x.indent {
			x.raw("\n  ")
		}
		x.raw(r.before[x.tags])
		r.value.write(x, base)
		x.raw(r.after[x.tags])
	}
	if len(x.b) > xmlChunk {
		x.flush()
	}
}

func (f fieldOf) isEmpty(base unsafe.Pointer) bool {
	switch at := unsafe.Add(base, f.offset); f.kind {
	case int64Field:
		return *(*int64)(at) == 0
	case boolField:
		return !*(*bool)(at)
	case stringField:
		return *(*string)(at) == ""
	case einField:
		return *(*ein.EIN)(at) == 0
	default:
		return len(*(*[]byte)(at)) == 0
	}
}

func (f fieldOf) write(x *xmlWriter, base unsafe.Pointer) {
	switch at := unsafe.Add(base, f.offset); f.kind {
	case noField:
	case int64Field:
		x.b = appendInt(x.b, *(*int64)(at))
	case stringField:
		escape(x, *(*string)(at))
	case bytesField:
		escape(x, *(*[]byte)(at))
	case markupField:
		x.b = append(x.b, *(*[]byte)(at)...)
	case einField:
		x.b = (*(*ein.EIN)(at)).Append(x.b)
	case dateField:
		x.b = (*(*time.Time)(at)).AppendFormat(x.b, time.DateOnly)
	default:
		panic("synth: a field that has no text")
	}
}
