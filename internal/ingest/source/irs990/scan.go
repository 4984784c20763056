package irs990

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"grantgraph/internal/fault"
)

// The scanner holds a window of the file. A tag must fit into the window. A
// text value may be longer: it is collected up to MaxText and cut there.
const (
	window    = 256 << 10
	lookahead = 8 << 10 // refilled below this, so that most leaves lie whole in the window
	maxDepth  = 256
	maxName   = 1 << 10
)

// FormatError says why a document cannot be read as a return, and where reading
// stopped. Only a fresh download of the file can help.
type FormatError struct {
	Offset int64 // byte offset into the document
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("irs990: not a readable return: %s (at byte %d)", e.Reason, e.Offset)
}

// frame is an open element: its meaning in this place, and where its name is on the stack of names.
type frame struct {
	node *node
	name int // start of the name in scanner.names
	text int // start of its text in scanner.text; -1 when the text is not wanted
}

// scanner is a pull scanner over a sliding window. It checks that elements nest, and little else: names are
// compared as bytes, and text that is not wanted is not examined.
type scanner struct {
	src  io.Reader
	buf  []byte // the window; buf[pos:end] is unread
	pos  int
	end  int
	base int64 // offset of buf[0] in the document
	eof  bool

	names  []byte // names of the open elements, one after the other
	frames []frame
	text   []byte // gathered text of leaves that did not fit the fast path
}

func (s *scanner) reset(r io.Reader) {
	if s.buf == nil {
		s.buf = make([]byte, window)
	}
	s.src, s.pos, s.end, s.base, s.eof = r, 0, 0, 0, false
	s.names, s.frames, s.text = s.names[:0], s.frames[:0], s.text[:0]
}

func (s *scanner) fail(at int, format string, args ...any) error {
	return &FormatError{Offset: s.base + int64(at), Reason: fmt.Sprintf(format, args...)}
}

// fill moves the unread bytes to the front of the window and reads on until the window is full or the input
// pauses. It reports an error only when the reader failed; the end of the input is s.eof.
func (s *scanner) fill() error {
	if s.eof {
		return nil
	}
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end])
		s.base += int64(s.pos)
		s.end -= s.pos
		s.pos = 0
	}
	for idle := 0; s.end < len(s.buf); {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		if errors.Is(err, io.EOF) {
			s.eof = true
			return nil
		}
		if err != nil {
			return fmt.Errorf("irs990: reading at byte %d: %w", s.base+int64(s.end), err)
		}
		if n == 0 {
			if idle++; idle > 100 {
				return io.ErrNoProgress
			}
			continue
		}
		if s.end >= lookahead {
			return nil
		}
	}
	return nil
}

// more fills the window for a token that starts at s.pos and did not end in it. what names the token for the error.
func (s *scanner) more(what string) error {
	if s.eof {
		return s.fail(s.end, "the document ends inside %s", what)
	}
	if s.pos == 0 && s.end == len(s.buf) {
		return s.fail(s.pos, "%s is longer than %d bytes", what, len(s.buf))
	}
	had := s.end - s.pos
	if err := s.fill(); err != nil {
		return err
	}
	if s.end-s.pos == had && s.eof {
		return s.fail(s.end, "the document ends inside %s", what)
	}
	return nil
}

// prologue checks the first bytes: that the document is not empty, and that its encoding is UTF-8.
func (s *scanner) prologue() error {
	if err := s.fill(); err != nil {
		return err
	}
	head := s.buf[:s.end]
	switch {
	case len(head) == 0:
		return s.fail(0, "the document is empty")
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		s.pos = 3
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\xff\xfe")),
		len(head) > 1 && (head[0] == 0 || head[1] == 0):
		return s.fail(0, "the encoding is UTF-16 or UTF-32; only UTF-8 is read")
	}
	return nil
}

