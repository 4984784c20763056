package warehouse_test

import (
	"os"
	"testing"

	"grantgraph/internal/warehouse"
	"grantgraph/internal/world"
)

func TestMain(m *testing.M) {
	warehouse.Invented = world.Small.Snapshot
	os.Exit(world.Main(m))
}
