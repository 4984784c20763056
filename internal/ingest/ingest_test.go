package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/rows/rowstest"
	"grantgraph/internal/snapshot"
)

// The tests build small worlds written by hand: a few returns, a few lines of
// master file, each there for one reason.

type given struct {
	name, state, zip, ein, purpose, status, relation string
	amount                                           int64
}

// pf writes a 990-PF.
func pf(filer, name, end, stamp string, amended bool, grants ...given) string {
	var b strings.Builder
	var total int64
	for _, g := range grants {
		total += g.amount
	}
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.0"><ReturnHeader><ReturnTs>%s</ReturnTs><TaxPeriodEndDt>%s</TaxPeriodEndDt><ReturnTypeCd>990PF</ReturnTypeCd>
<TaxPeriodBeginDt>%s-01-01</TaxPeriodBeginDt><Filer><EIN>%s</EIN><BusinessName><BusinessNameLine1Txt>%s</BusinessNameLine1Txt></BusinessName>
<USAddress><AddressLine1Txt>1 Elm St</AddressLine1Txt><CityNm>COLUMBUS</CityNm><StateAbbreviationCd>OH</StateAbbreviationCd><ZIPCd>43215</ZIPCd></USAddress></Filer><TaxYr>%s</TaxYr></ReturnHeader>
<ReturnData><IRS990PF>`, stamp, end, end[:4], filer, name, end[:4])
	if amended {
		b.WriteString("<AmendedReturnInd>X</AmendedReturnInd>")
	}
	b.WriteString(`<OfficerDirTrstKeyEmplInfoGrp><OfficerDirTrstKeyEmplGrp><PersonNm>ADA WINTERGREEN</PersonNm><TitleTxt>TRUSTEE</TitleTxt></OfficerDirTrstKeyEmplGrp></OfficerDirTrstKeyEmplInfoGrp>`)
	b.WriteString("<SupplementaryInformationGrp>")
	for _, g := range grants {
		fmt.Fprintf(&b, `<GrantOrContributionPdDurYrGrp><RecipientBusinessName><BusinessNameLine1Txt>%s</BusinessNameLine1Txt></RecipientBusinessName>
<RecipientUSAddress><AddressLine1Txt>2 Oak Ave</AddressLine1Txt><CityNm>COLUMBUS</CityNm><StateAbbreviationCd>%s</StateAbbreviationCd><ZIPCd>%s</ZIPCd></RecipientUSAddress>
<RecipientRelationshipTxt>%s</RecipientRelationshipTxt><RecipientFoundationStatusTxt>%s</RecipientFoundationStatusTxt><GrantOrContributionPurposeTxt>%s</GrantOrContributionPurposeTxt><Amt>%d</Amt></GrantOrContributionPdDurYrGrp>`,
			g.name, g.state, g.zip, g.relation, g.status, g.purpose, g.amount)
	}
	fmt.Fprintf(&b, "<TotalGrantOrContriPdDurYrAmt>%d</TotalGrantOrContriPdDurYrAmt></SupplementaryInformationGrp></IRS990PF></ReturnData></Return>", total)
	return b.String()
}

// si writes a 990 with a Schedule I.
func si(filer, name, end, stamp string, grants ...given) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.0"><ReturnHeader><ReturnTs>%s</ReturnTs><TaxPeriodEndDt>%s</TaxPeriodEndDt><ReturnTypeCd>990</ReturnTypeCd>
<Filer><EIN>%s</EIN><BusinessName><BusinessNameLine1Txt>%s</BusinessNameLine1Txt></BusinessName>
<USAddress><AddressLine1Txt>3 Ash Rd</AddressLine1Txt><CityNm>COLUMBUS</CityNm><StateAbbreviationCd>OH</StateAbbreviationCd><ZIPCd>43215</ZIPCd></USAddress></Filer><TaxYr>%s</TaxYr></ReturnHeader>
<ReturnData><IRS990><CYTotalRevenueAmt>1000</CYTotalRevenueAmt></IRS990><IRS990ScheduleI>`, stamp, end, filer, name, end[:4])
	for _, g := range grants {
		fmt.Fprintf(&b, `<RecipientTable><RecipientBusinessName><BusinessNameLine1Txt>%s</BusinessNameLine1Txt></RecipientBusinessName>
<USAddress><AddressLine1Txt>2 Oak Ave</AddressLine1Txt><CityNm>COLUMBUS</CityNm><StateAbbreviationCd>%s</StateAbbreviationCd><ZIPCd>%s</ZIPCd></USAddress>
<RecipientEIN>%s</RecipientEIN><CashGrantAmt>%d</CashGrantAmt><PurposeOfGrantTxt>%s</PurposeOfGrantTxt></RecipientTable>`, g.name, g.state, g.zip, g.ein, g.amount, g.purpose)
	}
	b.WriteString("</IRS990ScheduleI></ReturnData></Return>")
	return b.String()
}

