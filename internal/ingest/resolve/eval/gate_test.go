package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/eval"
	"grantgraph/internal/snapshot"
)

// TestGatesOfAWorld builds a small invented world and holds it to the gates.
// Rules that fire too seldom in a world of this size are not judged here; the
// whole table is made by measure eval --world.
func TestGatesOfAWorld(t *testing.T) {
	t.Parallel()
	// The bounds were set on this world. With some hundred answers a rule's
	// precision differs by a few percent from world to world.
	dir := world.World{Grants: 20_000, Seed: 11}.Sources(t)
	var blind *eval.Result
	result, err := ingest.Run(t.Context(), ingest.Options{Sources: dir, Data: t.TempDir(),
		Examine: func(r *resolve.Resolver, labels []resolve.Label) { blind = eval.Examine(r, labels, 5_000) }})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "truth.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	truth, err := eval.ReadTruth(f)
	if err != nil {
		t.Fatal(err)
	}
	known := map[ein.EIN]bool{}
	for o, err := range snapshot.Rows[snapshot.Organization](result.Snapshot, snapshot.Organizations) {
		if err != nil {
			t.Fatal(err)
		}
		e, _ := ein.Filed(o.EIN)
		known[e] = true
	}
	w, err := eval.CompareWorld(truth, snapshot.Rows[snapshot.Grant](result.Snapshot, snapshot.Grants), func(e ein.EIN) bool { return known[e] })
	if err != nil {
		t.Fatal(err)
	}
	if w.Unknown > 0 {
		t.Errorf("%d rows are in no truth", w.Unknown)
	}
	for _, g := range eval.Failed(w.Gates()) {
		t.Errorf("%s is %.3f; the bound is %.3f", g.Name, g.Value, g.Bound)
	}
	// Without the rule that follows what single funders state, there are 70.
	if n := w.Tally.Rules[grant.Registry].N; n < 150 {
		t.Errorf("the registry answers %d lines", n)
	}
	if blind.Tally.Blocked*100 < blind.Tally.Present*95 {
		t.Errorf("candidates hold %d of %d organizations", blind.Tally.Blocked, blind.Tally.Present)
	}
	var out strings.Builder
	if err := eval.PrintWorld(&out, w, blind, false); err != nil {
		t.Fatal(err)
	}
	t.Log(out.String())
}

// TestGatesOfRealLines hides the EINs of real Schedule I lines and holds the
// answers to the gates.
func TestGatesOfRealLines(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	f, err := os.Open(filepath.Join(dir, "matching", "schedule_i_labelled_DERIVED.csv.gz"))
	if err != nil {
		t.Skipf("no labelled lines: %v", err)
	}
	defer f.Close()
	var cases []eval.Case
	if _, err := eval.ReadLabelled(f, func(c *eval.Case) error {
		cases = append(cases, *c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "bmf", "2026-04", "*.csv.gz"))
	if err != nil || len(parts) == 0 {
		t.Skipf("no master file: %v", err)
	}
	b := resolve.NewUniverse()
	for _, part := range parts {
		f, err := os.Open(part)
		if err != nil {
			t.Fatal(err)
		}
		_, err = eval.AddMaster(b, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	eval.Teach(b, cases)
	res, err := eval.Labelled(t.Context(), b.Build(), cases, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := res.Summary()
	for _, g := range eval.Failed(res.Gates) {
		t.Errorf("%s is %.3f; the bound is %.3f", g.Name, g.Value, g.Bound)
	}
	t.Logf("covered %+v\nuncovered %+v\nall %+v", *s.Covered, *s.Uncovered, *s.All)
}
