package screen

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/lists"
)

// Tables are the rows of an edition, as they are looked up. Rows of a list that
// is not loaded are simply not there: whether a list can be used is asked of the
// edition, not of its rows.
type Tables interface {
	Master(ein.EIN) (lists.Master, bool)
	Deductibles(ein.EIN) []lists.Deductible
	Revocations(ein.EIN) []lists.RevocationRow
	Registrations(ein.EIN) []lists.Registration
	FTBRecords(ein.EIN) []lists.FTBRecord
	// RegistrationsNamed and FTBRecordsNamed are the rows without an EIN whose
	// name has this key of package orgname.
	RegistrationsNamed(key string) []lists.Registration
	FTBRecordsNamed(key string) []lists.FTBRecord
	// Centrals are the central organizations of a group.
	Centrals(group string) []lists.Master
	// Sanctioned are the entities of the sanctions list, and Deletions all that
	// bulletins announced; both are small and compared as a whole.
	Sanctioned() []Sanctioned
	Deletions() []lists.Deletion
	NewestBulletin() (lists.Bulletin, bool)
	Close() error
}

// Sanctioned is one entity of the sanctions list with its names and places.
type Sanctioned struct {
	lists.Sanction
	Names  []lists.SanctionName
	Places []lists.SanctionPlace
}

// Rows are tables in memory, for the examples and for tests.
type Rows struct {
	Masters        []lists.Master
	Pub78          []lists.Deductible
	Revoked        []lists.RevocationRow
	Registry       []lists.Registration
	FTB            []lists.FTBRecord
	Entities       []Sanctioned
	Deleted        []lists.Deletion
	BulletinsInAll []lists.Bulletin
}

func (r *Rows) Master(e ein.EIN) (lists.Master, bool) {
	i := slices.IndexFunc(r.Masters, func(m lists.Master) bool { return m.EIN == e.String() })
	if i < 0 {
		return lists.Master{}, false
	}
	return r.Masters[i], true
}

func where[T any](rows []T, keep func(*T) bool) (list []T) {
	for i := range rows {
		if keep(&rows[i]) {
			list = append(list, rows[i])
		}
	}
	return list
}

func (r *Rows) Deductibles(e ein.EIN) []lists.Deductible {
	return where(r.Pub78, func(p *lists.Deductible) bool { return p.EIN == e.String() })
}

func (r *Rows) Revocations(e ein.EIN) []lists.RevocationRow {
	return where(r.Revoked, func(v *lists.RevocationRow) bool { return v.EIN == e.String() })
}

func (r *Rows) Registrations(e ein.EIN) []lists.Registration {
	return where(r.Registry, func(c *lists.Registration) bool { return c.EIN == e.String() })
}

func (r *Rows) RegistrationsNamed(key string) []lists.Registration {
	return where(r.Registry, func(c *lists.Registration) bool { return c.EIN == "" && orgname.Key(c.Name) == key })
}

func (r *Rows) FTBRecords(e ein.EIN) []lists.FTBRecord {
	return where(r.FTB, func(c *lists.FTBRecord) bool { return c.EIN == e.String() })
}

func (r *Rows) FTBRecordsNamed(key string) []lists.FTBRecord {
	return where(r.FTB, func(c *lists.FTBRecord) bool { return c.EIN == "" && orgname.Key(c.Name) == key })
}

func (r *Rows) Centrals(group string) []lists.Master {
	return where(r.Masters, func(m *lists.Master) bool { return m.Group == group && isCentral(m) })
}

func (r *Rows) Sanctioned() []Sanctioned    { return r.Entities }
func (r *Rows) Deletions() []lists.Deletion { return r.Deleted }

func (r *Rows) NewestBulletin() (lists.Bulletin, bool) {
	if len(r.BulletinsInAll) == 0 {
		return lists.Bulletin{}, false
	}
	return r.BulletinsInAll[len(r.BulletinsInAll)-1], true
}

// Close does nothing: the rows are the garbage collector's.
func (r *Rows) Close() error { return nil }