const bmfHeader = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\r\n"

func bmfRow(ein, name, state, zip, ntee string) string {
	return fmt.Sprintf("%s,%s,,9 PINE ST,COLUMBUS,%s,%s-0000,0000,03,3,1000,200001,1,15,000000000,1,01,202112,5,5,01,0,12,1,1,1,%s,\r\n", ein, name, state, zip, ntee)
}

// world is a folder of sources: paths and contents. A path that ends in .zip
// holds members.
type world map[string]map[string]string

// sample is the world most tests start from.
func sample() world {
	library := given{name: "Harlow Cnty Library, Inc.", state: "OH", zip: "43215", purpose: "GENERAL SUPPORT", status: "PC", relation: "NONE", amount: 25000}
	return world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": pf("070000001", "ALDER FAMILY FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
				library,
				given{name: "SEE ATTACHED SCHEDULE", purpose: "VARIOUS", amount: 700},
				given{name: "Maple Street Shelter", state: "OH", zip: "43215", purpose: "CAPITAL CAMPAIGN", relation: "TRUSTEE IS A DIRECTOR", amount: 900},
				given{name: "Ada Wintergreen", state: "OH", zip: "43215", purpose: "SCHOLARSHIP", status: "I", amount: 1500},
				given{name: "Maple Street Shelter", state: "OH", zip: "43215", amount: -40},
				given{name: "Maple Street Shelter", state: "OH", zip: "43215"}),
			"202200019349100002_public.xml": si("080000002", "LARCH COMMUNITY FUND", "2021-06-30", "2021-11-01T10:00:00-05:00",
				given{name: "Harlow County Library", state: "OH", zip: "43215", ein: "090000003", purpose: "books", amount: 6000},
				given{name: "A State University", state: "OH", zip: "43210", ein: "490000004", purpose: "research", amount: 8000},
				given{name: "Larch Community Fund", state: "OH", zip: "43215", ein: "080000002", purpose: "transfer", amount: 100}),
			"broken_public.xml": "<Return><ReturnHeader>",
			"page_public.xml":   "<html><body>404</body></html>",
		},
		"990/2022_TEOS_XML_02A.zip": {
			"2022_TEOS_XML_02A/202200029349100005_public.xml": pf("070000001", "ALDER FAMILY FOUNDATION", "2020-12-31", "2021-05-01T10:00:00-05:00", false, library),
			"2022_TEOS_XML_02A/202200029349100006_public.xml": pf("070000001", "ALDER FAMILY FOUNDATION", "2020-12-31", "2022-02-01T10:00:00-05:00", true,
				given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", purpose: "GENERAL SUPPORT", status: "PC", relation: "NONE", amount: 26000}),
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70") +
			bmfRow("490000009", "MAPLE STREET SHELTER", "OH", "43215", "L41") + bmfRow("190000001", "MAPLE STREET SHELTER", "KY", "40202", "L41")},
	}
}

