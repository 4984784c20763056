package screen

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// This file compares all organizations with the sanctions list, for package change.

// Comparison is the version of how names are read and compared. Results of two versions cannot be compared.
const Comparison = 3

// NameTables returns the tables with names. Stored files refer to positions in it: a new table goes to its end.
func NameTables() []string {
	return []string{lists.Masters, lists.Deductibles, lists.Revocations, lists.Registrations, lists.FTBRecords}
}

// Everybody compares names with the sanctions list of an edition, as a screening by EIN does. It is safe for concurrent use.
type Everybody struct {
	sanctions *sanctions
	// Fingerprint changes with any name, because the weight of a word depends on all. It is never zero.
	Fingerprint uint64
	Names       int // on the sanctions list
}

// NewEverybody reads the sanctions list of an edition, nil without entries: a screening does not screen either.
func NewEverybody(s *snapshot.Snapshot) (*Everybody, error) {
	for _, table := range []string{lists.Sanctions, lists.SanctionNames, lists.SanctionPlaces} {
		if !s.HasTable(table) {
			return nil, nil
		}
	}
	if s.RowsOf(lists.Sanctions) == 0 {
		return nil, nil
	}
	entities, err := readSanctioned(s)
	if err != nil {
		return nil, err
	}
	x := &Everybody{sanctions: newSanctions(entities), Fingerprint: fingerprint(entities)}
	for i := range entities {
		x.Names += len(entities[i].Names)
	}
	return x, nil
}

