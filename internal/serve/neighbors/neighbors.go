// Package neighbors finds organizations that share funders or recipients with
// another organization: two steps away in the graph.
package neighbors

import (
	"cmp"
	"context"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/radix"
	"grantgraph/internal/serve/graph"
)

// Neighbors are the organizations that share parties with one organization. Its parties are the other ends of its grants.
type Neighbors struct {
	List     []Neighbor // closest first
	Total    int        // neighbors in all, among the parties that were examined
	Examined int        // parties that were examined
	Parties  int        // parties in all
}

// Neighbor is an organization that shares parties with another.
type Neighbor struct {
	EIN               ein.EIN
	Name, City, State string
	Kind              string // of a funder
	Shared            int    // parties in common
	// Weight is the share of the examined parties that both have, from 0 to 1. Parties with few neighbors count for more.
	Weight float64
}

// MostEdges is how many edges of the second step one question usually follows, through parties with few first.
const MostEdges = 100_000

// Cofunders are the other funders of a funder's recipients. budget bounds the second step.
func Cofunders(ctx context.Context, g *graph.Graph, e ein.EIN, limit, budget int) (Neighbors, error) {
	v, err := g.View()
	if err != nil {
		return Neighbors{}, err
	}
	defer v.Close()
	f, ok := v.FindFunder(e)
	if !ok {
		return Neighbors{}, nil
	}
	recips, _ := v.Links(f)
	w := Walk{
		Self:   []uint32{f},
		Degree: v.CountFunders,
		Edges:  func(r uint32) int { return len(v.Received(r).Parties) },
		Append: v.AppendFunders,
	}
	found, n, err := w.Closest(ctx, recips, limit, budget)
	for _, f := range found {
		x := v.Funder(f.ID)
		n.List = append(n.List, Neighbor{EIN: x.EIN, Name: x.Name, City: x.City, State: x.State, Kind: x.Kind, Shared: f.Shared, Weight: f.Weight})
	}
	return n, err
}

// SharingFunders are the organizations with an EIN that received from the funders of another.
func SharingFunders(ctx context.Context, g *graph.Graph, e ein.EIN, limit, budget int) (Neighbors, error) {
	v, err := g.View()
	if err != nil {
		return Neighbors{}, err
	}
	defer v.Close()
	count := func(f uint32) int {
		links, _ := v.Links(f)
		return len(links)
	}
	w := Walk{
		Self: v.FindRecipients(e), Degree: count, Edges: count,
		Append: func(to []uint32, f uint32) []uint32 { return appendRecipients(v, to, f) },
	}
	found, n, err := w.Closest(ctx, partiesOf(v, e, graph.Received), limit, budget)
	for _, f := range found {
		x := v.Recipient(f.ID)
		n.List = append(n.List, Neighbor{EIN: x.EIN, Name: x.Name, City: x.City, State: x.State, Shared: f.Shared, Weight: f.Weight})
	}
	return n, err
}

func appendRecipients(v *graph.View, to []uint32, f uint32) []uint32 {
	links, _ := v.Links(f)
	for _, r := range links {
		if v.Recipients[r].EIN != uint32(ein.None) {
			to = append(to, r)
		}
	}
	return to
}

