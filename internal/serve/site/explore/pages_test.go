package explore_test

import (
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/money"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/sqlbox"
)

// service is the whole of a service, pages and API.
type service struct {
	t       *testing.T
	handler http.Handler
	key     string
}

func open(t *testing.T) *service {
	t.Helper()
	data := t.TempDir()
	world.Small.Publish(t, data)
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://localhost", SQL: &sqlbox.Options{Workers: 1, Queue: 100, PerOwner: 10, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return &service{t, s.Handler(), key}
}

func (s *service) get(path string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = "127.0.0.1:1" // which no limit holds
	r.Header.Set("X-API-Key", s.key)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// page is the page at an address, which must be one.
func (s *service) page(path string) string {
	s.t.Helper()
	w := s.get(path)
	if w.Code != 200 {
		s.t.Fatalf("%s: %d %s %.300s", path, w.Code, w.Header().Get("Location"), w.Body)
	}
	return html.UnescapeString(w.Body.String())
}

func answer[A any](s *service, path string) (a A) {
	s.t.Helper()
	w := s.get(path)
	if w.Code != 200 {
		s.t.Fatalf("%s: %d %.300s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

var (
	inputTag  = regexp.MustCompile(`<input [^>]*>`)
	optionTag = regexp.MustCompile(`<select name="(\w+)">(.*?)</select>`)
	chosenTag = regexp.MustCompile(`<option value="([^"]*)" selected>`)
	attribute = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// sent is what a browser sends of the form of a page as it is.
func sent(t *testing.T, raw string) url.Values {
	t.Helper()
	_, form, ok := strings.Cut(raw, `<form id="filters"`)
	if !ok {
		t.Fatal("no form")
	}
	form, _, _ = strings.Cut(form, "</form>")
	values := url.Values{}
	for _, tag := range inputTag.FindAllString(form, -1) {
		a := map[string]string{}
		for _, m := range attribute.FindAllStringSubmatch(tag, -1) {
			a[m[1]] = html.UnescapeString(m[2])
		}
		if (a["type"] == "checkbox" || a["type"] == "radio") && !strings.Contains(tag, " checked") {
			continue
		}
		values.Add(a["name"], a["value"])
	}
	for _, m := range optionTag.FindAllStringSubmatch(form, -1) {
		if c := chosenTag.FindStringSubmatch(m[2]); c != nil {
			values.Add(m[1], html.UnescapeString(c[1]))
		}
	}
	return values
}

// TestViews opens views of every filter. Each must show what the API says of the
// same query, and its form, sent as it is, must lead back to it.
func TestViews(t *testing.T) {
	t.Parallel()
	s := open(t)
	list := answer[api.List[grants.GrantRow]](s, "/api/v1/grants/transactions?limit=200&exclude=individuals,unidentified")
	var g *grants.GrantRow
	for i := range list.Results {
		if r := &list.Results[i]; r.RecipEIN != nil && r.NTEECode != nil && r.RecipZipcode != nil && r.RecipCity != nil {
			g = r
			break
		}
	}
	if g == nil {
		t.Fatal("no grant to ask for")
	}
	counties := answer[grants.SummaryAnswer](s, "/api/v1/grants/summary?by=county&top=5")
	county := *counties.Groups.Rows[0].Key
	state, other := *g.RecipState, "CA"
	if state == other {
		other = "TX"
	}
	for _, query := range []string{
		"", "funder_id=" + g.FunderEIN, "recip_id=" + *g.RecipEIN, "grant_key=" + g.GrantKey, "year=2019", "year=2018-2021,2023", "min_year=2020", "max_year=2019", "min_year=2018&max_year=2020",
		"subject=B", "subject=B,E,P", "subject=" + *g.NTEECode, "subject=B&subject_basis=registered", "location=" + state, "location=" + min(state, other) + "," + max(state, other), "location=" + state + "&location_type=funder", "location=" + state + "&location_type=area_served",
		"location=" + county + "&geo_id_type=county_fips", "location=" + (*g.RecipZipcode)[:5] + "&geo_id_type=zip", "location=" + url.QueryEscape(*g.RecipCity) + "," + state + "&geo_id_type=city", "location=UK&geo_id_type=country",
		"near=" + (*g.RecipZipcode)[:5] + "&within=50", "location=" + state + "&near=" + (*g.RecipZipcode)[:5] + "&within=17", "exclude=individuals&query=school", "exclude=individuals&query=%22general+support%22+-school", "support=capital,program",
		"funder_type=private_foundation", "accepts_applications=yes", "accepts_applications=not_stated", "exclude=daf,individuals", "exclude=daf,individuals,related_party,unidentified", "country=UK", "min_amt=5000", "min_amt=1000&max_amt=9999", "max_amt=999", "min_match_prob=0.9", "min_match_prob=0.33", "ein_source=filed,name",
		"subject=B&location=" + state + "&year=2018-2022&min_amt=100&exclude=daf",
	} {
		sum := answer[grants.SummaryAnswer](s, "/api/v1/grants/summary?"+query)
		for _, tab := range []string{"grants", "funders", "recipients", "summary"} {
			address := query
			if tab != "grants" {
				address = strings.TrimSuffix("tab="+tab+"&"+query, "&")
			}
			at := strings.TrimSuffix("/explore?"+address, "?")
			w := s.get(at)
			if w.Code != 200 {
				t.Errorf("%s: %d %s", at, w.Code, w.Header().Get("Location"))
				continue
			}
			body := html.UnescapeString(w.Body.String())
			if sum.Summary.GrantCount == 0 {
				if !strings.Contains(body, "No grants match all of these filters") {
					t.Errorf("%s has no grant and does not say so", at)
				}
			} else if want := fmt.Sprintf(" in %s grant", money.Grouped(sum.Summary.GrantCount)); !strings.Contains(body, want) || !strings.Contains(body, money.Grouped(sum.Summary.FunderCount)+" funder") || !strings.Contains(body, money.Grouped(sum.Summary.RecipientCount)+" recipient") {
				t.Errorf("%s does not say %q", at, want)
			}
			// What is invented is not for robots, filtered or not.
			if noindex := w.Header().Get("X-Robots-Tag"); noindex != "noindex" {
				t.Errorf("%s: robots are told %q", at, noindex)
			}
			form := sent(t, w.Body.String())
			again := s.get("/explore?" + form.Encode())
			to := again.Header().Get("Location")
			if again.Code == 200 {
				to = strings.TrimSuffix("/explore?"+form.Encode(), "?")
			}
			if to != at {
				t.Errorf("the form of %s leads to %s", at, to)
			}
			if sum.Summary.GrantCount > 0 && !strings.Contains(body, "curl -H 'X-API-Key: YOUR_KEY' 'http://localhost/api/v1/grants/") {
				t.Errorf("%s does not say how else it can be had", at)
			}
		}
	}
}

// TestByCounty compares the file that the map of counties reads with the API.
func TestByCounty(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, query := range []string{"", "location=PA", "subject=K&subject_basis=registered", "exclude=individuals&query=zzqxvwwkjq"} {
		file := answer[struct {
			Counties [][4]any
			None     *[2]int64
		}](s, "/explore/counties?"+query)
		sum := answer[grants.SummaryAnswer](s, "/api/v1/grants/summary?"+query)
		amount, grants := 0.0, 0.0
		for _, row := range file.Counties {
			amount, grants = amount+row[2].(float64), grants+row[3].(float64)
		}
		if file.None != nil {
			amount, grants = amount+float64(file.None[0]), grants+float64(file.None[1])
		}
		if int64(amount) != sum.Summary.TotalAmount || int64(grants) != sum.Summary.GrantCount || (len(file.Counties) == 0) != (grants == 0) {
			t.Errorf("%q: $%.0f in %.0f grants of %d counties, the API has %+v", query, amount, grants, len(file.Counties), sum.Summary)
		}
		if page := s.page("/explore?" + query); !strings.Contains(page, `data-counties="/explore/counties`) && grants > 0 {
			t.Errorf("%q: the page has no map of counties", query)
		}
	}
	for path, want := range map[string]int{"/explore/counties?min_amt=x": 422, "/explore/counties?%zz": 400, "/explore/counties?" + strings.Repeat("a=b&", 2100): 414} {
		if w := s.get(path); w.Code != want {
			t.Errorf("%.40s: %d", path, w.Code)
		}
	}
}

// TestPersons looks for persons on every page of the largest world that is small.
func TestPersons(t *testing.T) {
	t.Parallel()
	s := open(t)
	var names []string
	cursor := ""
	for {
		list := answer[api.List[grants.GrantRow]](s, "/api/v1/grants/transactions?limit=1000"+cursor)
		for _, g := range list.Results {
			for _, c := range g.Provenance.Classes {
				if c == "individuals" && len(g.RecipNameFiled) > 8 {
					names = append(names, strings.ToUpper(g.RecipNameFiled))
				}
			}
		}
		if list.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *list.NextCursor
	}
	if len(names) < 10 {
		t.Fatalf("%d persons in this world", len(names))
	}
	seen := 0
	for _, tab := range []string{"tab=grants", "tab=recipients", "tab=recipients&sort_by=recip_name"} {
		for n := 1; n < 60; n++ {
			w := s.get("/explore?" + strings.TrimPrefix(tab, "tab=grants") + fmt.Sprintf("&page=%d", n))
			if to := w.Header().Get("Location"); to != "" {
				w = s.get(to)
			}
			body := html.UnescapeString(w.Body.String())
			seen += strings.Count(body, "<i>An individual</i>")
			_, main, _ := strings.Cut(body, "<main")
			main = strings.ToUpper(main)
			for _, name := range names {
				if strings.Contains(main, ">"+name+"<") {
					t.Errorf("page %d of %s names a person", n, tab)
				}
			}
			if !strings.Contains(body, `rel="next"`) {
				break
			}
		}
	}
	if seen == 0 {
		t.Error("no page shows an individual")
	}
	// Who knows a name learns nothing of its bearer.
	for _, name := range names[:5] {
		for _, address := range []string{"query=%s", "tab=recipients&exclude=daf&query=%s", "exclude=unidentified&query=%s"} {
			w := s.get("/explore?" + fmt.Sprintf(address, url.QueryEscape(`"`+name+`"`)))
			w = s.get(w.Header().Get("Location"))
			body := html.UnescapeString(w.Body.String())
			_, rows, _ := strings.Cut(body, "can look up a person by name")
			if w.Code != 200 || !strings.Contains(body, "No grants match all of these filters") || strings.Contains(rows, "$") || !strings.Contains(body, "look up a person by name") {
				t.Errorf("%s of a person: %d %.3000s", address, w.Code, body[max(0, strings.Index(body, "<main")):])
			}
		}
	}
	if body := s.page("/explore?tab=recipients"); !strings.Contains(body, "<i>Individuals (") || !strings.Contains(body, "<i>Unidentified (") {
		t.Error("individuals and nobody have no line")
	}
}

// TestOdd asks for what cannot be, and for too much.
func TestOdd(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range []struct {
		query  string
		status int
		text   string
	}{
		{"year=abc", 422, "Fiscal year: \"abc\" is not a fiscal year"},
		{"min_amt=10&max_amt=5", 422, "Largest amount"},
		{"subject=SA0200", 422, "proprietary"},
		{"near=99999", 422, "ZIP code"},
		{"page=0", 422, "Page"},
		{"page=99999999", 200, "Page 99,999,999"},
		{"cause=B", 200, "We could not apply part of this address"},
		{"min_prob=0.5", 200, "Did you mean min_match_prob?</li>"},
		{"sort_by=year&sort_order=asc&page=3", 200, "ORDER BY tax_year ASC\nLIMIT 50 OFFSET 100<"},
		{"tab=funders&sort_by=count", 200, "ORDER BY grant_count DESC, funder_ein\nLIMIT 50<"},
		{"tab=recipients&sort_by=recip_name", 200, "do not have an order by recipient's name"},
		{"location=Nowhere", 200, "is not a state"},
		{"sort_by=nonsense", 200, "Grants"},
		{"exclude=individuals&query=%00", 422, "Words"},
		{"exclude=individuals&query=%3Cscript%3Ealert%281%29%3C%2Fscript%3E", 200, "&lt;script&gt;"},
		{"query=%zz", 400, "cannot be read"},
		{"query=" + strings.Repeat("a", 9000), 414, "too long"},
		{strings.TrimSuffix(strings.Repeat("subject=B&", 500), "&"), 422, "Too many filters"},
		{"subject=B&exclude=individuals&query=zzzzqqqq", 200, "Remove a filter above"},
		{"exclude=daf", 200, "Not included in these results"},
	} {
		w := s.get("/explore?" + c.query)
		body := w.Body.String()
		if w.Code != c.status || !strings.Contains(body, c.text) && !strings.Contains(html.UnescapeString(body), c.text) {
			t.Errorf("%.100s: %d, want %d and %q in %.2000s", c.query, w.Code, c.status, c.text, body[max(0, strings.Index(body, "<main")):])
		}
		if strings.Contains(body, "<script>alert") {
			t.Errorf("%s runs", c.query)
		}
	}
	head := httptest.NewRecorder()
	s.handler.ServeHTTP(head, httptest.NewRequest("HEAD", "/explore", nil))
	if head.Code != 200 || head.Header().Get("Cache-Control") != "private, max-age=60" {
		t.Errorf("HEAD: %d %v", head.Code, head.Header())
	}
}

var sqlIn = regexp.MustCompile(`(?s)<h3>Same as this SQL</h3>\s*<pre tabindex="0"><code>(.*?)</code>`)

// TestSameSQL runs the statements that views say are the same.
func TestSameSQL(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, query := range []string{"", "subject=B", "subject=B,E&subject_basis=registered", "location=CA,NY&year=2018-2020,2022", "exclude=daf,individuals,related_party,unidentified",
		"min_amt=1000&max_amt=9999&funder_type=private_foundation", "country=UK", "year=2020&accepts_applications=yes", "accepts_applications=not_stated", "location=CA&location_type=area_served&year=2019-2021", "location=900&geo_id_type=zip", "min_year=2021"} {
		found := sqlIn.FindStringSubmatch(s.get(strings.TrimSuffix("/explore?tab=summary&"+query, "&")).Body.String())
		if found == nil {
			t.Errorf("%s has no SQL", query)
			continue
		}
		body, err := json.Marshal(map[string]string{"sql": html.UnescapeString(found[1])})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/api/v1/sql", strings.NewReader(string(body)))
		r.Header.Set("X-API-Key", s.key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		var got struct {
			Rows []struct {
				Year       int         `json:"tax_year"`
				Amount     json.Number `json:"total_amount"`
				Grants     int64       `json:"grant_count"`
				Funders    int64       `json:"funder_count"`
				Recipients int64       `json:"recipient_count"`
			} `json:"rows"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); w.Code != 200 || err != nil {
			t.Errorf("%s: %d %s in %s", query, w.Code, w.Body, body)
			continue
		}
		var rows, want []string
		for _, y := range got.Rows {
			rows = append(rows, fmt.Sprint(y.Year, " ", y.Amount, " ", y.Grants, " ", y.Funders, " ", y.Recipients))
		}
		for _, y := range answer[grants.SummaryAnswer](s, "/api/v1/grants/summary?"+query).ByYear {
			want = append(want, fmt.Sprint(y.FiscalYear, " ", y.TotalAmount, " ", y.GrantCount, " ", y.FunderCount, " ", y.RecipientCount))
		}
		if strings.Join(rows, "\n") != strings.Join(want, "\n") || len(rows) == 0 && query == "" {
			t.Errorf("%s: SQL gives\n%s\nwant\n%s", query, strings.Join(rows, "\n"), strings.Join(want, "\n"))
		}
	}
}
