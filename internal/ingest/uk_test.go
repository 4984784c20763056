package ingest

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/discover"
	delimited "grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/snapshot"
)

// register is an invented extract: rows of each table without the columns that
// all have.
var register = map[string][]string{
	"charity": {
		`"registered_charity_number":9000002,"linked_charity_number":0,"charity_name":"QUARRY BRASS BAND","charity_type":null,"charity_registration_status":"Registered","date_of_registration":"1970-01-01T00:00:00","date_of_removal":null,"latest_income":0,"latest_expenditure":12.5,"charity_contact_address1":"2 OAK ROAD","charity_contact_postcode":"ZZ9 9ZZ","charity_contact_phone":"0000 555","charity_contact_email":"someone@quarry.example","charity_contact_web":"www.quarry.example","charity_insolvent":false,"charity_in_administration":null,"charity_is_cio":null,"charity_activities":"PLAYS\r\nBRASS","charity_gift_aid":true,"charity_has_land":null,"charity_company_registration_number":"00012345"`,
		`"registered_charity_number":9000001,"linked_charity_number":1,"charity_name":"LANTERN ANNEXE","charity_registration_status":"Removed","date_of_removal":"2020-02-29T00:00:00"`,
		`"registered_charity_number":9000001,"linked_charity_number":0,"charity_name":"THE LANTERN TRUST","charity_registration_status":"Registered"`,
	},
	"charity_annual_return_history": {
		`"registered_charity_number":9000001,"fin_period_start_date":"2022-04-01T00:00:00","fin_period_end_date":"2023-03-31T00:00:00","total_gross_income":7,"total_gross_expenditure":8,"date_accounts_received":"2023-12-01T00:00:00","accounts_qualified":true`,
		`"registered_charity_number":9000001,"fin_period_start_date":"2021-04-01T00:00:00","fin_period_end_date":"2022-03-31T00:00:00","total_gross_income":null,"total_gross_expenditure":"x","accounts_qualified":null`,
	},
	"charity_annual_return_parta": {
		`"registered_charity_number":9000001,"latest_fin_period_submitted_ind":false,"fin_period_order_number":2,"fin_period_end_date":"2022-03-31T00:00:00","grant_making_is_main_activity":false,"count_volunteers":null`,
		`"registered_charity_number":9000001,"latest_fin_period_submitted_ind":true,"fin_period_order_number":1,"fin_period_end_date":"2023-03-31T00:00:00","grant_making_is_main_activity":true,"count_volunteers":0,"employees_salary_over_60k":true,"count_salary_band_60001_70000":2,"income_from_government_grants":1000.25`,
	},
	"charity_annual_return_partb": {
		`"registered_charity_number":9000001,"latest_fin_period_submitted_ind":true,"fin_period_order_number":1,"fin_period_end_date":"2023-03-31T00:00:00","expenditure_total":100,"expenditure_grants_institution":60,"reserves":-5,"count_employees":3`,
	},
	"charity_area_of_operation": {
		`"registered_charity_number":9000001,"linked_charity_number":0,"geographic_area_type":"Country","geographic_area_description":"Ruritania","parent_geographic_area_type":"Continent","parent_geographic_area_description":"Europe","welsh_ind":false`,
	},
	"charity_classification": {
		`"registered_charity_number":9000001,"linked_charity_number":0,"classification_code":202,"classification_type":"Who","classification_description":"Elderly/old People"`,
		`"registered_charity_number":9000001,"linked_charity_number":0,"classification_code":101,"classification_type":"What","classification_description":"General Charitable Purposes"`,
	},
	"charity_event_history": {
		`"registered_charity_number":9000001,"linked_charity_number":1,"event_type":"Removed","date_of_event":"2020-02-29T00:00:00","reason":"CEASED TO EXIST","assoc_registered_charity_number":9000002`,
		`"registered_charity_number":9000001,"linked_charity_number":1,"event_type":"Registered","date_of_event":"1999-01-01T00:00:00","reason":null,"assoc_registered_charity_number":null`,
	},
	"charity_governing_document": {
		`"registered_charity_number":9000001,"linked_charity_number":0,"governing_document_description":"TRUST DEED","charitable_objects":"TO LIGHT LAMPS","area_of_benefit":null`,
	},
	"charity_other_names": {
		`"registered_charity_number":9000001,"linked_charity_number":0,"charity_name_id":1,"charity_name_type":"Working name","charity_name":"LAMPLIGHTERS"`,
		`"registered_charity_number":null,"linked_charity_number":0,"charity_name_id":2,"charity_name_type":"Working name","charity_name":"NOBODY"`,
	},
	"charity_policy":           {`"registered_charity_number":9000001,"linked_charity_number":0,"policy_name":"Risk management"`},
	"charity_published_report": {`"registered_charity_number":9000001,"linked_charity_number":0,"report_name":"STATEMENT OF INQUIRY","report_location":null,"date_published":"2019-01-22T00:00:00"`},
	"charity_trustee": {
		`"registered_charity_number":9000002,"linked_charity_number":0,"trustee_id":55,"trustee_name":"Pat Doe","trustee_is_chair":false,"individual_or_organisation":"P","trustee_date_of_appointment":"2011-11-11T00:00:00"`,
		`"registered_charity_number":9000001,"linked_charity_number":0,"trustee_id":77,"trustee_name":"Jo Roe","trustee_is_chair":true,"individual_or_organisation":"P"`,
		`"registered_charity_number":9000001,"linked_charity_number":0,"trustee_id":55,"trustee_name":"Pat Doe","trustee_is_chair":false,"individual_or_organisation":"P"`,
	},
}