// partiesOf are the numbers of an organization's parties, ascending. Only recipients with an EIN count.
func partiesOf(v *graph.View, e ein.EIN, side graph.Side) (list []uint32) {
	if side == graph.Received {
		for _, r := range v.FindRecipients(e) {
			list = v.AppendFunders(list, r)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	if f, ok := v.FindFunder(e); ok {
		list = appendRecipients(v, nil, f)
	}
	return list
}

// Weight is the most memory in bytes that finding the neighbors of an organization takes: a pair per edge.
func Weight(g *graph.Graph, e ein.EIN) int64 {
	v, err := g.View()
	if err != nil {
		return 0 // the search fails before it allocates anything
	}
	defer v.Close()
	const few = 256
	edges := func(parties []uint32, of func(uint32) int) (n int) {
		if len(parties) > few {
			return MostEdges
		}
		for _, p := range parties {
			n += of(p)
		}
		return min(n, MostEdges)
	}
	n, parties := 0, 0
	if f, ok := v.FindFunder(e); ok {
		recips, _ := v.Links(f)
		n = edges(recips, func(r uint32) int { return len(v.Received(r).Parties) })
	}
	for _, r := range v.FindRecipients(e) {
		rows := len(v.Received(r).Parties)
		parties += rows
		if rows > few {
			n = MostEdges
			continue
		}
		n = max(n, edges(v.AppendFunders(nil, r), func(f uint32) int {
			links, _ := v.Links(f)
			return len(links)
		}))
	}
	// Lists that grow by append take up to three times their size.
	return int64(n)*8 + 3*4*int64(parties+mostDegree) + 8*(mostDegree+1)
}

// Shared is what organizations have in common: the recipients that several of them gave to, or the
// funders that gave to several of them.
type Shared struct {
	Counts  [][]int64 // parties of each pair; the diagonal holds the parties of each
	Parties []Common  // those of most organizations first, then by dollars; no more than were asked for
	Hits    int       // parties of two organizations and more
}

// Common is a party of several organizations, with the grants between it and each.
type Common struct {
	EIN  ein.EIN
	Name string
	By   []Between
}

type Between struct {
	graph.Cost
	First, Last int // fiscal years
}

// ReadShared finds what organizations have in common, and lists the first parties of it.
func ReadShared(ctx context.Context, g *graph.Graph, list []ein.EIN, side graph.Side, limit int) (out Shared, err error) {
	v, err := g.View()
	if err != nil {
		return out, err
	}
	defer v.Close()
	parties := make([][]uint32, len(list))
	out.Counts = make([][]int64, len(list))
	var both, all []uint32
	for i, e := range list {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		parties[i] = partiesOf(v, e, side)
		out.Counts[i] = make([]int64, len(list))
		out.Counts[i][i] = int64(len(parties[i]))
		for j := range i {
			both = radix.Intersect(both[:0], parties[i], parties[j])
			out.Counts[i][j], out.Counts[j][i] = int64(len(both)), int64(len(both))
			all = append(all, both...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	out.Hits = len(all)
	type common struct {
		id     uint32
		shared int
		amount int64
		by     []Between
	}
	found := make([]common, len(all))
	for i, id := range all {
		found[i] = common{id: id, by: make([]Between, len(list))}
	}
	for org, e := range list {
		rows := v.GrantsOf(e, side)
		at, ok := 0, false
		for i, id := range rows.Parties {
			if i%partiesAtOnce == 0 && ctx.Err() != nil {
				return out, ctx.Err()
			}
			if i == 0 || id != rows.Parties[i-1] {
				at, ok = slices.BinarySearch(all, id)
			}
			if !ok {
				continue
			}
			f, year := &found[at], int(v.Years[rows.Years[i]])
			b := &f.by[org]
			if b.Grants == 0 {
				f.shared++
				b.First = year
			}
			b.First, b.Last = min(b.First, year), max(b.Last, year)
			b.Grants++
			b.Amount += rows.Amounts[i]
			f.amount += rows.Amounts[i]
		}
	}
	slices.SortFunc(found, func(a, b common) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(b.amount, a.amount), cmp.Compare(a.id, b.id))
	})
	for _, f := range found[:min(limit, len(found))] {
		c := Common{By: f.by}
		if side == graph.Gave {
			x := v.Recipient(f.id)
			c.EIN, c.Name = x.EIN, x.Name
		} else {
			x := v.Funder(f.id)
			c.EIN, c.Name = x.EIN, x.Name
		}
		out.Parties = append(out.Parties, c)
	}
	return out, nil
}

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
