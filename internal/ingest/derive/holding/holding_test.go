package holding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

func dollars(n int64) *int64 { return &n }

func item(e ein.EIN, filing, schedule, name string, fmv int64) *snapshot.Holding {
	return &snapshot.Holding{EIN: e.String(), Filing: filing, Schedule: schedule, Name: name, FMV: &fmv}
}

// sample is four foundations, the fourth of which cannot add up.
func sample() ([]*Foundation, []*snapshot.Holding) {
	f := []*Foundation{
		{EIN: 70000001, Name: "ALDER FOUNDATION", City: "COLUMBUS", State: "OH", ReturnType: "990PF", Filing: "a1", AssetsFMV: dollars(10_000)},
		{EIN: 70000002, Name: "BIRCH FOUNDATION", ReturnType: "990PF", Filing: "b1", AssetsFMV: dollars(2_000), InvestmentFees: dollars(100)},
		{EIN: 70000003, Name: "CEDAR FOUNDATION", ReturnType: "990PF", Filing: "c1"},
		{EIN: 70000004, Name: "DOGWOOD FOUNDATION", ReturnType: "990PF", Filing: "d1", AssetsFMV: dollars(100)},
	}
	items := []*snapshot.Holding{
		item(70000001, "a1", "stock", "100 SHS LARCH INDUSTRIES INC COM", 3000),
		item(70000001, "a1", "stock", "LARCH INDUSTRIES INC", 500),
		item(70000001, "a1", "bonds", "LARCH INDUSTRIES INC 5% DUE 1/1/2031", 700),
		item(70000001, "a1", "other", "QUILL VENTURES IV LP", 900),
		item(70000001, "a1", "other", "WILLOW IMPACT REAL ESTATE FUND", 400),
		item(70000001, "a1", "other", "SEE ATTACHED", 50),
		item(70000001, "a1", "other", "SEE ATTACHED", 0),
		item(70000001, "a1", "fixed", "OFFICE BUILDING", 5000),
		{EIN: "070000001", Filing: "a1", Schedule: "pri", Name: "LOAN TO A SCHOOL", Book: dollars(60)},
		item(70000001, "a0", "stock", "OLD HOLDING OF AN EARLIER YEAR", 9999),
		item(70000002, "b1", "stock", "Larch Industries Inc", 800),
		item(70000002, "b1", "other", "QUILL VENTURES IV, L.P.", 100),
		item(70000002, "b1", "stock", "CORPORATE STOCK", 600),
		item(70000003, "c1", "other", "LARCH INDUSTRIES INC", 10),
		item(70000003, "c1", "stock", "LARCH INDUSTRIES INC (LRCH)", 20),
		{EIN: "070000003", Filing: "c1", Schedule: "loans", Name: "WINTERGREEN ADA", Book: dollars(5)},
		item(70000004, "d1", "stock", "LARCH INDUSTRIES INC", 500),
		item(70000009, "x", "stock", "OF NOBODY", 1),
	}
	return f, items
}

// portfolioOf is what a build makes of the foundations and their items.
func portfolioOf(f []*Foundation, items []*snapshot.Holding) *Portfolio {
	b := New()
	for _, x := range f {
		b.AddFoundation(x)
	}
	for _, x := range items {
		b.AddItem(x)
	}
	return b.Portfolio()
}

func TestPortfolio(t *testing.T) {
	t.Parallel()
	p := portfolioOf(sample())
	entities := map[string]snapshot.HoldingEntity{}
	for e := range p.Entities() {
		if _, twice := entities[e.CanonicalName]; twice {
			t.Errorf("%q stands twice", e.CanonicalName)
		}
		entities[e.CanonicalName] = e
	}
	for _, want := range []snapshot.HoldingEntity{
		{CanonicalName: "LARCH INDUSTRIES INC", Holders: 4, FMV: 4830, EntityType: "company", AssetClass: "public_equity", Vehicle: "direct", Status: CorroboratedPublic},
		{CanonicalName: "LARCH INDUSTRIES INC BONDS", Holders: 1, FMV: 700, EntityType: "company", AssetClass: "fixed_income", Vehicle: "direct", Status: Review},
		{CanonicalName: "QUILL VENTURES IV LP", Holders: 2, FMV: 1000, EntityType: "fund", AssetClass: "venture", Vehicle: "lp", Status: CorroboratedPrivate},
		{CanonicalName: "WILLOW IMPACT REAL ESTATE FUND", Holders: 1, FMV: 400, EntityType: "fund", AssetClass: "real_estate", IsImpact: true, Status: Review},
		{CanonicalName: "CORPORATE STOCK", Holders: 1, FMV: 600, EntityType: "other", AssetClass: "public_equity", Vehicle: "direct", Status: Review},
		{CanonicalName: "PRIVATE LOAN", Holders: 1, FMV: 5, EntityType: "person_note", AssetClass: "unknown", Vehicle: "note", Status: Review},
		{CanonicalName: "LOAN TO A SCHOOL", Holders: 1, FMV: 60, EntityType: "other", AssetClass: "pri", IsImpact: true, Status: Review},
	} {
		if entities[want.CanonicalName] != want {
			t.Errorf("%+v, want %+v", entities[want.CanonicalName], want)
		}
	}
	if len(entities) != 7 {
		t.Errorf("%d entities: %+v", len(entities), entities)
	}

	profiles := slices.Collect(p.Profiles())
	if len(profiles) != 4 {
		t.Fatalf("%d profiles", len(profiles))
	}
	a := profiles[0]
	if a.OrgName != "ALDER FOUNDATION" || a.Items != 7 || a.ClassifiedFMV != 5500 || *a.ClassifiedPct != 55 || a.PublicEquityFMV != 3500 || a.FixedIncomeFMV != 700 ||
		a.AltsFMV != 1300 || a.VCFMV != 900 || a.ImpactFMV != 460 || a.TopHoldingFMV != 3500 || *a.TopHoldingPct != 35 || a.SelfManaged {
		t.Errorf("%+v", a)
	}
	if c := profiles[2]; c.ClassifiedPct != nil || c.PublicEquityFMV != 30 {
		t.Errorf("%+v", c)
	}
	if d := profiles[3]; *d.ClassifiedPct != 100 {
		t.Errorf("%+v", d)
	}
	for h := range p.Holdings() {
		switch {
		case h.EIN == "070000004" && h.Status != Review:
			t.Errorf("items that exceed the assets are not for review: %+v", h)
		case h.EIN == "070000003" && h.CanonicalName == "LARCH INDUSTRIES INC" && (h.FMV != 30 || h.AssetClass != "public_equity" || h.Status != CorroboratedPublic):
			t.Errorf("%+v", h)
		case h.CanonicalName == "NOT ITEMIZED" && h.AssetClass != "unknown":
			t.Errorf("%+v", h)
		}
	}
}

