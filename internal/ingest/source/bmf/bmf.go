// Package bmf reads the IRS Exempt Organizations Business Master File: the public register of exempt organizations, posted
// monthly as CSV by region and by state. It knows the file's columns and quoting; package irscode knows what the codes mean. It
// keeps no rows, so it reads a file of any length in constant memory.
package bmf

import (
	"errors"
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
	header := func(names []string) (err error) {
		place, err = rows.Place(names, ErrFormat, "the 28 columns of an EO BMF extract, EIN to SORT_NAME", columns[:]...)
		return err
	}
	return master.Read(r, header, func(fields []string) string { return rec.take(fields, place) }, func() error { return fn(&rec) })
}

var master = rows.Headed{Layout: rows.CSV, Name: "the master file", Format: ErrFormat, Expect: "; expected a CSV that begins with EIN,NAME,ICO,STREET"}

func (r *Record) take(fields []string, place []int) (reason string) {
	cell := func(c int) string { return rows.Clean(fields[place[c]]) }
	e, err := ein.Parse(cell(0))
	if err != nil {
		return ReasonEIN
	}
	*r = Record{
		EIN: e, Name: cell(1), ICO: cell(2), Street: cell(3), City: cell(4), State: cell(5), ZIP: cell(6), Group: cell(7), Subsection: cell(8),
		Affiliation: cell(9), Classification: cell(10), Ruling: cell(11), Deductibility: cell(12), Foundation: cell(13), Activity: cell(14),
		Organization: cell(15), Status: cell(16), TaxPeriod: cell(17), AssetCode: cell(18), IncomeCode: cell(19), FilingReq: cell(20),
		PFFilingReq: cell(21), AccountingPeriod: cell(22), Assets: amount(cell(23)), Income: amount(cell(24)), Revenue: amount(cell(25)),
		NTEE: cell(26), SortName: cell(27),
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
