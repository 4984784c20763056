package search_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
)

func TestMain(m *testing.M) {
	search.Invented = func(tb testing.TB) (string, *snapshot.Snapshot) {
		return world.Medium.Sources(tb), world.Medium.Snapshot(tb)
	}
	os.Exit(world.Main(m))
}
