package fetch

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// returns is a zip of n returns.
func returns(t *testing.T, n int) []byte {
	t.Helper()
	return zipped(fmt.Sprintf("2024%014d_public.xml", n), []byte("<Return/>"))
}

// TestReturns walks the folders of two years: a batch that the index spells in
// lower case, letters after A, months that are not there, a folder that answers
// with a page.
func TestReturns(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	index := "RETURN_ID,FILING_TYPE,EIN,TAX_PERIOD,SUB_DATE,TAXPAYER_NAME,RETURN_TYPE,DLN,OBJECT_ID,XML_BATCH_ID\n"
	for i, batch := range []string{"2025_TEOS_XML_01A", "2025_TEOS_XML_05a", "2025_TEOS_XML_09A"} {
		index += fmt.Sprintf("1,EFILE,070000001,202412,2025,GARDEN SOCIETY,990,1,%018d,%s\n", i, batch)
	}
	u.put("/2025/index_2025.csv", file{body: []byte(index), etag: `"i"`})
	for i, name := range []string{"01A", "01B", "05A", "05B", "05C", "11A"} {
		u.put("/2025/2025_TEOS_XML_"+name+".zip", file{body: returns(t, i), etag: `"` + name + `"`})
	}
	page := file{body: []byte("<html>not found</html>"), header: map[string]string{"Content-Type": "text/html"}}
	u.put("/2025/2025_TEOS_XML_12A.zip", page)
	d := newTestFolder(t, u, "irs990")
	d.opt.Since = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

	got, state := d.run()
	if got.New != 7 || got.Refused != 0 || len(got.Problems) > 0 || got.Files != 7 {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(got.Missing, []string{"990/index_2026.csv", "990/2025_TEOS_XML_09A.zip"}) {
		t.Errorf("missing %q", got.Missing)
	}
	log := u.requests()
	lower, upper := slices.Index(log, "GET /2025/2025_TEOS_XML_05a.zip"), slices.Index(log, "GET /2025/2025_TEOS_XML_05A.zip")
	if lower < 0 || upper != lower+1 {
		t.Errorf("asked %q", log)
	}
	if seen := slices.Compact(slices.Sorted(slices.Values(log))); len(seen) != len(log) {
		t.Error("asked twice for one file")
	}
	if !slices.Contains(log, "GET /2025/2025_TEOS_XML_05D.zip") || slices.Contains(log, "GET /2025/2025_TEOS_XML_05E.zip") {
		t.Errorf("asked %q", log)
	}
	if f, ok := state.File("990/2025_TEOS_XML_05A.zip"); !ok || !strings.HasSuffix(f.URL, "_05A.zip") || f.Rows != 1 {
		t.Errorf("%+v", f)
	}

	got, _ = d.run()
	if got.New != 0 || got.Unchanged != 7 {
		t.Errorf("again: %+v", got)
	}
	if log := u.requests(); slices.Contains(log, "GET /2025/2025_TEOS_XML_05a.zip") {
		t.Error("the spelling that worked was forgotten")
	}

	// A batch that was there and now is a notice is no absence.
	u.put("/2025/2025_TEOS_XML_11A.zip", page)
	if got, _ = d.run(); got.Refused != 1 || got.Files != 7 {
		t.Errorf("notice: %+v", got)
	}
	// Nor is one that is gone.
	u.script("/2025/2025_TEOS_XML_11A.zip", http.NotFound)
	if got, _ = d.run(); !contains(got.Problems, "no longer there") || got.Files != 7 {
		t.Errorf("gone: %+v", got)
	}
	cut := returns(t, 99)
	u.put("/2025/2025_TEOS_XML_01B.zip", file{body: cut[:len(cut)-30], etag: `"x"`})
	if got, _ = d.run(); !contains(got.Problems, "no whole directory") {
		t.Errorf("cut: %+v", got)
	}
	d.has("990/2025_TEOS_XML_01B.zip", returns(t, 1))
}

// sanctions puts up the four files of a sanctions list of n entries.
func (u *upstream) sanctions(n int, tag string) {
	var primary, aliases, addresses strings.Builder
	for i := range n {
		fmt.Fprintf(&primary, "%d,\"LANTERN TRADING %d\",-0- ,\"SDGT\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n", i+1, i)
		fmt.Fprintf(&aliases, "%d,%d,\"aka\",\"LAMP TRADING %d\",-0- \r\n", i+1, i+1, i)
		fmt.Fprintf(&addresses, "%d,%d,-0- ,\"Example City\",\"Exampleland\",-0- \r\n", i+1, i+1)
	}
	for name, body := range map[string]string{"SDN": primary.String(), "ALT": aliases.String(), "ADD": addresses.String(), "SDN_COMMENTS": fmt.Sprintf("1,\"and %d more\"\r\n", n)} {
		u.put("/"+name+".CSV", file{body: []byte(body + "\x1a"), etag: fmt.Sprintf("%q", name+tag)})
	}
}

func TestSanctions(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.sanctions(200, "one")
	d := newTestFolder(t, u, "ofac")
	got, first := d.run()
	if got.New != 4 || got.Rows != 200+200+200+1 || len(got.Missing) != 4 || len(got.Problems) > 0 {
		t.Errorf("%+v", got)
	}
	before, err := os.ReadFile(filepath.Join(d.dir, "ofac/sdn.csv"))
	if err != nil {
		t.Fatal(err)
	}

	// One bad file of a new edition keeps out the others.
	u.sanctions(210, "two")
	u.put("/ALT.CSV", file{body: nil, etag: `"broken"`})
	got, state := d.run()
	if got.New != 0 || got.Refused != 4 || !contains(got.Problems, "ofac/sdn.csv: refused: held back") || !contains(got.Problems, "zero bytes") {
		t.Errorf("%+v", got)
	}
	d.has("ofac/sdn.csv", before)
	if !slices.Equal(state.Files, first.Files) || len(state.Refused) != 4 {
		t.Errorf("%+v", state)
	}

	// A bad file of the other list does not.
	u.sanctions(210, "two")
	u.put("/CONS_PRIM.CSV", file{body: []byte("nothing,useful\n"), etag: `"x"`})
	got, state = d.run()
	if got.New != 4 || len(got.Problems) == 0 && len(got.Missing) == 0 {
		t.Errorf("%+v", got)
	}
	if f, _ := state.File("ofac/sdn.csv"); f.Rows != 210 {
		t.Errorf("%+v", f)
	}
}

// registry puts up the four lists of the California registry.
func (u *upstream) registry(days ...string) {
	const header = "Registry Status,State Charity Reg#,FEIN,SOS/FTB#,Name,City,State,Issue Date,Last Renewal,Date Status Set,As-of Date\r\n"
	for i, name := range []string{"may-operate", "may-not-operate", "undetermined-status", "not-operating"} {
		day := days[i%len(days)]
		row := "Current   ,CT0012345 ,070000001,0128060   ,LANTERN \"HOUSE\"   ,EXAMPLE  ,CA,2001/02/03,2026/04/05,2026/04/06," + day + "\r\n"
		u.put("/charities-"+name+".csv", file{body: []byte(header + strings.Repeat(row, 10)), etag: fmt.Sprintf("%q", name+day)})
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.registry("2026/10/21")
	d := newTestFolder(t, u, "careg")
	if got, _ := d.run(); got.New != 4 || got.Revised != "2026-10-21" {
		t.Errorf("%+v", got)
	}
	u.registry("2026/11/04", "2026/10/21")
	got, state := d.run()
	if got.New != 0 || got.Refused != 2 || !contains(got.Problems, "different days, 2026-11-04 and 2026-10-21") || got.Revised != "2026-10-21" || state.UpstreamRevised != "2026-11-04" || !state.CheckedAt.Equal(state.Refused[1].At) {
		t.Errorf("%+v %+v", got, state)
	}
	u.registry("2026/10/21") // it was taken back
	if got, state = d.run(); got.New != 0 || state.UpstreamRevised != "2026-10-21" {
		t.Errorf("%+v %+v", got, state)
	}
	u.registry("2026/11/04")
	if got, _ = d.run(); got.New != 4 || got.Revised != "2026-11-04" {
		t.Errorf("%+v", got)
	}
}

func bulletin(id, date string) []byte {
	return fmt.Appendf(nil, "<!DOCTYPE html><html><body><h1>Internal Revenue Bulletin: %s</h1><p>%s</p><h2>Highlights of This Issue</h2><p>Nothing much.</p></body></html>", id, date)
}

func TestBulletins(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put("/irb", file{body: []byte(`<a href="/irb/2026-45_IRB">2026-45</a>`)})
	u.put("/irb/2026-45_IRB", file{body: bulletin("2026-45", "November 2, 2026")})
	u.put("/irb/2026-20_IRB", file{body: bulletin("2026-20", "May 11, 2026")})
	u.put("/irb/2026-21_IRB", file{body: bulletin("2026-20", "May 11, 2026")}) // of another week
	d := newTestFolder(t, u, "irb")
	d.opt.Base["irb"] = u.URL + "/irb"
	d.opt.Since = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	got, state := d.run()
	if got.New != 2 || got.Refused != 1 || !contains(got.Problems, "it is bulletin 2026-20") {
		t.Errorf("%+v", got)
	}
	if len(state.Absent) < 15 || state.UpstreamRevised != "2026-11-02" {
		t.Errorf("%+v", state)
	}
	u.requests()
	got, _ = d.run()
	if got.New != 0 || got.Unchanged != 2 {
		t.Errorf("%+v", got)
	}
	log := u.requests()
	if slices.Contains(log, "GET /irb/2026-20_IRB") || slices.Contains(log, "GET /irb/2026-19_IRB") || !slices.Contains(log, "GET /irb/2026-45_IRB") || !slices.Contains(log, "GET /irb/2026-21_IRB") {
		t.Errorf("asked %q", log)
	}
}

func TestTaxBoard(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put("/index.html", file{body: []byte(`<a href="revoked.pdf">Revoked list</a>`)})
	d := newTestFolder(t, u, "caftb")
	d.opt.Base["caftb"] = u.URL + "/index.html"
	got, state := d.run()
	if got.Failed() || !strings.Contains(got.Note, "PDF only") || state.Note != got.Note || !state.CheckedAt.Equal(d.now) {
		t.Errorf("%+v %+v", got, state)
	}
	u.put("/index.html", file{body: []byte(`<a href="revoked.csv">Revoked list</a>`)})
	u.put("/revoked.csv", file{body: []byte("Entity ID,Entity Name,City,Revocation Date\n0128060,LANTERN HOUSE,EXAMPLE,01/15/2020\n0128061,LAMP HOUSE,EXAMPLE,01/15/2021\n")})
	if got, state = d.run(); got.New != 1 || got.Rows != 2 || state.Note != "" {
		t.Errorf("%+v %+v", got, state)
	}
	u.script("/index.html", status(http.StatusForbidden))
	if got, _ = d.run(); !contains(got.Problems, "403") || got.Failed() {
		t.Errorf("%+v", got)
	}
}

// awards is an archive of n federal grants.
func awards(t *testing.T, n int) []byte {
	t.Helper()
	columns := []string{"correction_delete_ind", "assistance_transaction_unique_key", "assistance_award_unique_key", "federal_action_obligation", "action_date", "action_date_fiscal_year",
		"awarding_agency_name", "recipient_uei", "recipient_duns", "recipient_name", "recipient_parent_uei", "recipient_state_code", "recipient_zip_code", "cfda_number", "cfda_title", "assistance_type_code"}
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + "\n")
	for i := range n {
		fmt.Fprintf(&b, ",T%07d,A%07d,%d.00,2025-11-03,2026,Department of Examples,EXAMPLE%05d,,LANTERN HOUSE,,OH,44101,93.600,HEAD START,04\n", i, i, i, i)
	}
	return zipped("FY2026_All_Assistance_Full_1.csv", []byte(b.String()))
}

func TestAwards(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	const address = "/bulk_download/list_monthly_files/"
	day := "20261006"
	answer := func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Year int    `json:"fiscal_year"`
			Type string `json:"type"`
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &q) != nil || q.Year != 2026 || q.Type != "assistance" {
			fmt.Fprint(w, `{"monthly_files":[]}`)
			return
		}
		name := "FY2026_All_Assistance_Full_" + day + ".zip"
		fmt.Fprintf(w, `{"monthly_files":[{"file_name":%q,"url":"/%s"}]}`, name, name)
	}
	d := newTestFolder(t, u, "usaspending")
	d.opt.Since = time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC)
	round := func(on string, body []byte) (Result, State) {
		day = on
		u.script(address, answer, answer, answer, answer)
		u.put("/FY2026_All_Assistance_Full_"+on+".zip", file{body: body})
		return d.run()
	}
	first := awards(t, 3000)
	got, state := round("20261006", first)
	if got.New != 1 || got.Revised != "2026-10-06" || len(state.Files) != 1 {
		t.Fatalf("%+v", got)
	}
	got, state = round("20261106", awards(t, 100))
	if got.Refused != 1 || got.Files != 1 || len(state.Files) != 1 || !contains(got.Problems, "the last good file") {
		t.Errorf("%+v", got)
	}
	d.has("usaspending/FY2026_All_Assistance_Full_20261006.zip", first)
	got, state = round("20261107", awards(t, 3100))
	if got.New != 1 || got.Files != 1 || len(state.Files) != 1 || got.Revised != "2026-11-07" {
		t.Errorf("%+v %+v", got, state)
	}
	d.hasNot("usaspending/FY2026_All_Assistance_Full_20261006.zip")
	d.has("usaspending/FY2026_All_Assistance_Full_20261107.zip", awards(t, 3100))
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden"), etag: `"one"`})
	d := newTestFolder(t, u, "pub78")
	d.opt.DryRun = true
	got, _ := d.run()
	if got.New != 1 || len(got.Wanted) != 1 || got.Wanted[0] != (Want{pub78Path, u.URL + pub78URL, int64(len(list(100, "Garden")))}) {
		t.Errorf("%+v", got)
	}
	d.hasNot(".")
	d.opt.DryRun = false
	d.run()
	d.opt.DryRun = true
	if got, _ = d.run(); got.New != 0 || got.Unchanged != 1 {
		t.Errorf("%+v", got)
	}
}

