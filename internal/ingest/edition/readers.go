package edition

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

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

// minSanctions is the fewest entries a sanctions list can have. The list had
// 9,200 in March 2022 and has grown since; less is a list cut short, and
// screening against it would find nobody.
const minSanctions = 10_000

// readEach reads the files of a list one after the other and adds up what
// became of their rows.
func readEach(ctx context.Context, files []upstreamFile, state *lists.Status, open func(path string) (io.ReadCloser, error), read func(f upstreamFile, r io.Reader) (rows.Tally, error)) error {
	var all rows.Tally
	for i := range files {
		f := &files[i]
		r, err := open(f.abs)
		if err != nil {
			return fmt.Errorf("%s: %w", path.Base(f.rel), err)
		}
		t, err := read(*f, disk.Until(ctx, r))
		r.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path.Base(f.rel), err)
		}
		if t.Rows == 0 {
			return fmt.Errorf("%s: it has no usable row", path.Base(f.rel))
		}
		f.rows = t.Rows
		all.Add(t)
	}
	setCounts(state, all)
	return nil
}

// noteDate takes the dates that stand in the list itself.
func noteDate(state *lists.Status, date string) {
	if date == "" {
		return
	}
	if state.Revised == "" || date < state.Revised {
		state.Revised = date
	}
	state.RevisedNewest = max(state.RevisedNewest, date)
}

// einKey orders rows by EIN, those without one last.
func einKey(e ein.EIN) uint64 {
	if e == ein.None {
		return 1 << 63
	}
	return uint64(e)
}

func einText(key uint64) string {
	if key == 1<<63 {
		return ""
	}
	return ein.EIN(key).String()
}

