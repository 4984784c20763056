package warehouse_test

import (
	"os"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/warehouse"
)

func TestMain(m *testing.M) {
	warehouse.Invented = world.Small.Snapshot
	os.Exit(world.Main(m))
}
