package irs990

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ObjectID returns the IRS's identifier of a return. The return itself does not
// state the identifier; only the file name does: the 18 digits of
// <id>_public.xml, in any folder.
func ObjectID(member string) (id string, ok bool) {
	base := member[strings.LastIndexAny(member, `/\`)+1:]
	id, ok = strings.CutSuffix(base, "_public.xml")
	if !ok || len(id) != 18 || !onlyDigits([]byte(id)) {
		return "", false
	}
	return id, true
}

// IndexRow is a line of a yearly index of returns. EIN has nine digits if the
// published value could be read as an EIN; the other fields are as published.
type IndexRow struct {
	Line       int // 1-based line of the file
	ReturnID   string
	FilingType string
	EIN        string
	TaxPeriod  string // YYYYMM, end of the fiscal year
	Submitted  string
	Name       string
	ReturnType string // 990, 990EZ, 990PF, 990T; in old indexes also 990O and 990EO
	DLN        string
	ObjectID   string // 18 digits
	Batch      string // zip that holds the return; empty in indexes before 2021
}

var columns = map[string]func(*IndexRow) *string{
	"RETURN_ID":     func(r *IndexRow) *string { return &r.ReturnID },
	"FILING_TYPE":   func(r *IndexRow) *string { return &r.FilingType },
	"EIN":           func(r *IndexRow) *string { return &r.EIN },
	"TAX_PERIOD":    func(r *IndexRow) *string { return &r.TaxPeriod },
	"SUB_DATE":      func(r *IndexRow) *string { return &r.Submitted },
	"TAXPAYER_NAME": func(r *IndexRow) *string { return &r.Name },
	"RETURN_TYPE":   func(r *IndexRow) *string { return &r.ReturnType },
	"DLN":           func(r *IndexRow) *string { return &r.DLN },
	"OBJECT_ID":     func(r *IndexRow) *string { return &r.ObjectID },
	"XML_BATCH_ID":  func(r *IndexRow) *string { return &r.Batch },
}

// maxLine bounds a line of the index; a longer line is damaged and is skipped.
const maxLine = 64 << 10

// ReadIndex reads a yearly index, in the layout of nine columns or of ten, and
// calls fn for every row that names a return. It skips rows without a usable
// object ID, blank lines and overlong lines. It repairs unquoted names that
// contain commas. An error from fn ends the reading.
func ReadIndex(r io.Reader, fn func(IndexRow) error) error {
	br := bufio.NewReaderSize(r, maxLine)
	var header []string
	for number := 1; ; number++ {
		line, err := br.ReadSlice('\n')
		overlong := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = br.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("irs990: reading line %d of the index: %w", number, err)
		}
		last := err != nil
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\xef\xbb\xbf"))
		switch {
		case overlong || len(line) == 0:
		case header == nil:
			if header, err = indexHeader(line); err != nil {
				return err
			}
		default:
			if row, ok := indexRow(header, line); ok {
				row.Line = number
				if err := fn(row); err != nil {
					return err
				}
			}
		}
		if last {
			break
		}
	}
	if header == nil {
		return errors.New("irs990: the index is empty")
	}
	return nil
}

func indexHeader(line []byte) ([]string, error) {
	header := fields(string(line))
	has := false
	for i, name := range header {
		header[i] = strings.ToUpper(strings.TrimSpace(name))
		has = has || header[i] == "OBJECT_ID"
	}
	if !has {
		return nil, fmt.Errorf("irs990: not an index of returns: the first line has no OBJECT_ID column: %q", quoted(line))
	}
	return header, nil
}

func indexRow(header []string, line []byte) (row IndexRow, ok bool) {
	values := fields(strings.ToValidUTF8(string(line), "\uFFFD"))
	if extra := len(values) - len(header); extra > 0 {
		for i, name := range header {
			if name == "TAXPAYER_NAME" {
				joined := strings.Join(values[i:i+extra+1], ",")
				values = append(append(values[:i:i], joined), values[i+extra+1:]...)
				break
			}
		}
	}
	for i, name := range header {
		if at := columns[name]; at != nil && i < len(values) {
			*at(&row) = strings.TrimSpace(values[i])
		}
	}
	if len(row.ObjectID) != 18 || !onlyDigits([]byte(row.ObjectID)) {
		return row, false
	}
	if n := len(row.EIN); n < 9 && n >= 7 && onlyDigits([]byte(row.EIN)) {
		row.EIN = "000"[:9-n] + row.EIN
	}
	return row, true
}

// fields splits a line of CSV. A quote that is never closed is part of the
// text.
func fields(line string) []string {
	out := make([]string, 0, 10)
	for {
		if rest, quoted := strings.CutPrefix(line, `"`); quoted {
			if value, after, ok := unquote(rest); ok {
				out = append(out, value)
				if after == "" {
					return out
				}
				line = after[1:]
				continue
			}
		}
		value, after, more := strings.Cut(line, ",")
		out = append(out, value)
		if !more {
			return out
		}
		line = after
	}
}

// unquote reads a quoted field. The closing quote is followed by a comma or the
// end of the line. A doubled quote stands for one quote.
func unquote(s string) (value, after string, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		switch {
		case i+1 == len(s), s[i+1] == ',':
			return strings.ReplaceAll(s[:i], `""`, `"`), s[i+1:], true
		case s[i+1] == '"':
			i++
		}
	}
	return "", "", false
}
