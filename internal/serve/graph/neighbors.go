package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"grantgraph/internal/ein"
)

// Neighbors are the organizations that have grants in common with one, at two
// steps in the graph.
type Neighbors struct {
	List     []Neighbor // closest first
	Total    int        // of them in all, among the parties that were looked at
	Examined int        // parties that were looked at
	Parties  int        // parties in all
}

// Neighbor is one of them.
type Neighbor struct {
	EIN               ein.EIN
	Name, City, State string
	Kind              string  // of a funder
	Shared            int     // parties in common
	Weight            float64 // share of what was looked at that is in common, from 0 to 1; parties that few have count for more
}

// neighborWork bounds the edges at the second step that are looked at for one
// question. A party with very many of them says the least about who belongs
// together, so those with few are taken first.
const neighborWork = 100_000

// Cofunders are the other funders of those that a funder gave to.
func (g *Graph) Cofunders(ctx context.Context, e ein.EIN, limit int) (Neighbors, error) {
	return g.cofunders(ctx, e, limit, neighborWork)
}

func (g *Graph) cofunders(ctx context.Context, e ein.EIN, limit, budget int) (Neighbors, error) {
	if err := g.begin(); err != nil {
		return Neighbors{}, err
	}
	defer g.mu.RUnlock()
	f, ok := g.findFunder(e)
	if !ok {
		return Neighbors{}, nil
	}
	recips := g.sums.giving.links[g.sums.giving.linkAt[f]:g.sums.giving.linkAt[f+1]]
	w := neighborWalk{
		self:   []uint32{f},
		degree: func(r uint32) int { return int(g.sums.recips[r].Others) },
		edges:  func(r uint32) int { return g.back.rows.len(r) },
		of:     g.appendFunders,
	}
	found, n, err := w.walk(ctx, recips, limit, budget)
	if err != nil {
		return Neighbors{}, err
	}
	r := g.reader()
	for _, f := range found {
		x := r.funder(f.id)
		n.List = append(n.List, Neighbor{EIN: x.EIN, Name: x.Name, City: x.City, State: x.State, Kind: x.Kind, Shared: f.shared, Weight: f.weight})
	}
	return n, nil
}

// SharingFunders are the organizations with an EIN that received from the
// funders of one.
func (g *Graph) SharingFunders(ctx context.Context, e ein.EIN, limit int) (Neighbors, error) {
	return g.sharingFunders(ctx, e, limit, neighborWork)
}

func (g *Graph) sharingFunders(ctx context.Context, e ein.EIN, limit, budget int) (Neighbors, error) {
	if err := g.begin(); err != nil {
		return Neighbors{}, err
	}
	defer g.mu.RUnlock()
	recips := g.recipsOf([]ein.EIN{e})
	var funders []uint32
	for _, r := range recips {
		funders = g.appendFunders(funders, r)
	}
	slices.Sort(funders)
	funders = slices.Compact(funders)
	links := func(f uint32) []uint32 { return g.sums.giving.links[g.sums.giving.linkAt[f]:g.sums.giving.linkAt[f+1]] }
	w := neighborWalk{
		self:   recips,
		degree: func(f uint32) int { return len(links(f)) },
		edges:  func(f uint32) int { return len(links(f)) },
		of: func(to []uint32, f uint32) []uint32 {
			for _, r := range links(f) {
				if g.dict.recips[r].EIN != uint32(ein.None) {
					to = append(to, r)
				}
			}
			return to
		},
	}
	found, n, err := w.walk(ctx, funders, limit, budget)
	if err != nil {
		return Neighbors{}, err
	}
	r := g.reader()
	for _, f := range found {
		x := r.recipient(f.id)
		n.List = append(n.List, Neighbor{EIN: x.EIN, Name: x.Name, City: x.City, State: x.State, Shared: f.shared, Weight: f.weight})
	}
	return n, nil
}

// appendFunders appends the funders of a recipient, each once.
func (g *Graph) appendFunders(to []uint32, r uint32) []uint32 {
	last := uint32(math.MaxUint32)
	for _, f := range g.back.funders[g.back.rows.off[r]:g.back.rows.off[r+1]] {
		if f != last {
			to = append(to, f)
			last = f
		}
	}
	return to
}

