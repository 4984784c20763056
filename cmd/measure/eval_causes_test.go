package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalCauses hides the codes of an invented master file.
func TestEvalCauses(t *testing.T) {
	t.Parallel()
	const header = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\n"
	places := strings.Fields("HARLOW ELMWOOD BRIARTON CEDARVALE MILLFORD OAKRIDGE STONEBROOK WESTHAVEN LAKEMOOR PINECREST FAIRMEAD NORWICK")
	master := func(name string, n int, wrong func(i int) bool) string {
		var b strings.Builder
		b.WriteString(header)
		kinds := []struct{ name, code string }{{"COMMUNITY CHURCH", "X20"}, {"ELEMENTARY SCHOOL", "B24"}, {"HUMANE SOCIETY", "D20"}, {"ALLIANCE", ""}}
		for i := range n {
			k := kinds[i%4]
			code := k.code
			if code == "" {
				code = kinds[i/4%3].code // a vague name has any cause
			}
			if i%11 == 0 {
				code = "" // not coded
			} else if wrong(i) {
				code = kinds[(i+1)%3].code
			}
			fmt.Fprintf(&b, "%09d,%s %s %s %s,,1 A ST,AKRON,OH,44301-0001,0000,03,3,1000,200001,1,15,000000000,1,01,202312,3,3,01,0,12,1,1,1,%s,\n",
				70_000_000+i, places[i%12], places[i/12%12], places[i/144%12], k.name, code)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("# Page\n<!-- begin causes -->\n<!-- end causes -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	good := master("eo_oh.csv", 4000, func(int) bool { return false })
	code, out, errs := command(t, "eval", "--causes", "--bmf", good, "--into", page)
	if code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	var s struct {
		All, Unseen struct{ Precision, Coverage float64 }
		Codeless    struct{ Organizations, Inferred int }
		Passed      bool
	}
	lastLine(t, out, &s)
	if !s.Passed || s.All.Precision < 0.95 || s.All.Coverage < 0.5 || s.Unseen.Precision < 0.95 || s.Codeless.Organizations != 364 || s.Codeless.Inferred < 150 {
		t.Errorf("%+v", s)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "| X Religion |") || strings.Contains(string(text), "{") {
		t.Errorf("the page is\n%s", text)
	}
	few := master("eo_pa.csv", 100, func(int) bool { return false })
	if code, out, errs := command(t, "eval", "--causes", "--bmf", few); code != 0 || !strings.Contains(out, "so we infer no causes") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	for name, args := range map[string][]string{
		"nothing to measure": {"eval", "--causes"},
		"two things":         {"eval", "--causes", "--bmf", good, "--sources", "."},
		"other flags":        {"eval", "--causes", "--bmf", good, "--screening"},
		"no such file":       {"eval", "--causes", "--bmf", good + "x"},
		"not a master":       {"eval", "--causes", "--bmf", page},
	} {
		if code, _, errs := command(t, args...); code == 0 || !strings.Contains(errs, "Try:") {
			t.Errorf("%s: %d %s", name, code, errs)
		}
	}
}
