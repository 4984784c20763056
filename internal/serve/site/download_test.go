package site

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
)

// asked shows a dataset to the operations of grants.
type asked struct{ set *dataset.Dataset }

func (a asked) Snapshot() *snapshot.Manifest { return &a.set.Snapshot.Manifest }
func (a asked) Lists() string                { return "" }

// withGrants lets pages use the operations of grants and profiles.
func withGrants(t *testing.T) func(*Config) {
	return func(c *Config) {
		operations := []api.Group{
			grants.Group(func(d api.Dataset) grants.Graph { return d.(asked).set.Graph }, nil),
			profiles.Group(profiles.Parts{
				Profiles: func(d api.Dataset) *profile.Index { return d.(asked).set.Profiles },
				Graph:    func(d api.Dataset) profiles.Graph { return profiles.In(d.(asked).set.Graph) },
				Screener: func(d api.Dataset) *screen.Screener { return nil },
				Nearest:  func(d api.Dataset) profile.Nearest { return nil },
				Clock:    c.Clock,
			}),
		}
		h, err := api.New(api.Config{BaseURL: c.BaseURL, Accounts: c.Accounts, Budget: c.Budget, Acquire: func() (api.Dataset, func()) { return nil, func() {} },
			Groups: operations, Examples: api.Examples{Groups: operations}})
		if err != nil {
			t.Fatal(err)
		}
		c.Ask = func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (client.Answer, func(), error) {
			q.Data = asked{d}
			return h.Ask(ctx, q)
		}
	}
}

// immediately is a timer that has run out.
func immediately(time.Duration) (<-chan time.Time, func() bool) {
	over := make(chan time.Time)
	close(over)
	return over, func() bool { return false }
}

// downloaded sends the form of a download.
func downloaded(t *testing.T, who *person, query, kind string) page {
	t.Helper()
	return who.fill("/download?"+query, "/download", map[string]string{"kind": kind})
}

func records(t *testing.T, body string) [][]string {
	t.Helper()
	list, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
	return list
}

// TestDownload downloads every tab and compares it with the API.
func TestDownload(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withGrants(t))
	ada := p.member(t, "ada@example.org")
	set, release := p.Acquire()
	defer release()
	ask := func(path, query string) client.Answer {
		t.Helper()
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		a, done, err := p.Ask(t.Context(), set, api.Inquiry{Path: path, Query: q})
		defer done()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := p.left(t, "ada@example.org")
	for i, query := range []string{"", "exclude=daf&min_amt=5000", "location=IL,CA&year=2018-2023&sort_by=funder_name"} {
		got := downloaded(t, ada, query, "csv")
		if got.status != 200 || got.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(got.header.Get("Content-Disposition"), `filename="grantgraph-grants-2026-03-10.csv"`) || got.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %d %v %.500s", query, got.status, got.header, got.body)
		}
		if left := p.left(t, "ada@example.org"); left != before-i-1 {
			t.Errorf("%d calls are left of %d after %d downloads", left, before, i+1)
		}
		rows := records(t, got.body)
		if !slices.Equal(rows[0], api.Headings(grants.GrantRow{})) {
			t.Errorf("columns are %v", rows[0])
		}
		column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
		var want []grants.GrantRow
		for cursor := ""; ; {
			list := ask("/grants/transactions", query+"&limit=1000"+cursor).(*api.List[grants.GrantRow])
			want = append(want, list.Results...)
			if list.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *list.NextCursor
		}
		if len(rows)-1 != len(want) || len(want) < 50 {
			t.Fatalf("%s: %d rows, the API has %d", query, len(rows)-1, len(want))
		}
		persons := 0
		for i := range want {
			row := rows[i+1]
			if want[i].Person() {
				persons++
				for _, name := range []string{"recip_id", "recip_ein", "recip_city", "recip_zipcode", "purpose", "support"} {
					if column(row, name) != "" {
						t.Errorf("%s of a person is %q", name, column(row, name))
					}
				}
				if column(row, "recip_name") != "an individual" || column(row, "recip_name_filed") != "an individual" || column(row, "amount") != strconv.FormatInt(want[i].Amount, 10) {
					t.Errorf("a person is %v", row)
				}
				for _, cell := range row {
					if len(want[i].RecipNameFiled) > 5 && strings.Contains(cell, want[i].RecipNameFiled) {
						t.Errorf("a person is named: %v", row)
					}
				}
				continue
			}
			if plain := api.Record(nil, want[i]); !slices.Equal(plain, row) {
				t.Errorf("%s: row %d is %v, want %v", query, i, row, plain)
			}
		}
		if persons == 0 {
			t.Errorf("%s: no person in this world", query)
		}
	}
	// Rankings: funders as in the API; recipients with one row for private persons and
	// one for unnamed recipients, which together make up all dollars.
	sum := ask("/grants/summary", "exclude=daf").(*grants.SummaryAnswer)
	for tab, count := range map[string]int64{"funders": sum.Summary.FunderCount, "recipients": -1, "summary": int64(len(sum.ByYear))} {
		rows := records(t, downloaded(t, ada, "tab="+tab+"&exclude=daf", "csv").body)
		at := slices.Index(rows[0], "total_amount")
		var dollars int64
		for _, row := range rows[1:] {
			n, err := strconv.ParseInt(row[at], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			dollars += n
		}
		if dollars != sum.Summary.TotalAmount || count >= 0 && int64(len(rows)-1) != count {
			t.Errorf("%s: %d rows with %d dollars, want %d with %d", tab, len(rows)-1, dollars, count, sum.Summary.TotalAmount)
		}
		if tab == "recipients" && (!strings.HasPrefix(rows[len(rows)-2][slices.Index(rows[0], "recip_name")], "Individuals (") || !strings.HasPrefix(rows[len(rows)-1][slices.Index(rows[0], "recip_name")], "Unidentified (")) {
			t.Errorf("the last rows are %v", rows[len(rows)-2:])
		}
	}
}

