package grants_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
)

// TestGroups asks for every grouping of a real graph and adds the rows of the
// grants up to compare.
func TestGroups(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	const query = "min_amt=500&subject_basis=any"
	all := grantsOf(t, w, query)
	unnamed := map[string]bool{} // recipients that are no organization
	for _, g := range grantsOf(t, w, "") {
		if g.RecipEIN == nil && (slices.Contains(g.Provenance.Classes, "individuals") || slices.Contains(g.Provenance.Classes, "unidentified")) {
			unnamed[g.RecipID] = true
		}
	}
	value := func(p *string) []string {
		if p == nil || *p == "" {
			return nil
		}
		return []string{*p}
	}
	for by, keys := range map[string]func(g *grants.GrantRow) []string{
		"subject":     func(g *grants.GrantRow) []string { return value(g.Subject) },
		"state":       func(g *grants.GrantRow) []string { return value(g.RecipState) },
		"support":     func(g *grants.GrantRow) []string { return g.Support },
		"funder_type": func(g *grants.GrantRow) []string { return value(&g.FunderType) },
		"funder":      func(g *grants.GrantRow) []string { return value(&g.FunderEIN) },
		"recipient":   func(g *grants.GrantRow) []string { return value(&g.RecipID) },
		"year":        func(g *grants.GrantRow) []string { return []string{strconv.Itoa(g.FiscalYear)} },
	} {
		for _, top := range []int{3, 1000} {
			t.Run(fmt.Sprint(by, top), func(t *testing.T) {
				s := apitest.Unmarshal[grants.SummaryAnswer](t, w.Get(t, "GET", fmt.Sprintf("/api/v1/grants/summary?%s&by=%s&top=%d", query, by, top), "pro"))
				want := groupsOf(by, all, keys, top, unnamed)
				if s.Groups == nil {
					t.Fatal("there are no groups")
				}
				got := *s.Groups
				for i := range got.Rows {
					if got.Rows[i].Label == "" {
						t.Errorf("%+v has no label", got.Rows[i])
					}
					got.Rows[i].Label, got.Rows[i].EIN = "", nil
				}
				a, _ := json.Marshal(got)
				b, _ := json.Marshal(want)
				if string(a) != string(b) {
					t.Errorf("got  %.600s\nwant %.600s", a, b)
				}
				var grantCount int64
				for _, r := range got.Rows {
					grantCount += r.GrantCount
				}
				if grantCount != s.Summary.GrantCount && by != "support" {
					t.Errorf("the groups have %d grants, the summary %d", grantCount, s.Summary.GrantCount)
				}
				if overlap := slices.ContainsFunc(s.Service.Warnings, func(w client.Warning) bool { return w.Parameter == "by" }); overlap != (by == "support") {
					t.Errorf("says that groups overlap: %v", overlap)
				}
			})
		}
	}
}

// groupsOf groups rows with plain loops.
func groupsOf(by string, rows []grants.GrantRow, keys func(*grants.GrantRow) []string, top int, unnamed map[string]bool) client.Groups {
	out := client.Groups{By: by, Rows: []client.GroupRow{}}
	none := client.GroupRow{Kind: "none"}
	add := func(to *client.GroupRow, g *grants.GrantRow) {
		to.TotalAmount += g.Amount
		to.GrantCount++
	}
	for i := range rows {
		list := keys(&rows[i])
		if len(list) == 0 {
			add(&none, &rows[i])
		}
		for _, key := range list {
			at := slices.IndexFunc(out.Rows, func(r client.GroupRow) bool { return *r.Key == key })
			if at < 0 {
				at = len(out.Rows)
				out.Rows = append(out.Rows, client.GroupRow{Kind: "value", Key: &key})
			}
			add(&out.Rows[at], &rows[i])
		}
	}
	out.GroupCount = int64(len(out.Rows))
	slices.SortFunc(out.Rows, func(a, b client.GroupRow) int {
		if x, y := unnamed[*a.Key], unnamed[*b.Key]; x != y && y {
			return -1
		} else if x != y {
			return 1
		}
		return cmp.Or(cmp.Compare(b.TotalAmount, a.TotalAmount), strings.Compare(*a.Key, *b.Key))
	})
	beyond := out.Rows[min(top, len(out.Rows)):]
	rest := client.GroupRow{Kind: "rest"}
	for i := range rows {
		if slices.ContainsFunc(keys(&rows[i]), func(key string) bool {
			return slices.ContainsFunc(beyond, func(r client.GroupRow) bool { return *r.Key == key })
		}) {
			add(&rest, &rows[i])
		}
	}
	out.Rows = out.Rows[:len(out.Rows)-len(beyond)]
	if by == "year" {
		slices.SortFunc(out.Rows, func(a, b client.GroupRow) int { return strings.Compare(*a.Key, *b.Key) })
	}
	for _, last := range []client.GroupRow{rest, none} {
		if last.GrantCount > 0 {
			out.Rows = append(out.Rows, last)
		}
	}
	return out
}

