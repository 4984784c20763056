package profiles_test

import (
	"slices"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/snapshot"
)

// TestReconciliation compares the accounts of profiles with the tables: the amounts
// given add up to the declared total, the rows are those of the table of grants, and
// answers about a funder warn when much is outside of them.
func TestReconciliation(t *testing.T) {
	t.Parallel()
	w, s := apitest.Real(t), world.Small.Snapshot(t)
	accounts := by(rows[snapshot.GrantAccount](t, s, snapshot.GrantAccounts), func(r *snapshot.GrantAccount) string { return r.EIN })
	rowsOf := map[string]int64{}
	for _, g := range rows[snapshot.Grant](t, s, snapshot.Grants) {
		rowsOf[g.FunderEIN+g.PeriodEnd] += g.Amount
	}
	kinds, warned := map[string]int{}, map[bool]int{}
	for e, account := range accounts {
		for _, a := range account {
			kinds[a.Kind]++
		}
		sums := grant.Sums{}
		for _, a := range account {
			sums[a.Kind] += a.Amount
		}
		if outside := sums.MostlyOutside(); sums[grant.Itemized] > 0 && warned[outside] < 20 {
			warned[outside]++
			page := w.Get(t, "GET", "/api/v1/grants/transactions?limit=1&funder_id="+e, "plus")
			list := apitest.Unmarshal[client.List[grants.GrantRow]](t, page)
			if says := slices.ContainsFunc(list.Service.Warnings, func(w client.Warning) bool {
				return w.Parameter == "funder_id" && strings.Contains(w.Reason, "not in these rows")
			}); says != outside {
				t.Errorf("%s: it warns %v, and the account is %v", e, says, sums)
			}
		}
		if sums[grant.Reversals] == 0 && sums[grant.Abroad] == 0 && sums[grant.FutureCommitments] == 0 || kinds["checked"] > 60 {
			continue
		}
		kinds["checked"]++
		p := apitest.Unmarshal[profiles.PremierAnswer](t, w.Get(t, "GET", "/api/v1/premier/"+e, "plus"))
		if p.Given.NetOfReversals != p.Given.TotalAmount+sums[grant.Reversals] {
			t.Errorf("%s gave %+v, with reversals of %d", e, p.Given, sums[grant.Reversals])
		}
		amounts := 0
		for _, r := range p.Reconciliation {
			var given int64
			for _, a := range r.Amounts {
				if amounts++; a.Given {
					given += a.TotalAmount
				}
			}
			if r.DeclaredTotal != nil && given != *r.DeclaredTotal || r.InRows != rowsOf[e+r.TaxPeriodEnd] {
				t.Errorf("%s: the rows are %d and %d was given, %+v", e, rowsOf[e+r.TaxPeriodEnd], given, r)
			}
		}
		if amounts != len(account) {
			t.Errorf("%s has %d amounts, the table %d", e, amounts, len(account))
		}
	}
	for _, k := range grant.Amounts() {
		goods := k.Kind == grant.PeopleNonCash || k.Kind == grant.PeopleAbroadGoods // the world gives people money alone
		if kinds[k.Kind] == 0 && !goods {
			t.Errorf("no return of the world has the amount %s", k.Kind)
		}
	}
	if warned[true] == 0 || warned[false] == 0 {
		t.Errorf("answers about %v funders were read", warned)
	}
}
