package site

import (
	"net/http"
	"strings"
	"testing"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/organizations"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
)

// withAPI adds the operations of grants and organizations to the site.
func withAPI(t *testing.T) func(*Config) {
	return func(c *Config) {
		operations := []api.Group{
			grants.Group(func(d api.Dataset) grants.Graph { return d.(asked).set.Graph }, nil),
			organizations.Group(organizations.Parts{
				Search:    func(d api.Dataset) organizations.Searcher { return d.(asked).set.Search },
				Directory: func(d api.Dataset) *directory.Index { return d.(asked).set.Directory },
				Standing:  func(d api.Dataset) *screen.Standing { return d.(asked).set.Standing },
				Screener:  func(d api.Dataset) *screen.Screener { return d.(asked).set.Screen },
				Clock:     c.Clock,
			}),
		}
		acquire := c.Acquire
		var err error
		c.API, err = api.New(api.Config{BaseURL: c.BaseURL, Accounts: c.Accounts, Budget: c.Budget, Groups: operations, Examples: api.Examples{Groups: operations},
			Acquire: func() (api.Dataset, func()) {
				d, release := acquire()
				return asked{d}, release
			}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTryout runs operations as a member: on live data, and charged once, only if
// there is an answer.
func TestTryout(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withAPI(t))
	const at = "/docs/api/listTransactions/run"
	visitor := p.visitor(t)
	want(t, visitor.get(at), http.StatusSeeOther, "/signin?next=%2Fdocs%2Fapi%2FlistTransactions%2Frun")
	want(t, visitor.get("/docs/api/listTransactions"), 200, at)

	who := p.member(t, "officer@example.org")
	a, err := p.store.AccountOf(t.Context(), "officer@example.org")
	if err != nil {
		t.Fatal(err)
	}
	spent := func() int {
		t.Helper()
		b, err := p.store.Balance(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return b.Limit - b.Remaining
	}
	want(t, who.get(at), 200, "counts as one call")
	for _, c := range []struct {
		path   string
		fields map[string]string
		has    string
		calls  int
	}{
		{"listTransactions", map[string]string{"query": "limit=2"}, `"results_count": 2`, 1},
		{"listTransactions", map[string]string{"query": "?limit=1&format=csv"}, "grant_key,", 1},
		{"listTransactions", map[string]string{"query": "year=abc"}, "invalid_request", 0},
		{"listTransactions", map[string]string{"query": "a b\r\nX: y"}, "Nothing was sent", 0},
		{"listTransactions", map[string]string{"query": "limit=1000"}, "the beginning of the answer", 1},
		{"listTransactions", map[string]string{"query": "query=<script>alert(1)</script>"}, `"hits": 0`, 1},
		{"searchOrganizations", map[string]string{"query": "q=library"}, `"results"`, 0},
		{"listOrganizations", map[string]string{"body": `{"state": "OH"}`}, "plan_required", 0},
	} {
		before := spent()
		got := who.fill("/docs/api/"+c.path+"/run", "/docs/api/"+c.path+"/run", c.fields)
		want(t, got, 200, c.has)
		if calls := spent() - before; calls != c.calls {
			t.Errorf("%s %v cost %d calls, want %d", c.path, c.fields, calls, c.calls)
		}
		if strings.Contains(got.body, "<script>alert") {
			t.Errorf("%v is drawn as it was sent", c.fields)
		}
		if header, _, _ := strings.Cut(got.body, "<main"); strings.Contains(header, "limit=") {
			t.Error("the parameters stand in the search of the site")
		}
		if got.header.Get("Cache-Control") != "no-store" {
			t.Error("an answer to a member is kept")
		}
	}
	if _, err := p.store.SetAccountPlan(t.Context(), a.ID, account.Plus); err != nil {
		t.Fatal(err)
	}
	want(t, who.fill("/docs/api/listOrganizations/run", "/docs/api/listOrganizations/run", map[string]string{"body": `{"state": "OH"}`}), 200, `"results_count"`)
	want(t, who.get("/docs/api/nothing/run"), 404, "")

	// Neither another site nor a link can spend a member's calls.
	before := spent()
	if got := who.post(at, nil); got.status != http.StatusForbidden {
		t.Errorf("a form without a token: %d", got.status)
	}
	who.get(at + "?query=limit=1")
	if spent() != before {
		t.Error("calls were spent unasked")
	}
}
