package irs990

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/ingest/source/rows"
)

// ObjectID returns the IRS's identifier of a return. The return itself does not state the identifier; only
// the file name does: the 18 digits of <id>_public.xml, in any folder.
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

// ReadIndex reads a yearly index, in the layout of nine columns or of ten, and calls fn for every row that
// names a return. It skips rows without a usable object ID, blank lines and overlong lines. It repairs
// unquoted names that contain commas. An error from fn ends the reading.
func ReadIndex(r io.Reader, fn func(IndexRow) error) error {
	// Lines are taken whole, because a quote need not be closed.
	lines := rows.NewScanner(r, rows.Layout{MaxRow: maxLine})
	first, err := lines.Fields()
	if err == io.EOF {
		return errors.New("irs990: the index is empty")
	}
	if err != nil {
		return fmt.Errorf("irs990: reading the index: %w", err)
	}
	header, err := indexHeader(first[0])
	if err != nil {
		return err
	}
	return rows.Each(lines, &rows.Tally{}, 0, func(line []string) (reason string, err error) {
		row, ok := indexRow(header, line[0])
		if !ok {
			return "no object ID", nil
		}
		return "", fn(row)
	})
}

func indexHeader(line string) ([]string, error) {
	header := fields(line)
	for i, name := range header {
		header[i] = strings.ToUpper(strings.TrimSpace(name))
	}
	if !slices.Contains(header, "OBJECT_ID") {
		return nil, fmt.Errorf("irs990: not an index of returns: the first line has no OBJECT_ID column: %q", quoted([]byte(line)))
	}
	return header, nil
}

func indexRow(header []string, line string) (row IndexRow, ok bool) {
	values := fields(strings.ToValidUTF8(line, "\uFFFD"))
	if i, extra := slices.Index(header, "TAXPAYER_NAME"), len(values)-len(header); i >= 0 && extra > 0 {
		values = slices.Replace(values, i, i+extra+1, strings.Join(values[i:i+extra+1], ","))
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

// fields splits a line of CSV. A quote that is never closed is part of the text.
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
