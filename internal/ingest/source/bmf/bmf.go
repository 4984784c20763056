// Package bmf reads the IRS Exempt Organizations Business Master File: the public register of exempt organizations, posted
// monthly as CSV by region and by state. It knows the file's columns and quoting; package irscode knows what the codes mean. It
// keeps no rows, so it reads a file of any length in constant memory.
package bmf

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

// Amount is a whole-dollar figure that may be absent. Absent means "not reported", which differs from zero.
type Amount struct {
	Value int64
	Set   bool
}

// Record is one organization as the register states it, codes undecoded.
type Record struct {
	EIN                      ein.EIN
	Name                     string
	ICO                      string // in care of, usually a person: not to be published
	Street, City, State, ZIP string
	Group                    string // group exemption number, 0000 for none
	Subsection               string // 501(c) subsection in two digits, or a higher code for other kinds of exemption
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

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonEIN  = "malformed EIN"
	ReasonName = "empty name"
)

var ErrFormat = errors.New("not a business master file")

// columns are the names of the header, in the order of the published file. The
// position in this list is the index into the fields that take fills.
var columns = [...]string{
	"EIN", "NAME", "ICO", "STREET", "CITY", "STATE", "ZIP", "GROUP", "SUBSECTION",
	"AFFILIATION", "CLASSIFICATION", "RULING", "DEDUCTIBILITY", "FOUNDATION",
	"ACTIVITY", "ORGANIZATION", "STATUS", "TAX_PERIOD", "ASSET_CD", "INCOME_CD",
	"FILING_REQ_CD", "PF_FILING_REQ_CD", "ACCT_PD", "ASSET_AMT", "INCOME_AMT",
	"REVENUE_AMT", "NTEE_CD", "SORT_NAME",
}

// Read reads a master file, plain or gzipped, as package rows promises.
func Read(r io.Reader, fn func(*Record) error) (rows.Tally, error) {
	var rec Record
	var place []int
	header := func(names []string) (err error) { place, err = findColumns(names); return err }
	return master.Read(r, header, func(fields []string) string { return rec.take(fields, place) }, func() error { return fn(&rec) })
}

var master = rows.Headed{Layout: rows.CSV, Name: "the master file", Format: ErrFormat, Expect: "; expected a CSV that begins with EIN,NAME,ICO,STREET"}

// findColumns finds the position of each known column. Extra columns and any
// order are allowed. If a column is missing, this is another kind of file.
func findColumns(names []string) (place []int, err error) {
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
		return nil, fmt.Errorf("%w: the header lacks %s; expected the 28 columns of an EO BMF extract, EIN to SORT_NAME", ErrFormat, strings.Join(missing, ", "))
	}
	return place, nil
}

func (r *Record) take(fields []string, place []int) (reason string) {
	*r = Record{}
	texts := [len(columns)]*string{
		1: &r.Name, 2: &r.ICO, 3: &r.Street, 4: &r.City, 5: &r.State, 6: &r.ZIP, 7: &r.Group, 8: &r.Subsection,
		9: &r.Affiliation, 10: &r.Classification, 11: &r.Ruling, 12: &r.Deductibility, 13: &r.Foundation, 14: &r.Activity,
		15: &r.Organization, 16: &r.Status, 17: &r.TaxPeriod, 18: &r.AssetCode, 19: &r.IncomeCode, 20: &r.FilingReq,
		21: &r.PFFilingReq, 22: &r.AccountingPeriod, 26: &r.NTEE, 27: &r.SortName,
	}
	figures := [len(columns)]*Amount{23: &r.Assets, 24: &r.Income, 25: &r.Revenue}
	for i, f := range fields {
		f = rows.Clean(f)
		switch at := place[i]; {
		case at < 0:
		case texts[at] != nil:
			*texts[at] = f
		case figures[at] != nil:
			*figures[at] = amount(f)
		default:
			e, err := ein.Parse(f)
			if err != nil {
				return ReasonEIN
			}
			r.EIN = e
		}
	}
	if r.Name == "" {
		return ReasonName
	}
	return ""
}

// amount reads whole dollars. Text that is not a number counts as "not
// reported", because a damaged amount is no reason to lose an organization.
func amount(s string) Amount {
	if s == "" || s[0] == '+' || len(strings.TrimPrefix(s, "-")) > 18 {
		return Amount{}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return Amount{n, err == nil}
}
