package pub78

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

const lantern = "070000001|Lantern House Inc.|Exampleton|OH|United States|PC\r\n"

// readAll collects EIN, name and codes of every row.
func readAll(r io.Reader) (list []string, tally rows.Tally, err error) {
	tally, err = Read(r, func(r *Record) error {
		list = append(list, r.EIN.String()+" "+r.Name+" "+r.Codes)
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
		{lantern, Record{70000001, "Lantern House Inc.", "Exampleton", "OH", "United States", "PC"}},
		{"000000012|Two Zeros Chapel |Exampleton|MA|United States|EO,GROUP,LODGE", Record{12, "Two Zeros Chapel", "Exampleton", "MA", "United States", "EO,GROUP,LODGE"}},
		{"08-0000002|Far Shore Friends|Montreal Quebec||CANADA|FORGN,PF", Record{80000002, "Far Shore Friends", "Montreal Quebec", "", "CANADA", "FORGN,PF"}},
		{`080000003|The "Quoted" Ones, Ltd.|X|OH|United States|NEWCODE`, Record{80000003, `The "Quoted" Ones, Ltd.`, "X", "OH", "United States", "NEWCODE"}},
		{"080000004||||United States|", Record{80000004, "", "", "", "United States", ""}},
		{"080000005|Caf\xe9 Friends|X|OH|United States|PC", Record{80000005, "Caf\ufffd Friends", "X", "OH", "United States", "PC"}},
	} {
		var got Record
		tally, err := Read(strings.NewReader(c.row), func(r *Record) error { got = *r; return nil })
		if err != nil || tally.Rows != 1 || tally.Lost() != 0 || got != c.want {
			t.Errorf("%q: %+v, %+v, err %v", c.row, got, tally, err)
		}
	}
}

func TestReadBadRows(t *testing.T) {
	t.Parallel()
	text := "07000000X|Letters|X|OH|United States|PC\n|No EIN|X|OH|United States|PC\n000000000|Zeros|X|OH|United States|PC\n" +
		"070000002|Too|Short\n070000003|Too|Long|X|OH|United States|PC\n070000004|" + strings.Repeat("x", 40_000) + "|X|OH|United States|PC\n" + lantern
	list, tally, err := readAll(strings.NewReader(text))
	want := []rows.Rejection{{Reason: ReasonEIN, Count: 3}, {Reason: rows.ReasonOverlong, Count: 1}, {Reason: rows.ReasonColumns, Count: 2}}
	if err != nil || len(list) != 1 || tally.Rows != 1 || !slices.Equal(tally.Rejected, want) {
		t.Errorf("%q, %+v, err %v", list, tally, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, hint string }{
		"revocation list": {"070000001|LANTERN HOUSE INC|||EXAMPLETON|OH||US|03|15-MAY-2013|12-AUG-2013|\r\n", "none of 1 rows"},
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

func TestContract(t *testing.T) {
	t.Parallel()
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrFormat,
		Row: func(i int) string {
			return fmt.Sprintf("0711%05d|Organization %d|Town %d|OH|United States|PC\r\n", i+1, i*i, i%17)
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\r\n\r\n" + lantern + "\r\n"))
	f.Add([]byte("\ufeff000000012|A|B||CANADA|FORGN\n|||||\n"))
	f.Add([]byte("<html>"))
	f.Add([]byte(rowstest.Gzip(lantern)))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []string
		tally, err := Read(bytes.NewReader(data), func(r *Record) error {
			if r.EIN == ein.None || !utf8.ValidString(r.Name+r.City+r.State+r.Country+r.Codes) {
				t.Errorf("unusable record %+v", r)
			}
			list = append(list, r.EIN.String()+" "+r.Name+" "+r.Codes)
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