// neighborWalk goes from an organization to its parties and from those on.
type neighborWalk struct {
	self   []uint32                                 // numbers of the organization among the neighbors
	degree func(party uint32) int                   // neighbors of a party
	edges  func(party uint32) int                   // what it costs to go through them
	of     func(to []uint32, party uint32) []uint32 // appends them, each once
}

// neighbor is one that was found.
type neighbor struct {
	id     uint32
	shared int
	weight float64
}

// walk finds the closest neighbors. Where going through all parties would cost
// more than the budget, those with the fewest neighbors are taken, and of equals
// the first.
func (w *neighborWalk) walk(ctx context.Context, parties []uint32, limit, budget int) (closest []neighbor, n Neighbors, err error) {
	n.Parties = len(parties)
	most, rest, cost := w.mostNeighbors(parties, budget)
	pairs := make([]uint64, 0, cost) // number of the neighbor, and the weight of the party as bits
	var around []uint32
	var total float64
	for i, p := range parties {
		if i%checkParties == 0 && ctx.Err() != nil {
			return nil, n, ctx.Err()
		}
		d := w.degree(p)
		if d > most {
			continue
		}
		if d == most {
			if rest -= w.edges(p); rest < 0 {
				continue
			}
		}
		n.Examined++
		weight := float32(1 / math.Log2(1+float64(d)))
		total += float64(weight)
		around = w.of(around[:0], p)
		for _, id := range around {
			if !slices.Contains(w.self, id) {
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
		closest = keepClosest(closest, limit, neighbor{uint32(id), to - from, sum / (total + smoothing)})
		n.Total++
		from = to
	}
	return closest, n, nil
}

// keepClosest adds a neighbor to a list in order, which has at most so many.
func keepClosest(list []neighbor, limit int, x neighbor) []neighbor {
	compare := func(a, b neighbor) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.shared, a.shared), cmp.Compare(a.id, b.id))
	}
	if len(list) >= limit && (limit <= 0 || compare(list[len(list)-1], x) < 0) {
		return list
	}
	i, _ := slices.BinarySearchFunc(list, x, compare)
	list = slices.Insert(list, i, x)
	return list[:min(len(list), limit)]
}

const (
	checkParties = 1 << 12 // parties between two looks at the context
	mostDegree   = 1 << 14 // neighbors from which on parties are not told apart
	// smoothing keeps one grant of one party from looking like everything in
	// common.
	smoothing = 0.5
)

// mostNeighbors says up to how many neighbors a party is taken, what is left of
// the budget for those that have exactly so many, and what all that costs at
// most.
func (w *neighborWalk) mostNeighbors(parties []uint32, budget int) (most, rest, cost int) {
	costs := make([]int, mostDegree+1)
	for _, p := range parties {
		if d := w.degree(p); d <= mostDegree {
			costs[d] += w.edges(p)
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

// NeighborWeight bounds the memory in bytes that looking for the neighbors of an
// organization takes, one side after the other: a pair for each edge that is
// looked at, and a number for each party. It looks at a few hundred numbers.
func (g *Graph) NeighborWeight(e ein.EIN) int64 {
	if g.begin() != nil {
		return 0 // the question fails before it takes anything
	}
	defer g.mu.RUnlock()
	const few = 256
	edges := func(parties []uint32, of func(uint32) int) (n int) {
		if len(parties) > few {
			return neighborWork
		}
		for _, p := range parties {
			n += of(p)
		}
		return min(n, neighborWork)
	}
	n, parties := 0, 0
	if f, ok := g.findFunder(e); ok {
		n = edges(g.sums.giving.links[g.sums.giving.linkAt[f]:g.sums.giving.linkAt[f+1]], func(r uint32) int { return g.back.rows.len(r) })
	}
	for _, r := range g.recipsOf([]ein.EIN{e}) {
		parties += g.back.rows.len(r)
		if g.back.rows.len(r) > few {
			n = neighborWork
			continue
		}
		n = max(n, edges(g.appendFunders(nil, r), func(f uint32) int { return int(g.sums.giving.linkAt[f+1] - g.sums.giving.linkAt[f]) }))
	}
	// Lists that grow by append take up to three times their size.
	return int64(n)*8 + 3*4*int64(parties+mostDegree) + 8*(mostDegree+1)
}
