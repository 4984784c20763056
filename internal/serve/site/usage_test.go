package site

import (
	"testing"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/snapshot"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC)
	for _, tc := range []struct {
		window account.Window
		now    time.Time
		bars   int
		ticks  []tick
	}{
		{account.Day, now, 24, []tick{{"00:00", 6}, {"06:00", 6}, {"12:00", 6}, {"18:00", 6}}},
		{account.Month, now, 28, []tick{{"1", 7}, {"8", 7}, {"15", 7}, {"22", 7}}},
		{account.Month, now.AddDate(0, 1, 0), 31, []tick{{"1", 7}, {"8", 7}, {"15", 7}, {"22", 7}, {"29", 3}}},
	} {
		u := newUsage(tc.window, tc.now)
		if len(u.Bars) != tc.bars || len(u.Ticks) != len(tc.ticks) {
			t.Fatalf("%s: %d bars, %v", tc.window, len(u.Bars), u.Ticks)
		}
		for i, want := range tc.ticks {
			if u.Ticks[i] != want {
				t.Errorf("%s: %v", tc.window, u.Ticks)
			}
		}
		start := tc.window.Start(tc.now)
		buckets := []account.Bucket{{Start: start.Add(-time.Hour), Calls: 9}, {Start: start, Calls: 1}, {Start: start.Add(u.step), Calls: 1000}, {Start: tc.window.Reset(tc.now), Calls: 9}}
		u.add(buckets)
		u.add(buckets)
		u.draw()
		if u.Total != 2002 || u.Peak != 2000 || u.Bars[0].Calls != 2 || u.Bars[1].Calls != 2000 {
			t.Errorf("%+v", u)
		}
		current := 0
		for i, b := range u.Bars {
			if b.Height < 1 || b.Y < 0 || b.Y+b.Height != u.Height || b.X < 0 || b.X+b.Width > u.Width || b.Future != b.start.After(tc.now) {
				t.Errorf("%+v", b)
			}
			if b.Now {
				current = i
			}
		}
		if !u.Bars[current].Now || current != int(tc.now.Sub(start)/u.step) {
			t.Errorf("now is %d", current)
		}
	}
	if got := newUsage(account.Day, now); got.Says() != "No calls in this period yet." {
		t.Error(got.Says())
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]string{1: "1 second", 59: "59 seconds", 89: "89 seconds", 90: "2 minutes", 900: "15 minutes"} {
		if got := waitText(seconds); got != want {
			t.Errorf("%d: %s", seconds, got)
		}
	}
	for in, want := range map[string]string{"a thing": "A thing.", "A thing.": "A thing.", "é": "É."} {
		if got := sentence(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// Features that this server lacks are not listed, on any plan.
func TestPlanCard(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bare := &dataset.Dataset{Snapshot: &snapshot.Snapshot{}}
	if card := p.planCard(bare, account.Free); len(card.Covers) != 1 || len(card.Lacks) != 0 {
		t.Errorf("%+v", card)
	}
	if card := p.planCard(bare, account.Pro); len(card.Covers) != 1 || len(card.Lacks) != 0 {
		t.Errorf("%+v", card)
	}
	funded := &dataset.Dataset{Snapshot: &snapshot.Snapshot{Manifest: snapshot.Manifest{Files: []snapshot.File{
		{Path: "tables/" + snapshot.GovAwards + ".parquet", Rows: 1}, {Path: "tables/" + snapshot.UKTrustees + ".parquet"},
	}}}}
	if card := p.planCard(funded, account.Plus); len(card.Lacks) != 1 || card.Lacks[0] != "Government funding" {
		t.Errorf("%+v", card)
	}
	for plan, want := range map[account.Plan]int{account.Free: 2, account.Plus: 1, account.Pro: 0} {
		if got := p.higherPlans(funded, plan); len(got) != want {
			t.Errorf("%s: %+v", plan, got)
		}
	}
}
