package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/graph"
)

// TestFilters holds every filter against the question it becomes.
func TestFilters(t *testing.T) {
	t.Parallel()
	empty, err := json.Marshal(graph.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	eins := strings.Repeat("00-0000001,", 1000)
	for _, c := range []struct {
		name        string
		query       string
		want        string // members of the filter that differ from the empty one
		caveat      string // one parameter with a caveat, and a word of its reason
		unsupported string // the header
	}{
		{name: "nothing", query: "", want: `{}`},
		{name: "funder", query: "funder_id=00-0000001", want: `{"Funders":["000000001"]}`},
		{name: "funder formats", query: "funder_id=000000002,%2000%200000001,0000003,00-0000001", want: `{"Funders":["000000001","000000002","000000003"]}`},
		{name: "funder repeated", query: "funder_id=000000002&funder_id=000000001", want: `{"Funders":["000000001","000000002"]}`},
		{name: "a thousand", query: "funder_id=" + eins, want: `{"Funders":["000000001"]}`},
		{name: "recipient", query: "recip_id=000000004", want: `{"Recipients":["000000004"]}`, caveat: "recip_id:unresolved"},
		{name: "identity of a row", query: "recip_id=ein-000000004,EIN-00-0000005", want: `{"Recipients":["000000004","000000005"]}`, caveat: "recip_id:unresolved"},
		{name: "id type", query: "id_type=EIN&funder_id=000000001", want: `{"Funders":["000000001"]}`},
		{name: "empty value", query: "funder_id=", want: `{}`, unsupported: "funder_id"},
		{name: "empty list", query: "funder_id=,,", want: `{}`, unsupported: "funder_id"},

		{name: "year", query: "year=2021", want: `{"Years":[{"From":2021,"To":2021}]}`},
		{name: "years", query: "year=2021,2019", want: `{"Years":[{"From":2019,"To":2019},{"From":2021,"To":2021}]}`},
		{name: "range", query: "year=2017-2020", want: `{"Years":[{"From":2017,"To":2020}]}`},
		{name: "touching", query: "year=2020,2017-2019,2018", want: `{"Years":[{"From":2017,"To":2020}]}`},
		{name: "min year", query: "min_year=2022", want: `{"Years":[{"From":2022,"To":0}]}`, caveat: "min_year:2024, 2025, 2026 are partial"},
		{name: "max year", query: "max_year=2019", want: `{"Years":[{"From":0,"To":2019}]}`},
		{name: "both bounds", query: "min_year=2018&max_year=2019", want: `{"Years":[{"From":2018,"To":2019}]}`},
		{name: "year within bounds", query: "year=2017-2022&min_year=2020", want: `{"Years":[{"From":2020,"To":2022}]}`},
		{name: "year beside bounds", query: "year=2017&min_year=2020", want: `{"Years":[{"From":1,"To":1}]}`, caveat: "year:nothing matches"},
		{name: "partial", query: "year=2024", want: `{"Years":[{"From":2024,"To":2024}]}`, caveat: "year:the last complete one is 2023"},
		{name: "before the data", query: "year=2001", want: `{"Years":[{"From":2001,"To":2001}]}`, caveat: "year:2017 to 2026"},

		{name: "subject letter", query: "subject=B", want: `{"Subject":{"Items":[{"Text":"B","Kind":1,"Majors":2,"Prefix":""}],"Unknown":null}}`, caveat: "subject:never match"},
		{name: "subject code", query: "subject=B42", want: `{"Subject":{"Items":[{"Text":"B42","Kind":2,"Majors":0,"Prefix":"B42"}],"Unknown":null}}`},
		{name: "subject label", query: "subject=education", want: `{"Subject":{"Items":[{"Text":"education","Kind":3,"Majors":2,"Prefix":""}],"Unknown":null}}`},
		{name: "subject partly unknown", query: "subject=B,Underwater%20basketry", want: `{"Subject":{"Items":[{"Text":"B","Kind":1,"Majors":2,"Prefix":""}],"Unknown":null}}`, unsupported: "subject"},
		{name: "subject empty", query: "subject=,+,", want: `{}`, unsupported: "subject"},
		{name: "subject unknown", query: "subject=Underwater%20basketry", want: `{}`, unsupported: "subject"},

		{name: "state", query: "location=il,Oregon", want: `{"Place":{"Of":0,"Kind":0,"Values":[{"Name":"IL","State":""},{"Name":"OR","State":""}]}}`},
		{name: "state unknown", query: "location=XX", want: `{}`, unsupported: "location"},
		{name: "funder state", query: "location=IL&location_type=funder", want: `{"Place":{"Of":1,"Kind":0,"Values":[{"Name":"IL","State":""}]}}`},
		{name: "area served", query: "location=IL&location_type=area_served", want: `{"Place":{"Of":2,"Kind":0,"Values":[{"Name":"IL","State":""}]}}`, caveat: "location_type:the 3 funders"},
		{name: "zip", query: "location=62701,60601-1234&geo_id_type=zip", want: `{"Place":{"Of":0,"Kind":1,"Values":[{"Name":"60601","State":""},{"Name":"62701","State":""}]}}`},
		{name: "zip area", query: "location=627&geo_id_type=zip", want: `{"Place":{"Of":0,"Kind":1,"Values":[{"Name":"627","State":""}]}}`, caveat: "location:beginning of a ZIP"},
		{name: "cities", query: "location=Springfield,IL,Portland&geo_id_type=city", want: `{"Place":{"Of":0,"Kind":2,"Values":[{"Name":"PORTLAND","State":""},{"Name":"SPRINGFIELD","State":"IL"}]}}`, caveat: "location:Portland"},
		{name: "city twice", query: "location=Springfield,IL,Springfield,MO&geo_id_type=city", want: `{"Place":{"Of":0,"Kind":2,"Values":[{"Name":"SPRINGFIELD","State":"IL"},{"Name":"SPRINGFIELD","State":"MO"}]}}`},
		{name: "state without city", query: "location=IL&geo_id_type=city", want: `{}`, unsupported: "location"},
		{name: "county", query: "location=17031,1001&geo_id_type=county_fips", want: `{"Place":{"Of":0,"Kind":3,"Values":[{"Name":"01001","State":""},{"Name":"17031","State":""}]}}`, caveat: "location:no county"},
		{name: "no such county", query: "location=17999&geo_id_type=county_fips", want: `{}`, unsupported: "location"},
		{name: "place country", query: "location=uk&geo_id_type=country", want: `{"Place":{"Of":0,"Kind":4,"Values":[{"Name":"UK","State":""}]}}`},
		{name: "funder country", query: "location=UK&geo_id_type=country&location_type=funder", want: `{}`, unsupported: "location"},
		{name: "geonames", query: "location=4896861&geo_id_type=geonameid", want: `{}`, unsupported: "geo_id_type, location"},
		{name: "location type unknown", query: "location=IL&location_type=donor", want: `{}`, unsupported: "location_type, location"},
		{name: "kind without place", query: "geo_id_type=zip", want: `{}`, caveat: "geo_id_type:no effect"},

		{name: "query words", query: "query=after+school", want: `{"Query":{"Must":[{"Words":["AFTER"]},{"Words":["SCHOOL"]}],"MustNot":null}}`},
		{name: "query without words", query: "query=...", want: `{}`, unsupported: "query"},
		{name: "support", query: "support=capital,research", want: `{"Support":68}`, caveat: "support:approximate"},
		{name: "support unknown", query: "support=UA0000", want: `{}`, unsupported: "support"},
		{name: "funder type", query: "funder_type=private_foundation", want: `{"FunderKind":"private_foundation"}`},
		{name: "funder type unknown", query: "funder_type=corporate", want: `{}`, unsupported: "funder_type"},
		{name: "exclude daf", query: "exclude_daf=1", want: `{"Exclude":1}`},
		{name: "do not exclude daf", query: "exclude_daf=false", want: `{}`},
		{name: "exclude", query: "exclude=daf,individuals,related_party", want: `{"Exclude":7}`},
		{name: "exclude partly unknown", query: "exclude=individuals,dafs", want: `{"Exclude":2}`, unsupported: "exclude"},
		{name: "contradiction", query: "exclude=daf&funder_type=daf_or_passthrough", want: `{"Exclude":1,"FunderKind":"daf_or_passthrough"}`, caveat: "funder_type:leaves nothing"},
		{name: "country", query: "country=UK,ca", want: `{"Countries":["CA","UK"]}`},
		{name: "ambiguous country", query: "country=AU", want: `{"Countries":["AU"]}`, caveat: "country:Austria"},
		{name: "the US as a country", query: "country=US", want: `{"Countries":["US"]}`, caveat: "country:abroad"},
		{name: "ISO country", query: "country=DE", want: `{}`, unsupported: "country"},
		{name: "country by name", query: "country=Germany", want: `{}`, unsupported: "country"},
		{name: "amounts", query: "min_amt=1000&max_amt=5000", want: `{"MinAmount":1000,"MaxAmount":5000}`},
		{name: "probability", query: "min_match_prob=0.9", want: `{"MinProb":0.9}`, caveat: "min_match_prob:without a recipient EIN"},
		{name: "the edge of the trap", query: "min_match_prob=0.965", want: `{"MinProb":0.965}`, caveat: "min_match_prob:only rows resolved by a rule"},
		{name: "the trap", query: "min_match_prob=0.97", want: `{"MinProb":0.97}`, caveat: "min_match_prob:only rows resolved by a rule"},
		{name: "sources", query: "ein_source=name,filed,name", want: `{"Sources":"AQQ="}`, caveat: "ein_source:never match"},
		{name: "source unknown", query: "ein_source=guess", want: `{}`, unsupported: "ein_source"},

		{name: "include_gov", query: "include_gov=yes", want: `{}`, unsupported: "include_gov"},
		{name: "population", query: "population=PA", want: `{}`, unsupported: "population"},
		{name: "transaction", query: "transaction=TA", want: `{}`, unsupported: "transaction"},
		{name: "last_updated", query: "last_updated=2020", want: `{}`, unsupported: "last_updated"},
		{name: "profile_levels", query: "profile_levels=gold", want: `{}`, unsupported: "profile_levels"},
		{name: "misspelled", query: "funder_idd=1", want: `{}`, unsupported: "funder_idd"},
		{name: "hostile name", query: "a%0d%0aX-Evil:%201,%E2%82%AC=1", want: `{}`, unsupported: "a%0D%0AX-Evil%3A+1%2C%E2%82%AC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, endpoint := range []string{"transactions", "funders", "recipients", "summary"} {
				w := newWorld(t)
				rec := scenario{path: "grants/" + endpoint + "?" + c.query, costs: 1, heads: map[string]string{"X-Service-Unsupported": c.unsupported}}.run(t, w)
				if t.Failed() {
					return
				}
				if got, want := canonical(t, w.spy.filter), overlay(t, empty, c.want); got != want {
					t.Errorf("%s asked\n%s, want\n%s", endpoint, got, want)
				}
				body := unmarshal[struct {
					Service Service `json:"x_service"`
				}](t, rec)
				if name, words, _ := strings.Cut(c.caveat, ":"); name != "" {
					found := false
					for _, x := range body.Service.Warnings {
						found = found || x.Parameter == name && x.Severity == caveat && strings.Contains(x.Reason, words)
					}
					if !found {
						t.Errorf("%s has no caveat %s: %+v", endpoint, c.caveat, body.Service.Warnings)
					}
				}
				if len(body.Service.Unsupported) > 0 != (c.unsupported != "") {
					t.Errorf("%s reports %v as unsupported", endpoint, body.Service.Unsupported)
				}
				if strings.Contains(c.want, "Exclude") != (body.Service.Excluded != nil) {
					t.Errorf("%s: excluded is %+v", endpoint, body.Service.Excluded)
				}
				// What is unsupported is refused by strict; caveats are not.
				strict := scenario{path: "grants/" + endpoint + "?" + c.query + "&strict=1", costs: 1}
				if c.unsupported != "" {
					strict.status, strict.costs, strict.has = 400, 0, []string{`"error":"unsupported_parameter"`, `"x_service":{"unsupported":[`}
				}
				strict.run(t, newWorld(t))
			}
		})
	}
}

