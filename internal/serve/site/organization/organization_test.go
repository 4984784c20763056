package organization_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/organization"
	"grantgraph/internal/snapshot"
)

var parts = []string{"", "/grants", "/funders", "/recipients", "/network", "/prospects", "/finances", "/people", "/government", "/screening"}

// TestParts opens every part of organizations of every kind, without signing in.
func TestParts(t *testing.T) {
	t.Parallel()
	p := open(t)
	for kind, list := range p.kinds(t) {
		for _, e := range list {
			home := p.home(t, e)
			org, _ := p.set.Search.Lookup(e)
			for _, part := range parts {
				for _, plan := range []string{"", "free", "plus", "pro"} {
					page := p.get(t, home+part, plan)
					page.want(t, home+part, 200, "<h1>"+orgname.Display(org.Name)+"</h1>", "EIN "+e.Hyphenated(), `aria-current="page"`)
					if part != "/prospects" && part != "/people" && part != "/government" && part != "/screening" && !strings.Contains(page.body, `<link rel="canonical" href="https://grants.example`+home+part+`">`) {
						t.Errorf("%s has another canonical address", home+part)
					}
				}
			}
			first := p.get(t, home)
			first.want(t, home, 200, `"taxID":"`+e.Hyphenated()+`"`, `content="https://grants.example/share/org/`+e.String()+`.png"`)
			switch kind {
			case "grants":
				first.want(t, home, 200, "We know it only from grants that", "We have no return of this organization, and")
			case "master file":
				first.want(t, home, 200, "We found no grants by this organization or to it in the filings we have.")
			case "funder":
				first.want(t, home, 200, "We found no grants to this organization.", "Form 990")
			}
		}
	}
}

// TestOverview compares the figures of the overview with sums over all rows.
func TestOverview(t *testing.T) {
	t.Parallel()
	p := open(t)
	all := p.rows(t)
	for kind, list := range p.kinds(t) {
		for _, e := range list {
			var gave, got []int64
			names := map[string]int64{}
			persons := graph.Cost{}
			for _, r := range all {
				if r.Funder.EIN == e {
					gave = append(gave, r.Amount)
					if r.Recipient.EIN != ein.None {
						names[r.Recipient.Name] += r.Amount
					} else if r.Recipient.Classes&graph.Individuals != 0 {
						persons.Grants++
						persons.Amount += r.Amount
					}
				}
				if r.Recipient.EIN == e {
					got = append(got, r.Amount)
				}
			}
			home := p.home(t, e)
			page := p.get(t, home)
			for word, amounts := range map[string][]int64{"Gave": gave, "Received": got} {
				if len(amounts) == 0 {
					continue
				}
				slices.Sort(amounts)
				sum := int64(0)
				for _, a := range amounts {
					sum += a
				}
				k := len(amounts)
				median := (float64(amounts[(k-1)/2]) + float64(amounts[k/2])) / 2
				page.want(t, home, 200, "<h3>"+word+"</h3><p class=\"figure\"><b>"+frame.Short(sum)+"</b>", "Median grant "+money.Dollars(int64(median+.5))+".")
			}
			if persons.Grants > 0 {
				page.want(t, home, 200, "Individuals<small>", money.Dollars(persons.Amount))
			}
			if kind == "funder" && len(names) > 0 {
				top, most := "", int64(-1)
				for name, sum := range names {
					if sum > most {
						top, most = name, sum
					}
				}
				page.want(t, home, 200, orgname.Display(top), money.Dollars(most))
			}
		}
	}
}

var partyLink = regexp.MustCompile(`<td><a href="(/org/[^"]+)"`)

