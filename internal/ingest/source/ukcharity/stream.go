package ukcharity

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"grantgraph/internal/ingest/source/rows"
)

// maxObject is the longest object. The longest texts of the register, the
// objects of a charity, have some tens of thousands of characters.
const maxObject = 1 << 20

// stream is a window on the text that moves forward and grows when it must.
type stream struct {
	*bufio.Reader
	err error // the stream's end, once met
}

func (s *stream) window() []byte {
	window, _ := s.Peek(s.Buffered())
	return window
}

func (s *stream) skip(n int) { _, _ = s.Discard(n) }

// more doubles the window, so that the bytes scanned again never exceed the
// bytes read. It reports false at the end of the text.
func (s *stream) more() bool {
	if s.err != nil {
		return false
	}
	have := s.Buffered()
	_, s.err = s.Peek(min(max(64<<10, 2*have), s.Size()))
	return s.Buffered() > have
}

// begin skips a byte order mark and blank space and returns the first byte of the text. ok is false if the text is empty.
func (s *stream) begin() (c byte, ok bool) {
	s.more()
	if bytes.HasPrefix(s.window(), []byte("\xef\xbb\xbf")) {
		s.skip(3)
	}
	return s.peek(false)
}

// peek skips blank space, and commas on request, and returns the next byte. ok is false at the end.
func (s *stream) peek(commas bool) (c byte, ok bool) {
	for {
		for i, c := range s.window() {
			if !blank(c) && !(commas && c == ',') {
				s.skip(i)
				return c, true
			}
		}
		s.skip(s.Buffered())
		if !s.more() {
			return 0, false
		}
	}
}

func (s *stream) line() {
	for {
		if i := bytes.IndexByte(s.window(), '\n'); i >= 0 {
			s.skip(i + 1)
			return
		}
		s.skip(s.Buffered())
		if !s.more() {
			return
		}
	}
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// array reads the objects of the array at the current position. The register has one object per line, but any
// layout works. After an unreadable object, reading resumes after its closing brace if the brace is on the
// same line, and otherwise at the next line that begins with an object.
func (l *loader) array(s *stream) error {
	s.skip(1)
	for lost := false; ; {
		switch first, ok := s.peek(true); {
		case !ok && s.err != io.EOF:
			return s.err
		case !ok:
			return fmt.Errorf("the array is not closed, so the file was cut short; fetch it again: %w", io.ErrUnexpectedEOF)
		case first == ']':
			s.skip(1)
			_, more := s.peek(false)
			switch {
			case !more && s.err == io.EOF:
				return nil
			case !more:
				return s.err
			case !lost:
				return fmt.Errorf("%w: text follows the end of the array; fetch it again", ErrFormat)
			}
			// A bracket inside an unreadable object.
			s.line()
		case first != '{':
			if l.tally.Rows == 0 && l.tally.Lost() == 0 {
				return fmt.Errorf("%w: the array does not hold objects", ErrFormat)
			}
			if !lost {
				l.tally.Reject(ReasonBroken)
			}
			lost = true
			s.line()
		default:
			if err := l.next(s, &lost); err != nil {
				return err
			}
		}
	}
}

// next reads the object at the current position and passes it on.
func (l *loader) next(s *stream, lost *bool) error {
	object := func() []byte { return s.window()[:min(len(s.window()), maxObject)] }
	l.begin()
	n, err := l.object(object())
	for err == errShort && len(s.window()) < maxObject && s.more() {
		l.begin()
		n, err = l.object(object())
	}
	switch {
	case err == nil:
		s.skip(n)
		*lost = false
		reason, err := l.end()
		switch {
		case err != nil:
			return err
		case reason != "":
			l.tally.Reject(reason)
		default:
			l.tally.Rows++
		}
		return nil
	case err == errBroken:
		l.tally.Reject(ReasonBroken)
	case len(s.window()) >= maxObject:
		l.tally.Reject(rows.ReasonOverlong)
	case s.err != io.EOF:
		return s.err
	default: // the text ends within the object
		l.tally.Reject(ReasonBroken)
	}
	n, err = closing(object())
	for err == errShort && len(s.window()) < maxObject && s.more() {
		n, err = closing(object())
	}
	if *lost = err != nil; *lost {
		s.line()
	} else {
		s.skip(n)
	}
	return nil
}

// Errors of reading JSON.
var (
	errShort  = errors.New("the text ends within the object")
	errBroken = errors.New("not an object in JSON")
)

// maxDepth is how deep a field may be nested. No column of the register is nested, so nested fields are only skipped.
const maxDepth = 8

// object reads the object that b begins with into the row and returns its length. A line break inside a
// string is an error, because the register has one object per line: an unclosed string is then noticed on its
// own line. Other control characters are allowed.
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

func pass(b []byte, i int) int {
	for i < len(b) && blank(b[i]) {
		i++
	}
	return i
}

// value reads the value that b begins with and returns its length. Without a slot, the value is skipped.
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
				l.setWord(to, b[:n])
			}
			return n, nil
		}
	}
	return 0, errBroken
}

// text returns the text between the quotes of the string that b begins with, and whether it has escapes.
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

// nested returns the length of the object or array that b begins with, unless it is nested too deep.
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

// closing returns the length of the object that b begins with if it ends on the line it begins on.
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

// unescape undoes the escapes of a string. Half a surrogate pair becomes the replacement character.
func unescape(raw []byte) (s string, ok bool) {
	quoted := []byte{'"'}
	for _, c := range raw {
		if c < ' ' { // which the standard decoder does not accept as it is
			quoted = fmt.Appendf(quoted, `\u%04x`, c)
		} else {
			quoted = append(quoted, c)
		}
	}
	err := json.Unmarshal(append(quoted, '"'), &s)
	return s, err == nil
}
