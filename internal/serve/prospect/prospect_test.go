package prospect_test

import (
	"testing"

	"grantgraph/internal/serve/prospect"
)

// TestScore changes one sign after the other: what speaks for a funder raises its
// score, and the score stays between 0 and 1.
func TestScore(t *testing.T) {
	t.Parallel()
	plain := prospect.Signs{
		Walk: 0.1, Shared: 2, Recipients: 40, Fresh: 3, Sample: 40, InState: 4, InCounty: 1, InCause: 5, InCode: 1, InBoth: 1, YearsSince: 1, AmountGap: 1,
		HasState: true, HasCounty: true, HasCause: true, HasCode: true, HasWalk: true,
	}
	base := prospect.Fitted.Score(&plain)
	for name, change := range map[string]func(*prospect.Signs){
		"closer":     func(s *prospect.Signs) { s.Walk = 1 },
		"more":       func(s *prospect.Signs) { s.Shared = 20 },
		"larger":     func(s *prospect.Signs) { s.Recipients = 400 },
		"open":       func(s *prospect.Signs) { s.Fresh = 30 },
		"state":      func(s *prospect.Signs) { s.InState = 40 },
		"county":     func(s *prospect.Signs) { s.InCounty = 40 },
		"cause":      func(s *prospect.Signs) { s.InCause = 40 },
		"code":       func(s *prospect.Signs) { s.InCode = 40 },
		"neighbor":   func(s *prospect.Signs) { s.SameState = true },
		"next door":  func(s *prospect.Signs) { s.SameCounty = true },
		"lately":     func(s *prospect.Signs) { s.YearsSince = 0 },
		"of a size":  func(s *prospect.Signs) { s.AmountGap = 0 },
		"everything": func(s *prospect.Signs) { s.Walk, s.Recipients, s.Fresh, s.SameState = 1e6, 1e9, 1e9, true },
	} {
		s := plain
		change(&s)
		if got := prospect.Fitted.Score(&s); got <= base || got > 1 {
			t.Errorf("%s: %f is not more than %f", name, got, base)
		}
	}
	if got := prospect.Fitted.Score(&prospect.Signs{}); got < 0 || got >= base {
		t.Errorf("nothing at all scores %f", got)
	}
}
