package board

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

func alone(e ein.EIN) ein.EIN { return e }

// populate fills the country with boards of invented people, so that names have
// frequencies: the first ones are common, the last ones rare. The states are
// S0 to S9, each with ten ZIP code areas.
func populate(b *Builder, orgs, seats int) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range orgs {
		e := ein.EIN(70000001 + i)
		b.AddOrg(e, fmt.Sprint("S", i%10), fmt.Sprint("TOWN ", i/10%30), fmt.Sprintf("%d%d%03d", i%10, i/10%10, i%1000))
		for range seats {
			b.AddOfficer(e, given(r)+" "+surname(r))
		}
	}
}

func given(r *rand.Rand) string   { return letters("GIVEN", int(r.ExpFloat64()*12)) }
func surname(r *rand.Rand) string { return letters("SUR", int(r.ExpFloat64()*r.ExpFloat64()*800)) }

// letters spells a number without digits.
func letters(prefix string, n int) string {
	for {
		prefix += string(rune('A' + n%26))
		if n /= 26; n == 0 {
			return prefix
		}
	}
}

func find(links []snapshot.BoardLink, e1, e2 string) (snapshot.BoardLink, bool) {
	for _, l := range links {
		if l.E1 == e1 && l.E2 == e2 {
			return l, true
		}
	}
	return snapshot.BoardLink{}, false
}

func TestLinks(t *testing.T) {
	t.Parallel()
	b := New(nil)
	populate(b, 4000, 8)
	place := func(e ein.EIN, state, city, zip string, people ...string) {
		b.AddOrg(e, state, city, zip)
		for _, p := range people {
			b.AddOfficer(e, p)
		}
	}
	common := "GIVENA SURA" // the commonest first and last name of the country
	place(80000001, "S1", "OAKTON", "12345", common, "ZENOBIA QUILLFEATHER", "OTTO WINTERGREEN JR", "ILSE A BRAMBLE")
	place(80000002, "S2", "ELMTON", "22345", common)
	place(80000003, "S1", "OAKTON", "12399", "Quillfeather, Zenobia", "OTTO WINTERGREEN SR", "ILSE B BRAMBLE")
	place(80000004, "S1", "ASHTON", "11111", "ZENOBIA QUILLFEATHER")
	links := slices.Collect(b.Links(alone))

	if l, ok := find(links, "080000001", "080000002"); ok {
		t.Errorf("the commonest name in two states: %+v", l)
	}
	l, ok := find(links, "080000001", "080000003")
	if !ok || l.Conf <= .9 || l.SharedPeople < 1 || !l.SameState {
		t.Errorf("a rare name in one town: %+v", l)
	}
	if l.SharedPeople+l.PossibleSharedPeople > 2 {
		t.Errorf("father and son are counted as one: %+v", l)
	}
	if l, ok := find(links, "080000001", "080000004"); !ok || l.SharedPeople != 1 || l.PossibleSharedPeople != 0 {
		t.Errorf("a rare name in one state: %+v", l)
	}
	if !slices.IsSortedFunc(links, func(x, y snapshot.BoardLink) int { return strings.Compare(x.E1+x.E2, y.E1+y.E2) }) {
		t.Error("links are not sorted")
	}
	for _, l := range links {
		if l.E1 >= l.E2 || l.Conf < keptFrom || l.Conf > 1 || l.SharedPeople+l.PossibleSharedPeople < 1 {
			t.Fatalf("%+v", l)
		}
	}
}

