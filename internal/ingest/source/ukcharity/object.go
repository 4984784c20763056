package ukcharity

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Errors of reading JSON.
var (
	errShort  = errors.New("the text ends within the object")
	errBroken = errors.New("not an object in JSON")
)

// maxDepth is how deep a field may be nested. No column of the register is
// nested, so nested fields are only skipped.
const maxDepth = 8

// object reads the object that b begins with into the row and returns its
// length. A line break inside a string is an error, because the register has
// one object per line: an unclosed string is then noticed on its own line.
// Other control characters are allowed.
func (l *loader) object(b []byte) (n int, err error) {
	i := pass(b, 1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		if i == len(b) {
			return 0, errShort
		}
		if b[i] != '"' {
			return 0, errBroken
		}
		key, escaped, err := text(b[i:])
		if err != nil {
			return 0, err
		}
		i = pass(b, i+len(key)+2)
		if i == len(b) {
			return 0, errShort
		}
		if b[i] != ':' {
			return 0, errBroken
		}
		i = pass(b, i+1)
		if escaped {
			name, ok := unescape(key)
			if !ok {
				return 0, errBroken
			}
			key = []byte(name)
		}
		n, err := l.value(l.slot(key), b[i:])
		if err != nil {
			return 0, err
		}
		i = pass(b, i+n)
		switch {
		case i == len(b):
			return 0, errShort
		case b[i] == '}':
			return i + 1, nil
		case b[i] != ',':
			return 0, errBroken
		}
		i = pass(b, i+1)
	}
}

// pass returns the offset of the first byte at or after i that is not blank.
func pass(b []byte, i int) int {
	for i < len(b) && blank(b[i]) {
		i++
	}
	return i
}

// value reads the value that b begins with and returns its length. Without a
// slot, the value is skipped.
func (l *loader) value(to *slot, b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, errShort
	}
	switch c := b[0]; {
	case c == '"':
		raw, escaped, err := text(b)
		if err != nil {
			return 0, err
		}
		n = len(raw) + 2
		if to == nil {
			return n, nil
		}
		if escaped {
			s, ok := unescape(raw)
			if !ok {
				return 0, errBroken
			}
			raw = []byte(s)
		}
		l.set(to, raw)
		return n, nil
	case c == '{', c == '[':
		n, err := nested(b, maxDepth)
		if err == nil && to != nil {
			l.blank(to)
		}
		return n, err
	case c == '-', '0' <= c && c <= '9':
		for n < len(b) && (b[n] == '-' || b[n] == '+' || b[n] == '.' || b[n]|0x20 == 'e' || '0' <= b[n] && b[n] <= '9') {
			n++
		}
		if n == len(b) {
			return 0, errShort
		}
		if to != nil {
			l.set(to, b[:n])
		}
		return n, nil
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if n := min(len(b), len(word)); string(b[:n]) == word[:n] {
			switch {
			case n < len(word):
				return 0, errShort
			case to != nil && word != "null":
				l.setBool(to, word == "true")
			}
			return n, nil
		}
	}
	return 0, errBroken
}

// text returns the text between the quotes of the string that b begins with,
// and whether it has escapes.
func text(b []byte) (raw []byte, escaped bool, err error) {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return b[1:i], escaped, nil
		case '\\':
			escaped = true
			i++
		case '\n':
			return nil, false, errBroken
		}
	}
	return nil, false, errShort
}

// nested returns the length of the object or array that b begins with, unless
// it is nested too deep.
func nested(b []byte, most int) (n int, err error) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			raw, _, err := text(b[i:])
			if err != nil {
				return 0, err
			}
			i += len(raw) + 1
		case '{', '[':
			if depth++; depth > most {
				return 0, errBroken
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, errShort
}

// closing returns the length of the object that b begins with if it ends on
// the line it begins on.
func closing(b []byte) (n int, err error) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		n, err = nested(b[:i], len(b))
		if err == errShort {
			err = errBroken
		}
		return n, err
	}
	return nested(b, len(b))
}

// unescape undoes the escapes of a string. Half a surrogate pair becomes the
// replacement character.
func unescape(raw []byte) (string, bool) {
	var out strings.Builder
	out.Grow(len(raw))
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			out.Write(raw)
			return out.String(), true
		}
		out.Write(raw[:i])
		if raw = raw[i+1:]; len(raw) == 0 {
			return "", false
		}
		c := raw[0]
		raw = raw[1:]
		switch c {
		case '"', '\\', '/':
			out.WriteByte(c)
		case 'b':
			out.WriteByte('\b')
		case 'f':
			out.WriteByte('\f')
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case 'u':
			r, ok := hex4(raw)
			if !ok {
				return "", false
			}
			raw = raw[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
					if low, ok = hex4(raw[2:]); !ok {
						return "", false
					}
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					raw = raw[6:]
				}
			}
			out.WriteRune(r)
		default:
			return "", false
		}
	}
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