// TestDownloadIsCut checks that a file at the row limit is cut, and that the page
// says so first.
func TestDownloadIsCut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withGrants(t))
	ada := p.member(t, "ada@example.org")
	for _, most := range []int64{7, 1000, 1203} {
		p.files.most = most
		for _, tab := range []string{"grants", "recipients"} {
			if most > 7 && tab == "recipients" {
				continue
			}
			query := "tab=" + tab
			want(t, ada.get("/download?"+query), 200, "The first "+money.Grouped(most)+" rows of ")
			if rows := records(t, downloaded(t, ada, query, "csv").body); int64(len(rows)-1) != most {
				t.Errorf("%d rows of %s, want %d", len(rows)-1, tab, most)
			}
		}
	}
}

// TestDownloadIsRefused checks that refused downloads are not charged.
func TestDownloadIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withGrants(t))
	v := p.visitor(t)
	want(t, v.get("/download?location=OH,CA&query=a+%22b%22"), 303, "/signin?next="+url.QueryEscape("/download?location=OH,CA&query=a+%22b%22"))
	want(t, v.post("/download", url.Values{"query": {""}, "kind": {"csv"}}), 303, "/signin")
	ada := p.member(t, "ada@example.org")
	left := p.left(t, "ada@example.org")
	csrf := ada.csrf("/download")
	for _, c := range []struct {
		form   url.Values
		status int
		text   string
	}{
		{url.Values{"query": {""}, "kind": {"csv"}}, 403, "out of date"},
		{url.Values{"csrf": {csrf}, "query": {""}}, 422, "CSV or Excel"},
		{url.Values{"csrf": {csrf}, "query": {""}, "kind": {"exe"}}, 422, "CSV or Excel"},
		{url.Values{"csrf": {csrf}, "query": {"year=abc"}, "kind": {"csv"}}, 422, "not a fiscal year"},
		{url.Values{"csrf": {csrf}, "query": {"subject=SA0200"}, "kind": {"csv"}}, 422, "proprietary"},
		{url.Values{"csrf": {csrf}, "query": {"cause=B"}, "kind": {"csv"}}, 422, "cause"},
		{url.Values{"csrf": {csrf}, "query": {"%zz"}, "kind": {"csv"}}, 400, "cannot be read"},
		{url.Values{"csrf": {csrf}, "query": {"query=zzzzqqqq"}, "kind": {"xlsx"}}, 200, "Nothing matches"},
		{url.Values{"csrf": {csrf}, "query": {"query=" + strings.Repeat("a", 9000)}, "kind": {"xlsx"}}, 400, "cannot be read"},
	} {
		want(t, ada.post("/download", c.form), c.status, c.text)
	}
	if now := p.left(t, "ada@example.org"); now != left {
		t.Errorf("%d calls are left of %d", now, left)
	}
	// As many at once as allowed from the network of a free account, then no more. Whoever
	// pays has places of their own.
	var ends []func()
	network, _, err := net.SplitHostPort(ada.from)
	if err != nil {
		t.Fatal(err)
	}
	who, err := p.store.Session(t.Context(), ada.cookies["__Host-session"])
	if err != nil {
		t.Fatal(err)
	}
	for range downloadsEach {
		end, err := p.files.places.Begin(budget.Sender{Address: network})
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	want(t, ada.post("/download", url.Values{"csrf": {csrf}, "query": {""}, "kind": {"csv"}}), 503, "Nothing was counted")
	if end, err := p.files.places.Begin(budget.Sender{Address: network, Account: who.ID}); err != nil {
		t.Error(err)
	} else {
		end()
	}
	for _, end := range ends {
		end()
	}
	// The last call pays for a file; after it, downloads are refused.
	for range left - 1 {
		if _, err := p.store.Charge(t.Context(), who.ID, 1); err != nil {
			t.Fatal(err)
		}
	}
	form := url.Values{"csrf": {csrf}, "query": {"min_amt=100000"}, "kind": {"csv"}}
	want(t, ada.post("/download", form), 200, "grant_key,")
	want(t, ada.post("/download", form), 402, "Nothing was downloaded and nothing was counted.")
}

