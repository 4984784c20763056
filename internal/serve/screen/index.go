package screen

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"path/filepath"
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

// IndexPath is the path of the index in an edition.
const IndexPath = "screen/lists.idx"

// Damaged is the slug of the error for an index that is not as it was written.
const Damaged = "screen_damaged"

// fileKind is the kind of the index file. Its version changes with the row types of
// package lists and with the keys, and IndexPath changes with it: an edition that has a
// file of that name is not indexed again.
var fileKind = &mapped.Kind{
	Magic: "GGlists1", Name: "index of the lists",
	Missing: "screen_unreadable", Version: "screen_version", Damaged: Damaged,
}

// lookup describes a section of the index: its name, the table of its rows, and the key
// of a row; ok is false for a row that the section leaves out.
type lookup[T any] struct {
	name, table string
	key         func(*T) (key uint64, ok bool)
}

var (
	mastersByEIN       = lookup[lists.Master]{"bmf", lists.Masters, func(m *lists.Master) (uint64, bool) { return einOf(m.EIN) }}
	deductiblesByEIN   = lookup[lists.Deductible]{"pub78", lists.Deductibles, func(p *lists.Deductible) (uint64, bool) { return einOf(p.EIN) }}
	revocationsByEIN   = lookup[lists.RevocationRow]{"revocation", lists.Revocations, func(v *lists.RevocationRow) (uint64, bool) { return einOf(v.EIN) }}
	registrationsByEIN = lookup[lists.Registration]{"ca_registry", lists.Registrations, func(c *lists.Registration) (uint64, bool) { return einOf(c.EIN) }}
	ftbByEIN           = lookup[lists.FTBRecord]{"ca_ftb", lists.FTBRecords, func(c *lists.FTBRecord) (uint64, bool) { return einOf(c.EIN) }}

	// Rows without an EIN, by the key of their name.
	registrationsByName = lookup[lists.Registration]{"ca_registry.named", lists.Registrations, func(c *lists.Registration) (uint64, bool) {
		return nameHash(c.EIN, c.Name)
	}}
	ftbByName = lookup[lists.FTBRecord]{"ca_ftb.named", lists.FTBRecords, func(c *lists.FTBRecord) (uint64, bool) { return nameHash(c.EIN, c.Name) }}

	centralsByGroup = lookup[lists.Master]{"bmf.central", lists.Masters, func(m *lists.Master) (uint64, bool) {
		return hash.Of(m.Group), isCentral(m) && m.Group != ""
	}}
)

// einOf returns the key of an EIN; ok is false for a text that is not an EIN.
func einOf(text string) (key uint64, ok bool) {
	e, err := ein.Parse(text)
	return uint64(e), err == nil
}

// nameHash returns the key of a name. Two names may share it, so a lookup compares the
// names that it finds.
func nameHash(einText, name string) (key uint64, ok bool) {
	if einText != "" {
		return 0, false
	}
	return hash.Of(orgname.Key(name)), true
}

func isCentral(m *lists.Master) bool { return m.Affiliation == "6" || m.Affiliation == "8" }

// Build writes the index of an edition from the tables that the edition has.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	return w.WriteFile(IndexPath, func(out io.Writer) error {
		f := mapped.NewWriter(out, fileKind)
		b := builder{ctx, s, f}
		var centrals []lists.Master
		masters := mastersByEIN
		masters.key = func(m *lists.Master) (uint64, bool) {
			if _, central := centralsByGroup.key(m); central {
				centrals = append(centrals, *m)
			}
			return mastersByEIN.key(m)
		}
		err := errors.Join(addSorted(b, masters), addSorted(b, deductiblesByEIN), addSorted(b, revocationsByEIN),
			addSorted(b, registrationsByEIN), addSorted(b, ftbByEIN), addNamed(b, registrationsByName), addNamed(b, ftbByName))
		if err != nil {
			return err
		}
		addRows(f, centralsByGroup.name, byKey(centrals, centralsByGroup))
		return f.Close()
	})
}

// builder reads the tables of an edition and writes the sections of the index.
type builder struct {
	ctx context.Context
	s   *snapshot.Snapshot
	out *mapped.Writer
}

