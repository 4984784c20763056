// Package cofund builds the edges between funders and recipients: one per pair, with the first and last year, the
// number of grants and their sum. Joining the edges with themselves shows which funders support the same recipients.
//
// Lines without a named recipient, lines to individuals, and organizations known only by name make no edge: two
// funders that both gave to "First Baptist Church" may mean different churches.
package cofund

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hashtable"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

// Grant holds the columns of a grant that the edges need.
type Grant struct {
	Funder, Recipient ein.EIN // Recipient may be None
	RecipID           string
	Year              int32
	Amount            int64
	Nobody            bool // an individual or an unidentified recipient
}

// Edges gathers the edges. The zero value is ready to use.
type Edges struct {
	us       []edge // to is an EIN
	abroad   []edge // to is a position in clusters
	clusters hashtable.Texts
}

// edge takes 32 bytes, so all edges of twenty million grants fit into a few hundred megabytes.
type edge struct {
	to, from    uint32
	first, last int32
	count       int64
	total       int64
}

// Add adds one grant. Grants should come sorted by funder and recipient, so that the grants of one edge are adjacent.
// Other orders give the same edges but take more memory.
func (e *Edges) Add(g *Grant) {
	switch {
	case g.Nobody || g.Funder == ein.None:
	case g.Recipient != ein.None:
		e.us = add(e.us, uint32(g.Recipient), g)
	case strings.HasPrefix(g.RecipID, abroad.Prefix):
		e.abroad = add(e.abroad, e.clusters.Number(g.RecipID[len(abroad.Prefix):]), g)
	}
}

func add(edges []edge, to uint32, g *Grant) []edge {
	one := edge{to, uint32(g.Funder), g.Year, g.Year, 1, g.Amount}
	if n := len(edges); n > 0 && edges[n-1].to == to && edges[n-1].from == one.from {
		edges[n-1].merge(&one)
		return edges
	}
	return append(edges, one)
}

func (e *edge) merge(other *edge) {
	e.first, e.last = min(e.first, other.first), max(e.last, other.last)
	e.count += other.count
	e.total += other.total
}

// Domestic yields the edges to recipients with an EIN, sorted by recipient and funder. Nothing may be added afterwards.
func (e *Edges) Domestic() iter.Seq[snapshot.CofunderEdge] {
	e.us = mergeEdges(e.us)
	var to, from einSpeller
	return snapshot.Each(e.us, func(x edge) snapshot.CofunderEdge {
		return snapshot.CofunderEdge{
			RecipientEIN: to.of(x.to), FunderEIN: from.of(x.from), FirstYear: x.first, LastYear: x.last,
			TotalAmount: x.total, GrantCount: x.count,
		}
	})
}

// Abroad yields the edges to clusters abroad, sorted by cluster and funder. Nothing may be added afterwards.
func (e *Edges) Abroad() iter.Seq[snapshot.CofunderEdgeIntl] {
	// From here on, clusters are numbered in sorted order.
	order := radix.OrderTexts(e.clusters.List)
	rank := make([]uint32, len(order))
	sorted := make([]string, len(order))
	for i, id := range order {
		rank[id], sorted[i] = uint32(i), e.clusters.List[id]
	}
	for i := range e.abroad {
		e.abroad[i].to = rank[e.abroad[i].to]
	}
	e.clusters = hashtable.Texts{}
	e.abroad = mergeEdges(e.abroad)
	var from einSpeller
	return snapshot.Each(e.abroad, func(x edge) snapshot.CofunderEdgeIntl {
		return snapshot.CofunderEdgeIntl{
			ClusterID: sorted[x.to], FunderEIN: from.of(x.from), FirstYear: x.first, LastYear: x.last,
			TotalAmount: x.total, GrantCount: x.count,
		}
	})
}

// mergeEdges sorts edges and merges those between the same funder and recipient.
func mergeEdges(edges []edge) []edge {
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Compare(uint64(a.to)<<32|uint64(a.from), uint64(b.to)<<32|uint64(b.from))
	})
	kept := edges[:0]
	for _, x := range edges {
		if n := len(kept); n > 0 && kept[n-1].to == x.to && kept[n-1].from == x.from {
			kept[n-1].merge(&x)
			continue
		}
		kept = append(kept, x)
	}
	return kept
}

// einSpeller formats EINs and remembers the last one, because popular recipients repeat.
type einSpeller struct {
	last uint32
	text string
}

func (n *einSpeller) of(e uint32) string {
	if e != n.last {
		n.last, n.text = e, ein.EIN(e).String()
	}
	return n.text
}
