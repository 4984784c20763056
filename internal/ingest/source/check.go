package source

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/caftb"
	"grantgraph/internal/ingest/source/careg"
	"grantgraph/internal/ingest/source/irb"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/source/ofac"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/ingest/source/ukcharity"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/place"
)

type Contents struct {
	Rows    int64  // usable rows; 0 if rows are not counted
	Revised string // ISO date that the file gives itself, "" when it gives none
}

// Check reads a file of the source with the same reader as a build. A file that is damaged, has another
// layout, or is largely unreadable is an error. Archives of gigabytes are not read completely: their
// directory must be intact, and samples must be readable.
func (s *Source) Check(path string) (rows int64, revised string, err error) {
	c, err := s.check(path)
	return c.Rows, c.Revised, err
}

// tolerated sets how many rows may be unreadable before we assume that the layout has changed: one in this many.
const tolerated = 5

// verdict turns a tally into contents, or into an error if too many rows were
// lost. Rows left out for one of the given reasons do not count as lost.
func verdict(t rows.Tally, meant ...string) (Contents, error) {
	var lost int64
	var most rows.Rejection
	for _, r := range t.Rejected {
		if slices.Contains(meant, r.Reason) {
			continue
		}
		lost += r.Count
		if r.Count > most.Count {
			most = r
		}
	}
	if lost > 0 && lost*tolerated > t.Rows+lost {
		return Contents{Rows: t.Rows}, fmt.Errorf("%d of %d rows cannot be read (mostly: %s), so the layout has changed", lost, t.Rows+lost, most.Reason)
	}
	return Contents{Rows: t.Rows}, nil
}

func readThrough(path string, read func(io.Reader) (rows.Tally, error), meant ...string) (Contents, error) {
	r, err := rows.Open(path)
	if err != nil {
		return Contents{}, err
	}
	defer r.Close()
	tally, err := read(r)
	if err != nil {
		return Contents{Rows: tally.Rows}, err
	}
	// The data after the rows must be intact too: the checksum of a zip or gzip is at its very end.
	if _, err := io.Copy(io.Discard, r); err != nil {
		return Contents{Rows: tally.Rows}, fmt.Errorf("it is damaged or cut short: %w", err)
	}
	return verdict(tally, meant...)
}

func checkRows[T any](read func(io.Reader, func(*T) error) (rows.Tally, error), meant ...string) func(path string) (Contents, error) {
	return func(path string) (Contents, error) {
		return readThrough(path, func(r io.Reader) (rows.Tally, error) { return read(r, func(*T) error { return nil }) }, meant...)
	}
}

func checkStates(file string) (Contents, error) {
	state := filepath.Base(filepath.Dir(file))
	m, ok := stateaward.For(state)
	if !ok {
		return Contents{}, fmt.Errorf("there is no mapping for the state %q", state)
	}
	return checkRows(m.Read, stateaward.ReasonFilter)(file)
}

// checkCAReg reads one list. Another step checks that all four lists are of one day.
func checkCAReg(path string) (Contents, error) {
	var edition careg.Edition
	c, err := checkRows(edition.Read)(path)
	c.Revised = edition.AsOf
	return c, err
}

// checkCAFTB lets the reader unpack the file, because a workbook is a zip as well.
func checkCAFTB(file string) (Contents, error) {
	f, err := os.Open(file)
	if err != nil {
		return Contents{}, fault.Disk(file, err)
	}
	defer f.Close()
	tally, err := caftb.Read(f, func(*caftb.Record) error { return nil })
	if err != nil {
		return Contents{Rows: tally.Rows}, err
	}
	return verdict(tally)
}

// checkIRB reads a bulletin, whose number must match the file's name.
func checkIRB(file string) (Contents, error) {
	f, err := os.Open(file)
	if err != nil {
		return Contents{}, fault.Disk(file, err)
	}
	defer f.Close()
	name := filepath.Base(file)
	b, err := irb.ReadNamed(f, name)
	if err != nil {
		return Contents{}, err
	}
	if !strings.HasPrefix(name, b.Number) {
		return Contents{}, fmt.Errorf("it is bulletin %s", b.Number)
	}
	return Contents{Rows: int64(len(b.Deletions)), Revised: b.Date}, nil
}

// checkOFAC reads a primary file with the reader of the lists. The other three
// files mean nothing without it, so only their layout is checked.
func checkOFAC(file string) (Contents, error) {
	name := filepath.Base(file)
	columns := 0
	switch name, _, _ = strings.Cut(strings.ToLower(name), "."); name {
	case "alt", "cons_alt":
		columns = 5
	case "add", "cons_add":
		columns = 6
	case "sdn_comments", "cons_comments":
		columns = 2
	}
	return readThrough(file, func(r io.Reader) (rows.Tally, error) {
		if columns == 0 {
			list, err := ofac.Read(ofac.Files{Primary: r})
			if err != nil {
				return rows.Tally{}, err
			}
			return list.Tally, nil
		}
		return keyed(r, columns)
	}, endMark)
}