// extract writes a table as upstream does.
func extract(date string, rows []string) string {
	var s strings.Builder
	s.WriteString("\ufeff[")
	for i, r := range rows {
		if i > 0 {
			s.WriteString("\r\n,")
		}
		fmt.Fprintf(&s, `{"date_of_extract":"%sT00:00:00","organisation_number":%d,%s}`, date, i+1, r)
	}
	return s.String() + "\r\n]"
}

// layUK writes files and returns their root and names.
func layUK(t *testing.T, files map[string]string) (root string, names []string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		body := []byte(text)
		if strings.HasSuffix(name, ".zip") && !strings.HasPrefix(text, "PK") {
			var buf bytes.Buffer
			z := zip.NewWriter(&buf)
			m, err := z.CreateHeader(&zip.FileHeader{Name: strings.TrimSuffix(filepath.Base(name), ".zip") + ".json", Method: zip.Deflate, Modified: time.Date(2024, 9, 10, 1, 10, 0, 0, time.UTC)})
			if err == nil {
				_, err = io.WriteString(m, text)
			}
			if err := errors.Join(err, z.Close()); err != nil {
				t.Fatal(err)
			}
			body = buf.Bytes()
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return root, names
}

func wholeRegister() map[string]string {
	files := map[string]string{}
	for table, rows := range register {
		files["uk/2024-09-10/publicextract."+table+".zip"] = extract("2024-09-10", rows)
	}
	return files
}

func writeUK(t *testing.T, ctx context.Context, root string, names []string) (*snapshot.Snapshot, UKReport, *builder, error) {
	t.Helper()
	b := &builder{sources: &discover.Sources{Root: root}, report: newReport()}
	w, err := snapshot.Create(t.TempDir(), noon)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abandon)
	report, err := b.uk(ctx, w, names)
	return w.Unpublished(), report, b, err
}