func canonical(t *testing.T, f *graph.Filter) string {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return overlay(t, b, "{}")
}

// overlay replaces members of a JSON object and writes it in a fixed order.
func overlay(t *testing.T, object []byte, members string) string {
	t.Helper()
	var m map[string]any
	for _, b := range [][]byte{object, []byte(members)} {
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range m {
		// No values and an empty list of values are the same question.
		if list, ok := v.([]any); ok && len(list) == 0 {
			m[k] = nil
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRefused holds what cannot be read or is refused by the specification.
func TestRefused(t *testing.T) {
	t.Parallel()
	list := []scenario{
		{name: "id_type", path: "grants/funders?id_type=candid", status: 400, has: []string{`"error":"unsupported_id_type"`, `"message":"id_type \"candid\" is not supported: organizations are identified by EIN only, which /search finds by name."`}},
		{name: "proprietary", path: "grants/funders?subject=SA0200", status: 400, has: []string{`"error":"proprietary_subject"`, "NTEE"}},
		{name: "proprietary in list", path: "grants/summary?subject=B,SA", status: 400, has: []string{`"error":"proprietary_subject"`}},
		{name: "format", path: "grants/funders?format=yaml", status: 422, has: []string{`"loc":["query","format"]`, `"type":"enum"`, `"input":"yaml"`, `"code":422`}},
		{name: "year", path: "grants/funders?year=abc", status: 422, has: []string{`"detail":[{"loc":["query","year",0]`, `"error":"invalid_request"`}},
		{name: "year range", path: "grants/funders?year=2020-2018", status: 422, has: []string{"ends before it begins"}},
		{name: "year too far", path: "grants/funders?year=3021", status: 422},
		{name: "year open", path: "grants/funders?year=2020-", status: 422},
		{name: "min_year", path: "grants/funders?min_year=x", status: 422, has: []string{`"type":"int_parsing"`}},
		{name: "years crossed", path: "grants/funders?min_year=2022&max_year=2020", status: 422, has: []string{`"ctx":{"ge":2022}`}},
		{name: "ein", path: "grants/funders?funder_id=000000001,ford", status: 422, has: []string{`["query","funder_id",1]`, "/search"}},
		{name: "short ein", path: "grants/funders?recip_id=12", status: 422},
		{name: "too many eins", path: "grants/funders?funder_id=" + strings.Repeat("1,", 1001), status: 422, has: []string{`"type":"too_long"`, `"max_length":1000`}},
		{name: "long value", path: "grants/funders?query=" + strings.Repeat("a", 501), status: 422, has: []string{"string_too_long"}},
		{name: "not text", path: "grants/funders?query=%ff", status: 422, has: []string{"string_unicode"}},
		{name: "nul", path: "grants/funders?query=a%00b", status: 422, has: []string{"NUL"}, lacks: []string{`"input"`}},
		{name: "amount", path: "grants/funders?min_amt=1e6", status: 422, has: []string{"int_parsing"}},
		{name: "too many words", path: "grants/funders?query=" + strings.Repeat("-a+", 32) + "b", status: 422, has: []string{`"loc":["query","query"]`, `"actual_length":33`}},
		{name: "amount negative", path: "grants/funders?min_amt=-1", status: 422, has: []string{"greater_than_equal"}},
		{name: "amount huge", path: "grants/funders?max_amt=99999999999999999999", status: 422, has: []string{"less_than_equal", `"input":"99999999999999999999"`}},
		{name: "amounts crossed", path: "grants/funders?min_amt=5&max_amt=1", status: 422, has: []string{`"max_amt: the value is less than min_amt"`}},
		{name: "probability", path: "grants/funders?min_match_prob=1.5", status: 422, has: []string{"less_than_equal", "at most 1"}},
		{name: "probability nan", path: "grants/funders?min_match_prob=NaN", status: 422},
		{name: "probability hex", path: "grants/funders?min_match_prob=0x1p-1", status: 422},
		{name: "page 0", path: "grants/funders?page=0", status: 422, has: []string{`"loc":["query","page"]`, `"ctx":{"ge":1}`}},
		{name: "page huge", path: "grants/funders?page=9223372036854775807", status: 422},
		{name: "limit 0", path: "grants/funders?limit=0", status: 422},
		{name: "limit huge", path: "grants/funders?limit=99999999999999999999", costs: 1, has: []string{`"limit":1000`, `"severity":"caveat"`}},
		{name: "two hundred years", path: "grants/funders?year=" + strings.Repeat("2019,", 200), costs: 1, lacks: []string{`"severity"`}},
		{name: "limit word", path: "grants/funders?limit=all", status: 422},
		{name: "switch", path: "grants/funders?exclude_daf=maybe", status: 422, has: []string{"bool_parsing"}},
		{name: "strict", path: "grants/funders?strict=maybe", status: 422},
		{name: "zip", path: "grants/funders?geo_id_type=zip&location=abc", status: 422},
		{name: "county", path: "grants/funders?geo_id_type=county_fips&location=Cook", status: 422},
		{name: "twice", path: "grants/funders?min_amt=1&min_amt=2", status: 422, has: []string{`"type":"duplicate"`}},
		{name: "twice the same", path: "grants/funders?min_amt=1&min_amt=1", costs: 1},
		{name: "cursor", path: "grants/funders?cursor=zzz", status: 422, has: []string{"cursor_parsing"}},
		{name: "several problems", path: "grants/funders?year=x&min_amt=y", status: 422, has: []string{`"query","year",0`, `"query","min_amt"`}},
		{name: "no q", path: "search", status: 422, has: []string{`"type":"missing"`}, lacks: []string{`"input"`}},
		{name: "422 as xml", path: "grants/funders?format=xml&page=0", status: 422, has: []string{"<detail><item><loc><item>query</item>"}, heads: map[string]string{"Content-Type": "application/xml; charset=utf-8"}},
		{name: "400 as xml", path: "grants/funders?format=xml&id_type=x", status: 400, has: []string{"<error>unsupported_id_type</error>"}},
		{name: "unsupported and 422", path: "grants/funders?strict=1&nonsense=1&page=0", status: 422},
	}
	for _, u := range unhonored {
		list = append(list,
			scenario{name: u.name, path: "grants/transactions?" + u.name + "=x", costs: 1, has: []string{u.reason, `"unsupported":["` + u.name + `"]`}},
			scenario{name: u.name + " strict", path: "grants/transactions?strict=1&" + u.name + "=x", status: 400, has: []string{u.name}})
	}
	runAll(t, list)
}

// TestCrowd checks that many warnings about one parameter leave room for those
// about the others.
func TestCrowd(t *testing.T) {
	t.Parallel()
	var places []string
	for i := range 200 {
		places = append(places, fmt.Sprint("nowhere", i))
	}
	rec := scenario{path: "grants/summary?location=" + strings.Join(places, ",") + "&support=program&population=x&yaer=2020", costs: 1,
		has:   []string{"nowhere19", "more warnings of this kind", "Did you mean year?", `"parameter":"support","severity":"caveat"`},
		lacks: []string{"nowhere20"}, heads: map[string]string{"X-Service-Unsupported": "location, population, yaer"}}.run(t, newWorld(t))
	body := unmarshal[struct {
		Service Service `json:"x_service"`
	}](t, rec)
	if n := len(body.Service.Warnings); n != mostOfOne+4 {
		t.Errorf("%d warnings", n)
	}
}

// one is a graph in which one funder reaches every place.
type one struct{ fixtureGraph }

func (one) HasCounty(string) bool                                         { return false }
func (one) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 1, nil }

func TestOneFunder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.data.Graph = one{w.spy.fixtureGraph}
	scenario{path: "grants/summary?location=IL&location_type=area_served", costs: 1, has: []string{"selected the one funder whose giving"}}.run(t, w)
}

func TestOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path        string
		want        graph.Sort
		unsupported string
	}{
		{"transactions", graph.Sort{By: graph.ByAmount}, ""},
		{"transactions?sort_by=amount&sort_order=asc", graph.Sort{By: graph.ByAmount, Asc: true}, ""},
		{"transactions?sort_by=year", graph.Sort{By: graph.ByYear}, ""},
		{"transactions?sort_by=year_issued&sort_order=asc", graph.Sort{By: graph.ByYear, Asc: true}, ""},
		{"transactions?sort_by=funder_name", graph.Sort{By: graph.ByFunderName, Asc: true}, ""},
		{"transactions?sort_by=funder_state&sort_order=desc", graph.Sort{By: graph.ByFunderState}, ""},
		{"transactions?sort_by=recip_name", graph.Sort{By: graph.ByRecipName, Asc: true}, ""},
		{"transactions?sort_by=recip_state", graph.Sort{By: graph.ByRecipState, Asc: true}, ""},
		{"transactions?sort_by=count", graph.Sort{By: graph.ByAmount}, "sort_by"},
		{"transactions?sort_order=up", graph.Sort{By: graph.ByAmount}, "sort_order"},
		{"transactions?sort_by=count&sort_order=asc", graph.Sort{By: graph.ByAmount}, "sort_by, sort_order"},
		{"funders?sort_by=count", graph.Sort{By: graph.ByCount}, ""},
		{"funders?sort_by=funder_name", graph.Sort{By: graph.ByFunderName, Asc: true}, ""},
		{"funders?sort_by=funder_state", graph.Sort{By: graph.ByFunderState, Asc: true}, ""},
		{"funders?sort_by=recip_name", graph.Sort{By: graph.ByAmount}, "sort_by"},
		{"recipients?sort_by=count&sort_order=asc", graph.Sort{By: graph.ByCount, Asc: true}, ""},
		{"recipients?sort_by=recip_name", graph.Sort{By: graph.ByRecipName, Asc: true}, ""},
		{"recipients?sort_by=recip_state", graph.Sort{By: graph.ByRecipState, Asc: true}, ""},
		{"recipients?sort_by=funder_name", graph.Sort{By: graph.ByAmount}, "sort_by"},
		{"summary?sort_by=amount", graph.Sort{}, "sort_by"},
		{"summary?page=2&limit=3", graph.Sort{}, "limit, page"},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			scenario{path: "grants/" + c.path, costs: 1, heads: map[string]string{"X-Service-Unsupported": c.unsupported}}.run(t, w)
			if w.spy.sort != c.want {
				t.Errorf("sorted %+v, want %+v", w.spy.sort, c.want)
			}
		})
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spy.hits = 2500
	get := func(query string) List[GrantRow] {
		return unmarshal[List[GrantRow]](t, scenario{path: "grants/transactions?" + query, costs: 1}.run(t, w))
	}
	if l := get(""); l.Hits != 2500 || l.Page != 1 || l.Limit != 25 || l.ResultsCount != 25 || l.TotalPages != 100 || l.NextCursor == nil {
		t.Errorf("the first page is %+v", l)
	}
	if l := get("page=100"); l.Page != 100 || l.ResultsCount != 25 || l.NextCursor != nil {
		t.Errorf("the last page is %+v", l)
	}
	if l := get("page=101"); l.Page != 101 || l.ResultsCount != 0 || l.Results == nil || l.NextCursor != nil || l.Code != 200 {
		t.Errorf("the page past the end is %+v", l)
	}
	if l := get("limit=5000"); l.Limit != 1000 || len(l.Service.Unsupported) != 0 || len(l.Service.Warnings) != 1 || l.Service.Warnings[0].Parameter != "limit" {
		t.Errorf("the capped page is %+v", l.Service)
	}
	// Following cursors visits every row once, whatever the page size.
	seen := map[string]bool{}
	cursor, size := "", 999
	for range 10 {
		l := get(fmt.Sprintf("year=2020&limit=%d%s", size, cursor))
		for _, row := range l.Results {
			if seen[row.GrantKey] {
				t.Fatalf("%s came twice", row.GrantKey)
			}
			seen[row.GrantKey] = true
		}
		if l.NextCursor == nil {
			break
		}
		cursor, size = "&cursor="+*l.NextCursor, 700
	}
	if len(seen) != 2500 {
		t.Errorf("cursors led to %d rows", len(seen))
	}
	if l := get("year=2020&page=3" + cursor); len(l.Service.Unsupported) != 1 || l.Service.Unsupported[0] != "page" {
		t.Errorf("page beside cursor: %+v", l.Service)
	}
	scenario{path: "grants/transactions?year=2021" + cursor, status: 400, has: []string{"cursor_mismatch"}}.run(t, w)
	scenario{path: "grants/transactions?year=2020&sort_order=asc" + cursor, status: 400, has: []string{"cursor_mismatch"}}.run(t, w)
	scenario{path: "grants/funders?year=2020" + cursor, status: 400, has: []string{"cursor_mismatch"}}.run(t, w)
	w.data.Manifest.Version = "20260201T000000Z"
	scenario{path: "grants/transactions?year=2020" + cursor, status: 400, has: []string{"cursor_stale"}}.run(t, w)
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.data.Search = fixtureSearch{{EIN: 3, Name: "EXAMPLE CHAPEL", Score: 1}}
	scenario{path: "search?q=example", has: []string{`"revenue":0`, `"state":""`, `"location":null`}}.run(t, w)
	runAll(t, []scenario{
		{name: "short", path: "search?q=e", has: []string{`"results":[]`}},
		{name: "empty", path: "search?q=", has: []string{`"results":[]`}},
		{name: "state", path: "search?q=example&state=il", lacks: []string{`"severity"`}},
		{name: "state unknown", path: "search?q=example&state=zz", heads: map[string]string{"X-Service-Unsupported": "state"}},
		{name: "fallback", path: "search?q=example&mode=hybrid", has: []string{`"mode":"text"`, `"severity":"caveat"`}},
		{name: "mode unknown", path: "search?q=example&mode=psychic", heads: map[string]string{"X-Service-Unsupported": "mode"}},
		{name: "capped", path: "search?q=example&limit=500", has: []string{`"parameter":"limit"`}},
		{name: "null cause", path: "search?q=example", has: []string{`"cause":null`, `"location":"IL"`, `"slug":"example-family-foundation"`, `"href":"/org/000000002/example-family-foundation"`}},
		{name: "csv", path: "search?q=example&format=csv", has: []string{"ein,name,type,"}, heads: map[string]string{"X-Service-Hits": "2"}},
		{name: "csv, perhaps cut", path: "search?q=example&format=csv&limit=2", has: []string{"ein,name,type,"}, heads: map[string]string{"X-Service-Hits": ""}},
		{name: "xml", path: "meta?format=xml", has: []string{"<response><code>200</code>"}},
		{name: "meta has no rows", path: "meta?format=csv", status: 422},
		{name: "strict", path: "search?q=example&sate=IL&strict=1", status: 400, has: []string{"Did you mean state?"}},
		{name: "key in the address", path: "meta?api_key=secret", has: []string{"header only"}, lacks: []string{`secret"`}},
	})
}

