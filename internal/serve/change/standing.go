package change

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"grantgraph/internal/irscode"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Delisted is the change of an entry that left a list.
const Delisted = "delisted"

// Matches names the potential matches with the sanctions list, which are followed like a list. These are its changes.
const (
	Matches         = "matches"
	PotentialMatch  = screen.PotentialMatch
	NoLongerMatched = "no_longer_matched"
)

// source is a compliance list that is followed from edition to edition.
type source struct {
	name   string
	code   uint8    // in files; never reused for another list
	tables []string // tables of its entries
	states []string // states of an entry, from 1; 0 means not on the list
	read   func(context.Context, *snapshot.Snapshot) ([]entry, error)
}

func (l *source) gone() string {
	if l.name == Matches {
		return NoLongerMatched
	}
	return Delisted
}

// followed are the lists in order of name, with Matches after the sanctions list. Lists with EINs are followed by organization,
// so rows without an EIN are left out. The two lists without EINs are followed by name.
var followed = []source{
	{lists.BMF, 1, []string{lists.Masters}, []string{"listed"},
		byEIN(lists.Masters, einOf, always)},
	{lists.CAFTB, 2, []string{lists.FTBRecords}, []string{"revoked"},
		byEIN(lists.FTBRecords, einOf, always)},
	{lists.CARegistry, 3, []string{lists.Registrations}, []string{"may_operate", "may_not_operate", "listed"},
		byEIN(lists.Registrations, func(r *registryRow) string { return r.EIN }, mayOperate)},
	{lists.IRB, 4, []string{lists.Deletions}, []string{"announced"}, readDeletions},
	{lists.OFAC, 5, []string{lists.Sanctions, lists.SanctionNames}, []string{"listed"}, readSanctions},
	{Matches, 8, nil, []string{PotentialMatch, PotentialMatch, PotentialMatch}, nil}, // by strength; see compareMatches
	{lists.Pub78, 6, []string{lists.Deductibles}, []string{"listed"},
		byEIN(lists.Deductibles, einOf, always)},
	{lists.Revocation, 7, []string{lists.Revocations}, []string{"revoked", "reinstated"},
		byEIN(lists.Revocations, func(r *lists.RevocationRow) string { return r.EIN }, revoked)},
}

// Words lists the changes that a list, or Matches, may have.
func Words(name string) []string {
	i := slices.IndexFunc(followed, func(l source) bool { return l.name == name })
	return append(slices.Compact(slices.Clone(followed[i].states)), followed[i].gone())
}

// ByName reports whether a list is followed by name, because it has no EINs.
func ByName(name string) bool { return name == lists.IRB || name == lists.OFAC }

// entry is one entry of a list. Entries are sorted by key.
type entry struct {
	key   uint64 // the EIN, or a digest of the text
	state uint8
	text  string // reference and name; only for lists without EINs
}

func textual(reference, name string) entry {
	text := reference + "\n" + name
	return entry{digest([]byte(text)), 1, text}
}

// Rows of tables of which only a few columns are read.
type (
	einRow struct {
		EIN string `parquet:"ein"`
	}
	registryRow struct {
		EIN    string `parquet:"ein"`
		Status string `parquet:"status"`
	}
)

func einOf(r *einRow) string { return r.EIN }
func always([]einRow) uint8  { return 1 }

// byEIN reads a table sorted by EIN. A state comes from all rows of an organization.
func byEIN[T any](table string, einOf func(*T) string, state func([]T) uint8) func(context.Context, *snapshot.Snapshot) ([]entry, error) {
	return func(ctx context.Context, s *snapshot.Snapshot) (list []entry, err error) {
		var rows []T
		var last uint32
		end := func() {
			if last != 0 {
				list = append(list, entry{key: uint64(last), state: state(rows)})
			}
			rows = rows[:0]
		}
		for row, err := range snapshot.Rows[T](s, table) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			if e := number(einOf(&row)); e != last {
				end()
				last = e
			}
			rows = append(rows, row)
		}
		end()
		return inOrder(list), nil
	}
}

func inOrder(list []entry) []entry {
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	return slices.CompactFunc(list, func(a, b entry) bool { return a.key == b.key })
}

func revoked(rows []lists.RevocationRow) uint8 {
	if screen.StandsRevoked(rows) {
		return 1
	}
	return 2
}

// mayOperate combines the registrations of an organization: one that bars it outweighs one that allows it.
func mayOperate(rows []registryRow) (state uint8) {
	state = 3
	for _, r := range rows {
		if may, known := irscode.MayOperateInCalifornia(r.Status); known && !may {
			return 2
		} else if known {
			state = 1
		}
	}
	return state
}

func readDeletions(ctx context.Context, s *snapshot.Snapshot) (list []entry, err error) {
	for row, err := range snapshot.Rows[lists.Deletion](s, lists.Deletions) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		list = append(list, textual(row.Bulletin, row.Name))
	}
	return inOrder(list), nil
}

// readSanctions reads the names of sanctioned entities that screening compares.
func readSanctions(ctx context.Context, s *snapshot.Snapshot) (list []entry, err error) {
	entities := map[int64]bool{}
	for row, err := range snapshot.Rows[lists.Sanction](s, lists.Sanctions) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if row.Entity() {
			entities[row.Num] = true
		}
	}
	for row, err := range snapshot.Rows[lists.SanctionName](s, lists.SanctionNames) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if entities[row.Num] {
			list = append(list, textual(strconv.FormatInt(row.Num, 10), row.Name))
		}
	}
	return inOrder(list), nil
}