// ukColumns is what the warehouse promises of every table, as DuckDB sees it.
var ukColumns = map[string]string{
	snapshot.UKCharities: `registered_charity_number BIGINT, linked_charity_number BIGINT, charity_name VARCHAR, charity_registration_status VARCHAR, charity_type VARCHAR,
		date_of_registration DATE, date_of_removal DATE, latest_income DOUBLE, latest_expenditure DOUBLE,
		charity_contact_address1 VARCHAR, charity_contact_address2 VARCHAR, charity_contact_address3 VARCHAR, charity_contact_address4 VARCHAR, charity_contact_address5 VARCHAR,
		charity_contact_postcode VARCHAR, charity_contact_web VARCHAR, charity_activities VARCHAR, charity_company_registration_number VARCHAR,
		charity_insolvent BOOLEAN, charity_in_administration BOOLEAN, charity_is_cio BOOLEAN, charity_gift_aid BOOLEAN, charity_has_land BOOLEAN`,
	snapshot.UKFinances: `registered_charity_number BIGINT, fin_period_start_date DATE, fin_period_end_date DATE, total_gross_income DOUBLE, total_gross_expenditure DOUBLE,
		date_accounts_received DATE, accounts_qualified BOOLEAN`,
	snapshot.UKReturnsB: `registered_charity_number BIGINT, fin_period_start_date DATE, fin_period_end_date DATE, fin_period_order_number BIGINT, latest_fin_period_submitted_ind BOOLEAN,
		income_donations_and_legacies DOUBLE, income_charitable_activities DOUBLE, income_investments DOUBLE, income_other_trading_activities DOUBLE, income_legacies DOUBLE, income_endowments DOUBLE,
		expenditure_charitable_expenditure DOUBLE, expenditure_raising_funds DOUBLE, expenditure_governance DOUBLE, expenditure_support_costs DOUBLE, expenditure_investment_management DOUBLE,
		expenditure_depreciation DOUBLE, expenditure_grants_institution DOUBLE, expenditure_total DOUBLE,
		assets_total_fixed DOUBLE, assets_long_term_investment DOUBLE, assets_cash DOUBLE, assets_total_liabilities DOUBLE,
		funds_endowment DOUBLE, funds_restricted DOUBLE, funds_unrestricted DOUBLE, funds_total DOUBLE, reserves DOUBLE, count_employees BIGINT`,
	snapshot.UKReturnsA: `registered_charity_number BIGINT, fin_period_start_date DATE, fin_period_end_date DATE, fin_period_order_number BIGINT, latest_fin_period_submitted_ind BOOLEAN,
		grant_making_is_main_activity BOOLEAN, income_from_government_grants DOUBLE, income_from_government_contracts DOUBLE, count_volunteers BIGINT, employees_salary_over_60k BOOLEAN,
		count_salary_band_60001_70000 BIGINT, count_salary_band_70001_80000 BIGINT, count_salary_band_80001_90000 BIGINT, count_salary_band_90001_100000 BIGINT, count_salary_band_100001_110000 BIGINT,
		count_salary_band_110001_120000 BIGINT, count_salary_band_120001_130000 BIGINT, count_salary_band_130001_140000 BIGINT, count_salary_band_140001_150000 BIGINT, count_salary_band_150001_200000 BIGINT,
		count_salary_band_200001_250000 BIGINT, count_salary_band_250001_300000 BIGINT, count_salary_band_300001_350000 BIGINT, count_salary_band_350001_400000 BIGINT, count_salary_band_400001_450000 BIGINT,
		count_salary_band_450001_500000 BIGINT, count_salary_band_over_500000 BIGINT`,
	snapshot.UKClassifications: `registered_charity_number BIGINT, linked_charity_number BIGINT, classification_type VARCHAR, classification_description VARCHAR`,
	snapshot.UKAreas: `registered_charity_number BIGINT, linked_charity_number BIGINT, geographic_area_type VARCHAR, geographic_area_description VARCHAR,
		parent_geographic_area_type VARCHAR, parent_geographic_area_description VARCHAR`,
	snapshot.UKOtherNames: `registered_charity_number BIGINT, linked_charity_number BIGINT, charity_name_type VARCHAR, charity_name VARCHAR`,
	snapshot.UKDocuments:  `registered_charity_number BIGINT, linked_charity_number BIGINT, charitable_objects VARCHAR, governing_document_description VARCHAR, area_of_benefit VARCHAR`,
	snapshot.UKPolicies:   `registered_charity_number BIGINT, linked_charity_number BIGINT, policy_name VARCHAR`,
	snapshot.UKEvents: `registered_charity_number BIGINT, linked_charity_number BIGINT, event_type VARCHAR, date_of_event DATE, reason VARCHAR,
		assoc_registered_charity_number BIGINT`,
	snapshot.UKReports: `date_of_extract DATE, organisation_number BIGINT, registered_charity_number BIGINT, linked_charity_number BIGINT, report_name VARCHAR, report_location VARCHAR,
		date_published DATE`,
	snapshot.UKIngests: `date_of_extract DATE, source VARCHAR, staged_at TIMESTAMP, table_name VARCHAR, row_count BIGINT`,
	snapshot.UKTrustees: `registered_charity_number BIGINT, linked_charity_number BIGINT, trustee_id BIGINT, trustee_name VARCHAR, trustee_is_chair BOOLEAN, individual_or_organisation VARCHAR,
		trustee_date_of_appointment DATE`,
	snapshot.UKBoardEdges: `e1 BIGINT, e2 BIGINT, shared BIGINT, weight DOUBLE, overlap DOUBLE, tie_kind VARCHAR, structural BOOLEAN`,
}

