package search_test

import (
	"os"
	"testing"

	"grantgraph/internal/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/world"
)

func TestMain(m *testing.M) {
	search.Invented = func(tb testing.TB) (string, *snapshot.Snapshot) {
		return world.Medium.Sources(tb), world.Medium.Snapshot(tb)
	}
	os.Exit(world.Main(m))
}
