package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source/rows/rowstest"
)

const (
	bmfHeader = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\r\n"
	bmfRow    = "070000001,GARDEN SOCIETY,,1 MAIN ST,RIVERTON,WY,82501-0000,0000,03,3,1000,200001,1,15,000000000,1,01,202412,3,3,01,0,12,50000,40000,30000,C42,\r\n"
	pub78Row  = "070000001|Garden Society|Riverton|WY|United States|PC\r\n"
	revoRow   = "070000001|GARDEN SOCIETY ||1 MAIN ST|RIVERTON|WY|82501|US|03|15-MAY-2013|10-AUG-2013|\r\n"
	sdnRow    = "1,\"LANTERN TRADING\",-0- ,\"SDGT\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n"
	regHeader = "Registry Status,State Charity Reg#,FEIN,SOS/FTB#,Name,City,State,Issue Date,Last Renewal,Date Status Set,As-of Date\r\n"
	regRow    = "Current,CT0012345,070000001,0128060,LANTERN HOUSE,EXAMPLE,CA,2001/02/03,2026/04/05,2026/04/06,2026/07/15\r\n"
	indexHead = "RETURN_ID,FILING_TYPE,EIN,TAX_PERIOD,SUB_DATE,TAXPAYER_NAME,RETURN_TYPE,DLN,OBJECT_ID\n"
	indexRow  = "1,EFILE,070000001,202412,2025,GARDEN SOCIETY,990,1,202500000000000001\n"
	ukTable   = "\xef\xbb\xbf[{\"date_of_extract\":\"2026-11-02T00:00:00\",\"organisation_number\":1,\"registered_charity_number\":1,\"linked_charity_number\":0,\"charity_name\":\"THE LANTERN\",\"charity_name_type\":\"Working name\"}\r\n]"
	awardHead = "correction_delete_ind,assistance_transaction_unique_key,assistance_award_unique_key,federal_action_obligation,action_date,action_date_fiscal_year,awarding_agency_name,recipient_uei,recipient_duns,recipient_name,recipient_parent_uei,recipient_state_code,recipient_zip_code,cfda_number,cfda_title,assistance_type_code\n"
	awardRow  = ",T1,A1,100.00,2025-11-03,2026,Department of Examples,EXAMPLE00001,,LANTERN HOUSE,,OH,44101,93.600,HEAD START,04\n"
	auditHead = "report_id,audit_year,auditee_uei,auditee_ein,auditee_name,auditee_state\n"
	auditRow  = "2025-06-GSAFAC-0000000001,2025,EXAMPLE00001,070000001,LANTERN HOUSE,OH\n"
	oldAudit  = "2016-06-CENSUS-0000000001,2016,GSA_MIGRATION,070000001,LANTERN HOUSE,OH\n"
	stateHead = "Fiscal Year,Fiscal Year Period,Service,Department,Program,Expense Category,Fund,Fund Type,Vendor,Vendor ID,Payment Method,Payment Status,Payment Date,Invoice Date,Amount\n"
	stateRow  = "2025,1,Health,Department of Examples,Grants,Grants,General,G,LANTERN HOUSE,1,Check,Paid,01/15/2025,01/01/2025,100.00\n"
	ftbList   = "Entity ID,Entity Name,City,Revocation Date\n0128060,LANTERN HOUSE,EXAMPLE,01/15/2020\n"
	bulletin1 = "<html><body><h1>Internal Revenue Bulletin: 2026-45</h1><p>November 2, 2026</p><h2>Highlights of This Issue</h2></body></html>"
	page      = "<!DOCTYPE html><html><body>Sorry.</body></html>"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	return990 := rowstest.Zip("202500000000000001_public.xml", "<Return/>", "202500000000000002_public.xml", "<Return/>")
	for _, c := range []struct {
		source, file, body string
		rows               int64
		revised            string
	}{
		{"bmf", "eo1.csv", bmfHeader + bmfRow, 1, ""},
		{"pub78", "data-download-pub78.zip", rowstest.Zip("data-download-pub78.txt", "\r\n\r\n"+strings.Repeat(pub78Row, 3)+"\r\n"), 3, ""},
		{"revocation", "data-download-revocation.zip", rowstest.Zip("data-download-revocation.txt", "\r\n\r\n"+strings.Repeat(revoRow, 2)+"\r\n"), 2, ""},
		{"ofac", "sdn.csv", sdnRow + "\x1a", 1, ""},
		{"ofac", "alt.csv", "1,1,\"aka\",\"LAMPS, AND MORE\",-0- \r\n\x1a", 1, ""},
		{"ofac", "cons_add.csv", "1,1,-0- ,\"City\",\"Country\",-0- \r\n", 1, ""},
		{"ofac", "sdn_comments.csv", "1,\"more\"\r\n", 1, ""},
		{"careg", "charities-may-operate.csv", regHeader + regRow + regRow, 2, "2026-07-15"},
		{"caftb", "revoked.csv", ftbList, 1, ""},
		{"irb", "2026-45_IRB.html", bulletin1, 0, "2026-11-02"},
		{"irs990", "index_2025.csv", indexHead + indexRow, 1, ""},
		{"irs990", "2025_TEOS_XML_01A.zip", return990, 2, ""},
		{"ukcharity", "publicextract.charity_other_names.zip", rowstest.Zip("publicextract.charity_other_names.json", ukTable), 1, "2026-11-02"},
		{"usaspending", "FY2026_All_Assistance_Full_20261106.zip", rowstest.Zip("FY2026_1.csv", awardHead+strings.Repeat(awardRow, 3)), 0, ""},
		{"census", "tab20_zcta520_county20_natl.txt", "GEOID_ZCTA5_20|GEOID_COUNTY_20|NAMELSAD_COUNTY_20|AREALAND_PART\n82501|56013|Fremont County|1000\n", 1, ""},
		{"fac", "general.csv", auditHead + strings.Repeat(oldAudit, 9) + auditRow, 1, ""},
		{"stateaward", "ct/awards.csv", stateHead + stateRow, 1, ""},
	} {
		s, _ := Find(c.source)
		path := filepath.Join(t.TempDir(), filepath.FromSlash(c.file))
		check := func(body string) (int64, string, error) {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			return s.Check(path)
		}
		rows, revised, err := check(c.body)
		if err != nil || rows != c.rows || revised != c.revised {
			t.Errorf("%s: %d rows, revised %q, %v", c.file, rows, revised, err)
		}
		bad := map[string]string{"empty": "", "a page": page, "noise": strings.Repeat("\x00\xff\x01,\n", 500)}
		if strings.HasSuffix(c.file, ".zip") {
			bad["cut"] = c.body[:len(c.body)-25]
			bad["half"] = c.body[:len(c.body)/2]
			bad["other members"] = rowstest.Zip("readme.txt", "none")
		}
		for name, body := range bad {
			if _, _, err := check(body); err == nil {
				t.Errorf("%s: %s was accepted", c.file, name)
			}
		}
		if _, _, err := s.Check(path + ".absent"); err == nil {
			t.Errorf("%s: nothing was accepted", c.file)
		}
	}
}

// TestCheckUnusable tells a file that belongs to a sanctions list and holds
// nothing from one that holds something else.
func TestCheckUnusable(t *testing.T) {
	t.Parallel()
	s, _ := Find("ofac")
	for body, want := range map[string]string{"\x1a": "it is empty", "a;b;c\nd;e;f\n": "2 of 2 rows cannot be read"} {
		path := filepath.Join(t.TempDir(), "alt.csv")
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Check(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want one about %q", body, err, want)
		}
	}
}

// TestCheckLayout changes the layout of most rows, which is no longer dirt.
func TestCheckLayout(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "eo1.csv")
	s, _ := Find("bmf")
	for _, c := range []struct {
		good, bad int
		ok        bool
	}{{100, 0, true}, {100, 20, true}, {100, 30, false}, {0, 10, false}} {
		text := bmfHeader + strings.Repeat(bmfRow, c.good) + strings.Repeat("070000001,GARDEN SOCIETY\r\n", c.bad)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.Check(path)
		if (err == nil) != c.ok {
			t.Errorf("%d good, %d bad: %v", c.good, c.bad, err)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%d of %d rows", c.bad, c.good+c.bad)) {
			t.Errorf("%v", err)
		}
	}
}
