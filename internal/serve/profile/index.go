package profile

import (
	"context"
	"errors"
	"io"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Index has the profiles of a snapshot. It is safe for concurrent use. Profiles are
// copies, so they stay valid after Close.
type Index struct {
	mapped.Guard
	*columns
	coverage snapshot.AwardCoverage
}

// errClosed is never shown: a closed index finds nothing.
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

func (x *Index) organization(org uint32) Organization {
	return Organization{EIN: ein.EIN(x.facts[org].EIN), Number: org, Identity: *x.identity.first(org)}
}

// Known reports whether there is an organization with this EIN.
func (x *Index) Known(e ein.EIN) bool {
	if x.Begin() != nil {
		return false
	}
	defer x.End()
	_, known := numberOf(x.facts, e)
	return known
}

// Read reads the profile of an organization, with all of its parts or only the first
// ones. known is false if the EIN is unknown.
func (x *Index) Read(e ein.EIN, all bool) (p *Profile, known bool) {
	if x.Begin() != nil {
		return nil, false
	}
	defer x.End()
	org, known := numberOf(x.facts, e)
	if !known {
		return nil, false
	}
	p = &Profile{Organization: x.organization(org), Filings: x.filings.of(org)}
	years := x.financials.of(org)
	if n := len(years); n > 0 {
		p.Latest = &years[n-1]
	}
	if !all {
		return p, true
	}
	p.Financials, p.ServiceAreas, p.People = years, x.areas.of(org), x.people.of(org)
	p.Family, p.Assets, p.Holdings = x.families.first(org), x.assets.first(org), x.holdings.of(org)
	p.InAll = Totals{ServiceAreas: x.areas.total(org), People: x.people.total(org), BoardLinks: x.boards.total(org), Holdings: x.holdings.total(org)}
	for _, l := range x.boards.of(org) {
		other := uint32(l.Number)
		p.BoardLinks = append(p.BoardLinks, BoardLink{ein.EIN(x.facts[other].EIN), x.identity.first(other).Name, l})
	}
	p.Awarded = awardedOf(x.awards.of(org))
	return p, true
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

// Coverage is what the award files cover.
func (x *Index) Coverage() snapshot.AwardCoverage { return x.coverage }