func duck(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// ask runs a query over the tables of a snapshot, named in braces, and returns
// its rows as text.
func ask(t *testing.T, db *sql.DB, s *snapshot.Snapshot, query string) (out []string) {
	t.Helper()
	for table := range ukColumns {
		query = strings.ReplaceAll(query, "{"+table+"}", "read_parquet('"+s.Path(table)+"')")
	}
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range to {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		line := ""
		for i, v := range values {
			if i > 0 {
				line += " "
			}
			switch v := v.(type) {
			case nil:
				line += "null"
			case time.Time:
				line += v.Format("2006-01-02T15:04")
			default:
				line += fmt.Sprint(v)
			}
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestUKTables writes an invented register and asks DuckDB what came of it.
func TestUKTables(t *testing.T) {
	t.Parallel()
	root, names := layUK(t, wholeRegister())
	s, report, b, err := writeUK(t, t.Context(), root, names)
	if err != nil {
		t.Fatal(err)
	}
	db := duck(t)
	for table, want := range ukColumns {
		got := ask(t, db, s, "SELECT column_name || ' ' || column_type FROM (DESCRIBE SELECT * FROM {"+table+"})")
		if want := strings.Join(strings.Fields(want), " "); strings.Join(got, ", ") != want {
			t.Errorf("%s has %s\nwant %s", table, strings.Join(got, ", "), want)
		}
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"SELECT registered_charity_number, linked_charity_number, charity_name FROM {uk_charity}", []string{"9000001 0 THE LANTERN TRUST", "9000001 1 LANTERN ANNEXE", "9000002 0 QUARRY BRASS BAND"}},
		{"SELECT date_of_registration, date_of_removal, latest_income, latest_expenditure, charity_type, charity_insolvent, charity_gift_aid, charity_has_land, charity_company_registration_number FROM {uk_charity} WHERE registered_charity_number = 9000002",
			[]string{"1970-01-01T00:00 null 0 12.5 null false true null 00012345"}},
		{"SELECT charity_activities = 'PLAYS' || chr(13) || chr(10) || 'BRASS' FROM {uk_charity} WHERE charity_activities IS NOT NULL", []string{"true"}},
		{"SELECT count(*) FROM {uk_charity} WHERE date_of_removal = DATE '2020-02-29'", []string{"1"}},
		{"SELECT fin_period_end_date, total_gross_income, total_gross_expenditure, accounts_qualified FROM {uk_charity_finance}", []string{"2022-03-31T00:00 null null null", "2023-03-31T00:00 7 8 true"}},
		{"SELECT fin_period_order_number, latest_fin_period_submitted_ind, grant_making_is_main_activity, count_volunteers, count_salary_band_60001_70000, income_from_government_grants FROM {uk_charity_return_a}",
			[]string{"1 true true 0 2 1000.25", "2 false false null null null"}},
		{"SELECT expenditure_grants_institution, expenditure_total, reserves, count_employees, funds_total FROM {uk_charity_return_b}", []string{"60 100 -5 3 null"}},
		{"SELECT classification_type, classification_description FROM {uk_charity_classification}", []string{"What General Charitable Purposes", "Who Elderly/old People"}},
		{"SELECT * EXCLUDE (linked_charity_number) FROM {uk_charity_area}", []string{"9000001 Country Ruritania Continent Europe"}},
		{"SELECT * FROM {uk_charity_other_name}", []string{"9000001 0 Working name LAMPLIGHTERS"}},
		{"SELECT charitable_objects, area_of_benefit FROM {uk_charity_governing_document}", []string{"TO LIGHT LAMPS null"}},
		{"SELECT policy_name FROM {uk_charity_policy}", []string{"Risk management"}},
		{"SELECT event_type, date_of_event, reason, assoc_registered_charity_number FROM {uk_charity_event}", []string{"Registered 1999-01-01T00:00 null null", "Removed 2020-02-29T00:00 CEASED TO EXIST 9000002"}},
		{"SELECT * FROM {uk_charity_published_report}", []string{"2024-09-10T00:00 1 9000001 0 STATEMENT OF INQUIRY null 2019-01-22T00:00"}},
		{"SELECT registered_charity_number, trustee_id, trustee_is_chair, individual_or_organisation, trustee_date_of_appointment FROM {uk_charity_trustee}",
			[]string{"9000001 55 false P null", "9000001 77 true P null", "9000002 55 false P 2011-11-11T00:00"}},
		{"SELECT e1, e2, shared, overlap, tie_kind, structural FROM {uk_board_edge}", []string{"9000001 9000002 1 1 interlock false"}},
		{"SELECT table_name, row_count, date_of_extract, staged_at FROM {uk_ingest_meta} LIMIT 2", []string{"uk_charity 3 2024-09-10T00:00 2024-09-10T01:10", "uk_charity_area 1 2024-09-10T00:00 2024-09-10T01:10"}},
		{"SELECT source FROM {uk_ingest_meta} WHERE table_name = 'uk_charity_finance'", []string{"https://ccewuksprdoneregsadata1.blob.core.windows.net/data/json/publicextract.charity_annual_return_history.zip"}},
		{"SELECT count(*) FROM {uk_ingest_meta}", []string{"12"}},
	} {
		if got := ask(t, db, s, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.query, got, c.want)
		}
	}
	if len(report.Tables) != 12 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "1 of the 2 rows") || !slices.Equal(report.Ties, []NamedInt{{"interlock", 1}}) {
		t.Errorf("report %+v", report)
	}
	for _, table := range report.Tables {
		switch table.Name {
		case snapshot.UKOtherNames:
			if !slices.Equal(table.Rejected, []delimited.Rejection{{Reason: "no charity number", Count: 1}}) {
				t.Errorf("%+v", table)
			}
		case snapshot.UKFinances:
			if !slices.Equal(table.Blanked, []delimited.Rejection{{Reason: "total_gross_expenditure", Count: 1}}) {
				t.Errorf("%+v", table)
			}
		default:
			if len(table.Rejected) > 0 || len(table.Blanked) > 0 || table.Extracted != "2024-09-10" {
				t.Errorf("%+v", table)
			}
		}
	}
	if body, err := json.Marshal(report); err != nil || bytes.Contains(body, []byte("null")) {
		t.Errorf("report %s, %v", body, err)
	}
	if len(b.used) != 12 || b.used[0].Kind != "ukcharity" || len(b.used[0].SHA256) != 64 {
		t.Errorf("sources %+v", b.used)
	}
}

// No table says how to write to or call a charity.
func TestUKKeepsNoContacts(t *testing.T) {
	t.Parallel()
	for table, columns := range ukColumns {
		if strings.Contains(columns, "mail") || strings.Contains(columns, "phone") {
			t.Errorf("%s has contacts", table)
		}
	}
	root, names := layUK(t, wholeRegister())
	s, _, _, err := writeUK(t, t.Context(), root, names)
	if err != nil {
		t.Fatal(err)
	}
	db := duck(t)
	if got := ask(t, db, s, "SELECT count(*) FROM (SELECT unnest([charity_name, charity_activities, charity_contact_web, charity_contact_address1]) AS x FROM {uk_charity}) WHERE x LIKE '%@%' OR x LIKE '%555%'"); got[0] != "0" {
		t.Errorf("%s contacts", got[0])
	}
}

// The same files give the same bytes, and without files every table is there
// and empty.
func TestUKSameBytes(t *testing.T) {
	t.Parallel()
	root, names := layUK(t, wholeRegister())
	var sums [2]string
	for i := range sums {
		slices.Reverse(names)
		s, _, _, err := writeUK(t, t.Context(), root, names)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = ukSums(t, s)
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds differ:\n%s\n%s", sums[0], sums[1])
	}
	s, report, _, err := writeUK(t, t.Context(), root, nil)
	if err != nil || len(report.Tables) != 0 || len(report.Notes) != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	db := duck(t)
	for table := range ukColumns {
		if got := ask(t, db, s, "SELECT count(*) FROM {"+table+"}"); got[0] != "0" {
			t.Errorf("%s has %s rows", table, got[0])
		}
	}
}

func ukSums(t *testing.T, s *snapshot.Snapshot) (all string) {
	t.Helper()
	tables := []string{}
	for table := range ukColumns {
		tables = append(tables, table)
	}
	slices.Sort(tables)
	for _, table := range tables {
		body, err := os.ReadFile(s.Path(table))
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprintf("%s %x\n", table, sha256.Sum256(body))
	}
	return all
}

func TestUKChoosesFiles(t *testing.T) {
	t.Parallel()
	names := func(name string) []string {
		return []string{fmt.Sprintf(`"registered_charity_number":9000001,"linked_charity_number":0,"charity_name_type":"Working name","charity_name":%q`, name)}
	}
	root, files := layUK(t, map[string]string{
		"uk/2024-08-01/publicextract.charity_other_names.zip": extract("2024-08-01", names("OLD")),
		"uk/2024-09-10/publicextract.charity_other_names.zip": extract("2024-09-10", names("NEW")),
		"uk/2024-09-10/publicextract.charity_other_names.txt": "registered_charity_number\tlinked_charity_number\tcharity_name\tcharity_name_type\n1\t0\tTEXT\tWorking name\n",
		"uk/publicextract.charity_policy.json":                extract("2024-09-11", []string{`"registered_charity_number":9000001,"linked_charity_number":0,"policy_name":"A"`}),
		"uk/2030-01-01/publicextract.charity_policy.json":     "never read",
		"uk/publicextract.charity_other_regulators.zip":       "never read",
		"uk/readme.txt": "never read",
	})
	s, report, _, err := writeUK(t, t.Context(), root, files)
	if err != nil {
		t.Fatal(err)
	}
	db := duck(t)
	if got := ask(t, db, s, "SELECT charity_name FROM {uk_charity_other_name}"); !slices.Equal(got, []string{"NEW"}) {
		t.Errorf("took %q", got)
	}
	if got := ask(t, db, s, "SELECT date_of_extract, staged_at FROM {uk_ingest_meta} WHERE table_name = 'uk_charity_policy'"); !slices.Equal(got, []string{"2024-09-11T00:00 2024-09-11T00:00"}) {
		t.Errorf("dates %q", got)
	}
	notes := strings.Join(report.Notes, "\n")
	for _, want := range []string{"uk/readme.txt is not a table", "2024-08-01/publicextract.charity_other_names.zip was not read", "charity_other_names.txt was not read",
		"2030-01-01/publicextract.charity_policy.json was not read", "different days, 2024-09-10 to 2024-09-11"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
}

func TestUKRefuses(t *testing.T) {
	t.Parallel()
	whole := extract("2024-09-10", register["charity_policy"])
	for what, file := range map[string]struct{ name, text string }{
		"another table": {"uk/publicextract.charity_policy.zip", extract("2024-09-10", register["charity_trustee"])},
		"cut short":     {"uk/publicextract.charity_policy.json", whole[:len(whole)-3]},
		"web page":      {"uk/publicextract.charity_policy.zip", "<html>"},
		"no zip":        {"uk/publicextract.charity_policy.zip", "PK\x03\x04 not a zip"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			root, names := layUK(t, map[string]string{file.name: file.text})
			_, _, _, err := writeUK(t, t.Context(), root, names)
			f, ok := fault.Of(err)
			if !ok || f.Slug != "wrong_format" || f.Hint == "" || !strings.Contains(f.Message, "charity_policy") {
				t.Errorf("%v", err)
			}
		})
	}
	root, names := layUK(t, wholeRegister())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := writeUK(t, ctx, root, names); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build gives %v", err)
	}
	long := &bounded{r: strings.NewReader("abc"), left: 2}
	if _, err := io.ReadAll(long); !errors.Is(err, errTooLarge) {
		t.Errorf("too long a text gives %v", err)
	}
}

