package site

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// nasty is a name that a careless page would run as a script.
const nasty = `<script>alert("x")</script>`

// withLists replaces the lists of the world with lists of a few invented
// organizations: a sound one, one with revoked exemption, one with the name of a
// sanctioned entity, one in California and one with a nasty name. The list of the
// Franchise Tax Board is not loaded.
func withLists(c *Config) {
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	now := &lists.Current{Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{Manifest: snapshot.Manifest{Version: "20260310T000000Z"}}}}
	for _, name := range lists.Names() {
		if name == lists.CAFTB {
			continue
		}
		now.Edition.Lists = append(now.Edition.Lists, lists.Status{Name: name, Loaded: true, Rows: 20_000, FetchedAt: at.AddDate(0, 0, -2), Revised: "2026-03-09", RevisedNewest: "2026-03-09", Files: "f1" + name})
		now.Checks = append(now.Checks, lists.Check{Name: name, CheckedAt: at, UpstreamRevised: "2026-03-09"})
	}
	org := func(ein, name, state string) lists.Master {
		assets := int64(740_000)
		return lists.Master{EIN: ein, Name: name, City: "SPRINGFIELD", State: state, Subsection: "03", Affiliation: "3", Ruling: "199806", Deductibility: "1", Foundation: "15", Status: "01", FilingReq: "01", Assets: &assets}
	}
	rows := &screen.Rows{
		Masters:  []lists.Master{org("000000001", "MAPLE HOLLOW FOOD PANTRY", "IL"), org("000000003", "ZARVONIA PETROLEUM TRADING COMPANY", "IL"), org("000000004", "MAPLE COAST ALLIANCE", "CA"), org("000000005", nasty+" & SONS", "IL")},
		Revoked:  []lists.RevocationRow{{EIN: "000000002", Name: "ASPEN LAPSED CLUB", City: "DAYTON", State: "OH", Subsection: "03", Revoked: "2024-05-15", Posted: "2024-08-12"}},
		Registry: []lists.Registration{{EIN: "000000004", List: "may_not_operate", Status: "Delinquent", Registration: "CT0000004", Name: "MAPLE COAST ALLIANCE", City: "OAKLAND", State: "CA"}},
		Entities: []screen.Sanctioned{{
			Sanction: lists.Sanction{Num: 9, Name: "ZARVONIA PETROLEUM TRADING CO", Programs: []string{"EXAMPLE"}},
			Names:    []lists.SanctionName{{Num: 9, Kind: "primary", Name: "ZARVONIA PETROLEUM TRADING CO"}},
			Places:   []lists.SanctionPlace{{Num: 9, Street: "1 Quay", City: "Port Example", Country: nasty}},
		}},
		BulletinsInAll: []lists.Bulletin{{Number: "2026-10", Date: "2026-03-02"}},
	}
	for _, m := range rows.Masters {
		rows.Pub78 = append(rows.Pub78, lists.Deductible{EIN: m.EIN, Name: m.Name, City: m.City, State: m.State, Country: "United States", Codes: "PC"})
	}
	x, acquire := screen.New(now, rows), c.Acquire
	c.Acquire = func() (*dataset.Dataset, func()) {
		d, release := acquire()
		other := *d
		other.Screen = x
		return &other, release
	}
}

// payer is a member on a plan.
func (p *place) payer(t *testing.T, email string, plan account.Plan) *person {
	t.Helper()
	v := p.member(t, email)
	if _, err := p.store.SetAccountPlan(t.Context(), email, plan); err != nil {
		t.Fatal(err)
	}
	return v
}

