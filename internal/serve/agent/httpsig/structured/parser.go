package structured

import (
	"encoding/base64"
	"fmt"
	"strings"
)

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
