package award

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/money"
	"grantgraph/internal/snapshot"
)

// audits is a crosswalk by UEI, then by DUNS.
type audits map[string]ein.EIN

func (a audits) Find(uei, duns string) (e ein.EIN, byUEI, ok bool) {
	if e, ok := a[uei]; ok {
		return e, true, true
	}
	e, ok = a[duns]
	return e, false, ok
}

func TestFederal(t *testing.T) {
	t.Parallel()
	f := NewFederal(audits{"EXAMPLE00001": 70000001, "070000002": 70000002})
	for _, a := range []usaspending.Award{
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: 10010, ActionDate: "2023-12-01"},
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: -20020, ActionDate: "2024-03-01"},
		{Key: "c", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: 5},
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2023, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: 1},
		{Key: "k", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "contract", Agency: "DOD", Amount: 700},
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "ED", Program: "84.010", Amount: 3},
		{Key: "d", DUNS: "070000002", FiscalYear: 2017, Kind: "grant", Agency: "ED", Program: "84.010", Amount: 4},
		{Key: "e", UEI: "EXAMPLE00009", ParentUEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "ED", Program: "84.010", Amount: 8, ActionDate: "2024-05-01"},
		{Key: "f", UEI: "EXAMPLE00009", FiscalYear: 2024, Kind: "contract", Agency: "ED", Amount: 9},
		{Key: "g", UEI: "EXAMPLE00001", FiscalYear: 2016, Kind: "grant", Agency: "ED", Amount: 11},
		{Key: "g", UEI: "EXAMPLE00001", FiscalYear: 2026, Kind: "grant", Agency: "ED", Amount: 12},
	} {
		f.Add(&a)
	}
	want := []snapshot.FederalAward{
		{EIN: "070000001", FiscalYear: 2023, Kind: "grant", AwardingAgency: "HHS", Program: "93.600 HEAD START", Amount: 0.01, AwardCount: 1},
		{EIN: "070000001", FiscalYear: 2024, Kind: "contract", AwardingAgency: "DOD", Amount: 7, AwardCount: 1},
		{EIN: "070000001", FiscalYear: 2024, Kind: "grant", AwardingAgency: "ED", Program: "84.010", Amount: 0.03, AwardCount: 1},
		{EIN: "070000001", FiscalYear: 2024, Kind: "grant", AwardingAgency: "HHS", Program: "93.600 HEAD START", Amount: -100.05, AwardCount: 2},
		{EIN: "070000002", FiscalYear: 2017, Kind: "grant", AwardingAgency: "ED", Program: "84.010", Amount: 0.04, AwardCount: 1},
	}
	if got := slices.Collect(f.Rows()); !slices.Equal(got, want) || f.Len() != len(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	wantAwards := []snapshot.GovAward{
		{EIN: "070000001", Level: "federal", Kind: "contract", Agency: "DOD", AwardID: "k", FiscalYear: 2024, Amount: 7, Basis: "uei", Confidence: .98},
		{EIN: "070000001", Level: "federal", Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Listing: "93.600", AwardID: "c", FiscalYear: 2024, Amount: .05, Basis: "uei", Confidence: .98},
		{EIN: "070000001", Level: "federal", Kind: "grant", Agency: "ED", Program: "84.010", Listing: "84.010", AwardID: "b", FiscalYear: 2024, Amount: .03, Basis: "uei", Confidence: .98},
		{EIN: "070000001", Level: "federal", Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Listing: "93.600", AwardID: "b", FiscalYear: 2024, Amount: -100.1, ActionDate: "2024-03-01", Basis: "uei", Confidence: .98},
		{EIN: "070000001", Level: "federal", Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Listing: "93.600", AwardID: "b", FiscalYear: 2023, Amount: .01, Basis: "uei", Confidence: .98},
		{EIN: "070000002", Level: "federal", Kind: "grant", Agency: "ED", Program: "84.010", Listing: "84.010", AwardID: "d", FiscalYear: 2017, Amount: .04, Basis: "duns", Confidence: .96},
	}
	awards := slices.Collect(Awards(f, NewState(nil)))
	if !slices.Equal(awards, wantAwards) || f.Through() != "2024-05-01" {
		t.Errorf("through %s\ngot  %+v\nwant %+v", f.Through(), awards, wantAwards)
	}
	checkSums(t, awards, want, nil)
	grants, contracts := f.Placed()
	lostGrants, lostContracts := f.Unknown()
	for name, c := range map[string][2]Flow{
		"grants": {grants, {6, -9997}}, "contracts": {contracts, {1, 700}}, "grants not placed": {lostGrants, {1, 8}}, "contracts not placed": {lostContracts, {1, 9}}, "outside": {f.Outside(), {2, 23}},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %+v, want %+v", name, c[0], c[1])
		}
	}
}