// TestGroupScenarios is what by and top look like on the wire.
func TestGroupScenarios(t *testing.T) {
	t.Parallel()
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "without by", Path: "grants/summary", Costs: 1, Lacks: []string{`"groups"`}},
		{Name: "subject", Path: "grants/summary?by=subject", Costs: 1, Has: []string{`"groups":{"by":"subject","group_count":2,"rows":[{"kind":"value","key":"K","label":"Food & Agriculture","ein":null,"total_amount":330000,"grant_count":3}`,
			`{"kind":"none","key":null,"label":"No cause known","ein":null,"total_amount":10000,"grant_count":1}]`}},
		{Name: "rest", Path: "grants/summary?by=Funder&top=1", Costs: 1, Has: []string{`"group_count":3`, `{"kind":"value","key":"000000001","label":"EXAMPLE COMMUNITY FOUNDATION","ein":"000000001","total_amount":380000,"grant_count":3},{"kind":"rest","key":null,"label":"2 others","ein":null,"total_amount":80000,"grant_count":2}]`}},
		{Name: "one other", Path: "grants/summary?by=recipient&top=2", Costs: 1, Has: []string{`"label":"1 other"`, `"ein":"000000004"`}},
		{Name: "csv", Path: "grants/summary?by=funder&format=csv", Costs: 1, Has: []string{"kind,key,label,ein,total_amount,grant_count\nvalue,000000001,EXAMPLE COMMUNITY FOUNDATION,000000001,380000,3"}},
		{Name: "csv without by", Path: "grants/summary?format=csv", Costs: 1, Has: []string{"fiscal_year,total_amount"}},
		{Name: "ndjson", Path: "grants/summary?by=funder&format=ndjson&top=1", Costs: 1, Has: []string{`{"kind":"rest","key":null`}, Lacks: []string{"by_year"}},
		{Name: "xml", Path: "grants/summary?by=funder&format=xml", Costs: 1, Has: []string{"<group_count>3</group_count>", "<kind>value</kind>"}},
		{Name: "unknown grouping", Path: "grants/summary?by=cause", Costs: 1, Has: []string{`"unsupported":["by"]`, "subject"}, Lacks: []string{`"groups"`}},
		{Name: "unknown grouping, top", Path: "grants/summary?by=planet&top=3", Costs: 1, Has: []string{`"unsupported":["by","top"]`}},
		{Name: "unknown grouping, strict", Path: "grants/summary?by=planet&strict=1", Status: 400},
		{Name: "by on a list", Path: "grants/funders?by=state", Costs: 1, Has: []string{`"unsupported":["by"]`}},
		{Name: "overlap", Path: "grants/summary?by=support", Costs: 1, Has: []string{"counts in each of them"}},
		{Name: "one key", Path: "grants/transactions?grant_key=example-2", Costs: 1},
	})
}

// TestGroupQuestions holds the name of a question to what the answer depends on.
func TestGroupQuestions(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	seen := map[string]string{}
	for _, query := range []string{"", "?by=state", "?by=county", "?by=state&top=5", "?near=10001", "?near=10001&within=26", "?near=10002", "?near=10001&location_type=funder", "?grant_key=a", "?grant_key=a,b"} {
		tag := w.Get(t, "GET", "/api/v1/grants/summary"+query, "pro").Header().Get("ETag")
		if other, ok := seen[tag]; ok || tag == "" {
			t.Errorf("%q and %q share the ETag %s", query, other, tag)
		}
		seen[tag] = query
	}
	for _, pair := range [][2]string{{"?by=state", "?by=STATE&top=25"}, {"?near=10001", "?near=10001-1234&within=25"}, {"?grant_key=a,b", "?grant_key=b,a,a"}} {
		a, b := w.Get(t, "GET", "/api/v1/grants/summary"+pair[0], "pro"), w.Get(t, "GET", "/api/v1/grants/summary"+pair[1], "pro")
		if a.Header().Get("ETag") != b.Header().Get("ETag") {
			t.Errorf("%v are one question with two ETags", pair)
		}
	}
}

// TestLabels holds what groups are called.
func TestLabels(t *testing.T) {
	t.Parallel()
	for by, keys := range map[graph.Grouping]map[string]string{
		graph.GroupSubject:    {"B": "Education"},
		graph.GroupState:      {"OH": "Ohio", "PR": "Puerto Rico", "ZZ": "ZZ"},
		graph.GroupCounty:     {"39153": "Summit County, OH", "22071": "Orleans Parish, LA", "99999": "99999"},
		graph.GroupSupport:    {"general_operating": "General operating support"},
		graph.GroupFunderType: {"daf_or_passthrough": "Donor-advised fund or pass-through"},
		graph.GroupYear:       {"2021": "2021"},
	} {
		for key, want := range keys {
			if got := by.Label(&graph.Group{Key: key}); got != want {
				t.Errorf("%s %s is called %q, want %q", by, key, got, want)
			}
		}
	}
}