// rows returns the rows of a table, none if the edition does not have the table. It
// ends with an error when a row cannot be read or the context ends.
func rows[T any](b builder, table string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range tableRows[T](b.s, table) {
			if err = cmp.Or(err, b.ctx.Err()); !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// tableRows returns the rows of a table, none if the edition does not have the table.
func tableRows[T any](s *snapshot.Snapshot, table string) iter.Seq2[T, error] {
	if !s.HasTable(table) {
		return func(func(T, error) bool) {}
	}
	return snapshot.Rows[T](s, table)
}

// addSorted adds a section whose table is already in the order of its keys.
func addSorted[T any](b builder, l lookup[T]) (failed error) {
	addRows(b.out, l.name, func(yield func(uint64, T) bool) {
		for row, err := range rows[T](b, l.table) {
			if failed = err; failed != nil {
				return
			}
			if k, ok := l.key(&row); ok && !yield(k, row) {
				return
			}
		}
	})
	return failed
}

// addNamed adds a section whose table is in another order.
func addNamed[T any](b builder, l lookup[T]) error {
	var list []T
	for row, err := range rows[T](b, l.table) {
		if err != nil {
			return err
		}
		if _, ok := l.key(&row); ok {
			list = append(list, row)
		}
	}
	addRows(b.out, l.name, byKey(list, l))
	return nil
}

// byKey returns the rows that a section holds, in the order of their keys.
func byKey[T any](list []T, l lookup[T]) iter.Seq2[uint64, T] {
	type keyed struct {
		key uint64
		row *T
	}
	var order []keyed
	for i := range list {
		if key, ok := l.key(&list[i]); ok {
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

// addRows adds the three columns of a section. It writes each row as it comes, because
// the rows of the master file take hundreds of megabytes.
func addRows[T any](out *mapped.Writer, name string, rows iter.Seq2[uint64, T]) {
	keys, starts := []uint64{}, []uint64{0}
	var at uint64
	var buf []byte
	out.Begin(name + ".rows")
	for key, row := range rows {
		buf = packed.Append(buf[:0], &row)
		if _, err := out.Write(buf); err != nil {
			return
		}
		at += uint64(len(buf))
		keys, starts = append(keys, key), append(starts, at)
	}
	mapped.Add(out, name+".keys", keys)
	mapped.Add(out, name+".starts", starts)
}

// OpenTables opens the tables of an edition. The caller must close them.
func OpenTables(e *lists.Edition) (*Tables, error) {
	f, err := mapped.Open(filepath.Join(e.Dir, filepath.FromSlash(IndexPath)), fileKind)
	if err != nil {
		return nil, err
	}
	// The file is sound. Its length shows that it belongs to this edition; comparing its
	// checksum would take longer than everything else.
	i := slices.IndexFunc(e.Manifest.Files, func(m snapshot.File) bool { return m.Path == IndexPath })
	if i < 0 || e.Manifest.Files[i].Bytes != f.Size() {
		wrong := fault.New(fileKind.Damaged, "the %s of the lists %s is not the one that was made with them", fileKind.Name, e.Manifest.Version).
			Try("build the lists again; the sources are untouched")
		return nil, errors.Join(wrong, f.Close())
	}
	x := readIndex(f)
	if err := errors.Join(f.Err(), x.readSmall(e)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return x, nil
}

// readIndex finds the sections of a file. The file keeps the first error.
func readIndex(f *mapped.File) *Tables {
	return &Tables{
		file: f, masters: openSection(f, mastersByEIN), deductibles: openSection(f, deductiblesByEIN), revocations: openSection(f, revocationsByEIN),
		registrations: openSection(f, registrationsByEIN), ftb: openSection(f, ftbByEIN), registryNamed: openSection(f, registrationsByName),
		ftbNamed: openSection(f, ftbByName), centrals: openSection(f, centralsByGroup),
	}
}

func openSection[T any](f *mapped.File, l lookup[T]) section[T] {
	s := section[T]{
		rows: mapped.Column[byte](f, l.name+".rows", mapped.AnyLength), keys: mapped.Column[uint64](f, l.name+".keys", mapped.AnyLength),
	}
	s.starts = mapped.Column[uint64](f, l.name+".starts", len(s.keys)+1)
	if f.Err() != nil {
		return section[T]{}
	}
	if !slices.IsSorted(s.keys) || !slices.IsSorted(s.starts) || s.starts[0] != 0 || s.starts[len(s.keys)] != uint64(len(s.rows)) {
		f.Fail("the rows of %s are out of order", l.name)
		return section[T]{}
	}
	return s
}

// readSmall reads the lists that are compared as a whole.
func (x *Tables) readSmall(e *lists.Edition) (err error) {
	if e.Status(lists.OFAC).Loaded {
		if x.sanctioned, err = readSanctioned(e.Snapshot); err != nil {
			return err
		}
	}
	if e.Status(lists.IRB).Loaded {
		if x.deletions, err = collect[lists.Deletion](e.Snapshot, lists.Deletions); err != nil {
			return err
		}
		x.bulletins, err = collect[lists.Bulletin](e.Snapshot, lists.Bulletins)
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

// readSanctioned reads the sanctioned entities. People, vessels and aircraft are not
// screened.
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
