package edition

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/caftb"
	"grantgraph/internal/ingest/source/careg"
	"grantgraph/internal/ingest/source/irb"
	"grantgraph/internal/ingest/source/ofac"
	"grantgraph/internal/ingest/source/pub78"
	"grantgraph/internal/ingest/source/revocation"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// minSanctions is the fewest entries a sanctions list can have. The list had 9,200 in March 2022 and has
// grown since; less is a list cut short, and screening against it would find nobody.
const minSanctions = 10_000

// readList takes in all files of a list before anything is written, so that a file that turns out bad half way leaves no trace.
// It fills what it learns into the state and returns the function that writes the tables.
type readList func(ctx context.Context, files []upstreamFile, state *lists.Status) (write func(*snapshot.Writer) error, err error)

func (f *upstreamFile) name() string { return path.Base(f.rel) }

// sortedList is a list of organizations, whose rows are stored in order of EIN in one table.
type sortedList[From, To any] struct {
	table string
	open  func(path string) (io.ReadCloser, error)
	read  func(f *upstreamFile, r io.Reader, add func(*From) error) (rows.Tally, error)
	once  bool // files overlap, and an EIN that is in two of them counts once
}

func (l sortedList[From, To]) load(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	s := newSorter[From, To]()
	var all rows.Tally
	for i := range files {
		f := &files[i]
		r, err := l.open(f.abs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name(), err)
		}
		t, err := l.read(f, disk.Until(ctx, r), func(row *From) error { s.add(row); return nil })
		r.Close()
		if err == nil && t.Rows == 0 {
			err = errors.New("it has no usable row")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name(), err)
		}
		f.rows = t.Rows
		all.Add(t)
	}
	setCounts(state, all)
	s.sort(l.once)
	if l.once {
		state.Rows = int64(len(s.index))
	}
	return func(w *snapshot.Writer) error { return snapshot.WriteTableUntil(ctx, w, l.table, s.rows()) }, nil
}

// plainly is a reader that does not ask which file it reads.
func plainly[T any](read reading[T]) fileReading[T] {
	return func(_ *upstreamFile, r io.Reader, add func(*T) error) (rows.Tally, error) { return read(r, add) }
}

type (
	reading[T any]     = func(io.Reader, func(*T) error) (rows.Tally, error)
	fileReading[T any] = func(*upstreamFile, io.Reader, func(*T) error) (rows.Tally, error)
)

// dating is plainly for a list whose rows have dates: the newest tells how old the list is.
func dating[T any](read reading[T], date func(*T) string) fileReading[T] {
	return func(f *upstreamFile, r io.Reader, add func(*T) error) (rows.Tally, error) {
		return read(r, func(row *T) error {
			f.dated = max(f.dated, date(row))
			return add(row)
		})
	}
}

func postingDay(r *revocation.Record) string { return r.Posted }

// rulingMonth is the month in which the IRS recognized an organization, as 2006-01.
func rulingMonth(m *bmf.Record) string {
	if t, err := time.Parse("200601", m.Ruling); err == nil {
		return t.Format("2006-01")
	}
	return ""
}

var (
	// The region and the state files of the master file overlap.
	masters     = sortedList[bmf.Record, lists.Master]{lists.Masters, rows.Open, dating(bmf.Read, rulingMonth), true}
	deductibles = sortedList[pub78.Record, lists.Deductible]{lists.Deductibles, rows.Open, plainly(pub78.Read), false}
	revocations = sortedList[revocation.Record, lists.RevocationRow]{lists.Revocations, rows.Open, dating(revocation.Read, postingDay), false}
	ftbRecords  = sortedList[caftb.Record, lists.FTBRecord]{lists.FTBRecords, openRaw, plainly(caftb.Read), false}
)

// openRaw leaves the unpacking to the reader: a workbook is a zip of its own kind.
func openRaw(file string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fault.Disk(file, err)
	}
	return f, nil
}

func readRegistrations(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	if len(files) != 4 {
		return nil, fmt.Errorf("the registry publishes four lists and %d are there, "+
			"so an organization that is in none of them may be in one that is missing", len(files))
	}
	type registration struct {
		careg.Record
		List string
	}
	var edition careg.Edition
	read := func(f *upstreamFile, r io.Reader, add func(*registration) error) (rows.Tally, error) {
		list := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(f.name(), ".gz"), ".csv"), "charities-")
		return edition.Read(r, func(c *careg.Record) error { return add(&registration{*c, list}) })
	}
	write, err := sortedList[registration, lists.Registration]{lists.Registrations, rows.Open, read, false}.load(ctx, files, state)
	noteDate(state, edition.AsOf)
	return write, err
}

