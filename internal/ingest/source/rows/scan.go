package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
)

// RowError is the reason why one row cannot be read. Later rows can still be read.
type RowError string

func (e RowError) Error() string { return string(e) }

const maxFields = 1024

// Scanner splits a stream into rows and rows into fields. A quoted field may contain a line break, so a row
// ends at the first line break outside quotes. A quote that is never closed would swallow the rest of the
// file. The scanner gives up on it after the longest allowed row and resumes at the next line.
type Scanner struct {
	r      *bufio.Reader
	sep    byte
	quotes bool
	maxRow int
	err    error // the stream's end, once met
	begun  bool
	fields []string
}

func NewScanner(r io.Reader, l Layout) *Scanner {
	l.MaxRow = cmp.Or(l.MaxRow, 16<<10)
	return &Scanner{r: bufio.NewReaderSize(r, max(256<<10, 4*l.MaxRow)), sep: l.Separator, quotes: l.Quotes, maxRow: l.MaxRow}
}

// Fields returns the fields of the next row that is not blank. The list is reused by the next call; the strings share one copy
// of the row, so a caller that keeps a string must clone it. The error is io.EOF at the end, a RowError if only this row cannot
// be read, ErrPage if the file is a web page, and otherwise the error of the stream.
func (s *Scanner) Fields() ([]string, error) {
	for {
		row, quoted, err := s.next()
		if err != nil {
			return nil, err
		}
		if !s.begun {
			row = bytes.TrimPrefix(row, []byte("\xef\xbb\xbf"))
		}
		if len(bytes.TrimSpace(row)) == 0 {
			continue
		}
		if !s.begun {
			s.begun = true
			if t := bytes.TrimSpace(row); len(t) > 0 && t[0] == '<' {
				return nil, ErrPage
			}
		}
		s.fields = s.split(s.fields[:0], string(row), quoted)
		return s.fields, nil
	}
}

// Table returns the fields of one row after the other, as Scanner does.
type Table interface{ Fields() ([]string, error) }

// Use reads a table like Each. It calls each for every row that take has found no
// reason to leave out, and returns an error of each apart from those of reading.
func Use(t Table, tally *Tally, columns int, take func(fields []string) (reason string), each func() error) (failed, err error) {
	err = Each(t, tally, columns, func(fields []string) (string, error) {
		if reason := take(fields); reason != "" {
			return reason, nil
		}
		failed = each()
		return "", failed
	})
	return failed, err
}

// Each calls fn with the fields of every row that has the number of columns given, or any number when columns
// is 0. fn returns the reason to leave out a row, or "" if it used the row. tally counts both.
func Each(t Table, tally *Tally, columns int, fn func(fields []string) (reason string, err error)) error {
	for {
		fields, err := t.Fields()
		if err == io.EOF {
			return nil
		}
		if reason := (RowError)(""); errors.As(err, &reason) {
			tally.Reject(string(reason))
			continue
		}
		if err != nil {
			return err
		}
		if columns > 0 && len(fields) != columns {
			tally.Reject(ReasonColumns)
			continue
		}
		reason, err := fn(fields)
		if err != nil {
			return err
		}
		if reason != "" {
			tally.Reject(reason)
			continue
		}
		tally.Rows++
	}
}

// next returns the next row without its line break, and whether it holds a
// quote that counts. The bytes are valid until the next call.
func (s *Scanner) next() (row []byte, quoted bool, err error) {
	for scanned := 0; ; {
		window := s.window()
		if n, quotes, ok := s.rowEnd(window, &scanned); ok {
			s.skip(n + 1)
			return trimCR(window[:n]), quotes, nil
		}
		switch {
		case len(window) > s.maxRow:
			return nil, false, s.resync()
		case s.err == nil:
			s.fill()
		case s.err != io.EOF:
			return nil, false, s.err
		case len(window) == 0:
			return nil, false, io.EOF
		case s.unclosed(window):
			return nil, false, s.resync()
		default:
			s.skip(len(window))
			return trimCR(window), s.quoted(window), nil
		}
	}
}

