package grants_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest"
	"grantgraph/internal/place"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// TestNewCounty builds a world with a newer relationship file of the Census,
// which has a county that this program has never heard of, and asks for it.
func TestNewCounty(t *testing.T) {
	t.Parallel()
	const county = "17999"
	if _, ok := place.Shipped().County(county); ok {
		t.Fatalf("%s is a county by now; use another", county)
	}
	up, dir := world.Small.CopySources(t), t.TempDir()
	// Every ZIP code of Illinois is in it.
	var b strings.Builder
	b.WriteString("GEOID_ZCTA5_20|GEOID_COUNTY_20|NAMELSAD_COUNTY_20|AREALAND_PART\n")
	for _, z := range place.Shipped().ZIPs() {
		if z.State == "IL" {
			b.WriteString(z.Code + "|" + county + "|New County|1000\n")
		}
	}
	if err := os.MkdirAll(filepath.Join(up, "census"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(up, "census", "tab20_zcta520_county20_natl.txt"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Run(t.Context(), ingest.Options{Sources: up, Data: dir,
		Now:      func() time.Time { return world.Built },
		Indexers: []snapshot.Indexer{{Name: "graph", Write: graph.Build}}}); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	w := apitest.Real(t)
	data := *apitest.Built(t)
	data.Manifest, data.Graph = s.Manifest, g
	w.Handler, err = serve.NewAPI(serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: func() (api.Dataset, func()) { return &data, nil }}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(code string) api.List[grants.GrantRow] {
		t.Helper()
		rec := w.Get(t, "GET", "/api/v1/grants/transactions?geo_id_type=county_fips&location="+code, "pro")
		if rec.Code != 200 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		return apitest.Unmarshal[api.List[grants.GrantRow]](t, rec)
	}
	got := ask(county)
	if got.Hits == 0 || len(got.Service.Unsupported) > 0 {
		t.Errorf("%d rows of the new county, not applied: %v %v", got.Hits, got.Service.Unsupported, got.Service.Warnings)
	}
	for _, r := range got.Results {
		if r.RecipState == nil || *r.RecipState != "IL" {
			t.Errorf("%+v is not in it", r)
		}
	}
	// A county that only this program knows is known, and nobody is there; one
	// that neither knows is reported.
	if got := ask("17031"); got.Hits != 0 || len(got.Service.Unsupported) > 0 {
		t.Errorf("%d rows, %v", got.Hits, got.Service.Warnings)
	}
	if got := ask("17998"); len(got.Service.Unsupported) != 1 {
		t.Errorf("%v", got.Service.Warnings)
	}
}
