// Package profile shows what filings, the master file and government award files say of one organization: its identity, its
// figures year by year, its people, shared board members, holdings, government awards, and similar organizations. It knows
// nothing of HTTP, and nothing of grants: those are in package graph.
//
// The index is made when a snapshot is built and is memory-mapped when it is served. An organization's number is its row in
// table organizations. Every part of a profile is a section of packed rows in the order of these numbers. So one organization
// costs a few lookups and the bytes of its own rows.
package profile

import (
	"context"
	"errors"
	"io"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

type Identity struct {
	Name                                string
	AlsoKnown, Former                   []string
	Street, City, State, ZIP            string
	County                              string // FIPS code
	NTEE                                string // as in the master file
	Subsection, Foundation, Affiliation string // codes of the master file
	Group, Deductible, Ruling           string
	FilingReq, LastPeriod               string
	Revenue                             *int64 // of the latest filing, else of the master file
	Sources                             int32  // bits, see snapshot.SourceBMF
	Active                              bool
	Pop                                 int32  // number of funders that filed its EIN
	Kind, Type                          string // as search shows them
	FunderKind                          string // empty if it makes no grants

	// From its latest return.
	ReturnType, Mission, Activity, Website, Formed string

	// The inferred cause, if none is registered.
	InferredCause      string // letter
	InferredConfidence float64
}

type Organization struct {
	EIN    ein.EIN
	Number uint32
	Identity
}

// Code is its registered NTEE code, or empty.
func (o *Organization) Code() ntee.Code {
	c, _ := ntee.Parse(o.NTEE)
	return c
}

// Profile is what is known of an organization apart from its grants.
type Profile struct {
	Organization
	Latest  *snapshot.Financial // figures of its latest return; nil if there is none
	Filings []Filing            // returns that stand, latest first
	Account Account             // of the grant dollars of these returns

	// The following parts are filled only if all parts are wanted.

	Financials   []snapshot.Financial // oldest first
	ServiceAreas []snapshot.ServiceArea
	People       []snapshot.Person // of its latest return, in the order of the form
	BoardLinks   []BoardLink       // closest first
	Family       *snapshot.OrgFamily
	Assets       *snapshot.AssetProfile
	Holdings     []snapshot.FoundationHolding // largest first, at most MaxHoldings
	Awarded      Awarded
	Applications []snapshot.Application // what a foundation tells applicants; empty if it does not say
	InAll        Totals
}

// Totals counts all rows of the parts that are bounded.
type Totals struct{ ServiceAreas, People, BoardLinks, Holdings int }

const (
	MaxPeople     = 500
	MaxHoldings   = 100
	MaxBoardLinks = 200
	MaxAreas      = 500
	maxApplying   = 50
)

type Filing struct {
	ObjectID   string
	ReturnType string
	FiscalYear int32
	PeriodEnd  string
	Amended    bool
}

type BoardLink struct {
	Other     ein.EIN
	OtherName string
	boardLink
}

type boardLink struct {
	Number                 int64 // number of the other organization
	SharedPeople, Possible int32
	SameState              bool
	Confidence             float64
}

// Account says where the grant dollars of an organization's returns are, oldest return first.
type Account []snapshot.GrantAccount

// Sums adds up the returns whose fiscal year is wanted.
func (a Account) Sums(wanted func(year int) bool) grant.Sums {
	sums := grant.Sums{}
	for _, r := range a {
		if wanted(int(r.TaxYear)) {
			sums[r.Kind] += r.Amount
		}
	}
	return sums
}

// AnyYear wants the returns of every year.
func AnyYear(int) bool { return true }

// Returns splits the account by return, latest first.
func (a Account) Returns() (list []Account) {
	for end := len(a); end > 0; {
		start := end - 1
		for start > 0 && a[start-1].Filing == a[end-1].Filing {
			start--
		}
		list, end = append(list, a[start:end]), start
	}
	return list
}

// Index has the profiles of a snapshot. It is safe for concurrent use. Profiles are copies, so they stay valid after Close.
type Index struct {
	mapped.Guard
	*columns
	coverage snapshot.AwardCoverage
}

var errClosed = errors.New("profile: the index is closed")

// Open maps the index of a snapshot and reads all of it once to verify it.
func Open(s *snapshot.Snapshot) (*Index, error) {
	coverage, err := s.Manifest.AwardCoverage()
	if err != nil {
		return nil, err
	}
	x, err := mapped.Load(s.Dir, fileName, fileKind, newIndex)
	if err != nil {
		return nil, err
	}
	x.coverage = coverage
	return x, nil
}

// New makes an index in memory from a few rows.
func New(t *Tables) (*Index, error) {
	x, err := mapped.InMemory(fileKind, func(out io.Writer) error { return t.write(context.Background(), out) }, newIndex)
	if err != nil {
		return nil, err
	}
	x.coverage = t.Coverage
	return x, nil
}

func newIndex(f *mapped.File) *Index {
	return &Index{Guard: mapped.Guarded(f, errClosed), columns: readColumns(f)}
}

func (x *Index) Known(e ein.EIN) bool {
	if x.Begin() != nil {
		return false
	}
	defer x.End()
	_, known := numberOf(x.facts, e)
	return known
}

// Read reads the profile of an organization, with all of its parts or only the first ones.
func (x *Index) Read(e ein.EIN, all bool) (p *Profile, known bool) {
	if x.Begin() != nil {
		return nil, false
	}
	defer x.End()
	org, known := numberOf(x.facts, e)
	if !known {
		return nil, false
	}
	p = &Profile{Organization: Organization{EIN: e, Number: org, Identity: *first(&x.identity, org)}, Filings: rowsIn(&x.filings, org),
		Account: rowsIn(&x.accounts, org)}
	years := rowsIn(&x.financials, org)
	if n := len(years); n > 0 {
		p.Latest = &years[n-1]
	}
	if !all {
		return p, true
	}
	p.Financials, p.ServiceAreas, p.People = years, rowsIn(&x.areas, org), rowsIn(&x.people, org)
	p.Family, p.Assets, p.Holdings, p.Applications = first(&x.families, org), first(&x.assets, org), rowsIn(&x.holdings, org), rowsIn(&x.applying, org)
	p.InAll = Totals{ServiceAreas: total(&x.areas, org), People: total(&x.people, org), BoardLinks: total(&x.boards, org), Holdings: total(&x.holdings, org)}
	for _, l := range rowsIn(&x.boards, org) {
		other := uint32(l.Number)
		p.BoardLinks = append(p.BoardLinks, BoardLink{ein.EIN(x.facts[other].EIN), first(&x.identity, other).Name, l})
	}
	p.Awarded = awardedOf(x.awards.of(org))
	return p, true
}

// Account is the grant dollars of an organization's returns, oldest first.
func (x *Index) Account(e ein.EIN) Account {
	if x == nil || x.Begin() != nil {
		return nil
	}
	defer x.End()
	if org, known := numberOf(x.facts, e); known {
		return rowsIn(&x.accounts, org)
	}
	return nil
}

// Cause is the letter of an organization's registered cause, 0 if there is none.
func (x *Index) Cause(e ein.EIN) byte {
	if x.Begin() != nil {
		return 0
	}
	defer x.End()
	if org, known := numberOf(x.facts, e); known {
		return x.facts[org].cause()
	}
	return 0
}

func (x *Index) Coverage() snapshot.AwardCoverage { return x.coverage }