// lay writes the world into a new folder.
func (w world) lay(t testing.TB) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "sources")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range w {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		body := []byte(content[""])
		if _, plain := content[""]; !plain {
			body = []byte(rowstest.ZipMap(content))
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func run(t testing.TB, opt Options) *Result {
	t.Helper()
	result, err := Run(t.Context(), opt)
	if err != nil {
		if f, ok := fault.Of(err); ok {
			t.Fatalf("%v (%s)", err, f.Hint)
		}
		t.Fatal(err)
	}
	return result
}

func rowsOf[T any](t testing.TB, s *snapshot.Snapshot, table string) (list []T) {
	t.Helper()
	for r, err := range snapshot.Rows[T](s, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestBuildByHand follows every line of the sample world to its row.
func TestBuildByHand(t *testing.T) {
	t.Parallel()
	result := run(t, Options{Sources: sample().lay(t), Data: t.TempDir()})
	if result.Snapshot.Manifest.Invented {
		t.Error("returns that were not written by synth are called invented")
	}
	var got []string
	keys := map[string]bool{}
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		var class []string
		for name, is := range map[string]bool{"individual": g.IsIndividual, "unidentified": g.IsUnidentified, "related": g.IsRelatedParty, "daf": g.IsDAF} {
			if is {
				class = append(class, name)
			}
		}
		slices.Sort(class)
		if len(g.Key) != 13 || keys[g.Key] {
			t.Errorf("grant key %q", g.Key)
		}
		keys[g.Key] = true
		recip, _, _ := strings.Cut(g.RecipID, "-")
		got = append(got, fmt.Sprintf("%s %d %s %s %d %s %s %g %s %s %s", g.FunderEIN, g.TaxYear, recip, g.RecipientEIN, g.Amount, g.RecipientRaw, g.EINSource, g.MatchProb, g.SourceTier, g.RecipientCounty, strings.Join(class, "+")))
	}
	want := []string{
		"070000001 2020 ein 090000003 26000 HARLOW COUNTY LIBRARY name 0.97 matched 39049 ",
		"070000001 2021 ein 090000003 25000 HARLOW CNTY LIBRARY, INC. name 0.97 matched 39049 ",
		"070000001 2021 ein 490000009 900 MAPLE STREET SHELTER name 0.97 matched 39049 related",
		"070000001 2021 nm  1500 ADA WINTERGREEN  0 universe 39049 individual+unidentified",
		"070000001 2021 nm  700 SEE ATTACHED SCHEDULE  0 universe  unidentified",
		"080000002 2021 ein 080000002 100 LARCH COMMUNITY FUND filed 0.995 matched 39049 related",
		"080000002 2021 ein 090000003 6000 HARLOW COUNTY LIBRARY filed 0.995 matched 39049 ",
		"080000002 2021 ein 490000004 8000 A STATE UNIVERSITY filed 0.995 matched 39049 ",
	}
	// The order of people and placeholders follows from their digests.
	slices.Sort(got)
	slices.Sort(want)
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("row %d is\n  %s, want\n  %s", i, g, w)
		}
	}

	r := result.Report
	if r.Returns != (ReturnCount{Read: 4, Chosen: 3, Superseded: 1, Quarantined: 2, Amended: 1}) {
		t.Errorf("returns %+v", r.Returns)
	}
	if r.Lines != (LineCount{Read: 10, Rows: 8, Zero: 1, Negative: 1, NegativeSum: -40}) {
		t.Errorf("lines %+v", r.Lines)
	}
	if a := rowsOf[snapshot.Adjustment](t, result.Snapshot, snapshot.Adjustments); len(a) != 1 || a[0].Amount != -40 {
		t.Errorf("adjustments %+v", a)
	}
	if q := rowsOf[snapshot.Quarantine](t, result.Snapshot, snapshot.Quarantined); len(q) != 2 || q[0].Reason == "" {
		t.Errorf("quarantine %+v", q)
	}
	kinds := rowsOf[snapshot.FunderKind](t, result.Snapshot, snapshot.FunderKinds)
	if len(kinds) != 2 || kinds[0].Kind != "private_foundation" || kinds[0].Grantees != 4 || kinds[1].Kind != "public_charity" {
		t.Errorf("funders %+v", kinds)
	}
	if people := rowsOf[snapshot.Person](t, result.Snapshot, snapshot.People); len(people) != 2 || people[0].Name != "ADA WINTERGREEN" {
		t.Errorf("people %+v", people)
	}
	if orgs := rowsOf[snapshot.Org](t, result.Snapshot, snapshot.Orgs); len(orgs) != 2 || orgs[0].TaxYear != 2021 || *orgs[1].TotalRevenue != 1000 {
		t.Errorf("orgs %+v", orgs)
	}
}

// TestInvariants holds on every table of every build.
func TestInvariants(t *testing.T) {
	t.Parallel()
	result := run(t, Options{Sources: sample().lay(t), Data: t.TempDir()})
	checkInvariants(t, result)
}

// TestOnlyLine has funders with one line for all they gave. Whether it names
// anybody is a matter of its words: a name that no list knows is a name.
func TestOnlyLine(t *testing.T) {
	t.Parallel()
	line := given{name: "QUILLON MERRIT WORKS", state: "OH", zip: "43215", purpose: "GENERAL SUPPORT", amount: 5000}
	pointer := line
	pointer.name, pointer.status = "DETAIL OF GRANTS ATTACHED", "I"
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": pf("070000001", "ALDER FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false, line),
			"202200019349100002_public.xml": pf("070000002", "ASPEN FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false, pointer),
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if want := g.FunderEIN == "070000002"; g.IsUnidentified != want || g.IsIndividual {
			t.Errorf("%s of %s: unidentified %v, individual %v", g.RecipientRaw, g.FunderEIN, g.IsUnidentified, g.IsIndividual)
		}
	}
	if u := result.Report.Unnamed; u.Grants != 1 || u.TotalAmount != 5000 {
		t.Errorf("the report has %+v that name nobody", u)
	}
	checkInvariants(t, result)
}

