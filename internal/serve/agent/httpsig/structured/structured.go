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

type parser struct {
	text string
	at   int
	err  error // the first; after it nothing is read
}

// strict decodes padded base64 with zero unused bits: every byte sequence has one spelling.
var strict = base64.StdEncoding.Strict()

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("at byte %d: %s", p.at, fmt.Sprintf(format, args...))
	}
	p.at = len(p.text)
}

func (p *parser) done() bool { return p.at >= len(p.text) }

// peek returns the next byte, or zero at the end; a zero byte is legal nowhere.
func (p *parser) peek() byte {
	if p.done() {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) eat(c byte) bool {
	if p.done() || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) skip(set string) {
	for !p.done() && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) member() Member {
	m := Member{Key: p.key(), Value: True()} // a key without a value stands for true
	switch {
	case !p.eat('='):
	case p.eat('('):
		m.Value, m.IsList, m.List = Value{}, true, p.list()
	default:
		m.Value = p.value()
	}
	m.Params = p.params()
	return m
}

func (p *parser) list() (items []Item) {
	for p.skip(" "); !p.eat(')'); p.skip(" ") {
		if p.done() {
			p.fail("the list is not closed")
			return nil
		}
		if len(items) == MaxMembers {
			p.fail("more than %d items in a list", MaxMembers)
			return nil
		}
		items = append(items, p.item())
		if c := p.peek(); c != ' ' && c != ')' {
			p.fail("a space or a closing parenthesis is wanted after an item of a list")
		}
	}
	return items
}

func (p *parser) item() Item { return Item{Value: p.value(), Params: p.params()} }

func (p *parser) params() (params Params) {
	for p.eat(';') {
		p.skip(" ")
		q := Param{Name: p.key(), Value: True()}
		if p.eat('=') {
			q.Value = p.value()
		}
		if _, ok := params.Get(q.Name); ok {
			p.fail("the parameter %q is repeated", q.Name)
		}
		if len(params) == MaxParams {
			p.fail("more than %d parameters", MaxParams)
		}
		params = append(params, q)
	}
	return params
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
func alpha(c byte) bool { return lower(c) || 'A' <= c && c <= 'Z' }

func (p *parser) key() string {
	if c := p.peek(); !lower(c) && c != '*' {
		p.fail("a key begins with a lower-case letter or an asterisk")
	}
	key := p.run(func(c byte) bool { return lower(c) || digit(c) || strings.IndexByte("_-.*", c) >= 0 })
	if len(key) > MaxKey {
		p.fail("a key is longer than %d bytes", MaxKey)
	}
	return key
}

func (p *parser) run(accept func(byte) bool) string {
	start := p.at
	for !p.done() && accept(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) value() (v Value) {
	switch c := p.peek(); {
	case c == '"':
		return p.quoted()
	case c == ':':
		return p.binary()
	case p.eat('?'):
		v.kind = boolean
		if p.eat('1') {
			v.number = 1
		} else if !p.eat('0') {
			p.fail("a boolean is ?0 or ?1")
		}
	case c == '-' || digit(c):
		return p.integer()
	case c == '*' || alpha(c):
		v.kind = token
		v.text = p.run(func(c byte) bool { return alpha(c) || digit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0 })
	case c == '@' || c == '%':
		p.fail("dates and display strings are not supported")
	default:
		p.fail("a value is wanted")
	}
	return v
}

func (p *parser) quoted() Value {
	p.at++
	var b strings.Builder
	for !p.done() {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return Text(b.String())
		case c == '\\':
			if c = p.peek(); c != '"' && c != '\\' {
				p.fail("a backslash in a string may only precede a quote or a backslash")
				return Value{}
			}
			p.at++
		case c < 0x20 || c > 0x7e:
			p.fail("a string holds only printable ASCII characters")
		}
		b.WriteByte(c)
	}
	p.fail("the string is not closed")
	return Value{}
}

func (p *parser) binary() Value {
	p.at++
	encoded, _, closed := strings.Cut(p.text[p.at:], ":")
	if !closed {
		p.fail("the byte sequence is not closed by a colon")
	} else if strings.ContainsAny(encoded, "\r\n") { // the decoder skips line breaks
		p.fail("a byte sequence holds only base64 characters")
	}
	decoded, err := strict.DecodeString(encoded)
	if err != nil {
		p.fail("the byte sequence is not padded standard base64")
	}
	p.at = min(p.at+len(encoded)+1, len(p.text))
	return Bytes(decoded)
}

func (p *parser) integer() Value {
	negative := p.eat('-')
	var n int64
	digits := 0
	for ; digit(p.peek()); p.at++ {
		if digits++; digits > 15 {
			p.fail("an integer has at most 15 digits")
			return Value{}
		}
		n = n*10 + int64(p.peek()-'0')
	}
	if digits == 0 {
		p.fail("a minus sign is followed by digits")
	}
	if p.peek() == '.' {
		p.fail("decimal numbers are not supported")
	}
	if negative {
		n = -n
	}
	return Int(n)
}
