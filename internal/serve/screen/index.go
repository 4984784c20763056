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

// IndexPath is where the index stands in an edition.
const IndexPath = "screen/lists.idx"

// Damaged is the slug of the error for an index that is not as it was written.
const Damaged = "screen_damaged"

// fileKind is the file of the index. Its version changes with the row types of
// package lists and with what is looked up by what, and IndexPath with it: an
// edition that has a file of that name is not indexed again.
var fileKind = &mapped.Kind{
	Magic: "GGlists1", Name: "index of the lists",
	Missing: "screen_unreadable", Version: "screen_version", Damaged: Damaged,
}

// section is a table in the file: rows in the order of their keys, which may
// repeat, each between two starts.
type section[T any] struct {
	keys   []uint64
	starts []uint64
	rows   []byte
}

// Names of the sections.
const (
	byEINMaster       = "bmf"
	byEINDeductible   = "pub78"
	byEINRevocation   = "revocation"
	byEINRegistration = "ca_registry"
	byEINFTB          = "ca_ftb"
	byNameRegistry    = "ca_registry.named"
	byNameFTB         = "ca_ftb.named"
	byGroupMaster     = "bmf.central"
)

// textKey is the key of what is looked up by a text. Two texts may share it, so
// what is found is compared with the text.
func textKey(text string) uint64 { return hash.Of(text) }

// einOf is the key of a row, ok false for one without an EIN.
func einOf(text string) (uint64, bool) {
	e, err := ein.Parse(text)
	return uint64(e), err == nil
}

// Build writes the index of an edition from its tables, as far as it has them.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	return w.WriteFile(IndexPath, func(out io.Writer) error {
		f := mapped.NewWriter(out, fileKind)
		b := builder{ctx, s, f}
		var centrals []lists.Master
		err := errors.Join(
			addSorted(b, lists.Masters, byEINMaster, func(m *lists.Master) (uint64, bool) {
				if isCentral(m) && m.Group != "" {
					centrals = append(centrals, *m)
				}
				return einOf(m.EIN)
			}),
			addSorted(b, lists.Deductibles, byEINDeductible, func(p *lists.Deductible) (uint64, bool) { return einOf(p.EIN) }),
			addSorted(b, lists.Revocations, byEINRevocation, func(v *lists.RevocationRow) (uint64, bool) { return einOf(v.EIN) }),
			addSorted(b, lists.Registrations, byEINRegistration, func(c *lists.Registration) (uint64, bool) { return einOf(c.EIN) }),
			addSorted(b, lists.FTBRecords, byEINFTB, func(c *lists.FTBRecord) (uint64, bool) { return einOf(c.EIN) }),
			addNamed(b, lists.Registrations, byNameRegistry, func(c *lists.Registration) (string, bool) { return c.Name, c.EIN == "" }),
			addNamed(b, lists.FTBRecords, byNameFTB, func(c *lists.FTBRecord) (string, bool) { return c.Name, c.EIN == "" }),
		)
		if err != nil {
			return err
		}
		addUnsorted(f, byGroupMaster, centrals, func(m *lists.Master) string { return m.Group })
		return f.Close()
	})
}

func isCentral(m *lists.Master) bool { return m.Affiliation == "6" || m.Affiliation == "8" }

// builder is what the sections are written from and to.
type builder struct {
	ctx context.Context
	s   *snapshot.Snapshot
	out *mapped.Writer
}

// addSorted adds a table that is in the order of its keys already.
func addSorted[T any](b builder, table, name string, key func(*T) (uint64, bool)) (failed error) {
	addRows(b.out, name, func(yield func(uint64, T) bool) {
		for row, err := range tableRows[T](b.s, table) {
			if failed = cmp.Or(err, b.ctx.Err()); failed != nil {
				return
			}
			if k, ok := key(&row); ok && !yield(k, row) {
				return
			}
		}
	})
	return failed
}

// addNamed adds the rows of a table that have no EIN, by the key of their name.
func addNamed[T any](b builder, table, name string, nameOf func(*T) (string, bool)) error {
	var list []T
	for row, err := range tableRows[T](b.s, table) {
		if err = cmp.Or(err, b.ctx.Err()); err != nil {
			return err
		}
		if _, ok := nameOf(&row); ok {
			list = append(list, row)
		}
	}
	addUnsorted(b.out, name, list, func(row *T) string {
		text, _ := nameOf(row)
		return orgname.Key(text)
	})
	return nil
}

