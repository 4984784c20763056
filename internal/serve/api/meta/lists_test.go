package meta_test

import (
	"encoding/json"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// What /meta says of the cadence of each list is what the fetcher keeps to.
func TestCadencesAgreeWithTheCatalogue(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(screen.SourcesOf(&lists.Current{}, time.Time{}))
	if err != nil {
		t.Fatal(err)
	}
	var of map[string]client.ComplianceSource
	if err := json.Unmarshal(raw, &of); err != nil {
		t.Fatal(err)
	}
	for _, s := range source.All() {
		if s.Compliance == "" {
			continue
		}
		m, ok := of[s.Compliance]
		if !ok {
			t.Errorf("%s is not in /meta", s.Compliance)
			continue
		}
		if m.URL != s.Page || m.Publishes != s.Publishes || m.Polled != s.Polled {
			t.Errorf("%s: /meta says %q %q %q, the catalogue %q %q %q", s.Compliance, m.URL, m.Publishes, m.Polled, s.Page, s.Publishes, s.Polled)
		}
		delete(of, s.Compliance)
	}
	for name := range of {
		t.Errorf("%s is not in the catalogue", name)
	}
}

func TestComplianceSource(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)
	loaded := lists.Status{Name: lists.OFAC, Loaded: true, Rows: 12_345, FetchedAt: at, Revised: "2026-10-01", RevisedNewest: "2026-10-02"}
	kept := loaded
	kept.Problem = "it is empty"
	for name, c := range map[string]struct {
		state   *lists.Status
		check   *lists.Check
		rows    int64
		current string
		note    string
	}{
		"never loaded":            {nil, nil, 0, "unknown", "Not loaded: it was never loaded."},
		"looked at, never loaded": {nil, &lists.Check{UpstreamRevised: "2026-10-02"}, 0, "unknown", "Not loaded: it was never loaded."},
		"loaded, nobody looked":   {&loaded, nil, 12_345, "unknown", ""},
		"current":                 {&loaded, &lists.Check{UpstreamRevised: "2026-10-02"}, 12_345, "yes", ""},
		"behind":                  {&loaded, &lists.Check{UpstreamRevised: "2026-10-03"}, 12_345, "no", ""},
		"upstream has no date":    {&loaded, &lists.Check{}, 12_345, "unknown", ""},
		"upstream was refused":    {&loaded, &lists.Check{UpstreamRevised: "2026-10-03", Problem: "it is a web page"}, 12_345, "no", "The last good list is served; upstream could not be taken: it is a web page."},
		"a bad file was put here": {&kept, nil, 12_345, "unknown", "The last good list is served; what came since was not taken: it is empty."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := &lists.Current{Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{}}}
			if c.state != nil {
				now.Edition.Lists = []lists.Status{*c.state}
			}
			if c.check != nil {
				c.check.Name, c.check.CheckedAt = lists.OFAC, at
				now.Checks = []lists.Check{*c.check}
			}
			got := screen.SourcesOf(now, at).OFAC
			current := "unknown"
			if got.IsCurrent != nil {
				current = map[bool]string{true: "yes", false: "no"}[*got.IsCurrent]
			}
			note := ""
			if got.Note != nil {
				note = *got.Note
			}
			if (got.RowCount != nil) != (c.state != nil) || got.RowCount != nil && *got.RowCount != c.rows || current != c.current || note != c.note ||
				(got.UpstreamCheckedAt != nil) != (c.check != nil) || got.Caveat == nil {
				t.Errorf("rows %v, current %s, note %q", got.RowCount, current, note)
			}
		})
	}
}