// TestFamilies: a family is one board, whose links stand under its head.
func TestFamilies(t *testing.T) {
	t.Parallel()
	b := New(nil)
	populate(b, 2000, 6)
	for e := ein.EIN(80000001); e <= 80000004; e++ {
		b.AddOrg(e, "S1", "OAKTON", "12345")
		b.AddOfficer(e, "ZENOBIA QUILLFEATHER")
	}
	head := func(e ein.EIN) ein.EIN {
		switch e {
		case 80000002, 80000003:
			return 80000003
		case 80000001, 80000004:
			return 89999999 // has no board of its own
		}
		return e
	}
	var got []snapshot.BoardLink
	for l := range b.Links(head) {
		if strings.HasPrefix(l.E1, "08") || strings.HasPrefix(l.E2, "08") {
			got = append(got, l)
		}
	}
	if len(got) != 1 || got[0].E1 != "080000001" || got[0].E2 != "080000003" || got[0].SharedPeople != 1 {
		t.Errorf("%+v", got)
	}
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p     []float64
		large bool
		want  snapshot.BoardLink
	}{
		{[]float64{.9}, false, snapshot.BoardLink{SharedPeople: 1, Conf: .9}},
		{[]float64{.6}, false, snapshot.BoardLink{SharedPeople: 1, Conf: .42}},
		{[]float64{.2}, false, snapshot.BoardLink{PossibleSharedPeople: 1, Conf: .14}},
		{[]float64{.2, .5}, false, snapshot.BoardLink{SharedPeople: 1, PossibleSharedPeople: 1, Conf: .6}},
		{[]float64{.2, .5}, true, snapshot.BoardLink{SharedPeople: 1, PossibleSharedPeople: 1, Conf: .3}},
	} {
		var hits []hit
		for _, p := range c.p {
			hits = append(hits, hit{p: p})
		}
		if got := weigh(hits, c.large); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.p, got, c.want)
		}
	}
}

// TestProbability holds the factors of the evidence.
func TestProbability(t *testing.T) {
	t.Parallel()
	c := &nameCounts{total: 1000, state: []float64{0, 100, 900}}
	const share = .01 // one of a hundred bears the name
	oak, ash := site{state: 1, city: 1, zip3: 7}, site{state: 1, city: 2, zip3: 8}
	elm := site{state: 2, city: 3, zip3: 9}
	for _, x := range []struct {
		a, z   member
		others float64
	}{
		{member{at: &oak}, member{at: &ash}, 1},
		{member{at: &oak}, member{at: &oak}, .3},
		{member{at: &oak}, member{at: &elm}, 20},
		{member{at: &oak, middle: 'Q'}, member{at: &oak, middle: 'Q'}, .3 * .25},
		{member{at: &oak, middle: 'Q'}, member{at: &oak, middle: 'R'}, .3 * 8},
		{member{at: &oak, middle: 'Q', generation: 2}, member{at: &oak}, .3},
		{member{at: &site{}}, member{at: &site{}}, 20},
	} {
		for _, got := range []float64{c.probability(share, &x.a, &x.z), c.probability(share, &x.z, &x.a)} {
			if want := chance(x.others); got < want-1e-9 || got > want+1e-9 {
				t.Errorf("%+v %+v: %v, want %v", x.a, x.z, got, want)
			}
		}
	}
	if p := c.probability(share, &member{at: &oak, generation: 1}, &member{at: &oak, generation: 2}); p != 0 {
		t.Errorf("senior and junior: %v", p)
	}
}