func checkInvariants(t *testing.T, result *Result) {
	t.Helper()
	var sum, n int64
	var last snapshot.Grant
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		n++
		sum += g.Amount
		resolved := g.RecipientEIN != ""
		switch {
		case g.Amount <= 0:
			t.Fatalf("amount %d in %s", g.Amount, g.Key)
		case g.IsIndividual && !g.IsUnidentified:
			t.Fatalf("%s is individual and yet identified", g.Key)
		case (g.IsIndividual || g.IsUnidentified) && resolved:
			t.Fatalf("%s names nobody and yet has an EIN", g.Key)
		case resolved != (g.EINSource != "") || resolved != (g.MatchProb != 0) || resolved != strings.HasPrefix(g.RecipID, "ein-"):
			t.Fatalf("%s: EIN %q, source %q, probability %g, identity %s", g.Key, g.RecipientEIN, g.EINSource, g.MatchProb, g.RecipID)
		case (g.SourceTier == "matched") != (resolved && g.RecipientCountry == ""):
			t.Fatalf("%s is in tier %s", g.Key, g.SourceTier)
		case g.RecipientEIN == g.FunderEIN && g.EINSource != "filed" && g.EINSource != "override_human":
			t.Fatalf("%s pays its own funder by rule %s", g.Key, g.EINSource)
		case g.FunderEIN < last.FunderEIN || g.FunderEIN == last.FunderEIN && g.RecipID < last.RecipID:
			t.Fatalf("%s is out of order", g.Key)
		}
		last = g
	}
	checkOrganizations(t, result.Snapshot)
	checkFinancials(t, result.Snapshot)
	// What is on disk says the same as what was returned.
	opened, err := snapshot.OpenVersion(filepath.Dir(filepath.Dir(result.Snapshot.Dir)), result.Snapshot.Manifest.Version)
	if err != nil {
		t.Fatal(err)
	}
	var report Report
	if err := json.Unmarshal(opened.Manifest.Report, &report); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&report, result.Report) {
		t.Errorf("the manifest holds the report\n%+v, returned was\n%+v", report, *result.Report)
	}
	c := result.Snapshot.Manifest.Counts
	if n != c.Grants || sum != c.TotalAmount {
		t.Errorf("%d rows and %d dollars, the manifest says %d and %d", n, sum, c.Grants, c.TotalAmount)
	}
	l := result.Report.Lines
	if left := l.Read - l.Rows - l.Zero - l.NonCash - l.Negative - l.Totals - l.TooLarge - l.Repeated - l.Empty; left != 0 || l.Rows != n {
		t.Errorf("%d lines are not accounted for: %+v", left, l)
	}
	for _, list := range [][]Count{result.Report.Rules, result.Report.Tiers} {
		var k, d int64
		for _, r := range list {
			k += r.Grants
			d += r.TotalAmount
		}
		if k != n || d != sum {
			t.Errorf("%v does not add up to %d and %d", list, n, sum)
		}
	}
	for _, want := range []struct {
		table string
		rows  int64
	}{{snapshot.FunderKinds, c.Funders}, {snapshot.Organizations, c.Organizations}} {
		for _, f := range result.Snapshot.Manifest.Files {
			if f.Path == "tables/"+want.table+".parquet" && f.Rows != want.rows {
				t.Errorf("%s has %d rows, counted %d", want.table, f.Rows, want.rows)
			}
		}
	}
}

// TestSameSourcesSameBytes holds the promise of the manifest: only the stamp
// differs, whatever the number of workers, the size of a shard and the state of the
// stage.
func TestSameSourcesSameBytes(t *testing.T) {
	t.Parallel()
	w := sample()
	data := t.TempDir()
	first := run(t, Options{Sources: w.lay(t), Data: data, Workers: 1, Now: func() time.Time { return noon }})
	again := run(t, Options{Sources: w.lay(t), Data: data, Workers: 8})
	fresh := run(t, Options{Sources: w.lay(t), Data: t.TempDir(), Workers: 8, shardBytes: 1})
	if again.Reused != again.Staged || again.Staged == 0 || fresh.Reused != 0 {
		t.Errorf("reused %d of %d, then %d", again.Reused, again.Staged, fresh.Reused)
	}
	want := stampless(t, first)
	for _, r := range []*Result{again, fresh} {
		if got := stampless(t, r); got != want {
			t.Errorf("the manifests differ:\n%s\n%s", want, got)
		}
	}
}

