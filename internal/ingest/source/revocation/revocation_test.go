package revocation

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

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

const lantern = "070000001|LANTERN HOUSE INC ||12 ELM ST|EXAMPLETON|OH|44101-0001|US|03|15-MAY-2013|12-AUG-2013|\r\n"

func event(ein, revoked, posted, reinstated string) string {
	return ein + "|AN ORGANIZATION|||EXAMPLETON|OH||US|03|" + revoked + "|" + posted + "|" + reinstated + "\r\n"
}

// readAll collects EIN and dates of every row.
func readAll(r io.Reader) (list []string, tally rows.Tally, err error) {
	tally, err = Read(r, func(r *Record) error {
		list = append(list, r.EIN.String()+" "+r.Revoked+" "+r.Posted+" "+r.Reinstated)
		return nil
	})
	return list, tally, err
}

func TestReadFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row  string
		want Record
	}{
		{lantern, Record{EIN: 70000001, Name: "LANTERN HOUSE INC", Street: "12 ELM ST", City: "EXAMPLETON", State: "OH", ZIP: "44101-0001", Country: "US",
			Subsection: "03", Revoked: "2013-05-15", Posted: "2013-08-12"}},
		{"000000012|TWO ZEROS CLUB |CHAPTER 9||EXAMPLETON|MA||US|00|29-FEB-2012|11-feb-2013|15-Sep-2015 ", Record{EIN: 12, Name: "TWO ZEROS CLUB", DBA: "CHAPTER 9",
			City: "EXAMPLETON", State: "MA", Country: "US", Subsection: "00", Revoked: "2012-02-29", Posted: "2013-02-11", Reinstated: "2015-09-15"}},
		{"080000002||||OXFORD|||UK||15-DEC-2010||15-DEC-2010", Record{EIN: 80000002, City: "OXFORD", Country: "UK", Revoked: "2010-12-15", Reinstated: "2010-12-15"}},
	} {
		var got Record
		tally, err := Read(strings.NewReader(c.row), func(r *Record) error { got = *r; return nil })
		if err != nil || tally.Rows != 1 || tally.Lost() != 0 || got != c.want {
			t.Errorf("%q: %+v, %+v, err %v", c.row, got, tally, err)
		}
	}
}

// Two events of one EIN are two records, in the order of the file.
func TestReadEvents(t *testing.T) {
	t.Parallel()
	text := event("070000001", "15-MAY-2011", "22-FEB-2012", "15-SEP-2015") + event("070000001", "15-MAY-2018", "02-OCT-2018", "")
	list, _, err := readAll(strings.NewReader(text))
	if want := []string{"070000001 2011-05-15 2012-02-22 2015-09-15", "070000001 2018-05-15 2018-10-02 "}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%q, err %v", list, err)
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"15-MAY-2013": "2013-05-15", " 01-jan-2020 ": "2020-01-01", "29-FEB-2024": "2024-02-29", "": "", "  ": ""} {
		if got, ok := date(s); !ok || got != want {
			t.Errorf("%q is %q, %v", s, got, ok)
		}
	}
	for _, s := range []string{"29-FEB-2023", "31-APR-2020", "00-MAY-2013", "32-MAY-2013", "5-MAY-2013", "15-MAY-13", "15-MAI-2013", "15-MAY-0000", "15-MAY-1900",
		"2013-05-15", "05/15/2013", "15-MAY-2013x", "15 MAY 2013", "15-MAY-20133", "NONE", "-"} {
		if got, ok := date(s); ok {
			t.Errorf("%q was read as %q", s, got)
		}
	}
	for day := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2027; day = day.AddDate(0, 0, 1) {
		if got, ok := date(strings.ToUpper(day.Format("02-Jan-2006"))); !ok || got != day.Format(time.DateOnly) {
			t.Fatalf("%v is %q, %v", day, got, ok)
		}
	}
}

// A row with a damaged date is left out as a whole: a damaged reinstatement
// must not make a revocation that still holds.
func TestReadBadRows(t *testing.T) {
	t.Parallel()
	text := event("07000000X", "15-MAY-2013", "12-AUG-2013", "") + event("000000000", "15-MAY-2013", "12-AUG-2013", "") +
		event("070000002", "", "12-AUG-2013", "") + event("070000003", "15-MAY-2O13", "12-AUG-2013", "") +
		event("070000004", "15-MAY-2013", "12-AUG", "") + event("070000005", "15-MAY-2013", "12-AUG-2013", "??-SEP-2015") +
		event("070000006", "15-MAY-2013", "12-AUG-2013", "15-SEP-2015|") + "070000007|TOO|SHORT\r\n" + lantern
	list, tally, err := readAll(strings.NewReader(text))
	want := []rows.Rejection{{Reason: ReasonEIN, Count: 2}, {Reason: ReasonPosted, Count: 1}, {Reason: ReasonReinstated, Count: 1},
		{Reason: ReasonRevoked, Count: 2}, {Reason: rows.ReasonColumns, Count: 2}}
	if err != nil || len(list) != 1 || tally.Rows != 1 || !slices.Equal(tally.Rejected, want) {
		t.Errorf("%q, %+v, err %v", list, tally, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, hint string }{
		"Publication 78":  {"070000001|Lantern House Inc.|Exampleton|OH|United States|PC\r\n", "none of 1 rows"},
		"dates elsewhere": {"070000001|A|||B|OH||US|15-MAY-2013|03|12-AUG-2013|\r\n", ReasonRevoked},
		"CSV":             {"EIN,NAME\n070000001,X\n", "none of 2 rows"},
		"zip":             {rowstest.Zip("list.txt", lantern), "unpack it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, tally, err := readAll(strings.NewReader(c.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.hint) || tally.Rows != 0 {
				t.Errorf("%+v, err %v, want one about %q", tally, err, c.hint)
			}
		})
	}
}

func iso(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func TestContract(t *testing.T) {
	t.Parallel()
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrFormat,
		Row: func(i int) string {
			return event(fmt.Sprintf("0711%05d", i+1), "15-MAY-2013", fmt.Sprintf("%02d-AUG-2013", i%28+1), "")
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\r\n\r\n" + lantern + "\r\n"))
	f.Add([]byte(event("000000012", "15-MAY-2011", "", "29-FEB-2012") + event("070000001", "29-FEB-2011", "", "")))
	f.Add([]byte("<html>"))
	f.Add([]byte(rowstest.Gzip(lantern)))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []string
		tally, err := Read(bytes.NewReader(data), func(r *Record) error {
			if r.EIN == ein.None || !iso(r.Revoked) || r.Posted != "" && !iso(r.Posted) || r.Reinstated != "" && !iso(r.Reinstated) ||
				!utf8.ValidString(r.Name+r.DBA+r.Street+r.City+r.State+r.ZIP+r.Country+r.Subsection) {
				t.Errorf("unusable record %+v", r)
			}
			list = append(list, r.EIN.String()+" "+r.Revoked+" "+r.Posted+" "+r.Reinstated)
			return nil
		})
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		if err == nil && tally.Rows == 0 {
			t.Error("a file without rows was accepted")
		}
		again, _, err2 := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if (err == nil) != (err2 == nil) || !slices.Equal(list, again) {
			t.Errorf("the size of reads shows: %q, %v; %q, %v", list, err, again, err2)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat(lantern, 10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), func(*Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
