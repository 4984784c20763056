package plural_test

import (
	"testing"

	"grantgraph/internal/plural"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 cities", 1: "1 city", 2: "2 cities", -1: "-1 cities", 12345: "12,345 cities"} {
		if got := plural.Count(n, "city", "cities"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
