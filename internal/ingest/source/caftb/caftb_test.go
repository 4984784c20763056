package caftb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

const header1 = "Entity ID,Entity Name,City,Exempt Section,FEIN,Revocation Date\r\n"

const body1 = "C0128060,LANTERN HOUSE,EXAMPLE,23701d,07-0000001,5/15/2013\r\n" +
	"0128061/000,\"HARBOR, THE\",SAMPLE,23701f,,2014-06-01\r\n"

var want1 = []Record{
	{EntityID: "0128060", Name: "LANTERN HOUSE", City: "EXAMPLE", Section: "23701d", EIN: 70000001, Revoked: "2013-05-15"},
	{EntityID: "0128061", Name: "HARBOR, THE", City: "SAMPLE", Section: "23701f", Revoked: "2014-06-01"},
}

func readAll(r io.Reader) (list []Record, tally rows.Tally, err error) {
	tally, err = Read(r, func(r *Record) error {
		list = append(list, *r)
		return nil
	})
	return list, tally, err
}

func TestReadForms(t *testing.T) {
	t.Parallel()
	piped := strings.NewReplacer(",", "|", "\"HARBOR, THE\"", "HARBOR, THE").Replace(header1 + body1)
	for name, text := range map[string]string{
		"csv":            header1 + body1,
		"pipes":          piped,
		"tabs":           strings.ReplaceAll(piped, "|", "\t"),
		"zip":            rowstest.Zip("list.csv", header1+body1),
		"titles above":   "Franchise Tax Board,,,,,\r\nAs of 1/1/2026,,,,,\r\n\r\n" + header1 + body1,
		"other words":    "Corp. #,ORGANIZATION NAME,Mailing City,R&TC Section,Employer Identification Number,Date of Revocation\n" + body1,
		"underscores":    "entity_number,entity_name,city,exempt_section,fein,revoked_effective_date\n" + body1,
		"vague date":     "Corporation No.,Legal Name,City,RTC,Federal ID,Effective Date\n" + body1,
		"vague but told": "Revoked exempt organizations\nEntity ID,Name,City,Section,EIN,Status Date\n" + body1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, tally, err := readAll(iotest.HalfReader(strings.NewReader(text)))
			if err != nil || !slices.Equal(list, want1) || tally.Rows != 2 || tally.Rejected != nil {
				t.Errorf("%+v, %+v, err %v", list, tally, err)
			}
		})
	}
}

// The order of columns is free, and all but name, number and date may be
// missing.
func TestReadColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Record{
		"Revocation Date,Extra,Name,Entity Number\n41409,x,LANTERN,128060\n": {EntityID: "0128060", Name: "LANTERN", Revoked: "2013-05-15"},
		"FEIN,Name,Date Revoked\n070000001,LANTERN,05/15/2013 00:00:00\n":    {EIN: 70000001, Name: "LANTERN", Revoked: "2013-05-15"},
		"Effective Date,EIN,Revocation Date,Name\n1/1/2000,,5/15/2013,L\n":   {Name: "L", Revoked: "2013-05-15"},
		"EIN,Name,Revocation Date,City\n070000001,PE\xd1A,,X\n":              {EIN: 70000001, Name: "PE\ufffdA", City: "X"},
	} {
		list, tally, err := readAll(strings.NewReader(text))
		if err != nil || len(list) != 1 || list[0] != want {
			t.Errorf("%q: %+v, %+v, err %v", text, list, tally, err)
		}
	}
}

func TestReadBadRows(t *testing.T) {
	t.Parallel()
	text := header1 + body1 + header1 + "0128062,,X,,,1/1/2013\n" + "0128063,A, COMMA,X,,,1/1/2013\n" + "Total,2\n" +
		"pending,NAMELESS NUMBER,,,,unknown\n" + "0128064,\"OPEN,X,,,1/1/2013\n" + "0128065," + strings.Repeat("X", 20<<10) + ",,,,\n" + "0128066,LAST,,,,\n"
	list, tally, err := readAll(strings.NewReader(text))
	want := []rows.Rejection{{Reason: ReasonName, Count: 1}, {Reason: ReasonBare, Count: 2}, {Reason: rows.ReasonOverlong, Count: 1},
		{Reason: rows.ReasonQuote, Count: 1}, {Reason: rows.ReasonColumns, Count: 2}}
	if err != nil || len(list) != 3 || list[2].Name != "LAST" || !slices.Equal(tally.Rejected, want) {
		t.Errorf("%+v, %+v, err %v", list, tally, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	exempt := "Entity ID,Entity Name,City,Exempt Section,Account Period Ending,FTB Status,SOS Status\n"
	for name, c := range map[string]struct{ text, hint string }{
		"pdf":               {"%PDF-1.7\n", "PDF"},
		"old workbook":      {"\xd0\xcf\x11\xe0\xa1\xb1", "old kind"},
		"UTF-16":            {"\xff\xfeE\x00n\x00", "UTF-16"},
		"damaged zip":       {"PK\x03\x04 and no more", "damaged"},
		"zip of two":        {rowstest.Zip("a.csv", header1, "b.csv", header1), "holds 2 files"},
		"other columns":     {"id,amount\n1,2\n", `columns seen: "id", "amount"; needed`},
		"no header":         {body1, "no column is"},
		"no name":           {"Entity ID,Revocation Date\n1,2\n", "no column is the organization's name"},
		"no number":         {"Name,City,Revocation Date\nx,y,z\n", "entity number or a FEIN"},
		"no date":           {"Entity ID,Name\n1,2\n", "date of revocation"},
		"exempt list":       {exempt + "0128060,LANTERN,EXAMPLE,23701d,12/31,Active,Active\n", "list of exempt organizations"},
		"exempt with dates": {"Effective Date," + exempt, "list of exempt organizations"},
		"late header":       {strings.Repeat("note,note\n", headRows) + header1 + body1, "no column is"},
		"nothing below":     {header1 + "Total,,,,,\n", "none of the 1 rows"},
		"endless line":      {strings.Repeat("x", 1<<20), "none of its first rows"},
		"hostile titles":    {"\x1b[31m," + strings.Repeat("y", 5000) + "\n", `"\x1b[31m", "yyyy`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, _, err := readAll(strings.NewReader(c.text))
			if list != nil || !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), c.hint) || len(err.Error()) > 2000 {
				t.Errorf("err %v, want one about %q", err, c.hint)
			}
		})
	}
	if list, tally, err := readAll(strings.NewReader(header1)); err != nil || list != nil || tally.Rows != 0 {
		t.Errorf("a list nobody is on gives %v", err)
	}
}

