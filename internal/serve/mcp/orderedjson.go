package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
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

// appended appends a value as JSON. It does not escape <, > and &.
func appended(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case json.Number:
		return append(b, v...)
	case string:
		return appendText(b, v)
	case object:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, m.name), ':')
			b = appended(b, m.value)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appended(b, v[i])
		}
		return append(b, ']')
	case *table:
		return v.appended(b)
	}
	panic(fmt.Sprintf("mcp: a %T is in no answer", v))
}

// appendText appends a text in quotes. Most texts need no escapes and are copied as
// they are.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			var escaped bytes.Buffer
			e := json.NewEncoder(&escaped)
			e.SetEscapeHTML(false)
			_ = e.Encode(s) // a string always encodes
			return append(b, bytes.TrimSuffix(escaped.Bytes(), []byte("\n"))...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
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
