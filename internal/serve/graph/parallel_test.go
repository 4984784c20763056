package graph_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"grantgraph/internal/serve/graph"
)

// TestPanicInParts lets one part of the work panic: whoever asked for the work
// can recover, and nobody works on after that.
func TestPanicInParts(t *testing.T) {
	t.Parallel()
	cuts := make([]int, 101)
	for i := range cuts {
		cuts[i] = 10 * i
	}
	for _, at := range []int{0, 1, 57, 99} {
		var under atomic.Int64
		got := func() (p any) {
			defer func() { p = recover() }()
			_ = graph.BetweenCuts(t.Context(), cuts, func(i, from, to int) {
				under.Add(1)
				defer under.Add(-1)
				if i == at {
					panic("part of the work")
				}
			})
			return nil
		}()
		if said, ok := got.(string); !ok || !strings.HasPrefix(said, "part of the work") {
			t.Errorf("part %d: %v", at, got)
		}
		if n := under.Load(); n != 0 {
			t.Errorf("part %d: %d parts are still worked on", at, n)
		}
	}
}
