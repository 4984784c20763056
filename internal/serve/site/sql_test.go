package site

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/site/manual"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
)

// TestSQLPage looks for every table, column and example on the page, which must
// work without scripts.
func TestSQLPage(t *testing.T) {
	t.Parallel()
	got := newPlace(t).visitor(t).get("/sql")
	want(t, got, 200, "Ask in SQL")
	body := html.UnescapeString(got.body)
	has := func(what, text string) {
		t.Helper()
		if !strings.Contains(body, text) {
			t.Errorf("%s: %q is missing", what, text)
		}
	}
	schema := warehouse.Describe()
	if len(schema.Tables) == 0 {
		t.Fatal("there are no tables")
	}
	for _, v := range schema.Tables {
		start := strings.Index(body, `<details class="table" id="table-`+v.Name+`"`)
		if start < 0 {
			t.Errorf("table %s is missing", v.Name)
			continue
		}
		table, _, _ := strings.Cut(body[start:], "</details>")
		for _, c := range v.Columns {
			if !strings.Contains(table, `<code data-insert="`+c.Name+`">`+c.Name+`</code> <small class="type">`+c.Type) || !strings.Contains(table, c.Meaning) {
				t.Errorf("column %s.%s is missing", v.Name, c.Name)
			}
		}
		if pro := strings.Contains(table, ">Pro<"); pro != v.Pro {
			t.Errorf("table %s is marked as Pro: %t", v.Name, pro)
		}
		for _, e := range v.Examples {
			if !strings.Contains(table, e.Question) || !strings.Contains(table, url.QueryEscape(e.SQL)) {
				t.Errorf("example %q of %s is missing", e.Question, v.Name)
			}
		}
	}
	for _, r := range schema.Rules {
		has("rule", r)
	}
	has("curl", "'https://grants.example/api/v1/sql'")
	has("function", "<code>find_org(name)</code>")
}

// TestSQLPageIsStrict checks that the page needs no looser security policy, and
// that no field of its form can end up in an address.
func TestSQLPageIsStrict(t *testing.T) {
	t.Parallel()
	got := newPlace(t).visitor(t).get("/sql")
	policy := got.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "script-src 'self'") || !strings.Contains(policy, "style-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, bad := range []*regexp.Regexp{
		regexp.MustCompile(`<script(?:>| [^>]*>)\s*[^<\s]`), regexp.MustCompile(`<style`), regexp.MustCompile(`<[^>]* style=`), regexp.MustCompile(`<[^>]* on[a-z]+=`),
	} {
		if found := bad.FindString(got.body); found != "" {
			t.Errorf("the policy forbids %q", found)
		}
	}
	// The form is sent in a body, never in an address.
	if form := regexp.MustCompile(`<form id="sql"[^>]*>`).FindString(got.body); !strings.Contains(form, `method="post"`) {
		t.Errorf("the form is %s", form)
	}
}

var exampleIn = regexp.MustCompile(`<a class="example" href="/sql\?q=([^"]*)"`)

