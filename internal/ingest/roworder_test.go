package ingest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortedByKey holds the order that the cores make together against a plain
// sort, in sizes around those at which the work is divided.
func TestSortedByKey(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 1000, 32<<10 - 1, 32 << 10, 100_003} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64N(uint64(n)/3 + 1)
		}
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		got := sortedByKey(n, func(row uint32) uint64 { return keys[row] }, func(a, b uint32) int { return cmp.Compare(a, b) })
		if !slices.Equal(got, want) {
			t.Errorf("%d rows are not in order", n)
		}
		got = sortedRows(n, func(a, b uint32) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
		if !slices.Equal(got, want) {
			t.Errorf("%d rows without keys are not in order", n)
		}
	}
}