// addUnsorted adds rows that are looked up by a text.
func addUnsorted[T any](out *mapped.Writer, name string, list []T, text func(*T) string) {
	type keyed struct {
		key uint64
		row *T
	}
	order := make([]keyed, len(list))
	for i := range list {
		order[i] = keyed{textKey(text(&list[i])), &list[i]}
	}
	slices.SortStableFunc(order, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	addRows(out, name, func(yield func(uint64, T) bool) {
		for _, k := range order {
			if !yield(k.key, *k.row) {
				return
			}
		}
	})
}

// tableRows are the rows of a table, none where the edition does not have it.
func tableRows[T any](s *snapshot.Snapshot, table string) iter.Seq2[T, error] {
	if !s.HasTable(table) {
		return func(func(T, error) bool) {}
	}
	return snapshot.Rows[T](s, table)
}

// addRows adds the three columns of a section. The rows themselves are written
// as they come: of the master file they are hundreds of megabytes.
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

// index is the tables of an edition, from its file and its small lists.
type index struct {
	file          *mapped.File
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

// OpenTables opens the tables of an edition. They must be closed.
func OpenTables(e *lists.Edition) (Tables, error) {
	f, err := mapped.Open(filepath.Join(e.Dir, filepath.FromSlash(IndexPath)), fileKind)
	if err != nil {
		return nil, err
	}
	// The file is sound. That it is the one of this edition is told by its length:
	// to tell by its checksum would take longer than all the rest.
	if i := slices.IndexFunc(e.Manifest.Files, func(m snapshot.File) bool { return m.Path == IndexPath }); i < 0 || e.Manifest.Files[i].Bytes != f.Size() {
		return nil, errors.Join(fault.New(fileKind.Damaged, "the %s of the lists %s is not the one that was made with them", fileKind.Name, e.Manifest.Version).
			Try("build the lists again; the sources are untouched"), f.Close())
	}
	x := readIndex(f)
	if err := errors.Join(f.Err(), x.readSmall(e)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return x, nil
}

// readIndex finds the sections of a file. What is wrong with them, the file
// remembers.
func readIndex(f *mapped.File) *index {
	return &index{
		file: f, masters: openSection[lists.Master](f, byEINMaster), deductibles: openSection[lists.Deductible](f, byEINDeductible),
		revocations: openSection[lists.RevocationRow](f, byEINRevocation), registrations: openSection[lists.Registration](f, byEINRegistration),
		ftb: openSection[lists.FTBRecord](f, byEINFTB), registryNamed: openSection[lists.Registration](f, byNameRegistry),
		ftbNamed: openSection[lists.FTBRecord](f, byNameFTB), centrals: openSection[lists.Master](f, byGroupMaster),
	}
}

func openSection[T any](f *mapped.File, name string) section[T] {
	s := section[T]{rows: mapped.Column[byte](f, name+".rows", mapped.AnyLength), keys: mapped.Column[uint64](f, name+".keys", mapped.AnyLength)}
	s.starts = mapped.Column[uint64](f, name+".starts", len(s.keys)+1)
	if f.Err() != nil {
		return section[T]{}
	}
	if !slices.IsSorted(s.keys) || !slices.IsSorted(s.starts) || s.starts[0] != 0 || s.starts[len(s.keys)] != uint64(len(s.rows)) {
		f.Fail("the rows of %s are out of order", name)
		return section[T]{}
	}
	return s
}

// readSmall reads the lists that are compared as a whole.
func (x *index) readSmall(e *lists.Edition) (err error) {
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

// readSanctioned reads the entities; people, vessels and aircraft are not
// screened.
func readSanctioned(s *snapshot.Snapshot) ([]Sanctioned, error) {
	var list []Sanctioned
	at := map[int64]int{}
	for row, err := range snapshot.Rows[lists.Sanction](s, lists.Sanctions) {
		if err != nil {
			return nil, err
		}
		if row.Entity() {
			at[row.Num] = len(list)
			list = append(list, Sanctioned{Sanction: row})
		}
	}
	for row, err := range snapshot.Rows[lists.SanctionName](s, lists.SanctionNames) {
		if err != nil {
			return nil, err
		}
		if i, ok := at[row.Num]; ok {
			list[i].Names = append(list[i].Names, row)
		}
	}
	for row, err := range snapshot.Rows[lists.SanctionPlace](s, lists.SanctionPlaces) {
		if err != nil {
			return nil, err
		}
		if i, ok := at[row.Num]; ok {
			list[i].Places = append(list[i].Places, row)
		}
	}
	return list, nil
}

// find decodes the rows of a key.
func (s *section[T]) find(key uint64) (list []T) {
	i, found := slices.BinarySearch(s.keys, key)
	if !found {
		return nil
	}
	for ; i < len(s.keys) && s.keys[i] == key; i++ {
		row, ok := decodeRow[T](s.rows[s.starts[i]:s.starts[i+1]])
		if !ok {
			// The checksum held, so it was written like this: a mistake of ours
			// that must not pass for a row that is not there.
			panic("screen: a row of the index cannot be read")
		}
		list = append(list, row)
	}
	return list
}

// decodeRow reads bytes that are one row. ok is false when they are not.
func decodeRow[T any](from []byte) (row T, ok bool) {
	row, rest, ok := packed.Decode[T](from)
	return row, ok && len(rest) == 0
}

func (x *index) Master(e ein.EIN) (lists.Master, bool) {
	if rows := x.masters.find(uint64(e)); len(rows) > 0 {
		return rows[0], true
	}
	return lists.Master{}, false
}

func (x *index) Deductibles(e ein.EIN) []lists.Deductible    { return x.deductibles.find(uint64(e)) }
func (x *index) Revocations(e ein.EIN) []lists.RevocationRow { return x.revocations.find(uint64(e)) }
func (x *index) Registrations(e ein.EIN) []lists.Registration {
	return x.registrations.find(uint64(e))
}
func (x *index) FTBRecords(e ein.EIN) []lists.FTBRecord { return x.ftb.find(uint64(e)) }

func (x *index) RegistrationsNamed(key string) []lists.Registration {
	return where(x.registryNamed.find(textKey(key)), func(c *lists.Registration) bool { return orgname.Key(c.Name) == key })
}

func (x *index) FTBRecordsNamed(key string) []lists.FTBRecord {
	return where(x.ftbNamed.find(textKey(key)), func(c *lists.FTBRecord) bool { return orgname.Key(c.Name) == key })
}

func (x *index) Centrals(group string) []lists.Master {
	return where(x.centrals.find(textKey(group)), func(m *lists.Master) bool { return m.Group == group })
}

func (x *index) Sanctioned() []Sanctioned    { return x.sanctioned }
func (x *index) Deletions() []lists.Deletion { return x.deletions }

func (x *index) NewestBulletin() (lists.Bulletin, bool) {
	if len(x.bulletins) == 0 {
		return lists.Bulletin{}, false
	}
	return x.bulletins[len(x.bulletins)-1], true
}

func (x *index) Close() error { return x.file.Close() }
