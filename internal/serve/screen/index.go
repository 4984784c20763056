package screen

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/packed"
)

const IndexPath = "screen/lists.idx"

const Damaged = "screen_damaged"

// fileKind is the kind of the index file. IndexPath changes with its version, or an edition is not indexed again.
var fileKind = &mapped.Kind{
	Magic: "GGlists1", Name: "index of the lists",
	Missing: "screen_unreadable", Version: "screen_version", Damaged: Damaged,
}

func isCentral(m *lists.Master) bool { return m.Affiliation == "6" || m.Affiliation == "8" }

// Build writes the index of an edition from the tables that the edition has.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	return w.WriteFile(IndexPath, func(out io.Writer) error {
		b, x := builder{ctx, s, mapped.NewWriter(out, fileKind)}, newTables()
		var centrals []lists.Master
		x.Masters.ein = func(m *lists.Master) string {
			if _, central := keyOf(&x.Centrals, m); central {
				centrals = append(centrals, *m)
			}
			return m.EIN
		}
		err := errors.Join(addSorted(&x.Masters, b), addSorted(&x.Deductibles, b), addSorted(&x.Revocations, b), addSorted(&x.Registrations, b),
			addSorted(&x.FTBRecords, b), addNamed(&x.RegistrationsNamed, b), addNamed(&x.FTBRecordsNamed, b))
		if err != nil {
			return err
		}
		add(&x.Centrals, b, byKey(&x.Centrals, centrals))
		return b.out.Close()
	})
}

// builder reads the tables of an edition and writes the sections of the index.
type builder struct {
	ctx context.Context
	s   *snapshot.Snapshot
	out *mapped.Writer
}

// rows returns the rows of a table, none if the edition does not have it, and an error at the end of the context.
func rows[T any](b builder, table string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range tableRows[T](b.s, table) {
			if err = cmp.Or(err, b.ctx.Err()); !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func tableRows[T any](s *snapshot.Snapshot, table string) iter.Seq2[T, error] {
	if !s.HasTable(table) {
		return func(func(T, error) bool) {}
	}
	return snapshot.Rows[T](s, table)
}

// addSorted adds a section whose table is already in the order of its keys.
func addSorted[T any](s *Section[T], b builder) (failed error) {
	add(s, b, func(yield func(uint64, T) bool) {
		for row, err := range rows[T](b, s.table) {
			if failed = err; failed != nil {
				return
			}
			if k, ok := keyOf(s, &row); ok && !yield(k, row) {
				return
			}
		}
	})
	return failed
}

// addNamed adds a section whose table is in another order.
func addNamed[T any](s *Section[T], b builder) error {
	var list []T
	for row, err := range rows[T](b, s.table) {
		if err != nil {
			return err
		}
		if _, ok := keyOf(s, &row); ok {
			list = append(list, row)
		}
	}
	add(s, b, byKey(s, list))
	return nil
}

// byKey returns the rows that the section holds, in the order of their keys.
func byKey[T any](s *Section[T], list []T) iter.Seq2[uint64, T] {
	type keyed struct {
		key uint64
		row *T
	}
	var order []keyed
	for i := range list {
		if key, ok := keyOf(s, &list[i]); ok {
			order = append(order, keyed{key, &list[i]})
		}
	}
	slices.SortStableFunc(order, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	return func(yield func(uint64, T) bool) {
		for _, k := range order {
			if !yield(k.key, *k.row) {
				return
			}
		}
	}
}

// add adds the three columns of the section, row by row: those of the master file take hundreds of megabytes.
func add[T any](s *Section[T], b builder, rows iter.Seq2[uint64, T]) {
	keys, starts := []uint64{}, []uint64{0}
	var at uint64
	var buf []byte
	b.out.Begin(s.name + ".rows")
	for key, row := range rows {
		buf = packed.Append(buf[:0], &row)
		if _, err := b.out.Write(buf); err != nil {
			return
		}
		at += uint64(len(buf))
		keys, starts = append(keys, key), append(starts, at)
	}
	mapped.Add(b.out, s.name+".keys", keys)
	mapped.Add(b.out, s.name+".starts", starts)
}

// OpenTables opens the tables of an edition. The caller must close them.
func OpenTables(e *lists.Edition) (*Tables, error) {
	x, err := mapped.Load(e.Dir, IndexPath, fileKind, readIndex)
	if err != nil {
		return nil, err
	}
	// Its length shows that the file belongs to this edition; its checksum would take long.
	i := slices.IndexFunc(e.Manifest.Files, func(m snapshot.File) bool { return m.Path == IndexPath })
	if i < 0 || e.Manifest.Files[i].Bytes != x.file.Size() {
		err = fault.New(fileKind.Damaged, "the %s of the lists %s is not the one that was made with them", fileKind.Name, e.Manifest.Version).
			Try("build the lists again; the sources are untouched")
	} else {
		err = x.readSmall(e)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func readIndex(f *mapped.File) *Tables {
	x := newTables()
	x.file = f
	for _, s := range []interface{ open(*mapped.File) }{
		&x.Masters, &x.Deductibles, &x.Revocations, &x.Registrations, &x.FTBRecords, &x.RegistrationsNamed, &x.FTBRecordsNamed, &x.Centrals,
	} {
		s.open(f)
	}
	return x
}

func (s *Section[T]) open(f *mapped.File) {
	s.rows, s.keys = mapped.Column[byte](f, s.name+".rows", mapped.AnyLength), mapped.Column[uint64](f, s.name+".keys", mapped.AnyLength)
	s.starts = mapped.Column[uint64](f, s.name+".starts", len(s.keys)+1)
	if f.Err() == nil && (!slices.IsSorted(s.keys) || !slices.IsSorted(s.starts) || s.starts[0] != 0 || s.starts[len(s.keys)] != uint64(len(s.rows))) {
		f.Fail("the rows of %s are out of order", s.name)
	}
}

// readSmall reads the lists that are compared as a whole.
func (x *Tables) readSmall(e *lists.Edition) (err error) {
	if e.Status(lists.OFAC).Loaded {
		if x.Sanctioned, err = readSanctioned(e.Snapshot); err != nil {
			return err
		}
	}
	if e.Status(lists.IRB).Loaded {
		if x.Deletions, err = collect[lists.Deletion](e.Snapshot, lists.Deletions); err != nil {
			return err
		}
		x.Bulletins, err = collect[lists.Bulletin](e.Snapshot, lists.Bulletins)
	}
	return err
}

func collect[T any](s *snapshot.Snapshot, table string) (list []T, err error) {
	for row, err := range snapshot.Rows[T](s, table) {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// readSanctioned reads the sanctioned entities. People, vessels and aircraft are not screened.
func readSanctioned(s *snapshot.Snapshot) ([]Sanctioned, error) {
	entities, err := collect[lists.Sanction](s, lists.Sanctions)
	if err != nil {
		return nil, err
	}
	names, err := collect[lists.SanctionName](s, lists.SanctionNames)
	if err != nil {
		return nil, err
	}
	places, err := collect[lists.SanctionPlace](s, lists.SanctionPlaces)
	if err != nil {
		return nil, err
	}
	var list []Sanctioned
	at := map[int64]int{}
	for _, row := range entities {
		if row.Entity() {
			at[row.Num] = len(list)
			list = append(list, Sanctioned{Sanction: row})
		}
	}
	for _, row := range names {
		if i, ok := at[row.Num]; ok {
			list[i].Names = append(list[i].Names, row)
		}
	}
	for _, row := range places {
		if i, ok := at[row.Num]; ok {
			list[i].Places = append(list[i].Places, row)
		}
	}
	return list, nil
}

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
