package ingest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/snapshot"
)

// expectation is what an independent program read in one return.
type expectation struct {
	EIN         string `json:"ein"`
	Form        string `json:"return_type"`
	PeriodEnd   string `json:"period_end"`
	Timestamp   string `json:"return_ts"`
	SHA256      string `json:"sha256"`
	Amended     bool   `json:"amended"`
	PFPaid      int64  `json:"pf_paid_groups"`
	PFPaidSum   int64  `json:"pf_paid_sum"`
	ScheduleI   int64  `json:"sched_i_rows"`
	ScheduleSum int64  `json:"sched_i_cash_sum"`
}

// TestBuildOfRealReturns builds the sample of real returns and holds every
// funder's lines and dollars against figures computed by another program, once
// amended and repeated returns are out of the way. Every line must be accounted
// for: a row, or left out for a reason that is counted.
func TestBuildOfRealReturns(t *testing.T) {
	t.Parallel()
	root := upstream.Dir(t)
	body, err := os.ReadFile(filepath.Join(root, "990", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]expectation
	if err := json.Unmarshal(body, &expected); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	result, err := Run(t.Context(), Options{Sources: root, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Snapshot.Verify(); err != nil {
		t.Fatal(err)
	}

	type sums struct{ lines, dollars int64 }
	want, got := map[string]sums{}, map[string]sums{}
	for _, e := range survivors(expected) {
		s := want[e.EIN]
		s.lines += e.PFPaid + e.ScheduleI
		s.dollars += e.PFPaidSum + e.ScheduleSum
		want[e.EIN] = s
	}
	for g, err := range snapshot.Rows[snapshot.Grant](result.Snapshot, snapshot.Grants) {
		if err != nil {
			t.Fatal(err)
		}
		s := got[g.FunderEIN]
		s.lines++
		s.dollars += g.Amount
		got[g.FunderEIN] = s
	}
	for r, err := range snapshot.Rows[snapshot.Return](result.Snapshot, snapshot.Returns) {
		if err != nil {
			t.Fatal(err)
		}
		s := got[r.EIN]
		s.lines += int64(r.Zero + r.NonCash + r.Negative + r.Totals + r.TooLarge + r.Repeated + r.Empty)
		s.dollars += r.NegativeSum
		got[r.EIN] = s
	}
	for e, w := range want {
		if got[e] != w {
			t.Errorf("funder %s: %+v, expected %+v", e, got[e], w)
		}
	}
	t.Logf("%d grants of %d funders, %d dollars, %d of %d funders agree", result.Snapshot.Manifest.Counts.Grants,
		result.Snapshot.Manifest.Counts.Funders, result.Snapshot.Manifest.Counts.TotalAmount, len(want), len(want))
}

// survivors applies the replacement of returns to the expectations, in the
// plainest way that can be written down.
func survivors(all map[string]expectation) map[[3]string]expectation {
	kept := map[[3]string]expectation{}
	for _, e := range all {
		family := "990"
		if e.Form == "990T" {
			family = "990T"
		}
		key := [3]string{e.EIN, family, e.PeriodEnd}
		have, ok := kept[key]
		if !ok || (e.Amended && !have.Amended) || (e.Amended == have.Amended && e.Timestamp > have.Timestamp) {
			kept[key] = e
		}
	}
	return kept
}
