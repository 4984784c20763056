package profile

import (
	"context"
	"errors"
	"io"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

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