// TestRanking seats people of known identity, some of them on two boards, and
// asks how well the confidence tells true links from names in common.
func TestRanking(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	b := New(nil)
	const orgs = 3000
	boards := make([]map[int]string, orgs) // by person
	next := 0
	for i := range boards {
		boards[i] = map[int]string{}
		b.AddOrg(ein.EIN(70000001+i), fmt.Sprint("S", i%10), fmt.Sprint("TOWN ", i/10%30), fmt.Sprintf("%d%d%03d", i%10, i/10%10, i%1000))
		for range 4 + r.IntN(8) {
			boards[i][next] = given(r) + " " + surname(r)
			if r.IntN(2) == 0 {
				boards[i][next] += " JR"
			}
			next++
		}
		// One in ten of a neighbour's people sits here, too.
		if near := i - 10*(1+r.IntN(3)); near >= 0 {
			for _, p := range sortedKeys(boards[near]) {
				if r.IntN(10) == 0 {
					boards[i][p] = boards[near][p]
				}
			}
		}
	}
	seated := map[string][]int{} // by name, who sits where
	for i := range boards {
		for _, p := range sortedKeys(boards[i]) {
			b.AddOfficer(ein.EIN(70000001+i), boards[i][p])
			q, _ := parse(boards[i][p])
			seated[q.first+" "+q.last] = append(seated[q.first+" "+q.last], i)
		}
	}
	conf := map[[2]int]float64{}
	for l := range b.Links(alone) {
		var x, y int
		fmt.Sscan(strings.TrimLeft(l.E1, "0"), &x)
		fmt.Sscan(strings.TrimLeft(l.E2, "0"), &y)
		conf[[2]int{x - 70000001, y - 70000001}] = l.Conf
	}
	// Every pair that has a name in common is a candidate.
	var right, wrong []float64
	done := map[[2]int]bool{}
	for _, at := range seated {
		for _, x := range at {
			for _, y := range at {
				if x >= y || done[[2]int{x, y}] {
					continue
				}
				done[[2]int{x, y}] = true
				one := false
				for p := range boards[x] {
					if _, ok := boards[y][p]; ok {
						one = true
					}
				}
				if one {
					right = append(right, conf[[2]int{x, y}])
				} else {
					wrong = append(wrong, conf[[2]int{x, y}])
				}
			}
		}
	}
	auc := area(right, wrong)
	t.Logf("%d true links, %d names in common, AUC %.4f", len(right), len(wrong), auc)
	if auc < .95 {
		t.Errorf("AUC %.4f", auc)
	}
}

func sortedKeys(m map[int]string) []int { return slices.Sorted(maps.Keys(m)) }

// area is the probability that a true link is ranked above a false one.
func area(right, wrong []float64) float64 {
	slices.Sort(wrong)
	sum := 0.0
	for _, x := range right {
		below, _ := slices.BinarySearch(wrong, x)
		above := below
		for above < len(wrong) && wrong[above] == x {
			above++
		}
		sum += float64(below) + float64(above-below)/2
	}
	return sum / float64(len(right)) / float64(len(wrong))
}

// TestOrder: links do not depend on the order of what is told.
func TestOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 1))
	type sitting struct {
		e    ein.EIN
		name string
	}
	var all []sitting
	for i := range 500 {
		for range 6 {
			all = append(all, sitting{ein.EIN(70000001 + i), given(r) + " " + surname(r)})
		}
	}
	var first []snapshot.BoardLink
	for range 3 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		b := New(nil)
		for _, i := range r.Perm(500) {
			b.AddOrg(ein.EIN(70000001+i), fmt.Sprint("S", i%4), "", "")
		}
		for _, s := range all {
			b.AddOfficer(s.e, s.name)
		}
		got := slices.Collect(b.Links(alone))
		if first == nil {
			first = got
		}
		if len(got) == 0 || !slices.Equal(first, got) {
			t.Fatalf("%d links, then %d", len(first), len(got))
		}
	}
}

// BenchmarkLinks links a hundred thousand boards with eight hundred thousand
// seats.
func BenchmarkLinks(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	names := make([]string, 800_000)
	for i := range names {
		names[i] = given(r) + " " + surname(r)
	}
	b.ReportAllocs()
	for b.Loop() {
		x := New(nil)
		for i := range 100_000 {
			x.AddOrg(ein.EIN(70000001+i), fmt.Sprint("S", i%50), "", fmt.Sprintf("%05d", i))
		}
		for i, name := range names {
			x.AddOfficer(ein.EIN(70000001+i/8), name)
		}
		n := 0
		for range x.Links(alone) {
			n++
		}
		b.ReportMetric(float64(n), "links")
	}
}