// TestRelations pages through the funders and recipients of the largest
// organization: they match the API, each has a page, and no private person is
// named.
func TestRelations(t *testing.T) {
	t.Parallel()
	p := open(t)
	top, _, err := p.set.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	marks, pages := map[string]bool{}, 0
	for _, f := range top {
		home := p.home(t, f.EIN)
		path, rows := home+"/recipients", 0
		for path != "" {
			page := p.get(t, path)
			page.want(t, path, 200, "The marks new, repeat and lapsed compare fiscal year", money.Dollars(f.Total)+" in total.")
			rows += strings.Count(page.body, `<td class="n amt">`) - strings.Count(page.body, `<tr class="none">`)
			for _, link := range partyLink.FindAllStringSubmatch(page.body, -1) {
				if to := p.get(t, link[1]); to.status != 200 && to.status != 301 {
					t.Errorf("%s leads to %s, which answers %d", path, link[1], to.status)
				}
			}
			for _, mark := range []string{"new", "repeat", "lapsed"} {
				marks[mark] = marks[mark] || strings.Contains(page.body, `<span class="sign `+mark+`">`)
			}
			path = nextOf(page.body)
			pages++
		}
		want, err := ledger.ReadRelations(t.Context(), p.set.Graph, ledger.RelationsQuestion{EIN: f.EIN, Apart: []graph.Class{graph.Individuals, graph.Unidentified}})
		if err != nil || int64(rows) != want.Hits {
			t.Errorf("%s: %d rows, want %d: %v", home, rows, want.Hits, err)
		}
		_, hits, err := p.set.Graph.Recipients(t.Context(), &graph.Filter{Funders: []ein.EIN{f.EIN}, Exclude: graph.Individuals | graph.Unidentified}, graph.Sort{}, graph.Page{Limit: 1})
		if err != nil || hits > want.Hits {
			t.Errorf("%s: the API lists %d, the page %d: %v", home, hits, want.Hits, err)
		}
	}
	if len(marks) != 3 || pages <= len(top) {
		t.Errorf("marks %v on %d pages: this world shows too little", marks, pages)
	}
}

// nextOf is the address of the next page.
func nextOf(body string) string {
	_, rest, ok := strings.Cut(body, `<a rel="next" href="`)
	if !ok {
		return ""
	}
	path, _, _ := strings.Cut(rest, `"`)
	return path
}

// TestMarkedOnly filters recipients by mark.
func TestMarkedOnly(t *testing.T) {
	t.Parallel()
	p := open(t)
	home := p.home(t, p.largest(t))
	for _, mark := range []string{"new", "repeat", "lapsed"} {
		body := p.get(t, home+"/recipients?mark="+mark).body
		for _, other := range []string{"new", "repeat", "lapsed"} {
			if other != mark && strings.Contains(body, `<span class="sign `+other+`">`) {
				t.Errorf("%s among %s", other, mark)
			}
		}
	}
	p.get(t, home+"/recipients?order=grants").want(t, home, 200, "&sort_by=count")
	p.get(t, home+"/recipients?mark=new").want(t, home, 200, "The API lists all of them")
	p.get(t, home+"/recipients?mark=old").want(t, home, 422, "choose new, repeat or lapsed")
	p.get(t, home+"/recipients?order=x").want(t, home, 422, "Order:")
	p.get(t, home+"/recipients?page=0").want(t, home, 422, "Page: enter a number, starting with 1.")
	p.get(t, home+"/recipients?page=999").want(t, home, 200, "This page is empty.")
}

// largest is the funder with the most grants.
func (p *place) largest(t *testing.T) ein.EIN {
	t.Helper()
	top, _, err := p.set.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{By: graph.ByCount}, graph.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return top[0].EIN
}

var grantLink = regexp.MustCompile(`href="/grant/([^"]+)"`)

