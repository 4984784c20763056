package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// invented is a small 990-PF with n grants.
func invented(ein string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" returnVersion="2022v5.0"><ReturnHeader><ReturnTs>2023-05-01T10:00:00-05:00</ReturnTs>
<TaxPeriodBeginDt>2022-01-01</TaxPeriodBeginDt><TaxPeriodEndDt>2022-12-31</TaxPeriodEndDt><ReturnTypeCd>990PF</ReturnTypeCd>
<Filer><EIN>%s</EIN><BusinessName><BusinessNameLine1Txt>Invented &amp; Sons Foundation</BusinessNameLine1Txt></BusinessName></Filer><TaxYr>2022</TaxYr></ReturnHeader>
<ReturnData><IRS990PF><AmendedReturnInd>X</AmendedReturnInd><SupplementaryInformationGrp>`, ein)
	total := 0
	for i := range n {
		fmt.Fprintf(&b, "<GrantOrContributionPdDurYrGrp><RecipientBusinessName><BusinessNameLine1Txt>Town %d Library</BusinessNameLine1Txt></RecipientBusinessName>"+
			"<RecipientUSAddress><CityNm>Town %d</CityNm><StateAbbreviationCd>OH</StateAbbreviationCd></RecipientUSAddress><Amt>%d</Amt></GrantOrContributionPdDurYrGrp>\n", i, i, 100+i)
		total += 100 + i
	}
	fmt.Fprintf(&b, "<TotalGrantOrContriPdDurYrAmt>%d</TotalGrantOrContriPdDurYrAmt></SupplementaryInformationGrp></IRS990PF></ReturnData></Return>", total)
	return b.String()
}

// inventedZip writes a zip of three returns, the second of them broken.
func inventedZip(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2023_TEOS_XML_01A.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, m := range [][2]string{
		{"b/202300000000000001_public.xml", invented("070000001", 3)},
		{"b/202300000000000002_public.xml", invented("070000002", 3)[:400]},
		{"b/202300000000000003_public.xml", invented("070000003", 20_000)},
	} {
		w, err := z.Create(m[0])
		if err == nil {
			_, err = w.Write([]byte(m[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func inspect(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(context.Background(), append([]string{"inspect"}, args...), strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

func TestInspectJSON(t *testing.T) {
	t.Parallel()
	path := inventedZip(t)
	code, out, errs := inspect("--json", "--grants", "--workers=4", path)
	if code != 0 || !strings.Contains(errs, "202300000000000002_public.xml") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if _, again, _ := inspect("--json", "--grants", "--workers=1", path); again != out {
		t.Error("the output depends on the number of workers")
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	type object struct {
		File      string
		Error     string
		EIN       string
		Amended   bool
		Year      int    `json:"fiscal_year"`
		Sum       int64  `json:"pf_paid_sum"`
		Declared  *int64 `json:"pf_paid_declared_total"`
		FilerName string `json:"filer_name"`
		Grants    []struct {
			Part, Name, City, State string
			Line                    int
			Cash                    int64
		}
	}
	var got [3]object
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &got[i]); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if want := fmt.Sprintf("2023_TEOS_XML_01A.zip!b/20230000000000000%d_public.xml", i+1); got[i].File != want {
			t.Errorf("line %d is of %s", i, got[i].File)
		}
	}
	if g := got[0]; g.EIN != "070000001" || !g.Amended || g.Year != 2022 || g.Sum != 303 || g.Declared == nil || *g.Declared != 303 ||
		g.FilerName != "Invented & Sons Foundation" || len(g.Grants) != 3 || g.Grants[2].Line != 3 || g.Grants[2].Cash != 102 || g.Grants[2].Part != "PF3a" || g.Grants[2].City != "Town 2" {
		t.Errorf("the first return: %+v", g)
	}
	if got[1].Error == "" || got[1].EIN != "" {
		t.Errorf("the broken return: %+v", got[1])
	}
	if n := len(got[2].Grants); n != 20_000 || got[2].Grants[19_999].Name != "Town 19999 Library" {
		t.Errorf("the long return has %d grants", n)
	}
	if strings.Contains(lines[0], `\u0026`) {
		t.Error("an ampersand is escaped as for HTML")
	}
}

func TestInspectPages(t *testing.T) {
	t.Parallel()
	path := inventedZip(t)
	code, out, _ := inspect(path)
	if code != 0 || strings.Count(out, "Invented & Sons Foundation") != 2 || !strings.Contains(out, "20,000") {
		t.Errorf("exit %d, table:\n%s", code, out)
	}
	for _, member := range []string{"b/202300000000000003_public.xml", "202300000000000003_public.xml"} {
		code, out, errs := inspect(path + "!" + member)
		if code != 0 {
			t.Errorf("exit %d: %s", code, errs)
		}
		for _, want := range []string{"070000003", "fiscal year 2022", "amended", "$201,990,000", "✓", "PF3a 20000", "Town 19999 Library", "Town 19990, OH"} {
			if !strings.Contains(out, want) {
				t.Errorf("the page lacks %q:\n%s", want, out)
			}
		}
		if strings.Contains(out, "Town 19989 Library") {
			t.Error("the page shows more than ten grants")
		}
	}
	single := filepath.Join(t.TempDir(), "one.xml")
	if err := os.WriteFile(single, []byte(invented("070000009", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := inspect("--json", single); code != 0 || !strings.HasPrefix(out, `{"file":"one.xml"`) {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestInspectFailures: a file that cannot be opened or a run that reads
// nothing ends with an error and a hint; one bad return among good ones does not.
func TestInspectFailures(t *testing.T) {
	t.Parallel()
	good := inventedZip(t)
	page := filepath.Join(t.TempDir(), "page.xml")
	if err := os.WriteFile(page, []byte("<html>404</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.zip")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{empty}, "grantgraph: empty.zip: is empty\n"},
		{[]string{"--json", page}, "no return could be read"},
		{[]string{"--json", good, filepath.Join(t.TempDir(), "absent.zip")}, "1 of 2 files could not be opened"},
		{[]string{good + "!absent.xml"}, "could not be opened"},
		{[]string{"--grants", good}, "needs --json"},
	} {
		code, _, errs := inspect(c.args...)
		if code != 1 || !strings.Contains(errs, c.want) || !strings.Contains(errs, "Try:") {
			t.Errorf("%q: exit %d: %s", c.args, code, errs)
		}
	}
}

// openFiles counts, whenever something is printed, the open files of a folder.
type openFiles struct {
	dir  string
	most int
}

func (o *openFiles) Write(p []byte) (int, error) {
	open := 0
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return 0, err
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && filepath.Dir(to) == o.dir {
			open++
		}
	}
	o.most = max(o.most, open)
	return len(p), nil
}

// TestInspectManyFiles: however many files are named, few are open at a time.
func TestInspectManyFiles(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("open files are counted in /proc/self/fd, which this system has not; run the test on Linux")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"inspect", "--json", "--workers", "2"}
	for i := range 60 {
		path := filepath.Join(dir, fmt.Sprintf("%d.xml", i))
		if err := os.WriteFile(path, []byte(invented("070000001", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	out, errs := &openFiles{dir: dir}, &bytes.Buffer{}
	if code := run(context.Background(), args, strings.NewReader(""), out, errs); code != 0 || out.most == 0 || out.most > 12 {
		t.Errorf("exit %d, %d files open at a time: %s", code, out.most, errs)
	}
}

// TestInspectUpstream compares the output for every real return with figures
// that an independent reader computed.
func TestInspectUpstream(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	raw, err := os.ReadFile(filepath.Join(dir, "990", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "990", "zips", "*.zip"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no zips beside expected.json: %v", err)
	}
	slices.Sort(paths)
	code, out, errs := inspect(append([]string{"--json"}, paths...)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	seen := 0
	for line := range strings.Lines(out) {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		file, _ := got["file"].(string)
		seen++
		if want[file] == nil {
			t.Errorf("%s is not expected", file)
		}
		// The independent reader knows these lists in the spelling of 2013 and later
		// only; irs990 compares the earlier ones with a reader of its tests.
		version, _ := got["schema_version"].(string)
		for key, v := range want[file] {
			if version < "2013" && (strings.HasPrefix(key, "sched_f_") || strings.HasPrefix(key, "sched_i_individual_")) {
				continue
			}
			if g, ok := got[key]; !ok || g != v {
				t.Errorf("%s: %s is %v, want %v", file, key, g, v)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d returns, want %d", seen, len(want))
	}
}
