package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalReconcile looks a few invented names up.
func TestEvalReconcile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const columns = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\n"
	row := func(ein, name, city, zip string) string {
		return ein + "," + name + ",,12 MAIN ST," + city + ",OH," + zip + ",0000,03,3,1000,199001,1,15,000000000,1,01,202212,3,3,01,0,12,1000,1000,1000,B70,\n"
	}
	master := write("eo_oh.csv", columns+row("070000001", "FRIENDS OF THE HARLOW LIBRARY INC", "HARLOW", "43004-0000")+row("070000002", "THORNTON FOOD BANK", "LARKSPUR", "43005-0000"))
	lines := write("lines.csv", "funder_ein,tax_year,recipient_name,recipient_name2,street,city,state,zip,irc_section,filed_ein\n"+
		"070000009,2022,Friends of the Harlow Library,,,Harlow,OH,43004,501(C)(3),070000001\n"+
		"070000009,2022,Thornton Food Bnak,,,Larkspur,OH,43005,501(C)(3),070000002\n")
	page := write("page.md", "before\n<!-- begin reconcile -->\n<!-- end reconcile -->\nafter\n")
	code, out, errs := command(t, "eval", "--reconcile", "--labelled", lines, "--into", page, "--bmf", master)
	if code != 0 {
		t.Fatalf("%d: %s\n%s", code, errs, out)
	}
	var s struct {
		Organizations int
		Names         int `json:"speed_names"`
	}
	lastLine(t, out, &s)
	text, err := os.ReadFile(page)
	if err != nil || s.Organizations != 2 || s.Names != 1000 || !strings.Contains(string(text), "| name, state, city, ZIP |") || strings.Contains(string(text), "speed_names") {
		t.Errorf("%v %+v\n%s", err, s, text)
	}
	for what, args := range map[string][]string{
		"no lines":           {"--reconcile", "--bmf", master},
		"no master file":     {"--reconcile", "--labelled", lines},
		"a file of nothing":  {"--reconcile", "--labelled", master, "--bmf", master},
		"no label":           {"--reconcile", "--labelled", write("none.csv", "funder_ein,tax_year,recipient_name,recipient_name2,street,city,state,zip,irc_section,filed_ein\n"), "--bmf", master},
		"two things at once": {"--reconcile", "--labelled", lines, "--folds", "--bmf", master},
		"no file":            {"--reconcile", "--labelled", lines, "--bmf", filepath.Join(dir, "absent.csv")},
	} {
		if code, _, errs := command(t, append([]string{"eval"}, args...)...); code == 0 || errs == "" {
			t.Errorf("%s is measured", what)
		}
	}
}
