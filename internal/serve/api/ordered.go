package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
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