// TestUKRealTables builds from the real tables at hand.
func TestUKRealTables(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	var files []string
	for _, table := range []string{"charity_other_names", "charity_other_regulators", "charity_published_report"} {
		name := "uk/2024-09-10/publicextract." + table + ".zip"
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skipf("no real table: %v", err)
		}
		files = append(files, name)
	}
	s, report, _, err := writeUK(t, t.Context(), dir, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Notes) > 0 {
		t.Errorf("notes %q", report.Notes)
	}
	db := duck(t)
	if got := ask(t, db, s, "SELECT table_name, row_count, date_of_extract, staged_at FROM {uk_ingest_meta}"); !slices.Equal(got, []string{
		"uk_charity_other_name 168348 2024-09-10T00:00 2024-09-10T01:10", "uk_charity_published_report 133 2024-09-10T00:00 2024-09-10T01:10"}) {
		t.Errorf("%q", got)
	}
	if got := ask(t, db, s, "SELECT (SELECT count(*) FROM {uk_charity_other_name}), (SELECT count(*) FROM {uk_charity_published_report}), (SELECT count(*) FROM {uk_charity_other_name} WHERE charity_name IS NULL)"); got[0] != "168348 133 1" {
		t.Errorf("%q", got)
	}
	if got := ask(t, db, s, "SELECT charity_name_type, count(*) > 0 FROM {uk_charity_other_name} GROUP BY 1 ORDER BY 1"); !slices.Equal(got, []string{"Previous name true", "Working name true"}) {
		t.Errorf("%q", got)
	}
	last := snapshot.UKOtherName{}
	for n, err := range snapshot.Rows[snapshot.UKOtherName](s, snapshot.UKOtherNames) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Number < last.Number || n.Number == last.Number && n.Linked < last.Linked {
			t.Fatalf("%+v after %+v", n, last)
		}
		last = n
	}
}

