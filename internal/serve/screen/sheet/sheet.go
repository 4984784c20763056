// Package sheet reads a spreadsheet that somebody exported as delimited text,
// finds the column of EINs in it, and writes it again with the results of a
// screening behind its own columns. What was in the sheet stays as it was: its
// rows, their order, their quotation marks and its delimiter.
//
// Reading is in two passes, both in bounded memory. Survey goes through the
// whole sheet and says what it is: delimiter, header, widest row, the column of
// EINs, a hash of its bytes. Rows then gives row after row. Output keeps what
// was written so far in a form that an interrupted run goes on from.
//
// It screens nothing and knows no HTTP: a record of package screen becomes cells.
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
)

// Bounds of what is taken for a spreadsheet.
const (
	maxRecord  = 1 << 20 // bytes of a row, line breaks within quotation marks included
	maxColumns = 16_384  // as many as Excel has
	sampled    = 64 << 10
)

// Sheet is what a survey found.
type Sheet struct {
	SHA256  string
	Count   int64    // rows, without the header and without blank lines
	Columns []string // their names; "column 1" and so on where there is no header
	Headed  bool     // whether the first row is a header
	Column  int      // which of them has the EINs, from 0
	Guessed bool     // whether that was found by what is in the cells, and not by a name

	layout
	header  Row    // as it is
	width   int    // cells of the widest row
	newline string // line end of the first row
	bom     bool
	foreign bool // some row is not UTF-8
}

// layout is what must be known to take a sheet apart.
type layout struct {
	delimiter byte
	oldMac    bool   // a carriage return alone ends a line
	preamble  string // the line sep=; that Excel understands, with its line end
}

// Row is one row of a sheet.
type Row struct {
	EIN   string // the cell of the EIN, as it is
	Blank bool   // a line with nothing on it, which is kept and not screened

	text    string // the row as it is, in UTF-8, without its line end
	cells   int
	newline string
}

// byteOrderMark is how Windows programs mark UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// Survey reads a whole sheet and says what it is. column names the column of
// EINs, by its header or by its number from 1; it is guessed when it is empty.
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
	if column != "" {
		s.Column, err = s.named(column)
	} else {
		s.Column, s.Guessed, err = s.guess(found)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// recognize refuses what is not delimited text, by how files begin.
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

// layoutOf finds out how a sheet is written from how it begins.
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
	// The delimiter is the one with which most of the first rows have as many
	// cells as the first has, and with which these are many.
	const rows = 50
	best, bestCells := 0, 1
	for _, d := range []byte{',', ';', '\t'} {
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

// separatorLine is the line in front of the header by which Excel is told the
// delimiter.
func separatorLine(sample []byte) (line string, ok bool) {
	end := bytes.IndexByte(sample, '\n')
	if end < 0 || end > 10 {
		return "", false
	}
	line = string(sample[:end+1])
	said := strings.Trim(line, "\"\r\n")
	return line, len(said) == len("sep=")+1 && strings.EqualFold(said[:4], "sep=") && strings.IndexByte(",;\t|", said[4]) >= 0
}

// Reader gives the rows of a sheet that was surveyed.
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

// Next gives the next row, and io.EOF after the last.
func (r *Reader) Next() (Row, error) {
	if err := r.records.next(); err != nil {
		return Row{}, r.explain(err)
	}
	row := r.records.row()
	if r.sheet.Column < row.cells {
		row.EIN = toUTF8(r.records.cell(r.sheet.Column))
	}
	return row, nil
}

// explain compares, at the end, what was read with what was surveyed.
func (r *Reader) explain(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if hex.EncodeToString(r.sum.Sum(nil)) != r.sheet.SHA256 {
		return fault.New("sheet_changed", "the file was changed while it was read").Try("run it again when no other program is writing to the file")
	}
	return io.EOF
}

// records reads the sheet after the mark and the preamble.
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
