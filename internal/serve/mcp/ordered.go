package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// object is a JSON object whose members keep their order, which tells what is
// important; a map would lose it.
type object []member

type member struct {
	name  string
	value any // nil, bool, string, json.Number, []any, object or *table
}

// get finds a member, nil when there is none.
func (o object) get(name string) any {
	for i := range o {
		if o[i].name == name {
			return o[i].value
		}
	}
	return nil
}

// without is the object without some of its members.
func (o object) without(names ...string) (rest object) {
next:
	for _, m := range o {
		for _, name := range names {
			if m.name == name {
				continue next
			}
		}
		rest = append(rest, m)
	}
	return rest
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(compact(m.name))
		b.WriteByte(':')
		b.Write(compact(m.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// compact is a value as JSON, with <, > and & as they are.
func compact(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("mcp: " + err.Error()) // of values that were read from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// read reads one JSON value, the members of its objects in their order and its
// numbers with all their digits.
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

// next reads the next value.
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
