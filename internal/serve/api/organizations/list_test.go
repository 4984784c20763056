package organizations_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api/organizations"
	"grantgraph/internal/serve/screen"
)

// listed sends a body with the key of a paid plan.
func listed(t *testing.T, w *apitest.World, query, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.Send(t, "POST", "/api/v1/essentials"+query, "plus", body)
}

// answered is the answer to a body that is served.
func answered(t *testing.T, w *apitest.World, body string) organizations.OrganizationList {
	t.Helper()
	rec := listed(t, w, "", body)
	if rec.Code != 200 {
		t.Fatalf("%s: %d %s", body, rec.Code, rec.Body)
	}
	return apitest.Unmarshal[organizations.OrganizationList](t, rec)
}

// eins are those of an answer, by their last digit.
func eins(l organizations.OrganizationList) string {
	var b strings.Builder
	for _, r := range l.Results {
		b.WriteString(r.EIN[8:])
	}
	return b.String()
}

func TestList(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	// Of the invented organizations 6 was revoked and has no filing, 2 is a private foundation.
	for _, c := range []struct {
		name, body, want string
		unsupported      string // names
		caveats          string // parameters
	}{
		{name: "all, largest revenue first", body: `{}`, want: "1258476"},
		{name: "by name", body: `{"sort":{"sort_by":"name"}}`, want: "5812467"},
		{name: "by name, down", body: `{"sort_by":"NAME","sort_order":"desc"}`, want: "7642185"},
		{name: "by assets, up; those without come last", body: `{"sort":{"sort_by":"assets","sort_order":"asc"}}`, want: "7485216"},
		{name: "by grants paid", body: `{"sort":{"sort_by":"grants_paid"}}`, want: "1245678"},
		{name: "a page", body: `{"from":2,"size":"2"}`, want: "58"},
		{name: "past the end", body: `{"from":99}`, want: ""},
		{name: "state", body: `{"filters":{"state":"IL"}}`, want: "154"},
		{name: "states in a list", body: `{"filters":{"state":["oregon","CA"]}}`, want: "28"},
		{name: "states in a text", body: `{"filters":{"state":"OR, CA"}}`, want: "28"},
		{name: "a state that is none", body: `{"filters":{"state":["IL","ZZ"]}}`, want: "154", unsupported: "state"},
		{name: "city", body: `{"filters":{"city":"springfield"}}`, want: "14", caveats: "city"},
		{name: "city in a state", body: `{"filters":{"city":["Springfield, IL","Oakland","OR"]}}`, want: "14"},
		{name: "accepts applications", body: `{"filters":{"accepts_applications":"yes"}}`, want: "2"},
		{name: "applications not stated", body: `{"filters":{"accepts_applications":["no","not stated"]}}`, want: "158476"},
		{name: "an answer that is none", body: `{"filters":{"accepts_applications":["yes","maybe"]}}`, want: "2", unsupported: "accepts_applications"},
		{name: "zip", body: `{"filters":{"zip":62701}}`, want: "14"},
		{name: "zip that lost its zero", body: `{"filters":{"zip":7101}}`, want: "7"},
		{name: "area", body: `{"filters":{"zip":"627,606"}}`, want: "154", caveats: "zip,zip"},
		{name: "ranges", body: `{"filters":{"min_revenue":"$100,000","max_revenue":1e6}}`, want: "58" + "4"},
		{name: "assets and grants", body: `{"filters":{"min_assets":1000000,"min_grants_paid":1}}`, want: "12"},
		{name: "expenses", body: `{"filters":{"max_expenses":150000}}`, want: "47"},
		{name: "nothing", body: `{"filters":{"min_revenue":5,"max_revenue":4}}`, want: "", caveats: "min_revenue"},
		{name: "cause", body: `{"filters":{"cause":["Food","A"]}}`, want: "54"},
		{name: "cause and code", body: `{"filters":{"cause":"K","ntee":"K3"}}`, want: "4"},
		{name: "no cause", body: `{"filters":{"cause":["K","weather"]}}`, want: "4", unsupported: "cause"},
		{name: "form", body: `{"filters":{"return_type":"990-PF"}}`, want: "2"},
		{name: "form that is not read", body: `{"filters":{"return_type":["990PF","990N"]}}`, want: "2", unsupported: "return_type"},
		{name: "subsection", body: `{"filters":{"subsection":3,"state":"OH"}}`, want: "6"},
		{name: "subsection in words", body: `{"filters":{"subsection":"501(c)(3)","state":"OH"}}`, want: "6"},
		{name: "foundation", body: `{"filters":{"foundation_type":"pf"}}`, want: "2"},
		{name: "foundation code", body: `{"filters":{"foundation_type":"04,SO"}}`, want: "2"},
		{name: "ruling", body: `{"filters":{"min_ruling_year":2010}}`, want: "47"},
		{name: "revoked", body: `{"filters":{"revoked":true}}`, want: "6"},
		{name: "not revoked", body: `{"filters":{"revoked":"false"}}`, want: "125847"},
		{name: "deductible", body: `{"filters":{"pub78_verified":false}}`, want: "6"},
		{name: "in the master file", body: `{"filters":{"in_bmf":0}}`, want: "6"},
		{name: "words", body: `{"search_terms":"example"}`, want: "12"},
		{name: "words in the filters, an order", body: `{"filters":{"search_terms":"example"},"sort":{"sort_by":"revenue","sort_order":"asc"}}`, want: "21"},
		{name: "words and filters", body: `{"search_terms":"example","filters":{"state":"OR"}}`, want: "2"},
		{name: "by meaning, which there is none of", body: `{"search_terms":"example","mode":"Hybrid"}`, want: "12", caveats: "mode"},
		{name: "words, nobody left", body: `{"search_terms":"example","filters":{"min_assets":1e12}}`, want: ""},
		{name: "empty words", body: `{"search_terms":" ","filters":{"state":"OR"}}`, want: "2", unsupported: "search_terms"},
		{name: "score without words", body: `{"sort":{"sort_by":"score"},"size":1}`, want: "1", unsupported: "sort_by"},
		{name: "an order that is none", body: `{"sort":{"sort_by":"total_revenue","sort_order":"asc"},"size":1}`, want: "1", unsupported: "sort.sort_by,sort_order"},
		{name: "mode without words", body: `{"mode":"semantic","size":1}`, want: "1", caveats: "mode"},
		{name: "capped", body: `{"size":5000}`, want: "1258476", caveats: "size"},
		{name: "misspelled", body: `{"filters":{"stat":"IL"},"siz":3}`, want: "1258476", unsupported: "siz,stat"},
		{name: "null", body: `{"filters":{"state":null,"min_revenue":null},"sort":null,"cursor":null}`, want: "1258476"},
		{name: "null, nested", body: `{"filters":{"geography":{"msa":null},"organization":{"ruling_year":null,"properties":{"dei_submitted":null}},"financials":{"most_recent_year":{"form_types":null,"total_revenue":{"min":null}}}}}`, want: "1258476"},
		{name: "empty list", body: `{"filters":{"state":[]}}`, want: "1258476", unsupported: "state"},
		{name: "without data", body: `{"filters":{"profile_levels":["gold"],"demographics":{}}}`, want: "1258476", unsupported: "demographics,profile_levels"},
		{
			name: "nested", want: "1",
			body: `{"filters":{"geography":{"state":["IL"],"city":["Springfield"],"zip":"62701"},"organization":{"ntee_major_codes":["T Philanthropy, Voluntarism"],"subsection_codes":["501(c)(3)"],"foundation_codes":["15 Organization which receives a substantial part of its support"],` +
				`"ruling_year":{"min":1990,"max":2000},"properties":{"bmf_status":true,"pub78_verified":true,"exclude_revoked_organizations":true}},` +
				`"financials":{"most_recent_year":{"form_types":{"f990":true,"f990pf":false},"total_revenue":{"min":1000000},"total_expenses":{"min":1},"total_assets":{"max":100000000}}}}}`,
		},
		{
			name: "nested, of earlier versions", want: "5",
			body: `{"filters":{"organization":{"bmf_status":true,"specific_exclusions":{"exclude_revoked_organizations":true},"form_types":{"f990":true},"ntee_minor_codes":["A50 Museums"]},"financials":{"total_revenue":{"min":1}}}}`,
		},
		{
			name: "nested without data", want: "154",
			body:        `{"filters":{"geography":{"state":["IL"],"msa":["x"],"radius":5},"organization":{"profile_levels":[],"properties":{"dei_submitted":true}},"financials":{"a_133_audit_performed":true,"most_recent_year":{"form_types":{"f990n":true}}},"last_updated":{"date_type":"any"}}}`,
			unsupported: "financials.a_133_audit_performed,financials.most_recent_year.form_types.f990n,geography.msa,geography.radius,last_updated,organization.profile_levels,organization.properties.dei_submitted",
		},
		{name: "twice", body: `{"filters":{"state":"IL","geography":{"state":["OR"]}}}`, want: "154", unsupported: "geography.state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := answered(t, w, c.body)
			if got := eins(a); got != c.want {
				t.Errorf("%s lists %s, not %s", c.body, got, c.want)
			}
			var caveats []string
			for _, x := range a.Service.Warnings {
				if x.Severity == "caveat" {
					caveats = append(caveats, x.Parameter)
				}
			}
			names := a.Service.Unsupported
			if !sameWords(names, c.unsupported) || !sameWords(caveats, c.caveats) {
				t.Errorf("%s: not applied %v, caveats %v: %v", c.body, names, caveats, a.Service.Warnings)
			}
			if !strings.Contains(c.body, "from") && !strings.Contains(c.body, "size") && a.Hits != int64(len(a.Results)) || a.ResultsCount != len(a.Results) {
				t.Errorf("%d hits, %d rows", a.Hits, len(a.Results))
			}
		})
	}
}

