package prospect_test

import (
	"testing"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/prospect"
)

// TestScore changes one sign after the other: what speaks for a funder raises its
// score, and the score stays between 0 and 1.
func TestScore(t *testing.T) {
	t.Parallel()
	plain := graph.ProspectSigns{
		Walk: 0.1, Shared: 2, Recipients: 40, Fresh: 3, Sample: 40, InState: 4, InCounty: 1, InCause: 5, InCode: 1, InBoth: 1, YearsSince: 1, AmountGap: 1,
		HasState: true, HasCounty: true, HasCause: true, HasCode: true, HasWalk: true,
	}
	base := prospect.Fitted.Score(&plain)
	for name, change := range map[string]func(*graph.ProspectSigns){
		"closer":     func(s *graph.ProspectSigns) { s.Walk = 1 },
		"more":       func(s *graph.ProspectSigns) { s.Shared = 20 },
		"larger":     func(s *graph.ProspectSigns) { s.Recipients = 400 },
		"open":       func(s *graph.ProspectSigns) { s.Fresh = 30 },
		"state":      func(s *graph.ProspectSigns) { s.InState = 40 },
		"county":     func(s *graph.ProspectSigns) { s.InCounty = 40 },
		"cause":      func(s *graph.ProspectSigns) { s.InCause = 40 },
		"code":       func(s *graph.ProspectSigns) { s.InCode = 40 },
		"neighbor":   func(s *graph.ProspectSigns) { s.SameState = true },
		"next door":  func(s *graph.ProspectSigns) { s.SameCounty = true },
		"lately":     func(s *graph.ProspectSigns) { s.YearsSince = 0 },
		"of a size":  func(s *graph.ProspectSigns) { s.AmountGap = 0 },
		"everything": func(s *graph.ProspectSigns) { s.Walk, s.Recipients, s.Fresh, s.SameState = 1e6, 1e9, 1e9, true },
	} {
		s := plain
		change(&s)
		if got := prospect.Fitted.Score(&s); got <= base || got > 1 {
			t.Errorf("%s: %f is not more than %f", name, got, base)
		}
	}
	if got := prospect.Fitted.Score(&graph.ProspectSigns{}); got < 0 || got >= base {
		t.Errorf("nothing at all scores %f", got)
	}
}
