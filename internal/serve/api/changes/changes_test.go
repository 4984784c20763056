package changes_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/changes"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/search"
)

// TestRequests asks the invented dataset what is new.
func TestRequests(t *testing.T) {
	t.Parallel()
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "without a key", Path: "changes", Plan: "none", Status: 401},
		{Name: "since the build before", Path: "changes?since=20251201T000000Z", Costs: 1, Has: []string{
			`"from":"20251201T000000Z","to":"20260101T000000Z","versions":["20251201T000000Z"],"summary":{"funders":2,"returns_new":1,"returns_amended":1,"returns_removed":0,"rows_added":2,"rows_removed":0,"rows_changed":1,"net_amount":135000}`,
			`"lists_from":"20251201T000000Z","lists_to":"20260101T000000Z"`, `{"source":"revocation","title":"IRS automatic revocations","compared":true,"changes":[{"change":"revoked","count":1},{"change":"reinstated","count":0},{"change":"delisted","count":0}],"matches_compared":null}`,
			`{"change":"potential_match","count":1},{"change":"no_longer_matched","count":0}],"matches_compared":true}`,
			`"hits":2,"page":1,"limit":25,"results_count":2,"total_pages":1,"next_cursor":null`, `"results":[{"funder_ein":"000000001","funder_name":"EXAMPLE COMMUNITY FOUNDATION"`,
		}},
		{Name: "without since", Path: "changes", Costs: 1, Has: []string{`"from":"20251201T000000Z"`, `"hits":2`}},
		{Name: "since the build itself", Path: "changes?since=20260101T000000Z", Costs: 1, Has: []string{`"from":"20260101T000000Z"`, `"hits":0`, `"results":[]`, `"lists_from":"20260101T000000Z"`, `{"change":"revoked","count":0}`}},
		{Name: "since a build that is not kept", Path: "changes?since=20200101T000000Z", Status: 404, Has: []string{`"error":"unknown_version"`, "20200101T000000Z", "send one of 20251201T000000Z"}},
		{Name: "since no version", Path: "changes?since=monday", Status: 422, Has: []string{`"loc":["query","since"]`}},
		{Name: "since an edition", Path: "changes?lists_since=20260101T000000Z", Costs: 1, Has: []string{`"lists_from":"20260101T000000Z"`, `"hits":2`}},
		{Name: "since a moment between editions", Path: "changes?lists_since=20251215T000000Z", Costs: 1, Has: []string{`"lists_from":"20251201T000000Z"`}},
		{Name: "since before the log", Path: "changes?lists_since=20200101T000000Z", Status: 404, Has: []string{`"error":"unknown_version"`, "an edition from 20251201T000000Z on"}},
		{Name: "as CSV", Path: "changes?format=csv", Costs: 1, Has: []string{"funder_ein,funder_name,funder_city,funder_state,returns_new,", "000000002,EXAMPLE FAMILY FOUNDATION,PORTLAND,OR,0,1,0,0,0,1,5000,"}},
		{Name: "as XML", Path: "changes?format=xml", Costs: 1, Has: []string{"<response><code>200</code>", "<rows_added>2</rows_added>"}},
		{Name: "with a parameter of nobody", Path: "changes?verbose=1", Costs: 1, Has: []string{`"unsupported":["verbose"]`}},
		{Name: "the lists on a free key", Path: "changes/lists", Status: 402, Has: []string{`"error":"plan_required"`}},
		{Name: "the lists", Path: "changes/lists?lists_since=20251201T000000Z", Plan: "plus", Costs: 1, Has: []string{
			`"hits":5`, `{"source":"ofac","change":"listed","was":null,"ein":null,"name":"EXEMPLARY GAP RELIEF","city":null,"state":null,"reference":"900001","url":null,"matches":[],"matched_name":null,"query_name":null,"score":null,"strength":null}`,
			`{"source":"revocation","change":"revoked","was":null,"ein":"000000006","name":"EXAMPLE LAPSED CLUB"`,
		}},
		{Name: "one list", Path: "changes/lists?source=pub78,ofac&change=delisted", Plan: "plus", Costs: 1, Has: []string{`"hits":1`, `"source":"pub78","change":"delisted","was":"listed"`}},
		{Name: "potential matches", Path: "changes/lists?change=potential_match,no_longer_matched", Plan: "plus", Costs: 1, Has: []string{
			`"hits":1`, `{"source":"ofac","change":"potential_match","was":null,"ein":"000000007","name":"EXEMPLARY GAP TRADING COMPANY RELIEF FUND"`, `"reference":"900001"`, `"matches":null,"matched_name":"EXEMPLARY GAP TRADING COMPANY","query_name":"EXEMPLARY GAP TRADING COMPANY RELIEF FUND","score":`,
		}},
		{Name: "potential matches are of the sanctions list", Path: "changes/lists?source=ofac", Plan: "plus", Costs: 1, Has: []string{`"hits":3`}},
		{Name: "a list of nobody", Path: "changes/lists?source=santa", Plan: "plus", Costs: 1, Has: []string{`"unsupported":["source"]`, `"hits":5`}},
		{Name: "a page past the end", Path: "changes/lists?page=9", Plan: "plus", Costs: 1, Has: []string{`"hits":5`, `"results":[]`}},
	})
}

