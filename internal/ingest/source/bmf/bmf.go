// Package bmf reads the IRS Exempt Organizations Business Master File: the
// public register of exempt organizations, posted monthly as CSV by region and
// by state. It knows the file's columns and its quoting, not what its codes mean,
// which irscode does; it keeps nothing, so a file of any length is read in
// constant memory.
package bmf

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

// Amount is a whole-dollar figure that may be absent. Absent is "not
// reported", which is not zero.
type Amount struct {
	Value int64
	Set   bool
}

// Record is one organization as the register states it, codes undecoded. The
// Record is reused from row to row, and its strings share one copy of the row:
// a caller that keeps a string clones it, so as not to keep the whole row.
type Record struct {
	EIN                      ein.EIN
	Name                     string
	ICO                      string // in care of, usually a person: not to be published
	Street, City, State, ZIP string
	Group                    string // group exemption number, 0000 for none
	Subsection               string // 501(c) number in two digits, or a code above it
	Affiliation              string
	Classification           string
	Ruling                   string // YYYYMM
	Deductibility            string
	Foundation               string
	Activity                 string
	Organization             string
	Status                   string
	TaxPeriod                string // YYYYMM of the latest return processed
	AssetCode, IncomeCode    string
	FilingReq, PFFilingReq   string
	AccountingPeriod         string // month in which the fiscal year ends
	Assets, Income, Revenue  Amount
	NTEE                     string
	SortName                 string // second name line: a chapter, a trade name or a person
}

// Reasons for which a row is left out, beside those of package rows.
const (
	ReasonEIN  = "malformed EIN"
	ReasonName = "empty name"
)

// ErrFormat is wrapped by every refusal of a file that is not a master file.
var ErrFormat = errors.New("not a business master file")

// columns are the names of the header, in the order of the published file. The
// position in this list is the index that take switches on.
var columns = [...]string{
	"EIN", "NAME", "ICO", "STREET", "CITY", "STATE", "ZIP", "GROUP", "SUBSECTION",
	"AFFILIATION", "CLASSIFICATION", "RULING", "DEDUCTIBILITY", "FOUNDATION",
	"ACTIVITY", "ORGANIZATION", "STATUS", "TAX_PERIOD", "ASSET_CD", "INCOME_CD",
	"FILING_REQ_CD", "PF_FILING_REQ_CD", "ACCT_PD", "ASSET_AMT", "INCOME_AMT",
	"REVENUE_AMT", "NTEE_CD", "SORT_NAME",
}

// Read calls fn for every usable row of a master file, plain or gzipped. A bad
// row is counted and left out; a file that is no master file is an error, and
// so is one that ends in the middle of its compression. An error from fn ends
// the reading and is returned as it is.
func Read(r io.Reader, fn func(*Record) error) (tally rows.Tally, err error) {
	plain, err := rows.Inflate(r)
	if err != nil {
		return tally, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	s := rows.NewScanner(plain, rows.CSV)
	width, place, err := readHeader(s)
	if err != nil {
		return tally, err
	}
	var (
		rec    Record
		failed error // of fn
	)
	err = s.Each(&tally, width, func(fields []string) (string, error) {
		if reason := rec.take(fields, place); reason != "" {
			return reason, nil
		}
		failed = fn(&rec)
		return "", failed
	})
	if err != nil && failed == nil {
		return tally, fmt.Errorf("reading the master file after row %d: %w", tally.Rows, err)
	}
	return tally, failed
}

// readHeader finds where each known column stands. Extra columns are allowed
// and the order is free; a missing column means this is some other file.
func readHeader(s *rows.Scanner) (width int, place []int, err error) {
	names, err := s.Fields()
	switch reason := (rows.RowError)(""); {
	case err == io.EOF:
		return 0, nil, fmt.Errorf("%w: %w", ErrFormat, rows.ErrEmpty)
	case errors.Is(err, rows.ErrPage):
		return 0, nil, fmt.Errorf("%w: %w", ErrFormat, err)
	case errors.As(err, &reason):
		return 0, nil, fmt.Errorf("%w: no header (%s); expected a CSV that begins with EIN,NAME,ICO,STREET", ErrFormat, reason)
	case err != nil:
		return 0, nil, fmt.Errorf("reading the master file: %w", err)
	}
	place = make([]int, len(names))
	for i := range place {
		place[i] = -1
	}
	var missing []string
	for c, at := range rows.Find(names, columns[:]...) {
		if at < 0 {
			missing = append(missing, columns[c])
			continue
		}
		place[at] = c
	}
	if len(missing) > 0 {
		if len(missing) > 5 {
			missing = append(missing[:5], "…")
		}
		return 0, nil, fmt.Errorf("%w: the header lacks %s; expected the 28 columns of an EO BMF extract, EIN to SORT_NAME", ErrFormat, strings.Join(missing, ", "))
	}
	return len(names), place, nil
}

// take fills the record from the fields of a row and says why it cannot.
func (r *Record) take(fields []string, place []int) (reason string) {
	*r = Record{}
	for i, f := range fields {
		f = rows.Clean(f)
		switch place[i] {
		case 0:
			e, err := ein.Parse(f)
			if err != nil {
				return ReasonEIN
			}
			r.EIN = e
		case 1:
			r.Name = f
		case 2:
			r.ICO = f
		case 3:
			r.Street = f
		case 4:
			r.City = f
		case 5:
			r.State = f
		case 6:
			r.ZIP = f
		case 7:
			r.Group = f
		case 8:
			r.Subsection = f
		case 9:
			r.Affiliation = f
		case 10:
			r.Classification = f
		case 11:
			r.Ruling = f
		case 12:
			r.Deductibility = f
		case 13:
			r.Foundation = f
		case 14:
			r.Activity = f
		case 15:
			r.Organization = f
		case 16:
			r.Status = f
		case 17:
			r.TaxPeriod = f
		case 18:
			r.AssetCode = f
		case 19:
			r.IncomeCode = f
		case 20:
			r.FilingReq = f
		case 21:
			r.PFFilingReq = f
		case 22:
			r.AccountingPeriod = f
		case 23:
			r.Assets = amount(f)
		case 24:
			r.Income = amount(f)
		case 25:
			r.Revenue = amount(f)
		case 26:
			r.NTEE = f
		case 27:
			r.SortName = f
		}
	}
	if r.Name == "" {
		return ReasonName
	}
	return ""
}

// amount reads whole dollars. Text that is no number is "not reported": a
// damaged amount is no reason to lose an organization.
func amount(s string) Amount {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 18 {
		return Amount{}
	}
	var n int64
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return Amount{}
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(s) {
		n = -n
	}
	return Amount{n, true}
}