func readMasters(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	var s sorter
	err := readEach(ctx, files, state, rows.Open, func(_ upstreamFile, r io.Reader) (rows.Tally, error) {
		return bmf.Read(r, func(m *bmf.Record) error {
			s.add(uint64(m.EIN), m.Name, m.SortName, m.Street, m.City, m.State, m.ZIP, m.Group, m.Subsection, m.Affiliation, m.Classification,
				m.Ruling, m.Deductibility, m.Foundation, m.Activity, m.Organization, m.Status, m.TaxPeriod, m.AssetCode, m.IncomeCode,
				m.FilingReq, m.PFFilingReq, m.AccountingPeriod, formatAmount(m.Assets), formatAmount(m.Income), formatAmount(m.Revenue), m.NTEE)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	// The region and the state files overlap, so an organization may be there
	// twice; it counts once.
	state.Rows = s.distinct()
	return func(w *snapshot.Writer) error {
		return snapshot.WriteTableUntil(ctx, w, lists.Masters, func(yield func(lists.Master) bool) {
			var last uint64
			for key, f := range s.rows(26) {
				if key == last {
					continue
				}
				last = key
				if !yield(lists.Master{EIN: einText(key), Name: f[0], SortName: f[1], Street: f[2], City: f[3], State: f[4], ZIP: f[5],
					Group: f[6], Subsection: f[7], Affiliation: f[8], Classification: f[9], Ruling: f[10], Deductibility: f[11],
					Foundation: f[12], Activity: f[13], Organization: f[14], Status: f[15], TaxPeriod: f[16], AssetCode: f[17], IncomeCode: f[18],
					FilingReq: f[19], PFFilingReq: f[20], AccountingPeriod: f[21], Assets: parseAmount(f[22]), Income: parseAmount(f[23]), Revenue: parseAmount(f[24]), NTEE: f[25]}) {
					return
				}
			}
		})
	}, nil
}

// formatAmount and amount carry a figure that may be absent through the sorter.
func formatAmount(a bmf.Amount) string {
	if !a.Set {
		return ""
	}
	return strconv.FormatInt(a.Value, 10)
}

func parseAmount(s string) *int64 {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("edition: a figure that was written is not read: " + s)
	}
	return &n
}

func readDeductibles(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	var s sorter
	err := readEach(ctx, files, state, rows.Open, func(_ upstreamFile, r io.Reader) (rows.Tally, error) {
		return pub78.Read(r, func(p *pub78.Record) error {
			s.add(uint64(p.EIN), p.Name, p.City, p.State, p.Country, p.Codes)
			return nil
		})
	})
	return tableWriter(ctx, &s, lists.Deductibles, 5, func(e string, f []string) lists.Deductible {
		return lists.Deductible{EIN: e, Name: f[0], City: f[1], State: f[2], Country: f[3], Codes: f[4]}
	}), err
}

func readRevocations(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	var s sorter
	err := readEach(ctx, files, state, rows.Open, func(_ upstreamFile, r io.Reader) (rows.Tally, error) {
		return revocation.Read(r, func(v *revocation.Record) error {
			s.add(uint64(v.EIN), v.Name, v.DBA, v.City, v.State, v.Subsection, v.Revoked, v.Posted, v.Reinstated)
			return nil
		})
	})
	return tableWriter(ctx, &s, lists.Revocations, 8, func(e string, f []string) lists.RevocationRow {
		return lists.RevocationRow{EIN: e, Name: f[0], DBA: f[1], City: f[2], State: f[3], Subsection: f[4], Revoked: f[5], Posted: f[6], Reinstated: f[7]}
	}), err
}

func readRegistrations(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	if len(files) != 4 {
		return nil, fmt.Errorf("the registry publishes four lists and %d are there, so an organization that is in none of them may be in one that is missing", len(files))
	}
	var (
		s       sorter
		edition careg.Edition
	)
	err := readEach(ctx, files, state, rows.Open, func(f upstreamFile, r io.Reader) (rows.Tally, error) {
		list := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(path.Base(f.rel), ".gz"), ".csv"), "charities-")
		return edition.Read(r, func(c *careg.Record) error {
			s.add(einKey(c.EIN), list, c.Status, c.Registration, c.SOS, c.Name, c.City, c.State, c.Issued, c.Renewed, c.StatusSet)
			return nil
		})
	})
	noteDate(state, edition.AsOf)
	return tableWriter(ctx, &s, lists.Registrations, 10, func(e string, f []string) lists.Registration {
		return lists.Registration{EIN: e, List: f[0], Status: f[1], Registration: f[2], SOS: f[3], Name: f[4], City: f[5], State: f[6],
			Issued: f[7], Renewed: f[8], StatusSet: f[9]}
	}), err
}

// openRaw leaves the unpacking to the reader: a workbook is a zip of its own
// kind.
func openRaw(file string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fault.Disk(file, err)
	}
	return f, nil
}

func readFTB(ctx context.Context, files []upstreamFile, state *lists.Status) (func(*snapshot.Writer) error, error) {
	var s sorter
	err := readEach(ctx, files, state, openRaw, func(_ upstreamFile, r io.Reader) (rows.Tally, error) {
		return caftb.Read(r, func(c *caftb.Record) error {
			s.add(einKey(c.EIN), c.EntityID, c.Name, c.City, c.Section, c.Revoked)
			return nil
		})
	})
	return tableWriter(ctx, &s, lists.FTBRecords, 5, func(e string, f []string) lists.FTBRecord {
		return lists.FTBRecord{EIN: e, EntityID: f[0], Name: f[1], City: f[2], Section: f[3], Revoked: f[4]}
	}), err
}