// TestGrants pages through all grants of funders and recipients: each appears once,
// and a grant to a private person shows only what is public.
func TestGrants(t *testing.T) {
	t.Parallel()
	p := open(t)
	kinds := p.kinds(t)
	list := append(append(slices.Clone(kinds["funder"]), kinds["both"]...), kinds["recipient"]...)
	// Include a funder of private persons.
	all := p.rows(t)
	persons := 0
	for _, r := range all {
		if r.Classes&graph.Individuals != 0 && persons < 3 {
			list = append(list, r.Funder.EIN)
			persons++
		}
	}
	if persons == 0 {
		t.Fatal("nobody gave to a person: this world shows nothing")
	}
	for _, e := range list {
		for _, direction := range []string{"gave", "received"} {
			want, hidden := map[string]bool{}, []graph.Grant{}
			for _, r := range all {
				if direction == "gave" && r.Funder.EIN == e || direction == "received" && r.Recipient.EIN == e {
					if r.Classes&graph.Individuals != 0 {
						hidden = append(hidden, r)
					} else {
						want[r.Key] = true
					}
				}
			}
			got, individuals := map[string]bool{}, 0
			for path := p.home(t, e) + "/grants?direction=" + direction; path != ""; {
				page := p.get(t, path)
				if len(want)+len(hidden) == 0 {
					page.want(t, path, 200, "We found no grants")
					break
				}
				page.want(t, path, 200, "Matched by")
				for _, m := range grantLink.FindAllStringSubmatch(page.body, -1) {
					if got[m[1]] {
						t.Errorf("%s twice", m[1])
					}
					got[m[1]] = true
				}
				individuals += strings.Count(page.body, "<td>An individual")
				for _, r := range hidden {
					for _, text := range []string{r.Key, r.NameFiled, orgname.Display(r.NameFiled), r.ObjectID + `"`} {
						if len(text) > 4 && strings.Contains(page.body, text) {
							t.Errorf("%s shows %q of a person", path, text)
						}
					}
				}
				path = nextOf(page.body)
			}
			if len(got) != len(want) || individuals != len(hidden) {
				t.Errorf("%s %s: %d of %d grants, %d of %d persons", e, direction, len(got), len(want), individuals, len(hidden))
			}
		}
	}
}

// TestGrantFilters filters and sorts grants, and names parameters that cannot be
// read.
func TestGrantFilters(t *testing.T) {
	t.Parallel()
	p := open(t)
	e := p.largest(t)
	path := p.home(t, e) + "/grants?direction=gave"
	years := map[int]int{}
	for _, r := range p.rows(t) {
		if r.Funder.EIN == e {
			years[r.FiscalYear]++
		}
	}
	for year, n := range years {
		p.get(t, fmt.Sprintf("%s&year=%d", path, year)).want(t, path, 200, fmt.Sprintf("of %d grant", n), fmt.Sprintf("<option selected>%d</option>", year))
	}
	for _, sort := range []string{"smallest", "latest", "earliest", "name"} {
		p.get(t, path+"&sort="+sort).want(t, path, 200, `<option value="`+sort+`" selected>`)
	}
	p.get(t, path+"&year=abc").want(t, path, 422, "Fiscal year:")
	p.get(t, path+"&sort=abc").want(t, path, 422, "Order: choose one of those offered.")
	p.get(t, path+"&page=x").want(t, path, 422, "Page:")
	p.get(t, p.home(t, e)+"/grants?direction=up").want(t, path, 422, "Direction: choose gave or received.")
}