func TestWorkbookErrors(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	n := 0
	if tally, err := Read(strings.NewReader(newWorkbookFiles(header1+body1).zip()), func(*Record) error { n++; return stop }); err != stop || n != 1 || tally.Rows != 0 {
		t.Errorf("err %v after %d calls", err, n)
	}
	if _, _, err := readAll(io.MultiReader(strings.NewReader("PK\x03\x04"), iotest.ErrReader(stop))); !errors.Is(err, stop) {
		t.Errorf("err %v, want the stream's", err)
	}
}

func TestEntityID(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"0128060": "0128060", "128060": "0128060", "C0128060": "0128060", "c 128060": "0128060", "0128060/000": "0128060", " C0128060/001 ": "0128060",
		"128060.0": "0128060", "00128060": "0128060", "200012345678": "200012345678", "B20250012345": "20250012345", "9012345": "9012345",
		"": "", "0": "", "C": "", "CC12": "", "12-34": "", "pending": "", "1234567890123": "", "/000": "", "1.5": "", "Ñ1": "",
	} {
		if got := EntityID(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
		if again := EntityID(want); again != want {
			t.Errorf("%q is %q the second time", want, again)
		}
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2013-05-15": "2013-05-15", "2013-05-15T00:00:00": "2013-05-15", "2013-05-15 00:00:00.000": "2013-05-15", "2013/5/15": "2013-05-15",
		"5/15/2013": "2013-05-15", "05/15/2013": "2013-05-15", "5/15/2013 12:00:00 AM": "2013-05-15", "05-15-2013": "2013-05-15", "5/15/13": "2013-05-15",
		"20130515": "2013-05-15", "15-May-2013": "2013-05-15", "15-MAY-13": "2013-05-15", "May 15, 2013": "2013-05-15", "41409": "2013-05-15",
		"41409.75": "2013-05-15", "41409.0": "2013-05-15", "41409.25": "2013-05-15",
		"": "", "2013": "", "unknown": "", "13/40/2013": "", "2013-02-30": "", "0001-01-01": "", "NaN": "", "Inf": "", "-41409": "", "9999999": "", "1e300": "",
	} {
		if got := date(s, false); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
	if got := date("39947", true); got != "2013-05-15" {
		t.Errorf("the calendar from 1904 gives %q", got)
	}
}

// check holds for every record of any file.
func check(t *testing.T, r Record) {
	t.Helper()
	digits := strings.Trim(r.EntityID, "0123456789") == "" && (r.EntityID == "" || len(r.EntityID) >= 7)
	_, err := time.Parse(time.DateOnly, r.Revoked)
	if r.Name == "" || !utf8.ValidString(r.Name) || !digits || r.Revoked != "" && err != nil {
		t.Errorf("%+v", r)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrLayout,
		Head:   header1,
		Row: func(i int) string {
			return fmt.Sprintf("%07d,ORGANIZATION %d,EXAMPLE,23701d,0711%05d,5/15/2013\r\n", 128060+i, i*i, i+1)
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header1 + body1))
	f.Add([]byte("FEIN|Name|Date Revoked\n070000001|LANTERN|41409\n"))
	f.Add([]byte(newWorkbookFiles(header1 + body1).zip()))
	f.Add([]byte("%PDF"))
	f.Add([]byte("\"\n\"\nName,EIN,Status Date\nx,,20130515\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, tally, err := readAll(bytes.NewReader(data))
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		again, _, err2 := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if (err == nil) != (err2 == nil) || !slices.Equal(list, again) {
			t.Errorf("the size of reads shows: %+v, %v; %+v, %v", list, err, again, err2)
		}
		for _, r := range list {
			check(t, r)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := header1 + strings.Repeat(body1, 5000)
	for name, text := range map[string]string{"csv": text, "xlsx": newWorkbookFiles(text).zip()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(strings.NewReader(text), func(*Record) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
