package ingest

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/derive/ukboard"
	"grantgraph/internal/ingest/source/discover"
	delimited "grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/ukcharity"
	"grantgraph/internal/snapshot"
)

// UKReport says what became of the register of charities of England and Wales.
type UKReport struct {
	Tables []UKTable  `json:"tables"` // those that a file was found for
	Ties   []NamedInt `json:"ties"`   // board edges by kind
	Notes  []string   `json:"notes"`
}

type UKTable struct {
	Name      string                `json:"table"`
	Path      string                `json:"path"` // relative to the sources folder
	Extracted string                `json:"date_of_extract"`
	Rows      int64                 `json:"rows"`
	Rejected  []delimited.Rejection `json:"rejected"`     // rows left out
	Blanked   []delimited.Rejection `json:"fields_empty"` // fields left empty, by column
}

const (
	// ukMaxBytes is far more than any table of the register unpacks to.
	ukMaxBytes = 8 << 30
	// ukMaxRows limits the rows of a table that are held in memory for sorting.
	ukMaxRows = 20_000_000
)

type ukRegister struct {
	b      *builder
	w      *snapshot.Writer
	files  map[ukcharity.Table]string
	ingest []snapshot.UKIngest
	boards ukboard.Boards
	report UKReport
}

// uk writes every table of the register, empty if there is no file, and derives the edges between boards.
// File paths are relative to the sources folder. Upstream sorts its tables by a number that we do not serve,
// so each table is held in memory while it is sorted. The largest, the governing documents, takes about a
// gigabyte. Only one table is held at a time, besides the boards.
func (b *builder) uk(ctx context.Context, w *snapshot.Writer, files []string) (UKReport, error) {
	u := &ukRegister{b: b, w: w, report: UKReport{Tables: []UKTable{}, Ties: []NamedInt{}, Notes: []string{}}}
	u.choose(files)
	tables := [...]func(context.Context) error{
		ukTable(u, ukcharity.Charities, snapshot.UKCharities, u.boards.Charity, func(x, y *snapshot.UKCharity) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked))
		}),
		ukTable(u, ukcharity.Trustees, snapshot.UKTrustees, u.boards.Trustee, func(x, y *snapshot.UKTrustee) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked), cmp.Compare(x.ID, y.ID))
		}),
		u.edges,
		ukTable(u, ukcharity.Finances, snapshot.UKFinances, nil, func(x, y *snapshot.UKFinance) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), comparePointer(x.PeriodEnd, y.PeriodEnd), comparePointer(x.PeriodStart, y.PeriodStart))
		}),
		ukTable(u, ukcharity.ReturnsA, snapshot.UKReturnsA, nil, func(x, y *snapshot.UKReturnA) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), comparePointer(x.Order, y.Order), comparePointer(y.PeriodEnd, x.PeriodEnd))
		}),
		ukTable(u, ukcharity.ReturnsB, snapshot.UKReturnsB, nil, func(x, y *snapshot.UKReturnB) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), comparePointer(x.Order, y.Order), comparePointer(y.PeriodEnd, x.PeriodEnd))
		}),
		ukTable(u, ukcharity.Classifications, snapshot.UKClassifications, nil, func(x, y *snapshot.UKClassification) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked),
				strings.Compare(x.Type, y.Type), strings.Compare(x.Description, y.Description))
		}),
		ukTable(u, ukcharity.Areas, snapshot.UKAreas, nil, func(x, y *snapshot.UKArea) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked),
				strings.Compare(x.Type, y.Type), strings.Compare(x.Description, y.Description))
		}),
		ukTable(u, ukcharity.OtherNames, snapshot.UKOtherNames, nil, func(x, y *snapshot.UKOtherName) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked), strings.Compare(x.Type, y.Type), strings.Compare(x.Name, y.Name))
		}),
		ukTable(u, ukcharity.Documents, snapshot.UKDocuments, nil, func(x, y *snapshot.UKDocument) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked))
		}),
		ukTable(u, ukcharity.Policies, snapshot.UKPolicies, nil, func(x, y *snapshot.UKPolicy) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked), strings.Compare(x.Policy, y.Policy))
		}),
		ukTable(u, ukcharity.Events, snapshot.UKEvents, nil, func(x, y *snapshot.UKEvent) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked), comparePointer(x.Date, y.Date))
		}),
		ukTable(u, ukcharity.Reports, snapshot.UKReports, nil, func(x, y *snapshot.UKReport) int {
			return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Linked, y.Linked), comparePointer(x.Published, y.Published), strings.Compare(x.Name, y.Name))
		}),
	}
	b.phase("register", int64(len(tables)))
	for _, table := range tables {
		if err := table(ctx); err != nil {
			return u.report, err
		}
		b.step(1)
	}
	u.compareDates()
	slices.SortFunc(u.report.Tables, func(x, y UKTable) int { return strings.Compare(x.Name, y.Name) })
	slices.SortFunc(u.ingest, func(x, y snapshot.UKIngest) int { return strings.Compare(x.Table, y.Table) })
	return u.report, snapshot.WriteTable(w, snapshot.UKIngests, slices.Values(u.ingest))
}

// comparePointer sorts absent values last.
func comparePointer[T cmp.Ordered](x, y *T) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return cmp.Compare(*x, *y)
}

