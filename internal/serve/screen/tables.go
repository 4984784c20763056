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
	file *mapped.File // nil for rows in memory

	// By EIN.
	Masters       Section[lists.Master]
	Deductibles   Section[lists.Deductible]
	Revocations   Section[lists.RevocationRow]
	Registrations Section[lists.Registration]
	FTBRecords    Section[lists.FTBRecord]

	// Rows without an EIN, by the key of their name that package orgname makes.
	RegistrationsNamed Section[lists.Registration]
	FTBRecordsNamed    Section[lists.FTBRecord]

	Centrals Section[lists.Master] // central organizations, by the number of their group

	Sanctioned []Sanctioned
	Deletions  []lists.Deletion
	Bulletins  []lists.Bulletin
}

func newTables() *Tables {
	return &Tables{
		Masters:       Section[lists.Master]{name: "bmf", table: lists.Masters, ein: func(m *lists.Master) string { return m.EIN }},
		Deductibles:   Section[lists.Deductible]{name: "pub78", table: lists.Deductibles, ein: func(p *lists.Deductible) string { return p.EIN }},
		Revocations:   Section[lists.RevocationRow]{name: "revocation", table: lists.Revocations, ein: func(v *lists.RevocationRow) string { return v.EIN }},
		Registrations: Section[lists.Registration]{name: "ca_registry", table: lists.Registrations, ein: func(c *lists.Registration) string { return c.EIN }},
		FTBRecords:    Section[lists.FTBRecord]{name: "ca_ftb", table: lists.FTBRecords, ein: func(c *lists.FTBRecord) string { return c.EIN }},
		RegistrationsNamed: Section[lists.Registration]{name: "ca_registry.named", table: lists.Registrations,
			text: func(c *lists.Registration) (string, bool) { return nameWithoutEIN(c.EIN, c.Name) }},
		FTBRecordsNamed: Section[lists.FTBRecord]{name: "ca_ftb.named", table: lists.FTBRecords,
			text: func(c *lists.FTBRecord) (string, bool) { return nameWithoutEIN(c.EIN, c.Name) }},
		Centrals: Section[lists.Master]{name: "bmf.central", table: lists.Masters,
			text: func(m *lists.Master) (string, bool) { return m.Group, isCentral(m) && m.Group != "" }},
	}
}

func nameWithoutEIN(einText, name string) (key string, ok bool) {
	if einText != "" {
		return "", false
	}
	return orgname.Key(name), true
}

// Section is rows in the order of their keys, EINs or hashes of a text, which may repeat. Its operations are functions: every
// package that knows the type would compile all of its methods again.
type Section[T any] struct {
	name, table string
	ein         func(*T) string                 // nil if the key is that of a text
	text        func(*T) (text string, ok bool) // ok is false for a row that the section leaves out

	keys   []uint64
	starts []uint64
	rows   []byte
	list   []T // rows in memory, instead of starts and rows
}

// keyOf returns the key of a row; ok is false for a row that the section leaves out.
func keyOf[T any](s *Section[T], row *T) (key uint64, ok bool) {
	if s.ein != nil {
		return einOf(s.ein(row))
	}
	text, ok := s.text(row)
	return hash.Of(text), ok
}

// einOf returns the key of an EIN; ok is false for a text that is not an EIN.
func einOf(text string) (key uint64, ok bool) {
	e, err := ein.Parse(text)
	return uint64(e), err == nil
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
	x := newTables()
	fill(&x.Masters, r.Masters)
	fill(&x.Deductibles, r.Pub78)
	fill(&x.Revocations, r.Revoked)
	fill(&x.Registrations, r.Registry)
	fill(&x.FTBRecords, r.FTB)
	fill(&x.RegistrationsNamed, r.Registry)
	fill(&x.FTBRecordsNamed, r.FTB)
	fill(&x.Centrals, r.Masters)
	x.Sanctioned, x.Deletions, x.Bulletins = r.Entities, r.Deleted, r.BulletinsInAll
	return x
}

func fill[T any](s *Section[T], all []T) {
	for key, row := range byKey(s, all) {
		s.keys, s.list = append(s.keys, key), append(s.list, row)
	}
}

// rowAt returns a row; ok is false if it cannot be decoded.
func rowAt[T any](s *Section[T], i int) (row T, ok bool) {
	if s.list != nil {
		return s.list[i], true
	}
	row, rest, ok := packed.Decode[T](s.rows[s.starts[i]:s.starts[i+1]])
	return row, ok && len(rest) == 0
}

func findRows[T any](s *Section[T], key uint64) (list []T) {
	i, found := slices.BinarySearch(s.keys, key)
	for ; found && i < len(s.keys) && s.keys[i] == key; i++ {
		row, ok := rowAt(s, i)
		if !ok {
			// The checksum is right, so we wrote this row wrongly: it is no missing row.
			panic("screen: a row of the index cannot be read")
		}
		list = append(list, row)
	}
	return list
}

func RowsWith[T any](s *Section[T], e ein.EIN) []T { return findRows(s, uint64(e)) }

func RowsNamed[T any](s *Section[T], text string) []T {
	return slices.DeleteFunc(findRows(s, hash.Of(text)), func(row T) bool {
		other, _ := s.text(&row)
		return other != text
	})
}

func (x *Tables) Master(e ein.EIN) (lists.Master, bool) {
	if rows := RowsWith(&x.Masters, e); len(rows) > 0 {
		return rows[0], true
	}
	return lists.Master{}, false
}

func (x *Tables) Close() error {
	if x.file == nil {
		return nil
	}
	return x.file.Close()
}