func fingerprint(entities []Sanctioned) uint64 {
	var lines []string
	for i := range entities {
		for _, n := range entities[i].Names {
			lines = append(lines, fmt.Sprintf("%d %s %q\n", n.Num, n.Kind, n.Name))
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return max(1, binary.LittleEndian.Uint64(sum[:]))
}

// Matches returns the entities that one of the names resembles, best first.
func (x *Everybody) Matches(names []string) []client.SanctionsMatch {
	return x.sanctions.matches(names, nil)
}

// Named is an organization with its names in the lists, which a screening compares.
type Named struct {
	EIN   ein.EIN
	Names []string
}

// The columns that are read of the tables.
type (
	masterNames struct {
		EIN      string `parquet:"ein"`
		Name     string `parquet:"name"`
		SortName string `parquet:"sort_name,optional"`
	}
	revocationNames struct {
		EIN  string `parquet:"ein"`
		Name string `parquet:"name,optional"`
		DBA  string `parquet:"dba,optional"`
	}
	onlyName struct {
		EIN  string `parquet:"ein"`
		Name string `parquet:"name"`
	}
	onlyNameOrNone struct { // of the lists that have rows without an EIN
		EIN  string `parquet:"ein,optional"`
		Name string `parquet:"name"`
	}
)

// Organizations returns all organizations with an EIN in a list, in order. It ends with an error of reading.
func Organizations(ctx context.Context, s *snapshot.Snapshot) iter.Seq2[Named, error] {
	return func(yield func(Named, error) bool) {
		cursors := []*cursor{
			follow(s, lists.Masters, func(m *masterNames) string { return m.EIN }, func(r *rowsOf, m *masterNames) {
				if !r.inMaster { // as a lookup takes the first row
					r.master, r.inMaster = lists.Master{Name: m.Name, SortName: m.SortName}, true
				}
			}),
			follow(s, lists.Deductibles, func(p *onlyName) string { return p.EIN }, func(r *rowsOf, p *onlyName) {
				r.deductible = append(r.deductible, lists.Deductible{Name: p.Name})
			}),
			follow(s, lists.Revocations, func(v *revocationNames) string { return v.EIN }, func(r *rowsOf, v *revocationNames) {
				r.revocations = append(r.revocations, lists.RevocationRow{Name: v.Name, DBA: v.DBA})
			}),
			follow(s, lists.Registrations, func(c *onlyNameOrNone) string { return c.EIN }, func(r *rowsOf, c *onlyNameOrNone) {
				r.registry = append(r.registry, lists.Registration{Name: c.Name})
			}),
			follow(s, lists.FTBRecords, func(c *onlyNameOrNone) string { return c.EIN }, func(r *rowsOf, c *onlyNameOrNone) {
				r.ftb = append(r.ftb, lists.FTBRecord{Name: c.Name})
			}),
		}
		for _, c := range cursors {
			defer c.stop()
		}
		var r rowsOf
		for {
			e, err := uint64(atEnd), ctx.Err()
			for _, c := range cursors {
				e, err = min(e, c.at), cmp.Or(c.err, err)
			}
			if err != nil {
				yield(Named{}, err)
				return
			}
			if e == atEnd {
				return
			}
			r = rowsOf{deductible: r.deductible[:0], revocations: r.revocations[:0], registry: r.registry[:0], ftb: r.ftb[:0]}
			for _, c := range cursors {
				for c.at == e {
					c.take(&r)
					c.step()
				}
			}
			names, _ := r.names(nil)
			if !yield(Named{ein.EIN(e), names}, nil) {
				return
			}
		}
	}
}

// cursor reads a table that is in order of EIN.
type cursor struct {
	step func()        // moves to the next row that has an EIN
	take func(*rowsOf) // adds the names of the row
	stop func()
	at   uint64 // the EIN of the row
	err  error
}

// atEnd is the position of a cursor without further rows.
const atEnd = math.MaxUint64

// follow returns a cursor at the first row that has an EIN. The caller must stop it.
func follow[T any](s *snapshot.Snapshot, table string, einText func(*T) string, take func(*rowsOf, *T)) *cursor {
	next, stop := iter.Pull2(tableRows[T](s, table))
	var row T
	c := &cursor{stop: stop, take: func(r *rowsOf) { take(r, &row) }}
	c.step = func() {
		for {
			read, err, more := next()
			if c.err = err; err != nil || !more {
				c.at = atEnd
				return
			}
			if e, ok := einOf(einText(&read)); ok {
				if e < c.at {
					e, c.err = atEnd, fmt.Errorf("the table %s is not in order of EIN", table)
				}
				row, c.at = read, e
				return
			}
		}
	}
	c.step()
	return c
}

// Standing says which organizations of a dataset are on the IRS's lists: organization i is bit i%64 of word i/64. A set is nil
// when its list is not loaded. Whether it is too old, callers ask Sources.
type Standing struct {
	InBMF   []uint64 // in the master file
	Partial bool     // the master file covers some states only: who is not in it may be in the rest
	Pub78   []uint64 // in Publication 78
	Revoked []uint64 // on the list of automatic revocations, and not reinstated
}

// NewStanding makes the standing of organizations, whose EINs are in rising order, from the edition of a screener. It refuses
// an edition with a row that cannot be read: such a row must not look like a missing one.
func NewStanding(eins []ein.EIN, s *Screener) (*Standing, error) {
	set := func(list string) []uint64 {
		if st := s.now.Status(list); !st.Loaded || st.Rows == 0 {
			return nil
		}
		return make([]uint64, (len(eins)+63)/64)
	}
	st := &Standing{InBMF: set(lists.BMF), Pub78: set(lists.Pub78), Revoked: set(lists.Revocation)}
	st.Partial = len(s.now.Status(lists.BMF).Parts) > 0
	if st.InBMF != nil {
		mark(&s.tables.Masters, st.InBMF, eins)
	}
	if st.Pub78 != nil {
		mark(&s.tables.Deductibles, st.Pub78, eins)
	}
	if st.Revoked != nil {
		return st, markRevoked(st.Revoked, eins, &s.tables.Revocations)
	}
	return st, nil
}

// mark adds the organizations that have a row in the section. Both are in order, so mark
// reads them side by side and decodes no row.
func mark[T any](s *Section[T], set []uint64, eins []ein.EIN) {
	at := 0
	for i, e := range eins {
		for at < len(s.keys) && s.keys[at] < uint64(e) {
			at++
		}
		if at < len(s.keys) && s.keys[at] == uint64(e) {
			set[i>>6] |= 1 << (i & 63)
		}
	}
}

// markRevoked adds the organizations whose revocation stands. It reads every row, also
// rows of organizations that the dataset does not have.
func markRevoked(set []uint64, eins []ein.EIN, s *Section[lists.RevocationRow]) error {
	var rows rowsOf
	for from := 0; from < len(s.keys); {
		key, to := s.keys[from], from
		rows.revocations = rows.revocations[:0]
		for ; to < len(s.keys) && s.keys[to] == key; to++ {
			row, ok := rowAt(s, to)
			if !ok {
				return fault.New(Damaged, "row %d of the revocation list cannot be read", to).Try("build the lists again")
			}
			rows.revocations = append(rows.revocations, row)
		}
		from = to
		if i, known := slices.BinarySearch(eins, ein.EIN(key)); known && key <= maxEIN && rows.revoked() {
			set[i>>6] |= 1 << (i & 63)
		}
	}
	return nil
}

const maxEIN = 999_999_999
