package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// object is a JSON object that keeps the order of its members: the API puts the
// important ones first, and a map would lose that.
type object []member

type member struct {
	name  string
	value any // nil, bool, int, string, json.Number, []any, object or *table
}

func (o object) get(name string) any {
	for i := range o {
		if o[i].name == name {
			return o[i].value
		}
	}
	return nil
}

func (o object) without(names ...string) (rest object) {
	for _, m := range o {
		if !slices.Contains(names, m.name) {
			rest = append(rest, m)
		}
	}
	return rest
}

// encoded is a value as JSON. It does not escape <, > and &.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("mcp: " + err.Error()) // the values of an answer always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, encoded(m.name)...), ':')
		b = append(b, encoded(m.value)...)
	}
	return append(b, '}'), nil
}

// read reads one JSON value. Objects keep the order of their members, and numbers
// all their digits.
func read(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := next(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after it")
	}
	return v, nil
}

func next(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("it is nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := next(d, depth+1)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), v})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := next(d, depth+1)
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
