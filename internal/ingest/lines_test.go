package ingest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/stage"
)

func TestInternerGivesEachStringOneNumber(t *testing.T) {
	t.Parallel()
	in := newInterner()
	for i := range 5000 {
		s := fmt.Appendf(nil, "string %d", i%1700)
		if i%1700 == 0 {
			s = nil
		}
		if id := in.id(s); id != uint32(i%1700) || in.at(id) != string(s) {
			t.Fatalf("%q has number %d and reads %q", s, id, in.at(id))
		}
	}
	if in.len() != 1700 {
		t.Errorf("%d strings", in.len())
	}
}

// TestInternersJoin holds that strings that came by parts have the numbers they
// would have had without.
func TestInternersJoin(t *testing.T) {
	t.Parallel()
	alone, joined, own := newInterner(), newInterner(), newInterner()
	for part := range 7 {
		own.reset()
		var ids, want []uint32
		for i := range 900 {
			s := fmt.Appendf(nil, "string %d", i*i%(50+500*part))
			want = append(want, alone.id(s))
			ids = append(ids, own.id(s))
		}
		if got := appendRenumbered(nil, ids, joined.join(own)); !slices.Equal(got, want) {
			t.Errorf("part %d has other numbers", part)
		}
	}
	alone.freeze()
	joined.freeze()
	for i := range alone.len() {
		if alone.at(uint32(i)) != joined.at(uint32(i)) {
			t.Errorf("string %d is %q, not %q", i, joined.at(uint32(i)), alone.at(uint32(i)))
		}
	}
}

// TestInternerKeepsStringsOfAnyLength holds that strings are kept whole wherever
// the blocks end, before and after a reset.
func TestInternerKeepsStringsOfAnyLength(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	in, whole := newInterner(), newInterner()
	for round := range 4 {
		in.reset()
		var want []string
		for i := range 60 {
			s := fmt.Sprintf("%d %d ", round, i) + strings.Repeat(string(rune('a'+i%26)), r.IntN(1<<(8+r.IntN(15))))
			if i == 7 {
				s = ""
			}
			if id := in.id([]byte(s)); int(id) != len(want) {
				t.Fatalf("the string of %d bytes has number %d, not %d", len(s), id, len(want))
			}
			want = append(want, s)
		}
		for k, id := range whole.join(in) {
			if in.at(uint32(k)) != want[k] || whole.at(id) != want[k] {
				t.Fatalf("string %d of round %d, of %d bytes, is another one", k, round, len(want[k]))
			}
		}
	}
}

func TestRecipientKeyRoundTrip(t *testing.T) {
	t.Parallel()
	check := func(l stage.Line, e uint32) bool {
		cleanLine(&l)
		l.EIN = fmt.Sprintf("%09d", e%1_000_000_000)
		filed, _ := ein.Filed(l.EIN)
		key := recipientKey(appendRecipientKey(nil, &l))
		want := resolve.Recipient{Name1: l.Name1, Name2: l.Name2, Person: l.Person, Street: l.Street, City: l.City, State: l.State, ZIP: l.ZIP, Country: l.Country,
			TaxStatus: resolve.ReadTaxStatus(cmp.Or(l.Section, l.Status)), Filed: filed}
		names, city, state, zip := key.nameAndPlace()
		return key.split() == want && key.foreign() == (l.Country != "") && state == l.State && zip == l.ZIP && city == l.City &&
			names == strings.Join([]string{l.Name1, l.Name2, l.Person}, string(separator))
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		line stage.Line
		want lineAccount // beyond two rows of 50 dollars in all
		row  bool
	}{
		{"a grant", stage.Line{Name1: "Dellwood Food Bank", Cash: 100}, lineAccount{}, true},
		{"without a name it is still money paid", stage.Line{Cash: 100}, lineAccount{}, true},
		{"zero", stage.Line{Name1: "Dellwood Food Bank"}, lineAccount{Zero: 1}, false},
		{"empty group", stage.Line{}, lineAccount{Empty: 1}, false},
		{"goods", stage.Line{Name1: "Dellwood Food Bank", NonCash: 9}, lineAccount{NonCash: 1}, false},
		{"cash and goods", stage.Line{Name1: "Dellwood Food Bank", Cash: 1, NonCash: 9}, lineAccount{}, true},
		{"refund", stage.Line{Name1: "Dellwood Food Bank", Cash: -5}, lineAccount{Negative: 1, NegativeSum: -5}, false},
		{"beyond belief", stage.Line{Name1: "Dellwood Food Bank", Cash: maxAmount + 1}, lineAccount{TooLarge: 1}, false},
		{"the total", stage.Line{Name1: "Total", Cash: 50}, lineAccount{Total: 1}, false},
		{"a total that is none", stage.Line{Name1: "Total", Cash: 60}, lineAccount{}, true},
		{"a name that begins so", stage.Line{Name1: "Total Arts Collective", Cash: 50}, lineAccount{}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := &lines{}
			acc := lineAccount{Rows: 2, Sum: 50}
			if row := g.isGrant(&tc.line, 0, &acc); row != tc.row {
				t.Errorf("admitted: %v", row)
			}
			tc.want.Rows, tc.want.Sum, tc.want.Goods = 2, 50, tc.line.NonCash
			if tc.line.NonCash != 0 {
				tc.want.GoodsLines = 1
			}
			if acc != tc.want {
				t.Errorf("counted %+v, want %+v", acc, tc.want)
			}
			if (len(g.adjustments) == 1) != (tc.line.Cash < 0) {
				t.Errorf("%d adjustments", len(g.adjustments))
			}
		})
	}
}

