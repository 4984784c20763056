package structured

import (
	"encoding/base64"
	"fmt"
	"strings"
)

type parser struct {
	text string
	at   int
}

// strict decodes padded base64 with zero unused bits: every byte sequence has one spelling.
var strict = base64.StdEncoding.Strict()

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("at byte %d: %s", p.at, fmt.Sprintf(format, args...))
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

func (p *parser) member() (Member, error) {
	key, err := p.key()
	if err != nil {
		return Member{}, err
	}
	m := Member{Key: key, Value: True()}
	if p.eat('=') {
		if p.peek() == '(' {
			m.Value, m.IsList = Value{}, true
			if m.List, err = p.list(); err != nil {
				return Member{}, err
			}
		} else if m.Value, err = p.value(); err != nil {
			return Member{}, err
		}
	}
	m.Params, err = p.params()
	return m, err
}

func (p *parser) list() ([]Item, error) {
	p.eat('(')
	var items []Item
	for {
		p.skip(" ")
		if p.eat(')') {
			return items, nil
		}
		if p.done() {
			return nil, p.errorf("the list is not closed")
		}
		if len(items) == MaxMembers {
			return nil, p.errorf("more than %d items in a list", MaxMembers)
		}
		item, err := p.item()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if c := p.peek(); c != ' ' && c != ')' {
			return nil, p.errorf("a space or a closing parenthesis is wanted after an item of a list")
		}
	}
}

func (p *parser) item() (Item, error) {
	value, err := p.value()
	if err != nil {
		return Item{}, err
	}
	params, err := p.params()
	return Item{Value: value, Params: params}, err
}

func (p *parser) params() (Params, error) {
	var params Params
	for p.eat(';') {
		p.skip(" ")
		name, err := p.key()
		if err != nil {
			return nil, err
		}
		value := True()
		if p.eat('=') {
			if value, err = p.value(); err != nil {
				return nil, err
			}
		}
		if _, ok := params.Get(name); ok {
			return nil, p.errorf("the parameter %q is repeated", name)
		}
		if len(params) == MaxParams {
			return nil, p.errorf("more than %d parameters", MaxParams)
		}
		params = append(params, Param{Name: name, Value: value})
	}
	return params, nil
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
func alpha(c byte) bool { return lower(c) || 'A' <= c && c <= 'Z' }

func (p *parser) key() (string, error) {
	if c := p.peek(); !lower(c) && c != '*' {
		return "", p.errorf("a key begins with a lower-case letter or an asterisk")
	}
	key := p.run(func(c byte) bool { return lower(c) || digit(c) || strings.IndexByte("_-.*", c) >= 0 })
	if len(key) > MaxKey {
		return "", p.errorf("a key is longer than %d bytes", MaxKey)
	}
	return key, nil
}

func (p *parser) run(accept func(byte) bool) string {
	start := p.at
	for !p.done() && accept(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

// value reads a bare item; its first byte says which kind it is.
func (p *parser) value() (Value, error) {
	switch c := p.peek(); {
	case c == '"':
		return p.quoted()
	case c == ':':
		return p.binary()
	case c == '?':
		return p.boolean()
	case c == '-' || digit(c):
		return p.integer()
	case c == '*' || alpha(c):
		return p.token(), nil
	case c == '@' || c == '%':
		return Value{}, p.errorf("dates and display strings are not supported")
	}
	return Value{}, p.errorf("a value is wanted")
}

func (p *parser) quoted() (Value, error) {
	p.at++
	var b strings.Builder
	for !p.done() {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return Text(b.String()), nil
		case c == '\\':
			if c = p.peek(); c != '"' && c != '\\' {
				return Value{}, p.errorf("a backslash in a string may only precede a quote or a backslash")
			}
			p.at++
		case c < 0x20 || c > 0x7e:
			return Value{}, p.errorf("a string holds only printable ASCII characters")
		}
		b.WriteByte(c)
	}
	return Value{}, p.errorf("the string is not closed")
}

func (p *parser) binary() (Value, error) {
	p.at++
	end := strings.IndexByte(p.text[p.at:], ':')
	if end < 0 {
		return Value{}, p.errorf("the byte sequence is not closed by a colon")
	}
	encoded := p.text[p.at : p.at+end]
	// The decoder skips line breaks, so they are refused here.
	if strings.ContainsAny(encoded, "\r\n") {
		return Value{}, p.errorf("a byte sequence holds only base64 characters")
	}
	decoded, err := strict.DecodeString(encoded)
	if err != nil {
		return Value{}, p.errorf("the byte sequence is not padded standard base64")
	}
	p.at += end + 1
	return Bytes(decoded), nil
}

func (p *parser) boolean() (Value, error) {
	p.at++
	switch {
	case p.eat('1'):
		return True(), nil
	case p.eat('0'):
		return Value{kind: boolean}, nil
	}
	return Value{}, p.errorf("a boolean is ?0 or ?1")
}

func (p *parser) integer() (Value, error) {
	negative := p.eat('-')
	var n int64
	digits := 0
	for ; digit(p.peek()); p.at++ {
		if digits++; digits > 15 {
			return Value{}, p.errorf("an integer has at most 15 digits")
		}
		n = n*10 + int64(p.peek()-'0')
	}
	if digits == 0 {
		return Value{}, p.errorf("a minus sign is followed by digits")
	}
	if p.peek() == '.' {
		return Value{}, p.errorf("decimal numbers are not supported")
	}
	if negative {
		n = -n
	}
	return Int(n), nil
}

func (p *parser) token() Value {
	text := p.run(func(c byte) bool { return alpha(c) || digit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0 })
	return Value{kind: token, text: text}
}
