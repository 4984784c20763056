package account

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/ein"
)

// watched makes a list of two organizations that is watched.
func watched(t *testing.T, s *Store, email string) (account string, l List) {
	t.Helper()
	account = owner(t, s, email)
	l = newList(t, s, account, "Grantees")
	if _, err := s.AddMembers(t.Context(), account, l.ID, []Member{{EIN: 70000001, Name: "First"}, {EIN: 80000002, Name: "Other"}, {Name: "Unnumbered"}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ChangeWatch(t.Context(), account, l.ID, WatchChange{On: new(true)}); err != nil {
		t.Fatal(err)
	}
	return account, l
}

// edition n of the lists, and the alerts that it brings.
func editionOf(n int) WatchMark { return WatchMark{Edition: fmt.Sprintf("202601%02dT000000Z", n)} }

func alertsOf(from, to WatchMark, members []WatchedMember) (list []Alert) {
	for _, m := range members {
		list = append(list, Alert{Kind: "revoked", Source: "revocation", EIN: m.EIN, Name: m.Listed, From: from.Edition, To: to.Edition})
	}
	return list
}

// compareAll brings every watched list from its mark to edition n, one edition at a time, as a server does.
func compareAll(t testing.TB, s *Store, n int) (written int) {
	t.Helper()
	stale, err := s.StaleWatches(t.Context(), editionOf(n))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range stale {
		w, err := s.ReadWatch(t.Context(), list)
		if err != nil || w == nil {
			t.Fatal(w, err)
		}
		var found []Alert
		if w.Mark.Edition != "" && w.Mark.Edition < editionOf(n).Edition {
			found = alertsOf(w.Mark, editionOf(n), w.Members)
		}
		made, err := s.Record(t.Context(), w, found, nil, editionOf(n))
		if err != nil {
			t.Fatal(err)
		}
		written += made
	}
	return written
}

func TestWatch(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann, l := watched(t, s, "ann@example.org")
		bob := owner(t, s, "bob@example.org")

		// The first comparison only remembers.
		stale, err := s.StaleWatches(ctx, editionOf(1))
		if err != nil || len(stale) != 1 {
			t.Fatal(stale, err)
		}
		w, err := s.ReadWatch(ctx, stale[0])
		if err != nil || len(w.Members) != 2 || w.Members[0] != (WatchedMember{EIN: 70000001, Listed: "First"}) {
			t.Fatalf("%+v, %v", w, err)
		}
		seen := []WatchedMember{{EIN: 70000001, Name: "FIRST", Address: "1 Way"}}
		if n, err := s.Record(ctx, w, nil, seen, editionOf(1)); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if n := compareAll(t, s, 1); n != 0 {
			t.Errorf("%d alerts of the same edition", n)
		}
		if n := compareAll(t, s, 3); n != 2 {
			t.Errorf("%d alerts", n)
		}
		// A server that has an earlier edition has nothing to do.
		if stale, err := s.StaleWatches(ctx, editionOf(2)); err != nil || len(stale) != 0 {
			t.Error(stale, err)
		}
		// A comparison from an edition that is no longer the last one writes nothing.
		if n, err := s.Record(ctx, w, alertsOf(w.Mark, editionOf(3), w.Members), nil, editionOf(3)); n != 0 || err != nil {
			t.Error(n, err)
		}
		got, _, err := s.Alerts(ctx, ann, l.ID, 0, 0, 10)
		if err != nil || len(got) != 2 || got[1].EIN != 70000001 || got[1].From != editionOf(1).Edition || got[1].To != editionOf(3).Edition || !got[1].At.Equal(c.now()) {
			t.Fatalf("%+v, %v", got, err)
		}
		if page, all, err := s.Alerts(ctx, ann, l.ID, got[1].Seq, 0, 10); err != nil || len(page) != 1 || page[0] != got[0] || all != 1 {
			t.Errorf("%+v, %d, %v", page, all, err)
		}
		if page, _, err := s.Alerts(ctx, ann, l.ID, 0, got[0].Seq, 10); err != nil || len(page) != 1 || page[0] != got[1] {
			t.Errorf("%+v, %v", page, err)
		}
		for name, err := range map[string]error{
			"alerts": func() error { _, _, err := s.Alerts(ctx, bob, l.ID, 0, 0, 10); return err }(),
			"change": func() error { _, _, err := s.ChangeWatch(ctx, bob, l.ID, WatchChange{On: new(false)}); return err }(),
			"read":   func() error { _, err := s.WatchOf(ctx, bob, l.ID); return err }(),
		} {
			if slugOf(err) != "unknown_list" {
				t.Errorf("%s of another account: %v", name, err)
			}
		}

		// A member that was added is compared from now on, and one that was removed is forgotten.
		c.add(time.Minute)
		if _, err := s.RemoveMembers(ctx, ann, l.ID, []int64{1}); err != nil {
			t.Fatal(err)
		}
		if n := compareAll(t, s, 3); n != 0 {
			t.Errorf("%d alerts", n)
		}
		// A server that is behind another writes nothing.
		w, err = s.ReadWatch(ctx, stale[0])
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.Record(ctx, w, alertsOf(w.Mark, editionOf(2), w.Members), nil, editionOf(2)); n != 0 || err != nil {
			t.Error(n, err)
		}
		var left int
		if err := one(s.view(ctx), "SELECT COUNT(*) FROM watch_members", nil, &left); err != nil || left != 0 {
			t.Error(left, err)
		}

		// The secret of the feed.
		_, feed, err := s.ChangeWatch(ctx, ann, l.ID, WatchChange{Feed: new(true)})
		if err != nil || len(feed) < 40 {
			t.Fatal(feed, err)
		}
		if a, found, err := s.FeedBySecret(ctx, feed); err != nil || a != ann || found.ID != l.ID {
			t.Error(a, found, err)
		}
		holdsNo(t, s, p, feed)
		if _, _, err := s.ChangeWatch(ctx, ann, l.ID, WatchChange{Feed: new(true)}); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{feed, "", "x\x00"} {
			if a, _, err := s.FeedBySecret(ctx, secret); err != nil || a != "" {
				t.Errorf("%q: %q %v", secret, a, err)
			}
		}
		if _, _, err := s.ChangeWatch(ctx, ann, l.ID, WatchChange{On: new(false)}); err != nil {
			t.Fatal(err)
		}
		if w, err := s.WatchOf(ctx, ann, l.ID); err != nil || w != nil {
			t.Error(w, err)
		}
		if err := s.DeleteList(ctx, ann, l.ID); err != nil {
			t.Error(err)
		}
	})
}