// rowEnd looks for a line break outside quotes within the longest row.
// scanned carries over how much of an unquoted row has been searched already.
func (s *Scanner) rowEnd(window []byte, scanned *int) (n int, quoted, ok bool) {
	i := bytes.IndexByte(window[*scanned:], '\n')
	if i < 0 {
		if !s.quoted(window) {
			*scanned = len(window)
		}
		return 0, false, false
	}
	n = *scanned + i
	if n > s.maxRow {
		return 0, false, false
	}
	if !s.quoted(window[:n]) {
		return n, false, true
	}
	n, open := s.rowLen(window[:min(len(window), s.maxRow)])
	if open || n == min(len(window), s.maxRow) {
		return 0, false, false
	}
	return n, true, true
}

// rowLen is the length of the row that b starts with, up to a line break outside quotes or the end of b. open says that b ends
// inside quotes. A quote opens only at the start of a field; elsewhere it is part of the text.
func (s *Scanner) rowLen(b []byte) (n int, open bool) {
	start, closed := true, false
	for i, c := range b {
		switch {
		case c == '"':
			switch {
			case open:
				open, closed = false, true
				continue
			case start || closed:
				open = true
			}
		case open:
		case c == '\n':
			return i, false
		}
		start, closed = !open && c == s.sep, false
	}
	return len(b), open
}

// resync drops the current line and returns why it was not a row.
func (s *Scanner) resync() error {
	reason := RowError(ReasonOverlong)
	for first := true; ; first = false {
		window := s.window()
		if i := bytes.IndexByte(window, '\n'); i >= 0 {
			if first && i <= s.maxRow {
				reason = ReasonQuote
			}
			s.skip(i + 1)
			return reason
		}
		if first && len(window) <= s.maxRow {
			reason = ReasonQuote
		}
		s.skip(len(window))
		if s.err != nil {
			return reason
		}
		s.fill()
	}
}

func (s *Scanner) window() []byte {
	window, _ := s.r.Peek(s.r.Buffered())
	return window
}

func (s *Scanner) skip(n int) { _, _ = s.r.Discard(n) }

// fill reads more. It waits for the length of a row, because a stream may arrive in
// small pieces, and the row should not be scanned again for each of them.
func (s *Scanner) fill() { _, s.err = s.r.Peek(s.r.Buffered() + s.maxRow) }

func (s *Scanner) unclosed(b []byte) bool {
	_, open := s.rowLen(b)
	return s.quotes && open
}

func (s *Scanner) quoted(b []byte) bool { return s.quotes && bytes.IndexByte(b, '"') >= 0 }

func trimCR(b []byte) []byte { return bytes.TrimSuffix(b, []byte{'\r'}) }

// split cuts a row into fields, at most maxFields of them. Quotes are undone only
// where a field starts with one; elsewhere they are part of the text.
func (s *Scanner) split(fields []string, row string, quoted bool) []string {
	for len(fields) < maxFields {
		if quoted && strings.HasPrefix(row, `"`) {
			field, rest, more := s.unquote(row)
			fields = append(fields, field)
			if !more {
				return fields
			}
			row = rest
			continue
		}
		i := strings.IndexByte(row, s.sep)
		if i < 0 {
			return append(fields, row)
		}
		fields = append(fields, row[:i])
		row = row[i+1:]
	}
	return fields
}

// unquote reads the quoted field that row starts with. Text between the closing
// quote and the separator is kept, as spreadsheets do.
func (s *Scanner) unquote(row string) (field, rest string, more bool) {
	var b strings.Builder
	row = row[1:]
	for {
		i := strings.IndexByte(row, '"')
		if i < 0 {
			b.WriteString(row)
			return b.String(), "", false
		}
		b.WriteString(row[:i])
		row = row[i+1:]
		if strings.HasPrefix(row, `"`) {
			b.WriteByte('"')
			row = row[1:]
			continue
		}
		i = strings.IndexByte(row, s.sep)
		if i < 0 {
			b.WriteString(row)
			return b.String(), "", false
		}
		b.WriteString(row[:i])
		return b.String(), row[i+1:], true
	}
}
