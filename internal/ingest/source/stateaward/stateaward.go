// Package stateaward reads states' lists of payments: open checkbooks and lists of grants. No two states publish the same
// columns, so there is one reader, and a mapping per state that names the columns, the encoding and the rows to leave out.
// Hardly any state publishes the payee's EIN, so other packages identify the payees.
package stateaward

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/money"
	"grantgraph/internal/windows1252"
)

// Award is one row of a state's file.
type Award struct {
	EIN              ein.EIN // None if the state does not give it
	Payee            string
	City, State, ZIP string // of the payee; empty when the file has no such column
	FiscalYear       int    // the state's own, named by the year in which it ends
	Agency           string
	Program          string
	Category         string
	Amount           money.Cents
	Date             string // YYYY-MM-DD; empty when the file has no such column
	ID               string // of the award or payment, unique within an agency; empty when there is none
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonFilter = "left out by the mapping's filter"
	ReasonPayee  = "no payee"
	ReasonYear   = "no fiscal year"
	ReasonAmount = "malformed amount"
)

// Errors for a file of another kind.
var (
	ErrFormat  = errors.New("not the state's file that its mapping describes")
	ErrMapping = errors.New("not a usable mapping of a state's file")
)

// maxRow bounds a row; descriptions of payments are short.
const maxRow = 64 << 10

// Indexes of the columns that are read, in the order of Columns.list.
const (
	payee = iota
	taxID
	city
	state
	zip
	fiscalYear
	date
	agency
	program
	category
	amount
	identifier
	known
)

type reader struct {
	mapping *Mapping
	place   [known]int // -1 if the column is missing
	filters []int
	award   Award
}

// Read reads a state's file, plain or gzipped, as package rows promises. If the file
// lacks columns that the mapping requires, the error names them.
func (m *Mapping) Read(r io.Reader, fn func(*Award) error) (rows.Tally, error) {
	rd := reader{mapping: m}
	file := rows.Headed{Layout: rows.Layout{Separator: cmp.Or(m.Separator, comma)[0], Quotes: true, MaxRow: maxRow}, Name: "the state's file", Format: ErrFormat}
	return file.Read(r, rd.header, rd.take, func() error { return fn(&rd.award) })
}

// header finds the position of each column. The columns of filters are
// required, because without them rows that should be dropped would be used.
func (r *reader) header(names []string) error {
	var missing []string
	for i, column := range r.mapping.Columns.list() {
		r.place[i] = -1
		if column == "" {
			continue
		}
		if r.place[i] = Find(names, column); r.place[i] < 0 && (i == payee || i == amount) {
			missing = append(missing, column)
		}
	}
	if r.place[fiscalYear] < 0 && r.place[date] < 0 {
		missing = append(missing, strings.Trim(r.mapping.Columns.FiscalYear+"|"+r.mapping.Columns.Date, "|"))
	}
	for _, f := range r.mapping.Filters {
		at := Find(names, f.Column)
		if at < 0 {
			missing = append(missing, f.Column)
		}
		r.filters = append(r.filters, at)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: the header lacks %s; put a mapping.toml beside the file that names its columns", ErrFormat, strings.Join(missing, ", "))
	}
	return nil
}

func (r *reader) take(fields []string) (reason string) {
	for i := range r.mapping.Filters {
		if !r.mapping.Filters[i].takes(r.decode(fields[r.filters[i]])) {
			return ReasonFilter
		}
	}
	a := &r.award
	*a = Award{Payee: r.field(fields, payee)}
	if a.Payee == "" {
		return ReasonPayee
	}
	ok := false
	if a.FiscalYear, ok = parseYear(r.field(fields, fiscalYear)); !ok {
		if a.FiscalYear, ok = yearOf(r.field(fields, date), cmp.Or(r.mapping.YearStart, july)); !ok {
			return ReasonYear
		}
	}
	if a.Amount, ok = money.Parse(r.field(fields, amount)); !ok {
		return ReasonAmount
	}
	a.Date = isoDate(r.field(fields, date))
	a.EIN, _ = ein.Filed(r.field(fields, taxID))
	a.City, a.State, a.ZIP = r.field(fields, city), r.field(fields, state), r.field(fields, zip)
	a.Agency, a.Program, a.Category = r.field(fields, agency), r.field(fields, program), r.field(fields, category)
	a.ID = r.field(fields, identifier)
	return ""
}

// field returns the text of a column, with each run of white space replaced by one space.
func (r *reader) field(fields []string, column int) string {
	at := r.place[column]
	if at < 0 {
		return ""
	}
	return squeeze(r.decode(fields[at]))
}

// squeeze replaces each run of white space by one space. Most fields have no such run.
func squeeze(s string) string {
	s = strings.TrimSpace(s)
	if !strings.ContainsAny(s, "\t\n\v\f\r") && !strings.Contains(s, "  ") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

func (r *reader) decode(s string) string {
	if r.mapping.Encoding == "windows-1252" {
		return windows1252.Decode(s)
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// The range of plausible fiscal years. Any other number is in the wrong column.
const (
	firstYear = 1990
	lastYear  = 2100
)

// parseYear reads a fiscal year: 2024, FY2024, FY 24, 2023-2024 or 2023/24. The
// last two give the year in which the fiscal year ends.
func parseYear(s string) (year int, ok bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "SFY"), "FY"))
	s = strings.TrimSuffix(s, ".0") // a number that a spreadsheet wrote
	if len(s) > len("2023-2024") {
		return 0, false
	}
	if i := strings.IndexAny(s, "-/"); i >= 0 {
		from, begins := parseYear(s[:i])
		year, ok = parseYear(s[i+1:])
		return year, ok && begins && year == from+1
	}
	year, ok = number(s)
	if ok && len(s) == 2 {
		year += 2000
	}
	return year, ok && (len(s) == 2 || len(s) == 4) && year >= firstYear && year <= lastYear
}

// yearOf returns the fiscal year of a date, if fiscal years begin in month start.
func yearOf(s string, start int) (year int, ok bool) {
	t, ok := parseDate(s)
	if ok && start > 1 && int(t.Month()) >= start {
		return t.Year() + 1, true
	}
	return t.Year(), ok
}

// isoDate writes a date as YYYY-MM-DD, or "" if there is none.
func isoDate(s string) string {
	t, ok := parseDate(s)
	if !ok {
		return ""
	}
	return t.Format(time.DateOnly)
}

// layouts are the accepted formats of a date, once slashes are hyphens. Months come first, as in the United States.
var layouts = []string{time.DateOnly, "1-2-2006", "20060102", "2-Jan-06", "2-Jan-2006", "1-2-06", "2006-1-2", "2-January-06", "2-January-2006"}

// parseDate reads a date such as 2024-06-30, with or without a time after it, 6/30/2024, 20240630 or 30-JUN-24.
func parseDate(s string) (t time.Time, ok bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	for _, hour := range []string{"T0", "T1", "T2"} {
		s, _, _ = strings.Cut(s, hour)
	}
	return rows.Date(strings.ReplaceAll(s, "/", "-"), firstYear, lastYear, layouts...)
}

// number reads up to eight digits and nothing else.
func number(s string) (n int, ok bool) {
	if strings.Trim(s, "0123456789") != "" || len(s) > 8 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
