// Package neighbors finds organizations that share funders or recipients with
// another organization: two steps away in the graph.
package neighbors

import (
	"context"
	"slices"

	"grantgraph/internal/ein"
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

// Weight is the most memory in bytes that finding the neighbors of an organization takes, one side after the other: a pair per
// edge, and a number per party. Computing Weight reads only a few hundred numbers.
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