// instruction consumes <?...?>. If the XML declaration names an encoding other
// than UTF-8, the file is refused, because it would be misread.
func (s *scanner) instruction() error {
	for {
		body := s.buf[s.pos+2 : s.end]
		i := bytes.Index(body, []byte("?>"))
		if i < 0 {
			if err := s.more("a processing instruction"); err != nil {
				return err
			}
			continue
		}
		body = body[:i]
		if len(body) > 3 && string(body[:3]) == "xml" && isSpace[body[3]] {
			if enc := attribute(body[3:], "encoding"); enc != nil && !bytes.EqualFold(enc, []byte("utf-8")) &&
				!bytes.EqualFold(enc, []byte("utf8")) && !bytes.EqualFold(enc, []byte("us-ascii")) {
				return s.fail(s.pos, "the encoding is %q; only UTF-8 is read", quoted(enc))
			}
		}
		s.pos += i + 4
		return nil
	}
}

// skipPast consumes up to and including the terminator, however far away it is: comments may be longer than
// the window. keep, if not nil, receives the bytes before the terminator, in pieces.
func (s *scanner) skipPast(opener int, terminator, what string, keep func([]byte)) error {
	s.pos += opener
	for {
		body := s.buf[s.pos:s.end]
		if i := bytes.Index(body, []byte(terminator)); i >= 0 {
			if keep != nil {
				keep(body[:i])
			}
			s.pos += i + len(terminator)
			return nil
		}
		if s.eof {
			return s.fail(s.end, "the document ends inside %s", what)
		}
		if n := len(body) - len(terminator) + 1; n > 0 {
			if keep != nil {
				keep(body[:n])
			}
			s.pos += n
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// tagEnd finds the '>' that ends the tag at s.pos, past any '>' in quoted attribute values, and returns the
// text between the brackets. plain is true when the tag is nothing but a name.
func (s *scanner) tagEnd() (tag []byte, plain bool, err error) {
	for {
		body := s.buf[s.pos+1 : s.end]
		i := bytes.IndexByte(body, '>')
		if i >= 0 {
			tag = body[:i]
			if bytes.IndexByte(tag, '=') < 0 {
				return tag, len(tag) > 0 && nameByte[tag[len(tag)-1]] && bytes.IndexByte(tag, ' ') < 0, nil
			}
			if i = quotedEnd(body); i >= 0 {
				return body[:i], false, nil
			}
		}
		if err := s.more("a tag"); err != nil {
			return nil, false, err
		}
	}
}

// quotedEnd is the index of the first '>' outside quotes, or -1.
func quotedEnd(b []byte) int {
	quote := byte(0)
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i
		}
	}
	return -1
}

// attribute returns the raw value of the attribute with the given local name, or nil.
func attribute(b []byte, name string) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n")
		eq := bytes.IndexByte(b, '=')
		if eq < 0 {
			return nil
		}
		key := bytes.TrimRight(b[:eq], " \t\r\n")
		b = bytes.TrimLeft(b[eq+1:], " \t\r\n")
		if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
			return nil
		}
		stop := bytes.IndexByte(b[1:], b[0])
		if stop < 0 {
			return nil
		}
		if string(local(key)) == name {
			return b[1 : 1+stop]
		}
		b = b[stop+2:]
	}
}

func local(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// push opens an element whose children or remaining text are still to come.
func (s *scanner) push(name []byte, n *node) error {
	if len(s.frames) >= maxDepth {
		return s.fail(s.pos, "elements are nested deeper than %d", maxDepth)
	}
	f := frame{node: n, name: len(s.names), text: -1}
	if n.hasValue() {
		f.text = len(s.text)
	}
	s.names = append(s.names, name...)
	s.frames = append(s.frames, f)
	return nil
}

// gather keeps a piece of the innermost element's text, if that text is wanted.
func (s *scanner) gather(piece []byte) {
	f := &s.frames[len(s.frames)-1]
	if f.text < 0 {
		return
	}
	// One byte more than the limit shows that a value was cut and does not just fit.
	room := MaxText + 1 - (len(s.text) - f.text)
	s.text = append(s.text, piece[:min(len(piece), max(room, 0))]...)
}

var (
	isSpace  = [256]bool{' ': true, '\t': true, '\r': true, '\n': true}
	nameByte = func() (t [256]bool) {
		for c := range t {
			t[c] = c == '_' || c == '-' || c == '.' || c == ':' || c >= '0' && c <= '9' ||
				c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf
		}
		return t
	}()
)

func blank(b []byte) bool { return len(bytes.TrimLeft(b, " \t\r\n")) == 0 }

func quoted(b []byte) string {
	const most = 40
	b = b[:min(len(b), most+utf8.UTFMax)]
	return fault.Clip(string(bytes.ToValidUTF8(b, []byte("?"))), most)
}

// plainByte marks the bytes that need no further check in a value: printable ASCII except the ampersand.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '&'
	}
	t['\t'], t['\n'] = true, true
	return t
}()

