package ingest

import (
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
)

// TestKeptMatch holds that a match loses nothing by being kept in few bytes.
func TestKeptMatch(t *testing.T) {
	t.Parallel()
	check := func(m resolve.Match) {
		if got := keepMatch(m).match(); got != m {
			t.Errorf("%+v was kept as %+v", m, got)
		}
	}
	check(resolve.Match{})
	check(resolve.Match{Barred: true})
	for rule := resolve.None + 1; rule < resolve.Model; rule++ {
		check(resolve.Match{EIN: ein.EIN(340000009), Rule: rule, Prob: rule.Prob()})
	}
	for n := range 1001 {
		check(resolve.Match{EIN: ein.EIN(340000009), Rule: resolve.Model, Prob: model.Round(float64(n) / 1000)})
	}
}