// TestSQLExamplesInLinks reads the links of the examples.
func TestSQLExamplesInLinks(t *testing.T) {
	t.Parallel()
	got := newPlace(t).visitor(t).get("/sql")
	var linked []string
	for _, m := range exampleIn.FindAllStringSubmatch(got.body, -1) {
		sql, err := url.QueryUnescape(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatalf("%q: %v", m[1], err)
		}
		linked = append(linked, sql)
	}
	for _, v := range warehouse.Views() {
		for _, e := range v.Examples {
			if !slices.Contains(linked, e.SQL) {
				t.Errorf("no link fills in %q", e.SQL)
			}
		}
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]template.HTML{
		"":                "",
		"plain":           "plain",
		"`a` and `b`":     "<code>a</code> and <code>b</code>",
		"never `closed":   "never closed",
		"``":              "",
		"call `f('x')`: ": "call <code>f(&#39;x&#39;)</code>: ",
	} {
		if got := manual.Prose(in); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}

// withSQL gives a site workers that run queries on the small world.
func withSQL(t *testing.T) func(*Config) {
	return func(c *Config) {
		holder, err := dataset.Open(world.Small.Data(t), dataset.Options{SQL: &sqlbox.Options{Workers: 2, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(holder.Close)
		c.Acquire = holder.Acquire
	}
}

// asks runs a query as the form does.
func (p *person) queries(sql string, more ...string) page {
	p.t.Helper()
	fields := map[string]string{"q": sql}
	for i := 0; i < len(more); i += 2 {
		fields[more[i]] = more[i+1]
	}
	return p.fill("/sql", "/sql", fields)
}

// TestRunSQL runs queries for accounts and keys of every plan, and checks their
// cost.
func TestRunSQL(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withSQL(t))
	free, plus, pro := p.payer(t, "free@example.org", account.Free), p.payer(t, "plus@example.org", account.Plus), p.payer(t, "pro@example.org", account.Pro)
	stranger := p.visitor(t)
	secret, key, err := p.store.Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	locked, lockedKey, err := p.store.Create(t.Context(), account.Plus, "", "")
	if err == nil {
		_, err = p.store.Deactivate(t.Context(), lockedKey.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	const one, proTable = "SELECT 41 + 1 AS answer", "SELECT count(*) AS n FROM board_link"
	for _, tc := range []struct {
		name   string
		who    *person
		sql    string
		more   []string
		status int
		text   string
		cost   int // the account on Plus
	}{
		{"plus", plus, one, nil, 200, ">42<", 1},
		{"plus, what is left", plus, one, nil, 200, "248 calls left today", 1},
		{"plus, a Pro table", plus, proTable, nil, 403, "board_link", 0},
		{"plus, nonsense", plus, "SELEC 1", nil, 400, "Try:", 0},
		{"plus, empty", plus, " ", nil, 400, "There is no query", 0},
		{"plus, more than reads", plus, "DELETE FROM grants", nil, 400, "DELETE", 0},
		{"plus, fails while it runs", plus, "SELECT error('boom') FROM grants", nil, 400, "boom", 1},
		{"plus, too long", plus, "SELECT '" + strings.Repeat("x", mostSQL) + "'", nil, 400, "at most 65536 are read", 0},
		{"plus, far too long", plus, strings.Repeat("%", int(sqlForm.most)), nil, 413, "That is too much", 0},
		{"plus, a NUL", plus, "SELECT 1\x00", nil, 400, "NUL", 0},
		{"pro", pro, proTable, nil, 200, "calls left this month", 0},
		{"free", free, one, nil, 402, "Your plan does not include SQL", 0},
		{"free with a key", free, one, []string{"key", secret}, 200, ">42<", 0},
		{"stranger", stranger, one, nil, 403, "A key is needed", 0},
		{"stranger with a key", stranger, one, []string{"key", " " + secret + " "}, 200, ">42<", 0},
		{"stranger with a key, a Pro table", stranger, proTable, []string{"key", secret}, 403, "board_link", 0},
		{"stranger with a wrong key", stranger, one, []string{"key", "gg_p_wrong"}, 403, "Try:", 0},
		{"stranger with a long key", stranger, one, []string{"key", strings.Repeat("x", 1000)}, 403, "That is not a key", 0},
		{"stranger with an inactive key", stranger, one, []string{"key", locked}, 403, "inactive", 0},
	} {
		before := p.left(t, "plus@example.org")
		got := tc.who.queries(tc.sql, tc.more...)
		if got.status != tc.status || !strings.Contains(html.UnescapeString(got.body), tc.text) {
			t.Errorf("%s: %d, %.2000s", tc.name, got.status, regexp.MustCompile(`(?s)<div id="answer".*?</div>`).FindString(got.body))
		}
		cost := before - p.left(t, "plus@example.org")
		if cost != tc.cost {
			t.Errorf("%s costs %d", tc.name, cost)
		}
		if strings.Contains(got.body, `id="sql-problem"`) && strings.Contains(got.body, "Nothing was counted") != (cost == 0) {
			t.Errorf("%s costs %d, and says otherwise", tc.name, cost)
		}
		if strings.Contains(got.body, secret) || strings.Contains(got.body, locked) {
			t.Errorf("%s: the key is in the page", tc.name)
		}
		if got.status < 400 && got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", tc.name, got.header)
		}
	}
	if b, err := p.store.Balance(t.Context(), key.ID); err != nil || b.Remaining != b.Limit-2 {
		t.Errorf("%+v, %v", b, err)
	}
	// Only our own form runs a query for an account.
	before := p.left(t, "plus@example.org")
	want(t, plus.post("/sql", url.Values{"q": {one}}), 403, "out of date")
	r := httptest.NewRequest("POST", "/sql", strings.NewReader(url.Values{"q": {one}, "key": {secret}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	want(t, stranger.do(r), 403, "came from another site")
	want(t, plus.get("/sql?q="+url.QueryEscape(one)), 200, one)
	if p.left(t, "plus@example.org") != before {
		t.Error("looking has cost something")
	}
	// Until the allowance is used up.
	if _, err := p.store.Charge(t.Context(), accountOf(t, p, "plus@example.org"), before); err != nil {
		t.Fatal(err)
	}
	spent := plus.queries(one)
	want(t, spent, 402, "Daily limit reached")
	if spent.header.Get("Retry-After") == "" {
		t.Error(spent.header)
	}
}

func accountOf(t *testing.T, p *place, email string) string {
	t.Helper()
	a, err := p.store.AccountOf(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// TestSQLWithout tries a server without a warehouse, and one without memory.
func TestSQLWithout(t *testing.T) {
	t.Parallel()
	plus := newPlace(t).payer(t, "plus@example.org", account.Plus)
	want(t, plus.queries("SELECT 1"), 503, "SQL is not available")
	b := budget.New(8<<20, budget.Options{Timer: immediately})
	p := newPlace(t, withSQL(t), func(c *Config) { c.Budget = b })
	plus = p.payer(t, "plus@example.org", account.Plus)
	if got := plus.queries("SELECT 1"); got.status != 503 || p.left(t, "plus@example.org") != 250 {
		t.Errorf("%d, %d left", got.status, p.left(t, "plus@example.org"))
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// TestGalleryRuns runs every example through the page: it has rows, and its view is
// available.
func TestGalleryRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withSQL(t))
	pro, stranger := p.payer(t, "pro@example.org", account.Pro), p.visitor(t)
	list := stranger.get("/sql")
	for _, q := range warehouse.Gallery() {
		if !strings.Contains(list.body, `href="/sql/`+q.Slug+`"`) {
			t.Errorf("%s is not in the gallery", q.Slug)
		}
		at := stranger.get("/sql/" + q.Slug)
		want(t, at, 200, q.SQL)
		want(t, at, 200, `<link rel="canonical" href="https://grants.example/sql/`+q.Slug+`">`)
		want(t, at, 200, q.Title)
		if at.header.Get("X-Robots-Tag") == "noindex" && !strings.Contains(at.body, `class="invented"`) {
			t.Errorf("%s is not to be indexed", q.Slug)
		}
		got := pro.queries(q.SQL, "view", q.View)
		want(t, got, 200, "<tbody>")
		if !strings.Contains(got.body, `id="view-`+q.View+`" value="`+q.View+`" checked`) {
			t.Errorf("%s has no %s: %s", q.Slug, q.View, regexp.MustCompile(`(?s)<ul class="hint why">.*?</ul>`).FindString(got.body))
		}
	}
	want(t, stranger.get("/sql/no-such-query"), 404, "not found")
}

// TestSQLAddress opens a shared link: it fills in the editor and runs nothing.
func TestSQLAddress(t *testing.T) {
	t.Parallel()
	v := newPlace(t).visitor(t)
	for _, q := range []string{"SELECT 'a+b & 100%' AS \"é\"\n-- #x", "</textarea><script>alert(1)</script>", "\nSELECT 1", strings.Repeat("x", 2500)} {
		got := v.get("/sql?view=bar&q=" + url.QueryEscape(q))
		want(t, got, 200, ">\n"+q+"</textarea>")
		if strings.Contains(got.body, "<script>alert") || !strings.Contains(got.body, `<input type="hidden" name="view" form="sql" value="bar">`) {
			t.Errorf("%q: %s", q, got.body)
		}
		if strings.Contains(got.body, `id="rows"`) {
			t.Errorf("%q was run", q)
		}
	}
	want(t, v.get("/sql?q=%00SELECT%ff"), 200, "SELECT\uFFFD</textarea>")
	want(t, v.get("/sql?view=%3Cscript%3E"), 200, `name="view" form="sql" value=""`)
	want(t, v.get("/sql?q="+strings.Repeat("x", longestAddress)), 414, "too long")
	if len(v.cookies) != 0 {
		t.Errorf("looking at the page sets %v", v.cookies)
	}
}

// TestSQLFiles downloads results.
func TestSQLFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withSQL(t))
	plus := p.payer(t, "plus@example.org", account.Plus)
	got := plus.queries("SELECT '=1+1' AS a, 5 AS b", "as", "csv")
	if got.status != 200 || got.body != "\ufeffa,b\n'=1+1,5\n" || got.header.Get("Content-Disposition") != `attachment; filename="grantgraph-query-2026-03-10.csv"` {
		t.Errorf("%d %v %q", got.status, got.header, got.body)
	}
	got = plus.queries("SELECT '=1+1' AS a, 5 AS b", "as", "xlsx")
	if got.status != 200 || !strings.HasPrefix(got.body, "PK") {
		t.Errorf("%d %v %.100q", got.status, got.header, got.body)
	}
	if n := p.left(t, "plus@example.org"); n != 248 {
		t.Errorf("%d left", n)
	}
}

// TestSQLHostile shows cells that contain markup.
func TestSQLHostile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withSQL(t))
	plus := p.payer(t, "plus@example.org", account.Plus)
	got := plus.queries(`SELECT '<script>alert(1)</script>' AS "<b>", '"><img src=x onerror=alert(1)>' AS ein, 'javascript:alert(1)' AS grant_key, chr(0) || chr(8238) || 'x' AS odd, repeat('<', 10000) AS long, 7 AS n`, "view", "bar")
	want(t, got, 200, "This page cuts long texts")
	for _, bad := range []string{"<script>alert", "<img", "<b>\"", `href="javascript`, "\x00", "\u202e"} {
		if strings.Contains(main(got.body), bad) || strings.Contains(got.body, "<script>alert") {
			t.Errorf("the page has %q", bad)
		}
	}
	// The most rows and columns.
	columns := make([]string, 60)
	for i := range columns {
		columns[i] = fmt.Sprintf("repeat('%c', 200) AS c%d", 'a'+i%26, i)
	}
	got = plus.queries("SELECT " + strings.Join(columns, ", ") + " FROM range(1300)")
	want(t, got, 200, "This page shows the first")
	want(t, got, 200, "CSV (uses one more call)")
	if len(got.body) > 6<<20 {
		t.Errorf("the page has %d bytes", len(got.body))
	}
}

// TestEditorSchema checks the names that the editor completes.
func TestEditorSchema(t *testing.T) {
	t.Parallel()
	v := newPlace(t).visitor(t)
	address := regexp.MustCompile(`data-schema="([^"]*)"`).FindStringSubmatch(v.get("/sql").body)
	if address == nil {
		t.Fatal("there is no schema")
	}
	got := v.get(html.UnescapeString(address[1]))
	var s editorSchema
	if err := json.Unmarshal([]byte(got.body), &s); err != nil || len(s.Tables) != len(warehouse.Views()) || len(s.Functions) < 100 || !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v, %d tables, %v", err, len(s.Tables), got.header)
	}
	if other := v.get(schemaPath + "?v=old"); other.body != got.body || strings.Contains(other.header.Get("Cache-Control"), "immutable") {
		t.Error(other.header)
	}
	r := httptest.NewRequest("GET", schemaPath, nil)
	r.Header.Set("If-None-Match", got.header.Get("ETag"))
	want(t, v.do(r), 304, "")
}