// tableWriter writes the rows of a list in order of EIN.
func tableWriter[T any](ctx context.Context, s *sorter, table string, width int, row func(ein string, fields []string) T) func(*snapshot.Writer) error {
	return func(w *snapshot.Writer) error {
		return snapshot.WriteTableUntil(ctx, w, table, func(yield func(T) bool) {
			for key, f := range s.rows(width) {
				if !yield(row(einText(key), f)) {
					return
				}
			}
		})
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
			return nil, fmt.Errorf("%s: %w", path.Base(f.rel), err)
		}
		b, err := irb.ReadNamed(disk.Until(ctx, r), path.Base(f.rel))
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
	return func(w *snapshot.Writer) error {
		err := snapshot.WriteTableUntil(ctx, w, lists.Bulletins, func(yield func(lists.Bulletin) bool) {
			for _, b := range bulletins {
				if !yield(lists.Bulletin{Number: b.Number, Date: b.Date, Deletions: int64(len(b.Deletions))}) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
		return snapshot.WriteTableUntil(ctx, w, lists.Deletions, func(yield func(lists.Deletion) bool) {
			for _, b := range bulletins {
				for _, d := range b.Deletions {
					if !yield(lists.Deletion{Bulletin: b.Number, Published: b.Date, Announcement: d.Announcement, Name: d.Name, City: d.City, State: d.State, Effective: d.Effective}) {
						return
					}
				}
			}
		})
	}, nil
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
	for _, f := range files {
		r, err := rows.Open(f.abs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(f.rel), err)
		}
		defer r.Close()
		switch name, _, _ := strings.Cut(strings.ToLower(path.Base(f.rel)), "."); name {
		case "sdn":
			in.Primary = disk.Until(ctx, r)
		case "alt":
			in.Aliases = disk.Until(ctx, r)
		case "add":
			in.Addresses = disk.Until(ctx, r)
		case "sdn_comments":
			in.Comments = disk.Until(ctx, r)
		}
	}
	if in.Primary == nil || in.Aliases == nil {
		return nil, fmt.Errorf("sdn.csv and alt.csv are both needed: most names of an entry are in the second")
	}
	l, err := ofac.Read(in)
	if err != nil {
		return nil, err
	}
	if l.Tally.Rows < minSanctions {
		return nil, fmt.Errorf("it has %d entries where at least %d are expected, so it is cut short", l.Tally.Rows, minSanctions)
	}
	setCounts(state, l.Tally)
	for i := range files {
		switch name, _, _ := strings.Cut(strings.ToLower(path.Base(files[i].rel)), "."); name {
		case "sdn":
			files[i].rows = l.Tally.Rows
		case "alt":
			files[i].rows = l.Aliases.Rows
		case "add":
			files[i].rows = l.Addresses.Rows
		case "sdn_comments":
			files[i].rows = l.Comments.Rows
		}
	}
	each := func(visit func(e *ofac.Entry) bool) {
		for i := range l.Entries {
			if !visit(&l.Entries[i]) {
				return
			}
		}
	}
	return func(w *snapshot.Writer) error {
		err := snapshot.WriteTableUntil(ctx, w, lists.Sanctions, func(yield func(lists.Sanction) bool) {
			each(func(e *ofac.Entry) bool {
				return yield(lists.Sanction{Num: e.Num, Name: e.Name, Type: e.Type, Programs: e.Programs, Title: e.Title, Remarks: e.Remarks})
			})
		})
		if err != nil {
			return err
		}
		err = snapshot.WriteTableUntil(ctx, w, lists.SanctionNames, func(yield func(lists.SanctionName) bool) {
			each(func(e *ofac.Entry) bool {
				if !yield(lists.SanctionName{Num: e.Num, Kind: "primary", Name: e.Name}) {
					return false
				}
				for _, a := range e.Aliases {
					if !yield(lists.SanctionName{Num: e.Num, Kind: a.Type, Name: a.Name}) {
						return false
					}
				}
				return true
			})
		})
		if err != nil {
			return err
		}
		return snapshot.WriteTableUntil(ctx, w, lists.SanctionPlaces, func(yield func(lists.SanctionPlace) bool) {
			each(func(e *ofac.Entry) bool {
				for _, a := range e.Addresses {
					if !yield(lists.SanctionPlace{Num: e.Num, Street: a.Street, City: a.City, Country: a.Country}) {
						return false
					}
				}
				return true
			})
		})
	}, nil
}
