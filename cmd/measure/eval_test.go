package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEval runs the command over a handful of lines and reads the last one.
func TestEval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines := write("lines.csv", `funder_ein,tax_year,recipient_name,recipient_name2,street,city,state,zip,irc_section,filed_ein
130000001,2019,Lantern House Inc,,1 A ST,AKRON,OH,44301,,070000002
130000001,2019,THE HARBOR LIGHTS,,9 B ST,AKRON,OH,44301,,070000003
`)
	master := write("eo_oh.csv", `EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME
070000002,LANTERN HOUSE,,1 A ST,AKRON,OH,44301-0001,0000,03,3,1000,200001,1,15,000000000,1,01,202312,3,3,01,0,12,1,1,1,B43,
070000003,HARBOR LIGHTS,,9 B ST,AKRON,OH,44301-0001,0000,03,3,1000,200001,1,15,000000000,1,01,202312,3,3,01,0,12,1,1,1,B43,
`)
	page := write("page.md", "# Page\n<!-- begin labelled -->\nWORN\n<!-- end labelled -->\nend\n")
	code, out, errs := command(t, "eval", "--labelled", lines, "--bmf", master, "--into", page)
	if code != 0 {
		t.Fatal(errs)
	}
	all := strings.Split(strings.TrimSpace(out), "\n")
	var s struct {
		Precision, Recall float64
		Rules             map[string]struct{ N, Agree int }
	}
	if err := json.Unmarshal([]byte(all[len(all)-1]), &s); err != nil {
		t.Fatalf("the last line is no JSON: %v", err)
	}
	if s.Precision != 1 || s.Recall != 1 || s.Rules["name"].Agree != 2 {
		t.Errorf("summary %+v", s)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Contains(got, "WORN") || !strings.Contains(got, "| `name` | 2 | 2 |") || strings.Contains(got, "{") || !strings.HasSuffix(got, "<!-- end labelled -->\nend\n") {
		t.Errorf("the page is\n%s", got)
	}
	for name, args := range map[string][]string{
		"nothing to do":    {"eval"},
		"two things to do": {"eval", "--labelled", lines, "--world", dir},
		"no universe":      {"eval", "--labelled", lines},
		"no such file":     {"eval", "--labelled", lines + "x", "--bmf", master},
		"not labelled":     {"eval", "--labelled", master, "--bmf", master},
		"not a master":     {"eval", "--labelled", lines, "--bmf", lines},
		"no model":         {"eval", "--labelled", lines, "--bmf", master, "--model", lines},
		"no truth":         {"eval", "--world", dir},
		"not for a world":  {"eval", "--world", dir, "--wrong", filepath.Join(dir, "wrong.csv")},
		"list of old":      {"eval", "--labelled", lines, "--bmf", master, "--list", filepath.Join(dir, "wrong.csv")},
		"no marks":         {"eval", "--labelled", lines, "--bmf", master, "--into", lines},
	} {
		if code, _, errs := command(t, args...); code == 0 || !strings.Contains(errs, "Try:") {
			t.Errorf("%s: exit %d, %s", name, code, errs)
		}
	}
}
