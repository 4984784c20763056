package api_test

import (
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestAliases checks the tables of other words: none is a name that the same
// operation reads, none has two meanings in it, and what is said leads to a name
// or a value that is there.
func TestAliases(t *testing.T) {
	t.Parallel()
	for _, op := range apitest.New(t).Operations() {
		names, words := map[string]*api.Param{}, map[string]string{}
		for j := range op.Params {
			names[op.Params[j].Name] = &op.Params[j]
		}
		for _, p := range names {
			if p.In != "path" && len(p.Also) == 0 {
				t.Errorf("%s: no other word for %s is known", op.ID, p.Name)
			}
			for _, a := range p.Also {
				if names[a.Word] != nil || api.PlainWord(a.Word) != a.Word || api.Unhonored(a.Word) {
					t.Errorf("%s: %s, which means %s, is a name of its own, or not plain", op.ID, a.Word, p.Name)
				}
				if words[a.Word] != "" {
					t.Errorf("%s: %s means both %s and %s", op.ID, a.Word, words[a.Word], p.Name)
				}
				words[a.Word] = p.Name
			}
			for word, value := range p.EnumAlso {
				if !slices.Contains(p.Enum, value) || slices.Contains(p.Enum, word) || api.PlainWord(word) != word {
					t.Errorf("%s: %s=%s is said to mean %s", op.ID, p.Name, word, value)
				}
			}
			if op.ID == "listTransactions" && len(p.Enum) > 1 && len(p.EnumAlso) == 0 && !slices.Contains([]string{"fields", "format"}, p.Name) {
				t.Errorf("no other words for the values of %s are known", p.Name)
			}
		}
	}
}

// TestMeant asks with the words of other services, and of those who guess.
func TestMeant(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	for _, c := range []struct{ query, parameter, say string }{
		{"recipient_id=00-0000004", "recipient_id", "recip_id"},
		{"recipientId=00-0000004", "recipientId", "recip_id"},
		{"Recip-ID=00-0000004", "Recip-ID", "recip_id"},
		{"min_amount=5", "min_amount", "min_amt"},
		{"max_amount=5", "max_amount", "max_amt"},
		{"maxAmount=5", "maxAmount", "max_amt"},
		{"amount=5", "amount", "min_amt or max_amt"},
		{"grantmaker_ein=00-0000001", "grantmaker_ein", "funder_id"},
		{"ein=00-0000001", "ein", "funder_id or recip_id"},
		{"tax_year=2020", "tax_year", "year"},
		{"start_year=2020", "start_year", "min_year"},
		{"keyword=food", "keyword", "query"},
		{"state=IL", "state", "location"},
		{"city=Springfield", "city", "location with geo_id_type=city"},
		{"county=17031", "county", "location with geo_id_type=county_fips"},
		{"funder_state=IL", "funder_state", "location with location_type=funder"},
		{"ntee_code=B", "ntee_code", "subject"},
		{"per_page=5", "per_page", "limit"},
		{"pageSize=5", "pageSize", "limit"},
		{"offset=5", "offset", "page or cursor"},
		{"order_by=amount", "order_by", "sort_by"},
		{"columns=amount", "columns", "fields"},
		{"output=csv", "output", "format"},
		{"limti=5", "limti", "limit"}, // a slip is still guessed from the spelling
		{"geo_id_type=county&location=17031", "geo_id_type", "county_fips"},
		{"geo_id_type=Zip+Code&location=60601", "geo_id_type", "zip"},
		{"location_type=grantee&location=IL", "location_type", "recipient"},
		{"sort_by=total_amount", "sort_by", "amount"},
		{"sort_by=grantee", "sort_by", "recip_name"},
		{"sort_order=descending", "sort_order", "desc"},
		{"support=unrestricted", "support", "general_operating"},
		{"funder_type=foundation", "funder_type", "private_foundation"},
		{"exclude=dafs", "exclude", "daf"},
		{"ein_source=reported", "ein_source", "filed"},
	} {
		rec := w.Get(t, "GET", "/api/v1/grants/transactions?limit=1&"+c.query, "pro")
		if rec.Code != 200 {
			t.Errorf("%s: %d %s", c.query, rec.Code, rec.Body)
			continue
		}
		said := false
		for _, x := range apitest.Unmarshal[api.List[grants.GrantRow]](t, rec).Service.Warnings {
			said = said || x.Parameter == c.parameter && x.Severity == "unsupported" && strings.HasSuffix(x.Reason, "Did you mean "+c.say+"?")
		}
		if !said {
			t.Errorf("%s: no word of %s in %s", c.query, c.say, rec.Header().Get("X-Service-Unsupported")+rec.Body.String())
		}
	}
	for _, c := range []apitest.Scenario{
		{Path: "grants/funders?sort_by=name", Costs: 1, Has: []string{"Did you mean funder_name?"}},
		{Path: "grants/recipients?sort_by=name", Costs: 1, Has: []string{"Did you mean recip_name?"}},
		{Path: "grants/transactions?sort_by=name", Costs: 1, Lacks: []string{"Did you mean"}}, // of two, it is not said which
		{Path: "grants/transactions?strict=1&recipient_id=00-0000004", Status: 400, Has: []string{"Did you mean recip_id?"}},
		{Path: "grants/summary?sort_by=amount", Costs: 1, Has: []string{"does not take this parameter"}},
		{Path: "search?query=food", Plan: "none", Status: 422, Has: []string{"the parameter is required; query is not a parameter, send it as q"}},
		{Path: "search?q=food&location=IL", Plan: "none", Has: []string{"Did you mean state?"}},
		{Path: "search?q=food&" + url.Values{strings.Repeat("é", 300): {"1"}}.Encode(), Plan: "none", Lacks: []string{"Did you mean"}},
	} {
		c.Run(t, w)
	}
}
