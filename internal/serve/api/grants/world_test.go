package grants_test

import (
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/organizations"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// grantsOf pages through all grants of a query.
func grantsOf(t *testing.T, w *apitest.World, query string) []grants.GrantRow {
	t.Helper()
	var all []grants.GrantRow
	cursor := ""
	for {
		rec := w.Get(t, "GET", "/api/v1/grants/transactions?limit=1000&"+query+cursor, "pro")
		if rec.Code != 200 {
			t.Fatalf("%s: %d %s", query, rec.Code, rec.Body)
		}
		l := apitest.Unmarshal[api.List[grants.GrantRow]](t, rec)
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
	w := apitest.Real(t)
	all := grantsOf(t, w, "")
	if len(all) < 1500 || int64(len(all)) != apitest.Built(t).Manifest.Counts.Grants {
		t.Fatalf("%d grants", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b grants.GrantRow) int { return int(b.Amount - a.Amount) }) {
		t.Error("grants are not in the order of their amounts")
	}
	value := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	matched := all[slices.IndexFunc(all, func(g grants.GrantRow) bool { return g.RecipEIN != nil && g.NTEECode != nil })]
	model := func(g grants.GrantRow) float64 {
		if g.Provenance.MatchProb == nil {
			return -1
		}
		return *g.Provenance.MatchProb
	}
	state := value(matched.RecipState)
	for _, c := range []struct {
		query string
		keep  func(g grants.GrantRow) bool
	}{
		{"funder_id=" + matched.FunderEIN, func(g grants.GrantRow) bool { return g.FunderEIN == matched.FunderEIN }},
		{"recip_id=" + *matched.RecipEIN, func(g grants.GrantRow) bool { return value(g.RecipEIN) == *matched.RecipEIN }},
		{"year=2019-2020,2022", func(g grants.GrantRow) bool {
			return g.FiscalYear == 2019 || g.FiscalYear == 2020 || g.FiscalYear == 2022
		}},
		{"min_year=2021", func(g grants.GrantRow) bool { return g.FiscalYear >= 2021 }},
		{"max_year=2019", func(g grants.GrantRow) bool { return g.FiscalYear <= 2019 }},
		{"subject=" + *matched.Subject, func(g grants.GrantRow) bool { return value(g.Subject) == *matched.Subject }},
		{"subject=" + *matched.NTEECode, func(g grants.GrantRow) bool { return strings.HasPrefix(value(g.NTEECode), *matched.NTEECode) }},
		{"location=" + state, func(g grants.GrantRow) bool { return value(g.RecipState) == state }},
		{"location=" + state + "&location_type=funder", func(g grants.GrantRow) bool { return value(g.FunderState) == state }},
		{"geo_id_type=zip&location=" + value(matched.RecipZipcode)[:5], func(g grants.GrantRow) bool {
			return strings.HasPrefix(value(g.RecipZipcode), value(matched.RecipZipcode)[:5])
		}},
		{"funder_type=private_foundation", func(g grants.GrantRow) bool { return g.FunderType == "private_foundation" }},
		{"support=capital", func(g grants.GrantRow) bool { return slices.Contains(g.Support, "capital") }},
		{"exclude=daf", func(g grants.GrantRow) bool { return !slices.Contains(g.Provenance.Classes, "daf") }},
		{"exclude_daf=1&exclude=individuals,related_party,unidentified", func(g grants.GrantRow) bool { return len(g.Provenance.Classes) == 0 }},
		{"exclude=unidentified", func(g grants.GrantRow) bool { return !slices.Contains(g.Provenance.Classes, "unidentified") }},
		{"grant_key=" + matched.GrantKey + "," + all[3].GrantKey, func(g grants.GrantRow) bool { return g.GrantKey == matched.GrantKey || g.GrantKey == all[3].GrantKey }},
		{"near=" + value(matched.RecipZipcode) + "&within=40", func(g grants.GrantRow) bool {
			p, ok := place.Shipped().Point(value(g.RecipZipcode))
			from, _ := place.Shipped().Point(value(matched.RecipZipcode))
			return ok && milesApart(from, p) <= 40
		}},
		{"min_amt=1000&max_amt=20000", func(g grants.GrantRow) bool { return g.Amount >= 1000 && g.Amount <= 20000 }},
		{"min_match_prob=0.95", func(g grants.GrantRow) bool { return model(g) >= 0.95 }},
		{"min_match_prob=0", func(g grants.GrantRow) bool { return g.RecipEIN != nil }},
		{"ein_source=filed,name", func(g grants.GrantRow) bool {
			return value(g.Provenance.EINSource) == "filed" || value(g.Provenance.EINSource) == "name"
		}},
		{"country=UK", func(g grants.GrantRow) bool { return value(g.RecipCountry) == "UK" }},
		{"year=2020&location=" + state + "&min_amt=100", func(g grants.GrantRow) bool {
			return g.FiscalYear == 2020 && value(g.RecipState) == state && g.Amount >= 100
		}},
		{"geo_id_type=zip&location=" + value(matched.RecipZipcode)[:3], func(g grants.GrantRow) bool {
			return strings.HasPrefix(value(g.RecipZipcode), value(matched.RecipZipcode)[:3])
		}},
		{"geo_id_type=city&location=" + url.QueryEscape(value(matched.RecipCity)+", "+state), func(g grants.GrantRow) bool {
			return orgname.City(value(g.RecipCity)) == orgname.City(value(matched.RecipCity)) && value(g.RecipState) == state
		}},
		{"query=school", func(g grants.GrantRow) bool {
			school := regexp.MustCompile(`(?i)\bschool(s|es|ed|ing)?\b`)
			return school.MatchString(value(g.Purpose)) || school.MatchString(g.RecipName) || school.MatchString(g.RecipNameFiled)
		}},
		{"year=2017&min_year=2019", func(grants.GrantRow) bool { return false }},
	} {
		t.Run(c.query, func(t *testing.T) {
			got := grantsOf(t, w, c.query)
			var want []grants.GrantRow
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
			agree(t, w, c.query, got)
		})
	}
}

// agree checks that the four endpoints tell the same story.
func agree(t *testing.T, w *apitest.World, query string, rows []grants.GrantRow) {
	t.Helper()
	var total int64
	funders, recipients, years := map[string]int64{}, map[string]int64{}, map[int]int64{}
	for _, g := range rows {
		total += g.Amount
		funders[g.FunderEIN] += g.Amount
		recipients[g.RecipID] += g.Amount
		years[g.FiscalYear] += g.Amount
	}
	s := apitest.Unmarshal[grants.SummaryAnswer](t, w.Get(t, "GET", "/api/v1/grants/summary?"+query, "pro"))
	if s.Summary != (client.Sums{TotalAmount: total, GrantCount: int64(len(rows)), FunderCount: int64(len(funders)), RecipientCount: int64(len(recipients))}) {
		t.Errorf("%s: the summary is %+v, the rows come to %d, %d, %d, %d", query, s.Summary, total, len(rows), len(funders), len(recipients))
	}
	byYear := map[int]int64{}
	for _, y := range s.ByYear {
		byYear[y.FiscalYear] = y.TotalAmount
		if y.Partial != slices.Contains(apitest.Built(t).Manifest.Counts.PartialFiscalYear, y.FiscalYear) {
			t.Errorf("%d is partial: %v", y.FiscalYear, y.Partial)
		}
	}
	if !maps.Equal(byYear, years) {
		t.Errorf("%s: by year %v, want %v", query, byYear, years)
	}
	f := apitest.Unmarshal[api.List[client.FunderRow]](t, w.Get(t, "GET", "/api/v1/grants/funders?limit=1000&"+query, "pro"))
	if f.Hits != int64(len(funders)) {
		t.Errorf("%s: %d funders, want %d", query, f.Hits, len(funders))
	}
	for _, row := range f.Results {
		if funders[row.FunderEIN] != row.TotalAmount {
			t.Errorf("%s: funder %s has %d, want %d", query, row.FunderEIN, row.TotalAmount, funders[row.FunderEIN])
		}
	}
	r := apitest.Unmarshal[api.List[grants.RecipientRow]](t, w.Get(t, "GET", "/api/v1/grants/recipients?limit=1000&"+query, "pro"))
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
	w := apitest.Real(t)
	all := grantsOf(t, w, "")
	var want client.Cost
	for _, g := range all {
		if slices.Contains(g.Provenance.Classes, "daf") {
			want.GrantCount++
			want.TotalAmount += g.Amount
		}
	}
	s := apitest.Unmarshal[grants.SummaryAnswer](t, w.Get(t, "GET", "/api/v1/grants/summary?exclude=daf", "pro"))
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
	l := apitest.Unmarshal[api.List[grants.GrantRow]](t, w.Get(t, "GET", "/api/v1/grants/transactions?limit=1&location_type=area_served&location="+state, "pro"))
	var rows int64
	for _, g := range all {
		if reach[g.FunderEIN] {
			rows++
		}
	}
	said := slices.ContainsFunc(l.Service.Warnings, func(x client.Warning) bool {
		return x.Parameter == "location_type" && strings.Contains(x.Reason, "the "+strconv.Itoa(len(reach))+" funders")
	})
	if l.Hits != rows || !said {
		t.Errorf("%d hits, want %d of %d funders: %+v", l.Hits, rows, len(reach), l.Service.Warnings)
	}
}

func TestWorldSearch(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	g := grantsOf(t, w, "max_amt=100000000")[0]
	s := apitest.Unmarshal[organizations.SearchAnswer](t, w.Get(t, "GET", "/api/v1/search?q="+g.FunderEIN, ""))
	if len(s.Results) == 0 || s.Results[0].EIN != g.FunderEIN || !strings.HasPrefix(s.Results[0].URL, apitest.Base+"/org/"+g.FunderEIN+"/") {
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
	h, err := serve.NewAPI(serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: store, Acquire: func() (api.Dataset, func()) { return apitest.Built(t), func() {} }}})
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

// milesApart is the great-circle distance by the law of haversines.
func milesApart(a, b place.Point) float64 {
	half := func(degrees float64) float64 { s := math.Sin(degrees * math.Pi / 360); return s * s }
	across := math.Cos(a.Lat*math.Pi/180) * math.Cos(b.Lat*math.Pi/180) * half(a.Lon-b.Lon)
	return 2 * 3958.7613 * math.Asin(math.Sqrt(half(a.Lat-b.Lat)+across))
}