// TestDownloadFails checks that a file that cannot be started is not charged, and
// that a file that fails midway breaks off.
func TestDownloadFails(t *testing.T) {
	t.Parallel()
	var answers int
	p := newPlace(t, withGrants(t), func(c *Config) {
		ask := c.Ask
		c.Ask = func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (client.Answer, func(), error) {
			if q.Path == "/grants/transactions" {
				if answers--; answers < 0 {
					return nil, func() {}, fmt.Errorf("no more")
				}
			}
			return ask(ctx, d, q)
		}
	})
	ada := p.member(t, "ada@example.org")
	left := p.left(t, "ada@example.org")
	csrf := ada.csrf("/download")
	form := url.Values{"csrf": {csrf}, "query": {""}, "kind": {"csv"}}
	want(t, ada.post("/download", form), 500, "could not show")
	if now := p.left(t, "ada@example.org"); now != left {
		t.Errorf("%d calls are left of %d", now, left)
	}
	answers = 1
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("a file that ends too early looks whole")
			}
		}()
		ada.post("/download", form)
	}()
	if now := p.left(t, "ada@example.org"); now != left-1 {
		t.Errorf("%d calls are left of %d", now, left)
	}
}

// TestDownloadBusy checks that a download without memory is refused and not
// charged.
func TestDownloadBusy(t *testing.T) {
	t.Parallel()
	b := budget.New(64<<20, budget.Options{Timer: immediately})
	p := newPlace(t, func(c *Config) { c.Budget = b }, withGrants(t))
	ada := p.member(t, "ada@example.org")
	left := p.left(t, "ada@example.org")
	csrf := ada.csrf("/download")
	hold, err := b.Take(t.Context(), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	hold.Resize(64 << 20)
	want(t, ada.post("/download", url.Values{"csrf": {csrf}, "query": {""}, "kind": {"csv"}}), 503, "too busy")
	hold.Release()
	want(t, ada.post("/download", url.Values{"csrf": {csrf}, "query": {""}, "kind": {"csv"}}), 200, "grant_key,")
	if now := p.left(t, "ada@example.org"); now != left-1 || b.Held() != 0 {
		t.Errorf("%d calls are left of %d, %d bytes are held", now, left, b.Held())
	}
}

// TestWorkbook reads a workbook with only zip and XML.
func TestWorkbook(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withGrants(t))
	ada := p.payer(t, "ada@example.org", account.Plus)
	const query = "location=IL&min_amt=1000"
	plain := records(t, downloaded(t, ada, query, "csv").body)
	got := downloaded(t, ada, query, "xlsx")
	if got.status != 200 || !strings.HasSuffix(got.header.Get("Content-Disposition"), `.xlsx"`) {
		t.Fatalf("%d %v", got.status, got.header)
	}
	rows, about := readSheet(t, got.body, 1), readSheet(t, got.body, 2)
	if len(rows) != len(plain) {
		t.Fatalf("%d rows, CSV has %d", len(rows), len(plain))
	}
	if rows[0][1].text != "Funder's EIN" || plain[0][1] != "funder_ein" || rows[1][1].text != plain[1][1] || rows[1][1].kind == "" {
		t.Errorf("the second column is %q, %v", rows[0][1].text, rows[1][1])
	}
	for i := 1; i < len(rows); i++ {
		for j, cell := range plain[i] {
			c := rows[i][j]
			if plain[0][j] == "amount" && c.kind != "" {
				t.Errorf("an amount is %q", c.kind)
			}
			if c.kind == "b" { // a workbook keeps true and false as 1 and 0
				c.text = map[string]string{"0": "false", "1": "true"}[c.text]
			}
			if c.text != strings.TrimPrefix(cell, "'") && c.text != cell {
				t.Errorf("row %d has %q in %s, CSV has %q", i, c.text, plain[0][j], cell)
			}
		}
	}
	var said strings.Builder
	for _, row := range about {
		fmt.Fprintln(&said, row[0].text, "|", row[1].text)
	}
	set, release := p.Acquire()
	defer release()
	for _, part := range []string{"Selection | Grants to recipients in Illinois, of $1,000 and more", "https://grants.example/explore?" + query, "https://grants.example/api/v1/grants/transactions?" + query, set.Version(), "March 10, 2026"} {
		if !strings.Contains(said.String(), part) {
			t.Errorf("no %q in:\n%s", part, said.String())
		}
	}
}

