package grants_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/graph"
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
		{name: "recipient", query: "recip_id=000000004", want: `{"Recipients":["000000004"]}`, caveat: "recip_id:that we linked to the EIN"},
		{name: "identity of a row", query: "recip_id=ein-000000004,EIN-00-0000005", want: `{"Recipients":["000000004","000000005"]}`, caveat: "recip_id:that we linked to the EIN"},
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
		{name: "subject basis", query: "subject=B&subject_basis=any", want: `{"Subject":{"Items":[{"Text":"B","Kind":1,"Majors":2,"Prefix":""}],"Unknown":null},"SubjectBasis":1}`, caveat: "subject_basis:Inferred causes count too"},
		{name: "subject basis as it is", query: "subject=B&subject_basis=Registered", want: `{"Subject":{"Items":[{"Text":"B","Kind":1,"Majors":2,"Prefix":""}],"Unknown":null}}`, caveat: "subject_basis:would add 3 grants and $45,000"},
		{name: "subject basis alone", query: "subject_basis=any", want: `{"SubjectBasis":1}`, caveat: "subject_basis:Without subject"},
		{name: "subject basis unknown", query: "subject_basis=some", want: `{}`, unsupported: "subject_basis"},
		{name: "subject empty", query: "subject=,+,", want: `{}`, unsupported: "subject"},
		{name: "subject unknown", query: "subject=Underwater%20basketry", want: `{}`, unsupported: "subject"},

		{name: "state", query: "location=il,Oregon", want: `{"Place":{"Of":0,"Kind":0,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"IL","State":""},{"Name":"OR","State":""}]}}`},
		{name: "state unknown", query: "location=XX", want: `{}`, unsupported: "location"},
		{name: "funder state", query: "location=IL&location_type=funder", want: `{"Place":{"Of":1,"Kind":0,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"IL","State":""}]}}`},
		{name: "area served", query: "location=IL&location_type=area_served", want: `{"Place":{"Of":2,"Kind":0,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"IL","State":""}]}}`, caveat: "location_type:the 3 funders"},
		{name: "zip", query: "location=62701,60601-1234&geo_id_type=zip", want: `{"Place":{"Of":0,"Kind":1,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"60601","State":""},{"Name":"62701","State":""}]}}`},
		{name: "zip area", query: "location=627&geo_id_type=zip", want: `{"Place":{"Of":0,"Kind":1,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"627","State":""}]}}`, caveat: "location:beginning of a ZIP"},
		{name: "cities", query: "location=Springfield,IL,Portland&geo_id_type=city", want: `{"Place":{"Of":0,"Kind":2,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"PORTLAND","State":""},{"Name":"SPRINGFIELD","State":"IL"}]}}`, caveat: "location:Portland"},
		{name: "city twice", query: "location=Springfield,IL,Springfield,MO&geo_id_type=city", want: `{"Place":{"Of":0,"Kind":2,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"SPRINGFIELD","State":"IL"},{"Name":"SPRINGFIELD","State":"MO"}]}}`},
		{name: "state without city", query: "location=IL&geo_id_type=city", want: `{}`, unsupported: "location"},
		{name: "county", query: "location=17031,1001&geo_id_type=county_fips", want: `{"Place":{"Of":0,"Kind":3,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"01001","State":""},{"Name":"17031","State":""}]}}`, caveat: "location:no county"},
		{name: "counties by name", query: "location=Summit+County,OH,Cook,IL,DeKalb+county,il&geo_id_type=county_fips", want: `{"Place":{"Of":0,"Kind":3,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"17031","State":""},{"Name":"17037","State":""},{"Name":"39153","State":""}]}}`, caveat: "location:no county"},
		{name: "county without state", query: "location=Cuyahoga+County,39153&geo_id_type=county_fips", want: `{"Place":{"Of":0,"Kind":3,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"39035","State":""},{"Name":"39153","State":""}]}}`, caveat: "location:no county"},
		{name: "county in several states", query: "location=Summit&geo_id_type=county_fips", want: `{"Place":{"Of":0,"Kind":3,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"08117","State":""},{"Name":"39153","State":""},{"Name":"49043","State":""}]}}`, caveat: "location:Summit has no state"},
		{name: "county and city", query: "location=Baltimore,MD&geo_id_type=county_fips", want: `{"Place":{"Of":0,"Kind":3,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"24005","State":""},{"Name":"24510","State":""}]}}`, caveat: "location:Baltimore County and Baltimore city"},
		{name: "county in another state", query: "location=Cuyahoga,CA&geo_id_type=county_fips", want: `{}`, unsupported: "location"},
		{name: "state without county", query: "location=OH&geo_id_type=county_fips", want: `{}`, unsupported: "location"},
		{name: "near", query: "near=43701", want: `{"Place":{"Of":0,"Kind":0,"Near":{"ZIP":"43701","Miles":25},"Values":null}}`, caveat: "near:never match"},
		{name: "near and location", query: "near=43701-1234&within=100&location=OH", want: `{"Place":{"Of":0,"Kind":0,"Near":{"ZIP":"43701","Miles":100},"Values":[{"Name":"OH","State":""}]}}`, caveat: "near:recipients without"},
		{name: "funders near", query: "near=43701&location_type=funder", want: `{"Place":{"Of":1,"Kind":0,"Near":{"ZIP":"43701","Miles":25},"Values":null}}`, caveat: "near:funders without"},
		{name: "area near", query: "near=43701&within=5&location_type=area_served", want: `{"Place":{"Of":2,"Kind":0,"Near":{"ZIP":"43701","Miles":5},"Values":null}}`, caveat: "location_type:the 3 funders"},
		{name: "near, and a location that is none", query: "near=43701&location=Nowhere", want: `{"Place":{"Of":0,"Kind":0,"Near":{"ZIP":"43701","Miles":25},"Values":null}}`, unsupported: "location"},
		{name: "near whose", query: "near=43701&location_type=donor", want: `{}`, unsupported: "location_type, near"},
		{name: "location type without place", query: "location_type=funder", want: `{}`, caveat: "location_type:no effect"},
		{name: "grant keys", query: "grant_key=b,a,b", want: `{"Keys":["a","b"]}`},
		{name: "no such county", query: "location=17999&geo_id_type=county_fips", want: `{}`, unsupported: "location"},
		{name: "place country", query: "location=uk&geo_id_type=country", want: `{"Place":{"Of":0,"Kind":4,"Near":{"ZIP":"","Miles":0},"Values":[{"Name":"UK","State":""}]}}`},
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
		{name: "exclude daf, in a letter", query: "exclude_daf=Y", want: `{"Exclude":1}`},
		{name: "exclude", query: "exclude=daf,individuals,related_party,unidentified", want: `{"Exclude":15}`},
		{name: "exclude those who name nobody", query: "exclude=unidentified", want: `{"Exclude":8}`},
		{name: "exclude partly unknown", query: "exclude=individuals,dafs", want: `{"Exclude":2}`, unsupported: "exclude"},
		{name: "contradiction", query: "exclude=daf&funder_type=daf_or_passthrough", want: `{"Exclude":1,"FunderKind":"daf_or_passthrough"}`, caveat: "funder_type:matches nothing"},
		{name: "country", query: "country=UK,ca", want: `{"Countries":["CA","UK"]}`},
		{name: "ambiguous country", query: "country=AU", want: `{"Countries":["AU"]}`, caveat: "country:Austria"},
		{name: "the US as a country", query: "country=US", want: `{"Countries":["US"]}`, caveat: "country:without a foreign address"},
		{name: "no country of the list", query: "country=XX", want: `{"Countries":["XX"]}`, caveat: "country:unknown"},
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
				w := apitest.New(t)
				rec := apitest.Scenario{Path: "grants/" + endpoint + "?" + c.query, Costs: 1, Heads: map[string]string{"X-Service-Unsupported": c.unsupported}}.Run(t, w)
				if t.Failed() {
					return
				}
				if got, want := canonical(t, w.Spy.Filter), overlay(t, empty, c.want); got != want {
					t.Errorf("%s asked\n%s, want\n%s", endpoint, got, want)
				}
				body := apitest.Unmarshal[struct {
					Service client.Service `json:"x_service"`
				}](t, rec)
				if name, words, _ := strings.Cut(c.caveat, ":"); name != "" {
					found := false
					for _, x := range body.Service.Warnings {
						found = found || x.Parameter == name && x.Severity == "caveat" && strings.Contains(x.Reason, words)
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
				strict := apitest.Scenario{Path: "grants/" + endpoint + "?" + c.query + "&strict=1", Costs: 1}
				if c.unsupported != "" {
					strict.Status, strict.Costs, strict.Has = 400, 0, []string{`"error":"unsupported_parameter"`, `"x_service":{"unsupported":[`}
				}
				strict.Run(t, apitest.New(t))
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
	list := []apitest.Scenario{
		{Name: "id_type", Path: "grants/funders?id_type=candid", Status: 400, Has: []string{`"error":"unsupported_id_type"`, `"message":"id_type \"candid\" is not supported: organizations are identified by EIN only, which /search finds by name."`}},
		{Name: "proprietary", Path: "grants/funders?subject=SA0200", Status: 400, Has: []string{`"error":"proprietary_subject"`, "NTEE"}},
		{Name: "proprietary in list", Path: "grants/summary?subject=B,SA", Status: 400, Has: []string{`"error":"proprietary_subject"`}},
		{Name: "format", Path: "grants/funders?format=yaml", Status: 422, Has: []string{`"loc":["query","format"]`, `"type":"enum"`, `"input":"yaml"`, `"code":422`}},
		{Name: "year", Path: "grants/funders?year=abc", Status: 422, Has: []string{`"detail":[{"loc":["query","year",0]`, `"error":"invalid_request"`}},
		{Name: "year range", Path: "grants/funders?year=2020-2018", Status: 422, Has: []string{"ends before it begins"}},
		{Name: "year too far", Path: "grants/funders?year=3021", Status: 422},
		{Name: "year open", Path: "grants/funders?year=2020-", Status: 422},
		{Name: "min_year", Path: "grants/funders?min_year=x", Status: 422, Has: []string{`"type":"int_parsing"`}},
		{Name: "years crossed", Path: "grants/funders?min_year=2022&max_year=2020", Status: 422, Has: []string{`"ctx":{"ge":2022}`}},
		{Name: "ein", Path: "grants/funders?funder_id=000000001,ford", Status: 422, Has: []string{`["query","funder_id",1]`, "/search"}},
		{Name: "short ein", Path: "grants/funders?recip_id=12", Status: 422},
		{Name: "too many eins", Path: "grants/funders?funder_id=" + strings.Repeat("1,", 1001), Status: 422, Has: []string{`"type":"too_long"`, `"max_length":1000`}},
		{Name: "long value", Path: "grants/funders?query=" + strings.Repeat("a", 501), Status: 422, Has: []string{"string_too_long"}},
		{Name: "not text", Path: "grants/funders?query=%ff", Status: 422, Has: []string{"string_unicode"}},
		{Name: "nul", Path: "grants/funders?query=a%00b", Status: 422, Has: []string{"NUL"}, Lacks: []string{`"input"`}},
		{Name: "amount", Path: "grants/funders?min_amt=1e6", Status: 422, Has: []string{"int_parsing"}},
		{Name: "too many words", Path: "grants/funders?query=" + strings.Repeat("-a+", 32) + "b", Status: 422, Has: []string{`"loc":["query","query"]`, `"actual_length":33`}},
		{Name: "amount negative", Path: "grants/funders?min_amt=-1", Status: 422, Has: []string{"greater_than_equal"}},
		{Name: "amount huge", Path: "grants/funders?max_amt=99999999999999999999", Status: 422, Has: []string{"less_than_equal", `"input":"99999999999999999999"`}},
		{Name: "amounts crossed", Path: "grants/funders?min_amt=5&max_amt=1", Status: 422, Has: []string{`"max_amt: the value is less than min_amt"`}},
		{Name: "probability", Path: "grants/funders?min_match_prob=1.5", Status: 422, Has: []string{"less_than_equal", "at most 1"}},
		{Name: "probability nan", Path: "grants/funders?min_match_prob=NaN", Status: 422},
		{Name: "probability hex", Path: "grants/funders?min_match_prob=0x1p-1", Status: 422},
		{Name: "page 0", Path: "grants/funders?page=0", Status: 422, Has: []string{`"loc":["query","page"]`, `"ctx":{"ge":1}`}},
		{Name: "page huge", Path: "grants/funders?page=9223372036854775807", Status: 422},
		{Name: "limit 0", Path: "grants/funders?limit=0", Status: 422},
		{Name: "limit huge", Path: "grants/funders?limit=99999999999999999999", Costs: 1, Has: []string{`"limit":1000`, `"severity":"caveat"`}},
		{Name: "two hundred years", Path: "grants/funders?year=" + strings.Repeat("2019,", 200), Costs: 1, Lacks: []string{`"severity"`}},
		{Name: "limit word", Path: "grants/funders?limit=all", Status: 422},
		{Name: "switch", Path: "grants/funders?exclude_daf=maybe", Status: 422, Has: []string{"bool_parsing"}},
		{Name: "strict", Path: "grants/funders?strict=maybe", Status: 422},
		{Name: "zip", Path: "grants/funders?geo_id_type=zip&location=abc", Status: 422},
		{Name: "county", Path: "grants/funders?geo_id_type=county_fips&location=17031x", Status: 422, Has: []string{"Summit County, OH"}},
		{Name: "near", Path: "grants/funders?near=4370", Status: 422, Has: []string{"zip_parsing"}},
		{Name: "near nowhere", Path: "grants/funders?near=09001", Status: 422, Has: []string{"zip_unknown", "another ZIP code nearby"}},
		{Name: "near far", Path: "grants/funders?near=43701&within=501", Status: 422, Has: []string{"at most 500"}},
		{Name: "near at hand", Path: "grants/funders?near=43701&within=0", Status: 422, Has: []string{"at least 1"}},
		{Name: "within what", Path: "grants/funders?within=5", Status: 422, Has: []string{"add near"}},
		{Name: "long key", Path: "grants/funders?grant_key=" + strings.Repeat("x", 65), Status: 422},
		{Name: "many keys", Path: "grants/funders?grant_key=" + strings.Repeat("x,", 1001), Status: 422},
		{Name: "top without by", Path: "grants/summary?top=5", Status: 422, Has: []string{"add by"}},
		{Name: "top none", Path: "grants/summary?by=state&top=0", Status: 422},
		{Name: "top many", Path: "grants/summary?by=state&top=1001", Status: 422},
		{Name: "twice", Path: "grants/funders?min_amt=1&min_amt=2", Status: 422, Has: []string{`"type":"duplicate"`}},
		{Name: "twice the same", Path: "grants/funders?min_amt=1&min_amt=1", Costs: 1},
		{Name: "cursor", Path: "grants/funders?cursor=zzz", Status: 422, Has: []string{"cursor_parsing"}},
		{Name: "several problems", Path: "grants/funders?year=x&min_amt=y", Status: 422, Has: []string{`"query","year",0`, `"query","min_amt"`}},
		{Name: "no q", Path: "search", Status: 422, Has: []string{`"type":"missing"`}, Lacks: []string{`"input"`}},
		{Name: "422 as xml", Path: "grants/funders?format=xml&page=0", Status: 422, Has: []string{"<detail><item><loc><item>query</item>"}, Heads: map[string]string{"Content-Type": "application/xml; charset=utf-8"}},
		{Name: "400 as xml", Path: "grants/funders?format=xml&id_type=x", Status: 400, Has: []string{"<error>unsupported_id_type</error>"}},
		{Name: "unsupported and 422", Path: "grants/funders?strict=1&nonsense=1&page=0", Status: 422},
	}
	// Parameters of the vocabulary that no data stands behind.
	for name, reason := range map[string]string{
		"include_gov": "no government grantmakers", "population": "do not say whom a grant benefits", "transaction": "Every row is a cash grant",
		"last_updated": "no timestamp", "profile_levels": "no profile levels",
	} {
		list = append(list,
			apitest.Scenario{Name: name, Path: "grants/transactions?" + name + "=x", Costs: 1, Has: []string{reason, `"unsupported":["` + name + `"]`}},
			apitest.Scenario{Name: name + " strict", Path: "grants/transactions?strict=1&" + name + "=x", Status: 400, Has: []string{name}})
	}
	apitest.RunAll(t, list)
}

// TestCrowd checks that many warnings about one parameter leave room for those
// about the others.
func TestCrowd(t *testing.T) {
	t.Parallel()
	var places []string
	for i := range 200 {
		places = append(places, fmt.Sprint("nowhere", i))
	}
	rec := apitest.Scenario{Path: "grants/summary?location=" + strings.Join(places, ",") + "&support=program&population=x&yaer=2020", Costs: 1,
		Has:   []string{"nowhere19", "more warnings of this kind", "Did you mean year?", `"parameter":"support","severity":"caveat"`},
		Lacks: []string{"nowhere20"}, Heads: map[string]string{"X-Service-Unsupported": "location, population, yaer"}}.Run(t, apitest.New(t))
	body := apitest.Unmarshal[struct {
		Service client.Service `json:"x_service"`
	}](t, rec)
	if n := len(body.Service.Warnings); n != 24 {
		t.Errorf("%d warnings", n)
	}
}

// one is a graph in which one funder reaches every place.
type one struct{ example.Graph }

func (one) HasCounty(string) bool                                         { return false }
func (one) WiderBasis(context.Context, *graph.Filter) (graph.Cost, error) { return graph.Cost{}, nil }
func (one) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 1, nil }

