// Package indexes lists what a build adds to a snapshot for those who serve it:
// the graph, the search index and the warehouse. It is the one place where the
// build meets their writers, so that the program, the benchmark and the tests
// make the same snapshots.
package indexes

import (
	"grantgraph/internal/build"
	"grantgraph/internal/graph"
	"grantgraph/internal/search"
	"grantgraph/internal/warehouse"
)

// All returns every index, in the order in which they are written.
func All() []build.Indexer {
	return []build.Indexer{
		{Name: "graph", Write: graph.Build},
		{Name: "search", Write: search.Build},
		{Name: "warehouse", Write: warehouse.Build},
	}
}
