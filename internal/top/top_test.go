package top_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/top"
)

// TestHeap compares with sorting, also for lists shorter than what is kept.
func TestHeap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, most := range []int{0, 1, 2, 7, 100} {
		for _, n := range []int{0, 1, 6, 7, 8, 500} {
			h := top.Heap[int]{Most: most, Order: func(a, b int) int { return cmp.Compare(b, a) }}
			all := r.Perm(n)
			for _, x := range all {
				h.Add(x)
			}
			slices.SortFunc(all, h.Order)
			if got, want := h.Sorted(), all[:min(most, n)]; !slices.Equal(got, want) {
				t.Errorf("the best %d of %d: %v, want %v", most, n, got, want)
			}
		}
	}
}