// TestSelfManaged: a dozen shares picked by the foundation itself.
func TestSelfManaged(t *testing.T) {
	t.Parallel()
	for fees, want := range map[int64]bool{0: true, 9: true, 10: false} {
		f := &Foundation{EIN: 70000001, Filing: "a", ReturnType: "990PF", AssetsFMV: dollars(10_000), InvestmentFees: dollars(fees)}
		var items []*snapshot.Holding
		for i := range 12 {
			items = append(items, item(70000001, "a", "stock", fmt.Sprintf("LARCH%c INDUSTRIES COM", 'A'+i), 500))
		}
		p := portfolioOf([]*Foundation{f}, items)
		if got := slices.Collect(p.Profiles())[0]; got.SelfManaged != want {
			t.Errorf("fees of %d: %+v", fees, got)
		}
	}
}

func TestManagers(t *testing.T) {
	t.Parallel()
	var f []*Foundation
	var items []*snapshot.Holding
	for i := range 3 {
		e := ein.EIN(70000001 + i)
		f = append(f, &Foundation{EIN: e, Filing: "x"})
		items = append(items, item(e, "x", "other", fmt.Sprintf("QUILL FEATHER CAPITAL PARTNERS %s LP", []string{"II", "III", "IV"}[i]), 10),
			item(e, "x", "other", fmt.Sprintf("TALLOW%c CAPITAL PARTNERS IV LP", 'A'+i), 10))
	}
	for e := range portfolioOf(f, items).Entities() {
		want := ""
		if e.CanonicalName[:5] == "QUILL" {
			want = "QUILL FEATHER"
		}
		if e.Manager != want {
			t.Errorf("%+v", e)
		}
	}
}

// TestOrder: nothing depends on the order of the items.
func TestOrder(t *testing.T) {
	t.Parallel()
	f, items := sample()
	r := rand.New(rand.NewPCG(1, 9))
	first := portfolioOf(f, items)
	for range 5 {
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		again := portfolioOf(f, items)
		if !slices.Equal(slices.Collect(first.Entities()), slices.Collect(again.Entities())) || !slices.Equal(slices.Collect(first.Holdings()), slices.Collect(again.Holdings())) {
			t.Fatal("the order matters")
		}
	}
	// What foundations hold is what the entities sum up, but for what is not
	// itemized.
	var held, summed int64
	for h := range first.Holdings() {
		if h.CanonicalName != "NOT ITEMIZED" {
			held += h.FMV
		}
	}
	for e := range first.Entities() {
		summed += e.FMV
	}
	if held != summed {
		t.Errorf("foundations hold %d, entities sum up to %d", held, summed)
	}
}

// BenchmarkPortfolio settles two hundred thousand items of ten thousand
// foundations.
func BenchmarkPortfolio(b *testing.B) {
	const n = 200_000
	kinds := []string{"%d SHS LARCH %d INDUSTRIES INC COM", "%d.000 QUILL %d CAPITAL PARTNERS IV LP", "%d WILLOW %d FINANCE CORP 4.25%% DUE 5/15/2031"}
	items := make([]*snapshot.Holding, n)
	for i := range items {
		items[i] = item(ein.EIN(70000001+i/20), "x", "other", fmt.Sprintf(kinds[i%3], 1000+i, i*7919%20_000), 100)
	}
	b.ReportAllocs()
	for b.Loop() {
		x := New()
		for i := range n / 20 {
			x.AddFoundation(&Foundation{EIN: ein.EIN(70000001 + i), Filing: "x"})
		}
		for _, h := range items {
			x.AddItem(h)
		}
		p := x.Portfolio()
		for range p.Holdings() {
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "items/s")
}
