package careg

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

const header = "Registry Status,State Charity Reg#,FEIN,SOS/FTB#,Name,City,State,Issue Date,Last Renewal,Date Status Set,As-of Date\r\n"

// row is padded as the published files are.
func row(cells ...string) string {
	widths := [...]int{40, 20, 10, 10, 100, 30, 2, 10, 10, 10, 10}
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%-*s", widths[i%len(widths)], c)
	}
	return b.String() + "\r\n"
}

var lantern = row("Current", "CT0012345", "070000001", "0128060", "LANTERN HOUSE", "EXAMPLE", "CA", "2001/02/03", "2026/04/05", "2026/04/06", "2026/07/15")

func readAll(r io.Reader) (list []Record, tally rows.Tally, err error) {
	tally, err = Read(r, func(r *Record) error {
		list = append(list, *r)
		return nil
	})
	return list, tally, err
}

func TestRead(t *testing.T) {
	t.Parallel()
	want := Record{Status: "Current", Registration: "CT0012345", EIN: 70000001, SOS: "0128060", Name: "LANTERN HOUSE", City: "EXAMPLE", State: "CA",
		Issued: "2001-02-03", Renewed: "2026-04-05", StatusSet: "2026-04-06", AsOf: "2026-07-15"}
	for name, text := range map[string]string{
		"as published":  header + lantern,
		"no padding":    header + strings.ReplaceAll(strings.ReplaceAll(lantern, "  ", ""), " ,", ","),
		"padded header": strings.ReplaceAll(header, ",", "   , ") + lantern,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, tally, err := readAll(iotest.HalfReader(strings.NewReader(text)))
			if err != nil || !slices.Equal(list, []Record{want}) || tally.Rows != 1 || tally.Rejected != nil {
				t.Errorf("%+v, %+v, err %v", list, tally, err)
			}
		})
	}
}

// A quotation mark is text, wherever it stands, and never joins two lines.
func TestReadText(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		`"THE GOOD" ONES`:              `"THE GOOD" ONES`,
		`"NEVER CLOSED`:                `"NEVER CLOSED`,
		`SIX" PIPE BAND`:               `SIX" PIPE BAND`,
		"CAF\xc9 DE LA PE\xd1A":        "CAFÉ DE LA PEÑA",
		"KIDS\x92 \x93CLUB\x94 \x96 2": "KIDS’ “CLUB” – 2",
		"\x80\x8c\x9f\xff":             "€ŒŸÿ",
		"GAP\x81":                      "GAP\ufffd",
		"\xa0PADDED\xa0":               "PADDED",
	} {
		text := header + row("Current", "", "", "", cell, "", "CA", "", "", "", "2026/07/15") + lantern
		list, tally, err := readAll(strings.NewReader(text))
		if err != nil || len(list) != 2 || list[0].Name != want || list[1].Name != "LANTERN HOUSE" {
			t.Errorf("%q: %+v, %+v, err %v", cell, list, tally, err)
		}
	}
}

// The table of the encoding against its definition by the letters that both
// alphabets share, and no place twice.
func TestDecode(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for b := range 256 {
		got := []rune(decode("x" + string([]byte{byte(b)}) + "x"))
		if len(got) != 3 {
			t.Fatalf("%#x is %q", b, string(got))
		}
		r := got[1]
		if (b < 0x80 || b >= 0xa0) && r != rune(b) {
			t.Errorf("%#x is %q", b, r)
		}
		if r != utf8.RuneError && seen[r] {
			t.Errorf("%#x is %q, as is another", b, r)
		}
		seen[r] = true
	}
	if len(seen) != 256-5+1 {
		t.Errorf("%d characters, want all but five", len(seen))
	}
}

func TestReadEIN(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]Record{
		"":           {},
		"07-0000001": {EIN: 70000001},
		"070000001":  {EIN: 70000001},
		"70000001":   {EIN: 70000001},
		"PENDING":    {BadEIN: "PENDING"},
		"07-00":      {BadEIN: "07-00"},
		"000000000":  {BadEIN: "000000000"},
	} {
		list, tally, err := readAll(strings.NewReader(header + row("Current", "", cell, "", "X", "", "", "", "", "", "2026/07/15")))
		if err != nil || len(list) != 1 || list[0].EIN != want.EIN || list[0].BadEIN != want.BadEIN {
			t.Errorf("%q: %+v, %+v, err %v", cell, list, tally, err)
		}
	}
}