func sameWords(got []string, want string) bool {
	if want == "" {
		return len(got) == 0
	}
	seen := map[string]int{}
	for _, g := range got {
		seen[g]++
	}
	for w := range strings.SplitSeq(want, ",") {
		seen[w]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestListRow(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	rec := listed(t, w, "", `{"search_terms":"example","filters":{"state":"OR"}}`)
	for _, want := range []string{
		`"hits":1`, `"from":0`, `"size":25`, `"results_count":1`, `"next_cursor":null`, `"mode":"text"`,
		`"ein":"000000002","name":"EXAMPLE FAMILY FOUNDATION","city":"PORTLAND","state":"OR","zip":"97201"`, `"ntee_code":"T22"`, `"subject":"T"`, `"subsection_code":"03"`, `"foundation_type":"PF"`,
		`"return_type":"990PF","fiscal_year":2024,"total_revenue":1700000,"total_expenses":1530000,"total_assets":8500000,"grants_paid":850000`,
		`"pub78_verified":true,"revoked":false,"score":0.88,"match":"strong"`, `"url":"https://grants.example.org/org/000000002/example-family-foundation"`,
	} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s is missing from %s", want, rec.Body)
		}
	}
	rec = listed(t, w, "", `{"filters":{"revoked":true}}`)
	for _, want := range []string{`"mode":null`, `"return_type":null,"fiscal_year":null,"total_revenue":null`, `"score":null,"match":null`, `"in_bmf":false`} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s is missing from %s", want, rec.Body)
		}
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	long := `"` + strings.Repeat("x", 300) + `"`
	many := "[" + strings.Repeat(`"IL",`, 600) + `"IL"]`
	for _, c := range []struct {
		name, query, body string
		status            int
		has               string
	}{
		{"nothing", "", ``, 422, `"loc":["body"]`},
		{"no object", "", `[]`, 422, `json_invalid`},
		{"filters that are none", "", `{"filters":[]}`, 422, `"loc":["body","filters"]`},
		{"a number that is none", "", `{"filters":{"min_revenue":"a lot"}}`, 422, `"loc":["body","filters","min_revenue"]`},
		{"a fraction", "", `{"filters":{"min_revenue":1.5}}`, 422, `int_parsing`},
		{"too large", "", `{"filters":{"min_revenue":1e300}}`, 422, `less_than_equal`},
		{"a range that is none", "", `{"filters":{"financials":{"most_recent_year":{"total_assets":{"min":{}}}}}}`, 422, `"loc":["body","filters","financials","most_recent_year","total_assets","min"]`},
		{"a truth that is none", "", `{"filters":{"revoked":"perhaps"}}`, 422, `bool_parsing`},
		{"a ZIP code that is none", "", `{"filters":{"zip":["62701","6"]}}`, 422, `"loc":["body","filters","zip",1]`},
		{"an item that is none", "", `{"filters":{"state":[{}]}}`, 422, `string_type`},
		{"long words", "", `{"search_terms":` + long + `}`, 422, `string_too_long`},
		{"words that are none", "", `{"search_terms":5}`, 422, `string_type`},
		{"a long list", "", `{"filters":{"state":` + many + `}}`, 422, `too_long`},
		{"from", "", `{"from":-1}`, 422, `greater_than_equal`},
		{"size", "", `{"size":0}`, 422, `greater_than_equal`},
		{"a cursor that is none", "", `{"cursor":"zz"}`, 422, `cursor_parsing`},
		{"many fields", "", `{` + fields(200) + `"size":1}`, 422, `too_long`},
		{"a field twice", "", `{"size":1,"size":2}`, 422, `"loc":["body","size"],"msg":"the field was given twice`},
		{"a filter twice", "", `{"filters":{"state":"IL","state":"OR"}}`, 422, `"loc":["body","filters","state"],"msg":"the field was given twice`},
		{"proprietary", "", `{"filters":{"cause":"SA0200"}}`, 400, `proprietary_subject`},
		{"proprietary, nested", "", `{"filters":{"organization":{"ntee_minor_codes":["SA0200"]}}}`, 400, `proprietary_subject`},
		{"strict", "?strict=1", `{"filters":{"profile_levels":["gold"]}}`, 400, `profile_levels`},
		{"format", "?format=doc", `{}`, 422, `"loc":["query","format"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if rec := listed(t, w, c.query, c.body); rec.Code != c.status || !strings.Contains(rec.Body.String(), c.has) {
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
		})
	}
	if rec := w.Send(t, "POST", "/api/v1/essentials", "free", `{}`); rec.Code != 402 {
		t.Errorf("a free key: %d %s", rec.Code, rec.Body)
	}
	if n := w.Ledger.Calls("plus"); n != 0 {
		t.Errorf("%d calls were charged for refusals", n)
	}
	listed(t, w, "", `{}`)
	if n := w.Ledger.Calls("plus"); n != 1 {
		t.Errorf("%d calls were charged for an answer", n)
	}
}

func fields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d":0,`, i)
	}
	return b.String()
}

