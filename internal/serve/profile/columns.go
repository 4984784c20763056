package profile

import (
	"slices"

	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/packed"
)

const fileName = "profile/organizations.gg"

const Damaged = "profile_damaged"

// fileKind is the file of the index. Its version changes with the sections and all packed types.
var fileKind = &mapped.Kind{
	Magic: "GGprofl3", Name: "profile index",
	Missing: "profile_unreadable", Version: "profile_version", Damaged: Damaged,
}

type columns struct {
	facts []fact   // by number
	peers []uint32 // numbers by cause, state, county and revenue

	identity   section[Identity]
	financials section[snapshot.Financial]
	filings    section[Filing]
	areas      section[snapshot.ServiceArea]
	people     section[snapshot.Person]
	boards     section[boardLink]
	families   section[snapshot.OrgFamily]
	assets     section[snapshot.AssetProfile]
	holdings   section[snapshot.FoundationHolding]
	applying   section[snapshot.Application]
	accounts   section[snapshot.GrantAccount]

	awards awards
}

// fact holds the properties by which organizations are compared.
type fact struct {
	Revenue    int64
	EIN        uint32
	County     uint32 // FIPS code, 0 for none
	State      [2]byte
	NTEE       [4]byte
	HasRevenue uint8
	_          uint8
}

// section holds the rows of one kind, those of an organization between two starts, of some kinds only the first.
type section[T any] struct {
	orgs   []uint32
	starts []uint64
	totals []uint32
	bytes  []byte
}

func readColumns(f *mapped.File) *columns {
	c := &columns{facts: mapped.Column[fact](f, "facts", mapped.AnyLength), peers: mapped.Column[uint32](f, "peers", mapped.AnyLength)}
	n := len(c.facts)
	if f.Err() == nil && !slices.IsSortedFunc(c.facts, func(a, b fact) int { return int(a.EIN) - int(b.EIN) }) {
		f.Fail("the organizations are out of order")
	}
	if f.Err() == nil && slices.ContainsFunc(c.peers, func(org uint32) bool { return int(org) >= n }) {
		f.Fail("the peers are not organizations")
	}
	for _, part := range c.parts(nil, &Tables{}) {
		part.open(f, n)
	}
	c.awards = openAwards(f, n)
	if f.Err() == nil && len(c.identity.orgs) != n {
		f.Fail("some organizations have no name")
	}
	return c
}

// part is a section with its name in the file, and the step that fills it when the index is built.
type part struct {
	open func(f *mapped.File, orgs int)
	fill func() error
}

// partOf is a section that fill writes under its name.
func partOf[T any](to *section[T], name string, fill func(name string) error) part {
	return part{
		open: func(f *mapped.File, orgs int) { to.open(f, name, orgs) },
		fill: func() error { return fill(name) },
	}
}

// parts are the sections of an index. To open them, b is nil and t empty.
func (c *columns) parts(b *builder, t *Tables) []part {
	return []part{
		partOf(&c.identity, "identity", func(name string) error { return b.addIdentities(name, t) }),
		partOf(&c.financials, "financials", addSorted(b, t.Financials, func(r *snapshot.Financial) *string { return &r.EIN }, mostFilings)),
		partOf(&c.filings, "filings", func(name string) error { return b.addFilings(name, t) }),
		partOf(&c.areas, "areas", addSorted(b, t.ServiceAreas, func(r *snapshot.ServiceArea) *string { return &r.EIN }, MaxAreas)),
		partOf(&c.people, "people", func(name string) error { return b.addPeople(name, t) }),
		partOf(&c.boards, "boards", func(name string) error { return b.addBoards(name, t) }),
		partOf(&c.families, "families", addSorted(b, t.Families, func(r *snapshot.OrgFamily) *string { return &r.EIN }, 1)),
		partOf(&c.assets, "assets", addSorted(b, t.Assets, func(r *snapshot.AssetProfile) *string { return &r.EIN }, 1)),
		partOf(&c.holdings, "holdings", addSorted(b, t.Holdings, func(r *snapshot.FoundationHolding) *string { return &r.EIN }, MaxHoldings)),
		partOf(&c.applying, "applications", addSorted(b, t.Applications, func(r *snapshot.Application) *string { return &r.EIN }, maxApplying)),
		partOf(&c.accounts, "accounts", addSorted(b, t.Accounts, func(r *snapshot.GrantAccount) *string { return &r.EIN }, mostFilings*len(grant.Amounts()))),
	}
}

func (s *section[T]) open(f *mapped.File, name string, orgs int) {
	s.orgs, s.bytes = mapped.Column[uint32](f, name+".org", mapped.AnyLength), mapped.Column[byte](f, name+".rows", mapped.AnyLength)
	s.starts, s.totals = mapped.Column[uint64](f, name+".start", len(s.orgs)+1), mapped.Column[uint32](f, name+".total", len(s.orgs))
	if checkStarts(f, name, s.orgs, s.starts, orgs, len(s.bytes)); f.Err() != nil {
		*s = section[T]{}
	}
}

// checkStarts checks that the organizations and the starts of their rows rise.
func checkStarts(f *mapped.File, name string, orgs []uint32, starts []uint64, n, size int) {
	if f.Err() != nil {
		return
	}
	for i := 1; i < len(orgs); i++ {
		if orgs[i] <= orgs[i-1] {
			f.Fail("the organizations of %s are out of order", name)
			return
		}
	}
	if len(orgs) > 0 && int(orgs[len(orgs)-1]) >= n || !slices.IsSorted(starts) || starts[0] != 0 || starts[len(orgs)] != uint64(size) {
		f.Fail("the rows of %s do not fit their organizations", name)
	}
}

// rowsIn returns the rows of an organization. As a method, each package that knows the type would compile it again.
func rowsIn[T any](s *section[T], org uint32) (list []T) {
	i, found := slices.BinarySearch(s.orgs, org)
	if !found {
		return nil
	}
	for b := s.bytes[s.starts[i]:s.starts[i+1]]; len(b) > 0; {
		row, rest, ok := packed.Decode[T](b)
		if !ok {
			// The checksum is right, so we wrote this row wrongly: it is no missing row.
			panic("profile: a row of the index cannot be read")
		}
		list, b = append(list, row), rest
	}
	return list
}

func total[T any](s *section[T], org uint32) int {
	if i, found := slices.BinarySearch(s.orgs, org); found {
		return int(s.totals[i])
	}
	return 0
}

func first[T any](s *section[T], org uint32) *T {
	if list := rowsIn(s, org); len(list) > 0 {
		return &list[0]
	}
	return nil
}
