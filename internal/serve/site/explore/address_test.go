package explore

import (
	"net/url"
	"os"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/sqlbox/worker"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(world.Main(m))
}

// TestAddress gives forms and links the one address of what they mean.
func TestAddress(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"":                                "",
		"tab=grants&page=1":               "",
		"tab=summary&page=3&sort_by=year": "tab=summary",
		"tab=nonsense":                    "",
		"subject=B&subject=E&subject=B":   "subject=B,E",
		"subject=&query=+&min_amt=&near=&within=25&subject_basis=any": "",
		"subject=b&subject_basis=registered":                          "subject=b&subject_basis=registered",
		"state=OH&state=CA":                                           "location=CA,OH",
		"state=OH&county=39153&county=39035":                          "location=39035,39153&geo_id_type=county_fips",
		"state=OH&state=CA&county=39153":                              "location=CA,OH",
		"state=CA&county=39153":                                       "location=CA",
		"county=39153":                                                "location=39153&geo_id_type=county_fips",
		"state=OH&location=TX&geo_id_type=zip":                        "location=OH",
		"geo_id_type=city&location=Salem,OH,Akron,OH":                 "location=Salem,OH,Akron,OH&geo_id_type=city",
		"location_type=funder":                                        "",
		"location_type=funder&near=44113&within=10":                   "location_type=funder&near=44113&within=10",
		"year=2019&year=2021&year=2020&year=2015":                     "year=2015,2019-2021",
		"year=2019&year=2020":                                         "year=2019,2020",
		"year=2017-2019,2020":                                         "year=2017-2020",
		"year=abc&year=2020":                                          "year=2020,abc",
		"min_amt=%241%2C000&max_amt=25+000":                           "min_amt=1000&max_amt=25000",
		"exclude=daf&exclude=individuals":                             "exclude=daf,individuals",
		"format=csv&limit=9&cursor=x&fields=a&strict=1&query=x":       "exclude=individuals&query=x",
		"utm_source=x&query=a%26b":                                    "exclude=individuals&query=a%26b&utm_source=x",
		"query=a&query=a":                                             "exclude=individuals&query=a",
		"query=a&query=b":                                             "exclude=individuals&query=a&query=b",
		"query=a&exclude=daf":                                         "exclude=daf,individuals&query=a",
		"page=2&tab=funders&sort_by=count":                            "tab=funders&sort_by=count&page=2",
	} {
		values, err := url.ParseQuery(sent)
		if err != nil {
			t.Fatal(err)
		}
		if got := newView(values).String(); got != want {
			t.Errorf("%s is %s, want %s", sent, got, want)
		}
	}
}

// FuzzAddress reads the address of a view again, which must be the same: pages
// lead to it, and would lead there for ever.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"", "subject=B&subject=E", "state=OH&county=39153", "year=2017-2020,1&tab=x", "min_amt=$1,0", "a=b&a=c&%00=%ff", "location=,,&near=1&within=", "year=2019&year=2019-2100,2100"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		sent, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		once := newView(sent)
		again, err := url.ParseQuery(once.String())
		if err != nil {
			t.Fatalf("%q becomes %q: %v", raw, once, err)
		}
		if twice := newView(again); twice.String() != once.String() {
			t.Errorf("%q becomes %q and then %q", raw, once, twice)
		}
	})
}
