package graph_test

import (
	"slices"
	"testing"
)

// TestHasCounty asks for the counties of a corpus. ZIP codes, which are five
// digits in the same table, are none.
func TestHasCounty(t *testing.T) {
	t.Parallel()
	c := random(7, 300)
	g := open(t, c.write(t, t.TempDir()))
	for _, code := range slices.Concat(counties, zips, []string{"00000", "17999", "0603", "060377", "CA"}) {
		want := false
		for _, r := range c.grants {
			want = want || code != "" && r.RecipientCounty == code
		}
		for _, f := range c.funders {
			want = want || code != "" && f.County == code
		}
		if got := g.HasCounty(code); got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}
}
