package usaspending

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

var grantColumns = []string{"correction_delete_ind", "assistance_transaction_unique_key", "assistance_award_unique_key", "federal_action_obligation", "action_date", "action_date_fiscal_year",
	"awarding_agency_name", "recipient_uei", "recipient_duns", "recipient_name", "recipient_parent_uei", "recipient_state_code", "recipient_zip_code", "cfda_number", "cfda_title", "assistance_type_code"}

var contractColumns = []string{"contract_transaction_unique_key", "contract_award_unique_key", "federal_action_obligation", "action_date", "action_date_fiscal_year",
	"awarding_agency_name", "award_type_code", "recipient_uei", "recipient_name", "recipient_state_code", "recipient_zip_4_code", "product_or_service_code_description", "naics_description"}

type row map[string]string

func table(columns []string, list ...row) string {
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + "\n")
	for _, r := range list {
		for i, c := range columns {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(r[c], `"`, `""`) + `"`)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// grant is a transaction with the given changes.
func grant(key, amount string, change ...string) row {
	r := row{"assistance_transaction_unique_key": key, "assistance_award_unique_key": "ASST_" + key[:1], "federal_action_obligation": amount, "action_date": "2023-10-02",
		"action_date_fiscal_year": "2024", "awarding_agency_name": "Department of Examples", "recipient_uei": "EXAMPLE00001", "recipient_name": "LANTERN HOUSE INC",
		"recipient_parent_uei": "EXAMPLE00009", "recipient_state_code": "OH", "recipient_zip_code": "44101", "cfda_number": "93.600", "cfda_title": "HEAD START", "assistance_type_code": "04"}
	for i := 0; i < len(change); i += 2 {
		r[change[i]] = change[i+1]
	}
	return r
}

func contract(key, amount string, change ...string) row {
	r := row{"contract_transaction_unique_key": key, "contract_award_unique_key": "CONT_" + key[:1], "federal_action_obligation": amount, "action_date": "2023-09-30",
		"action_date_fiscal_year": "2023", "awarding_agency_name": "Department of Examples", "award_type_code": "B", "recipient_uei": "EXAMPLE00001",
		"recipient_zip_4_code": "441010001", "product_or_service_code_description": "LANTERNS", "naics_description": "LAMP MAKING"}
	for i := 0; i < len(change); i += 2 {
		r[change[i]] = change[i+1]
	}
	return r
}

func readAll(r io.Reader) (list []Award, tally rows.Tally, err error) {
	tally, err = Read(r, func(a *Award) error { list = append(list, *a); return nil })
	return list, tally, err
}

func TestRead(t *testing.T) {
	t.Parallel()
	list, tally, err := readAll(strings.NewReader(table(grantColumns, grant("a1", "-1234.56"))))
	want := Award{Key: "ASST_a", Transaction: "a1", UEI: "EXAMPLE00001", ParentUEI: "EXAMPLE00009", Name: "LANTERN HOUSE INC", State: "OH", ZIP: "44101",
		FiscalYear: 2024, Kind: Grant, Agency: "Department of Examples", Program: "93.600 HEAD START", Amount: -123456, ActionDate: "2023-10-02"}
	if err != nil || tally.Lost() != 0 || len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, %+v, %v\nwant %+v", list, tally, err, want)
	}
	list, tally, err = readAll(strings.NewReader(table(contractColumns, contract("a1", "10"))))
	want = Award{Key: "CONT_a", Transaction: "a1", UEI: "EXAMPLE00001", ZIP: "441010001", FiscalYear: 2023, Kind: Contract, Agency: "Department of Examples",
		Program: "LANTERNS", Amount: 1000, ActionDate: "2023-09-30"}
	if err != nil || tally.Lost() != 0 || len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, %+v, %v\nwant %+v", list, tally, err, want)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, kind, reason string
	}{
		{"02", Grant, ""}, {"3", Grant, ""}, {"04", Grant, ""}, {"05", Grant, ""}, {"F001", Grant, ""}, {"f002", Grant, ""},
		{"06", "", ReasonPayment}, {"10", "", ReasonPayment}, {"07", "", ReasonLoan}, {"8", "", ReasonLoan}, {"09", "", ReasonInsurance},
		{"11", "", ReasonOther}, {"-1", "", ReasonOther}, {"", "", ReasonOther}, {"F005", "", ReasonOther},
	} {
		kind, reason := (&file{}).kind(c.code)
		if kind != c.kind || reason != c.reason {
			t.Errorf("assistance %q: %q, %q", c.code, kind, reason)
		}
	}
	for code, want := range map[string]string{"A": Contract, "b": Contract, "C": Contract, "D": Contract, "": "", "IDV_B": "", "E": ""} {
		if kind, reason := (&file{contracts: true}).kind(code); kind != want || (reason == "") != (want != "") {
			t.Errorf("contract %q: %q, %q", code, kind, reason)
		}
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]string{
		"93.600":     table(grantColumns, grant("a", "1", "cfda_title", "")),
		"HEAD START": table(grantColumns, grant("a", "1", "cfda_number", "")),
		"":           table(grantColumns, grant("a", "1", "cfda_number", "", "cfda_title", "")),
		"LAMPS":      table(contractColumns, contract("a", "1", "product_or_service_code_description", "", "naics_description", "LAMPS")),
	} {
		if list, _, err := readAll(strings.NewReader(r)); err != nil || len(list) != 1 || list[0].Program != want {
			t.Errorf("program %+v, %v; want %q", list, err, want)
		}
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	_, tally, err := readAll(strings.NewReader(table(grantColumns, grant("a", "1"), grant("b", "1", "assistance_type_code", "07"), grant("c", "1", "action_date_fiscal_year", ""),
		grant("d", "1", "action_date_fiscal_year", "", "action_date", "soon"), grant("e", "1e9"), grant("f", "1", "assistance_award_unique_key", ""),
		grant("g", "1", "assistance_transaction_unique_key", ""), grant("h", "", "correction_delete_ind", "D")) + "short,row\n"))
	want := []rows.Rejection{{Reason: ReasonDeleted, Count: 1}, {Reason: ReasonAmount, Count: 1}, {Reason: ReasonYear, Count: 1}, {Reason: ReasonKey, Count: 2}, {Reason: ReasonLoan, Count: 1}, {Reason: rows.ReasonColumns, Count: 1}}
	if err != nil || tally.Rows != 2 || !slices.Equal(tally.Rejected, want) {
		t.Errorf("%+v, %v; want %+v", tally, err, want)
	}
}