// TestEveryParameterIsRead checks that a handler reads what its table entry
// declares; that it declares what it reads, the reader checks by itself.
func TestEveryParameterIsRead(t *testing.T) {
	t.Parallel()
	for i := range operations {
		op := &operations[i]
		c := &call{op: op, warn: &warnings{}, data: fixture(), base: base, format: "json"}
		if len(op.Examples) > 0 {
			c.body = []byte(op.Examples[0].Body)
		}
		if _, err := c.prepare(url.Values{"q": {"x"}, "geo_id_type": {"zip"}, "location_type": {"funder"}}, nil); err != nil {
			t.Fatal(err)
		}
		for _, p := range op.Params {
			if !c.params.read[p.Name] {
				t.Errorf("%s does not read %s", op.ID, p.Name)
			}
		}
	}
}

// TestEmptyValues checks the one rule for every parameter that is there but
// empty: the answer is that without it, and a warning says so. Two of them mean
// something when they are empty: q, which is shorter than two characters, and
// example, which is set.
func TestEmptyValues(t *testing.T) {
	t.Parallel()
	real, invented := realWorld(t), newWorld(t)
	// sent is a request to an operation: the answer without its extension
	// block, and that block.
	sent := func(op *Operation, query url.Values) (status int, rest string, s Service) {
		t.Helper()
		e := &op.Examples[0]
		r := httptest.NewRequest(op.Method, op.at(e)+"?"+query.Encode(), strings.NewReader(e.Body))
		r.Header.Set("Authorization", "Bearer "+adminToken)
		w := real
		switch {
		case op.Access == Agent:
			w = invented
			r.Header.Set("X-API-Key", "gg_test_agent")
		case op.Access == Admin || op.Tag == agentTag:
			w = invented
		default:
			r.Header.Set("X-API-Key", "gg_test_pro")
		}
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		var members map[string]json.RawMessage
		if err := json.Unmarshal(rec.Body.Bytes(), &members); err != nil {
			t.Fatal(err)
		}
		if raw := members["x_service"]; raw != nil {
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"x_service", "elapsed_ms", "request_id"} {
			delete(members, name)
		}
		b, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		return rec.Code, string(b), s
	}
	for i := range operations {
		op := &operations[i]
		query := url.Values{}
		if op.ID == "searchOrganizations" {
			query.Set("q", "school")
		}
		for _, p := range op.Params {
			// What goes with a parameter must not fare otherwise because it is empty.
			switch p.Name {
			case "geo_id_type", "location_type":
				query.Set("location", "CA")
			case "sort_by":
				query.Set("sort_order", "asc")
			}
		}
		status, without, _ := sent(op, query)
		if status != 200 {
			t.Errorf("%s: %d %s", op.ID, status, without)
		}
		for _, p := range op.Params {
			if p.In == "path" || p.Required || p.Name == "example" || query.Has(p.Name) {
				continue
			}
			for _, value := range []string{"", " \t"} {
				query.Set(p.Name, value)
				status, with, s := sent(op, query)
				if status != 200 || with != without || !slices.Equal(s.Unsupported, []string{p.Name}) {
					t.Errorf("%s %s=%q: %d, not applied %v", op.ID, p.Name, value, status, s.Unsupported)
				}
				query.Set("strict", "1")
				if p.Name != "strict" {
					if status, _, _ := sent(op, query); status != 400 {
						t.Errorf("%s strict=1 %s=%q: %d", op.ID, p.Name, value, status)
					}
				}
				query.Del("strict")
				query.Del(p.Name)
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{"year=2020&min_amt=5", "location=Springfield,IL&geo_id_type=city", "cursor=AAAA&fields=amount", "a=%ff", "x=1;y", "subject=SA", "query=%22", "min_match_prob=1e400"} {
		f.Add(seed)
	}
	data := fixture()
	f.Fuzz(func(t *testing.T, query string) {
		for i := range operations {
			c := &call{op: &operations[i], warn: &warnings{}, data: data, base: base, format: "json", desk: exampleDesk(base), registry: exampleStore{}}
			if e := c.op.Examples; len(e) > 0 {
				c.body = []byte(e[0].Body)
			}
			values, err := parseQuery(query)
			if err != nil {
				continue
			}
			run, err := c.prepare(values, nil)
			if err != nil {
				if _, hidden := explain(err); hidden {
					if _, ok := err.(*invalid); !ok {
						t.Fatalf("%q: %v", query, err)
					}
				}
				continue
			}
			a, err := run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r := &reply{header: map[string][]string{}}
			if err := r.answer(c, a); err != nil {
				t.Fatal(err)
			}
			for name, values := range r.header {
				if strings.ContainsAny(strings.Join(values, ""), "\r\n") {
					t.Fatalf("%q breaks the header %s", query, name)
				}
			}
			if len(r.body) > 1<<20 {
				t.Fatalf("%q has an answer of %d bytes", query, len(r.body))
			}
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("zzz", int64(0))
	f.Add(encodeCursor("v", "q", 25), int64(25))
	f.Fuzz(func(t *testing.T, text string, offset int64) {
		if n, readable, err := decodeCursor(text, "v", "q"); readable && err == nil && (n < 0 || n > maxOffset || encodeCursor("v", "q", n) != text && len(text) < 20) {
			t.Fatalf("%q is read as %d", text, n)
		}
		if offset < 0 || offset > maxOffset {
			return
		}
		if n, readable, err := decodeCursor(encodeCursor("v", "q", offset), "v", "q"); n != offset || !readable || err != nil {
			t.Fatalf("%d comes back as %d, %v, %v", offset, n, readable, err)
		}
	})
}
