package bmf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

const header = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\r\n"

const lantern = "070000001,LANTERN HOUSE INC,% A PERSON,12 ELM ST,EXAMPLE,OH,44101-0001,0000,03,3,1000,199901,1,15,000000000,1,01,202412,4,4,01,0,12,250000,-90000,,B43,LAMPLIGHTERS\r\n"

func row(ein, name string) string {
	return ein + "," + name + ",,1 MAIN ST,EXAMPLE,OH,44101-0001,0000,03,3,1000,199901,1,15,000000000,1,01,202412,0,0,01,0,12,0,0,0,,\r\n"
}

// readAll collects EIN and name of every row.
func readAll(r io.Reader) (list []string, stats rows.Tally, err error) {
	stats, err = Read(r, func(r *Record) error {
		list = append(list, r.EIN.String()+" "+r.Name)
		return nil
	})
	return list, stats, err
}

func TestReadFields(t *testing.T) {
	t.Parallel()
	var got Record
	stats, err := Read(strings.NewReader(header+lantern), func(r *Record) error { got = *r; return nil })
	if err != nil || stats.Rows != 1 || len(stats.Rejected) != 0 {
		t.Fatalf("stats %+v, err %v", stats, err)
	}
	want := Record{EIN: ein.EIN(70000001), Name: "LANTERN HOUSE INC", ICO: "% A PERSON", Street: "12 ELM ST", City: "EXAMPLE", State: "OH",
		ZIP: "44101-0001", Group: "0000", Subsection: "03", Affiliation: "3", Classification: "1000", Ruling: "199901", Deductibility: "1",
		Foundation: "15", Activity: "000000000", Organization: "1", Status: "01", TaxPeriod: "202412", AssetCode: "4", IncomeCode: "4",
		FilingReq: "01", PFFilingReq: "0", AccountingPeriod: "12", Assets: Amount{250000, true}, Income: Amount{-90000, true},
		NTEE: "B43", SortName: "LAMPLIGHTERS"}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReadForms(t *testing.T) {
	t.Parallel()
	columns := strings.Split(strings.TrimSpace(header), ",")
	slices.Reverse(columns)
	fields := strings.Split(strings.TrimSpace(lantern), ",")
	slices.Reverse(fields)
	for name, text := range map[string]string{
		"as published":      header + lantern,
		"lower-case header": strings.ToLower(header) + lantern,
		"other order":       strings.Join(columns, ",") + "\n" + strings.Join(fields, ",") + "\n",
		"extra columns":     "NEW," + strings.TrimSpace(header) + ",MORE\n" + "x," + strings.TrimSpace(lantern) + ",y\n",
		"quoted header":     `"` + strings.ReplaceAll(strings.TrimSpace(header), ",", `","`) + "\"\n" + lantern,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, stats, err := readAll(iotest.HalfReader(strings.NewReader(text)))
			if err != nil || len(list) != 1 || list[0] != "070000001 LANTERN HOUSE INC" || len(stats.Rejected) != 0 {
				t.Errorf("list %q, stats %+v, err %v", list, stats, err)
			}
		})
	}
}

func TestReadQuotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, want string }{
		{`"NORTH, SOUTH AND CO"`, "NORTH, SOUTH AND CO"},
		{`"THE ""GOOD"" ONES"`, `THE "GOOD" ONES`},
		{`THE "GOOD" ONES`, `THE "GOOD" ONES`},
		{`SIX" PIPE BAND`, `SIX" PIPE BAND`},
		{"\"TWO\r\nLINES\"", "TWO\r\nLINES"},
		{`"SHUT"LATE`, "SHUTLATE"},
		{`  SPACES  `, "SPACES"},
	} {
		list, stats, err := readAll(strings.NewReader(header + row("070000002", c.field) + lantern))
		if err != nil || len(list) != 2 || list[0] != "070000002 "+c.want {
			t.Errorf("%q: list %q, stats %+v, err %v", c.field, list, stats, err)
		}
	}
}

