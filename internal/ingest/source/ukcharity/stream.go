package ukcharity

import (
	"bufio"
	"bytes"
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
