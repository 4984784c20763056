package build_test

import (
	"os"
	"testing"

	"grantgraph/internal/build"
	"grantgraph/internal/synth"
	"grantgraph/internal/world"
)

func TestMain(m *testing.M) {
	build.Invented = func(tb testing.TB) (string, *synth.Report) {
		return world.Medium.Sources(tb), world.Medium.Report(tb)
	}
	os.Exit(world.Main(m))
}
