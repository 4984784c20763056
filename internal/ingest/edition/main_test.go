package edition_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest/edition"
	"grantgraph/internal/ingest/synth"
)

func TestMain(m *testing.M) {
	edition.Invented = func(tb testing.TB) (string, *synth.Report) {
		return world.Medium.Sources(tb), world.Medium.Report(tb)
	}
	os.Exit(world.Main(m))
}