// noteDate widens the range of dates of a list. Nothing is no date.
func noteDate(state *lists.Status, date string) {
	if date == "" {
		return
	}
	if state.Revised == "" || date < state.Revised {
		state.Revised = date
	}
	state.RevisedNewest = max(state.RevisedNewest, date)
}

// each are the rows that come of the items of a list.
func each[E, T any](list []E, rows func(*E) []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range list {
			for _, row := range rows(&list[i]) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func readBulletins(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	var (
		tally     rows.Tally
		bulletins []irb.Bulletin
	)
	for i := range files {
		f := &files[i]
		r, err := rows.Open(f.abs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name(), err)
		}
		b, err := irb.ReadNamed(disk.Until(ctx, r), f.name())
		r.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			// One page that is no bulletin must not hide the others.
			tally.Reject("not a bulletin")
			continue
		}
		f.rows = int64(len(b.Deletions))
		bulletins = append(bulletins, b)
	}
	slices.SortStableFunc(bulletins, func(a, b irb.Bulletin) int { return strings.Compare(a.Number, b.Number) })
	bulletins = joinBulletins(bulletins)
	if len(bulletins) == 0 {
		return nil, fmt.Errorf("none of the %d files is a bulletin", len(files))
	}
	for _, b := range bulletins {
		tally.Rows += int64(len(b.Deletions))
		noteDate(state, b.Date)
	}
	setCounts(state, tally)
	state.CoversThrough = bulletins[len(bulletins)-1].Number
	state.Incomplete = missingBulletins(bulletins)
	return func(w *snapshot.Writer) error {
		return cmp.Or(
			snapshot.WriteTableUntil(ctx, w, lists.Bulletins, snapshot.Each(bulletins, func(b irb.Bulletin) lists.Bulletin {
				return lists.Bulletin{Number: b.Number, Date: b.Date, Deletions: int64(len(b.Deletions))}
			})),
			snapshot.WriteTableUntil(ctx, w, lists.Deletions, each(bulletins, func(b *irb.Bulletin) (list []lists.Deletion) {
				for _, d := range b.Deletions {
					list = append(list, lists.Deletion{Bulletin: b.Number, Published: b.Date, Announcement: d.Announcement,
						Name: d.Name, City: d.City, State: d.State, Effective: d.Effective})
				}
				return list
			})),
		)
	}, nil
}

