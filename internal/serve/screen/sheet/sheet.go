// Package sheet reads a spreadsheet that was exported as delimited text, finds its column of EINs, and writes it again with the
// results of a screening after its own columns. The rows, their order, their quotation marks and the delimiter stay unchanged.
//
// Reading takes two passes in bounded memory. Survey reads the whole sheet and finds its delimiter, header, widest row, column
// of EINs and hash. Rows then returns row after row. Output can continue after an interruption.
//
// The package does not screen and has no HTTP: it writes a record of package screen as cells.
package sheet

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/windows1252"
)

const (
	maxRecord  = 1 << 20 // bytes of a row, line breaks within quotation marks included
	maxColumns = 16_384  // as many as Excel has
	sampled    = 64 << 10
)

// Sheet is the result of a survey.
type Sheet struct {
	SHA256  string
	Count   int64    // rows, without the header and without blank lines
	Columns []string // their names; "column 1" and so on where there is no header
	Headed  bool     // whether the first row is a header
	Column  int      // the column of EINs, from 0; negative when the caller wants names alone
	Named   int      // the column of names, from 0; negative for none
	Guessed bool     // whether its cells gave the column away, and not its name

	layout
	header  Row
	width   int    // cells of the widest row
	newline string // line end of the first row
	bom     bool
	foreign bool // some row is not UTF-8
}

type layout struct {
	delimiter byte
	oldMac    bool   // a carriage return alone ends a line
	preamble  string // the line sep=; that Excel understands, with its line end
}

type Row struct {
	EIN   string // the cell of the EIN, unchanged
	Name  string // the cell of the name
	Line  int    // where the row begins, from 1
	Blank bool   // an empty line, which is kept and not screened

	text    string // the whole row in UTF-8, without its line end
	cells   int
	newline string
}

func (r *Row) Text() string { return r.text }

// byteOrderMark is how Windows programs mark UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// NamesAlone is what Survey takes as the column when a sheet is read without EINs.
const NamesAlone = "none"

// Survey reads a whole sheet. column names the column of EINs, by its header or by its number from 1, or is NamesAlone; if it
// is empty, Survey guesses the column. When only the column is in doubt, Survey returns the sheet with its refusal.
func Survey(r io.Reader, column string) (*Sheet, error) {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, sum), sampled)
	sample, err := in.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := recognize(sample); err != nil {
		return nil, err
	}
	s := &Sheet{newline: "\n"}
	s.bom = bytes.HasPrefix(sample, []byte(byteOrderMark))
	s.layout = layoutOf(bytes.TrimPrefix(sample, []byte(byteOrderMark)), err != nil)
	records := s.records(in)
	var found columnStats
	for first := true; ; {
		err := records.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.foreign = s.foreign || !utf8.Valid(records.raw)
		if len(records.raw) == 0 {
			continue
		}
		s.width = max(s.width, len(records.ends))
		if first {
			first = false
			if records.newline != "" {
				s.newline = records.newline
			}
			if s.Headed = isHeader(records); s.Headed {
				s.Columns, s.header = records.cells(), records.row()
				continue
			}
		}
		s.Count++
		found.add(records)
	}
	if s.width == 0 {
		return nil, fault.New("sheet_empty", "the file is empty").Try("export the spreadsheet again, as CSV")
	}
	for i := len(s.Columns); i < s.width; i++ {
		name := ""
		if !s.Headed {
			name = fmt.Sprintf("column %d", i+1)
		}
		s.Columns = append(s.Columns, name)
	}
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	err = nil
	switch column {
	case "":
		s.Column, s.Guessed, err = s.guess(found)
	case NamesAlone:
		s.Column = -1
	default:
		s.Column, err = s.named(column)
	}
	if err != nil {
		s.Column = -1
	}
	s.Named = s.nameColumn()
	if column == NamesAlone && s.Headed && s.Named >= 0 && !isNameHeader(s.Columns[s.Named]) {
		s.Headed = false // the first name of a sheet that has names alone
		s.Count++
	}
	return s, err
}