// TestReturnsInAnotherLetter has an index name a batch that is not there, whose
// returns are in the parts of the next letters.
func TestReturnsInAnotherLetter(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.put("/2026/index_2026.csv", file{body: []byte("OBJECT_ID,XML_BATCH_ID\n202600000000000001,2026_TEOS_XML_05A\n")})
	for _, name := range []string{"05B", "05C"} {
		u.put("/2026/2026_TEOS_XML_"+name+".zip", file{body: returns(t, 1)})
	}
	d := newTestFolder(t, u, "irs990")
	d.opt.Since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	got, _ := d.run()
	if got.Files != 3 || len(got.Problems) > 0 || !slices.Equal(got.Missing, []string{"990/2026_TEOS_XML_05A.zip"}) {
		t.Errorf("%+v", got)
	}
	if log := u.requests(); slices.Contains(log, "GET /2026/2026_TEOS_XML_06B.zip") {
		t.Errorf("asked for the second part of a month that nobody named: %q", log)
	}
}

// TestDryRunWalks has the dry run find the archives that follow from others.
func TestDryRunWalks(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	for _, name := range []string{"03A", "03B"} {
		u.put("/2026/2026_TEOS_XML_"+name+".zip", file{body: returns(t, 1)})
	}
	u.put("/2026/2026_TEOS_XML_04A.zip", file{body: []byte("<html>"), header: map[string]string{"Content-Type": "text/html"}})
	u.put("/2026/index_2026.csv", file{body: []byte("OBJECT_ID\n")})
	d := newTestFolder(t, u, "irs990")
	d.opt.Since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.opt.DryRun = true
	got, _ := d.run()
	if got.New != 3 || len(got.Problems) > 0 || len(got.Missing) > 0 {
		t.Errorf("%+v", got)
	}
	d.hasNot(".")
}
