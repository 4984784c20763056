package stateaward

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
	"grantgraph/internal/money"
)

func mapping(t testing.TB, state string) *Mapping {
	t.Helper()
	m, ok := For(state)
	if !ok {
		t.Fatalf("no mapping of %s", state)
	}
	return &m
}

// file writes rows under the mapping's header; a row names the columns it
// fills.
func file(m *Mapping, list ...map[string]string) string {
	header := m.Header()
	var b strings.Builder
	write := func(fields []string) {
		for i, f := range fields {
			if i > 0 {
				b.WriteString(m.Separator)
			}
			if strings.ContainsAny(f, "\"\n,") {
				f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
			}
			b.WriteString(f)
		}
		b.WriteString("\r\n")
	}
	write(header)
	for _, row := range list {
		fields := make([]string, len(header))
		for column, v := range row {
			fields[Find(header, column)] = v
		}
		write(fields)
	}
	return b.String()
}

func read(m *Mapping, r io.Reader) (list []Award, tally rows.Tally, err error) {
	tally, err = m.Read(r, func(a *Award) error { list = append(list, *a); return nil })
	return list, tally, err
}

func TestStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state string
		row   map[string]string
		want  Award
	}{
		{"CT", map[string]string{"Vendor": "LANTERN HOUSE INC", "Fiscal Year": "2024", "Department": "Housing", "Program": "Shelter", "Expense Category": "Grants", "Amount": "1,250.75", "Payment Date": "2023-09-01"},
			Award{Payee: "LANTERN HOUSE INC", FiscalYear: 2024, Agency: "Housing", Program: "Shelter", Category: "Grants", Amount: 125075, Date: "2023-09-01"}},
		{"DE", map[string]string{"Vendor": "LANTERN HOUSE", "fiscal_year": "2024", "Department": "Health", "Division": "Aging", "Category": "Grants", "Amount": "10", "Check Number": "77"},
			Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Agency: "Health", Program: "Aging", Category: "Grants", Amount: 1000, ID: "77"}},
		{"FL", map[string]string{"Vendor/Grantor Name": "LANTERN  HOUSE  INC ", "Type": "Grant Disbursement Agreement", "Begin Date": "7/1/2023", "Agency Name": "STATE", "Long Title/PO Title": "ARTS", "Total Amount": "$5,000.00", "Agency Contract ID": "A1"},
			Award{Payee: "LANTERN HOUSE INC", FiscalYear: 2024, Agency: "STATE", Program: "ARTS", Category: "Grant Disbursement Agreement", Amount: 500000, Date: "2023-07-01", ID: "A1"}},
		{"MA", map[string]string{"Vendor": "LANTERN HOUSE", "City": "EXAMPLE", "State": "MA", "Zip_Code": "02101", "Budget_Fiscal_Year": "2024", "Department": "DPH", "Appropriation_Name": "ARTS", "Object_Class": "(MM) CLIENT SVCS", "Amount": "-3.5", "Payment_Id": "p"},
			Award{Payee: "LANTERN HOUSE", City: "EXAMPLE", State: "MA", ZIP: "02101", FiscalYear: 2024, Agency: "DPH", Program: "ARTS", Category: "(MM) CLIENT SVCS", Amount: -350, ID: "p"}},
		{"MD", map[string]string{"Grantee": "LANTERN HOUSE", "Zip Code": "21201", "Fiscal Year": "2023", "Grantor": "DHCD", "Description": "SHELTER", "Category": "Grant", "Amount": "60000"},
			Award{Payee: "LANTERN HOUSE", ZIP: "21201", FiscalYear: 2023, Agency: "DHCD", Program: "SHELTER", Category: "Grant", Amount: 6000000}},
		{"NJ", map[string]string{"VENDOR_NAME": "LANTERN HOUSE", "FISCAL_YEAR": "2022", "DEPARTMENT_AGENCY_DESC": "HEALTH", "COMMODITY_SECTOR_DESC": "SERVICES", "YTD_AMT": "9.99"},
			Award{Payee: "LANTERN HOUSE", FiscalYear: 2022, Agency: "HEALTH", Category: "SERVICES", Amount: 999}},
		{"OK", map[string]string{"VENDOR_NAME": "CAF\xc9 \x93LANTERN\x94", "CITY": "EXAMPLE", "STATE": "OK", "POSTAL": "73101", "PYMNT_DT": "01-JUL-24", "AGENCYNAME": "HEALTH", "FUNDDESCR": "FUND", "ACCOUNT": "551120", "ACCTDESCR": "GRANTS", "PYMNT_AMT": "10", "VOUCHER_ID": "0001"},
			Award{Payee: "CAFÉ “LANTERN”", City: "EXAMPLE", State: "OK", ZIP: "73101", FiscalYear: 2025, Agency: "HEALTH", Program: "FUND", Category: "GRANTS", Amount: 1000, Date: "2024-07-01", ID: "0001"}},
		{"OR", map[string]string{"vendor": "LANTERN HOUSE", "fiscal_year": "2024", "agency_name": "ARTS", "budget_class": "6020", "budget_class_name": "Dist to Nonprofits", "expend_class_name": "Dist", "expense": "12"},
			Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Agency: "ARTS", Program: "Dist to Nonprofits", Category: "Dist", Amount: 1200}},
		{"VT", map[string]string{"Vendor": "Lantern House", "City": "Example", "State": "VT", "Quarter Ending": "09/30/2023", "Department": "Health", "DeptID Description": "Aging", "Account": "Other Direct Grant Expense", "Amount": "1"},
			Award{Payee: "Lantern House", City: "Example", State: "VT", FiscalYear: 2024, Agency: "Health", Program: "Aging", Category: "Other Direct Grant Expense", Amount: 100, Date: "2023-09-30"}},
	} {
		t.Run(c.state, func(t *testing.T) {
			t.Parallel()
			m := mapping(t, c.state)
			list, tally, err := read(m, strings.NewReader(file(m, c.row)))
			if err != nil || tally.Lost() != 0 || len(list) != 1 || list[0] != c.want {
				t.Errorf("got %+v, %+v, %v\nwant %+v", list, tally, err, c.want)
			}
		})
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	for state, row := range map[string]map[string]string{
		"FL": {"Vendor/Grantor Name": "US DEPT", "Type": "Grant Award", "Begin Date": "7/1/2023", "Total Amount": "1"},
		"MA": {"Vendor": "A PERSON", "Budget_Fiscal_Year": "2024", "Object_Class": "(AA) REGULAR EMPLOYEE COMPENSATION", "Amount": "1"},
		"MD": {"Grantee": "LANTERN HOUSE", "Fiscal Year": "2023", "Category": "Loans", "Amount": "1"},
		"OK": {"VENDOR_NAME": "PROTECTED INFORMATION", "ACCOUNT": "551120", "PYMNT_DT": "2024-01-01", "PYMNT_AMT": "1"},
		"OR": {"vendor": "LANTERN HOUSE", "fiscal_year": "2024", "budget_class": "4300", "expense": "1"},
		"VT": {"Vendor": "LANTERN HOUSE", "Quarter Ending": "09/30/2023", "Account": "Rubbish Removal", "Amount": "1"},
	} {
		m := mapping(t, state)
		list, tally, err := read(m, strings.NewReader(file(m, row)))
		if err != nil || len(list) != 0 || !slices.Equal(tally.Rejected, []rows.Rejection{{Reason: ReasonFilter, Count: 1}}) {
			t.Errorf("%s: %+v, %+v, %v", state, list, tally, err)
		}
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	m, err := ReadMapping(strings.NewReader("state = \"NJ\"\nseparator = \"|\"\n[columns]\npayee = \"p\"\nein = \"e\"\nfiscal_year = \"y\"\ndate = \"d\"\namount = \"a\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := "p|e|y|d|a\nA|07-0000001|2020||1\n||2020||1\nA||soon||1\nA|||2019-12-31T00:00:00.000|5\nA||2020||lots\nA|2020\nA|x|2020||2\n"
	list, tally, err := read(&m, strings.NewReader(text))
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %+v, %v", list, tally, err)
	}
	want := []rows.Rejection{{Reason: ReasonAmount, Count: 1}, {Reason: ReasonYear, Count: 1}, {Reason: ReasonPayee, Count: 1}, {Reason: rows.ReasonColumns, Count: 1}}
	if !slices.Equal(tally.Rejected, want) {
		t.Errorf("rejected %+v, want %+v", tally.Rejected, want)
	}
	if list[0].EIN != ein.EIN(70000001) || list[1].FiscalYear != 2020 || list[2].EIN != ein.None {
		t.Errorf("%+v", list)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	m := mapping(t, "VT")
	for name, c := range map[string]struct{ text, says string }{
		"other file": {"EIN,NAME\n1,2\n", "Vendor, Amount"},
		"no filter":  {"Vendor,Amount,Quarter Ending\n", "lacks Account"},
		"no date":    {"Vendor,Amount,Account\n", "lacks Quarter Ending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := read(m, strings.NewReader(c.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
	row := map[string]string{"Vendor": "A", "Quarter Ending": "2023-09-30", "Account": "Grants", "Amount": "1"}
	cut := errors.New("line dropped")
	if _, _, err := read(m, io.MultiReader(strings.NewReader(file(m, row)), iotest.ErrReader(cut))); !errors.Is(err, cut) || !strings.Contains(err.Error(), "after row 1") {
		t.Errorf("error %v", err)
	}
}

func TestYears(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"2024": 2024, " FY 2024": 2024, "fy24": 2024, "SFY2024": 2024, "2023-2024": 2024, "2023/24": 2024, "2024.0": 2024,
		"": 0, "2023-2025": 0, "2024-2023": 0, "24000": 0, "1850": 0, "soon": 0, "-": 0, "2023-": 0, "20x4": 0} {
		if got, ok := parseYear(in); ok != (want != 0) || ok && got != want {
			t.Errorf("parseYear(%q) = %d, %v; want %d", in, got, ok, want)
		}
	}
	for in, want := range map[string]int{"2024-06-30": 2024, "2024-07-01": 2025, "2024-07-01T00:00:00.000": 2025, "6/30/2024": 2024, "07/01/2024 12:00:00 AM": 2025,
		"20240630": 2024, "30-JUN-24": 2024, "1-Jul-2024": 2025, "": 0, "June": 0, "13/01/2024": 0, "2024-00-10": 0, "1/1": 0, "1/1/1": 0, "99991231": 0, "1/99/2024": 0} {
		if got, ok := yearOf(in, 7); ok != (want != 0) || ok && got != want {
			t.Errorf("yearOf(%q) = %d, %v; want %d", in, got, ok, want)
		}
	}
	if got, _ := yearOf("2024-07-01", 1); got != 2024 {
		t.Errorf("a year that begins in January: %d", got)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	m := mapping(t, "VT")
	head := file(m)
	rowstest.Reader{
		Read:   rowstest.Of(m.Read),
		Format: ErrFormat,
		Head:   head,
		Row: func(i int) string {
			return strings.TrimPrefix(file(m, map[string]string{"Vendor": fmt.Sprint("ORGANIZATION ", i), "Quarter Ending": "2023-09-30", "Account": "Grants", "Amount": fmt.Sprint(i)}), head)
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	for i, m := range Mappings() {
		f.Add(i, []byte(file(&m, map[string]string{m.Columns.Payee: "LANTERN HOUSE", m.Columns.Amount: "1"})))
	}
	f.Add(3, []byte("<html>"))
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		all := Mappings()
		m := all[((i%len(all))+len(all))%len(all)]
		list, tally, err := read(&m, bytes.NewReader(data))
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		for _, a := range list {
			if a.Payee == "" || a.FiscalYear < firstYear || a.FiscalYear > lastYear || a.Amount > money.Max || a.Amount < -money.Max {
				t.Errorf("award %+v", a)
			}
		}
		again, _, err2 := read(&m, iotest.OneByteReader(bytes.NewReader(data)))
		if fmt.Sprint(err) != fmt.Sprint(err2) || !slices.Equal(list, again) {
			t.Errorf("the size of reads shows: %v, %v; %v, %v", list, err, again, err2)
		}
	})
}
