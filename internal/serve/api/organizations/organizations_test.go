package organizations_test

import (
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/search"
	"testing"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Data.Search = example.Index{{EIN: 3, Name: "EXAMPLE CHAPEL", Score: 1, Match: search.Exact, Known: search.FromIRS}}
	apitest.Scenario{Path: "search?q=example", Has: []string{`"revenue":0`, `"state":""`, `"location":null`}}.Run(t, w)
	apitest.RunAll(t, []apitest.Scenario{
		{Name: "short", Path: "search?q=e", Has: []string{`"results":[]`}},
		{Name: "empty", Path: "search?q=", Has: []string{`"results":[]`}},
		{Name: "state", Path: "search?q=example&state=il", Lacks: []string{`"severity"`}},
		{Name: "state unknown", Path: "search?q=example&state=zz", Heads: map[string]string{"X-Service-Unsupported": "state"}},
		{Name: "fallback", Path: "search?q=example&mode=hybrid", Has: []string{`"mode":"text"`, `"severity":"caveat"`}},
		{Name: "mode unknown", Path: "search?q=example&mode=psychic", Heads: map[string]string{"X-Service-Unsupported": "mode"}},
		{Name: "capped", Path: "search?q=example&limit=500", Has: []string{`"parameter":"limit"`}},
		{Name: "null cause", Path: "search?q=example", Has: []string{`"cause":null`, `"location":"IL"`, `"slug":"example-family-foundation"`, `"href":"/org/000000002/example-family-foundation"`}},
		{Name: "csv", Path: "search?q=example&format=csv", Has: []string{"ein,name,type,"}, Heads: map[string]string{"X-Service-Hits": "2"}},
		{Name: "csv, cut", Path: "search?q=example&format=csv&limit=1", Has: []string{"ein,name,type,"}, Heads: map[string]string{"X-Service-Hits": "2"}},
		{Name: "csv, fallback", Path: "search?q=example&format=csv&mode=semantic", Has: []string{"ein,name,type,"}, Heads: map[string]string{"X-Service-Warnings": "*"}},
		{Name: "how good", Path: "search?q=example", Has: []string{`"match":"strong"`, `"display_name":"Example Community Foundation"`, `"known_from":"irs"`}},
		{Name: "xml", Path: "meta?format=xml", Has: []string{"<response><code>200</code>"}},
		{Name: "meta has no rows", Path: "meta?format=csv", Status: 422},
		{Name: "strict", Path: "search?q=example&sate=IL&strict=1", Status: 400, Has: []string{"Did you mean state?"}},
		{Name: "key in the address", Path: "meta?api_key=secret", Has: []string{"header only"}, Lacks: []string{`secret"`}},
	})
}
