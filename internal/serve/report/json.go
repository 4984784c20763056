package report

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"grantgraph/internal/fault"
)

// Bounds of a document.
const (
	maxJSON   = 1 << 20 // bytes
	maxDepth  = 64      // levels of nesting
	maxValues = 50_000  // values, each of which takes many times its bytes; a report has some hundreds
	maxNumber = 32      // characters
	maxQuoted = 60      // bytes that a message repeats
)

// value is JSON that two readers cannot understand differently. A signature is over the
// canonical form. A document with several canonical forms (a name given twice, a number that
// no double holds, half of a surrogate pair) could show one thing while another is signed.
type value struct {
	kind    byte     // its first character: { [ " t f n, and 0 for every number
	raw     []byte   // as in the document
	text    string   // of a string
	members []member // of an object, in their order
	items   []*value // of an array
}

type member struct {
	name   string
	quoted []byte // the name as in the document
	value  *value
}

// member returns the value of a member, or nil.
func (v *value) member(name string) *value {
	if v != nil {
		for _, m := range v.members {
			if m.name == name {
				return m.value
			}
		}
	}
	return nil
}

// parse reads a whole document, which must be exactly one JSON value.
func parse(document []byte) (*value, error) {
	if len(document) > maxJSON {
		return nil, bad("the document is larger than %d bytes; a report has at most that", maxJSON)
	}
	if !utf8.Valid(document) {
		return nil, bad("the document is neither a PDF nor JSON in UTF-8")
	}
	p := parser{in: document}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.in) {
		return nil, bad("something follows the JSON at byte %d", p.at)
	}
	return v, nil
}

type parser struct {
	in     []byte
	at     int
	values int
}

func (p *parser) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

// next returns the next byte, 0 at the end.
func (p *parser) next() byte {
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

// take skips the next byte if it is c.
func (p *parser) take(c byte) bool {
	if p.next() == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) wrong() error {
	if p.at >= len(p.in) {
		return bad("the JSON ends in the middle; was all of it copied?")
	}
	return bad("the document is not valid JSON at byte %d", p.at)
}

func (p *parser) value(depth int) (*value, error) {
	if p.values++; p.values > maxValues {
		return nil, bad("the JSON has more than %d values; a report has not", maxValues)
	}
	v := &value{kind: p.next()}
	start := p.at
	var err error
	switch c := v.kind; {
	case c == '{' || c == '[':
		if depth == maxDepth {
			return nil, bad("the JSON is nested deeper than %d levels; a report is not", maxDepth)
		}
		if c == '{' {
			err = p.object(v, depth+1)
		} else {
			err = p.array(v, depth+1)
		}
	case c == '"':
		v.text, err = p.string()
	case c == '-' || '0' <= c && c <= '9':
		v.kind = '0'
		err = p.number()
	default:
		word := map[byte]string{'t': "true", 'f': "false", 'n': "null"}[c]
		if word == "" || !bytes.HasPrefix(p.in[p.at:], []byte(word)) {
			return nil, p.wrong()
		}
		p.at += len(word)
	}
	v.raw = p.in[start:p.at]
	return v, err
}

func (p *parser) object(v *value, depth int) error {
	names := map[string]bool{}
	return p.list('}', func() error {
		if p.next() != '"' {
			return p.wrong()
		}
		start := p.at
		name, err := p.string()
		if err != nil {
			return err
		}
		quoted := p.in[start:p.at]
		if names[name] {
			return bad("the name %q appears twice in one object, so that it could be read in two ways", fault.Clip(name, maxQuoted))
		}
		names[name] = true
		if p.space(); !p.take(':') {
			return p.wrong()
		}
		p.space()
		m, err := p.value(depth)
		v.members = append(v.members, member{name, quoted, m})
		return err
	})
}

func (p *parser) array(v *value, depth int) error {
	return p.list(']', func() error {
		item, err := p.value(depth)
		v.items = append(v.items, item)
		return err
	})
}

// list reads the members of an object or the items of an array, brackets included.
func (p *parser) list(end byte, read func() error) error {
	p.at++
	p.space()
	if p.take(end) {
		return nil
	}
	for {
		if err := read(); err != nil {
			return err
		}
		p.space()
		if p.take(end) {
			return nil
		}
		if !p.take(',') {
			return p.wrong()
		}
		p.space()
	}
}

func (p *parser) string() (string, error) {
	p.at++
	var text []byte
	for {
		switch c := p.next(); {
		case p.at >= len(p.in) || c < 0x20:
			return "", p.wrong()
		case c == '"':
			p.at++
			return string(text), nil
		case c != '\\':
			text = append(text, c)
			p.at++
		default:
			r, ok := p.escape()
			if !ok {
				return "", p.wrong()
			}
			text = utf8.AppendRune(text, r)
		}
	}
}

// escape reads an escaped character. It refuses half of a surrogate pair.
func (p *parser) escape() (rune, bool) {
	p.at++
	c := p.next()
	p.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 && c != 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), true
	}
	if c != 'u' {
		return 0, false
	}
	r, ok := p.hex()
	if !ok || !utf16.IsSurrogate(r) {
		return r, ok
	}
	if !p.take('\\') || !p.take('u') {
		return 0, false
	}
	low, ok := p.hex()
	r = utf16.DecodeRune(r, low)
	return r, ok && r != utf8.RuneError
}