// choose picks one file for each table: the one in the newest dated folder, where an undated file counts as
// newest. Among several formats, it picks the one that loses least.
func (u *ukRegister) choose(files []string) {
	type candidate struct {
		rel, posted string
		form        int
	}
	found := make(map[ukcharity.Table][]candidate)
	for _, rel := range slices.Sorted(slices.Values(files)) {
		t, ok := ukcharity.TableOf(rel)
		if !ok {
			u.note("%s is not a table of the register and was not read", rel)
			continue
		}
		form := slices.Index([]string{".zip", ".json", ".gz", ".txt"}, strings.ToLower(path.Ext(rel)))
		found[t] = append(found[t], candidate{rel, discover.Posted(rel), form})
	}
	u.files = make(map[ukcharity.Table]string, len(found))
	var passed []string
	for t, list := range found {
		slices.SortFunc(list, func(x, y candidate) int {
			return cmp.Or(strings.Compare(y.posted, x.posted), cmp.Compare(x.form, y.form), strings.Compare(x.rel, y.rel))
		})
		u.files[t] = list[0].rel
		for _, c := range list[1:] {
			passed = append(passed, c.rel)
		}
	}
	slices.Sort(passed)
	for _, rel := range passed {
		u.note("%s was not read, for there is a newer or better copy of the table", rel)
	}
}

func (u *ukRegister) note(format string, args ...any) {
	u.report.Notes = append(u.report.Notes, fmt.Sprintf(format, args...))
}

func (u *ukRegister) compareDates() {
	first, last := "", ""
	for _, t := range u.report.Tables {
		if t.Extracted == "" {
			continue
		}
		if first == "" || t.Extracted < first {
			first = t.Extracted
		}
		last = max(last, t.Extracted)
	}
	if first != last {
		u.note("the tables of the register were extracted on different days, %s to %s, so they may not fit together", first, last)
	}
}

func (u *ukRegister) edges(ctx context.Context) error {
	err := snapshot.WriteTableUntil(ctx, u.w, snapshot.UKBoardEdges, func(yield func(snapshot.UKBoardEdge) bool) {
		for e := range u.boards.Edges() {
			if u.report.Ties = addNamed(u.report.Ties, e.TieKind, 1); !yield(e) {
				return
			}
		}
	})
	u.boards = ukboard.Boards{} // frees memory for the other tables
	return err
}

// ukTable is the step that reads, sorts and writes one table of the register. each may be nil; it receives every row.
func ukTable[T any](u *ukRegister, from ukcharity.Table, to string, each func(*T), compare func(x, y *T) int) func(context.Context) error {
	return func(ctx context.Context) error {
		list, err := readUK[T](ctx, u, from, to)
		if err != nil {
			return err
		}
		// Rows are large, so we sort their positions. Equal rows keep their upstream order.
		order := make([]uint32, len(list))
		for i := range order {
			order[i] = uint32(i)
		}
		slices.SortFunc(order, func(i, j uint32) int { return cmp.Or(compare(&list[i], &list[j]), cmp.Compare(i, j)) })
		return snapshot.WriteTableUntil(ctx, u.w, to, snapshot.Each(order, func(i uint32) T {
			if each != nil {
				each(&list[i])
			}
			return list[i]
		}))
	}
}

func readUK[T any](ctx context.Context, u *ukRegister, from ukcharity.Table, to string) (list []T, err error) {
	rel, ok := u.files[from]
	if !ok {
		return nil, nil
	}
	var tally ukcharity.Tally
	err = u.b.readFile(ctx, "ukcharity", rel, "table "+string(from)+" of the charity register", func(file string) (int64, error) {
		in, err := delimited.Open(file)
		if err != nil {
			return 0, err
		}
		defer in.Close()
		tally, err = ukcharity.Read(&bounded{r: disk.Until(ctx, in), left: ukMaxBytes}, from, func(row *T) error {
			if len(list) == ukMaxRows {
				return errTooLarge
			}
			list = append(list, *row)
			return nil
		})
		return tally.Rows, err
	})
	if err != nil {
		return nil, err
	}
	none := []delimited.Rejection{} // the report has no null
	u.report.Tables = append(u.report.Tables, UKTable{Name: to, Path: rel, Extracted: tally.Newest, Rows: tally.Rows,
		Rejected: append(none, tally.Rejected...), Blanked: append(none, tally.Blanked...)})
	if tally.Oldest != tally.Newest {
		u.note("the rows of %s were extracted on different days, %s to %s", rel, tally.Oldest, tally.Newest)
	}
	if lost := tally.Lost(); lost*100 > tally.Rows {
		u.note("%d of the %d rows of %s could not be read; fetch it again", lost, lost+tally.Rows, rel)
	}
	ingest := snapshot.UKIngest{Source: from.Address(), Table: to, Rows: tally.Rows}
	ingest.Extracted, ingest.StagedAt = ukDates(u.b.sources.Abs(rel), tally.Newest)
	u.ingest = append(u.ingest, ingest)
	return list, nil
}

// ukDates gives the day of the extract and the time it was packed. The time comes from the zip's member, so
// the same file always gives the same answer. Without a zip, it is the start of the day of the extract.
func ukDates(file, extracted string) (day *int32, packed *int64) {
	if t, err := time.Parse(time.DateOnly, extracted); err == nil {
		day, packed = new(int32(t.Unix()/(24*60*60))), new(t.UnixMilli())
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return day, packed
	}
	defer z.Close()
	for _, m := range z.File {
		// A zip without a time says 1980 or earlier.
		if t := m.Modified.UTC(); !m.FileInfo().IsDir() && t.Year() > 1980 {
			return day, new(t.UnixMilli())
		}
	}
	return day, packed
}

var errTooLarge = fault.New("table_too_large", "a table of the charity register is far larger than it can be").
	Try("fetch the register again")

type bounded struct {
	r    io.Reader
	left int64
}

func (r *bounded) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooLarge
	}
	n, err := r.r.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}