// missingBulletins says which bulletins of the year before the newest are missing, or "". Bulletins come out weekly,
// some weeks late or two in one, so a gap is longer than a month.
func missingBulletins(sorted []irb.Bulletin) string {
	const month, year = 5 * 7, 50 * 7 // days
	day := func(b irb.Bulletin) int {
		var y, week int
		fmt.Sscanf(b.Number, "%d-%d", &y, &week)
		return int(time.Date(y, 1, 1+7*(week-1), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
	}
	newest := day(sorted[len(sorted)-1])
	for i := len(sorted) - 1; newest-day(sorted[i]) < year; i-- {
		switch {
		case i == 0:
			return "a year of bulletins is needed, and the oldest is " + sorted[i].Number
		case day(sorted[i])-day(sorted[i-1]) > month:
			return fmt.Sprintf("there is no bulletin between %s and %s", sorted[i-1].Number, sorted[i].Number)
		}
	}
	return ""
}

// joinBulletins makes one of each number: a folder may hold a whole bulletin
// and the text of one of its announcements beside it.
func joinBulletins(sorted []irb.Bulletin) (list []irb.Bulletin) {
	for _, b := range sorted {
		if n := len(list); n == 0 || list[n-1].Number != b.Number {
			list = append(list, b)
			continue
		}
		first := &list[len(list)-1]
		for _, d := range b.Deletions {
			if !slices.Contains(first.Deletions, d) {
				first.Deletions = append(first.Deletions, d)
			}
		}
	}
	return list
}

func readSanctions(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	var in ofac.Files
	var l ofac.List
	parts := map[string]struct {
		in    *io.Reader
		tally *rows.Tally
	}{
		"sdn": {&in.Primary, &l.Tally}, "alt": {&in.Aliases, &l.Aliases}, "add": {&in.Addresses, &l.Addresses}, "sdn_comments": {&in.Comments, &l.Comments},
	}
	part := func(f *upstreamFile) string {
		name, _, _ := strings.Cut(strings.ToLower(f.name()), ".")
		return name
	}
	for i := range files {
		r, err := rows.Open(files[i].abs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[i].name(), err)
		}
		defer r.Close()
		*parts[part(&files[i])].in = disk.Until(ctx, r)
	}
	if in.Primary == nil || in.Aliases == nil {
		return nil, fmt.Errorf("sdn.csv and alt.csv are both needed: most names of an entry are in the second")
	}
	got, err := ofac.Read(in)
	if err != nil {
		return nil, err
	}
	l = *got
	if l.Tally.Rows < minSanctions {
		return nil, fmt.Errorf("incomplete list: it has %d entries where at least %d are expected, so it is cut short", l.Tally.Rows, minSanctions)
	}
	setCounts(state, l.Tally)
	for i := range files {
		files[i].rows = parts[part(&files[i])].tally.Rows
	}
	return func(w *snapshot.Writer) error { return writeSanctions(ctx, w, l.Entries) }, nil
}

func writeSanctions(ctx context.Context, w *snapshot.Writer, entries []ofac.Entry) error {
	return cmp.Or(
		snapshot.WriteTableUntil(ctx, w, lists.Sanctions, snapshot.Each(entries, func(e ofac.Entry) lists.Sanction {
			return lists.Sanction{Num: e.Num, Name: e.Name, Type: e.Type, Programs: e.Programs, Title: e.Title, Remarks: e.Remarks}
		})),
		snapshot.WriteTableUntil(ctx, w, lists.SanctionNames, each(entries, func(e *ofac.Entry) []lists.SanctionName {
			list := []lists.SanctionName{{Num: e.Num, Kind: "primary", Name: e.Name}}
			for _, a := range e.Aliases {
				list = append(list, lists.SanctionName{Num: e.Num, Kind: a.Type, Name: a.Name})
			}
			return list
		})),
		snapshot.WriteTableUntil(ctx, w, lists.SanctionPlaces, each(entries, func(e *ofac.Entry) (list []lists.SanctionPlace) {
			for _, a := range e.Addresses {
				list = append(list, lists.SanctionPlace{Num: e.Num, Street: a.Street, City: a.City, Country: a.Country})
			}
			return list
		})),
	)
}

// WriteTables writes the warehouse tables that follow directly from the
// lists. A list that is not loaded leaves its table empty; the report says why.
func WriteTables(ctx context.Context, w *snapshot.Writer, e *lists.Edition) error {
	revocation := func(r lists.RevocationRow) (row snapshot.AutoRevocation, err error) {
		row.EIN = r.EIN
		if row.Revoked, err = daysSince1970(r.Revoked); err != nil || r.Reinstated == "" {
			return row, err
		}
		back, err := daysSince1970(r.Reinstated)
		row.Reinstated = &back
		return row, err
	}
	return cmp.Or(
		copyListTable(ctx, w, e, lists.BMF, lists.Masters, snapshot.OrgBMFs, func(m lists.Master) (snapshot.OrgBMF, error) {
			return snapshot.OrgBMF{EIN: m.EIN, Name: m.Name, City: m.City, Subsection: m.Subsection, Classification: m.Classification,
				Foundation: m.Foundation, Deductibility: m.Deductibility, Status: m.Status, Ruling: m.Ruling, NTEE: m.NTEE}, nil
		}),
		copyListTable(ctx, w, e, lists.Pub78, lists.Deductibles, snapshot.Pub78s, func(d lists.Deductible) (snapshot.Pub78, error) {
			return snapshot.Pub78{EIN: d.EIN, Codes: d.Codes}, nil
		}),
		copyListTable(ctx, w, e, lists.Revocation, lists.Revocations, snapshot.AutoRevocations, revocation),
		copyListTable(ctx, w, e, lists.OFAC, lists.Sanctions, snapshot.OFACSDNs, func(s lists.Sanction) (snapshot.OFACSDN, error) {
			return snapshot.OFACSDN{Num: s.Num, Name: s.Name, Program: strings.Join(s.Programs, "; "), Type: s.Type}, nil
		}),
	)
}

func copyListTable[From, To any](ctx context.Context, w *snapshot.Writer, e *lists.Edition, list, from, to string, row func(From) (To, error)) error {
	return snapshot.WriteRows(ctx, w, to, func(yield func(To, error) bool) {
		if !e.Status(list).Loaded {
			return
		}
		for r, err := range snapshot.Rows[From](e.Snapshot, from) {
			var out To
			if err == nil {
				if out, err = row(r); err != nil {
					err = fmt.Errorf("table %s: %w", to, err)
				}
			}
			if !yield(out, err) {
				return
			}
		}
	})
}

func daysSince1970(iso string) (int32, error) {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date", iso)
	}
	return int32(t.Unix() / (24 * 60 * 60)), nil
}

