package profiles_test

import (
	"testing"

	"grantgraph/internal/bench/apitest"
)

// TestRequests sends requests to the invented organizations, with the key of each
// plan.
func TestRequests(t *testing.T) {
	t.Parallel()
	var list []apitest.Scenario
	for _, path := range []string{"essentials/", "premier/", "similar/", "prospects/", "gov-funding/"} {
		refusal := []string{`"error":"plan_required"`}
		list = append(list,
			apitest.Scenario{Name: path + " without a key", Path: path + "000000001", Plan: "none", Status: 401},
			apitest.Scenario{Name: path + " on a free key", Path: path + "000000001", Status: 402, Has: refusal},
			apitest.Scenario{Name: path + " of an unknown EIN", Path: path + "00-0000009", Plan: "pro", Status: 404, Has: []string{`"error":"unknown_ein"`, "00-0000009"}},
			apitest.Scenario{Name: path + " of no EIN", Path: path + "12-34", Plan: "pro", Status: 422, Has: []string{`"detail":[{"loc":["path","ein"]`}},
			apitest.Scenario{Name: path + " with a hyphen", Path: path + "00-0000001", Plan: "pro", Costs: 1},
			apitest.Scenario{Name: path + " as XML", Path: path + "000000001?format=xml", Plan: "pro", Costs: 1, Has: []string{"<response><code>200</code>"}, Heads: map[string]string{"Content-Type": "application/xml; charset=utf-8"}},
			apitest.Scenario{Name: path + " in an unknown format", Path: path + "000000001?format=yaml", Plan: "pro", Status: 422},
			apitest.Scenario{Name: path + " with a parameter of nobody", Path: path + "000000001?verbose=1", Plan: "pro", Costs: 1, Has: []string{`"unsupported":["verbose"]`}},
			apitest.Scenario{Name: path + " example", Path: path + "000000001?example=1", Plan: "none", Has: []string{`"example":{`}},
		)
	}
	list = append(list,
		apitest.Scenario{Name: "essentials", Path: "essentials/000000001", Plan: "plus", Costs: 1, Has: []string{
			`"organization":{"ein":"000000001","name":"EXAMPLE COMMUNITY FOUNDATION","also_known_as":["EXAMPLE COMMUNITY FUND"],"former_names":["EXAMPLE COUNTY COMMUNITY CHEST"]`,
			`"county_name":"Sangamon County"`, `"ntee_code":"T31","ntee_label":"Community Foundations"`, `"subject":"T"`, `"subject_source":"registered"`, `"ruling_year":1998`, `"funder_type":"public_charity"`,
			`"known_from":["master_file","returns","publication_78","grants_given"]`, `"url":"https://grants.example.org/org/000000001/example-community-foundation"`,
			`"financials":{"fiscal_year":2022`, `"total_revenue":4200000`, `"months_liquid":7.5`,
			`"standing":{"in_bmf":true,"pub78_verified":true,"revoked":false,"revocation_date":null,"reinstatement_date":null,"as_of":"2025-12-08"}`,
			`"given":{"total_amount":380000,"net_of_reversals":380000,"grant_count":3,"recipient_count":3,"first_fiscal_year":2021,"last_fiscal_year":2022}`,
			`"received":{"total_amount":0,"grant_count":0,"funder_count":0,"first_fiscal_year":null,"last_fiscal_year":null}`,
			`"filings":[{"object_id":"202200000000000001","return_type":"990","fiscal_year":2022,"tax_period_end":"2022-12-31","amended":true,"url":null},`,
		}, Lacks: []string{"not_available"}},
		apitest.Scenario{Name: "essentials without returns", Path: "essentials/000000004", Plan: "plus", Costs: 1, Has: []string{
			`"received":{"total_amount":330000,"grant_count":3,"funder_count":3`, `"filings":[]`, `"not_available":[{"part":"financials","reason":"no_filing_read","detail":"`,
		}, Lacks: []string{`"financials":`}},
		apitest.Scenario{Name: "essentials of one that was revoked", Path: "essentials/000000006", Plan: "plus", Costs: 1, Has: []string{
			`"in_bmf":false,"pub78_verified":false,"revoked":true,"revocation_date":"2024-05-15"`, `"known_from":["revocation_list"]`,
		}},
		apitest.Scenario{Name: "premier on Plus", Path: "premier/000000002", Plan: "plus", Costs: 1, Has: []string{
			`"financials_by_year":[{"fiscal_year":2020`, `"expenses_by_function":{"program":null`, `"grants_out":{"recipient_count":1,"by_year":[{"fiscal_year":2020,"total_amount":75000`,
			`"part":"governance","reason":"plan"`, `"part":"family","reason":"plan"`, `"part":"government","reason":"plan"`, `"part":"assets","reason":"plan"`, `"part":"funding_in","reason":"none_found"`,
			"an association found in public data", "meaning was not compared",
		}, Lacks: []string{`"governance":{`, `"family":{`, `"government":{`, `"assets":{`, "PAT EXAMPLE", "INDEX FUND"}},
		apitest.Scenario{Name: "premier on Pro", Path: "premier/000000002", Plan: "pro", Costs: 1, Has: []string{
			`"governance":{"fiscal_year":2020,"people":[{"name":"PAT EXAMPLE","title":"PRESIDENT","hours_per_week":5,"compensation":0`, `"roles":["director","officer"]`, `"people_count":2`, `"board_link_count":1`, `"holding_count":2`,
			`"board_links":[{"ein":"000000001","name":"EXAMPLE COMMUNITY FOUNDATION","shared_people":1`, `"family":{"family_id":"family-example"`, `"assets":{"profile":{"total_assets_fmv":9100000`,
			`"holdings":[{"name":"EXAMPLE TOTAL MARKET INDEX FUND"`, `"part":"government","reason":"none_found"`,
		}, Lacks: []string{`"reason":"plan"`}},
		apitest.Scenario{Name: "premier of a public charity on Pro", Path: "premier/000000004", Plan: "pro", Costs: 1, Has: []string{
			`"funding_in":{"funder_count":3`, `"part":"assets","reason":"not_a_private_foundation"`, `"part":"governance","reason":"no_filing_read"`, `"part":"grants_out","reason":"none_found"`, `"cofunders":[]`,
		}},
		apitest.Scenario{Name: "similar", Path: "similar/000000004", Plan: "plus", Costs: 1, Has: []string{
			`"results":[{"ein":"000000005","name":"EXAMPLE CITY MUSEUM"`, `"shared_funders":1`, `"place":"state"`, `"meaning":null`, `"hits":`, "no sign that they work together",
		}},
		apitest.Scenario{Name: "similar, a page past the end", Path: "similar/000000004?page=99&limit=5000", Plan: "plus", Costs: 1, Has: []string{`"results":[]`, `"limit":100`, "lowered"}},
		apitest.Scenario{Name: "similar as CSV", Path: "similar/000000004?format=csv", Plan: "plus", Costs: 1, Has: []string{"ein,name,city,state,score,"}},
		apitest.Scenario{Name: "prospects", Path: "prospects/000000005", Plan: "plus", Costs: 1, Has: []string{
			`"results":[{"funder_ein":"000000002","funder_name":"EXAMPLE FAMILY FOUNDATION","funder_city":"PORTLAND","funder_state":"OR","funder_type":"private_foundation","score":0.`,
			`"last_funded_fiscal_year":null`, `"shared_recipients":[{"recip_ein":"000000004","recip_name":"EXAMPLE FOOD PANTRY"`, `"typical_amount":75000`, `"place_share":1`, `"subject_share":0`, `"first_time_share":null`,
			"not a statement of any funder", "fiscal year 2021 or later",
		}, Lacks: []string{`"funder_ein":"000000001"`}},
		apitest.Scenario{Name: "prospects of a kind", Path: "prospects/000000005?funder_type=daf_or_passthrough", Plan: "plus", Costs: 1, Has: []string{`"hits":1,`, `"funder_ein":"000000003"`}},
		apitest.Scenario{Name: "prospects in a state", Path: "prospects/000000005?location=OR,Atlantis&location_type=funder", Plan: "plus", Costs: 1, Has: []string{`"hits":1,`, `"funder_ein":"000000002"`, "Atlantis", `"unsupported":["location"]`}},
		apitest.Scenario{Name: "prospects as CSV", Path: "prospects/000000005?format=csv", Plan: "plus", Costs: 1, Has: []string{"funder_ein,funder_name,", "reasons.shared_recipients", "000000004 EXAMPLE FOOD PANTRY 75000 in 2020"}},
		apitest.Scenario{Name: "prospects by a proprietary code", Path: "prospects/000000005?subject=SA0200", Plan: "plus", Status: 400, Has: []string{`"error":"proprietary_subject"`}},
		apitest.Scenario{Name: "prospects between bounds that cross", Path: "prospects/000000005?min_amt=5&max_amt=1", Plan: "plus", Status: 422, Has: []string{`"ctx":{"ge":5}`}},
		apitest.Scenario{Name: "prospects, a page past the end", Path: "prospects/000000005?page=99&limit=5000", Plan: "plus", Costs: 1, Has: []string{`"results":[]`, `"limit":100`, "lowered"}},
		apitest.Scenario{Name: "government funding on Plus", Path: "gov-funding/000000005", Plan: "plus", Status: 402, Has: []string{`"error":"plan_required"`}},
		apitest.Scenario{Name: "government funding", Path: "gov-funding/000000005", Plan: "pro", Costs: 1, Has: []string{
			`"summary":{"federal_amount":230000,"state_amount":40001,"award_count":3,"first_fiscal_year":2021,"last_fiscal_year":2023}`,
			`"by_year":[{"fiscal_year":2021,"federal_amount":80000,"state_amount":0,"award_count":1},`,
			`"by_agency":[{"level":"federal","state":null,"agency":"EXAMPLE ENDOWMENT FOR MUSEUMS","total_amount":230000,"award_count":2}`, `"assistance_listing":"45.301","total_amount":230000`,
			`"awards":[{"level":"federal"`, `"award_id":"EX-2023-0001","fiscal_year":2023,"amount":150000,"action_date":"2023-04-03","join":{"basis":"uei","confidence":0.99}}`,
			`"coverage":{"federal_through":"2025-09-30","states_read":["CA","IL"],"states_not_read":["AK"`, "not covered",
		}},
		apitest.Scenario{Name: "government funding, the second page", Path: "gov-funding/000000005?page=2&limit=2", Plan: "pro", Costs: 1, Has: []string{
			`"page":2,"limit":2,"results_count":1,"total_pages":2,"next_cursor":null,"awards":[{"level":"state","state":"IL"`, `"federal_amount":230000`,
		}},
		apitest.Scenario{Name: "no government funding", Path: "gov-funding/000000002", Plan: "pro", Costs: 1, Has: []string{`"award_count":0,"first_fiscal_year":null`, `"awards":[]`}},
		apitest.Scenario{Name: "government funding as NDJSON", Path: "gov-funding/000000005?format=ndjson", Plan: "pro", Costs: 1, Has: []string{`{"level":"federal"`}, Heads: map[string]string{"X-Service-Hits": "3"}},
	)
	apitest.RunAll(t, list)
}

// TestUnchanged asks again for what has not changed: it costs nothing, and a
// profile is another one for another plan.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for _, path := range []string{"/api/v1/essentials/000000001", "/api/v1/premier/000000001", "/api/v1/similar/000000001", "/api/v1/prospects/000000001", "/api/v1/gov-funding/000000001"} {
		tag := w.Get(t, "GET", path, "pro").Header().Get("ETag")
		before := w.Ledger.Calls("pro")
		if rec := w.Get(t, "GET", path, "pro", "If-None-Match", tag); rec.Code != 304 || tag == "" || w.Ledger.Calls("pro") != before {
			t.Errorf("%s: asked again it is %d for %d calls", path, rec.Code, w.Ledger.Calls("pro")-before)
		}
	}
	pro, plus := w.Get(t, "GET", "/api/v1/premier/000000001", "pro"), w.Get(t, "GET", "/api/v1/premier/000000001", "plus")
	if pro.Header().Get("ETag") == plus.Header().Get("ETag") {
		t.Error("a profile has the same tag with and without its Pro parts")
	}
}