// TestUKColumnsArePublished holds the columns of the tables against the
// published list of the register's fields.
func TestUKColumnsArePublished(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join(upstream.Dir(t), "uk", "ccew-fields.csv"))
	if err != nil {
		t.Skipf("no list of fields: %v", err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	published := map[string]bool{}
	for _, r := range list[1:] {
		published[r[0]+"."+r[1]] = true
	}
	for table, upstream := range map[string]string{
		snapshot.UKCharities: "Charity", snapshot.UKFinances: "CharityAnnualReturnHistory", snapshot.UKReturnsA: "CharityARPartA", snapshot.UKReturnsB: "CharityARPartB",
		snapshot.UKClassifications: "CharityClassification", snapshot.UKAreas: "CharityAreaOfOperation", snapshot.UKOtherNames: "CharityOtherNames",
		snapshot.UKDocuments: "CharityGoverningDocument", snapshot.UKPolicies: "CharityPolicy", snapshot.UKEvents: "CharityEventHistory",
		snapshot.UKReports: "CharityPublishedReport", snapshot.UKTrustees: "CharityTrustee",
	} {
		for c := range strings.SplitSeq(ukColumns[table], ",") {
			name := strings.Fields(c)[0]
			if !published[upstream+"."+name] && name != "date_of_extract" {
				t.Errorf("%s: the register has no %s.%s", table, upstream, name)
			}
		}
	}
}
