package site

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n              int64
		short, compact string
	}{
		{0, "$0", "$0"},
		{7, "$7", "$7"},
		{999, "$999", "$999"},
		{1000, "$1,000", "$1.0k"},
		{123456, "$123,456", "$123.5k"},
		{1234567, "$1.2 million", "$1.2M"},
		{2_100_000_000, "$2.1 billion", "$2.1B"},
		{1_500_000_000_000, "$1.5 trillion", "$1.5T"},
	} {
		if s, c := frame.Short(tc.n), frame.Compact(tc.n); s != tc.short || c != tc.compact {
			t.Errorf("%d: %s, %s", tc.n, s, c)
		}
	}
}

func TestWhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ city, state, country, want string }{
		{"FORT MYERS", "FL", "", "Fort Myers, FL"},
		{"", "FL", "", "FL"},
		{"BERLIN", "", "GM", "Berlin, Germany"},
		{"", "", "GM", "Germany"},
		{"NOWHERE", "", "??", "Nowhere, ??"},
		{},
	} {
		if got := frame.Place(tc.city, tc.state, tc.country); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}

func TestBarsStayInTheChart(t *testing.T) {
	t.Parallel()
	for _, years := range [][]year{nil, {{Year: 2020}}, {{Year: 2020, Amount: 5, Grants: 1}, {Year: 2021, Amount: 50_000_000_000, Grants: 9}, {Year: 2024, Amount: 1, Grants: 1, Partial: true}}} {
		c := bars(years)
		if n := len(years); n > 0 && len(c.Bars) != years[n-1].Year-years[0].Year+1 || n == 0 && len(c.Bars) != 0 {
			t.Fatalf("%d bars for %v", len(c.Bars), years)
		}
		for i, b := range c.Bars {
			if b.Year != years[0].Year+i || (b.Height > 0) != (b.Amount > 0) || b.Y < 0 || b.Y+b.Height != c.Base || b.X+b.Width > c.Width || (b.Label == "–") != (b.Grants == 0) {
				t.Errorf("%+v in %d by %d", b, c.Width, c.Height)
			}
		}
	}
}

// TestStaticMethods asks for a file by methods that nothing answers.
func TestStaticMethods(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, method := range []string{"POST", "OPTIONS", "DELETE"} {
		r := httptest.NewRequest(method, "https://grants.example/static/style.css", nil)
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, r)
		if rec.Code != 405 || rec.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %v", method, rec.Code, rec.Header())
		}
	}
}

// TestSearchWithoutScript asks the search box as a browser without scripts does.
func TestSearchWithoutScript(t *testing.T) {
	t.Parallel()
	v := newPlace(t).visitor(t)
	want(t, v.get("/search?q=county+library"), 200, `value="county library"`)
	want(t, v.get("/search?q=county+library"), 200, `<a href="/org/`)
	want(t, v.get("/?q=county+library"), 301, "/search?q=county+library")
	want(t, v.get("/check?q=zzqxv+wwkjq"), 200, "No organization by that name")
	want(t, v.get("/static/"), 404, "")

	want(t, v.get("/static/style.css"), 200, "{")
}

// TestOrgPageCounts looks at what the page of an organization says of its
// numbers: one grant is no grants, and a list that is cut says so.
func TestOrgPageCounts(t *testing.T) {
	t.Parallel()
	s := newPlace(t)
	for _, tc := range []struct {
		known          string
		gave, received flow
		want           []string
	}{
		{
			gave:     flow{Totals: graph.Totals{Amount: 5, Grants: 1, Recipients: 1}, Recipients: make([]graph.RecipientTotal, 1), Years: []year{{Year: 2020}}},
			received: flow{Totals: graph.Totals{Amount: 5, Grants: 1, Funders: 1}, Funders: make([]graph.FunderTotal, 1)},
			want:     []string{">1 grant to 1 recipient.<", ">1 grant whose recipient was identified as this organization.<"},
		},
		{
			gave:     flow{Totals: graph.Totals{Amount: 5, Grants: 1200, Recipients: 372}, Recipients: make([]graph.RecipientTotal, 25), Years: []year{{Year: 2020}, {Year: 2025, Partial: true}}},
			received: flow{Totals: graph.Totals{Amount: 5, Grants: 40, Funders: 30}, Funders: make([]graph.FunderTotal, 25)},
			want:     []string{">1,200 grants to 372 recipients. Years drawn fainter are incomplete", ">These 25 of 372 recipients received most. <", "grants/recipients?funder_id=", ">These 25 of 30 funders gave most. <", "grants/funders?recip_id="},
		},
		{
			known:    search.FromGrants,
			received: flow{Totals: graph.Totals{Amount: 5, Grants: 2, Funders: 1}, Funders: make([]graph.FunderTotal, 1)},
			want:     []string{"known only from the grants that one filer lists,"},
		},
		{
			known:    search.FromGrants,
			received: flow{Totals: graph.Totals{Amount: 5, Grants: 2, Funders: 2}, Funders: make([]graph.FunderTotal, 2)},
			want:     []string{"known only from the grants that other filers list,"},
		},
	} {
		w := httptest.NewRecorder()
		s.pages.Render(w, 200, "org", orgPage{Head: frame.Head{Title: "EXAMPLE FUND"}, Org: search.Result{Name: "EXAMPLE FUND", Known: tc.known}, Gave: tc.gave, Received: tc.received})
		for _, want := range append(tc.want, "<title>Example Fund · Grantgraph</title>") {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("no %q in %s", want, w.Body)
			}
		}
	}
}

// TestOrgPageLinks follows what the pages of the largest funders link to: every
// recipient with an EIN has a page, also when only a grant line names it.
func TestOrgPageLinks(t *testing.T) {
	t.Parallel()
	s := newPlace(t)
	v := s.visitor(t)
	set, release := s.Acquire()
	defer release()
	funders, _, err := set.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`<td><a href="(/org/[^"]+)"`)
	followed, fromGrants := map[string]bool{}, 0
	for _, f := range funders {
		totals, _, err := set.Graph.Recipients(t.Context(), &graph.Filter{Funders: []ein.EIN{f.EIN}}, graph.Sort{}, graph.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range totals {
			org, ok := set.Search.Lookup(r.EIN)
			if !ok && r.EIN != ein.None {
				t.Errorf("%s has no page", r.EIN)
			}
			if org.Known == search.FromGrants {
				fromGrants++
			}
		}
		page := v.get("/org/" + f.EIN.String() + "/" + search.Slug(f.Name))
		for _, m := range link.FindAllStringSubmatch(page.body, -1) {
			if followed[m[1]] {
				continue
			}
			followed[m[1]] = true
			if to := v.get(m[1]); to.status != 200 && to.status != 301 {
				t.Errorf("%s is linked from the page of %s and answers %d", m[1], f.EIN, to.status)
			}
		}
	}
	if len(followed) == 0 || fromGrants == 0 {
		t.Errorf("%d links, %d recipients that only grant lines name: this world shows nothing", len(followed), fromGrants)
	}
}
