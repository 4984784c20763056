package profiles_test

import (
	"fmt"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/snapshot"
)

// TestApplications compares what profiles tell applicants with the table, and the
// prospects of an organization with and without the filter.
func TestApplications(t *testing.T) {
	t.Parallel()
	w, s := apitest.Real(t), world.Small.Snapshot(t)
	told := by(rows[snapshot.Application](t, s, snapshot.Applications), func(r *snapshot.Application) string { return r.EIN })
	answers := map[string]int{}
	for _, o := range rows[snapshot.Org](t, s, snapshot.Orgs) {
		want := told[o.EIN]
		answer := grant.NotStated
		if len(want) > 0 {
			answer = want[0].Accepts
		}
		if o.ReturnType != "990PF" {
			answer = "absent"
		}
		if answers[answer]++; answers[answer] > 40 {
			continue
		}
		p := apitest.Unmarshal[profiles.PremierAnswer](t, w.Get(t, "GET", "/api/v1/premier/"+o.EIN, "plus"))
		a := p.Applications
		if (a == nil) != (answer == "absent") || (a == nil) != absent(&p, "applications") {
			t.Errorf("%s: applications are %+v, want %s", o.EIN, a, answer)
		}
		if a == nil {
			continue
		}
		if a.AcceptsApplications != answer || (a.FiscalYear == nil) != (len(want) == 0) || len(want) > 0 && (deref(a.ObjectID) != want[0].ObjectID || *a.FiscalYear != int(want[0].TaxYear)) {
			t.Errorf("%s says %+v, the table has %+v", o.EIN, a, want)
		}
		for i, c := range a.Contacts {
			r := want[i]
			if deref(c.Name) != r.Name || deref(c.Phone) != r.Phone || deref(c.Form) != r.Form || deref(c.Deadlines) != r.Deadlines || deref(c.Restrictions) != r.Restrictions || deref(c.ZIP) != r.ZIP {
				t.Errorf("%s: contact %+v, the table has %+v", o.EIN, c, r)
			}
		}
	}
	for _, answer := range append(grant.Applications(), "absent") {
		if answers[answer] == 0 {
			t.Errorf("nobody answers %s: %v", answer, answers)
		}
	}
	checkProspects(t, w, told, rows[snapshot.Grant](t, s, snapshot.Grants))
}

func checkProspects(t *testing.T, w *apitest.World, told map[string][]*snapshot.Application, grants []*snapshot.Grant) {
	t.Helper()
	found := map[string]int64{}
	for i := 0; i < len(grants) && len(found) < 3; i += 97 {
		e := grants[i].RecipientEIN
		if e == "" {
			continue
		}
		ask := func(filter string) *api.List[client.ProspectRow] {
			a := apitest.Unmarshal[api.List[client.ProspectRow]](t, w.Get(t, "GET", "/api/v1/prospects/"+e+"?limit=100"+filter, "plus"))
			return &a
		}
		all := map[string]int{}
		list := ask("")
		for _, r := range list.Results {
			want := grant.NotStated
			if len(told[r.FunderEIN]) > 0 {
				want = told[r.FunderEIN][0].Accepts
			}
			if all[want]++; r.AcceptsApplications != want {
				t.Errorf("prospect %s accepts applications: %s, want %s", r.FunderEIN, r.AcceptsApplications, want)
			}
		}
		for _, answer := range grant.Applications() {
			some := ask(fmt.Sprintf("&accepts_applications=%s", answer))
			for _, r := range some.Results {
				if r.AcceptsApplications != answer {
					t.Errorf("%s asked for prospects with %s and got %s", e, answer, r.AcceptsApplications)
				}
			}
			if some.Hits < int64(all[answer]) {
				t.Errorf("%s has %d prospects with %s among all, and %d when asked for them", e, all[answer], answer, some.Hits)
			}
			if some.Hits > 0 {
				found[answer] += some.Hits
			}
		}
	}
	if len(found) < 3 {
		t.Errorf("prospects answer %v", found)
	}
}