// TestFeedIsBounded fills a feed beyond its end, and lets the rest of it expire.
func TestFeedIsBounded(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ann, l := watched(t, s, "ann@example.org")
		compareAll(t, s, 1)
		w, err := s.ReadWatch(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		var many []Alert
		for i := range MostAlerts + 7 {
			many = append(many, Alert{Kind: "new_grants", Source: "builds", EIN: ein.EIN(70000001 + i), From: "a", To: "b"})
		}
		if n, err := s.Record(t.Context(), w, many, nil, editionOf(2)); err != nil || n != len(many) {
			t.Fatal(n, err)
		}
		got, _, err := s.Alerts(t.Context(), ann, l.ID, 0, 0, len(many))
		if err != nil || len(got) != MostAlerts || got[0].EIN != many[len(many)-1].EIN {
			t.Error(len(got), err)
		}
		c.add(AlertsKept + time.Second)
		if err := s.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, _, err = s.Alerts(t.Context(), ann, l.ID, 0, 0, 1); err != nil || len(got) != 0 {
			t.Error(got, err)
		}
		// Numbers go on where they were, so that no channel takes a new alert for one that it sent.
		if n := compareAll(t, s, 3); n != 2 {
			t.Error(n)
		}
		if got, _, err = s.Alerts(t.Context(), ann, l.ID, 0, 0, 1); err != nil || len(got) != 1 || got[0].Seq <= int64(len(many)) {
			t.Error(got, err)
		}
	})
}

func TestDeliveries(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann, l := watched(t, s, "ann@example.org")
		compareAll(t, s, 1)
		compareAll(t, s, 2)
		set := func(w WatchChange) {
			t.Helper()
			if _, _, err := s.ChangeWatch(ctx, ann, l.ID, w); err != nil {
				t.Fatal(err)
			}
		}
		due := func(want ...string) (list []Due) {
			t.Helper()
			list, err := s.DueDeliveries(ctx, 10)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range list {
				got = append(got, d.Channel)
			}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("due are %v, not %v", got, want)
			}
			return list
		}
		set(WatchChange{Email: new(true), Webhook: new("https://hooks.example.org/1")})
		due() // what is in the feed already is not sent
		compareAll(t, s, 3)
		first := due(ByWebhook)[0] // the address is not confirmed
		d, err := s.TakeDelivery(ctx, first, time.Minute, 1)
		if err != nil || len(d.Alerts) != 1 || !d.More || d.Target != "https://hooks.example.org/1" || d.List != l.ID || d.ListName != "Grantees" ||
			d.Email != "ann@example.org" {
			t.Fatalf("%+v, %v", d, err)
		}
		if again, err := other.TakeDelivery(ctx, first, time.Minute, 1); err != nil || again != nil {
			t.Errorf("two servers have a turn: %+v, %v", again, err)
		}
		// The first server is killed: the other one sends the same alert.
		c.add(time.Minute)
		again, err := other.TakeDelivery(ctx, first, time.Minute, 10)
		if err != nil || again == nil || again.Alerts[0] != d.Alerts[0] || len(again.Alerts) != 2 || again.More {
			t.Fatalf("%+v, %v", again, err)
		}
		if err := other.Delivered(ctx, again, c.now()); err != nil {
			t.Fatal(err)
		}
		// It was only slow: what it says now is too late.
		if err := s.Undelivered(ctx, d, "timeout", time.Time{}); err != nil {
			t.Fatal(err)
		}
		if w, err := s.WatchOf(ctx, ann, l.ID); err != nil || w.Webhook.Stopped || w.Webhook.Failures != 0 || w.Email == nil {
			t.Errorf("%+v, %v", w, err)
		}
		due()

		compareAll(t, s, 4)
		d, err = s.TakeDelivery(ctx, due(ByWebhook)[0], time.Minute, 10)
		if err != nil || len(d.Alerts) != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
		if err := s.Undelivered(ctx, d, "it answered 500", c.now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		due()
		if n, err := s.Failing(ctx); err != nil || n[ByWebhook] != 1 || n[ByEmail] != 0 {
			t.Error(n, err)
		}
		c.add(time.Hour)
		if d, err = s.TakeDelivery(ctx, due(ByWebhook)[0], time.Minute, 10); err != nil || d.Failures != 1 || len(d.Alerts) != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
		if err := s.Undelivered(ctx, d, "it answered 500", time.Time{}); err != nil {
			t.Fatal(err)
		}
		if w, err := s.WatchOf(ctx, ann, l.ID); err != nil || !w.Webhook.Stopped || w.Webhook.Failures != 2 || w.Webhook.Error != "it answered 500" {
			t.Errorf("%+v, %v", w, err)
		}
		c.add(1000 * time.Hour)
		due()
		set(WatchChange{Webhook: new("https://hooks.example.org/2")})
		due(ByWebhook)

		if err := s.update(ctx, func(t *tx) { t.exec("UPDATE accounts SET verified = 1") }); err != nil {
			t.Fatal(err)
		}
		due(ByEmail, ByWebhook)
		if err := s.StopEmail(ctx, l.ID); err != nil {
			t.Fatal(err)
		}
		due(ByWebhook)
		if _, err := s.DeactivateAccount(ctx, ann); err != nil {
			t.Fatal(err)
		}
		due()
	})
}