// left is what remains of a member's allowance.
func (p *place) left(t *testing.T, email string) int {
	t.Helper()
	a, err := p.store.AccountOf(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.store.Balance(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	return b.Remaining
}

// send sends a form with a file.
func (p *person) send(path string, fields map[string]string, name string, file []byte) page {
	p.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, v := range fields {
		if err := w.WriteField(k, v); err != nil {
			p.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = part.Write(file)
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return p.do(r)
}

// data is the content of the data URL of this media type on a page.
func data(t *testing.T, got page, kind string) []byte {
	t.Helper()
	m := regexp.MustCompile(`href="data:` + regexp.QuoteMeta(kind) + `;base64,([^"]*)"`).FindStringSubmatch(html.UnescapeString(got.body))
	if m == nil {
		t.Fatalf("no file of %s in %s", kind, main(got.body))
	}
	b, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// posted is the report that a page will send back.
func posted(t *testing.T, got page) string {
	t.Helper()
	for _, m := range hidden.FindAllStringSubmatch(got.body, -1) {
		if m[1] == "report" {
			return m[2]
		}
	}
	t.Fatalf("no report in %s", main(got.body))
	return ""
}

// TestCheck opens the screening pages as strangers and members, and checks what was
// charged.
func TestCheck(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	stranger, free, plus := p.visitor(t), p.payer(t, "free@example.org", account.Free), p.payer(t, "plus@example.org", account.Plus)

	want(t, stranger.get("/check"), 200, "everything below is invented")
	want(t, stranger.get("/check"), 200, `href="/signin?next=/check"`)
	want(t, stranger.get("/check/000000001"), 200, `href="/signin?next=/check/000000001"`)
	want(t, stranger.get("/check?q=00-0000001"), 303, "/check/000000001")
	want(t, stranger.get("/check?q=county+library"), 200, `<a href="/check/`)
	want(t, stranger.get("/check?q=zzqxv+wwkjq"), 200, "We have no filing by an organization with that name")
	want(t, stranger.post("/check/000000001", nil), 303, "/signin")
	want(t, stranger.get("/check/00-0000001"), 303, "/check/000000001")
	want(t, stranger.get("/check/nobody"), 404, "Page not found")
	want(t, stranger.get("/check/many"), 303, "/lists")

	// Both pages say the same of the free plan.
	want(t, free.get("/check"), 200, "Your free account includes one screening, without the evidence.")
	want(t, free.get("/account"), 200, "<li>One screening, without the evidence</li>")

	// Looking costs nothing; only our form does.
	want(t, plus.get("/check/000000001"), 200, "Screen now")
	want(t, plus.get("/check/000000001"), 200, "Maple Hollow Food Pantry")
	want(t, plus.get("/check/000000009"), 200, "This EIN is not in any of our lists or filings")
	want(t, plus.post("/check/000000001", nil), 403, "out of date")
	want(t, plus.post("/check/000000001", url.Values{"csrf": {free.csrf("/check/000000001")}}), 403, "out of date")
	if p.left(t, "plus@example.org") != 250 {
		t.Errorf("%d left after looking", p.left(t, "plus@example.org"))
	}
	got := plus.fill("/check/000000001", "/check/000000001", nil)
	want(t, got, 200, "Maple Hollow Food Pantry")
	want(t, got, 200, "Listed as exempt under section 501(c)(3)")
	want(t, got, 200, "List of March 9, 2026")
	want(t, got, 200, "Not screened: we know nothing from this list")
	want(t, got, 200, "live index")
	want(t, got, 200, "Elements of a report")
	want(t, got, 200, "249 calls left today")
	if p.left(t, "plus@example.org") != 249 {
		t.Errorf("%d left after a screening", p.left(t, "plus@example.org"))
	}

	// The downloads are the issued report, and cost nothing.
	document := data(t, got, "application/json")
	if form, err := jcs.Transform(document); err != nil || !bytes.Equal(form, document) {
		t.Errorf("the JSON is not in canonical form: %v", err)
	}
	verdict, err := p.verifyReport(t.Context(), document)
	if err != nil || verdict.Status() != report.Valid || *verdict.Subject.EIN != "000000001" {
		t.Fatalf("%+v, %v", verdict, err)
	}
	csrf := plus.csrf("/account")
	pdf := plus.post("/check/pdf", url.Values{"csrf": {csrf}, "report": {posted(t, got)}})
	if pdf.status != 200 || pdf.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(pdf.body, "%PDF-") ||
		pdf.header.Get("Content-Disposition") != `attachment; filename="screening-000000001-2026-03-10.pdf"` {
		t.Errorf("%d %v", pdf.status, pdf.header)
	}
	same, err := report.PDF(document)
	if err != nil || pdf.body != string(same) {
		t.Errorf("the PDF is not that of the report: %v", err)
	}
	changed := base64.RawURLEncoding.EncodeToString(bytes.Replace(document, []byte("PANTRY"), []byte("BANDIT"), 1))
	for _, bad := range []string{"", "x", "e30", changed} {
		want(t, plus.post("/check/pdf", url.Values{"csrf": {csrf}, "report": {bad}}), 422, "not a report of ours")
	}
	want(t, plus.post("/check/pdf", url.Values{"csrf": {csrf}, "report": {strings.Repeat("A", int(reportForm.most))}}), 413, "too much")
	if p.left(t, "plus@example.org") != 249 {
		t.Errorf("%d left after downloads", p.left(t, "plus@example.org"))
	}
	want(t, plus.get("/account"), 200, "1 call in this window")

	// The free plan has one screening, without evidence. A screening that finds nobody
	// does not use it up.
	want(t, free.fill("/check/000000009", "/check/000000009", nil), 200, "This EIN is not in any of our lists or filings")
	got = free.fill("/check/000000003", "/check/000000003", nil)
	want(t, got, 200, "the free plan leaves out the evidence")
	want(t, got, 200, "The name of a sanctioned entity resembles this one")
	want(t, got, 200, "You have used your free account's one screening")
	for _, evidence := range []string{"1 Quay", "Word on the list", "Elements of a report", "data:application/json", "/check/pdf", "The lists we used"} {
		if strings.Contains(got.body, evidence) {
			t.Errorf("%q is shown on the free plan", evidence)
		}
	}
	want(t, free.get("/check/000000001"), 200, "You have used your free account's one screening")
	got = free.post("/check/000000001", url.Values{"csrf": {free.csrf("/account")}})
	want(t, got, 402, "A free account includes one screening, and you have used yours")
	want(t, got, 402, "Move to the <b>Plus</b> plan: 250 calls a day")
	want(t, got, 402, `<a href="/plans">Compare all plans</a>`)
	if p.left(t, "free@example.org") != 48 {
		t.Errorf("%d left on the free plan", p.left(t, "free@example.org"))
	}
}

// TestCheckSpent screens until the allowance is used up. A free account still has
// its trial screening then.
func TestCheckSpent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	free, plus := p.payer(t, "free@example.org", account.Free), p.payer(t, "plus@example.org", account.Plus)
	for email, left := range map[string]int{"free@example.org": 50, "plus@example.org": 250} {
		a, err := p.store.AccountOf(t.Context(), email)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.store.Charge(t.Context(), a.ID, left); err != nil {
			t.Fatal(err)
		}
	}
	for _, who := range []*person{free, plus} {
		got := who.fill("/check/000000001", "/check/000000001", nil)
		want(t, got, 402, "You have reached the daily limit of your plan. It resets on March 11, 2026, 12:00 AM UTC.")
		if got.header.Get("Retry-After") != "34800" || strings.Contains(got.body, "Publication 78") {
			t.Errorf("%v", got.header)
		}
	}
	list := plus.makes("Grantees", "EIN\n000000001\n")
	want(t, plus.fill(list, list+"/screen", nil), 402, "reached the daily limit")
	if page := plus.get(list); !strings.Contains(page.body, "There are no screenings.") {
		t.Error("a screening that was refused is listed")
	}
	p.clock.forward(24 * time.Hour)
	want(t, free.fill("/check/000000001", "/check/000000001", nil), 200, "the free plan leaves out the evidence")
	if _, err := p.store.DeactivateAccount(t.Context(), "plus@example.org"); err != nil {
		t.Fatal(err)
	}
	want(t, plus.fill("/check/000000001", "/check/000000001", nil), 403, "inactive")
}

// TestCheckUnsigned screens without a trusted signing key: there is no report, so
// nothing is charged.
func TestCheckUnsigned(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	plus := p.payer(t, "plus@example.org", account.Plus)
	k, err := p.Ring.Current(t.Context())
	if err == nil {
		err = p.store.MarkCompromised(t.Context(), k.ID, p.clock.time().Add(-time.Second))
	}
	if err != nil {
		t.Fatal(err)
	}
	got := plus.fill("/check/000000001", "/check/000000001", nil)
	want(t, got, 503, "Reports cannot be signed")
	if strings.Contains(got.body, k.ID) || p.left(t, "plus@example.org") != 250 {
		t.Errorf("%d left, %s", p.left(t, "plus@example.org"), main(got.body))
	}
}

// TestRecords checks the pages of organizations in every state: evidence is shown,
// markup in a name is text, and no page tells people what they may do.
func TestRecords(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	plus := p.payer(t, "plus@example.org", account.Plus)
	for ein, texts := range map[string][]string{
		"000000001": {"Our data shows no flags", "All required elements are there"},
		"000000002": {"as of May 15, 2024, posted August 12, 2024", "1 entry on the list", "an element is missing, or a flag rules it out", "The IRS gave public notice"},
		"000000003": {"1 entity to compare", "1 Quay", "Word on the list", "ZARVONIA", "37%", "the same"},
		"000000004": {"does not allow it to operate", "Number CT0000004. Status: Delinquent; may operate: no"},
		"000000005": {nasty},
		"000000009": {"This EIN is not in any of our lists or filings", "Unknown organization"},
	} {
		got := plus.fill("/check/"+ein, "/check/"+ein, nil)
		for _, text := range texts {
			if !strings.Contains(strings.ToLower(html.UnescapeString(got.body)), strings.ToLower(text)) {
				t.Errorf("%s: no %q in\n%s", ein, text, got.body)
			}
		}
		for _, caveat := range append(screen.Caveats, liveIndex) {
			if !strings.Contains(html.UnescapeString(got.body), caveat) {
				t.Errorf("%s: the page does not say %q", ein, caveat)
			}
		}
		body := strings.ToLower(got.body)
		for _, bad := range []string{"may rely", "<script>alert", "can rely", "safe to"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: the page says %q", ein, bad)
			}
		}
		if regexp.MustCompile(`<[^>]* style=|<[^>]* on[a-z]+=|<script>`).MatchString(got.body) {
			t.Errorf("%s: the policy forbids something on the page", ein)
		}
		if n := strings.Count(got.body, `<li class="verdict `); n != len(lists.All()) {
			t.Errorf("%s: %d verdicts", ein, n)
		}
		if n := strings.Count(got.body, `<li class="verdict not_screened" id="list-ca_ftb">`); n != 1 {
			t.Errorf("%s: the list that was never loaded is not marked", ein)
		}
	}
}

// TestVerifyPage verifies reports: as issued, changed, issued by another server,
// and files that are no reports.
func TestVerifyPage(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	plus, anybody := p.payer(t, "plus@example.org", account.Plus), p.visitor(t)
	got := plus.fill("/check/000000003", "/check/000000003", nil)
	document := data(t, got, "application/json")
	pdf := plus.post("/check/pdf", url.Values{"csrf": {plus.csrf("/account")}, "report": {posted(t, got)}})
	if pdf.status != 200 {
		t.Fatal(pdf.status)
	}
	other := newPlace(t, withLists).payer(t, "plus@example.org", account.Plus)
	foreign := data(t, other.fill("/check/000000001", "/check/000000001", nil), "application/json")
	var indented bytes.Buffer
	if err := json.Indent(&indented, document, "", "  "); err != nil {
		t.Fatal(err)
	}
	const holds, broken, unknown = "This report is valid", "This report is NOT valid", "Cannot be verified"
	before := p.left(t, "plus@example.org")
	csrf := anybody.csrf("/verify")
	for _, tc := range []struct {
		name   string
		file   []byte
		pasted string
		status int
		texts  []string
	}{
		{"as it was", document, "", 200, []string{holds, "Zarvonia Petroleum Trading Company", "EIN 00-0000003", "March 10, 2026, 2:20 PM UTC", "Publication 78: March 9, 2026", "not screened"}},
		{"pasted", nil, "\n" + string(document) + "\n", 200, []string{holds}},
		{"indented", indented.Bytes(), "", 200, []string{holds}},
		{"the PDF", []byte(pdf.body), "", 200, []string{holds}},
		{"changed", bytes.Replace(document, []byte("potential_match"), []byte("clear"), 1), "", 200, []string{broken, "We could not confirm them"}},
		{"another name", bytes.ReplaceAll(document, []byte("ZARVONIA"), []byte(`<script>alert(1)</script>`)), "", 200, []string{broken, "<Script>Alert(1)</Script>"}},
		{"of another service", foreign, "", 200, []string{unknown, "not among the keys"}},
		{"garbage", []byte("%PDF-1.7\n\x00\xff garbage"), "", 422, []string{unknown}},
		{"other JSON", []byte(`{"a":1}`), "", 422, []string{unknown}},
		{"text", nil, "hello <b>", 422, []string{unknown}},
		{"nothing", nil, "", 422, []string{"Choose a file, or paste a report"}},
		{"long", bytes.Repeat([]byte{' '}, mostReport+1), "", 422, []string{"longer than a report can be, which is 2 MB"}},
		{"huge", bytes.Repeat([]byte{' '}, int(verifyForm.most)), "", 413, []string{"too much"}},
	} {
		got := anybody.send("/verify", map[string]string{"csrf": csrf, "text": tc.pasted}, "report", tc.file)
		body := html.UnescapeString(got.body)
		for _, text := range tc.texts {
			if got.status != tc.status || !strings.Contains(body, text) {
				t.Errorf("%s: %d, no %q in\n%s", tc.name, got.status, text, got.body)
			}
		}
		for _, word := range []string{holds, broken, unknown} {
			if strings.Contains(body, word) != slices.Contains(tc.texts, word) {
				t.Errorf("%s: the page says %q", tc.name, word)
			}
		}
		if strings.Contains(strings.ToLower(got.body), "<script>alert") {
			t.Errorf("%s: a name is run", tc.name)
		}
	}
	want(t, anybody.send("/verify", nil, "report", document), 403, "out of date")
	want(t, anybody.get("/verify?id=abc&utm_source=qr"), 200, "Verify a report")
	want(t, anybody.get("/verify?token=a+b%26c"), 303, "/confirm?token=a+b%26c")
	if p.left(t, "plus@example.org") != before {
		t.Error("verification was charged")
	}
	if keys, err := p.Ring.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	if err := p.store.Close(); err != nil {
		t.Fatal(err)
	}
	want(t, anybody.send("/verify", map[string]string{"csrf": csrf}, "report", document), 503, "try again")
}

// TestSampleRecord checks that the sample shows every mark, and is marked as a
// sample.
func TestSampleRecord(t *testing.T) {
	t.Parallel()
	marks := map[string]bool{}
	for _, v := range sample().Verdicts {
		marks[v.Mark] = true
	}
	if len(marks) != 3 {
		t.Errorf("the sample shows %v", marks)
	}
}

// TestNames checks that the pages have words for every term of a record.
func TestNames(t *testing.T) {
	t.Parallel()
	r := sample()
	for _, e := range r.Compliance.Reliance.Elements {
		if elementNames[e.ID] == "" {
			t.Errorf("the element %s has no name", e.ID)
		}
	}
	for _, f := range r.Compliance.Reliance.Flags {
		if flagNames[f.ID] == "" {
			t.Errorf("the flag %s has no name", f.ID)
		}
	}
	if len(r.Compliance.Reliance.Flags) != len(flagNames) || len(r.Compliance.Reliance.Elements) != len(elementNames) {
		t.Errorf("%d flags of %d, %d elements of %d", len(r.Compliance.Reliance.Flags), len(flagNames), len(r.Compliance.Reliance.Elements), len(elementNames))
	}
}

func TestWordRows(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range wordRows([]client.SanctionsAlignedWord{{Weight: 6}, {Weight: 3}, {Weight: 1}, {}}) {
		got = append(got, r.Share)
	}
	if want := []string{"60%, counts much", "30%", "10%, counts little", "none"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for f, want := range map[float64]string{1: "the same", .996: "nearly the same, 99%", .75: "similar, 75%"} {
		if got := alike(f); got != want {
			t.Errorf("%v: %s", f, got)
		}
	}
}