// TestFederalOrder: neither the order nor the number of goroutines shows, and
// every cent is in one row or in one of the counts.
func TestFederalOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	known := audits{}
	for i := range 20 {
		known[fmt.Sprintf("EXAMPLE%05d", i)] = ein.EIN(70000001 + i/2)
	}
	var list []usaspending.Award
	var total money.Cents
	for range 4000 {
		a := usaspending.Award{Key: fmt.Sprint("a", r.IntN(300)), ActionDate: fmt.Sprintf("20%02d-%02d-01", 15+r.IntN(10), 1+r.IntN(12)), UEI: fmt.Sprintf("EXAMPLE%05d", r.IntN(30)), FiscalYear: 2015 + r.IntN(13), Kind: []string{"grant", "contract"}[r.IntN(2)],
			Agency: fmt.Sprint("agency ", r.IntN(3)), Program: []string{"", "one", "two"}[r.IntN(3)], Amount: money.Cents(r.Int64N(2_000_000) - 500_000)}
		list = append(list, a)
		total += a.Amount
	}
	var first []snapshot.FederalAward
	var firstAwards []snapshot.GovAward
	for round := range 4 {
		f := NewFederal(known)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var wg sync.WaitGroup
		for i := range round + 1 {
			wg.Go(func() {
				for j := i; j < len(list); j += round + 1 {
					a := list[j]
					f.Add(&a)
				}
			})
		}
		wg.Wait()
		got := slices.Collect(f.Rows())
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Fatal("the order shows")
		}
		awards := slices.Collect(Awards(f, NewState(nil)))
		if firstAwards == nil {
			firstAwards = awards
		}
		if !slices.Equal(awards, firstAwards) {
			t.Fatal("the order shows in the awards")
		}
		checkSums(t, awards, got, nil)
		grants, contracts := f.Placed()
		lostGrants, lostContracts := f.Unknown()
		all := grants.Plus(contracts).Plus(lostGrants).Plus(lostContracts).Plus(f.Outside())
		var inRows float64
		for _, row := range got {
			inRows += row.Amount
		}
		if all.Rows != int64(len(list)) || all.Amount != total || fmt.Sprintf("%.2f", inRows) != fmt.Sprintf("%.2f", grants.Plus(contracts).Amount.Dollars()) {
			t.Errorf("all %+v, total %d, in rows %.2f", all, total, inRows)
		}
	}
	if !slices.IsSortedFunc(first, func(a, b snapshot.FederalAward) int { return slices.Compare(order(a), order(b)) }) {
		t.Error("the rows are not sorted")
	}
}

// checkSums: the awards of a group come to what the tables of sums say, to the
// cent.
func checkSums(t *testing.T, awards []snapshot.GovAward, federal []snapshot.FederalAward, state []snapshot.StateAward) {
	t.Helper()
	type group struct {
		ein, level, state, kind, agency, program string
		year                                     int32
	}
	left := map[group]int64{}
	cents := func(dollars float64) int64 { return int64(math.Round(100 * dollars)) }
	for _, a := range federal {
		left[group{a.EIN, "federal", "", a.Kind, a.AwardingAgency, a.Program, a.FiscalYear}] += cents(a.Amount)
	}
	for _, a := range state {
		left[group{a.EIN, "state", a.State, a.Category, a.Agency, a.Program, a.FiscalYear}] += cents(a.Amount)
	}
	last := snapshot.GovAward{}
	for i, a := range awards {
		g := group{a.EIN, a.Level, a.State, a.Kind, a.Agency, a.Program, a.FiscalYear}
		if _, ok := left[g]; !ok {
			t.Fatalf("%+v is in no sum", a)
		}
		left[g] -= cents(a.Amount)
		before := cmp.Or(strings.Compare(last.EIN, a.EIN), strings.Compare(last.Level, a.Level), cmp.Compare(a.FiscalYear, last.FiscalYear), cmp.Compare(a.Amount, last.Amount))
		if i > 0 && before > 0 || a.Confidence <= .5 || a.Confidence >= 1 {
			t.Fatalf("%+v after %+v", a, last)
		}
		last = a
	}
	for g, n := range left {
		if n != 0 {
			t.Errorf("%+v differs by %d cents", g, n)
		}
	}
}

func order(a snapshot.FederalAward) []string {
	return []string{a.EIN, fmt.Sprint(a.FiscalYear), a.Kind, a.AwardingAgency, a.Program}
}

// register finds by name, state and ZIP as written, and counts the questions.
type register struct {
	known map[string]ein.EIN
	asked []string
}

func (r *register) Find(name, state, zip string) (ein.EIN, float64, bool) {
	key := name + "|" + state + "|" + zip
	r.asked = append(r.asked, key)
	e, ok := r.known[key]
	return e, .97, ok
}

