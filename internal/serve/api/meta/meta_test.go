package meta_test

import (
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/snapshot"
	"slices"
	"strings"
	"testing"
)

func TestMeta(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	rec := apitest.Scenario{Path: "meta", Plan: "none"}.Run(t, w)
	m := apitest.Unmarshal[client.MetaAnswer](t, rec)
	if m.Scope.Grants != 5 || m.Scope.LastCompleteFiscalYear != 2023 || len(m.Scope.PartialFiscalYears) != 3 || m.Trial.ComplianceScreensIncluded != 1 || len(m.Trial.ComplianceWithheldFields) != 10 ||
		m.ComplianceReports.Format != "1.0" || m.ComplianceReports.Signing.Algorithm != "Ed25519" || m.ResponseCompat.Default != "json" || m.ComplianceSources.OFAC.Caveat == nil {
		t.Errorf("%+v", m)
	}
	// A build that did not count has an object as well, as the schema says.
	uncounted := apitest.New(t)
	uncounted.Data.Manifest.Report = nil
	apitest.Scenario{Path: "meta", Plan: "none", Has: []string{`"resolution":{"linked_count":4,"linked_amount":450000,"by_rule":[],"by_year":[],"model":null}`}}.Run(t, uncounted)
	invented := apitest.New(t)
	invented.Data.Manifest.Invented = true
	apitest.Scenario{Path: "meta", Plan: "none", Has: []string{`"dataset":{"source":"Invented returns`, `"invented":true,"individuals":"filed"},"scope"`}}.Run(t, invented)
	masked := apitest.New(t)
	masked.Data.Manifest.Individuals = snapshot.IndividualsMasked
	apitest.Scenario{Path: "meta", Plan: "none", Has: []string{`"individuals":"masked"},"scope"`, `"individuals":"masked"}}`}}.Run(t, masked)
	for _, path := range []string{"grants/transactions", "grants/recipients", "grants/summary"} {
		apitest.Scenario{Path: path, Costs: 1, Has: []string{`"parameter":"_individuals"`, `"individuals":"masked"`}}.Run(t, masked)
		apitest.Scenario{Path: path + "?exclude=individuals", Costs: 1, Lacks: []string{`"parameter":"_individuals"`}}.Run(t, masked)
	}
	known := map[string]bool{}
	for _, list := range [][]client.Mapping{m.CandidCompatibility.Endpoints, m.CandidCompatibility.GrantParameters, m.CandidCompatibility.EssentialsFilters, m.CandidCompatibility.SupportStrategies} {
		for _, x := range list {
			if x.External == nil && x.Service == nil || x.Note == "" || !slices.Contains([]string{"equivalent", "transformed", "unsupported", "service"}, x.Status) ||
				(x.Status == "unsupported") != (x.Service == nil) || (x.Status == "service") != (x.External == nil) {
				t.Errorf("%+v", x)
			}
			if x.Service != nil {
				known[*x.Service] = true
			}
			if x.External != nil {
				known[*x.External] = true
			}
		}
	}
	for _, op := range apitest.Operations(t) {
		if op.Tag == "Grants" {
			for _, p := range op.Params {
				if !known[p.Name] {
					t.Errorf("the map does not have %s", p.Name)
				}
			}
		}
		if op.Access != api.Admin && !known[op.Method+" /api/v1"+op.Path] {
			t.Errorf("the map does not have %s", op.ID)
		}
	}
	// The vocabulary of the other service, whether it is honored here or not.
	for _, name := range strings.Fields(`
		query location geo_id_type location_type year subject population support transaction recip_id funder_id id_type include_gov
		min_amt max_amt last_updated profile_levels sort_by sort_order page format
		search_terms from size sort.sort_by sort.sort_order
		geography.state geography.zip geography.radius geography.msa geography.city geography.county
		organization.profile_levels organization.ntee_major_codes organization.ntee_minor_codes organization.subsection_codes organization.foundation_codes
		organization.subject_codes organization.population_served_codes organization.group_exemption organization.number_of_employees organization.ruling_year
		organization.properties.bmf_status organization.properties.pub78_verified organization.properties.exclude_revoked_organizations
		organization.properties.exclude_defunct_or_merged_organizations organization.properties.allow_online_giving organization.properties.dei_submitted
		organization.properties.relationship_type
		financials.most_recent_year.form_types financials.most_recent_year.total_revenue financials.most_recent_year.total_expenses
		financials.most_recent_year.total_assets financials.required_to_file_990t financials.a_133_audit_performed
		UA0000 UN0000 UF0000 UE0000 UR0400 UG0700`) {
		if !known[name] {
			t.Errorf("the map does not have %s", name)
		}
	}
	// Nothing is promised that is not served.
	for _, x := range m.CandidCompatibility.Endpoints {
		if x.Service != nil {
			method, path, _ := strings.Cut(*x.Service, " ")
			if rec := w.Get(t, method, path, ""); rec.Code == 404 || rec.Code == 405 {
				t.Errorf("there is no %s", *x.Service)
			}
		}
	}
}
