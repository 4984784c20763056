package judged

import (
	"strings"
	"testing"
)

// TestSupport holds the patterns to what was judged by hand.
func TestSupport(t *testing.T) {
	t.Parallel()
	res, err := Support()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range res.Strategies {
		t.Logf("%-18s %2d judged, when drawn %v, %.3f now, %.3f kept", s.Name, s.Judged, s.Drawn, s.Now, s.Kept)
		if s.Judged < 15 || s.Now < leastPrecision || s.Kept < leastKept {
			t.Errorf("%+v", s)
		}
	}
	if !res.Passed || res.Judged < 450 {
		t.Errorf("%d judged, passed %v", res.Judged, res.Passed)
	}
	var b strings.Builder
	if err := res.WriteTable(&b); err != nil || strings.Count(b.String(), "\n") != len(res.Strategies)+4 {
		t.Errorf("%v\n%s", err, b.String())
	}
}
