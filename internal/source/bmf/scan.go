package bmf

import (
	"bytes"
	"io"
	"strings"
)

// maxRow bounds one row. The longest real row is under 400 bytes.
const maxRow = 16 << 10

// rowError is the reason for which one row cannot be read; the rows after it
// can.
type rowError string

func (e rowError) Error() string { return string(e) }

// scanner cuts a stream into rows. A quoted field may hold a line break, so a
// row ends at the first line break outside quotes. A quote that is never
// closed would swallow the rest of the file; it is given up after maxRow bytes
// and reading goes on at the line after the one it stood in.
type scanner struct {
	r          io.Reader
	buf        []byte
	start, end int
	err        error // the stream's end, once met
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, 256<<10)}
}

// next returns the next row without its line break, and whether it holds a
// quote. The bytes are valid until the next call.
func (s *scanner) next() (row []byte, quoted bool, err error) {
	for scanned := 0; ; {
		window := s.buf[s.start:s.end]
		if n, quotes, ok := rowEnd(window, &scanned); ok {
			s.start += n + 1
			return trimCR(window[:n]), quotes, nil
		}
		switch {
		case len(window) > maxRow:
			return nil, false, s.resync()
		case s.err == nil:
			s.fill()
		case s.err != io.EOF:
			return nil, false, s.err
		case len(window) == 0:
			return nil, false, io.EOF
		case unclosed(window):
			return nil, false, s.resync()
		default:
			s.start = s.end
			return trimCR(window), bytes.IndexByte(window, '"') >= 0, nil
		}
	}
}

// rowEnd looks for a line break outside quotes within the first maxRow bytes.
// scanned carries over how much of an unquoted row has been searched already.
func rowEnd(window []byte, scanned *int) (n int, quoted, ok bool) {
	i := bytes.IndexByte(window[*scanned:], '\n')
	if i < 0 {
		if bytes.IndexByte(window, '"') < 0 {
			*scanned = len(window)
		}
		return 0, false, false
	}
	n = *scanned + i
	if n > maxRow {
		return 0, false, false
	}
	if bytes.IndexByte(window[:n], '"') < 0 {
		return n, false, true
	}
	n, open := rowLen(window[:min(len(window), maxRow)])
	if open || n == min(len(window), maxRow) {
		return 0, false, false
	}
	return n, true, true
}

// rowLen is the length of the row that b starts with, up to a line break
// outside quotes or the end of b. open says that b ends inside quotes. A quote
// opens only at the start of a field; elsewhere it is part of the text.
func rowLen(b []byte) (n int, open bool) {
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
		start, closed = !open && c == ',', false
	}
	return len(b), open
}

// resync drops the line at hand and says why it was no row.
func (s *scanner) resync() error {
	reason := rowError(ReasonOverlong)
	for first := true; ; first = false {
		window := s.buf[s.start:s.end]
		if i := bytes.IndexByte(window, '\n'); i >= 0 {
			if first && i <= maxRow {
				reason = ReasonQuote
			}
			s.start += i + 1
			return reason
		}
		if first && len(window) <= maxRow {
			reason = ReasonQuote
		}
		s.start = s.end
		if s.err != nil {
			return reason
		}
		s.fill()
	}
}

// fill reads more, making room first. The buffer is many rows long, so there
// always is room once the rows behind have been given up.
func (s *scanner) fill() {
	if s.start > 0 {
		copy(s.buf, s.buf[s.start:s.end])
		s.end -= s.start
		s.start = 0
	}
	// A stream may come in small pieces; a row is not looked at again for
	// each of them.
	for want, idle := s.end+maxRow, 0; s.end < want; idle++ {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		switch {
		case err != nil:
			s.err = err
			return
		case n > 0:
			idle = 0
		case idle == 100:
			s.err = io.ErrNoProgress
			return
		}
	}
}

func unclosed(b []byte) bool {
	_, open := rowLen(b)
	return open
}

func trimCR(b []byte) []byte { return bytes.TrimSuffix(b, []byte{'\r'}) }

// split cuts a row into fields, at most limit of them. Quotes are undone only
// where a field starts with one; elsewhere they are part of the text.
func split(fields []string, row string, quoted bool, limit int) []string {
	for len(fields) < limit {
		if quoted && strings.HasPrefix(row, `"`) {
			field, rest, more := unquote(row)
			fields = append(fields, field)
			if !more {
				return fields
			}
			row = rest
			continue
		}
		i := strings.IndexByte(row, ',')
		if i < 0 {
			return append(fields, row)
		}
		fields = append(fields, row[:i])
		row = row[i+1:]
	}
	return fields
}

// unquote reads the quoted field that row starts with. Text between the closing
// quote and the comma is kept, as spreadsheets do.
func unquote(row string) (field, rest string, more bool) {
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
		tail, rest, more := strings.Cut(row, ",")
		b.WriteString(tail)
		return b.String(), rest, more
	}
}