func TestState(t *testing.T) {
	t.Parallel()
	reg := &register{known: map[string]ein.EIN{"LANTERN HOUSE|VT|": 70000001, "LANTERN HOUSE|NY|10001": 70000002}}
	s := NewState(reg)
	for _, c := range []struct {
		state string
		award stateaward.Award
	}{
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Agency: "Arts", Program: "Grants", Category: "Grant", Amount: 100, Date: "2023-11-30"}},
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Agency: "Arts", Program: "Grants", Category: "Grant", Amount: 250, Date: "2024-02-28"}},
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", State: "NY", ZIP: "10001-2345", FiscalYear: 2024, Agency: "Arts", Amount: 1, ID: "p1"}},
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", State: "New York", ZIP: "10001", FiscalYear: 2024, Agency: "Arts", Amount: 2, ID: "p1"}},
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", State: "Ontario", FiscalYear: 2024, Amount: 4}},
		{"VT", stateaward.Award{Payee: "SOMEBODY", FiscalYear: 2024, Amount: 8}},
		{"CT", stateaward.Award{Payee: "SOMEBODY", EIN: 70000001, FiscalYear: 2023, Agency: "Arts", Amount: -16, ID: "p1"}},
	} {
		s.Add(c.state, &c.award)
	}
	want := []snapshot.StateAward{
		{EIN: "070000001", State: "CT", FiscalYear: 2023, Agency: "Arts", Amount: -0.16, AwardCount: 1},
		{EIN: "070000001", State: "VT", FiscalYear: 2024, Agency: "Arts", Program: "Grants", Category: "Grant", Amount: 3.5, AwardCount: 2},
		{EIN: "070000002", State: "VT", FiscalYear: 2024, Agency: "Arts", Amount: 0.03, AwardCount: 1},
	}
	if got := slices.Collect(s.Rows()); !slices.Equal(got, want) || s.Len() != len(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// Payments without an identifier are one row.
	wantAwards := []snapshot.GovAward{
		{EIN: "070000001", Level: "state", State: "VT", Kind: "Grant", Agency: "Arts", Program: "Grants", FiscalYear: 2024, Amount: 3.5, ActionDate: "2024-02-28", Basis: "name", Confidence: .97},
		{EIN: "070000001", Level: "state", State: "CT", Agency: "Arts", AwardID: "p1", FiscalYear: 2023, Amount: -.16, Basis: "ein", Confidence: .99},
		{EIN: "070000002", Level: "state", State: "VT", Agency: "Arts", AwardID: "p1", FiscalYear: 2024, Amount: .03, Basis: "name", Confidence: .97},
	}
	awards := slices.Collect(Awards(NewFederal(audits{}), s))
	if !slices.Equal(awards, wantAwards) {
		t.Errorf("got  %+v\nwant %+v", awards, wantAwards)
	}
	checkSums(t, awards, nil, want)
	if got, want := s.Outcome("VT"), (Outcome{Named: Flow{4, 353}, Unknown: Flow{2, 12}}); got != want {
		t.Errorf("VT %+v, want %+v", got, want)
	}
	if got, want := s.Outcome("CT"), (Outcome{Stated: Flow{1, -16}}); got != want {
		t.Errorf("CT %+v, want %+v", got, want)
	}
	if got := s.Outcome("ZZ"); got != (Outcome{}) {
		t.Errorf("ZZ %+v", got)
	}
	// A payee is looked for once.
	if want := []string{"LANTERN HOUSE|VT|", "LANTERN HOUSE|NY|10001", "SOMEBODY|VT|"}; !slices.Equal(reg.asked, want) {
		t.Errorf("asked %q, want %q", reg.asked, want)
	}
	none := NewState(nil)
	none.Add("VT", &stateaward.Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Amount: 1})
	if none.Len() != 0 || none.Outcome("VT").Unknown.Rows != 1 {
		t.Error("a payee was placed without a finder")
	}
}

// BenchmarkFederal says what a transaction costs once it is read.
func BenchmarkFederal(b *testing.B) {
	known := audits{}
	for i := range 1000 {
		known[fmt.Sprintf("EXAMPLE%05d", i)] = ein.EIN(70000001 + i)
	}
	list := make([]usaspending.Award, 10000)
	for i := range list {
		list[i] = usaspending.Award{Key: fmt.Sprint("ASST_NON_90CH0", i, "_7590"), UEI: fmt.Sprintf("EXAMPLE%05d", i%5000), FiscalYear: 2017 + i%9, Kind: "grant",
			Agency: "Department of Health and Human Services", Program: fmt.Sprint("93.", i%700, " EXAMPLE PROGRAM"), Amount: money.Cents(i)}
	}
	b.ReportAllocs()
	for b.Loop() {
		f := NewFederal(known)
		for j := range list {
			f.Add(&list[j])
		}
	}
	b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "awards/s")
}
