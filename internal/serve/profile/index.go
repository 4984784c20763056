package profile

import (
	"bytes"
	"context"
	"path/filepath"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Index has the profiles of a snapshot. It is safe for concurrent use. Profiles are
// copies, so they stay valid after Close.
type Index struct {
	mu     sync.RWMutex // held for reading by every question, for writing by Close
	closed bool
	file   *mapped.File
	*columns
	coverage snapshot.AwardCoverage
}

// Open maps the index of a snapshot and reads all of it once to verify it.
func Open(s *snapshot.Snapshot) (*Index, error) {
	f, err := mapped.Open(filepath.Join(s.Dir, filepath.FromSlash(fileName)), fileKind)
	if err != nil {
		return nil, err
	}
	x, err := newIndex(f)
	if err == nil {
		x.coverage, err = s.Manifest.AwardCoverage()
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return x, nil
}

// New makes an index in memory from a few rows.
func New(t *Tables) (*Index, error) {
	var b bytes.Buffer
	if err := t.write(context.Background(), &b); err != nil {
		return nil, err
	}
	x, err := read(b.Bytes())
	if err != nil {
		return nil, err
	}
	x.coverage = t.Coverage
	return x, nil
}

func read(data []byte) (*Index, error) {
	f, err := mapped.Read("memory", data, fileKind)
	if err != nil {
		return nil, err
	}
	return newIndex(f)
}

func newIndex(f *mapped.File) (*Index, error) {
	x := &Index{file: f, columns: readColumns(f)}
	return x, f.Err()
}

// Close waits for running questions and unmaps the file. A closed index finds
// nothing.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return x.file.Close()
}

// find is the number of an organization. The caller holds the lock.
func (x *Index) find(e ein.EIN) (uint32, bool) {
	if x.closed {
		return 0, false
	}
	return numberOf(x.facts, e)
}

func (x *Index) organization(org uint32) Organization {
	return Organization{EIN: ein.EIN(x.facts[org].EIN), Number: org, Identity: *x.identity.first(org)}
}

// Known reports whether there is an organization with this EIN.
func (x *Index) Known(e ein.EIN) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, known := x.find(e)
	return known
}

// Read reads the profile of an organization, with all of its parts or only the first
// ones. known is false if the EIN is unknown.
func (x *Index) Read(e ein.EIN, all bool) (p *Profile, known bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	org, known := x.find(e)
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
	x.mu.RLock()
	defer x.mu.RUnlock()
	if org, known := x.find(e); known {
		return x.facts[org].cause()
	}
	return 0
}

// Coverage is what the award files cover.
func (x *Index) Coverage() snapshot.AwardCoverage { return x.coverage }
