package nation_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/nation"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/snapshot/lists"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// TestRevise publishes what the benchmark does, in small: the log of each edition
// tells what was revised.
func TestRevise(t *testing.T) {
	t.Parallel()
	from, err := lists.Open(world.Small.Data(t))
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	at := world.Built
	e, err := nation.Publish(t.Context(), from, data, 2*int(from.Status(lists.BMF).Rows), at)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		revision nation.Revision
		listed   int
	}{{nation.Revision{Renamed: 20}, 0}, {nation.Revision{Sanctioned: 3}, 3}} {
		at = at.AddDate(0, 0, 1)
		before := e.Manifest.Version
		next, took, err := nation.Revise(t.Context(), e, data, tc.revision, at)
		if err != nil {
			t.Fatal(err)
		}
		if e = next; len(took) != 3 {
			t.Errorf("indexes %v", took)
		}
		log, err := change.OpenLog(e.Snapshot)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		found, _ := log.Since(before)
		for _, l := range found.Lists {
			if !l.Compared {
				t.Errorf("%s is not compared", l.Name)
			}
			for word, n := range l.Counts {
				counts[l.Name+" "+word] = n
			}
		}
		if counts["ofac listed"] != tc.listed || counts["matches potential_match"] < max(tc.listed, 1) || counts["bmf listed"] != 0 {
			t.Errorf("%+v: %v", tc.revision, counts)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
}
