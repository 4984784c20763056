package atlas_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// opened is the service over the small world.
type opened struct {
	http.Handler
	graph *graph.Graph
	db    *sql.DB
}

func open(t *testing.T) *opened {
	t.Helper()
	data := t.TempDir()
	snap := world.Small.Publish(t, data)
	s, err := serve.Open(serve.Options{Data: data, Addr: "127.0.0.1:0", BaseURL: "https://grants.example", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	g, err := graph.Open(snap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	db, err := sql.Open("duckdb", filepath.Join(snap.Dir, "warehouse.duckdb")+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &opened{s.Handler(), g, db}
}

// get returns the status of a page, its redirect, and its text without entities.
func (o *opened) get(t *testing.T, method, path string) (status int, location, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = "127.0.0.1:1" // from localhost, which has no limit
	o.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, w.Header().Get("Location"), html.UnescapeString(string(text))
}

// total runs a page's SQL and adds up its dollars and grants.
func (o *opened) total(t *testing.T, statement string) (c graph.Cost) {
	t.Helper()
	err := o.db.QueryRowContext(t.Context(), "SELECT coalesce(sum(dollars), 0)::BIGINT, coalesce(sum(grants), 0)::BIGINT FROM ("+statement+")").Scan(&c.Amount, &c.Grants)
	if err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	return c
}

// statements are the SQL statements that a page shows.
func statements(body string) (list []string) {
	for _, part := range strings.Split(body, `<pre tabindex="0">`)[1:] {
		one, _, _ := strings.Cut(part, "</pre>")
		list = append(list, one)
	}
	return list
}

// persons are the names of private persons in the world, as a page might write
// them.
func (o *opened) persons(t *testing.T) (names []string) {
	t.Helper()
	rows, _, err := o.graph.Transactions(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: int(o.graph.Rows())})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Classes&graph.Individuals != 0 && strings.Contains(r.NameFiled, " ") {
			names = append(names, ">"+orgname.Display(r.Recipient.Name)+"<")
		}
	}
	if len(names) == 0 {
		t.Fatal("this world has no persons")
	}
	return names
}

// TestPlaces compares the pages of all states with the engine and with the SQL on
// the page: totals, the largest funder and recipient, and no private person by
// name.
func TestPlaces(t *testing.T) {
	t.Parallel()
	o := open(t)
	persons := o.persons(t)
	for _, region := range place.Regions() {
		status, _, body := o.get(t, "GET", "/place/"+region.Code)
		if status != 200 || !strings.Contains(body, "<h1>"+region.Name+"</h1>") {
			t.Fatalf("%s: %d", region.Code, status)
		}
		var sums [2]graph.Totals
		for i, of := range []graph.PlaceOf{graph.RecipientPlace, graph.FunderPlace} {
			f := &graph.Filter{Place: graph.Place{Of: of, Kind: graph.State, Values: []graph.PlaceValue{{Name: region.Code}}}}
			var err error
			if sums[i], _, err = o.graph.Summary(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			funders, _, err := o.graph.Funders(t.Context(), f, graph.Sort{}, graph.Page{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			f.Exclude = graph.Individuals | graph.Unidentified
			recipients, _, err := o.graph.Recipients(t.Context(), f, graph.Sort{}, graph.Page{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{}
			for _, x := range funders {
				want = append(want, orgname.Display(x.Name), money.Dollars(x.Total))
			}
			for _, x := range recipients {
				want = append(want, orgname.Display(x.Name), money.Dollars(x.Total))
			}
			if sums[0].Grants+sums[1].Grants > 0 {
				want = append(want, frame.Short(sums[i].Amount), "in "+money.Grouped(sums[i].Grants)+" grant")
			}
			for _, text := range want {
				if !strings.Contains(body, text) {
					t.Errorf("%s, %v: no %q", region.Code, of, text)
				}
			}
		}
		if sums[0].Grants+sums[1].Grants == 0 {
			if !strings.Contains(body, "No grant in this dataset") {
				t.Errorf("%s says nothing of nothing", region.Code)
			}
			continue
		}
		list := statements(body)
		if len(list) != 2 {
			t.Fatalf("%s shows %d statements", region.Code, len(list))
		}
		for i, s := range list {
			if got := o.total(t, s); got != (graph.Cost{Amount: sums[i].Amount, Grants: sums[i].Grants}) {
				t.Errorf("%s: the statement gives %+v, the graph %+v: %s", region.Code, got, sums[i], s)
			}
		}
		for _, name := range persons {
			if strings.Contains(body, name) {
				t.Errorf("%s names %s", region.Code, name)
			}
		}
	}
}

// TestCounties opens the page of every county with a grant, by the links of its
// state's page. Every county has its own address.
func TestCounties(t *testing.T) {
	t.Parallel()
	o := open(t)
	seen := map[string]string{}
	for _, c := range place.Shipped().Counties() {
		path := "/place/" + c.State + "/" + search.Slug(c.Name)
		if before, ok := seen[path]; ok {
			t.Errorf("%s and %s are both at %s", before, c.FIPS, path)
		}
		seen[path] = c.FIPS
	}
	groups, err := o.graph.Groups(t.Context(), &graph.Filter{}, graph.GroupCounty, graph.MaxGroups)
	if err != nil || len(groups.Groups) < 10 {
		t.Fatalf("%d counties: %v", len(groups.Groups), err)
	}
	for i, one := range groups.Groups {
		if i%9 != 0 {
			continue
		}
		c, _ := place.Shipped().County(one.Key)
		path := "/place/" + c.State + "/" + search.Slug(c.Name)
		status, _, body := o.get(t, "GET", path)
		if status != 200 || !strings.Contains(body, "<h1>"+c.Name+", "+c.State+"</h1>") || !strings.Contains(body, frame.Short(one.Amount)) || !strings.Contains(body, "geo_id_type=county_fips&location="+one.Key) {
			t.Errorf("%s: %d, or not what the graph says: %+v", path, status, one)
		}
		if _, _, body := o.get(t, "GET", "/place/"+c.State); !strings.Contains(body, `href="`+path+`"`) {
			t.Errorf("the page of %s does not lead to %s", c.State, path)
		}
	}
}

// TestOutlines looks for every county of the states in the file that the map of counties is drawn from, and reads each shape.
func TestOutlines(t *testing.T) {
	t.Parallel()
	h := frame.Files()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/static/counties.json", nil))
	var file struct {
		States   string                       `json:"states"`
		Counties map[string]map[string]string `json:"counties"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &file); err != nil || w.Body.Len() > 150_000 {
		t.Fatalf("%d bytes: %v", w.Body.Len(), err)
	}
	shape := regexp.MustCompile(`^(M-?\d+ \d+([lhv]-?\d+([ -]\d+)*)+z)+$`)
	for _, c := range place.Shipped().Counties() {
		_, state := file.Counties[c.FIPS[:2]]
		if d := file.Counties[c.FIPS[:2]][c.FIPS[2:]]; state && !shape.MatchString(d) && c.FIPS != "02066" { // divided later
			t.Errorf("%s %s is drawn as %q", c.FIPS, c.Name, d)
		}
	}
	if len(file.Counties) != 51 || file.States == "" {
		t.Errorf("%d states, %d bytes of borders", len(file.Counties), len(file.States))
	}
}

// TestCauses compares the page of every cause with the engine and with the SQL on
// the page.
func TestCauses(t *testing.T) {
	t.Parallel()
	o := open(t)
	for letter := byte('A'); letter <= 'Z'; letter++ {
		subject, err := ntee.ParseSubject(string(rune(letter)))
		if err != nil {
			t.Fatal(err)
		}
		sum, _, err := o.graph.Summary(t.Context(), &graph.Filter{Subject: subject})
		if err != nil {
			t.Fatal(err)
		}
		status, _, body := o.get(t, "GET", "/cause/"+string(rune(letter)))
		if status != 200 || !strings.Contains(body, "<h1>"+ntee.Label(letter)+"</h1>") {
			t.Fatalf("%c: %d", letter, status)
		}
		for _, s := range statements(body) {
			if got := o.total(t, s); got != (graph.Cost{Amount: sum.Amount, Grants: sum.Grants}) {
				t.Errorf("%c: the statement gives %+v, the graph %+v", letter, got, sum)
			}
		}
		if sum.Grants > 0 && !strings.Contains(body, "<b>"+money.Grouped(sum.Grants)+"</b>") {
			t.Errorf("%c: no %d grants", letter, sum.Grants)
		}
	}
}

// TestLists checks that the rows of the two lists add up to all grants.
func TestLists(t *testing.T) {
	t.Parallel()
	o := open(t)
	sum, _, err := o.graph.Summary(t.Context(), &graph.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/places", "/causes"} {
		status, _, body := o.get(t, "GET", path)
		if status != 200 || !strings.Contains(body, frame.Short(sum.Amount)) {
			t.Errorf("%s: %d", path, status)
		}
		for _, s := range statements(body) {
			if got := o.total(t, s); got != (graph.Cost{Amount: sum.Amount, Grants: sum.Grants}) {
				t.Errorf("%s: the statement gives %+v, the graph %+v", path, got, sum)
			}
		}
	}
}

// TestAddresses follows addresses that people may type, valid and invalid.
func TestAddresses(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, tc := range []struct {
		method, path string
		status       int
		location     string
	}{
		{"GET", "/place/oh", 301, "/place/OH"},
		{"GET", "/place/new-york", 301, "/place/NY"},
		{"GET", "/place/Ohio?x=1", 301, "/place/OH"},
		{"HEAD", "/place/OH", 200, ""},
		{"GET", "/place/XX", 404, ""},
		{"GET", "/place/" + strings.Repeat("a", 4000), 404, ""},
		{"GET", "/place/OH/summit-county", 200, ""},
		{"GET", "/place/oh/Summit-County", 301, "/place/OH/summit-county"},
		{"GET", "/place/OH/summit", 301, "/place/OH/summit-county"},
		{"GET", "/place/OH/39153", 301, "/place/OH/summit-county"},
		{"GET", "/place/MD/baltimore", 404, ""}, // a county and a city
		{"GET", "/place/MD/baltimore-city", 200, ""},
		{"GET", "/place/CA/39153", 404, ""},
		{"GET", "/place/OH/nowhere-county", 404, ""},
		{"GET", "/place/OH/" + strings.Repeat("z", 4000), 404, ""},
		{"GET", "/place/OH/%00%ff", 404, ""},
		{"GET", "/cause/k", 301, "/cause/K"},
		{"GET", "/cause/food-agriculture", 301, "/cause/K"},
		{"GET", "/cause/7", 404, ""},
		{"GET", "/cause/KK", 404, ""},
		{"POST", "/cause/K", 405, ""},
	} {
		if status, location, _ := o.get(t, tc.method, tc.path); status != tc.status || location != tc.location {
			t.Errorf("%s %.60s: %d to %q, want %d to %q", tc.method, tc.path, status, location, tc.status, tc.location)
		}
	}
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if _, location, _ := o.get(t, "GET", "/cause/"+search.Slug(ntee.Label(letter))); location != fmt.Sprintf("/cause/%c", letter) {
			t.Errorf("the name of %c leads to %q", letter, location)
		}
	}
}
