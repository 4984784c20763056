package ingest_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/synth"
)

func TestMain(m *testing.M) {
	ingest.Invented = func(tb testing.TB) (string, *synth.Report) {
		return world.Medium.Sources(tb), world.Medium.Report(tb)
	}
	ingest.Folder = world.Folder
	os.Exit(world.Main(m))
}
