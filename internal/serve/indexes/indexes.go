// Package indexes lists what is added to a snapshot for those who serve it: the graph, the search index, the directory, the
// profiles, what changed since earlier builds and the warehouse; and to an edition of the compliance lists, the index that
// screenings look into, who may match the sanctions list, and the log of what changed. A build is given the lists, so that the
// program, the benchmark and the tests make the same snapshots. Only cmd, bench and tests import it.
package indexes

import (
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

// Reading returns every index, in the order in which they are begun. Several are made at once, so those that take longest come
// first: the warehouse, whose engine is not always on all cores, and the graph beside it. What each needs was measured with two
// million organizations; that of the graph is reckoned from its columns. documents is how many organizations, at most, the slow
// encoder reads: few in tests, and none in benchmarks of other things.
func Reading(documents int) []snapshot.Indexer {
	return []snapshot.Indexer{
		{Name: "warehouse", Write: warehouse.Build, Foreign: warehouse.Memory},
		{Name: "graph", Write: graph.Build, Needs: map[string]int64{snapshot.Grants: 160}},
		{Name: "search", Write: search.Build(documents), Needs: map[string]int64{snapshot.Organizations: 780}},
		{Name: "identify", Write: identify.Build, Needs: map[string]int64{snapshot.Organizations: 500, snapshot.Grants: 20}},
		{Name: "profile", Write: profile.Build, Needs: map[string]int64{snapshot.Organizations: 450}},
		{Name: "directory", Write: directory.Build, Needs: map[string]int64{snapshot.Organizations: 450}},
		{Name: "change", Write: change.Build, Needs: map[string]int64{snapshot.Returns: 200}},
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
