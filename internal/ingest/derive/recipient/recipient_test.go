package recipient

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

func TestNames(t *testing.T) {
	t.Parallel()
	n := NewNames(func(e ein.EIN) bool { return e < 90000005 })
	for _, p := range []struct {
		e      ein.EIN
		name   string
		amount int64
	}{
		{90000001, "HARLOW CNTY LIBRARY", 1}, {90000001, "HARLOW COUNTY LIBRARY", 1}, {90000001, "HARLOW CNTY LIBRARY", 1},
		{90000002, "MAPLE SHELTER", 1}, {90000003, "A STATE UNIVERSITY", 1},
		{90000006, "OAK CLUB", 30}, {90000006, "THE OAK CLUB", 20}, {90000006, "THE OAK CLUB", 20}, {90000006, "OAK CLUB", 20},
		{90000007, "ELM CLUB", 1}, {90000007, "ELM CLUB INC", 1},
		{90000008, "ASH UNIVERSITY", 10}, {90000008, "ASH UNIVERSITY COLLEGE OF MEDICINE", 500},
		{90000009, "YEW UNIVERSITY", 10}, {90000009, "YEW UNIVERSITY FOUNDATION", 500},
		{ein.None, "NOBODY", 1},
	} {
		n.AddSpelling(p.e, p.name, p.amount)
	}
	n.AddKnownName(90000001, "HARLOW COUNTY LIBRARY", Register)
	n.AddKnownName(90000001, "HARLOW COUNTY PUBLIC LIBRARY", OwnFiled)
	n.AddKnownName(90000001, "LATER AND WEAKER", Register)
	n.AddKnownName(90000002, "MAPLE STREET SHELTER", Register)
	n.AddKnownName(90000003, "A STATE UNIVERSITY", Filed)
	n.AddKnownName(90000004, "NEVER PAID", OwnFiled)
	want := []snapshot.RecipientName{
		{EIN: "090000001", Name: "HARLOW COUNTY PUBLIC LIBRARY", Source: OwnFiled, Spellings: 2},
		{EIN: "090000002", Name: "MAPLE STREET SHELTER", Source: Register, Spellings: 1},
		{EIN: "090000003", Name: "A STATE UNIVERSITY", Source: Filed, Spellings: 1},
		{EIN: "090000006", Name: "OAK CLUB", Source: Filed, Spellings: 2},
		{EIN: "090000007", Name: "ELM CLUB INC", Source: Filed, Spellings: 2},
		{EIN: "090000008", Name: "ASH UNIVERSITY", Source: Filed, Spellings: 2},
		{EIN: "090000009", Name: "YEW UNIVERSITY FOUNDATION", Source: Filed, Spellings: 2},
	}
	if got := slices.Collect(n.Rows()); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestSpellings counts enough spellings for the table to grow several times.
func TestSpellings(t *testing.T) {
	t.Parallel()
	n := NewNames(func(ein.EIN) bool { return true })
	for range 2 {
		for e := range 300 {
			for i := range e {
				n.AddSpelling(ein.EIN(90000000+e), fmt.Sprint("NAME ", i), 1)
			}
		}
	}
	i := int32(0)
	for row := range n.Rows() {
		if i++; row.Spellings != i {
			t.Fatalf("%+v, want %d spellings", row, i)
		}
	}
}

// TestSpellingsInAnyOrder holds the count of spellings, and which is the usual
// one, against maps, for lines that repeat the one before them and lines that do
// not.
func TestSpellingsInAnyOrder(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(7, 8))
	n := NewNames(func(e ein.EIN) bool { return e%2 == 0 })
	called := map[ein.EIN]map[string]int64{}
	for range 5000 {
		e, name := ein.EIN(90000000+draw.IntN(4)), fmt.Sprint("NAME ", draw.IntN(3))
		amount := draw.Int64N(100)
		n.AddSpelling(e, name, amount)
		if called[e] == nil {
			called[e] = map[string]int64{}
		}
		called[e][name] += amount
	}
	for row := range n.Rows() {
		e, err := ein.Parse(row.EIN)
		want := snapshot.RecipientName{EIN: row.EIN, Source: Filed, Spellings: int32(len(called[e]))}
		if e%2 != 0 {
			want.Name = UsualSpelling(called[e])
		}
		if err != nil || row != want {
			t.Errorf("got %+v, want %+v, %v", row, want, err)
		}
	}
}

func TestAbroad(t *testing.T) {
	t.Parallel()
	var a Abroad
	a.Add("UK", "OAK TRUST", "intl-uk-aaa", false)
	a.Add("UK", "OAK TRUST LTD", "intl-uk-aaa", false)
	a.Add("UK", "OAK TRUST LTD", "intl-uk-aaa", false)
	a.Add("MX", "AYUNTAMIENTO DE SAN LUCAS", "intl-mx-bbb", false)
	a.Add("FR", "ADA WINTERGREEN", "nm-0123456789ab", true)
	a.Add("FR", "ADA WINTERGREEN", "nm-0123456789ac", true)
	want := []snapshot.IntlEntity{
		{Country: "FR", RecipientRaw: "ADA WINTERGREEN", ClusterID: "nm-0123456789ab", CanonicalName: "ADA WINTERGREEN", Kind: Person},
		{Country: "FR", RecipientRaw: "ADA WINTERGREEN", ClusterID: "nm-0123456789ac", CanonicalName: "ADA WINTERGREEN", Kind: Person},
		{Country: "MX", RecipientRaw: "AYUNTAMIENTO DE SAN LUCAS", ClusterID: "mx-bbb", CanonicalName: "AYUNTAMIENTO DE SAN LUCAS", Kind: Gov},
		{Country: "UK", RecipientRaw: "OAK TRUST", ClusterID: "uk-aaa", CanonicalName: "OAK TRUST LTD", Kind: Org},
		{Country: "UK", RecipientRaw: "OAK TRUST LTD", ClusterID: "uk-aaa", CanonicalName: "OAK TRUST LTD", Kind: Org},
	}
	if got := slices.Collect(a.Rows(func(id string) bool { return id == "intl-mx-bbb" })); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

// BenchmarkNames takes two million lines naming a hundred thousand recipients.
func BenchmarkNames(b *testing.B) {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("THE ORGANIZATION NUMBER %d", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		n := NewNames(func(ein.EIN) bool { return true })
		for i := range 2_000_000 {
			n.AddSpelling(ein.EIN(90000000+i*7919%100_000), names[i%len(names)], 1)
		}
		for range n.Rows() {
		}
	}
}