// TestListCursor follows the pages of a result to its end, and takes a cursor
// elsewhere.
func TestListCursor(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	got, cursor := "", ""
	for range 10 {
		body := `{"size":2,"sort":{"sort_by":"name"},"filters":{"revoked":false}` + cursor + `}`
		a := answered(t, w, body)
		if a.Hits != 6 || a.From != int64(len(got)) {
			t.Fatalf("%d hits from %d after %s", a.Hits, a.From, got)
		}
		if got += eins(a); a.NextCursor == nil {
			break
		}
		cursor = `,"cursor":"` + *a.NextCursor + `"`
	}
	if got != "581247" {
		t.Errorf("the pages are %s", got)
	}
	if a := answered(t, w, `{"size":3,"from":1,"sort_by":"name","filters":{"revoked":"no"}`+cursor+`}`); eins(a) != "47" || !sameWords(a.Service.Unsupported, "from") {
		t.Errorf("%s, %v", eins(a), a.Service.Unsupported)
	}
	if rec := listed(t, w, "", `{"filters":{"state":"IL"}`+cursor+`}`); rec.Code != 400 || !strings.Contains(rec.Body.String(), "cursor_mismatch") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	w.Data.Manifest.Version = "20270101T000000Z"
	if rec := listed(t, w, "", `{"size":2,"sort":{"sort_by":"name"},"filters":{"revoked":false}`+cursor+`}`); rec.Code != 400 || !strings.Contains(rec.Body.String(), "cursor_stale") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestListFormats(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	rec := listed(t, w, "?format=csv", `{"size":1,"filters":{"msa":"x"}}`)
	lines := strings.Split(strings.TrimSpace(rec.Body.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "ein,name,city,state,zip,") || rec.Header().Get("X-Service-Hits") != "7" || rec.Header().Get("X-Next-Cursor") == "" ||
		rec.Header().Get("X-Service-Unsupported") != "msa" || !strings.Contains(rec.Header().Get("X-Service-Warnings"), "Metropolitan") {
		t.Errorf("%v %s", rec.Header(), rec.Body)
	}
	rec = listed(t, w, "?format=ndjson", `{"size":2}`)
	for line := range strings.SplitSeq(strings.TrimSpace(rec.Body.String()), "\n") {
		var row client.OrganizationRow
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.EIN == "" {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// TestListMeant asks in other words. What is suggested must not mean the contrary:
// exclude_revoked true is revoked false.
func TestListMeant(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for body, want := range map[string]string{
		`{"filters":{"is_revoked":true}}`:                                      "Did you mean revoked?",
		`{"filters":{"exclude_revoked":true}}`:                                 "it was not applied.",
		`{"filters":{"organization":{"properties":{"exclude_revoked":true}}}}`: "Did you mean exclude_revoked_organizations?",
	} {
		a := answered(t, w, body)
		if len(a.Service.Warnings) != 1 || !strings.HasSuffix(a.Service.Warnings[0].Reason, want) {
			t.Errorf("%s: %v", body, a.Service.Warnings)
		}
	}
}

// TestListOutOfService asks for lists that are not there: no answer says no.
func TestListOutOfService(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	standing := *w.Data.Standing
	standing.Revoked = nil
	w.Data.Standing = &standing
	a := answered(t, w, `{"filters":{"revoked":false,"pub78_verified":true},"size":1}`)
	if a.Hits != 6 || !sameWords(a.Service.Unsupported, "revoked") || a.Results[0].Revoked != nil || a.Results[0].Pub78Verified == nil {
		t.Errorf("%d hits, not applied %v, %+v", a.Hits, a.Service.Unsupported, a.Results[0])
	}
	w.Data.Standing = &screen.Standing{}
	a = answered(t, w, `{"filters":{"organization":{"properties":{"bmf_status":true,"exclude_revoked_organizations":true}},"pub78_verified":true}}`)
	if a.Hits != 7 || !sameWords(a.Service.Unsupported, "organization.properties.bmf_status,organization.properties.exclude_revoked_organizations,pub78_verified") {
		t.Errorf("%d hits, not applied %v", a.Hits, a.Service.Unsupported)
	}
	w.Data.Directory = nil
	if rec := listed(t, w, "", `{}`); rec.Code != 503 {
		t.Errorf("without a directory: %d %s", rec.Code, rec.Body)
	}
}

// FuzzListBody sends any body: it is answered or refused in words, within bounds.
func FuzzListBody(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"search_terms":"food bank","mode":"hybrid","filters":{"state":["OH",5],"min_revenue":"1e6"},"sort":{"sort_by":"name"},"from":1,"size":3,"cursor":"AAAA"}`,
		`{"filters":{"geography":{"zip":44101,"radius":5},"organization":{"properties":{"bmf_status":"x"}},"financials":{"most_recent_year":{"total_revenue":{"min":-1,"max":[]}}}}}`,
		`{"filters":{"city":"Springfield,IL,IL","county":["Cook","OH"],"subsection":"501(c)()","foundation_type":",","group_exemption":["0"]}}`, `{"filters":{"cause":"Arts, Culture & Humanities,,B"}}`, `{"size":1e999}`, "{\"a\":\"\xff\"}",
	} {
		f.Add(seed)
	}
	w := apitest.New(f)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/api/v1/essentials", strings.NewReader(body))
		r.Header.Set("X-API-Key", "gg_test_pro")
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		if rec.Code >= 500 || rec.Body.Len() > 1<<20 {
			t.Fatalf("%q: %d %s", body, rec.Code, rec.Body)
		}
		if rec.Code == 200 {
			var a organizations.OrganizationList
			if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil || a.ResultsCount > 1000 {
				t.Fatalf("%q: %v", body, err)
			}
		}
	})
}

// TestListMemory sends what looks most expensive for its bytes. It does not run
// beside other tests, which would be counted too.
func TestListMemory(t *testing.T) {
	w := apitest.New(t)
	listed(t, w, "", `{"filters":{"county":"Cook County, IL"}}`) // reads the gazetteer
	fill := func(before, item, after string) string {
		return before + strings.Repeat(item, (60<<10-len(before)-len(after))/len(item)) + after
	}
	for name, body := range map[string]string{
		"items":         fill(`{"filters":{"state":[`, `1,`, `1]}}`),
		"commas":        fill(`{"filters":{"city":"`, `a,`, `"}}`),
		"words":         fill(`{"search_terms":"`, `a `, `"}`),
		"deep lists":    fill(`{"filters":{"zip":`, `[`, ``),
		"deep objects":  fill(``, `{"filters":`, ``),
		"fields":        `{"filters":{` + fields(90) + `"geography":{` + fields(90) + `"state":"IL"},"organization":{` + fields(90) + `"properties":{` + fields(90) + `"x":1}}}}`,
		"a long name":   `{"` + strings.Repeat("a", 60<<10) + `":1}`,
		"long numbers":  fill(`{"filters":{"min_revenue":`, `9`, `}}`),
		"counties":      `{"filters":{"county":[` + strings.Repeat(`"Washington",`, 499) + `"Washington"]}}`,
		"unknown words": `{"filters":{"state":[` + strings.Repeat(`"xx yy zz",`, 499) + `"q"]}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rec := listed(t, w, "", body)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 || rec.Code >= 500 || rec.Body.Len() > 256<<10 {
			t.Errorf("%s: %d, %d bytes are taken, %d bytes answered", name, rec.Code, took, rec.Body.Len())
		}
	}
}
