package synth

import (
	"io"
	"reflect"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/table"
)

// xmlWriter appends XML to a buffer and hands it on when it has grown: a return
// of a million lines takes no more memory than one of ten. The first error
// sticks and is reported by flush.
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

// escape writes the text of an element.
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

// generation says which element names a filer's software writes: those of schemas
// 2014 and later, those of 2013, which has new groups with old names inside them, or
// those of 2012 and before.
type generation uint8

const (
	names2014 generation = iota
	names2013
	names2012
	generations
)

// schema is the version that a return of the generation carries.
func (g generation) schema(taxYear int, h uint64) string {
	year := [generations]int{names2014: min(max(taxYear, 2016), 2025), names2013: 2013, names2012: 2012}[g]
	versions := schemas.of(string(appendInt(nil, int64(year))))
	return versions[scale(h, len(versions))]
}

// xmlDate is a date with the month from 0 to 11.
type xmlDate struct{ year, month, day int }

func (d xmlDate) append(dst []byte) []byte {
	return join(dst, padded{uint64(d.year), 4}, '-', padded{uint64(d.month + 1), 2}, '-', padded{uint64(d.day), 2})
}

// shape is a part of a return: the elements that returns.tsv lists for it, filled
// from the fields of a T.
type shape[T any] struct{ rows []shapeRow }

type shapeRow struct {
	breaks        bool // begins a new line in indented files
	before, after [generations]string
	markup        bool  // the value is markup
	value, when   []int // the path of the field in T, nil for none
}

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
	path := func(name string) []int {
		if name == "" {
			return nil
		}
		f, ok := values.FieldByName(name)
		if !ok {
			r.Fail("%s has no field %s", values, name)
		}
		return f.Index
	}
	element, value := r.Text("element"), r.Text("value")
	row.when = path(r.Text("when"))
	literal := ""
	if strings.HasPrefix(value, `"`) {
		literal = strings.Trim(value, `"`)
	} else {
		row.value = path(value)
	}
	row.markup = element == ""
	element, row.breaks = strings.CutPrefix(element, "~")
	names := [generations]string{names2014: strings.Trim(element, "</>"), names2013: r.Text("in_2013"), names2012: r.Text("in_2012")}
	for g, name := range names {
		if row.markup {
			break
		}
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

// write writes the part with the values of v.
func (s *shape[T]) write(x *xmlWriter, v *T) {
	values := reflect.ValueOf(v).Elem()
	for i := range s.rows {
		r := &s.rows[i]
		if r.when != nil && isEmpty(values.FieldByIndex(r.when)) {
			continue
		}
		if r.breaks && x.indent {
			x.raw("\n  ")
		}
		x.raw(r.before[x.tags])
		if r.value != nil {
			x.value(values.FieldByIndex(r.value), r.markup)
		}
		x.raw(r.after[x.tags])
	}
	if len(x.b) > xmlChunk {
		x.flush()
	}
}

func isEmpty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

var einType = reflect.TypeFor[ein.EIN]()

func (x *xmlWriter) value(v reflect.Value, markup bool) {
	switch k := v.Kind(); {
	case markup:
		x.b = append(x.b, v.Bytes()...)
	case k == reflect.Slice:
		escape(x, v.Bytes())
	case k == reflect.String:
		escape(x, v.String())
	case k == reflect.Struct:
		x.b = xmlDate{int(v.Field(0).Int()), int(v.Field(1).Int()), int(v.Field(2).Int())}.append(x.b)
	case v.Type() == einType:
		x.b = ein.EIN(v.Uint()).Append(x.b)
	default:
		x.b = appendInt(x.b, v.Int())
	}
}
