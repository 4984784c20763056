package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/table"
)

// Ordered is a JSON object that keeps the order of its members, the important ones first.
type Ordered []Entry

type Entry struct {
	Name  string
	Value any // what ReadJSON reads, or any value that JSON can say
}

func (o Ordered) Get(name string) any {
	if i := slices.IndexFunc(o, func(m Entry) bool { return m.Name == name }); i >= 0 {
		return o[i].Value
	}
	return nil
}

func (o Ordered) With(name string, value any) Ordered { return append(o, Entry{name, value}) }

func (o Ordered) Without(names ...string) Ordered {
	return slices.DeleteFunc(slices.Clone(o), func(m Entry) bool { return slices.Contains(names, m.Name) })
}

// EncodeJSON is a value as JSON, in which < and & need no escape outside of a page.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := encoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func (o Ordered) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		value, err := EncodeJSON(m.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := EncodeJSON(m.Name) // a text always encodes
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

const maxDepth = 64

// ReadJSON reads one JSON value as nil, bool, string, json.Number, []any or Ordered: nothing of the text is lost.
func ReadJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := nextValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after it")
	}
	return v, nil
}

func nextValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("it is nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := Ordered{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := nextValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			o = o.With(name.(string), v)
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := nextValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

// fieldTable has the ends of those descriptions and vocabularies of fields that are
// too long for a struct tag. Their tags end with an ellipsis.
//
//go:embed fields.tsv
var fieldTable string

const ellipsis = "…"

// fieldTexts are the rows of the table: by key ("doc" or "enum") and field.
var fieldTexts = func() map[string]map[string]string {
	texts := map[string]map[string]string{"doc": {}, "enum": {}}
	for _, r := range table.Read("fields.tsv", fieldTable, "field", "doc", "enum") {
		for key, of := range texts {
			if text := r.Text(key); text != "" {
				of[r.Text("field")] = text
			}
		}
	}
	return texts
}()

type Member struct {
	reflect.StructField
	Wire     string // its name there
	Optional bool   // absent if empty
	Nullable bool   // null if unknown
	Doc      string
	Enum     []string
}

// Members are the fields of a struct as the wire has them, embedded ones included.
func Members(t reflect.Type) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "" || name == "-" {
				continue
			}
			owner, _, _ := strings.Cut(t.Name(), "[")
			if n := len(f.Index); n > 1 {
				owner, _, _ = strings.Cut(t.FieldByIndex(f.Index[:n-1]).Type.Name(), "[")
			}
			m := Member{StructField: f, Wire: name, Optional: strings.Contains(options, "omit")}
			m.Nullable = f.Type.Kind() == reflect.Pointer && !m.Optional
			m.Doc = fieldText(f, "doc", owner+"."+name)
			if words := fieldText(f, "enum", owner+"."+name); words != "" {
				m.Enum = strings.Split(words, ",")
			}
			if !yield(m) {
				return
			}
		}
	}
}

// fieldText is a tag of a field, with its end where that is in the table.
func fieldText(f reflect.StructField, key, field string) string {
	text, cut := strings.CutSuffix(f.Tag.Get(key), ellipsis)
	if !cut {
		return text
	}
	end, ok := fieldTexts[key][field]
	if !ok {
		panic("api: fields.tsv does not end the " + key + " of " + field)
	}
	return text + end
}
