package api

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/graph"
	"grantgraph/internal/lists"
	"grantgraph/internal/orgname"
	"grantgraph/internal/search"
	"grantgraph/internal/sqlbox"
	testworld "grantgraph/internal/world"
)

// served is a small invented world, built and opened as in production, and
// servedSQL its warehouse.
var (
	served    *Dataset
	servedSQL *sqlbox.Warehouse
	servedDir string
)

// TestMain is a SQL worker when a sandbox starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(sqlbox.Work(os.Stdin, os.Stdout))
	}
	code := testworld.Main(m, func() (err error) {
		served, err = serveWorld()
		return err
	})
	if servedSQL != nil {
		servedSQL.Close()
	}
	os.Exit(code)
}

func serveWorld() (*Dataset, error) {
	s, err := testworld.Small.Build()
	if err != nil {
		return nil, err
	}
	g, err := graph.Open(s)
	if err != nil {
		return nil, err
	}
	x, err := search.Open(s)
	if err != nil {
		return nil, err
	}
	// Tests run side by side with the same few keys.
	box, err := sqlbox.New(sqlbox.Options{Workers: 2, Queue: 1000, Wait: time.Minute, PerOwner: 1000})
	if err != nil {
		return nil, err
	}
	servedDir = s.Dir
	if servedSQL, err = box.Open(s.Dir); err != nil {
		return nil, err
	}
	return &Dataset{Manifest: s.Manifest, Graph: g, Search: x, SQL: servedSQL, Lists: &lists.Current{}}, nil
}