func TestOneFunder(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Data.Graph = one{w.Spy.Graph}
	apitest.Scenario{Path: "grants/summary?location=IL&location_type=area_served", Costs: 1, Has: []string{"selected the one funder whose giving"}}.Run(t, w)
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
			w := apitest.New(t)
			apitest.Scenario{Path: "grants/" + c.path, Costs: 1, Heads: map[string]string{"X-Service-Unsupported": c.unsupported}}.Run(t, w)
			if w.Spy.Sort != c.want {
				t.Errorf("sorted %+v, want %+v", w.Spy.Sort, c.want)
			}
		})
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Spy.Hits = 2500
	get := func(query string) api.List[grants.GrantRow] {
		return apitest.Unmarshal[api.List[grants.GrantRow]](t, apitest.Scenario{Path: "grants/transactions?" + query, Costs: 1}.Run(t, w))
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
	apitest.Scenario{Path: "grants/transactions?year=2021" + cursor, Status: 400, Has: []string{"cursor_mismatch"}}.Run(t, w)
	apitest.Scenario{Path: "grants/transactions?year=2020&sort_order=asc" + cursor, Status: 400, Has: []string{"cursor_mismatch"}}.Run(t, w)
	apitest.Scenario{Path: "grants/funders?year=2020" + cursor, Status: 400, Has: []string{"cursor_mismatch"}}.Run(t, w)
	w.Data.Manifest.Version = "20260201T000000Z"
	apitest.Scenario{Path: "grants/transactions?year=2020" + cursor, Status: 400, Has: []string{"cursor_stale"}}.Run(t, w)
}
