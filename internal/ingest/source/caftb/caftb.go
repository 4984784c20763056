// Package caftb reads the list of organizations whose exemption California's Franchise Tax Board has revoked. The Board does
// not document the layout of its list, so the reader goes by the names of the columns. It looks for a header among the first
// rows of a workbook or of text separated by commas, tabs or pipes. It reads the file only if the header has columns for the
// organization and the date of revocation, and refuses any other file. The Board's list of exempt organizations has nearly the
// same columns; reading it by mistake would call every exempt organization revoked.
package caftb

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

type Record struct {
	EntityID string // as EntityID writes it; empty when the list has none
	Name     string
	City     string
	Section  string // of the Revenue and Taxation Code, as published
	Revoked  string // ISO date
	EIN      ein.EIN
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonName = "empty name"
	ReasonBare = "no entity number, EIN or date"
)

// ErrLayout is wrapped by every error for a file whose layout is not
// recognized. The message is for the person who has to find a better file.
var ErrLayout = errors.New("not loaded: the Franchise Tax Board's list of revoked organizations was not recognized")

// needed describes the columns that a header must have.
const needed = "needed: a header that names the organization, its entity number or FEIN, and the date of revocation, in a CSV, tab or pipe separated text " +
	"or an .xlsx workbook"

const headRows = 20

const headBytes = 64 << 10

// Read reads a list as package rows promises: text, plain or gzipped, a workbook, or a zip that holds the
// text. The caller must not unzip the file first, because a workbook is a zip too.
func Read(r io.Reader, fn func(*Record) error) (tally rows.Tally, err error) {
	plain, err := rows.Inflate(r)
	if err != nil {
		return tally, fmt.Errorf("%w: %w", ErrLayout, err)
	}
	b := bufio.NewReaderSize(plain, headBytes)
	head, err := b.Peek(headBytes)
	if err != nil && err != io.EOF {
		return tally, fmt.Errorf("reading the Franchise Tax Board's list: %w", err)
	}
	if bytes.HasPrefix(head, []byte("PK")) {
		return readZip(b, fn)
	}
	return readText(b, head, fn)
}

// foreign has the first bytes of file formats that we cannot read, and what the user should do instead.
var foreign = [...]struct{ magic, advice string }{
	{"%PDF", "it is a PDF; look for the list as a workbook or as text"},
	{"\xd0\xcf\x11\xe0", "it is a workbook of the old kind; save it as .xlsx or CSV"},
	{"\xff\xfe", "it is UTF-16 text; save it as UTF-8"},
	{"\xfe\xff", "it is UTF-16 text; save it as UTF-8"},
}

// readText tries the separators in turn. The right separator is the one that gives a header.
func readText(r io.Reader, head []byte, fn func(*Record) error) (tally rows.Tally, err error) {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return tally, fmt.Errorf("%w: %s", ErrLayout, f.advice)
		}
	}
	var best headerSearch
	for _, l := range []rows.Layout{rows.CSV, {Separator: '\t', Quotes: true}, rows.Pipes} {
		var s headerSearch
		if _, err := s.run(rows.NewScanner(bytes.NewReader(head), l)); err != nil {
			return tally, err
		}
		if s.found {
			return readTable(rows.NewScanner(r, l), false, false, fn)
		}
		if s.better(&best) {
			best = s
		}
	}
	return tally, best.failure()
}

// readTable finds the header of a table and reads the rows below it. Rows of a
// workbook are sparse: they end with their last cell, wherever that is.
func readTable(t rows.Table, sparse, from1904 bool, fn func(*Record) error) (tally rows.Tally, err error) {
	var s headerSearch
	h, err := s.run(t)
	if err != nil {
		return tally, err
	}
	if !s.found {
		return tally, s.failure()
	}
	if sparse {
		h.width = 0
	}
	var rec Record
	take := func(fields []string) string { return rec.take(fields, h, from1904) }
	failed, err := rows.Use(t, &tally, h.width, take, func() error { return fn(&rec) })
	switch {
	case failed != nil, errors.Is(err, ErrLayout):
		return tally, err
	case err != nil:
		return tally, fmt.Errorf("reading the Franchise Tax Board's list after row %d: %w", tally.Rows, err)
	case tally.Rows == 0 && tally.Lost() > 0:
		return tally, fmt.Errorf("%w: there is a header, but none of the %d rows below it could be used", ErrLayout, tally.Lost())
	}
	return tally, nil
}

// take fills the record. Titles and totals around the list have at most a name, so a row must have one more field.
func (r *Record) take(fields []string, h header, from1904 bool) (reason string) {
	cell := func(c column) string {
		if i := h.place[c]; i >= 0 && i < len(fields) {
			return rows.Clean(fields[i])
		}
		return ""
	}
	*r = Record{EntityID: EntityID(cell(entityID)), Name: cell(name), City: cell(city), Section: cell(section), Revoked: date(cell(revoked), from1904)}
	if e, err := ein.Parse(cell(fein)); err == nil {
		r.EIN = e
	}
	switch {
	case r.Name == "":
		return ReasonName
	case r.EntityID == "" && r.EIN == ein.None && r.Revoked == "":
		return ReasonBare
	}
	return ""
}

// EntityID writes the number of an entity the way the Board does, in seven digits. The Secretary of State writes the same
// number with a letter before it (C0128060), notices with a suffix (0128060/000), and spreadsheets drop the leading zeros. The
// longer numbers of newer entities are kept. Text that is not an entity number gives "".
func EntityID(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "/")
	s = strings.TrimSuffix(strings.TrimSpace(s), ".0")
	if s != "" && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z' {
		s = strings.TrimLeft(s[1:], " -")
	}
	digits := strings.TrimLeft(s, "0")
	if digits == "" || len(digits) > 12 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	if len(digits) < 7 {
		digits = "0000000"[len(digits):] + digits
	}
	return digits
}

// layouts are the accepted formats of a date. In dates with slashes the month comes first, as in the United States.
var layouts = []string{
	"2006-01-02", "1/2/2006", "20060102", "2006/1/2", "1-2-2006", "2-Jan-2006", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "1/2/06", "2-Jan-06",
}

// Days of a spreadsheet's calendar that can be a revocation, 1927 to 2119. A smaller number is a year or a count.
const (
	firstDay = 10_000
	lastDay  = 80_000
	day1904  = 1462 // the first day of the calendar some workbooks use instead
)

// date returns a date as ISO text, or "" if there is none. A plain number is a day of the spreadsheet's calendar.
func date(s string, from1904 bool) string {
	if s == "" || len(s) > 40 {
		return ""
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && (len(s) != len("20060102") || strings.Contains(s, ".")) {
		if from1904 {
			n += day1904
		}
		if !(n >= firstDay && n < lastDay) { // written this way to refuse NaN, too
			return ""
		}
		return time.Date(1899, 12, 30+int(n), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	if t, ok := rows.Date(withoutTime(s), 1850, 2199, layouts...); ok {
		return t.Format(time.DateOnly)
	}
	return ""
}

func withoutTime(s string) string {
	if i := strings.IndexByte(s, ':'); i > 0 {
		if j := strings.LastIndexAny(s[:i], " T"); j > 0 {
			return strings.TrimSpace(s[:j])
		}
	}
	return s
}