// recognize refuses files that are not delimited text, by their first bytes.
func recognize(sample []byte) error {
	const export = "open it in the spreadsheet program and save it as CSV (UTF-8)"
	for _, known := range []struct{ begins, is string }{
		{"PK\x03\x04", "an Excel workbook or a zip file"},
		{"\xd0\xcf\x11\xe0", "an old Excel workbook"},
		{"\xff\xfe", "text in UTF-16"},
		{"\xfe\xff", "text in UTF-16"},
		{"%PDF", "a PDF"},
		{"\x1f\x8b", "compressed"},
		{"PAR1", "a Parquet file"},
	} {
		if bytes.HasPrefix(sample, []byte(known.begins)) {
			return fault.New("sheet_format", "the file is %s, not CSV", known.is).Try(export)
		}
	}
	if bytes.IndexByte(sample, 0) >= 0 {
		return errBinary()
	}
	return nil
}

func errBinary() error {
	return fault.New("sheet_format", "the file is binary, not CSV").Try("export the spreadsheet as CSV (UTF-8)")
}

func layoutOf(sample []byte, whole bool) layout {
	l := layout{delimiter: ','}
	if end := bytes.IndexAny(sample, "\r\n"); end >= 0 {
		l.oldMac = sample[end] == '\r' && (end+1 == len(sample) || sample[end+1] != '\n') && bytes.IndexByte(sample, '\n') < 0
	}
	if line, ok := separatorLine(sample); ok {
		l.preamble = line
		l.delimiter = strings.Trim(line, "\"\r\n")[len("sep=")]
		return l
	}
	// The delimiter gives most of the first rows as many cells as the first, and then the most cells.
	const rows = 50
	best, bestCells := 0, 1
	for _, d := range []byte{',', ';', '\t', '|'} {
		try := layout{delimiter: d, oldMac: l.oldMac}
		records := (&Sheet{layout: try}).records(bytes.NewReader(sample))
		first, alike := 0, 0
		for n := 0; n < rows; n++ {
			if records.next() != nil || !whole && records.newline == "" {
				break // the sample may end within a row
			}
			if first == 0 {
				first = len(records.ends)
			}
			if len(records.ends) == first {
				alike++
			}
		}
		if first > 1 && (alike > best || alike == best && first > bestCells) {
			l.delimiter, best, bestCells = d, alike, first
		}
	}
	return l
}

func separatorLine(sample []byte) (line string, ok bool) {
	end := bytes.IndexByte(sample, '\n')
	if end < 0 || end > 10 {
		return "", false
	}
	line = string(sample[:end+1])
	said := strings.Trim(line, "\"\r\n")
	return line, len(said) == len("sep=")+1 && strings.EqualFold(said[:4], "sep=") && strings.IndexByte(",;\t|", said[4]) >= 0
}

// Reader returns the rows of a sheet that was surveyed.
type Reader struct {
	sheet   *Sheet
	records *records
	sum     hash.Hash
}

// Rows begins the second pass, over the same bytes.
func (s *Sheet) Rows(r io.Reader) (*Reader, error) {
	read := &Reader{sheet: s, sum: sha256.New()}
	in := bufio.NewReaderSize(io.TeeReader(r, read.sum), sampled)
	read.records = s.records(in)
	if s.Headed {
		for {
			if err := read.records.next(); err != nil {
				return nil, read.explain(err)
			}
			if len(read.records.raw) > 0 {
				break
			}
		}
	}
	return read, nil
}

// Next returns the next row, and io.EOF after the last.
func (r *Reader) Next() (Row, error) {
	if err := r.records.next(); err != nil {
		return Row{}, r.explain(err)
	}
	row := r.records.row()
	if c := r.sheet.Column; c >= 0 && c < row.cells {
		row.EIN = toUTF8(r.records.cell(c))
	}
	if c := r.sheet.Named; c >= 0 && c < row.cells {
		row.Name = toUTF8(r.records.cell(c))
	}
	return row, nil
}

// explain checks, at the end, that the file is the one that was surveyed.
func (r *Reader) explain(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if hex.EncodeToString(r.sum.Sum(nil)) != r.sheet.SHA256 {
		return fault.New("sheet_changed", "the file was changed while it was read").Try("run it again when no other program is writing to the file")
	}
	return io.EOF
}

// records returns the records after the byte order mark and the preamble.
func (s *Sheet) records(in io.Reader) *records {
	b, ok := in.(*bufio.Reader)
	if !ok {
		b = bufio.NewReader(in)
	}
	if head, _ := b.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = b.Discard(len(byteOrderMark)) // they were peeked at
	}
	line := 1
	if s.preamble != "" {
		_, _ = b.Discard(len(s.preamble)) // they were in the sample
		line++
	}
	return &records{in: b, layout: s.layout, line: line}
}

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