func TestFiscalYear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, date string
		want       int
	}{{"2024", "", 2024}, {"", "2023-10-01", 2024}, {"", "2023-09-30", 2023}, {"x", "2023-01-01T00:00", 2023}, {"", "10/01/2023", 0}, {"", "", 0}, {"7", "2023-13-01", 0}} {
		if got := fiscalYear(c.text, c.date); got != c.want {
			t.Errorf("fiscalYear(%q, %q) = %d, want %d", c.text, c.date, got, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	without := func(columns []string, names ...string) string {
		return table(slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return slices.Contains(names, c) }))
	}
	for name, c := range map[string]struct{ text, says string }{
		"other file":    {"EIN,NAME\n", "assistance_transaction_unique_key"},
		"no recipient":  {without(grantColumns, "recipient_uei", "recipient_duns"), "lacks recipient_uei"},
		"no obligation": {without(contractColumns, "federal_action_obligation"), "lacks federal_action_obligation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAll(strings.NewReader(c.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
	// A file of before 2022 has only the DUNS.
	list, _, err := readAll(strings.NewReader(table(slices.DeleteFunc(slices.Clone(grantColumns), func(c string) bool { return c == "recipient_uei" }), grant("a", "1", "recipient_duns", "070000001"))))
	if err != nil || len(list) != 1 || list[0].DUNS != "070000001" || list[0].UEI != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

// write puts a zip with the given members on disk.
func write(t *testing.T, name string, members ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(rowstest.Zip(members...)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "a.csv.gz")
	if err := os.WriteFile(plain, []byte(rowstest.Gzip(table(grantColumns, grant("a", "1")))), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		plain: 1,
		write(t, "FY2024_All_Assistance_Full_20250106.zip", "x_2.csv", table(grantColumns, grant("b", "1")), "x_1.csv", table(grantColumns, grant("a", "1")), "readme.txt", "hello"): 2,
	} {
		n := 0
		tally, err := NewDeduplicator().ReadFile(t.Context(), &Posting{}, path, func(*Award) error { n++; return nil })
		if err != nil || n != want || tally.Rows != int64(want) {
			t.Errorf("%s: %d rows, %+v, %v", path, n, tally, err)
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.zip")
	if err := os.WriteFile(broken, []byte("PK\x03\x04"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		broken:                               "damaged",
		write(t, "a.zip", "readme.txt", "x"): "no CSV",
		write(t, "b.zip", "x_1.csv", "x"):    "x_1.csv: ",
	} {
		if _, err := NewDeduplicator().ReadFile(t.Context(), &Posting{}, path, func(*Award) error { return nil }); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", path, err, says)
		}
	}
	if _, err := NewDeduplicator().ReadFile(t.Context(), &Posting{}, filepath.Join(t.TempDir(), "none.zip"), nil); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	head := table(grantColumns)
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrFormat,
		Head:   head,
		Row: func(i int) string {
			return strings.TrimPrefix(table(grantColumns, grant(fmt.Sprint("a", i), fmt.Sprint(i*i))), head)
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(table(grantColumns, grant("a", "1"), grant("b", "-2.50", "assistance_type_code", "06"))))
	f.Add([]byte(table(contractColumns, contract("a", "1"), contract("a", "x"))))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, tally, err := readAll(bytes.NewReader(data))
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		for _, a := range list {
			if a.Key == "" || a.Transaction == "" || a.FiscalYear < 1900 || a.FiscalYear > 2200 || a.Kind != Grant && a.Kind != Contract {
				t.Errorf("award %+v", a)
			}
		}
		again, _, err2 := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if fmt.Sprint(err) != fmt.Sprint(err2) || !slices.Equal(list, again) {
			t.Errorf("the size of reads shows: %v, %v; %v, %v", list, err, again, err2)
		}
	})
}

// BenchmarkRead reads rows as wide as those of contracts, most columns of which
// nobody asks for.
func BenchmarkRead(b *testing.B) {
	columns := slices.Clone(contractColumns)
	for i := len(columns); i < 297; i++ {
		columns = append(columns, fmt.Sprint("column_", i))
	}
	line := strings.Join(columns, ",") + "\n"
	values := make([]string, len(columns))
	for i, c := range columns {
		if values[i] = contract("CONT_0001", "1234.56")[c]; i >= len(contractColumns) {
			values[i] = []string{"", "f", "", "NOT APPLICABLE"}[i%4]
		}
	}
	values[len(contractColumns)] = `"LANTERNS, WITH A ""HANDLE"""`
	text := line + strings.Repeat(strings.Join(values, ",")+"\n", 5000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), func(*Award) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*5000/b.Elapsed().Seconds(), "rows/s")
}