// TestPages reads the rows one at a time, and asks again for what has not changed.
func TestPages(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	path := "/api/v1/changes?limit=1"
	var seen []string
	for cursor := ""; ; {
		rec := w.Get(t, "GET", path+cursor, "free")
		a := apitest.Unmarshal[changes.ChangesAnswer](t, rec)
		for _, r := range a.Results {
			seen = append(seen, r.FunderEIN)
		}
		if a.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *a.NextCursor
	}
	if len(seen) != 2 || seen[0] != "000000001" || seen[1] != "000000002" {
		t.Errorf("in pages of one: %v", seen)
	}
	first := apitest.Unmarshal[changes.ChangesAnswer](t, w.Get(t, "GET", path, "free"))
	rec := w.Get(t, "GET", path+"&since=20260101T000000Z&cursor="+*first.NextCursor, "free")
	if rec.Code != http.StatusBadRequest || apitest.Unmarshal[client.Failure](t, rec).Error != "cursor_mismatch" {
		t.Errorf("a cursor of another question: %d %s", rec.Code, rec.Body)
	}
	calls := w.Ledger.Calls("free")
	tag := w.Get(t, "GET", "/api/v1/changes", "free").Header().Get("ETag")
	rec = w.Get(t, "GET", "/api/v1/changes?since=20251201T000000Z", "free", "If-None-Match", tag)
	if rec.Code != http.StatusNotModified || w.Ledger.Calls("free") != calls+1 {
		t.Errorf("the same question again: %d, and %d calls", rec.Code, w.Ledger.Calls("free")-calls)
	}
}

// found is a search that finds two organizations, whatever is looked for.
type found struct{ searching }

type searching = serve.Search

func (found) Search(context.Context, search.Ask) (search.Answer, error) {
	return search.Answer{Hits: 2, Results: []search.Result{{EIN: 7, Name: "EXEMPLARY GAP TRADING COMPANY RELIEF FUND"}, {EIN: 1, Name: "EXAMPLE COMMUNITY FOUNDATION"}}}, nil
}

// TestMatches names the organization that a name new on the sanctions list
// resembles, and not another that the search finds.
func TestMatches(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Data.Search = found{w.Data.Search}
	list := apitest.Unmarshal[api.List[client.ListChange]](t, w.Get(t, "GET", "/api/v1/changes/lists?source=ofac", "plus")).Results
	if len(list) != 3 || list[0].Matches == nil {
		t.Fatalf("%+v", list)
	}
	if m := *list[0].Matches; len(m) != 1 || m[0].EIN != "000000007" || m[0].Score < 0.75 {
		t.Errorf("%+v", m)
	}
}

// TestMatchIsScreened holds a potential match against the screening of the
// organization.
func TestMatchIsScreened(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	list := apitest.Unmarshal[api.List[client.ListChange]](t, w.Get(t, "GET", "/api/v1/changes/lists?change=potential_match", "plus")).Results
	if len(list) != 1 || list[0].Score == nil {
		t.Fatalf("%+v", list)
	}
	row := list[0]
	found := apitest.Unmarshal[client.ScreeningRecord](t, w.Get(t, "GET", "/api/v1/screening/"+*row.EIN, "plus")).Compliance.OFAC.PotentialMatches
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	if m := found[0]; m.Score != *row.Score || m.Strength != *row.Strength || m.MatchedName != *row.MatchedName || m.QueryName != *row.QueryName || strconv.FormatInt(m.EntNum, 10) != *row.Reference {
		t.Errorf("%+v, and a screening finds %+v", row, m)
	}
}

// TestNothingBefore asks a dataset that knows of no earlier build, and one whose
// changes are out of service.
func TestNothingBefore(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	none, err := change.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Data.Changes, w.Data.ListLog = none, &change.Log{}
	apitest.Scenario{Name: "no build before", Path: "changes", Costs: 1, Has: []string{
		`"from":null`, `"versions":[]`, `"hits":0`, `"lists_from":null,"lists_to":null`, `"compared":false,"changes":[],"matches_compared":false`, "There is no earlier build",
	}}.Run(t, w)
	apitest.Scenario{Name: "an unknown one", Path: "changes?since=20251201T000000Z", Status: 404, Has: []string{"there is none before"}}.Run(t, w)
	apitest.Scenario{Name: "an unknown edition", Path: "changes?lists_since=20251201T000000Z", Status: 404, Has: []string{"no edition to compare with"}}.Run(t, w)
	apitest.Scenario{Name: "no lists", Path: "changes/lists", Plan: "plus", Costs: 1, Has: []string{`"hits":0`, "We don't have the compliance lists of that time"}}.Run(t, w)
	w.Data.Changes = nil
	apitest.Scenario{Name: "a damaged file", Path: "changes", Status: 503, Has: []string{`"error":"dataset_damaged"`}}.Run(t, w)
}
