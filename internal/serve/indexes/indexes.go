// Package indexes lists what is added to a snapshot for those who serve it: the
// graph, the search index, the directory, the profiles, what changed since earlier builds and the warehouse; and to
// an edition of the compliance lists, the index that screenings look into, who may match the sanctions list, and the log of what changed. A build is given the lists, so
// that the program, the benchmark and the tests make the same snapshots. Only
// cmd, bench and tests import it.
package indexes

import (
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

// All returns every index, in the order in which they are begun. Several are made
// at once, so the one that takes longest on one core comes first; the warehouse
// comes last, because its engine takes all cores and memory of its own.
func All() []snapshot.Indexer { return Reading(search.DefaultDocuments) }

// Reading is All with so many organizations, at most, whose documents are read by
// the slow encoder: tests read few, and benchmarks of other things none.
func Reading(documents int) []snapshot.Indexer {
	return []snapshot.Indexer{
		{Name: "graph", Write: graph.Build},
		{Name: "search", Write: search.Build},
		{Name: "profile", Write: profile.Build},
		{Name: "directory", Write: directory.Build},
		{Name: "change", Write: change.Build},
		{Name: "meaning", Write: search.Vectors(documents)},
		{Name: "warehouse", Write: warehouse.Build},
	}
}

// Lists returns every index of an edition of the compliance lists.
func Lists() []snapshot.Indexer {
	return []snapshot.Indexer{
		{Name: "screen", Path: screen.IndexPath, Write: screen.Build},
		{Name: "matches", Path: change.MatchesPath, Write: change.BuildMatches},
		{Name: "change", Path: change.LogPath, Write: change.BuildLists},
	}
}
