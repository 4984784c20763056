package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

func TestStoreUsage(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T22:59:59Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		_, k := create(t, s, Plus)
		_, other := create(t, s, Plus)
		charge := func(id string, cost int) {
			t.Helper()
			if _, err := s.Charge(ctx, id, cost); err != nil {
				t.Fatal(err)
			}
		}
		charge(k.ID, 2)
		charge(other.ID, 9)
		charge(k.ID, 0)
		c.add(time.Second) // 23:00
		charge(k.ID, 1)
		charge(k.ID, 1)
		if _, err := s.Charge(ctx, k.ID, 1000); err == nil {
			t.Fatal("not refused")
		}
		c.add(time.Hour) // midnight
		charge(k.ID, 5)
		show := func(from, to time.Time, step time.Duration) string {
			t.Helper()
			buckets, err := s.Usage(ctx, k.ID, from, to, step)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, b := range buckets {
				out = append(out, fmt.Sprintf("%s=%d", b.Start.Format("02T15"), b.Calls))
			}
			return strings.Join(out, " ")
		}
		noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
		if got := show(noon, noon.Add(48*time.Hour), 24*time.Hour); got != "10T00=4 11T00=5" {
			t.Error(got)
		}
		if got := show(noon.Add(9*time.Hour), noon.Add(13*time.Hour), time.Hour); got != "10T21=0 10T22=2 10T23=2 11T00=5" {
			t.Error(got)
		}
		if got := show(noon.In(time.FixedZone("", 5*3600)), noon.Add(11*time.Hour), 24*time.Hour); got != "10T00=4" {
			t.Error(got)
		}
		if got := show(noon.Add(time.Hour), noon, time.Hour); got != "" {
			t.Error(got)
		}
		// Whatever is asked for, the answer is bounded.
		if buckets, err := s.Usage(ctx, k.ID, time.Time{}, noon.AddDate(1000, 0, 0), time.Hour); err != nil || len(buckets) > 61*24+2 {
			t.Error(len(buckets), err)
		}
		if _, err := s.Usage(ctx, k.ID, noon, noon, time.Minute); err == nil {
			t.Error("usage by the minute")
		}
		if _, err := s.Usage(ctx, "key_nobodyNobody", noon, noon, time.Hour); slugOf(err) != "unknown_key" {
			t.Error(err)
		}
	})
}