func (p *parser) hex() (rune, bool) {
	if p.at+4 > len(p.in) {
		return 0, false
	}
	digits := p.in[p.at : p.at+4]
	if strings.Trim(string(digits), "0123456789abcdefABCDEF") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(string(digits), 16, 16)
	p.at += 4
	return rune(n), err == nil
}

// number reads a number, and refuses a number that is not exactly the double that readers
// make of it.
func (p *parser) number() error {
	start := p.at
	digits := func() bool {
		from := p.at
		for c := p.next(); '0' <= c && c <= '9'; c = p.next() {
			p.at++
		}
		return p.at > from
	}
	p.take('-')
	if !p.take('0') && !digits() {
		return p.wrong()
	}
	whole := true
	if p.take('.') {
		if whole = false; !digits() {
			return p.wrong()
		}
	}
	if p.take('e') || p.take('E') {
		whole = false
		if !p.take('+') {
			p.take('-')
		}
		if !digits() {
			return p.wrong()
		}
	}
	text := string(p.in[start:p.at])
	if len(text) <= maxNumber {
		f, err := strconv.ParseFloat(text, 64)
		shown, wrong := jcs.NumberToJSON(f)
		if err == nil && wrong == nil && decimalOf(text) == decimalOf(shown) && (!whole || math.Abs(f) <= 1<<53) {
			return nil
		}
	}
	return bad("the number %s has more digits than JSON readers agree on; a report has none like it", fault.Clip(text, maxQuoted))
}

// decimal is the sign of a number, its digits without zeros at either end, and the power of
// ten of its last digit.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf reads a valid JSON number of at most maxNumber characters exactly.
func decimalOf(text string) (d decimal) {
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if exponent != "" {
		d.exponent, _ = strconv.Atoi(exponent) // its size is bounded by the double's
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(trimmed)
	if d.digits = trimmed; d.digits == "" {
		d.exponent = 0
	}
	return d
}

// canonical returns the RFC 8785 form of an object with these members.
func canonical(members []member) ([]byte, error) {
	var object bytes.Buffer
	object.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			object.WriteByte(',')
		}
		object.Write(m.quoted)
		object.WriteByte(':')
		object.Write(m.value.raw)
	}
	object.WriteByte('}')
	form, err := jcs.Transform(object.Bytes())
	if err != nil {
		return nil, bad("the report has no canonical form: %v", err)
	}
	return form, nil
}