// endMark is the reason why the last line of a sanctions list is not a row.
const endMark = "end of file"

// keyed counts the rows of a file of a sanctions list. A row has a fixed number of columns, and the first
// column is the number of an entry. The files end with a Ctrl-Z on its own line.
func keyed(r io.Reader, columns int) (tally rows.Tally, err error) {
	s := rows.NewScanner(r, rows.Layout{Separator: ',', Quotes: true, MaxRow: 64 << 10})
	err = rows.Each(s, &tally, 0, func(fields []string) (string, error) {
		switch key := strings.TrimSpace(fields[0]); {
		case key == "\x1a" && len(fields) == 1:
			return endMark, nil
		case len(fields) != columns:
			return rows.ReasonColumns, nil
		case key == "" || strings.Trim(key, "0123456789") != "":
			return ofac.ReasonNumber, nil
		}
		return "", nil
	})
	if err == nil && tally.Rows == 0 {
		if _, unusable := verdict(tally, endMark); unusable == nil {
			err = rows.ErrEmpty
		}
	}
	return tally, err
}

func checkCensus(path string) (Contents, error) {
	return readThrough(path, func(r io.Reader) (tally rows.Tally, err error) {
		_, err = place.Shipped().WithCensus(io.TeeReader(r, lineCounter{&tally.Rows}))
		tally.Rows = max(0, tally.Rows-1) // without the header
		return tally, err
	})
}

type lineCounter struct{ n *int64 }

func (l lineCounter) Write(p []byte) (int, error) {
	*l.n += int64(strings.Count(string(p), "\n"))
	return len(p), nil
}

// check990 checks an index by reading it, and a zip by its directory and three of its returns.
func check990(file string) (Contents, error) {
	if strings.EqualFold(path.Ext(filepath.Base(file)), ".csv") {
		return readThrough(file, func(r io.Reader) (tally rows.Tally, err error) {
			err = irs990.ReadIndex(r, func(irs990.IndexRow) error { tally.Rows++; return nil })
			return tally, err
		})
	}
	a, err := archive.Open(file)
	if err != nil {
		return Contents{}, err
	}
	defer a.Close()
	n := len(a.Members)
	found := Contents{Rows: int64(n)}
	switch {
	case a.Repaired:
		return found, errors.New("the zip has no whole directory, so it is damaged or cut short")
	case n == 0:
		return found, errors.New("the zip holds no return")
	case len(a.Problems)*tolerated > n:
		return found, fmt.Errorf("%d of %d members of the zip cannot be read (%s)", len(a.Problems), n+len(a.Problems), a.Problems[0])
	}
	for _, i := range []int{0, n / 2, n - 1} {
		if err := readToEnd(a.Members[i].Open()); err != nil {
			return found, fmt.Errorf("the zip is damaged: %w", err)
		}
	}
	return found, nil
}

func readToEnd(r io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}

// checkUK reads a table for its rows and the day of the extract.
func checkUK(file string) (Contents, error) {
	t, ok := ukcharity.TableOf(filepath.Base(file))
	if !ok {
		return Contents{}, fmt.Errorf("%s is not the name of a table of the register", filepath.Base(file))
	}
	revised := ""
	c, err := readThrough(file, func(r io.Reader) (rows.Tally, error) {
		tally, err := ukcharity.Read(r, t, func(*struct {
			Number int64 `parquet:"registered_charity_number"`
		}) error {
			return nil
		})
		revised = tally.Newest
		return tally.Tally, err
	})
	c.Revised = revised
	return c, err
}

// sample is how many rows of each file of a large archive are read.
const sample = 1000

var errEnough = errors.New("enough was read")

// checkUSAspending checks that the directory of a zip is whole and lists CSV files, and
// that the first rows of each can be read.
func checkUSAspending(file string) (Contents, error) {
	z, err := zip.OpenReader(file)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		if os.IsNotExist(err) {
			return Contents{}, fault.Disk(file, err)
		}
		return Contents{}, fmt.Errorf("the zip is damaged or cut short (%w)", err)
	}
	defer z.Close()
	tables := 0
	for _, m := range z.File {
		if !strings.EqualFold(path.Ext(m.Name), ".csv") {
			continue
		}
		tables++
		if err := checkMember(m); err != nil {
			return Contents{}, fmt.Errorf("%s in the zip: %w", m.Name, err)
		}
	}
	if tables == 0 {
		return Contents{}, errors.New("the zip holds no CSV file")
	}
	return Contents{}, nil
}

func checkMember(m *zip.File) error {
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	n := 0
	_, err = usaspending.Read(r, func(*usaspending.Award) error {
		if n++; n == sample {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
