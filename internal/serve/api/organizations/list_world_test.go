package organizations_test

import (
	"cmp"
	"encoding/json"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// TestListWorld lists a built world: everybody once, page by page, and everybody
// who is searched for by name under the number that the directory knows.
func TestListWorld(t *testing.T) {
	t.Parallel()
	w, s := apitest.Real(t), world.Small.Snapshot(t)
	known := map[string]snapshot.Organization{}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			t.Fatal(err)
		}
		known[o.EIN] = o
	}
	filed := map[string]snapshot.Org{}
	for o, err := range snapshot.Rows[snapshot.Org](s, snapshot.Orgs) {
		if err != nil {
			t.Fatal(err)
		}
		filed[o.EIN] = o
	}
	seen := map[string]bool{}
	var last *client.OrganizationRow
	for cursor := ""; ; {
		body, _ := json.Marshal(map[string]any{"size": 1000, "sort_by": "revenue", "cursor": &cursor})
		if cursor == "" {
			body = []byte(`{"size":1000,"sort_by":"revenue"}`)
		}
		a := answered(t, w, string(body))
		if a.Hits != int64(len(known)) {
			t.Fatalf("%d hits of %d organizations", a.Hits, len(known))
		}
		for i := range a.Results {
			r := &a.Results[i]
			o, f := known[r.EIN], filed[r.EIN]
			if seen[r.EIN] || o.Name != r.Name || f.TotalRevenue != nil && (r.TotalRevenue == nil || *r.TotalRevenue != *f.TotalRevenue) || f.TotalRevenue == nil && r.TotalRevenue != nil {
				t.Fatalf("%+v, and the table has %+v, %+v", r, o, f)
			}
			if last != nil && last.TotalRevenue != nil && r.TotalRevenue != nil && *last.TotalRevenue < *r.TotalRevenue || last != nil && last.TotalRevenue == nil && r.TotalRevenue != nil {
				t.Fatalf("%s comes before %s", last.EIN, r.EIN)
			}
			if r.AcceptsApplications != cmp.Or(f.Accepts, grant.NotStated) {
				t.Errorf("%s accepts applications: %q, the table has %q", r.EIN, r.AcceptsApplications, f.Accepts)
			}
			seen[r.EIN], last = true, r
		}
		if a.NextCursor == nil {
			break
		}
		cursor = *a.NextCursor
	}
	if len(seen) != len(known) {
		t.Errorf("%d of %d are listed", len(seen), len(known))
	}
	n := 0
	for e, o := range known {
		if o.State == "" {
			continue
		}
		for _, order := range []string{"score", "name"} {
			body, _ := json.Marshal(map[string]any{"search_terms": o.Name, "filters": map[string]any{"state": o.State}, "sort": map[string]any{"sort_by": order}, "size": 1000})
			a := answered(t, w, string(body))
			found := false
			for _, r := range a.Results {
				if found = found || r.EIN == e; known[r.EIN].State != o.State || r.Score == nil || r.Match == nil {
					t.Errorf("%s finds %+v", body, r)
				}
			}
			if !found && a.Hits <= 1000 {
				t.Errorf("%s does not find %s among %d", body, e, a.Hits)
			}
		}
		if n++; n == 25 {
			return
		}
	}
}
