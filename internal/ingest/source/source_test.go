package source

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCatalog(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range All() {
		for what, text := range map[string]string{
			"title": s.Title, "publisher": s.Publisher, "takes": s.Takes, "licence": s.Licence, "folder": s.Folder,
			"publishes": s.Publishes, "polled": s.Polled, "verified": s.Verified,
		} {
			if text == "" {
				t.Errorf("%s has no %s", s.Name, what)
			}
		}
		if seen[s.Name] || seen[s.Folder] && s.Folder != s.Name {
			t.Errorf("%s is there twice", s.Name)
		}
		seen[s.Name], seen[s.Folder] = true, true
		if !strings.HasPrefix(s.Page, "https://") || s.Base != "" && !strings.HasPrefix(s.Base, "https://") {
			t.Errorf("%s: %q, %q", s.Name, s.Page, s.Base)
		}
		if s.MaxBytes < 1<<20 || s.plan == nil || s.check == nil {
			t.Errorf("%s is incomplete", s.Name)
		}
		want := map[string]time.Duration{"every 15 minutes": 15 * time.Minute, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour}[s.Polled]
		if s.Every != want {
			t.Errorf("%s is polled %s, which is not %s", s.Name, s.Polled, s.Every)
		}
		found, ok := Find(strings.ToUpper(s.Name))
		if !ok || found.Name != s.Name {
			t.Errorf("%s was not found", s.Name)
		}
	}
	if _, ok := Find("nowhere"); ok {
		t.Error("found nowhere")
	}
	if _, ok := Find(""); ok {
		t.Error("found a source without a name")
	}
}

// TestCadence holds the cadences of the compliance sources against what the
// service promises.
func TestCadence(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"irb": "weekly, daily", "ca_registry": "monthly, daily", "bmf": "monthly, every 15 minutes", "pub78": "monthly, every 15 minutes",
		"revocation": "monthly, every 15 minutes", "ca_ftb": "weekly, weekly", "ofac": "irregular, every 15 minutes",
	} {
		s, ok := Find(name)
		if got := s.Publishes + ", " + s.Polled; !ok || s.Compliance != name || got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// shelf answers for the network from a list of texts.
type shelf map[string]string

func (s shelf) Page(_ context.Context, url string) ([]byte, error) {
	text, ok := s[url]
	if !ok {
		return nil, fmt.Errorf("%s is not there", url)
	}
	return []byte(text), nil
}

func (s shelf) Post(ctx context.Context, url string, body []byte) ([]byte, error) {
	return s.Page(ctx, url+" "+string(body))
}

var november = time.Date(2026, 11, 9, 12, 0, 0, 0, time.UTC)

func parts(t *testing.T, name string, web Web, ask Request) []RemoteFile {
	t.Helper()
	s, _ := Find(name)
	ask.Now = november
	list, err := s.Files(t.Context(), web, ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if !filepath.IsLocal(p.Path) || path.Dir(p.Path) != s.Folder && path.Dir(path.Dir(p.Path)) != s.Folder || len(p.URLs) == 0 {
			t.Errorf("part %+v", p)
		}
	}
	return list
}

func find(t *testing.T, list []RemoteFile, path string) RemoteFile {
	t.Helper()
	i := slices.IndexFunc(list, func(p RemoteFile) bool { return p.Path == path })
	if i < 0 {
		t.Fatalf("no %s among %d parts", path, len(list))
	}
	return list[i]
}

// TestAddresses holds the addresses of the plain sources against those that
// are published.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"pub78":      {"https://apps.irs.gov/pub/epostcard/data-download-pub78.zip"},
		"revocation": {"https://apps.irs.gov/pub/epostcard/data-download-revocation.zip"},
		"bmf":        {"https://www.irs.gov/pub/irs-soi/eo1.csv", "https://www.irs.gov/pub/irs-soi/eo4.csv"},
		"ofac":       {"https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/SDN.CSV", "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/CONS_COMMENTS.CSV"},
		"careg":      {"https://oag.ca.gov/sites/all/files/agweb/pdfs/charities/reports/charities-may-operate.csv", "https://oag.ca.gov/sites/all/files/agweb/pdfs/charities/reports/charities-not-operating.csv"},
		"census":     {"https://www2.census.gov/geo/docs/maps-data/data/rel2020/zcta520/tab20_zcta520_county20_natl.txt"},
		"fac":        {"https://app.fac.gov/dissemination/public-data/gsa/full/general.csv"},
		"ukcharity":  {"https://ccewuksprdoneregsadata1.blob.core.windows.net/data/json/publicextract.charity.zip", "https://ccewuksprdoneregsadata1.blob.core.windows.net/data/json/publicextract.charity_annual_return_partb.zip"},
	} {
		list := parts(t, name, shelf{}, Request{})
		if list[0].URLs[0] != want[0] || list[len(list)-1].URLs[0] != want[len(want)-1] {
			t.Errorf("%s: from %s to %s", name, list[0].URLs[0], list[len(list)-1].URLs[0])
		}
	}
	if n := len(parts(t, "ukcharity", shelf{}, Request{})); n != 13 {
		t.Errorf("%d tables of the UK register", n)
	}
	mirror := parts(t, "bmf", shelf{}, Request{Base: "http://127.0.0.1:1/mirror/"})
	if mirror[0].URLs[0] != "http://127.0.0.1:1/mirror/eo1.csv" {
		t.Errorf("%q", mirror[0].URLs)
	}
}