// TestPlans checks what each plan sees: without the plan, no data is shown.
func TestPlans(t *testing.T) {
	t.Parallel()
	p := open(t)
	people, awards := 0, 0
	kinds := p.kinds(t)
	for _, r := range p.rows(t) {
		if found, ok := p.set.Profiles.Read(r.Recipient.EIN, true); ok && found.Awarded.Awards > 0 && len(kinds["awarded"]) < 3 {
			kinds["awarded"] = append(kinds["awarded"], r.Recipient.EIN)
		}
	}
	for _, list := range kinds {
		for _, e := range list {
			home := p.home(t, e)
			found, ok := p.set.Profiles.Read(e, true)
			if !ok {
				t.Fatalf("nobody knows %s", e)
			}
			for _, plan := range []string{"", "free", "plus"} {
				for _, part := range []string{"/people", "/government"} {
					page := p.get(t, home+part, plan)
					page.want(t, home+part, 200, "is part of the Pro plan", map[bool]string{true: "/signin?next=", false: `<a href="/plans">`}[plan == ""])
					for _, x := range found.People {
						if x.Name != "" && strings.Contains(page.body, orgname.Display(x.Name)) {
							t.Errorf("%s shows %s to %q", home+part, x.Name, plan)
						}
					}
				}
				net := p.get(t, home+"/network", plan)
				net.want(t, home, 200, "The Pro plan includes shared board members")
				if has := strings.Contains(net.body, "The Plus and Pro plans include similar organizations"); has == (plan == "plus") {
					t.Errorf("%s: similar organizations are shown wrongly to %q", home, plan)
				}
			}
			page := p.get(t, home+"/people", "pro")
			for _, x := range found.People {
				if x.Name != "" {
					page.want(t, home+"/people", 200, orgname.Display(x.Name))
					people++
				}
			}
			page = p.get(t, home+"/government", "pro")
			page.want(t, home+"/government", 200, "What this covers", money.Grouped(found.Awarded.Awards)+"</b><span>awards")
			awards += int(found.Awarded.Awards)
			if page.header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("what depends on the plan may be kept: %v", page.header)
			}
		}
	}
	if people == 0 || awards == 0 {
		t.Errorf("%d people, %d awards: this world shows nothing", people, awards)
	}
}