// TestTwoServersAlert lets several servers compare the same lists at the same time.
func TestTwoServersAlert(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		servers := []*Store{openAt(t, p, Options{}), openAt(t, p, Options{})}
		ann, l := watched(t, servers[0], "ann@example.org")
		compareAll(t, servers[0], 1)
		const editions = 12
		var all sync.WaitGroup
		var mu sync.Mutex
		written := 0
		for k := range 4 {
			all.Go(func() {
				for n := 2; n <= editions; n++ {
					made := compareAll(t, servers[k%2], n)
					mu.Lock()
					written += made
					mu.Unlock()
				}
			})
		}
		all.Wait()
		checkFeed(t, servers[0], ann, l.ID, editions)
		got, _, err := servers[0].Alerts(t.Context(), ann, l.ID, 0, 0, MostAlerts)
		if err != nil || len(got) != written {
			t.Errorf("%d alerts are in the feed, and %d were written: %v", len(got), written, err)
		}
	})
}

// checkFeed checks that the alerts of each member lead from the first edition to the last
// without a gap and without going twice over the same.
func checkFeed(t *testing.T, s *Store, account, list string, last int) {
	t.Helper()
	got, _, err := s.Alerts(t.Context(), account, list, 0, 0, MostAlerts)
	if err != nil {
		t.Fatal(err)
	}
	at := map[ein.EIN]string{70000001: editionOf(last).Edition, 80000002: editionOf(last).Edition}
	for _, a := range got {
		if a.To != at[a.EIN] {
			t.Fatalf("%s: an alert of %s to %s where one to %s comes next", a.EIN, a.From, a.To, at[a.EIN])
		}
		at[a.EIN] = a.From
	}
	for e, edition := range at {
		if edition != editionOf(1).Edition {
			t.Errorf("%s: the alerts begin with %s", e, edition)
		}
	}
}

// The test binary, started with these variables, is a server that compares until it is killed.
const watchEnv, watchDSN = "GRANTGRAPH_TEST_WATCH", "GRANTGRAPH_TEST_WATCH_DSN"

// lastEdition is the edition to which the servers of TestKilledServer bring the lists.
const lastEdition = 28

// compareForever brings the lists from edition to edition, and writes a byte before each transaction.
func compareForever(p place) {
	s, err := p.open(context.Background(), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	t := &loop{}
	for n := 2; n <= lastEdition; n++ {
		os.Stdout.Write([]byte{'+'})
		compareAll(t, s, n)
	}
}

// loop is a test in the process that is killed.
type loop struct{ testing.TB }

func (*loop) Helper() {}

func (*loop) Context() context.Context { return context.Background() }

func (l *loop) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}

// TestKilledServer lets two servers compare the same lists. One is killed while it compares, again and again; no alert is lost and
// none is in the feed twice.
func TestKilledServer(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		s := openAt(t, p, Options{})
		ann, l := watched(t, s, "ann@example.org")
		compareAll(t, s, 1)
		for round := range 6 {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), watchEnv+"="+cmp.Or(p.dir, "none"), watchDSN+"="+p.dsn)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// It has written, or is about to write, so many editions when it is killed. The other server writes some of them.
			for n := range 3 * (round + 1) {
				if _, err := out.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				if n%2 == 0 {
					compareAll(t, s, n+2)
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
		}
		compareAll(t, s, lastEdition)
		checkFeed(t, s, ann, l.ID, lastEdition)
	})
}
