package sheet

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/windows1252"
)

// records splits delimited text into records. A quotation mark within a cell that does not
// begin with one is an ordinary character.
type records struct {
	layout
	in    *bufio.Reader
	line  int // of the next record, from 1
	first int // line of the record that next has read

	// The record that next has read. Its cells follow each other in values, without their quotation marks.
	raw     []byte
	values  []byte
	ends    []int
	newline string
}

func (r *records) cell(i int) []byte {
	from := 0
	if i > 0 {
		from = r.ends[i-1]
	}
	return r.values[from:r.ends[i]]
}

func (r *records) cells() (list []string) {
	for i := range r.ends {
		list = append(list, toUTF8(r.cell(i)))
	}
	return list
}

func (r *records) row() Row {
	return Row{Line: r.first, text: toUTF8(r.raw), cells: len(r.ends), newline: r.newline, Blank: len(r.raw) == 0}
}

// next reads a record, and returns io.EOF after the last.
func (r *records) next() error {
	r.raw, r.values, r.ends, r.newline = r.raw[:0], r.values[:0], r.ends[:0], ""
	const (
		begin  = iota // of a cell
		plain         // in a cell without quotation marks
		quoted        // between quotation marks
		closed        // after the closing quotation mark
	)
	state, spans := begin, false
	r.first = r.line
	for {
		c, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			switch {
			case state == quoted:
				return fault.New("sheet_quotes", "a quotation mark in the row on line %d is never closed", r.first).
					Try("correct that row; within a quoted cell, quotation marks are doubled")
			case len(r.raw) == 0:
				return io.EOF
			}
			r.ends = append(r.ends, len(r.values))
			return nil
		}
		if err != nil {
			return err
		}
		if c == 0 {
			return errBinary()
		}
		if c == '\n' {
			r.line++
		}
		if state != quoted && r.endsLine(c) {
			r.ends = append(r.ends, len(r.values))
			return nil
		}
		if len(r.raw) == maxRecord {
			f := fault.New("sheet_row_too_long", "the row on line %d has more than %d characters", r.first, maxRecord)
			if state == quoted || spans {
				return f.Try("a quotation mark in it may never be closed")
			}
			return f.Try("check that the file is a spreadsheet exported as CSV, with one row on each line")
		}
		r.raw = append(r.raw, c)
		switch {
		case state == quoted && c == '"':
			if next, _ := r.in.Peek(1); len(next) == 1 && next[0] == '"' {
				_, _ = r.in.Discard(1) // it was peeked at
				r.raw, r.values = append(r.raw, c), append(r.values, c)
				continue
			}
			state = closed
		case state == quoted:
			spans = spans || c == '\n' || c == '\r'
			r.values = append(r.values, c)
		case c == r.delimiter:
			if r.ends = append(r.ends, len(r.values)); len(r.ends) >= maxColumns {
				return fault.New("sheet_too_wide", "the row on line %d has more than %d columns", r.first, maxColumns).
					Try("check that the file is a spreadsheet exported as CSV")
			}
			state = begin
		case state == begin && c == '"':
			state = quoted
		case state == closed && spans && c != ' ':
			// After several lines it more likely opens a cell, and the rows in between would be lost.
			return fault.New("sheet_quotes", "the quotation marks in the row on line %d do not match", r.first).
				Try("correct that row; within a quoted cell, quotation marks are doubled")
		default:
			if state == begin {
				state = plain
			}
			r.values = append(r.values, c)
		}
	}
}

// endsLine reports whether the line ends with c, and reads the rest of its end.
func (r *records) endsLine(c byte) bool {
	switch {
	case c == '\n':
		r.newline = "\n"
	case c == '\r' && r.oldMac:
		r.newline = "\r"
		r.line++
	case c == '\r':
		next, _ := r.in.Peek(1)
		if len(next) == 0 || next[0] != '\n' {
			return false
		}
		_, _ = r.in.Discard(1) // it was peeked at
		r.newline = "\r\n"
		r.line++
	default:
		return false
	}
	return true
}

// toUTF8 is a text of a sheet in UTF-8. A text that is not valid UTF-8 was saved by Excel as plain CSV, in Windows-1252.
func toUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return windows1252.Decode(string(b))
}
