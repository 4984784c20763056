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

// Delisted is the change of what is on a list no more.
const Delisted = "delisted"

// Matches is what is followed beside the lists: which organizations may match an
// entity of the sanctions list. These are its changes.
const (
	Matches         = "matches"
	PotentialMatch  = screen.PotentialMatch
	NoLongerMatched = "no_longer_matched"
)

// source is a compliance list as it is followed from edition to edition.
type source struct {
	name   string
	code   uint8    // in files; never given to another list
	tables []string // that its entries are read from
	states []string // what an entry may be, from 1; 0 is not to be on the list
	read   func(context.Context, *snapshot.Snapshot) ([]entry, error)
}

// gone is the change of what is not there any more.
func (l *source) gone() string {
	if l.name == Matches {
		return NoLongerMatched
	}
	return Delisted
}

// followed are the lists in order of name, and after the sanctions list whom it may
// mean. Those with EINs are followed by organization, so rows without one are not;
// the two without, by name.
var followed = []source{
	{lists.BMF, 1, []string{lists.Masters}, []string{"listed"},
		byEIN(lists.Masters, func(r *masterRow) string { return r.EIN }, always[masterRow])},
	{lists.CAFTB, 2, []string{lists.FTBRecords}, []string{"revoked"},
		byEIN(lists.FTBRecords, func(r *ftbRow) string { return r.EIN }, always[ftbRow])},
	{lists.CARegistry, 3, []string{lists.Registrations}, []string{"may_operate", "may_not_operate", "listed"},
		byEIN(lists.Registrations, func(r *registryRow) string { return r.EIN }, mayOperate)},
	{lists.IRB, 4, []string{lists.Deletions}, []string{"announced"}, readDeletions},
	{lists.OFAC, 5, []string{lists.Sanctions, lists.SanctionNames}, []string{"listed"}, readSanctions},
	{Matches, 8, nil, []string{PotentialMatch, PotentialMatch, PotentialMatch}, nil}, // by strength; see compareMatches
	{lists.Pub78, 6, []string{lists.Deductibles}, []string{"listed"},
		byEIN(lists.Deductibles, func(r *deductibleRow) string { return r.EIN }, always[deductibleRow])},
	{lists.Revocation, 7, []string{lists.Revocations}, []string{"revoked", "reinstated"},
		byEIN(lists.Revocations, func(r *lists.RevocationRow) string { return r.EIN }, revoked)},
}

// Words are the changes that a list may have, or Matches.
func Words(name string) []string {
	i := slices.IndexFunc(followed, func(l source) bool { return l.name == name })
	return append(slices.Compact(slices.Clone(followed[i].states)), followed[i].gone())
}

// ByName reports whether a list is followed by the names on it, because it has no
// EINs.
func ByName(name string) bool { return name == lists.IRB || name == lists.OFAC }

// entry is what stands on a list, in order of its key.
type entry struct {
	key   uint64 // the EIN, or a digest of the text
	state uint8
	text  string // reference and name, of a list without EINs
}

// textual puts the reference of an entry and its name together.
func textual(reference, name string) entry {
	text := reference + "\n" + name
	return entry{digest([]byte(text)), 1, text}
}

// What is read of the tables of which only the EINs matter.
type (
	masterRow struct {
		EIN string `parquet:"ein"`
	}
	deductibleRow struct {
		EIN string `parquet:"ein"`
	}
	ftbRow struct {
		EIN string `parquet:"ein"`
	}
	registryRow struct {
		EIN    string `parquet:"ein"`
		Status string `parquet:"status"`
	}
)

func always[T any]([]T) uint8 { return 1 }

// byEIN reads a table that is in order of EIN. The state of an organization is
// made of all its rows.
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

// inOrder sorts entries, each key once.
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

// mayOperate is what the registrations of an organization say together: one that
// bars it counts more than one that allows it, as in a screening.
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

// readDeletions reads the names that bulletins announced.
func readDeletions(ctx context.Context, s *snapshot.Snapshot) (list []entry, err error) {
	for row, err := range snapshot.Rows[lists.Deletion](s, lists.Deletions) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		list = append(list, textual(row.Bulletin, row.Name))
	}
	return inOrder(list), nil
}

// readSanctions reads the names of sanctioned entities, each of which a screening
// compares.
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