// unescape appends raw to dst with entities resolved, line ends normalized to a newline, and bytes and characters that XML does
// not allow replaced by U+FFFD. An undeclared entity stays as it was typed: filers write AT&T;.
func unescape(dst, raw []byte) []byte {
	for len(raw) > 0 {
		c := raw[0]
		switch {
		case c == '&':
			r, n := entity(raw)
			if n == 0 {
				dst, raw = append(dst, '&'), raw[1:]
				continue
			}
			dst, raw = utf8.AppendRune(dst, r), raw[n:]
		case c == '\r':
			dst = append(dst, '\n')
			raw = raw[1:]
			if len(raw) > 0 && raw[0] == '\n' {
				raw = raw[1:]
			}
		case c < ' ' && c != '\t' && c != '\n':
			dst, raw = utf8.AppendRune(dst, utf8.RuneError), raw[1:]
		case c < utf8.RuneSelf:
			dst, raw = append(dst, c), raw[1:]
		default:
			r, n := utf8.DecodeRune(raw)
			dst, raw = utf8.AppendRune(dst, r), raw[n:]
		}
	}
	return dst
}

// entity decodes the reference at the start of b, which begins with an ampersand. n is its length, or 0 if it
// is neither one of the five predefined entities nor a character reference.
func entity(b []byte) (r rune, n int) {
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 0 {
		return 0, 0
	}
	switch string(b[1:end]) {
	case "amp":
		return '&', 5
	case "lt":
		return '<', 4
	case "gt":
		return '>', 4
	case "quot":
		return '"', 6
	case "apos":
		return '\'', 6
	}
	if b[1] != '#' {
		return 0, 0
	}
	digits, base := b[2:end], 10
	if len(digits) > 0 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || len(digits) == 0 || digits[0] == '+' || digits[0] == '_' {
		return 0, 0
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) || code < ' ' && code != '\t' && code != '\n' && code != '\r' {
		return utf8.RuneError, end + 1
	}
	return rune(code), end + 1
}

// wholeReferences drops an incomplete character or reference at the end of a value that was cut.
func wholeReferences(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				b = b[:i]
			}
			break
		}
	}
	tail := max(len(b)-12, 0)
	if i := bytes.LastIndexByte(b[tail:], '&'); i >= 0 && bytes.IndexByte(b[tail+i:], ';') < 0 {
		b = b[:tail+i]
	}
	return b
}

// parseAmount reads a whole-dollar figure. Cents are dropped and separators ignored. Text that is not a
// number, or exceeds 64 bits, counts as not reported.
func parseAmount(b []byte) Amount {
	b = bytes.TrimSpace(b)
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	var n uint64
	digits := 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			if n > (math.MaxInt64-9)/10 {
				return Amount{}
			}
			n = n*10 + uint64(c-'0')
			digits++
			continue
		case c == ',' && digits > 0:
			continue
		case c == '.' && onlyDigits(b[i+1:]) && digits+len(b)-i > 1:
		default:
			return Amount{}
		}
		break
	}
	if digits == 0 && !bytes.ContainsRune(b, '.') {
		return Amount{}
	}
	if negative {
		return Amount{Value: -int64(n), Set: true}
	}
	return Amount{Value: int64(n), Set: true}
}

func onlyDigits(b []byte) bool { return len(bytes.Trim(b, "0123456789")) == 0 }

// marked reads a check box or an indicator in any of its spellings.
func marked(b []byte) bool {
	switch string(bytes.TrimSpace(b)) {
	case "X", "x", "1", "true", "TRUE", "True", "Y", "yes", "Yes", "YES":
		return true
	}
	return false
}