func TestReturns(t *testing.T) {
	t.Parallel()
	list := parts(t, "irs990", shelf{}, Request{Base: "https://x"})
	index := find(t, list, "990/index_2024.csv")
	if index.URLs[0] != "https://x/2024/index_2024.csv" || index.Optional || !find(t, list, "990/index_2026.csv").Optional {
		t.Errorf("%+v", index)
	}
	old := find(t, list, "990/download990xml_2019_1.zip")
	next, err := old.Then("")
	if err != nil || len(next) != 1 || next[0].URLs[0] != "https://x/2019/download990xml_2019_2.zip" || !next[0].Probe {
		t.Errorf("%+v, %v", next, err)
	}
	find(t, list, "990/2020_TEOS_XML_CT1.zip")
	may := find(t, list, "990/2024_TEOS_XML_05A.zip")
	next, err = may.Then("")
	if err != nil || len(next) != 1 || next[0].Path != "990/2024_TEOS_XML_05B.zip" {
		t.Errorf("%+v, %v", next, err)
	}
	if slices.ContainsFunc(list, func(p RemoteFile) bool { return strings.Contains(p.Path, "2018") }) {
		t.Error("2018 was not asked for")
	}
	find(t, parts(t, "irs990", shelf{}, Request{Since: november.AddDate(-30, 0, 0)}), "990/2018_TEOS_XML_CT1.zip")
	if recent := parts(t, "irs990", shelf{}, Request{Since: november}); len(recent) != 13 {
		t.Errorf("%d parts of this year", len(recent))
	}

	file := filepath.Join(t.TempDir(), "index_2024.csv")
	row := "1,EFILE,070000001,202312,2024,GARDEN SOCIETY,990,93493000000000,2024000000000000%02d,%s\n"
	text := "RETURN_ID,FILING_TYPE,EIN,TAX_PERIOD,SUB_DATE,TAXPAYER_NAME,RETURN_TYPE,DLN,OBJECT_ID,XML_BATCH_ID\n"
	for i, batch := range []string{"2024_TEOS_XML_07A", "2024_TEOS_XML_05a", "2024_TEOS_XML_07A", "../../etc/passwd", "", "2024_TEOS_XML_05A"} {
		text += fmt.Sprintf(row, i, batch)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	named, err := index.Then(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range named {
		got = append(got, fmt.Sprint(p.Path, " ", strings.Join(p.URLs, " "), " ", p.Optional))
	}
	want := []string{
		"990/2024_TEOS_XML_05A.zip https://x/2024/2024_TEOS_XML_05a.zip https://x/2024/2024_TEOS_XML_05A.zip true",
		"990/2024_TEOS_XML_07A.zip https://x/2024/2024_TEOS_XML_07A.zip true",
		"990/2024_TEOS_XML_05B.zip https://x/2024/2024_TEOS_XML_05B.zip false",
		"990/2024_TEOS_XML_07B.zip https://x/2024/2024_TEOS_XML_07B.zip false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestBulletins(t *testing.T) {
	t.Parallel()
	page := `<ul><li><a href="/irb/2026-45_IRB">2026-45</a> <a href='/irb/2026-44_IRB#TOC'>2026-44</a> <a href="/irb/2026-99_IRB">?</a></ul>`
	list := parts(t, "irb", shelf{"https://x/irb/": page}, Request{Base: "https://x/irb/", Since: november.AddDate(-1, 0, 0)})
	newest := list[0]
	if newest.Path != "irb/2026-45_IRB.html" || newest.URLs[0] != "https://x/irb/2026-45_IRB" || newest.Probe || newest.Fixed {
		t.Errorf("%+v", newest)
	}
	if p := find(t, list, "irb/2026-10_IRB.html"); !p.Probe || !p.Fixed {
		t.Errorf("%+v", p)
	}
	if last := list[len(list)-1]; last.Path != "irb/2025-45_IRB.html" {
		t.Errorf("%+v", last)
	}
	all := parts(t, "irb", shelf{"https://x/irb": page}, Request{Base: "https://x/irb"})
	if last := all[len(all)-1]; last.Path != "irb/2003-01_IRB.html" {
		t.Errorf("%+v", last)
	}
	s, _ := Find("irb")
	if _, err := s.Files(t.Context(), shelf{"https://x": "<p>Moved."}, Request{Base: "https://x", Now: november}); err == nil {
		t.Error("a page without bulletins was accepted")
	}
}

func TestCaliforniaTaxBoard(t *testing.T) {
	t.Parallel()
	const landing, base = "https://x/charities/index.html", "https://x"
	for name, c := range map[string]struct {
		pages shelf
		want  string
	}{
		"a table":     {shelf{landing: `<a href="/lists/Revoked%20list.csv?v=2">CSV</a>`}, "caftb/revoked.csv https://x/lists/Revoked%20list.csv?v=2"},
		"by its text": {shelf{landing: `<a class=b href=list.xlsx><b>Revoked</b> exempt organizations</a>`}, "caftb/revoked.xlsx https://x/charities/list.xlsx"},
		"a page away": {shelf{landing: `<a href="revoked.html">Revocation</a>`, base + "/charities/revoked.html": `<a href="revoked.csv">List</a>`}, "caftb/revoked.csv https://x/charities/revoked.csv"},
		"a PDF":       {shelf{landing: `<a href="revoked.pdf">Revoked list</a>`}, "not loaded: the list is linked as PDF only, which cannot be read"},
		"elsewhere":   {shelf{landing: `<a href="https://y/revoked.html">Revoked list</a>`, "https://y/revoked.html": `<a href="revoked.csv">x</a>`}, "not loaded: no readable list linked"},
		"other lists": {shelf{landing: `<a href="forms.csv">Forms</a>`}, "not loaded: no readable list linked"},
		"itself":      {shelf{landing: `<a href="index.html">Revoked</a><a href="a.html">Revoked</a>`}, "not loaded: no readable list linked"},
	} {
		s, _ := Find("caftb")
		list, err := s.Files(t.Context(), c.pages, Request{Base: landing, Now: november})
		got := fmt.Sprint(err)
		if err == nil {
			got = list[0].Path + " " + list[0].URLs[0]
		}
		if got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAwards(t *testing.T) {
	t.Parallel()
	web := shelf{}
	for year := 2025; year <= 2027; year++ {
		for _, kind := range []string{"assistance", "contracts"} {
			web[fmt.Sprintf(`https://x/bulk_download/list_monthly_files/ {"agency":"all","fiscal_year":%d,"type":%q}`, year, kind)] = `{"monthly_files":[]}`
		}
	}
	web[`https://x/bulk_download/list_monthly_files/ {"agency":"all","fiscal_year":2026,"type":"assistance"}`] = `{"monthly_files":[
		{"file_name":"FY2026_All_Assistance_Full_20261006.zip","url":"https://f/FY2026_All_Assistance_Full_20261006.zip"},
		{"file_name":"FY2026_All_Assistance_Full_20261106.zip","url":"/award_data_archive/FY2026_All_Assistance_Full_20261106.zip"},
		{"file_name":"FY(All)_All_Assistance_Delta_20261106.zip","url":"https://f/FY(All)_All_Assistance_Delta_20261106.zip"},
		{"file_name":"FY2026_All_Assistance_Full_20270101.zip","url":"https://f/other.zip"},
		{"file_name":"FY2026_012_Assistance_Full_20261107.zip","url":"https://f/FY2026_012_Assistance_Full_20261107.zip"}]}`
	list := parts(t, "usaspending", web, Request{Base: "https://x", Since: time.Date(2024, 12, 1, 0, 0, 0, 0, time.UTC)})
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	p := list[0]
	if p.Path != "usaspending/FY2026_All_Assistance_Full_20261106.zip" || p.URLs[0] != "https://x/award_data_archive/FY2026_All_Assistance_Full_20261106.zip" ||
		p.Revised != "2026-11-06" || p.Replaces != "usaspending/FY2026_All_Assistance_Full_*.zip" {
		t.Errorf("%+v", p)
	}
	s, _ := Find("usaspending")
	for _, answer := range []string{"<html>", `{"monthly_files":[]}`} {
		for key := range web {
			web[key] = answer
		}
		if _, err := s.Files(t.Context(), web, Request{Base: "https://x", Since: november, Now: november}); err == nil {
			t.Errorf("%s was accepted", answer)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	list := parts(t, "stateaward", shelf{}, Request{})
	if p := find(t, list, "stateaward/ct/awards.csv"); !strings.HasPrefix(p.URLs[0], "https://data.ct.gov/") {
		t.Errorf("%+v", p)
	}
	mirror := parts(t, "stateaward", shelf{}, Request{Base: "http://127.0.0.1:1"})
	if p := find(t, mirror, "stateaward/ct/awards.csv"); !strings.HasPrefix(p.URLs[0], "http://127.0.0.1:1/api/views/") {
		t.Errorf("%+v", p)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	page := `<A HREF="one.html#top">One <b>bold</b>&amp;more</A><a name=x>none</a><a
		title="t" href='/two?a=1&amp;b=2'>Two</a><a href=three>3</a><a href="mailto:x@example.org">m</a><a href="javascript:void(0)">j</a><a href="%zz">bad</a>`
	list, err := links([]byte(page), "https://x/dir/index.html")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		got = append(got, l.URL.String()+" "+l.Text)
	}
	want := []string{"https://x/dir/one.html One bold &more", "https://x/two?a=1&b=2 Two", "https://x/dir/three 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if _, err := links(nil, "http://[::1"); err == nil {
		t.Error("an address that is none was accepted")
	}
}

func FuzzLinks(f *testing.F) {
	f.Add([]byte(`<a href="one.csv">One</a>`))
	f.Add([]byte(`<a href='two' >Two<`))
	f.Add([]byte("<a href=\"\x00:\xff\">&#0;</a"))
	f.Fuzz(func(t *testing.T, page []byte) {
		list, err := links(page, "https://x/dir/index.html")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			if l.URL.Scheme != "http" && l.URL.Scheme != "https" || l.URL.Host == "" {
				t.Fatalf("%q", l.URL)
			}
		}
	})
}
