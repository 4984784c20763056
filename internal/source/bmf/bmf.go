// Package bmf reads the IRS Exempt Organizations Business Master File: the
// public register of exempt organizations, posted monthly as CSV by region and
// by state. It knows the file's columns, its quoting and what its codes mean;
// it keeps nothing, so a file of any length is read in constant memory.
package bmf

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/ein"
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

// Foreign reports whether the register holds a foreign address. Such rows have
// no state; City is the name of the country and Street the whole address.
func (r *Record) Foreign() bool { return r.State == "" }

// Rejection says how many rows were left out for one reason.
type Rejection struct {
	Reason string
	Count  int
}

// Stats says what became of the rows of a file.
type Stats struct {
	Rows     int         // rows handed on
	Rejected []Rejection // rows left out, by reason, in order of reason
}

// Reasons for which a row is left out.
const (
	ReasonColumns  = "wrong number of columns"
	ReasonEIN      = "malformed EIN"
	ReasonName     = "empty name"
	ReasonOverlong = "row too long"
	ReasonQuote    = "unclosed quote"
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

// maxColumns bounds the header of a file with columns we do not know.
const maxColumns = 256

// Read calls fn for every usable row of a master file, plain or gzipped. A bad
// row is counted and left out; a file that is no master file is an error, and
// so is one that ends in the middle of its compression. An error from fn ends
// the reading and is returned as it is.
func Read(r io.Reader, fn func(*Record) error) (Stats, error) {
	plain, err := inflate(r)
	if err != nil {
		return Stats{}, err
	}
	s := newScanner(plain)
	width, place, err := readHeader(s)
	if err != nil {
		return Stats{}, err
	}
	var (
		stats    Stats
		rejected = map[string]int{}
		rec      Record
		fields   = make([]string, 0, width)
	)
	for {
		row, quoted, err := s.next()
		if err == io.EOF {
			break
		}
		if reason := (rowError)(""); errors.As(err, &reason) {
			rejected[string(reason)]++
			continue
		}
		if err != nil {
			return stats.with(rejected), fmt.Errorf("reading the master file after row %d: %w", stats.Rows, err)
		}
		if len(row) == 0 {
			continue
		}
		fields = split(fields[:0], string(row), quoted, width+1)
		if len(fields) != width {
			rejected[ReasonColumns]++
			continue
		}
		if reason := rec.take(fields, place); reason != "" {
			rejected[reason]++
			continue
		}
		stats.Rows++
		if err := fn(&rec); err != nil {
			return stats.with(rejected), err
		}
	}
	return stats.with(rejected), nil
}

// inflate undoes gzip when the stream starts with its magic bytes.
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading the master file: %w", err)
	}
	if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("%w: it starts like gzip but is damaged (%v); fetch it again", ErrFormat, err)
	}
	return z, nil
}

// readHeader finds where each known column stands. Extra columns are allowed
// and the order is free; a missing column means this is some other file.
func readHeader(s *scanner) (width int, place []int, err error) {
	row, quoted, err := s.next()
	switch reason := (rowError)(""); {
	case err == io.EOF:
		return 0, nil, fmt.Errorf("%w: it is empty; fetch it again", ErrFormat)
	case errors.As(err, &reason):
		return 0, nil, fmt.Errorf("%w: no header (%s); expected a CSV that begins with EIN,NAME,ICO,STREET", ErrFormat, reason)
	case err != nil:
		return 0, nil, fmt.Errorf("reading the master file: %w", err)
	}
	row = bytes.TrimPrefix(row, []byte("\xef\xbb\xbf"))
	if t := bytes.TrimSpace(row); len(t) > 0 && t[0] == '<' {
		return 0, nil, fmt.Errorf("%w: it is a web page, so the server answered with an error or a notice; fetch it again", ErrFormat)
	}
	names := split(nil, string(row), quoted, maxColumns)
	if len(names) == maxColumns {
		return 0, nil, fmt.Errorf("%w: it has %d columns or more; expected 28", ErrFormat, maxColumns)
	}
	place = make([]int, len(names))
	for i := range place {
		place[i] = -1
	}
	var missing []string
	for c, want := range columns {
		at := slices.IndexFunc(names, func(have string) bool { return strings.EqualFold(strings.TrimSpace(have), want) })
		if at < 0 {
			missing = append(missing, want)
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
		f = strings.TrimSpace(f)
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

func (s Stats) with(rejected map[string]int) Stats {
	for reason, n := range rejected {
		s.Rejected = append(s.Rejected, Rejection{reason, n})
	}
	slices.SortFunc(s.Rejected, func(a, b Rejection) int { return strings.Compare(a.Reason, b.Reason) })
	return s
}
