package quality_test

import (
	"math"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/prospect/quality"
)

// TestMeasure measures a small world: the figures are shares, deeper lists have no
// less, the parts are the whole, and fitted weights are used.
func TestMeasure(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	p, err := profile.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	o := quality.Options{Year: s.Manifest.Counts.LastCompleteYear, Targets: 150, Weights: &prospect.Fitted}
	res, err := quality.Measure(t.Context(), s, g, p, o)
	if err != nil {
		t.Fatal(err)
	}
	all := res.Parts[0]
	targets, pairs := 0, 0
	for i, x := range res.Parts {
		for _, r := range []quality.Recall{x.Prospects, x.Baseline} {
			if r.At5 < 0 || r.At5 > r.At20 || r.At20 > r.At50 || r.At50 > 1 {
				t.Errorf("%s: %+v", x.Funders, r)
			}
		}
		if x.Prospects.At50 > x.Listed {
			t.Errorf("%s: more are among the first 50 than in the list: %+v", x.Funders, x)
		}
		if i > 0 {
			targets, pairs = targets+x.Targets, pairs+x.Pairs
		}
	}
	if targets != all.Targets || pairs != all.Pairs || all.Pairs < all.Targets || all.Targets == 0 || all.Targets > o.Targets || all.Prospects.At20 <= 0 {
		t.Errorf("the parts have %d organizations and %d pairs, all is %+v", targets, pairs, all)
	}
	var text strings.Builder
	if err := res.Print(&text, false); err != nil || !strings.Contains(text.String(), "| all |") || !strings.Contains(text.String(), `{"year":`) {
		t.Errorf("%v: %s", err, &text)
	}
	o.Targets = 40
	w, err := quality.Fit(t.Context(), s, g, p, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range w {
		if math.IsNaN(x) || x*float64(prospect.Ways[i]) < 0 {
			t.Errorf("%s has the weight %f", prospect.Names[i], x)
		}
	}
	o.Year = 1900
	if _, err := quality.Measure(t.Context(), s, g, p, o); err == nil {
		t.Error("a year without grants is measured")
	}
	if _, err := quality.Fit(t.Context(), s, g, p, o); err == nil {
		t.Error("weights are fitted to years without grants")
	}
}
