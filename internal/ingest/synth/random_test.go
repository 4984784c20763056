package synth

import (
	"math"
	"testing"

	"grantgraph/internal/ein"
)

func TestPowersAndLogarithms(t *testing.T) {
	t.Parallel()
	for _, n := range []uint64{1, 2, 3, 7, 100, 1_000, 17_445, 1 << 20, 123_456_789, 1 << 40, 1<<52 + 12345} {
		got := log2(n)
		if want := math.Log2(float64(n)) * one; math.Abs(float64(got)-want) > 4 {
			t.Errorf("log2(%d) = %d, want %.0f", n, got, want)
		}
		back := exp2(got)
		if diff := math.Abs(float64(back) - float64(n)); diff > 1+float64(n)/5000 {
			t.Errorf("exp2(log2(%d)) = %d", n, back)
		}
	}
}

func TestZipf(t *testing.T) {
	t.Parallel()
	const n, draws = 1000, 200_000
	var count [n]int
	r := rng{1}
	for range draws {
		k := zipf(r.next(), n, 5)
		count[k]++
	}
	// The first rank has 1/5 against 1/6 of the second and 1/105 of the 100th.
	if f := float64(count[0]) / float64(count[1]); f < 1.05 || f > 1.4 {
		t.Errorf("first to second rank is %.2f, want about 1.2", f)
	}
	if f := float64(count[0]) / (float64(count[95]+count[100]+count[105]) / 3); f < 13 || f > 30 {
		t.Errorf("first to hundredth rank is %.1f, want about 21", f)
	}
	for _, size := range []int{1, 2, 3} {
		for range 100 {
			if k := zipf(r.next(), size, 60); k < 0 || k >= size {
				t.Fatalf("zipf of %d gave %d", size, k)
			}
		}
	}
}

func TestQuantilesHitTheirAnchors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q    *quantiles
		p    float64
		want float64
	}{
		{&pfAmounts, .25, 1_000}, {&pfAmounts, .5, 2_500}, {&pfAmounts, .75, 10_000}, {&pfAmounts, .99, 500_000},
		{&siAmounts, .25, 9_105}, {&siAmounts, .5, 17_445}, {&siAmounts, .75, 50_000}, {&siAmounts, .99, 1_740_000},
	} {
		got := float64(c.q.at(uint64(c.p * (1 << 32))))
		if math.Abs(got-c.want) > c.want/500+1 {
			t.Errorf("quantile %.2f = %.0f, want %.0f", c.p, got, c.want)
		}
	}
	last := int64(0)
	for u := uint64(0); u < 1<<32; u += 1 << 22 {
		v := siAmounts.at(u)
		if v < last {
			t.Fatalf("quantiles fall at %d: %d after %d", u, v, last)
		}
		last = v
	}
}

func TestBlendIsEven(t *testing.T) {
	t.Parallel()
	var tenth [10]int
	r := rng{7}
	const draws = 100_000
	for range draws {
		tenth[blend(r.next(), r.next())*10>>32]++
	}
	for i, n := range tenth {
		if n < draws/10*9/10 || n > draws/10*11/10 {
			t.Errorf("tenth %d holds %d of %d", i, n, draws)
		}
	}
}

func TestRound2(t *testing.T) {
	t.Parallel()
	for in, want := range map[int64]int64{0: 0, 7: 7, 99: 99, 104: 100, 149: 150, 1_249: 1_200, 1_251: 1_300, 995: 1_000} {
		if got := round2(in); got != want {
			t.Errorf("round2(%d) = %d, want %d", in, got, want)
		}
	}
}

func TestPickBarReachesEveryAlternative(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	r := rng{3}
	for range 400 {
		seen[pickBar("one|two|three| four", r.next())]++
	}
	for _, w := range []string{"one", "two", "three", " four"} {
		if seen[w] < 50 {
			t.Errorf("%q was picked %d times of 400", w, seen[w])
		}
	}
	if len(seen) != 4 {
		t.Errorf("picked %v", seen)
	}
	if got := pickBar("alone", 1); got != "alone" {
		t.Errorf("pickBar of one = %q", got)
	}
}

func TestEINsAreDistinctAndNeverIssued(t *testing.T) {
	t.Parallel()
	w := newWorld(5, 20_000, testZIPs())
	issued := ein.Issued()
	seen := map[ein.EIN]int{}
	for _, base := range []int{idOrg, idSecond, idFunder, idFirm} {
		for i := range 20_000 {
			e := w.ein(base + i)
			if issued.Has(e) {
				t.Fatalf("%s has a prefix in use", e)
			}
			if other, dup := seen[e]; dup {
				t.Fatalf("%s belongs to %d and %d", e, other, base+i)
			}
			seen[e] = base + i
		}
	}
}

func TestSlipIsOneSlip(t *testing.T) {
	t.Parallel()
	r := rng{11}
	for i := range 5_000 {
		e := ein.EIN(70_000_000 + r.n(9_999_999))
		s := slip(e, &r)
		if s == e {
			t.Fatalf("slip %d of %s changed nothing", i, e)
		}
		a, b := e.String(), s.String()
		if !oneSlip(a, b) {
			t.Fatalf("%s and %s are not one slip apart", a, b)
		}
	}
}

// oneSlip: a substitution, an adjacent transposition, or a digit left out with
// another typed at the end.
func oneSlip(a, b string) bool {
	differ := 0
	for i := range 9 {
		if a[i] != b[i] {
			differ++
		}
	}
	if differ == 1 {
		return true
	}
	for i := range 8 {
		if a[:i] == b[:i] && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
			return true
		}
		if a[:i]+a[i+1:] == b[:8] {
			return true
		}
	}
	return false
}