// TestStoreSweep looks at what is left in each table when time has passed.
func TestStoreSweep(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		_, k := create(t, s, Free)
		if _, err := s.Charge(ctx, k.ID, 1); err != nil {
			t.Fatal(err)
		}
		a := signUp(t, s, "ann@example.org")
		if _, _, err := s.SignIn(ctx, a.Email, password, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ResetToken(ctx, a.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Seen(ctx, "k", "n", c.now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		_, agent := mintAnonymous(t, s)
		if _, err := s.TakeScreen(ctx, agent.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.MintAgent(ctx, AgentSpec{Tier: Signed, Thumbprint: "thumb"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Charge(ctx, a.ID, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := s.TakeQuestion(ctx, Asking{Visitor: "ann"}, "a question"); err != nil {
			t.Fatal(err)
		}
		tables := []string{"questions", "usage", "account_usage", "spent", "sessions", "tokens", "nonces", "tries", "screens", "agents", "keys", "accounts"}
		counts := func() (out []int) {
			t.Helper()
			for _, table := range tables {
				var n int
				if err := one(s.view(ctx), "SELECT COUNT(*) FROM "+table, nil, &n); err != nil {
					t.Fatal(err)
				}
				out = append(out, n)
			}
			return out
		}
		for _, step := range []struct {
			pass time.Duration
			want []int
		}{
			{0, []int{1, 1, 1, 2, 1, 1, 2, 4, 1, 2, 3, 1}},
			{2 * time.Hour, []int{1, 1, 1, 2, 1, 0, 0, 4, 1, 2, 3, 1}},
			{23 * time.Hour, []int{1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 2, 1}}, // the anonymous key never answered
			{30*24*time.Hour - time.Hour, []int{0, 1, 1, 2, 0, 0, 0, 0, 0, 1, 2, 1}},
			{time.Second, []int{0, 1, 1, 2, 0, 0, 0, 0, 0, 1, 2, 1}},
			{31 * 24 * time.Hour, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1}},
		} {
			c.add(step.pass)
			if err := errors.Join(s.sweep(ctx), s.update(ctx, s.engine.sweep)); err != nil {
				t.Fatal(err)
			}
			if got := counts(); !slices.Equal(got, step.want) {
				t.Errorf("at %v: %v, want %v of %v", c.now(), got, step.want, tables)
			}
		}
	})
}

func TestStoreAudit(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		secret, k := create(t, s, Free)
		ann := As(ctx, Actor{Name: "acc_ann", Address: "192.0.2.1:5"})
		next, _, err := s.Rotate(ann, k.ID)
		if err != nil {
			t.Fatal(err)
		}
		c.add(time.Hour)
		for _, err := range []error{
			second(s.SetPlan(ctx, k.ID, Pro)), second(s.Deactivate(ann, k.ID)), second(s.Reactivate(ctx, k.ID)),
			s.Audit(ann, Event{Kind: EventRefusal, Key: k.ID, Details: "bad\x00 \xffwords\n" + strings.Repeat("é", 3000)}),
			s.Audit(ctx, Event{Kind: EventRefusal, Actor: "someone"}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		signUp(t, s, "ann@example.org")
		_, _, _ = s.SignIn(ctx, "ann@example.org", "wrong password", "192.0.2.1")
		// What fails leaves no trace of success.
		_, _ = s.SetPlan(ctx, "key_nobodyNobody", Pro)
		all, err := s.AuditTrail(ctx, EventFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, e := range all {
			kinds = append(kinds, string(e.Kind))
			if strings.Contains(fmt.Sprint(e), "192.0.2") || !fault.Legible(e.Details) || len(e.Details) > maxDetails {
				t.Errorf("%+v", e)
			}
		}
		if got := strings.Join(kinds, " "); got != "sign_in_failure sign_up refusal refusal reactivate deactivate plan rotate mint" {
			t.Error(got)
		}
		if e := all[7]; e.Actor != "acc_ann" || e.Key != k.ID || len(e.Address) != 64 || e.At != c.now().Add(-time.Hour).UTC() {
			t.Errorf("%+v", e)
		}
		if all[0].Address != all[7].Address || all[8].Address != "" || all[8].Actor != "operator" || all[6].Details != "free to pro" {
			t.Errorf("%+v", all)
		}
		for _, f := range []struct {
			EventFilter
			want int
		}{
			{EventFilter{Kind: EventRefusal}, 2}, {EventFilter{Actor: "acc_ann"}, 3}, {EventFilter{Key: k.ID}, 6}, {EventFilter{Limit: 4}, 4}, {EventFilter{Before: all[6].Seq}, 2},
			{EventFilter{From: c.now()}, 7}, {EventFilter{Until: c.now()}, 2}, {EventFilter{Key: k.ID, Actor: "acc_ann", Kind: EventRotate, From: c.now().Add(-time.Hour), Until: c.now(), Limit: 1000}, 1},
			{EventFilter{Actor: "\x00\xff"}, 0},
		} {
			if got, err := s.AuditTrail(ctx, f.EventFilter); err != nil || len(got) != f.want {
				t.Errorf("%+v: %d, %v", f.EventFilter, len(got), err)
			}
		}
		if _, err := s.AuditTrail(ctx, EventFilter{Limit: 1001}); slugOf(err) != "bad_limit" {
			t.Error(err)
		}
		for _, bad := range []Event{{}, {Kind: "x\x00"}, {Kind: EventRefusal, Key: "\x00"}} {
			if err := s.Audit(ctx, bad); err == nil {
				t.Errorf("noted %+v", bad)
			}
		}
		// Nobody changes what happened; TestStoreAuditKept has what is removed.
		if err := s.update(ctx, func(t *tx) { t.exec("UPDATE events SET actor = 'x'") }); err == nil {
			t.Error("events can be changed")
		}
		if again, err := s.AuditTrail(ctx, EventFilter{}); err != nil || !slices.Equal(again, all) {
			t.Error("the trail is another", err)
		}
		holdsNo(t, s, p, secret, next, "ann@example.orgx")
	})
}
