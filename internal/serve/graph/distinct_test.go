package graph

import (
	"math/rand/v2"
	"testing"
)

func TestTally(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, years := range []int{1, 7, 8, 9, 10, 16, 17, 63, 64} {
		g := &Graph{dict: dictionaries{years: make([]int32, years)}}
		sum, want := g.distinctCounter(), distinctCounter{}
		for part := range 8 {
			// In every other part all have every year, which fills a byte soonest.
			full := -uint64(part & 1)
			some := g.distinctCounter()
			for range 253 + part {
				mask := (r.Uint64() | full) & (^uint64(0) >> (64 - years))
				some.add(mask)
				if mask != 0 {
					want.n++
				}
				for y := range years {
					want.byYear[y] += int64(mask >> y & 1)
				}
			}
			sum.merge(&some, 1)
		}
		if sum.n != want.n || sum.byYear != want.byYear {
			t.Errorf("%d years: %d masks, by year %v; want %d, %v", years, sum.n, sum.byYear, want.n, want.byYear)
		}
	}
}