// TestScratchStays builds twice with an index that leaves files for the next build:
// what it marks to be kept is there, and the rest of the stage is tidied up.
func TestScratchStays(t *testing.T) {
	t.Parallel()
	root, data := sample().lay(t), t.TempDir()
	var found []string
	leave := snapshot.Indexer{Name: "leave", Write: func(_ context.Context, w *snapshot.Writer) error {
		for _, name := range []string{"kept" + snapshot.ScratchSuffix, "kept" + snapshot.ScratchSuffix + ".new"} {
			path := filepath.Join(w.Scratch(), name)
			if _, err := os.Stat(path); err == nil {
				found = append(found, name)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
		}
		return nil
	}}
	for range 2 {
		run(t, Options{Sources: root, Data: data, Indexers: []snapshot.Indexer{leave}})
	}
	if !slices.Equal(found, []string{"kept" + snapshot.ScratchSuffix}) {
		t.Errorf("the second build found %v", found)
	}
}

// stampless is a manifest without what is allowed to differ.
func stampless(t *testing.T, r *Result) string {
	t.Helper()
	m := r.Snapshot.Manifest
	m.Version, m.GeneratedAt, m.Seal = "", time.Time{}, ""
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestStoppedBuildGoesOn stops a build after its first shard and runs it again.
func TestStoppedBuildGoesOn(t *testing.T) {
	t.Parallel()
	root, data := sample().lay(t), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	_, err := Run(ctx, Options{Sources: root, Data: data, Workers: 1, shardBytes: 1, Progress: func(phase string, done, total int64) {
		if phase == "read" && done > 0 && done >= total*8/10 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the stopped build gave %v", err)
	}
	if _, err := snapshot.Open(data); !errors.Is(err, snapshot.ErrNone) {
		t.Fatalf("a stopped build published: %v", err)
	}
	resumed := run(t, Options{Sources: root, Data: data, shardBytes: 1})
	fresh := run(t, Options{Sources: root, Data: t.TempDir()})
	if stampless(t, resumed) != stampless(t, fresh) {
		t.Error("the resumed build differs from a fresh one")
	}
	if resumed.Reused == 0 || resumed.Reused == resumed.Staged {
		t.Errorf("reused %d of %d shards", resumed.Reused, resumed.Staged)
	}
}

// TestFailuresKeepTheOldSnapshot runs a good build, then one that fails, and
// looks whether anything was lost.
func TestFailuresKeepTheOldSnapshot(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		break_ func(t *testing.T, root string, opt *Options)
		slug   string
	}{
		{"no such folder", func(t *testing.T, root string, opt *Options) { opt.Sources = filepath.Join(root, "nowhere") }, "sources_missing"},
		{"a file for a folder", func(t *testing.T, root string, opt *Options) { opt.Sources = filepath.Join(root, "bmf", "eo1.csv") }, "sources_not_folder"},
		{"empty folder", func(t *testing.T, root string, opt *Options) { opt.Sources = t.TempDir() }, "sources_empty"},
		{"a page for a zip", func(t *testing.T, root string, opt *Options) {
			put(t, root, "990/2022_TEOS_XML_03A.zip", "<html>moved</html>")
		}, "wrong_format"},
		{"an empty zip file", func(t *testing.T, root string, opt *Options) { put(t, root, "990/2022_TEOS_XML_03A.zip", "") }, "wrong_format"},
		{"a page for the master file", func(t *testing.T, root string, opt *Options) { put(t, root, "bmf/eo2.csv", "<html>moved</html>") }, "wrong_format"},
		{"another table for the master file", func(t *testing.T, root string, opt *Options) { put(t, root, "bmf/eo2.csv", "a,b\r\n1,2\r\n") }, "wrong_format"},
		{"overrides of another shape", func(t *testing.T, root string, opt *Options) { put(t, root, "overrides/human.csv", "ein\n1\n") }, "wrong_format"},
		{"a Census file of another shape", func(t *testing.T, root string, opt *Options) { put(t, root, "census/zcta.txt", "a|b\n1|2\n") }, "wrong_format"},
		{"a file that cannot be opened", func(t *testing.T, root string, opt *Options) {
			// A dangling link cannot be opened by anybody, root included.
			if err := os.Symlink(filepath.Join(root, "gone"), filepath.Join(root, "bmf", "eo2.csv")); err != nil {
				t.Fatal(err)
			}
		}, "not_found"},
		{"full disk while reading", func(t *testing.T, root string, opt *Options) {
			put(t, root, "990/2022_TEOS_XML_03A.zip", rowstest.Zip("202200039349100009_public.xml", pf("070000001", "ALDER FAMILY FOUNDATION", "2019-12-31", "2020-05-01T10:00:00-05:00", false)))
			t.Cleanup(disk.Mount(filepath.Join(opt.Data, "stage"), fullAfter(0, "")))
		}, "no_space"},
		{"full disk while writing", func(t *testing.T, root string, opt *Options) {
			t.Cleanup(disk.Mount(filepath.Join(opt.Data, "builds"), fullAfter(900, "")))
		}, "no_space"},
		{"full disk at the manifest", func(t *testing.T, root string, opt *Options) {
			t.Cleanup(disk.Mount(filepath.Join(opt.Data, "builds"), fullAfter(0, "manifest.json")))
		}, "no_space"},
		{"a table damaged after it was written", func(t *testing.T, root string, opt *Options) {
			opt.Indexers = append(opt.Indexers, snapshot.Indexer{Name: "worm", Write: func(_ context.Context, w *snapshot.Writer) error {
				path := w.Unpublished().Path("grants")
				body, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				body[len(body)/2] ^= 1
				return os.WriteFile(path, body, 0o644)
			}})
		}, snapshot.Damaged},
		{"another build running", func(t *testing.T, root string, opt *Options) {
			release, err := snapshot.Lock(opt.Data)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
		}, "build_running"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			root, data := sample().lay(t), t.TempDir()
			before := run(t, Options{Sources: root, Data: data})
			opt := Options{Sources: root, Data: data}
			tc.break_(t, root, &opt)
			_, err := Run(t.Context(), opt)
			f, ok := fault.Of(err)
			if !ok || f.Slug != tc.slug || f.Hint == "" {
				t.Fatalf("got %v, want %s with a hint", err, tc.slug)
			}
			s, err := snapshot.Open(data)
			if err != nil || s.Manifest.Version != before.Snapshot.Manifest.Version {
				t.Fatalf("current is now %v, %v", s, err)
			}
			if err := s.Verify(); err != nil {
				t.Error(err)
			}
			entries, err := os.ReadDir(filepath.Join(data, "builds"))
			if err != nil || len(entries) != 1 {
				t.Errorf("%d entries are left in builds", len(entries))
			}
		})
	}
}

func put(t *testing.T, root, path, content string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fullAfter is a disk that has n bytes left for files of the name, or for all
// where it is empty.
func fullAfter(n int64, name string) disk.System {
	d := &fullDisk{name: name}
	d.left.Store(n)
	return d
}

type fullDisk struct {
	disk.OS
	name string
	left atomic.Int64
}

func (d *fullDisk) Create(path string, perm fs.FileMode, fresh bool) (disk.Handle, error) {
	h, err := d.OS.Create(path, perm, fresh)
	if err != nil || !strings.HasPrefix(filepath.Base(path), d.name) {
		return h, err
	}
	return &fullFile{h, &d.left}, nil
}

type fullFile struct {
	disk.Handle
	left *atomic.Int64
}

func (f *fullFile) Write(p []byte) (int, error) {
	if f.left.Add(-int64(len(p))) < 0 {
		return 0, syscall.ENOSPC
	}
	return f.Handle.Write(p)
}

// TestTruncatedZip reads what is left of a zip and says what is not.
func TestTruncatedZip(t *testing.T) {
	t.Parallel()
	w := sample()
	whole := rowstest.ZipMap(w["990/2022_TEOS_XML_01A.zip"])
	w["990/2022_TEOS_XML_01A.zip"] = map[string]string{"": whole[:len(whole)/3]}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	if result.Report.Returns.ArchiveFault == 0 || result.Report.Returns.Read == 0 {
		t.Errorf("returns %+v", result.Report.Returns)
	}
	checkInvariants(t, result)
}

// TestOverrides sees an adjudicated correction win over the EIN filed, and one
// that says there is none.
func TestOverrides(t *testing.T) {
	t.Parallel()
	w := sample()
	w["overrides/human.csv"] = map[string]string{"": "kx,state,zip5,filed_ein,funder_ein,ein,action,reason,source_url,author,date\n" +
		"ASTATEUNIVERSITY,,,490000004,,490000009,set,test,https://example.org/1,someone,2026-01-02\n" +
		"MAPLESTREETSHELTER,OH,,,070000001,,none,test,https://example.org/2,someone,2026-01-02\n"}
	// The key of "A State University" drops the article.
	w["overrides/human.csv"][""] = strings.Replace(w["overrides/human.csv"][""], "ASTATEUNIVERSITY", "STATEUNIVERSITY", 1)
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	found := 0
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		switch g.RecipientRaw {
		case "A STATE UNIVERSITY":
			found++
			if g.RecipientEIN != "490000009" || g.EINSource != "override_human" || g.MatchProb != 0.99 {
				t.Errorf("%+v", g)
			}
		case "MAPLE STREET SHELTER":
			found++
			if g.RecipientEIN != "" {
				t.Errorf("%+v", g)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d rows", found)
	}
	checkInvariants(t, result)
}

// TestOverridesOfAModel sees rulings that a model proposed taken from either
// name of their file, and two such files refused.
func TestOverridesOfAModel(t *testing.T) {
	t.Parallel()
	ruling := map[string]string{"": "kx,state,zip5,filed_ein,funder_ein,ein,action,reason,source_url,author,date\n" +
		"HARLOWCOUNTYREADINGROOM,,,,,090000003,set,test,,a-model,2026-01-02\n"}
	w := sample()
	w["990/2022_TEOS_XML_03A.zip"] = map[string]string{"202200039349100001_public.xml": pf("070000005", "CEDAR FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
		given{name: "HARLOW COUNTY READING ROOM", state: "OH", zip: "43999", amount: 5},
		given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", amount: 6})}
	for _, name := range []string{"overrides/model.csv", "overrides/llm.csv"} {
		delete(w, "overrides/model.csv")
		w[name] = ruling
		result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
		if !slices.ContainsFunc(rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants), func(g snapshot.Grant) bool {
			return g.RecipientRaw == "HARLOW COUNTY READING ROOM" && g.RecipientEIN == "090000003" && g.EINSource == "override_llm" && g.MatchProb == 0.95
		}) {
			t.Errorf("%s has no effect", name)
		}
	}
	w["overrides/model.csv"] = ruling
	_, err := Run(t.Context(), Options{Sources: w.lay(t), Data: t.TempDir()})
	if f, ok := fault.Of(err); !ok || f.Slug != "two_overrides" {
		t.Errorf("two files: %v", err)
	}
	w["overrides/model.csv"] = map[string]string{"": ruling[""] + ",,,,,090000003,set,test,,a-model,2026-01-02\n"}
	delete(w, "overrides/llm.csv")
	_, err = Run(t.Context(), Options{Sources: w.lay(t), Data: t.TempDir()})
	if f, ok := fault.Of(err); !ok || !strings.Contains(err.Error(), "line 3") || strings.Contains(f.Hint, "fetch") {
		t.Errorf("a bad ruling: %v", err)
	}
}

// TestNothingLeftOfAName has lines that say only in whose care, which is nobody
// and not the same nobody to two funders; an EIN on such a line stands.
func TestNothingLeftOfAName(t *testing.T) {
	t.Parallel()
	w := sample()
	care := given{name: "C/O A BANK", state: "OH", zip: "43215", amount: 5}
	known := given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", amount: 6}
	said := care
	said.ein = "090000003"
	w["990/2022_TEOS_XML_03A.zip"] = map[string]string{
		"202200039349100001_public.xml": pf("070000005", "CEDAR FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false, care, known),
		"202200039349100002_public.xml": pf("070000006", "ELDER FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false, care, known),
		"202200039349100003_public.xml": si("080000007", "FERN FUND", "2021-12-31", "2022-05-01T10:00:00-05:00", said),
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	ids := map[string]bool{}
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if g.RecipientRaw != "C/O A BANK" {
			continue
		}
		ids[g.RecipID] = true
		if stated := g.FunderEIN == "080000007"; g.IsUnidentified == stated || (g.RecipientEIN == "090000003") != stated {
			t.Errorf("%+v", g)
		}
	}
	if len(ids) != 3 {
		t.Errorf("identities %v", ids)
	}
	checkInvariants(t, result)
}

// TestGovernmentAbroad knows a government by its status where its name says
// nothing.
func TestGovernmentAbroad(t *testing.T) {
	t.Parallel()
	abroad := func(filer, status string) string {
		return regexp.MustCompile(`(?s)<RecipientUSAddress>.*?</RecipientUSAddress>`).ReplaceAllString(
			pf(filer, "BIRCH FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
				given{name: "TARN WATER BOARD", status: status, amount: 5}, given{name: "MINISTRY OF TARNS", amount: 6}, given{name: "TARN SOCIETY", status: "PC", amount: 7}),
			"<RecipientForeignAddress><CityNm>LYON</CityNm><CountryCd>FR</CountryCd></RecipientForeignAddress>")
	}
	w := sample()
	w["990/2022_TEOS_XML_03A.zip"] = map[string]string{
		"202200039349100001_public.xml": abroad("070000005", "GOV"), "202200039349100002_public.xml": abroad("070000006", "FOREIGN GOVERNMENT"),
		"202200039349100003_public.xml": abroad("070000007", "NC"),
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	got := map[string]string{}
	for _, e := range rowsOf[snapshot.IntlEntity](t, result.Snapshot, snapshot.IntlEntities) {
		got[e.RecipientRaw] = e.Kind
	}
	if want := map[string]string{"TARN WATER BOARD": "gov", "MINISTRY OF TARNS": "gov", "TARN SOCIETY": "org"}; !maps.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
}

// TestCensusFile sees a newer relationship file of the Census replace the
// shipped counties.
func TestCensusFile(t *testing.T) {
	t.Parallel()
	w := sample()
	w["census/tab20_zcta520_county20_natl.txt"] = map[string]string{"": "\ufeffOID_ZCTA5_20|GEOID_ZCTA5_20|NAMELSAD_ZCTA5_20|AREALAND_ZCTA5_20|AREAWATER_ZCTA5_20|MTFCC_ZCTA5_20|CLASSFP_ZCTA5_20|FUNCSTAT_ZCTA5_20|OID_COUNTY_20|GEOID_COUNTY_20|NAMELSAD_COUNTY_20|AREALAND_COUNTY_20|AREAWATER_COUNTY_20|MTFCC_COUNTY_20|CLASSFP_COUNTY_20|FUNCSTAT_COUNTY_20|AREALAND_PART|AREAWATER_PART\n" +
		"1|43215|ZCTA5 43215|100|0|G6350|B5|S|2|39041|Delaware County|100|0|G4020|H1|A|100|0\n"}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if g.RecipientZIP == "43215" && g.RecipientCounty != "39041" {
			t.Errorf("%s is in county %s", g.RecipientRaw, g.RecipientCounty)
		}
	}
	if !slices.ContainsFunc(result.Snapshot.Manifest.Sources, func(s snapshot.Source) bool { return s.Kind == "census" }) {
		t.Error("the manifest does not name the Census file")
	}
}

// A recipient abroad keeps its identity when a new spelling of it turns up in
// a later build.
func TestRecipientsAbroadKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	sources, _ := Invented(t)
	first, _ := builtWorld(t)
	data := copyBuilt(t)
	second := run(t, Options{Sources: sources, Data: data})
	ids := func(r *Result) map[string]string {
		m := map[string]string{}
		for _, g := range rowsOf[snapshot.Grant](t, r.Snapshot, snapshot.Grants) {
			if strings.HasPrefix(g.RecipID, "intl-") {
				m[g.Key] = g.RecipID
			}
		}
		return m
	}
	before, after := ids(first), ids(second)
	if len(before) == 0 || !maps.Equal(before, after) {
		t.Errorf("%d rows abroad before, %d after, not all the same", len(before), len(after))
	}
	if n := first.Report.Abroad; n.Clusters == 0 || n.Spellings < n.Clusters {
		t.Errorf("%+v", n)
	}
	if _, err := os.Stat(filepath.Join(data, clusterKeysName)); err != nil {
		t.Error(err)
	}
}

// A damaged table of keys is named with its place, and what can be done.
func TestDamagedClusterKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), clusterKeysName)
	if _, err := readClusterKeys(path); err != nil {
		t.Errorf("no keys yet: %v", err)
	}
	if err := os.WriteFile(path, []byte("cc\tkx\tkey\nUK\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := readClusterKeys(path)
	if f, ok := fault.Of(err); !ok || f.Slug != "cluster_keys" || f.Hint == "" || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("damaged keys: %v", err)
	}
}

// TestElementForPersons has a filer who types every recipient into the element for persons. The register shows which names are
// those of organizations, even where they have no word such as "foundation".
func TestElementForPersons(t *testing.T) {
	t.Parallel()
	filed := pf("070000001", "ALDER FAMILY FOUNDATION", "2021-12-31", "2022-05-01T10:00:00-05:00", false,
		given{name: "WILLOW MEADOWS", state: "OH", zip: "43215", purpose: "GREENHOUSE", amount: 900},
		given{name: "ADA WINTERGREEN", state: "OH", zip: "43215", purpose: "GREENHOUSE", amount: 800})
	filed = strings.NewReplacer("<RecipientBusinessName><BusinessNameLine1Txt>", "<RecipientPersonNm>",
		"</BusinessNameLine1Txt></RecipientBusinessName>", "</RecipientPersonNm>").Replace(filed)
	const officer = "<OfficerDirTrstKeyEmplGrp><PersonNm>ADA WINTERGREEN</PersonNm><TitleTxt>TRUSTEE</TitleTxt></OfficerDirTrstKeyEmplGrp>"
	filed = strings.Replace(filed, officer, strings.Repeat(officer, 400), 1)
	register := bmfHeader
	for i := range 400 {
		register += bmfRow(fmt.Sprintf("09%07d", i+1), fmt.Sprintf("WILLOW MEADOWS %d", i), "KY", "40202", "C41")
	}
	w := world{"990/2022_TEOS_XML_01A.zip": {"202200019349100001_public.xml": filed}, "bmf/eo1.csv": {"": register}}
	is := map[string]bool{}
	for _, g := range rowsOf[snapshot.Grant](t, run(t, Options{Sources: w.lay(t), Data: t.TempDir()}).Snapshot, snapshot.Grants) {
		is[g.RecipientRaw] = g.IsIndividual
	}
	if want := map[string]bool{"WILLOW MEADOWS": false, "ADA WINTERGREEN": true}; !maps.Equal(is, want) {
		t.Errorf("individuals are %v, want %v", is, want)
	}
}
