package award

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

func (a audits) Find(uei, duns string) (ein.EIN, bool) {
	if e, ok := a[uei]; ok {
		return e, true
	}
	e, ok := a[duns]
	return e, ok
}

func TestFederal(t *testing.T) {
	t.Parallel()
	f := NewFederal(audits{"EXAMPLE00001": 70000001, "070000002": 70000002})
	for _, a := range []usaspending.Award{
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: 10010},
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: -20020},
		{Key: "c", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: 5},
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2023, Kind: "grant", Agency: "HHS", Program: "93.600 HEAD START", Amount: 1},
		{Key: "k", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "contract", Agency: "DOD", Amount: 700},
		{Key: "b", UEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "ED", Program: "84.010", Amount: 3},
		{Key: "d", DUNS: "070000002", FiscalYear: 2017, Kind: "grant", Agency: "ED", Program: "84.010", Amount: 4},
		{Key: "e", UEI: "EXAMPLE00009", ParentUEI: "EXAMPLE00001", FiscalYear: 2024, Kind: "grant", Agency: "ED", Program: "84.010", Amount: 8},
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
		a := usaspending.Award{Key: fmt.Sprint("a", r.IntN(300)), UEI: fmt.Sprintf("EXAMPLE%05d", r.IntN(30)), FiscalYear: 2015 + r.IntN(13), Kind: []string{"grant", "contract"}[r.IntN(2)],
			Agency: fmt.Sprint("agency ", r.IntN(3)), Program: []string{"", "one", "two"}[r.IntN(3)], Amount: money.Cents(r.Int64N(2_000_000) - 500_000)}
		list = append(list, a)
		total += a.Amount
	}
	var first []snapshot.FederalAward
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

func order(a snapshot.FederalAward) []string {
	return []string{a.EIN, fmt.Sprint(a.FiscalYear), a.Kind, a.AwardingAgency, a.Program}
}

// register finds by name, state and ZIP as written, and counts the questions.
type register struct {
	known map[string]ein.EIN
	asked []string
}

func (r *register) Find(name, state, zip string) (ein.EIN, bool) {
	key := name + "|" + state + "|" + zip
	r.asked = append(r.asked, key)
	e, ok := r.known[key]
	return e, ok
}

func TestState(t *testing.T) {
	t.Parallel()
	reg := &register{known: map[string]ein.EIN{"LANTERN HOUSE|VT|": 70000001, "LANTERN HOUSE|NY|10001": 70000002}}
	s := NewState(reg)
	for _, c := range []struct {
		state string
		award stateaward.Award
	}{
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Agency: "Arts", Program: "Grants", Category: "Grant", Amount: 100}},
		{"VT", stateaward.Award{Payee: "LANTERN HOUSE", FiscalYear: 2024, Agency: "Arts", Program: "Grants", Category: "Grant", Amount: 250}},
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
