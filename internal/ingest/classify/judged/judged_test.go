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
	for _, s := range res.Kinds {
		t.Logf("%-18s %2d judged, when drawn %v, %.3f now, %.3f kept", s.Name, s.Judged, s.Drawn, s.Now, s.Kept)
		if s.Judged < 50 || s.Now < leastPrecision || s.Kept < leastKept {
			t.Errorf("%+v", s)
		}
	}
	if !res.Passed || res.Judged < 450 {
		t.Errorf("%d judged, passed %v", res.Judged, res.Passed)
	}
	var b strings.Builder
	if err := res.Print(&b, false); err != nil || strings.Count(b.String(), "\n") != len(res.Kinds)+5 {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestHoldings holds the words of the classes to what was judged by hand.
func TestHoldings(t *testing.T) {
	t.Parallel()
	res, err := Holdings()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range res.Kinds {
		t.Logf("%-18s %2d judged, when drawn %v, %.3f now, %.3f kept", k.Name, k.Judged, k.Drawn, k.Now, k.Kept)
		if k.Judged >= fewest && (k.Now < leastPrecision || k.Kept < leastKept) {
			t.Errorf("%+v", k)
		}
	}
	if !res.Passed || res.Judged < 600 {
		t.Errorf("%d judged, passed %v", res.Judged, res.Passed)
	}
}
