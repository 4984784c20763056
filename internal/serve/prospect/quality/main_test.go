package quality_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/world"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }
