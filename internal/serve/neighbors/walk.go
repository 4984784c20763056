package neighbors

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Walk goes from an organization to its parties and on to theirs, its neighbors.
type Walk struct {
	Self   []uint32                                 // numbers of the organization among the neighbors
	Degree func(party uint32) int                   // neighbors of a party
	Edges  func(party uint32) int                   // cost of visiting them
	Append func(to []uint32, party uint32) []uint32 // appends them, each once
}

type Found struct {
	ID     uint32
	Shared int
	Weight float64
}

const (
	partiesAtOnce = 1 << 12 // parties between two checks of the context
	mostDegree    = 1 << 14 // neighbors from which on parties are not told apart
	// smoothing keeps a single shared party from looking like a perfect match.
	smoothing = 0.5
)

// Closest finds the closest neighbors, within the budget through the parties with the fewest neighbors.
func (w *Walk) Closest(ctx context.Context, parties []uint32, limit, budget int) (closest []Found, n Neighbors, err error) {
	n.Parties = len(parties)
	most, rest, cost := w.mostNeighbors(parties, budget)
	pairs := make([]uint64, 0, cost) // number of the neighbor, and the weight of the party as bits
	var around []uint32
	var total float64
	for i, p := range parties {
		if i%partiesAtOnce == 0 && ctx.Err() != nil {
			return nil, Neighbors{}, ctx.Err()
		}
		d := w.Degree(p)
		if d > most {
			continue
		}
		if d == most {
			if rest -= w.Edges(p); rest < 0 {
				continue
			}
		}
		n.Examined++
		weight := float32(1 / math.Log2(1+float64(d)))
		total += float64(weight)
		around = w.Append(around[:0], p)
		for _, id := range around {
			if !slices.Contains(w.Self, id) {
				pairs = append(pairs, uint64(id)<<32|uint64(math.Float32bits(weight)))
			}
		}
	}
	slices.Sort(pairs)
	for from := 0; from < len(pairs); {
		to, id, sum := from, pairs[from]>>32, 0.0
		for ; to < len(pairs) && pairs[to]>>32 == id; to++ {
			sum += float64(math.Float32frombits(uint32(pairs[to])))
		}
		closest = Keep(closest, limit, Found{uint32(id), to - from, sum / (total + smoothing)})
		n.Total++
		from = to
	}
	return closest, n, nil
}

// Keep adds a neighbor to a list of at most limit entries, closest first.
func Keep(list []Found, limit int, x Found) []Found {
	compare := func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.ID, b.ID))
	}
	if len(list) >= limit && (limit <= 0 || compare(list[len(list)-1], x) < 0) {
		return list
	}
	i, _ := slices.BinarySearchFunc(list, x, compare)
	list = slices.Insert(list, i, x)
	return list[:min(len(list), limit)]
}

// mostNeighbors finds the most neighbors that a visited party may have, the budget left for those
// with exactly that many, and the most that all of them cost.
func (w *Walk) mostNeighbors(parties []uint32, budget int) (most, rest, cost int) {
	costs := make([]int, mostDegree+1)
	for _, p := range parties {
		if d := w.Degree(p); d <= mostDegree {
			costs[d] += w.Edges(p)
		}
	}
	for d, c := range costs {
		if cost+c > budget {
			return d, budget - cost, budget
		}
		cost += c
	}
	return mostDegree, costs[mostDegree], cost
}
