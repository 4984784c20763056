package graph

import (
	"math/rand/v2"
	"testing"
)

func TestTally(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, years := range []int{1, 7, 8, 9, 10, 16, 17, 63, 64} {
		g := &Graph{yearList: make([]int32, years)}
		sum, want := g.tally(), tally{}
		for part := range 4 {
			some := g.tally()
			for range 254 + part {
				mask := r.Uint64() & r.Uint64() & (^uint64(0) >> (64 - years))
				some.add(mask)
				if mask != 0 {
					want.n++
				}
				for y := range years {
					want.byYear[y] += int64(mask >> y & 1)
				}
			}
			sum.merge(&some)
		}
		if sum.n != want.n || sum.byYear != want.byYear {
			t.Errorf("%d years: %d masks, by year %v; want %d, %v", years, sum.n, sum.byYear, want.n, want.byYear)
		}
	}
}