// realWorld is a server over the built world.
func realWorld(t testing.TB) *world {
	t.Helper()
	w := &world{ledger: &ledger{spent: map[string]int{}}, data: served, log: &strings.Builder{}}
	var err error
	w.Handler, err = New(Config{BaseURL: base, Accounts: w.ledger, Acquire: func() (*Dataset, func()) {
		w.acquired.Add(1)
		return served, func() { w.acquired.Add(-1) }
	}, SQL: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// grants fetches every matching row.
func (w *world) grants(t *testing.T, query string) []GrantRow {
	t.Helper()
	var all []GrantRow
	cursor := ""
	for {
		rec := w.get(t, "GET", "/api/v1/grants/transactions?limit=1000&"+query+cursor, "pro")
		if rec.Code != 200 {
			t.Fatalf("%s: %d %s", query, rec.Code, rec.Body)
		}
		l := unmarshal[List[GrantRow]](t, rec)
		all = append(all, l.Results...)
		if l.NextCursor == nil {
			if int64(len(all)) != l.Hits {
				t.Errorf("%s: %d rows of %d hits", query, len(all), l.Hits)
			}
			return all
		}
		cursor = "&cursor=" + *l.NextCursor
	}
}

// TestWorld asks a real graph and checks every row against what was asked.
func TestWorld(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	all := w.grants(t, "")
	if len(all) < 1500 || int64(len(all)) != served.Manifest.Counts.Grants {
		t.Fatalf("%d grants", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b GrantRow) int { return int(b.Amount - a.Amount) }) {
		t.Error("grants are not in the order of their amounts")
	}
	value := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	matched := all[slices.IndexFunc(all, func(g GrantRow) bool { return g.RecipEIN != nil && g.NTEECode != nil })]
	model := func(g GrantRow) float64 {
		if g.Provenance.MatchProb == nil {
			return -1
		}
		return *g.Provenance.MatchProb
	}
	state := value(matched.RecipState)
	for _, c := range []struct {
		query string
		keep  func(g GrantRow) bool
	}{
		{"funder_id=" + matched.FunderEIN, func(g GrantRow) bool { return g.FunderEIN == matched.FunderEIN }},
		{"recip_id=" + *matched.RecipEIN, func(g GrantRow) bool { return value(g.RecipEIN) == *matched.RecipEIN }},
		{"year=2019-2020,2022", func(g GrantRow) bool { return g.FiscalYear == 2019 || g.FiscalYear == 2020 || g.FiscalYear == 2022 }},
		{"min_year=2021", func(g GrantRow) bool { return g.FiscalYear >= 2021 }},
		{"max_year=2019", func(g GrantRow) bool { return g.FiscalYear <= 2019 }},
		{"subject=" + *matched.Subject, func(g GrantRow) bool { return value(g.Subject) == *matched.Subject }},
		{"subject=" + *matched.NTEECode, func(g GrantRow) bool { return strings.HasPrefix(value(g.NTEECode), *matched.NTEECode) }},
		{"location=" + state, func(g GrantRow) bool { return value(g.RecipState) == state }},
		{"location=" + state + "&location_type=funder", func(g GrantRow) bool { return value(g.FunderState) == state }},
		{"geo_id_type=zip&location=" + value(matched.RecipZipcode)[:5], func(g GrantRow) bool {
			return strings.HasPrefix(value(g.RecipZipcode), value(matched.RecipZipcode)[:5])
		}},
		{"funder_type=private_foundation", func(g GrantRow) bool { return g.FunderType == "private_foundation" }},
		{"support=capital", func(g GrantRow) bool { return slices.Contains(g.Support, "capital") }},
		{"exclude=daf", func(g GrantRow) bool { return !slices.Contains(g.Provenance.Classes, "daf") }},
		{"exclude_daf=1&exclude=individuals,related_party", func(g GrantRow) bool { return len(g.Provenance.Classes) == 0 }},
		{"min_amt=1000&max_amt=20000", func(g GrantRow) bool { return g.Amount >= 1000 && g.Amount <= 20000 }},
		{"min_match_prob=0.95", func(g GrantRow) bool { return model(g) >= 0.95 }},
		{"min_match_prob=0", func(g GrantRow) bool { return g.RecipEIN != nil }},
		{"ein_source=filed,name", func(g GrantRow) bool {
			return value(g.Provenance.EINSource) == "filed" || value(g.Provenance.EINSource) == "name"
		}},
		{"country=UK", func(g GrantRow) bool { return value(g.RecipCountry) == "UK" }},
		{"year=2020&location=" + state + "&min_amt=100", func(g GrantRow) bool {
			return g.FiscalYear == 2020 && value(g.RecipState) == state && g.Amount >= 100
		}},
		{"geo_id_type=zip&location=" + value(matched.RecipZipcode)[:3], func(g GrantRow) bool {
			return strings.HasPrefix(value(g.RecipZipcode), value(matched.RecipZipcode)[:3])
		}},
		{"geo_id_type=city&location=" + url.QueryEscape(value(matched.RecipCity)+", "+state), func(g GrantRow) bool {
			return orgname.City(value(g.RecipCity)) == orgname.City(value(matched.RecipCity)) && value(g.RecipState) == state
		}},
		{"query=school", func(g GrantRow) bool {
			school := regexp.MustCompile(`(?i)\bschool(s|es|ed|ing)?\b`)
			return school.MatchString(value(g.Purpose)) || school.MatchString(g.RecipName) || school.MatchString(g.RecipNameFiled)
		}},
		{"year=2017&min_year=2019", func(GrantRow) bool { return false }},
	} {
		t.Run(c.query, func(t *testing.T) {
			got := w.grants(t, c.query)
			var want []GrantRow
			for _, g := range all {
				if c.keep(g) {
					want = append(want, g)
				}
			}
			if len(want) == 0 && !strings.Contains(c.query, "&min_year") {
				t.Error("nothing in this world is asked for")
			}
			if len(got) != len(want) {
				t.Errorf("%d rows, want %d", len(got), len(want))
			}
			for _, g := range got {
				if !c.keep(g) {
					t.Fatalf("an unwanted row: %+v", g)
				}
			}
			w.agree(t, c.query, got)
		})
	}
}

// agree checks that the four endpoints tell the same story.
func (w *world) agree(t *testing.T, query string, rows []GrantRow) {
	t.Helper()
	var total int64
	funders, recipients, years := map[string]int64{}, map[string]int64{}, map[int]int64{}
	for _, g := range rows {
		total += g.Amount
		funders[g.FunderEIN] += g.Amount
		recipients[g.RecipID] += g.Amount
		years[g.FiscalYear] += g.Amount
	}
	s := unmarshal[SummaryAnswer](t, w.get(t, "GET", "/api/v1/grants/summary?"+query, "pro"))
	if s.Summary != (Sums{total, int64(len(rows)), int64(len(funders)), int64(len(recipients))}) {
		t.Errorf("%s: the summary is %+v, the rows come to %d, %d, %d, %d", query, s.Summary, total, len(rows), len(funders), len(recipients))
	}
	byYear := map[int]int64{}
	for _, y := range s.ByYear {
		byYear[y.FiscalYear] = y.TotalAmount
		if y.Partial != slices.Contains(served.Manifest.Counts.PartialFiscalYear, y.FiscalYear) {
			t.Errorf("%d is partial: %v", y.FiscalYear, y.Partial)
		}
	}
	if !maps.Equal(byYear, years) {
		t.Errorf("%s: by year %v, want %v", query, byYear, years)
	}
	f := unmarshal[List[FunderRow]](t, w.get(t, "GET", "/api/v1/grants/funders?limit=1000&"+query, "pro"))
	if f.Hits != int64(len(funders)) {
		t.Errorf("%s: %d funders, want %d", query, f.Hits, len(funders))
	}
	for _, row := range f.Results {
		if funders[row.FunderEIN] != row.TotalAmount {
			t.Errorf("%s: funder %s has %d, want %d", query, row.FunderEIN, row.TotalAmount, funders[row.FunderEIN])
		}
	}
	r := unmarshal[List[RecipientRow]](t, w.get(t, "GET", "/api/v1/grants/recipients?limit=1000&"+query, "pro"))
	if r.Hits != int64(len(recipients)) {
		t.Errorf("%s: %d recipients, want %d", query, r.Hits, len(recipients))
	}
	for _, row := range r.Results {
		if recipients[row.RecipID] != row.TotalAmount {
			t.Errorf("%s: recipient %s has %d, want %d", query, row.RecipID, row.TotalAmount, recipients[row.RecipID])
		}
	}
}

// TestWorldExcluded checks what exclusion costs, and area_served.
func TestWorldExcluded(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	all := w.grants(t, "")
	var want Cost
	for _, g := range all {
		if slices.Contains(g.Provenance.Classes, "daf") {
			want.GrantCount++
			want.TotalAmount += g.Amount
		}
	}
	s := unmarshal[SummaryAnswer](t, w.get(t, "GET", "/api/v1/grants/summary?exclude=daf", "pro"))
	if e := s.Service.Excluded; e == nil || e.DAF == nil || *e.DAF != want || e.Individuals != nil {
		t.Errorf("excluded %+v, want %+v", e, want)
	}
	state := *all[0].FunderState
	reach := map[string]bool{}
	for _, g := range all {
		if g.RecipState != nil && *g.RecipState == state {
			reach[g.FunderEIN] = true
		}
	}
	l := unmarshal[List[GrantRow]](t, w.get(t, "GET", "/api/v1/grants/transactions?limit=1&location_type=area_served&location="+state, "pro"))
	var rows int64
	for _, g := range all {
		if reach[g.FunderEIN] {
			rows++
		}
	}
	said := slices.ContainsFunc(l.Service.Warnings, func(x Warning) bool {
		return x.Parameter == "location_type" && strings.Contains(x.Reason, "the "+strconv.Itoa(len(reach))+" funders")
	})
	if l.Hits != rows || !said {
		t.Errorf("%d hits, want %d of %d funders: %+v", l.Hits, rows, len(reach), l.Service.Warnings)
	}
}

func TestWorldSearch(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	g := w.grants(t, "max_amt=100000000")[0]
	s := unmarshal[SearchAnswer](t, w.get(t, "GET", "/api/v1/search?q="+g.FunderEIN, ""))
	if len(s.Results) == 0 || s.Results[0].EIN != g.FunderEIN || !strings.HasPrefix(s.Results[0].URL, base+"/org/"+g.FunderEIN+"/") {
		t.Errorf("%+v", s)
	}
}

// TestOverWire runs requests through a real server with real accounts.
func TestOverWire(t *testing.T) {
	t.Parallel()
	store, err := account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	secret, key, err := store.Create(t.Context(), account.Free, "someone@example.org", "test")
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Config{BaseURL: base, Accounts: store, Acquire: func() (*Dataset, func()) { return served, func() {} }})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	get := func(path string) (*http.Response, string) {
		r, err := http.NewRequest("GET", srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	for i := range 50 {
		resp, body := get("/api/v1/grants/funders?limit=2")
		if resp.StatusCode != 200 || resp.Header.Get("X-Calls-Remaining") != strconv.Itoa(49-i) || resp.Header.Get("X-Calls-Limit") != "50" {
			t.Fatalf("call %d: %d %v %s", i, resp.StatusCode, resp.Header, body)
		}
	}
	resp, body := get("/api/v1/grants/funders?limit=2")
	if resp.StatusCode != 402 || !strings.Contains(body, `"quota_exhausted"`) || resp.Header.Get("X-Calls-Remaining") != "0" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if resp, body := get("/api/v1/search?q=foundation"); resp.StatusCode != 200 {
		t.Errorf("search on a spent key: %d %s", resp.StatusCode, body)
	}
	if _, err := store.Deactivate(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if resp, body := get("/api/v1/grants/funders"); resp.StatusCode != 402 || !strings.Contains(body, `"account_inactive"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