func TestReadBadRows(t *testing.T) {
	t.Parallel()
	text := header + lantern +
		row("Current", "", "", "", "", "", "CA", "", "", "", "2026/07/15") +
		row("Current", "", "", "", "NO DATE", "", "CA", "", "", "", "") +
		row("Current", "", "", "", "A, COMMA", "", "CA", "", "", "", "2026/07/15") +
		"Current,short\r\n" +
		row("Current", "", "", "", strings.Repeat("X", 20<<10), "", "CA", "", "", "", "2026/07/15") +
		row("Exempt", "EX1", "", "", "LAST", "", "CA", "2020/13/01", "2020/1/1", "n/a", "2026/07/15")
	list, tally, err := readAll(strings.NewReader(text))
	want := []rows.Rejection{{Reason: ReasonName, Count: 1}, {Reason: ReasonAsOf, Count: 1}, {Reason: rows.ReasonOverlong, Count: 1}, {Reason: rows.ReasonColumns, Count: 2}}
	if err != nil || len(list) != 2 || list[1] != (Record{Status: "Exempt", Registration: "EX1", Name: "LAST", State: "CA", AsOf: "2026-07-15"}) || !slices.Equal(tally.Rejected, want) {
		t.Errorf("%+v, %+v, err %v", list, tally, err)
	}
}

func TestEdition(t *testing.T) {
	t.Parallel()
	later := strings.ReplaceAll(lantern, "2026/07/15", "2026/08/05")
	skip := func(*Record) error { return nil }
	var e Edition
	for range Lists() {
		if tally, err := e.Read(strings.NewReader(header+lantern+lantern), skip); err != nil || tally.Rows != 2 || e.AsOf != "2026-07-15" {
			t.Errorf("%+v, %+v, err %v", e, tally, err)
		}
	}
	if _, err := e.Read(strings.NewReader(header+later), skip); !errors.Is(err, ErrMixed) || !strings.Contains(err.Error(), "2026-07-15") || !strings.Contains(err.Error(), "2026-08-05") {
		t.Errorf("a list of another date gives %v", err)
	}
	if tally, err := Read(strings.NewReader(header+lantern+later), skip); !errors.Is(err, ErrMixed) || tally.Rows != 1 {
		t.Errorf("a file of two dates gives %v after %d rows", err, tally.Rows)
	}
	if tally, err := e.Read(strings.NewReader(header), skip); err != nil || tally.Rows != 0 {
		t.Errorf("a list nobody is on gives %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, hint string }{
		"other CSV":    {"id,name\n1,x\n", "the header lacks Registry Status, State Charity Reg#"},
		"one missing":  {strings.Replace(header, "FEIN,", "", 1) + lantern, "lacks FEIN;"},
		"no header":    {lantern, "lacks Registry Status"},
		"endless line": {strings.Repeat("x", 1<<20), "no header"},
		"workbook":     {"PK\x03\x04\x00\x00\x00", "lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAll(strings.NewReader(c.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("err %v, want one about %q", err, c.hint)
			}
		})
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	stems := map[string]bool{}
	for _, l := range Lists() {
		stems[l.Stem] = l.Meaning != ""
	}
	if len(stems) != 4 {
		t.Errorf("%d lists", len(stems))
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrFormat,
		Head:   header,
		Row: func(i int) string {
			return row("Current", fmt.Sprint("CT", i), fmt.Sprintf("0711%05d", i+1), "", fmt.Sprint("ORGANIZATION ", i*i), "EXAMPLE", "CA", "2001/02/03", "", "", "2026/07/15")
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header + lantern))
	f.Add([]byte(header + row("Current", "", "x", "", "\"A\x92\xa0", "", "", "1/1/1", "", "", "2026/07/15") + lantern))
	f.Add([]byte("<html>"))
	f.Add([]byte(header + ",,,,x,,,,,,2020-01-01\n,,,,x,,,,,,2020/01/02\n"))
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
			if r.Name == "" || !utf8.ValidString(r.Name) || len(r.AsOf) != 10 || r.AsOf != list[0].AsOf || (r.EIN != ein.None && r.BadEIN != "") {
				t.Errorf("%+v", r)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := header + strings.Repeat(lantern+row("Delinquent", "", "", "", "PE\xd1A THE \"GOOD\"", "", "CA", "", "", "", "2026/07/15"), 5000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), func(*Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "rows/s")
}
