package cofund

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

func TestEdges(t *testing.T) {
	t.Parallel()
	var e Edges
	for _, g := range []Grant{
		{Funder: 70000001, Recipient: 90000002, RecipID: "ein-090000002", Year: 2019, Amount: 100},
		{Funder: 70000001, Recipient: 90000002, RecipID: "ein-090000002", Year: 2021, Amount: 50},
		{Funder: 70000001, RecipID: "intl-uk-zzz", Year: 2020, Amount: 7},
		{Funder: 70000001, RecipID: "intl-ca-aaa", Year: 2020, Amount: 8},
		{Funder: 70000001, RecipID: "nm-0123456789ab", Year: 2020, Amount: 9},
		{Funder: 70000001, RecipID: "nm-0123456789ac", Year: 2020, Amount: 9, Nobody: true},
		{Funder: 70000005, Recipient: 80000001, RecipID: "ein-080000001", Year: 2018, Amount: 1},
		{Funder: 70000005, Recipient: 90000002, RecipID: "ein-090000002", Year: 2018, Amount: 2},
		{Funder: 70000005, Recipient: 90000002, RecipID: "ein-090000002", Year: 2018, Amount: 2, Nobody: true},
		{Funder: 70000005, RecipID: "intl-uk-zzz", Year: 2017, Amount: 3},
	} {
		e.Add(&g)
	}
	got := slices.Collect(e.Domestic())
	want := []snapshot.CofunderEdge{
		{RecipientEIN: "080000001", FunderEIN: "070000005", FirstYear: 2018, LastYear: 2018, TotalAmount: 1, GrantCount: 1},
		{RecipientEIN: "090000002", FunderEIN: "070000001", FirstYear: 2019, LastYear: 2021, TotalAmount: 150, GrantCount: 2},
		{RecipientEIN: "090000002", FunderEIN: "070000005", FirstYear: 2018, LastYear: 2018, TotalAmount: 2, GrantCount: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	abroad := slices.Collect(e.Abroad())
	wantAbroad := []snapshot.CofunderEdgeIntl{
		{ClusterID: "ca-aaa", FunderEIN: "070000001", FirstYear: 2020, LastYear: 2020, TotalAmount: 8, GrantCount: 1},
		{ClusterID: "uk-zzz", FunderEIN: "070000001", FirstYear: 2020, LastYear: 2020, TotalAmount: 7, GrantCount: 1},
		{ClusterID: "uk-zzz", FunderEIN: "070000005", FirstYear: 2017, LastYear: 2017, TotalAmount: 3, GrantCount: 1},
	}
	if !slices.Equal(abroad, wantAbroad) {
		t.Errorf("got %+v", abroad)
	}
}

// TestSums: no order of the grants changes the edges, and the edges hold every
// grant and dollar once.
func TestSums(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var grants []Grant
	var dollars, rows int64
	for range 5000 {
		g := Grant{Funder: ein.EIN(70000001 + r.IntN(40)), Year: 2010 + r.Int32N(10), Amount: r.Int64N(1000)}
		if r.IntN(3) == 0 {
			g.RecipID = fmt.Sprintf("intl-fr-%d", r.IntN(60))
		} else {
			g.Recipient = ein.EIN(90000001 + r.IntN(90))
		}
		grants = append(grants, g)
		dollars += g.Amount
		rows++
	}
	var first []snapshot.CofunderEdge
	var firstAbroad []snapshot.CofunderEdgeIntl
	for range 3 {
		r.Shuffle(len(grants), func(i, j int) { grants[i], grants[j] = grants[j], grants[i] })
		var e Edges
		for i := range grants {
			e.Add(&grants[i])
		}
		us, abroad := slices.Collect(e.Domestic()), slices.Collect(e.Abroad())
		d, n := dollars, rows
		for _, x := range us {
			d, n = d-x.TotalAmount, n-x.GrantCount
		}
		for _, x := range abroad {
			d, n = d-x.TotalAmount, n-x.GrantCount
		}
		if d != 0 || n != 0 {
			t.Fatalf("%d dollars and %d grants are in no edge", d, n)
		}
		if first == nil {
			first, firstAbroad = us, abroad
		}
		if !slices.Equal(first, us) || !slices.Equal(firstAbroad, abroad) {
			t.Fatal("the order of the grants changes the edges")
		}
	}
}

// BenchmarkEdges draws the edges of two million grants by twenty thousand
// funders.
func BenchmarkEdges(b *testing.B) {
	const rows = 2_000_000
	r := rand.New(rand.NewPCG(1, 2))
	grants := make([]Grant, rows)
	for i := range grants {
		grants[i] = Grant{Funder: ein.EIN(70000001 + i/100), Recipient: ein.EIN(90000001 + r.IntN(100_000)), Year: 2020, Amount: 5}
	}
	b.ReportAllocs()
	for b.Loop() {
		var e Edges
		for i := range grants {
			e.Add(&grants[i])
		}
		n := 0
		for range e.Domestic() {
			n++
		}
		b.ReportMetric(float64(n), "edges")
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "grants/s")
}