func TestReadBadRows(t *testing.T) {
	t.Parallel()
	text := header + row("07000000X", "LETTERS IN EIN") + row("", "NO EIN") + row("070000003", "") + "070000004,TOO,SHORT\r\n" +
		strings.TrimSpace(row("070000005", "TOO LONG A ROW")) + ",,\r\n" + row("070000006", strings.Repeat("X", 40_000)) +
		row("070000007", strings.Repeat("Y", 600<<10)) + row("070000008", `"NEVER CLOSED`) + lantern + row("070000009", "LAST")
	list, stats, err := readAll(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"070000001 LANTERN HOUSE INC", "070000009 LAST"}; !slices.Equal(list, want) {
		t.Errorf("list %q", list)
	}
	want := []rows.Rejection{{Reason: ReasonName, Count: 1}, {Reason: ReasonEIN, Count: 2}, {Reason: rows.ReasonOverlong, Count: 2}, {Reason: rows.ReasonQuote, Count: 1}, {Reason: rows.ReasonColumns, Count: 2}}
	if !slices.Equal(stats.Rejected, want) || stats.Rows != 2 {
		t.Errorf("stats %+v", stats)
	}
}

// A quote that is never closed loses its own line and no more, wherever the
// file ends.
func TestReadUnclosedQuote(t *testing.T) {
	t.Parallel()
	for _, after := range []int{0, 1, 5, 200, 2000} {
		var b strings.Builder
		b.WriteString(header + row("070000008", `"NEVER CLOSED`))
		for i := range after {
			b.WriteString(row(fmt.Sprintf("0711%05d", i+1), "ORG"))
		}
		_, stats, err := readAll(strings.NewReader(b.String()))
		if err != nil || stats.Rows != int64(after) || !slices.Equal(stats.Rejected, []rows.Rejection{{Reason: rows.ReasonQuote, Count: 1}}) {
			t.Errorf("%d list after: stats %+v, err %v", after, stats, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, hint string }{
		"other CSV":       {"id,name\n1,x\n", "the header lacks EIN, ICO"},
		"one missing":     {strings.Replace(header, "NTEE_CD,", "", 1) + lantern, "lacks NTEE_CD"},
		"no header":       {lantern, "lacks EIN"},
		"endless line":    {strings.Repeat("x", 1<<20), "no header"},
		"binary":          {"PK\x03\x04\x00\x00\x00", "lacks EIN"},
		"too many fields": {strings.Repeat("A,", 1000), "columns"},
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

// Every column of the file has a place of its own in the Record: a row whose
// fields all differ comes back whole.
func TestReadEveryColumn(t *testing.T) {
	t.Parallel()
	fields := make([]string, len(columns))
	for i := range fields {
		fields[i] = fmt.Sprint(100 + i)
	}
	fields[0] = "070000001"
	var got Record
	if _, err := Read(strings.NewReader(header+strings.Join(fields, ",")), func(r *Record) error { got = *r; return nil }); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v", got)
	for i, f := range fields[1:] {
		if n := strings.Count(text, f); n != 1 {
			t.Errorf("column %s occurs %d times in %s", columns[i+1], n, text)
		}
	}
	for i, f := range []Amount{got.Assets, got.Income, got.Revenue} {
		if !f.Set || f.Value != int64(123+i) {
			t.Errorf("amount %d is %+v", i, f)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrFormat,
		Head:   header,
		Row:    func(i int) string { return row(fmt.Sprintf("0711%05d", i+1), fmt.Sprint("ORGANIZATION ", i*i)) },
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header + lantern))
	f.Add([]byte(header + row("070000002", `"A, ""B"""`) + row("070000003", `"OPEN`) + lantern))
	f.Add([]byte("<html>"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte(header + "\"\n\"\n,\"\"\",\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, stats, err := readAll(bytes.NewReader(data))
		if stats.Rows != int64(len(list)) {
			t.Errorf("%d list counted, %d handed on", stats.Rows, len(list))
		}
		again, _, err2 := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if (err == nil) != (err2 == nil) || !slices.Equal(list, again) {
			t.Errorf("the size of reads shows: %q, %v; %q, %v", list, err, again, err2)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := header + strings.Repeat(lantern+row("070000002", `"NORTH, SOUTH AND CO"`), 5000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), func(*Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "rows/s")
}
