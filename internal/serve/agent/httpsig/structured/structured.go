// Package structured reads and writes structured field values (RFC 8941, RFC 9651) as far as HTTP message signatures need them:
// dictionaries and items with parameters, inner lists, and the bare types string, token, byte sequence, integer and boolean.
//
// It is stricter than the standard in four places, because its fields identify a client: a repeated key of a dictionary or
// parameter list is an error, and the last one does not win silently; base64 must be padded and canonical; decimals, dates and
// display strings are errors; and every length and count has a bound. Every accepted value has exactly one serialization, over
// which a signature is made.
package structured

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
)

// The bounds of a field, with room for a key directory of 64 keys with one signature each.
const (
	MaxText    = 32 << 10 // bytes of one field value, lines combined
	MaxMembers = 64       // members of a dictionary, items of an inner list
	MaxParams  = 16       // parameters of one item or inner list
	MaxKey     = 64       // bytes of a dictionary key or parameter name
)

type kind uint8

const (
	boolean kind = iota + 1
	integer
	text
	token
	binary
)

// Value is a bare item. The zero Value is no item. Values are comparable with ==.
type Value struct {
	kind   kind
	text   string // of a string, token or byte sequence
	number int64  // of an integer; 1 for true
}

func Int(n int64) Value { return Value{kind: integer, number: n} }

// Text is a string item. The text must satisfy IsText.
func Text(s string) Value { return Value{kind: text, text: s} }

func Bytes(b []byte) Value { return Value{kind: binary, text: string(b)} }

// True is the value of a key or parameter without a value.
func True() Value { return Value{kind: boolean, number: 1} }

// Int returns the number of an integer item, and zero for any other.
func (v Value) Int() (int64, bool) {
	if v.kind != integer {
		return 0, false
	}
	return v.number, true
}

// Text returns the text of a string item, and nothing for any other, such as a token.
func (v Value) Text() (string, bool) { return v.as(text) }

func (v Value) Token() (string, bool) { return v.as(token) }

func (v Value) Bytes() ([]byte, bool) {
	s, ok := v.as(binary)
	return []byte(s), ok
}

func (v Value) as(k kind) (string, bool) {
	if v.kind != k {
		return "", false
	}
	return v.text, true
}

func (v Value) IsTrue() bool { return v == True() }

// IsText reports whether s can be the content of a string item: printable ASCII only.
func IsText(s string) bool {
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < 0x20 || c > 0x7e })
}

// Append writes the item in its one serialized form.
func (v Value) Append(dst []byte) []byte {
	switch v.kind {
	case boolean:
		return append(dst, '?', '0'+byte(v.number))
	case integer:
		return strconv.AppendInt(dst, v.number, 10)
	case text:
		dst = append(dst, '"')
		for i := range len(v.text) {
			if c := v.text[i]; c == '"' || c == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, v.text[i])
		}
		return append(dst, '"')
	case token:
		return append(dst, v.text...)
	case binary:
		dst = append(dst, ':')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.text))
		return append(dst, ':')
	}
	return dst
}

type Param struct {
	Name  string
	Value Value
}

// Params are the parameters of an item or inner list in the order sent, which is signed.
type Params []Param

func (p Params) Get(name string) (Value, bool) {
	for _, q := range p {
		if q.Name == name {
			return q.Value, true
		}
	}
	return Value{}, false
}

// Append writes the parameters, each with its leading semicolon.
func (p Params) Append(dst []byte) []byte {
	for _, q := range p {
		dst = append(dst, ';')
		dst = append(dst, q.Name...)
		if !q.Value.IsTrue() {
			dst = append(dst, '=')
			dst = q.Value.Append(dst)
		}
	}
	return dst
}

type Item struct {
	Value  Value
	Params Params
}

func (i Item) Append(dst []byte) []byte { return i.Params.Append(i.Value.Append(dst)) }

// Member is one entry of a dictionary: an item, or an inner list when IsList.
type Member struct {
	Key    string
	Value  Value
	IsList bool
	List   []Item
	Params Params
}

// Append writes the member without its key. For an inner list, RFC 9421 calls this text the signature parameters.
func (m Member) Append(dst []byte) []byte {
	if !m.IsList {
		return m.Params.Append(m.Value.Append(dst))
	}
	dst = append(dst, '(')
	for i, item := range m.List {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = item.Append(dst)
	}
	dst = append(dst, ')')
	return m.Params.Append(dst)
}

// Dictionary is an ordered list of members with distinct keys.
type Dictionary []Member

func (d Dictionary) Get(key string) (Member, bool) {
	for _, m := range d {
		if m.Key == key {
			return m, true
		}
	}
	return Member{}, false
}

func (d Dictionary) Append(dst []byte) []byte {
	for i, m := range d {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, m.Key...)
		if !m.IsList && m.Value.IsTrue() {
			dst = m.Params.Append(dst)
			continue
		}
		dst = append(dst, '=')
		dst = m.Append(dst)
	}
	return dst
}

// ParseDictionary reads a dictionary from the lines of one field, in their order.
func ParseDictionary(lines ...string) (Dictionary, error) {
	p := newParser(lines)
	var d Dictionary
	for p.skip(" "); !p.done(); {
		m := p.member()
		if _, ok := d.Get(m.Key); ok {
			p.fail("the key %q is repeated", m.Key)
		}
		if len(d) == MaxMembers {
			p.fail("more than %d members", MaxMembers)
		}
		d = append(d, m)
		if p.skip(" \t"); p.done() {
			break
		}
		if !p.eat(',') {
			p.fail("a comma is wanted between members")
		}
		if p.skip(" \t"); p.done() {
			p.fail("nothing follows the last comma")
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return d, nil
}

func ParseItem(lines ...string) (Item, error) {
	p := newParser(lines)
	p.skip(" ")
	item := p.item()
	if p.skip(" "); !p.done() {
		p.fail("only one item is wanted, and something follows it")
	}
	if p.err != nil {
		return Item{}, p.err
	}
	return item, nil
}

// newParser joins the lines as HTTP does, after it has measured them.
func newParser(lines []string) *parser {
	total := 0
	for _, line := range lines {
		total += len(line) + 2
	}
	if total > MaxText {
		return &parser{err: fmt.Errorf("the value is longer than %d bytes", MaxText)}
	}
	return &parser{text: strings.Join(each.Of(lines, func(line string) string { return strings.Trim(line, " \t") }), ", ")}
}
