package irs990

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
)

func TestObjectID(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]string{
		"201812509349300101_public.xml":                   "201812509349300101",
		"2024_TEOS_XML_02A/202303569349100605_public.xml": "202303569349100605",
		`batch\202303569349100605_public.xml`:             "202303569349100605",
		"20181250934930010_public.xml":                    "",
		"20181250934930010x_public.xml":                   "",
		"201812509349300101.xml":                          "",
		"":                                                "",
	} {
		if got, ok := ObjectID(member); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", member, got, ok)
		}
	}
}

func readRows(t testing.TB, text string) []IndexRow {
	t.Helper()
	var out []IndexRow
	if err := ReadIndex(strings.NewReader(text), func(r IndexRow) error { out = append(out, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	nine = "RETURN_ID,FILING_TYPE,EIN,TAX_PERIOD,SUB_DATE,TAXPAYER_NAME,RETURN_TYPE,DLN,OBJECT_ID"
	ten  = nine + ",XML_BATCH_ID"
)

func TestReadIndex(t *testing.T) {
	t.Parallel()
	got := readRows(t, "\xef\xbb\xbf"+ten+"\r\n"+
		"1,EFILE,070000001,202212,2023,\"COMMA, INC \"\"THE\"\"\",990PF,1,202312345678901234,2023_TEOS_XML_01A\r\n"+
		",EFILE,70000002,202212,2023,NO QUOTES, BUT A COMMA,990,9.3E+13,202312345678901235,2023_TEOS_XML_01A\r\n"+
		"\r\n,EFILE,070000003,202212,2023,NO OBJECT,990,,,\r\n"+
		"short\n"+
		strings.Repeat("x", 2*maxLine)+"\n"+
		",EFILE,070000004,202212,2023,\"NEVER CLOSED,990,,202312345678901236,B")
	want := []IndexRow{
		{"1", "EFILE", "070000001", "202212", "2023", `COMMA, INC "THE"`, "990PF", "1", "202312345678901234", "2023_TEOS_XML_01A"},
		{"", "EFILE", "070000002", "202212", "2023", "NO QUOTES, BUT A COMMA", "990", "9.3E+13", "202312345678901235", "2023_TEOS_XML_01A"},
		{"", "EFILE", "070000004", "202212", "2023", `"NEVER CLOSED`, "990", "", "202312345678901236", "B"},
	}
	if d := difference(got, want); d != "" {
		t.Errorf("rows%s", d)
	}
	old := readRows(t, nine+"\n5,EFILE,070000001,201712,2/5/2019 18:34,A CLUB,990EO,6,201812345678901234\n")
	if len(old) != 1 || old[0].Batch != "" || old[0].ReturnType != "990EO" || old[0].Submitted != "2/5/2019 18:34" {
		t.Errorf("nine columns: %+v", old)
	}
	for _, text := range []string{"", "\n\n", "<html>\n"} {
		if err := ReadIndex(strings.NewReader(text), nil); err == nil {
			t.Errorf("%q is an index", text)
		}
	}
}

func TestUpstreamIndexes(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	paths, err := filepath.Glob(filepath.Join(dir, "990", "index_samples", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, filepath.Join(dir, "990", "index_DERIVED.csv")) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := readRows(t, string(body))
		lines := strings.Count(strings.TrimSpace(string(body)), "\n")
		if len(got) != lines {
			t.Errorf("%s: %d rows of %d lines", filepath.Base(path), len(got), lines)
		}
		for _, r := range got {
			if len(r.EIN) != 9 || len(r.TaxPeriod) != 6 || !knownForm(r.ReturnType) {
				t.Errorf("%s: %+v", filepath.Base(path), r)
			}
		}
	}
}

func FuzzReadIndex(f *testing.F) {
	f.Add(ten + "\n1,EFILE,070000001,202212,2023,\"A, B\",990PF,1,202312345678901234,X\n")
	f.Add(nine + "\n,,,,,a,b,c,,,,,202312345678901234\n")
	f.Fuzz(func(t *testing.T, text string) {
		_ = ReadIndex(strings.NewReader(text), func(r IndexRow) error {
			if len(r.ObjectID) != 18 {
				t.Errorf("%+v", r)
			}
			return nil
		})
	})
}