// TestProspects opens the tab, applies its filters and downloads it.
func TestProspects(t *testing.T) {
	t.Parallel()
	p := open(t)
	rows, _, err := p.set.Graph.Recipients(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, r := range rows {
		if r.EIN == ein.None {
			continue
		}
		at := p.home(t, r.EIN) + "/prospects"
		for _, plan := range []string{"", "free"} {
			p.get(t, at, plan).want(t, at, 200, "Prospects is part of the Plus plan")
		}
		page := p.get(t, at, "plus")
		page.want(t, at, 200, "no sign that it takes requests", "Save to a list", `<option value="not_stated">`, "Accepts applications", "Same as this API call")
		if strings.Contains(page.body, `href="/download/prospects?ein=`+r.EIN.String()+`"`) {
			shown++
		}
		p.get(t, at+"?min_amt=x", "plus").want(t, at, 422, "Typical grant: ")
		p.get(t, at+"?min_amt=9000000000", "plus").want(t, at, 200, "No funder matches the filters.", `value="9000000000"`)
		if shown == 5 {
			return
		}
	}
	t.Errorf("%d have prospects", shown)
}

// TestApply checks that the page of a foundation tells applicants what its return
// tells them, letter for letter, and that other pages do not.
func TestApply(t *testing.T) {
	t.Parallel()
	p := open(t)
	contacts := map[string]int{}
	for a, err := range snapshot.Rows[snapshot.Application](p.set.Snapshot, snapshot.Applications) {
		if err != nil {
			t.Fatal(err)
		}
		if contacts[a.Accepts]++; contacts[a.Accepts] > 30 {
			continue
		}
		e, _ := ein.Parse(a.EIN)
		at := p.home(t, e)
		says := map[string]string{"yes": "This foundation accepts applications.", "no": "This foundation does not accept applications: it gives only"}[a.Accepts]
		page := p.get(t, at)
		page.want(t, at, 200, "How to apply", says, fmt.Sprintf("Form 990-PF for fiscal year %d", a.TaxYear), a.Name, a.Street, a.Form, a.Deadlines, a.Restrictions, a.Email)
		if a.Phone != "" && !strings.Contains(page.body, a.Phone[6:]) || strings.Contains(page.body, "<no value>") {
			t.Errorf("%s: %+v", at, a)
		}
		if u := api.FilingURL(e, a.ObjectID); u != nil && !strings.Contains(page.body, *u) {
			t.Errorf("%s does not link to %s", at, *u)
		}
	}
	if contacts["yes"] < 10 || contacts["no"] < 10 {
		t.Errorf("foundations answer %v", contacts)
	}
	for kind, list := range p.kinds(t) {
		for _, e := range list[:min(3, len(list))] {
			found, _ := p.set.Profiles.Read(e, true)
			if body := p.get(t, p.home(t, e)).body; strings.Contains(body, "How to apply") != (found.ReturnType == "990PF") {
				t.Errorf("%s, a %s: the page tells applicants %t", e, kind, strings.Contains(body, "How to apply"))
			}
		}
	}
}

// TestRedirects checks that similar addresses redirect to the canonical one.
func TestRedirects(t *testing.T) {
	t.Parallel()
	p := open(t)
	e := p.largest(t)
	home := p.home(t, e)
	for path, want := range map[string]string{
		"/org/" + e.String():                       home,
		"/org/" + e.Hyphenated():                   home,
		"/org/" + e.String() + "/":                 home,
		"/org/" + e.String() + "/old-name":         home,
		"/org/" + e.String() + "/grants":           home + "/grants",
		"/org/" + e.String() + "/grants?year=2020": home + "/grants?year=2020",
		"/org/" + e.String() + "/old-name/people":  home + "/people",
		home + "/":                home,
		home + "/funders/?page=2": home + "/funders?page=2",
		"/org/" + e.String() + "/a%2F%2Fevil.example": home,
	} {
		if page := p.get(t, path); page.status != 301 || page.header.Get("Location") != want {
			// An escaped slash within a name separates parts of the address.
			if path == "/org/"+e.String()+"/a%2F%2Fevil.example" && page.status == 404 {
				continue
			}
			t.Errorf("%s: %d %q, want %q", path, page.status, page.header.Get("Location"), want)
		}
	}
	for _, path := range []string{"/org/12", "/org/abc/x", "/org/000000000", "/org/" + e.String() + "/x/nothing", home + "/grants/more", "/org/999999999/x"} {
		if page := p.get(t, path); page.status != 404 {
			t.Errorf("%s: %d", path, page.status)
		}
	}
	r := httptest.NewRequest("HEAD", home, nil)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
}

// TestFinances compares the page with the figures of the returns.
func TestFinances(t *testing.T) {
	t.Parallel()
	p := open(t)
	shown := 0
	for _, list := range p.kinds(t) {
		for _, e := range list {
			found, _ := p.set.Profiles.Read(e, true)
			path := p.home(t, e) + "/finances"
			page := p.get(t, path)
			for _, f := range found.Financials {
				page.want(t, path, 200, fmt.Sprintf(`<th scope="col" class="n">%d`, f.TaxYear), "ended "+f.PeriodEnd)
				if f.TotalRevenue != nil && *f.TotalRevenue >= 0 {
					page.want(t, path, 200, `<td class="n">`+money.Dollars(*f.TotalRevenue)+"</td>")
					shown++
				}
			}
			if len(found.Financials) == 0 {
				page.want(t, path, 200, "<h2>Finances</h2>")
				if strings.Contains(page.body, "We have no financial figures for this organization.") {
					t.Errorf("%s says no reason", path)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no figures: this world shows nothing")
	}
}

// TestSame runs the SQL that the pages show: it gives the same figures.
func TestSame(t *testing.T) {
	t.Parallel()
	p := open(t)
	e := p.largest(t)
	sums, err := p.set.Graph.Sums(t.Context(), e, graph.Gave)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := ledger.ReadRelations(t.Context(), p.set.Graph, ledger.RelationsQuestion{EIN: e, Apart: []graph.Class{graph.Individuals | graph.Unidentified}})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int64{"": sums.Total, "/recipients": sums.Total - apart.Apart[0].Amount, "/network": -1, "/finances": -1, "/grants": -1, "/people": -1, "/government": -1, "/screening": -1} {
		body := p.get(t, p.home(t, e)+part, "pro").body
		_, rest, _ := strings.Cut(body, "Same as this SQL</h3>\n<pre tabindex=\"0\">")
		sql, _, ok := strings.Cut(rest, "</pre>")
		if !ok || !strings.Contains(body, `"https://grants.example/api/v1/`) {
			t.Fatalf("%q shows no statement or no call", part)
		}
		text, err := json.Marshal(map[string]string{"sql": sql})
		if err != nil {
			t.Fatal(err)
		}
		rec := p.Send(t, "POST", "/api/v1/sql", "pro", string(text))
		if rec.Code != 200 {
			t.Fatalf("%q: %s: %d %s", part, sql, rec.Code, rec.Body)
		}
		answer := apitest.Unmarshal[struct{ Rows []map[string]any }](t, rec)
		total := int64(0)
		for _, row := range answer.Rows {
			if row["direction"] != "received" {
				if dollars, ok := row["dollars"].(float64); ok {
					total += int64(dollars)
				}
			}
		}
		if want >= 0 && total != want {
			t.Errorf("%q: the statement gives %d, the page %d", part, total, want)
		}
	}
}

// TestStanding words what the lists say, and leaves out what is unknown.
func TestStanding(t *testing.T) {
	t.Parallel()
	yes, no, date := true, false, "2021-05-15"
	for name, tc := range map[string]struct {
		in   client.ProfileStanding
		want []string // kinds and texts
	}{
		"unknown":    {client.ProfileStanding{}, []string{`not_screened">Revocations not checked: the list is out of service<`, `not_screened">Exempt status not checked: the IRS master file is out of service<`}},
		"good":       {client.ProfileStanding{InBMF: &yes, Pub78Verified: &yes, Revoked: &no}, []string{`ok">In the IRS list of exempt organizations<`, `ok">Can receive deductible contributions<`}},
		"revoked":    {client.ProfileStanding{InBMF: &no, Revoked: &yes, RevocationDate: &date}, []string{`bad">Exemption revoked by the IRS on May 15, 2021<`, `look">Not in the IRS list of exempt organizations<`}},
		"reinstated": {client.ProfileStanding{InBMF: &yes, Revoked: &no, ReinstatementDate: &date}, []string{`look">Exemption was revoked and reinstated on May 15, 2021<`, `ok">In the IRS list of exempt organizations<`}},
	} {
		got, err := organization.Standing(tc.in)
		if err != nil || strings.Count(got, "<li") != len(tc.want) {
			t.Errorf("%s: %s %v", name, got, err)
		}
		for _, mark := range tc.want {
			if !strings.Contains(got, `class="mark `+mark) {
				t.Errorf("%s: no %s in %s", name, mark, got)
			}
		}
	}
}

// FuzzWebsite reads websites as filers write them: a link always leads to a host of
// the web.
func FuzzWebsite(f *testing.F) {
	for _, s := range []string{"WWW.EXAMPLE.ORG", "http://example.org/a b", "javascript:alert(1)", "N/A", "https://user@evil.example", "//x.y", "ftp://example.org", "example", "https://[::1]", "data:text/html,x.y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := organization.WebsiteLink(&s)
		if got != "" && !strings.HasPrefix(got, "http://") && !strings.HasPrefix(got, "https://") {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}

func TestWebsite(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"WWW.EXAMPLE.ORG": "https://www.example.org", "http://Example.org/About": "http://example.org/about", "N/A": "", "NONE": "", "": "",
		"javascript:alert(1)": "", "https://a@evil.example": "", "ftp://example.org": "", "example": "",
	} {
		if got := organization.WebsiteLink(&in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if organization.WebsiteLink(nil) != "" {
		t.Error("nothing becomes a link")
	}
}

// TestBusy opens pages while no memory is left, and while a file is damaged.
func TestBusy(t *testing.T) {
	t.Parallel()
	p := open(t, func(c *frame.Config) { c.Budget = full(t) })
	e := p.largest(t)
	home := p.home(t, e)
	for _, path := range []string{home, home + "/funders", home + "/recipients", home + "/network", home + "/finances", "/compare?ein=" + e.String()} {
		p.get(t, path).want(t, path, 503, "too busy")
	}
	p.set.Profiles = nil
	for _, path := range []string{home, "/compare?ein=" + e.String()} {
		p.get(t, path).want(t, path, 503, "damaged")
	}
}

// TestUnknown says of an EIN that nobody has what that means.
func TestUnknown(t *testing.T) {
	t.Parallel()
	open(t).get(t, "/org/999999998").want(t, "/org/999999998", 404, "Organization not found", "99-9999998", `href="/check"`)
}

// TestCauses checks that causes of recipients are those in the registry, or else inferred ones.
func TestCauses(t *testing.T) {
	t.Parallel()
	p := open(t)
	e := p.largest(t)
	l, err := ledger.Read(t.Context(), p.set.Graph, e, graph.Gave, 0, func(e ein.EIN) byte {
		if found, ok := p.set.Profiles.Read(e, false); ok {
			return prospect.Cause(&found.Organization)
		}
		return 0
	})
	if err != nil {
		t.Fatal(err)
	}
	home := p.home(t, e)
	page := p.get(t, home)
	for i, x := range l.Subjects[:min(5, len(l.Subjects))] {
		if x.Key != "" {
			page.want(t, home, 200, ntee.Label(x.Key[0]), "/explore?funder_id="+e.String()+"&subject="+x.Key)
		} else if i == 0 {
			page.want(t, home, 200, "No cause known")
		}
	}
}

// TestSecondRing opens the network around an organization of the picture, by its link alone. What is drawn stands in the tables too.
func TestSecondRing(t *testing.T) {
	t.Parallel()
	p := open(t)
	seconds := 0
	for kind, list := range p.kinds(t) {
		for _, e := range list {
			at := p.home(t, e) + "/network"
			page := p.get(t, at)
			page.want(t, at, 200, `<div id="second" tabindex="-1"></div>`)
			links := regexp.MustCompile(`href="([^"]*/network\?around=(\d{9})#second)"`).FindAllStringSubmatch(page.body, -1)
			table := strings.Count(page.body, ">Network<span")
			if len(links) != 3*table {
				t.Errorf("%s, %s: %d links in two layouts and a table of %d", at, kind, len(links), table)
			}
			if table == 0 {
				continue
			}
			seconds++
			to, _, _ := strings.Cut(links[0][1], "#")
			around, _ := ein.Parse(links[0][2])
			org, _ := p.set.Search.Lookup(around)
			// An organization of the first ring has the one in the center in its own.
			page = p.get(t, to)
			page.want(t, to, 200, "<h2>Around "+orgname.Display(org.Name)+"</h2>", `href="`+p.home(t, around)+`"`, at+`"`)
			if strings.Contains(page.body, `rel="canonical"`) {
				t.Errorf("%s is for search engines", to)
			}
		}
	}
	if seconds < 5 {
		t.Errorf("only %d organizations have a second ring: this world shows little", seconds)
	}
	home := p.home(t, p.kinds(t)["funder"][0])
	for _, around := range []string{"x", "000000000", "123"} {
		p.get(t, home+"/network?around="+around).want(t, around, 404)
	}
}

// TestLegend says of every mark of a network what it stands for on that page.
func TestLegend(t *testing.T) {
	t.Parallel()
	p := open(t)
	said := map[string]bool{}
	for _, list := range p.kinds(t) {
		for _, e := range list {
			page := p.get(t, p.home(t, e)+"/network").body
			for class, means := range map[string]string{"funder": "(gave to it)", "recipient": "(received from it)", "cofunder": "(give to the same recipients)",
				"sharing": "(received from funders who gave to it)"} {
				drawn := strings.Contains(page, `class="`+class+`"><title>`)
				if drawn != strings.Contains(page, means) {
					t.Errorf("%s: %s are drawn: %v; the legend does not agree", e, class, drawn)
				}
				said[class] = said[class] || drawn
			}
		}
	}
	if len(said) != 4 || !said["sharing"] || !said["cofunder"] {
		t.Errorf("only %v: this world shows little", said)
	}
}
