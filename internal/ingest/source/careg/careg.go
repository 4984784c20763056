// Package careg reads the lists of California's Registry of Charities and Fundraisers: four files that
// together hold every organization the state's Attorney General knows, divided by whether it may operate
// there. All four are published together with the same date. Files of different dates could list an
// organization twice or not at all, so the package refuses to mix them.
//
// The files are Windows-1252 text without quoting: every line is a row, every
// comma separates two cells, and a quotation mark is part of a name.
package careg

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/windows1252"
)

type List struct {
	Stem    string // name of the file without its extension
	Meaning string // what being on the list means, in the registry's terms
}

func Lists() []List {
	return []List{
		{"charities-may-operate", "may operate or solicit for charitable purposes"},
		{"charities-may-not-operate", "may not operate or solicit for charitable purposes"},
		{"charities-undetermined-status", "status is undetermined"},
		{"charities-not-operating", "is dissolved, withdrawn or otherwise not operating"},
	}
}

// Record is one registration. An organization may have several. Dates are ISO text, empty when absent or unreadable.
type Record struct {
	Status       string // as published; irscode knows what it means
	Registration string // bare digits, or digits after CT or EX; often empty
	EIN          ein.EIN
	BadEIN       string // text in the EIN column that is not an EIN; the row is still used
	SOS          string // number with the Secretary of State or the Franchise Tax Board
	Name         string
	City         string
	State        string
	Issued       string // of the registration
	Renewed      string
	StatusSet    string
	AsOf         string // the same in all rows of an edition
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonName = "empty name"
	ReasonAsOf = "malformed as-of date"
)

var ErrFormat = errors.New("not a California registry list")

// ErrMixed is wrapped by the error for rows or files of different editions.
var ErrMixed = errors.New("the California registry lists are of different dates")

// columns are the names of the header. The position in this list is the index that take reads by.
var columns = [...]string{
	"Registry Status", "State Charity Reg#", "FEIN", "SOS/FTB#", "Name", "City",
	"State", "Issue Date", "Last Renewal", "Date Status Set", "As-of Date",
}

// Edition reads the four lists of one publication, one after the other. The zero value is ready to use.
type Edition struct {
	AsOf string // date of the first row read; empty before
}

// Read reads one list, plain or gzipped, as package rows promises. A list whose date
// differs from that of the rows read before is an error.
func (e *Edition) Read(r io.Reader, fn func(*Record) error) (rows.Tally, error) {
	var rec Record
	var place []int
	header := func(names []string) (err error) {
		place, err = rows.Place(names, ErrFormat, "the 11 columns of a charities list, Registry Status to As-of Date", columns[:]...)
		return err
	}
	return registry.Read(r, header, func(fields []string) string { return rec.take(fields, place) }, func() error {
		if e.AsOf == "" {
			e.AsOf = strings.Clone(rec.AsOf)
		}
		if rec.AsOf != e.AsOf {
			return fmt.Errorf("%w: one is of %s, another of %s; fetch all four again", ErrMixed, e.AsOf, rec.AsOf)
		}
		return fn(&rec)
	})
}

var registry = rows.Headed{
	Layout: rows.BareCSV, Name: "a California registry list", Format: ErrFormat, Expect: "; expected a CSV that begins with Registry Status",
}

func (r *Record) take(fields []string, place []int) (reason string) {
	cell := func(c int) string { return decode(strings.Trim(fields[place[c]], " \t\r")) }
	*r = Record{
		Status: cell(0), Registration: cell(1), SOS: cell(3), Name: cell(4), City: cell(5), State: cell(6),
		Issued: date(cell(7)), Renewed: date(cell(8)), StatusSet: date(cell(9)), AsOf: date(cell(10)),
	}
	if text := cell(2); text != "" {
		var err error
		if r.EIN, err = ein.Parse(text); err != nil {
			r.EIN, r.BadEIN = ein.None, text
		}
	}
	switch {
	case r.Name == "":
		return ReasonName
	case r.AsOf == "":
		// The last cell of every row is the date of the edition. If it is
		// missing, the cells before it may be in the wrong columns.
		return ReasonAsOf
	}
	return ""
}

// date reads YYYY/MM/DD, and ISO dates beside it. The order of the parts is the same, so only the separator changes.
func date(s string) string {
	if len(s) != len("2006/01/02") || s[4] != s[7] || s[4] != '/' && s[4] != '-' {
		return ""
	}
	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return ""
		}
	}
	if m, d := s[5:7], s[8:]; s[:4] == "0000" || m < "01" || m > "12" || d < "01" || d > "31" {
		return ""
	}
	return strings.ReplaceAll(s, "/", "-")
}

// decode reads Windows-1252 text. A cell may be padded with no-break spaces, which are not ASCII.
func decode(s string) string {
	if decoded := windows1252.Decode(s); decoded != s {
		return strings.TrimSpace(decoded)
	}
	return s
}
