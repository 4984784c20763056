package oracle

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/stem"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"--":                         "",
		"Housing, houses & a HOUSE!": " HOUS HOUS A HOUS ",
		"Class classes SEAS need":    " CLASS CLASS SEA NEED ",
		"CHILDREN'S Théâtre":         " CHILD S THEATR ",
		"NEEDED NEEDS NEEDING":       " NEED NEED NEED ",
		"pantries Pantry planning kids women AIDS": " PANTRI PANTRI PLAN KID WOMAN AIDS ",
		"Fish &amp; Chips 2020s":                   " FISH CHIP 2020 ",
		strings.Repeat("ab ", 1000):                strings.Repeat(" AB", 1000) + " ",
	} {
		if got := words(text); got != want {
			t.Errorf("words of %.40q are %.60q, want %.60q", text, got, want)
		}
	}
}

// FuzzWords holds this package's statement of words and stems against the
// graph's.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"Housing HOUSES house", "pantry PANTRIES planned kids scott wolves", "CHILDREN'S Théâtre", "ss ses classes", "a&amp;b \x00 ÅÄÖ ﬁne", "\xff\xfe x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<10 || strings.Contains(orgname.Fold(s), `"`) {
			return // a long text is folded in pieces, and a quote ends a phrase
		}
		var want string
		if q, ok := graph.ParseQuery(`"` + s + `"`); ok {
			for _, w := range q.Must[0].Words {
				want += " " + stem.Of(w)
			}
			want += " "
		}
		if got := words(s); got != want {
			t.Errorf("%q is %q here and %q in the graph", s, got, want)
		}
	})
}

// TestQuantiles holds the quantiles against their definition: the smallest
// sample that this share of the samples does not exceed.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 250; n++ {
		var x Times
		for i := range n {
			x.Samples = append(x.Samples, time.Duration(i+1))
		}
		for _, q := range []float64{0.5, 0.95, 0.99, 0.01 + 0.98*r.Float64()} {
			got := int(x.P(q))
			if float64(got) < q*float64(n)-1e-6 || float64(got-1) >= q*float64(n) {
				t.Errorf("quantile %g of 1..%d is %d", q, n, got)
			}
		}
		if x.Enough(0.95) != (n >= 20) || x.Enough(0.99) != (n >= 100) || !x.Enough(0.5) {
			t.Errorf("%d samples: %t, %t", n, x.Enough(0.95), x.Enough(0.99))
		}
	}
	if (&Times{}).P(0.5) != 0 || (&Times{}).Enough(0.5) {
		t.Error("no samples have no quantiles")
	}
}