type sheetCell struct{ kind, text string }

// readSheet returns the cells of a sheet by row; missing cells are empty.
func readSheet(t *testing.T, body string, n int) (rows [][]sheetCell) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader([]byte(body)), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("xl/worksheets/sheet" + strconv.Itoa(n) + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				At     string `xml:"r,attr"`
				Kind   string `xml:"t,attr"`
				Value  string `xml:"v"`
				Inline string `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	if err := xml.Unmarshal(text, &sheet); err != nil {
		t.Fatal(err)
	}
	for _, r := range sheet.Rows {
		row := make([]sheetCell, 60)
		for _, c := range r.Cells {
			letters := strings.TrimRight(c.At, "0123456789")
			at := 0
			for _, l := range letters {
				at = at*26 + int(l-'A') + 1
			}
			row[at-1] = sheetCell{c.Kind, c.Value + c.Inline}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestDownloadProspects downloads the prospects of an organization, for one call.
func TestDownloadProspects(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withGrants(t))
	stranger, free, plus := p.visitor(t), p.payer(t, "free@example.org", account.Free), p.payer(t, "plus@example.org", account.Plus)
	set, release := p.Acquire()
	defer release()
	rows, _, err := set.Graph.Recipients(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	at := ""
	for _, r := range rows {
		if r.EIN != ein.None {
			at = "/download/prospects?ein=" + r.EIN.String() + "&funder_type=private_foundation"
			if !strings.Contains(plus.get(at).body, "there is no file") {
				break
			}
		}
	}
	want(t, stranger.get(at), 303, "/signin?next="+url.QueryEscape(at))
	want(t, free.get(at), 402, "Prospects is part of the Plus plan")
	before := p.left(t, "plus@example.org")
	want(t, plus.get(at), 200, "A download counts as one call.")
	if left := p.left(t, "plus@example.org"); left != before {
		t.Errorf("%d calls are left of %d after a look", left, before)
	}
	got := plus.fill(at, "/download/prospects", map[string]string{"kind": "csv"})
	want(t, got, 200, "funder_ein,funder_name,funder_city,")
	if got.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(got.header.Get("Content-Disposition"), "2026-03-10.csv") {
		t.Errorf("the file has %v", got.header)
	}
	if left := p.left(t, "plus@example.org"); left != before-1 {
		t.Errorf("%d calls are left of %d after a download", left, before)
	}
	lines := records(t, got.body)
	kind := slices.Index(lines[0], "funder_type")
	for _, line := range lines[1:] {
		if line[kind] != "private_foundation" {
			t.Errorf("%v is of another kind", line)
		}
	}
	if len(lines) < 2 {
		t.Error("the file is empty")
	}
	book := plus.fill(at, "/download/prospects", map[string]string{"kind": "xlsx"})
	if rows := readSheet(t, book.body, 1); len(rows) != len(lines) || rows[0][0].text != "Funder's EIN" || rows[1][0].kind == "" {
		t.Errorf("the workbook has %d rows, the other file has %d", len(rows), len(lines))
	}
	csrf := plus.csrf(at)
	for query, status := range map[string]int{"": 400, "%zz": 400, "ein=12": 400, "ein=999999999": 400, strings.TrimPrefix(at, "/download/prospects?") + "&min_amt=x": 422} {
		want(t, plus.post("/download/prospects", url.Values{"csrf": {csrf}, "query": {query}, "kind": {"csv"}}), status, "tart again from the Prospects page")
	}
	if left := p.left(t, "plus@example.org"); left != before-2 {
		t.Errorf("%d calls are left of %d after what was refused", left, before)
	}
}
