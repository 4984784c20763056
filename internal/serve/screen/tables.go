package screen

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/packed"
)

// Tables look up the rows of an edition. A list that is not loaded has no rows:
// whether a list can be used is a question to the edition.
type Tables struct {
	file          *mapped.File // nil for rows in memory
	masters       section[lists.Master]
	deductibles   section[lists.Deductible]
	revocations   section[lists.RevocationRow]
	registrations section[lists.Registration]
	ftb           section[lists.FTBRecord]
	registryNamed section[lists.Registration]
	ftbNamed      section[lists.FTBRecord]
	centrals      section[lists.Master]
	sanctioned    []Sanctioned
	deletions     []lists.Deletion
	bulletins     []lists.Bulletin
}

// section is rows in the order of their keys, which may repeat. In a file, each row lies
// between two starts.
type section[T any] struct {
	keys   []uint64
	starts []uint64
	rows   []byte
	list   []T // rows in memory, instead of starts and rows
}

// Sanctioned is one entity of the sanctions list with its names and places.
type Sanctioned struct {
	lists.Sanction
	Names  []lists.SanctionName
	Places []lists.SanctionPlace
}

// Rows are the rows of an edition in memory, for the examples and for tests.
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

func (r *Rows) tables() *Tables {
	return &Tables{
		masters: inMemory(r.Masters, mastersByEIN), deductibles: inMemory(r.Pub78, deductiblesByEIN), revocations: inMemory(r.Revoked, revocationsByEIN),
		registrations: inMemory(r.Registry, registrationsByEIN), ftb: inMemory(r.FTB, ftbByEIN), registryNamed: inMemory(r.Registry, registrationsByName),
		ftbNamed: inMemory(r.FTB, ftbByName), centrals: inMemory(r.Masters, centralsByGroup),
		sanctioned: r.Entities, deletions: r.Deleted, bulletins: r.BulletinsInAll,
	}
}

func inMemory[T any](all []T, l lookup[T]) (s section[T]) {
	for key, row := range byKey(all, l) {
		s.keys, s.list = append(s.keys, key), append(s.list, row)
	}
	return s
}

// row returns a row; ok is false if it cannot be decoded.
func (s *section[T]) row(i int) (row T, ok bool) {
	if s.list != nil {
		return s.list[i], true
	}
	row, rest, ok := packed.Decode[T](s.rows[s.starts[i]:s.starts[i+1]])
	return row, ok && len(rest) == 0
}

// find returns the rows of a key.
func (s *section[T]) find(key uint64) (list []T) {
	i, found := slices.BinarySearch(s.keys, key)
	for ; found && i < len(s.keys) && s.keys[i] == key; i++ {
		row, ok := s.row(i)
		if !ok {
			// The checksum is right, so the row was written like this: a mistake of ours,
			// which must not look like a missing row.
			panic("screen: a row of the index cannot be read")
		}
		list = append(list, row)
	}
	return list
}

// findText returns the rows of a text, by the hash of the text.
func (s *section[T]) findText(text string, of func(*T) string) []T {
	return slices.DeleteFunc(s.find(hash.Of(text)), func(row T) bool { return of(&row) != text })
}

// Master returns the organization's row of the master file.
func (x *Tables) Master(e ein.EIN) (lists.Master, bool) {
	if rows := x.masters.find(uint64(e)); len(rows) > 0 {
		return rows[0], true
	}
	return lists.Master{}, false
}

// Deductibles returns the organization's rows of Publication 78.
func (x *Tables) Deductibles(e ein.EIN) []lists.Deductible { return x.deductibles.find(uint64(e)) }

// Revocations returns the organization's rows of the revocation list.
func (x *Tables) Revocations(e ein.EIN) []lists.RevocationRow { return x.revocations.find(uint64(e)) }

// Registrations returns the organization's rows of California's registry.
func (x *Tables) Registrations(e ein.EIN) []lists.Registration {
	return x.registrations.find(uint64(e))
}

// FTBRecords returns the organization's rows of the list of the Franchise Tax Board.
func (x *Tables) FTBRecords(e ein.EIN) []lists.FTBRecord { return x.ftb.find(uint64(e)) }

// RegistrationsNamed returns the registrations without an EIN whose name has this key
// of package orgname.
func (x *Tables) RegistrationsNamed(key string) []lists.Registration {
	return x.registryNamed.findText(key, func(c *lists.Registration) string { return orgname.Key(c.Name) })
}

// FTBRecordsNamed returns the records without an EIN whose name has this key.
func (x *Tables) FTBRecordsNamed(key string) []lists.FTBRecord {
	return x.ftbNamed.findText(key, func(c *lists.FTBRecord) string { return orgname.Key(c.Name) })
}

// Centrals returns the central organizations of a group.
func (x *Tables) Centrals(group string) []lists.Master {
	return x.centrals.findText(group, func(m *lists.Master) string { return m.Group })
}

// Sanctioned returns the entities of the sanctions list.
func (x *Tables) Sanctioned() []Sanctioned { return x.sanctioned }

// NewestBulletin returns the last bulletin that was read.
func (x *Tables) NewestBulletin() (lists.Bulletin, bool) {
	if len(x.bulletins) == 0 {
		return lists.Bulletin{}, false
	}
	return x.bulletins[len(x.bulletins)-1], true
}

// Close closes the index file.
func (x *Tables) Close() error {
	if x.file == nil {
		return nil
	}
	return x.file.Close()
}