func TestListsFiledTwiceAreHalved(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		amounts  []int64
		declared int64
		want     []int64
	}{
		{"twice over", []int64{10, 20, 10, 20}, 30, []int64{10, 20}},
		{"within two percent", []int64{1000, 2000, 1000, 2000}, 3050, []int64{1000, 2000}},
		{"declared as listed", []int64{10, 20, 10, 20}, 60, []int64{10, 20, 10, 20}},
		{"one line differs", []int64{10, 20, 10, 21}, 30, []int64{10, 20, 10, 21}},
		{"two gifts a year", []int64{10, 10}, 20, []int64{10, 10}},
		{"four times", []int64{5, 5, 5, 5}, 10, []int64{5, 5}},
		{"not declared", []int64{10, 10}, -1, []int64{10, 10}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			filings := []filing{{declared: tc.declared}}
			g := &lines{}
			acc := &filings[0].account
			for i, a := range tc.amounts {
				g.filing, g.origin, g.part = append(g.filing, 0), append(g.origin, 0), append(g.part, 1)
				g.line, g.recipientNo, g.relationNo = append(g.line, uint32(i)), append(g.recipientNo, uint32(a)), append(g.relationNo, 0)
				g.purpose, g.amount = append(g.purpose, 0), append(g.amount, a)
				acc.Rows++
				acc.Sum += a
			}
			g.halveIfDoubled(filings, 0)
			if !slices.Equal(g.amount, tc.want) {
				t.Errorf("kept %v, want %v", g.amount, tc.want)
			}
			var sum int64
			for _, a := range g.amount {
				sum += a
			}
			if acc.Sum != sum || int(acc.Rows) != len(g.amount) || int(acc.Repeated) != len(tc.amounts)-len(tc.want) {
				t.Errorf("account %+v", *acc)
			}
		})
	}
}

// TestCompleteYear tells the build what its two years of filers cannot.
func TestCompleteYear(t *testing.T) {
	t.Parallel()
	sources, data := sample().lay(t), t.TempDir()
	for _, tc := range []struct {
		told, want int
		partial    []int
	}{{0, 2021, nil}, {2020, 2020, []int{2021}}, {2022, 2021, nil}, {2019, 0, []int{2020, 2021}}} {
		got := run(t, Options{Sources: sources, Data: data, Complete: tc.told}).Snapshot.Manifest.Counts
		if got.LastCompleteYear != tc.want || !slices.Equal(got.PartialFiscalYear, tc.partial) {
			t.Errorf("told %d: complete %d, partial %v; want %d, %v", tc.told, got.LastCompleteYear, got.PartialFiscalYear, tc.want, tc.partial)
		}
	}
}

func TestLastCompleteYear(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		filers []int64
		want   int
	}{
		{[]int64{100, 100, 100, 60, 20}, 2012},
		{[]int64{100, 100, 96}, 2012},
		{[]int64{100, 100, 94}, 2011},
		{[]int64{100, 100, 100, 1, 1, 1}, 2012},
		{[]int64{100, 100, 100, 60, 62, 81}, 2015},
		{[]int64{100, 100, 100, 60, 62, 79}, 2012},
		{[]int64{100}, 2010},
		{nil, 0},
	} {
		var years []YearCount
		for i, n := range tc.filers {
			years = append(years, YearCount{FiscalYear: 2010 + i, Filers: n})
		}
		if got := lastComplete(years); got != tc.want {
			t.Errorf("%v: %d, want %d", tc.filers, got, tc.want)
		}
	}
}