// sorter holds the rows of a list while they are put in order of their EINs. A row is read as From and stored as To, whose
// fields have the names of those of From. The values of all rows lie end to end in one stretch of memory, with an index to
// sort: a list of two million rows takes the room of its text, and not that of thirty string headers for each row.
type sorter[From, To any] struct {
	ein    fieldPair
	fields []fieldPair
	arena  []byte
	index  []sorted
}

// fieldPair is where a value is in a row that was read and in one that is stored: a text, or a figure that may be absent.
type fieldPair struct {
	from, to uintptr
	figure   bool
}

type sorted struct {
	key uint64
	at  int
}

// noEIN is the key of rows without an EIN, which come last.
const noEIN = 1 << 63

func newSorter[From, To any]() *sorter[From, To] {
	s := &sorter[From, To]{}
	from := reflect.TypeFor[From]()
	for to := range reflect.TypeFor[To]().Fields() {
		field, ok := from.FieldByName(to.Name)
		pair := fieldPair{to: to.Offset, figure: field.Type == reflect.TypeFor[bmf.Amount]()}
		for of, path := from, field.Index; len(path) > 0; path = path[1:] {
			inner := of.Field(path[0])
			of, pair.from = inner.Type, pair.from+inner.Offset
		}
		switch {
		case ok && to.Name == "EIN" && field.Type == reflect.TypeFor[ein.EIN]():
			s.ein = pair
		case ok && (pair.figure && to.Type == reflect.TypeFor[*int64]() || field.Type == to.Type && to.Type.Kind() == reflect.String):
			s.fields = append(s.fields, pair)
		default:
			panic(fmt.Sprintf("edition: %s has nothing for %s", from, to.Name))
		}
	}
	return s
}

func (s *sorter[From, To]) add(row *From) {
	key := uint64(*(*ein.EIN)(unsafe.Add(unsafe.Pointer(row), s.ein.from)))
	if key == uint64(ein.None) {
		key = noEIN
	}
	s.index = append(s.index, sorted{key, len(s.arena)})
	for _, f := range s.fields {
		at := unsafe.Add(unsafe.Pointer(row), f.from)
		if !f.figure {
			text := *(*string)(at)
			s.arena = binary.AppendUvarint(s.arena, uint64(len(text)))
			s.arena = append(s.arena, text...)
		} else if a := (*bmf.Amount)(at); a.Set {
			s.arena = binary.AppendVarint(append(s.arena, 1), a.Value)
		} else {
			s.arena = append(s.arena, 0)
		}
	}
}

// sort puts the rows in order, those of one EIN in the order they came. If once is set, only the first row of each EIN stays.
func (s *sorter[From, To]) sort(once bool) {
	slices.SortStableFunc(s.index, func(a, b sorted) int { return cmp.Compare(a.key, b.key) })
	if once {
		s.index = slices.CompactFunc(s.index, func(a, b sorted) bool { return a.key == b.key })
	}
}

func (s *sorter[From, To]) rows() iter.Seq[To] { return snapshot.Each(s.index, s.row) }

func (s *sorter[From, To]) row(e sorted) (row To) {
	if e.key != noEIN {
		*(*string)(unsafe.Add(unsafe.Pointer(&row), s.ein.to)) = ein.EIN(e.key).String()
	}
	rest := s.arena[e.at:]
	for _, f := range s.fields {
		n, size := binary.Uvarint(rest) // the length of a text, or whether there is a figure
		rest = rest[size:]
		at := unsafe.Add(unsafe.Pointer(&row), f.to)
		switch {
		case !f.figure:
			*(*string)(at) = string(rest[:n])
			rest = rest[n:]
		case n > 0:
			figure, size := binary.Varint(rest)
			*(**int64)(at), rest = &figure, rest[size:]
		}
	}
	return row
}
