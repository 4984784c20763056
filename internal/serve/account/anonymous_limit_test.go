package account

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// unlock answers the challenge of a key, its first when it has none.
func unlock(t *testing.T, s *Store, id string) {
	t.Helper()
	a, err := s.SetChallenge(t.Context(), id, 0, quiz())
	if err != nil {
		t.Fatal(err)
	}
	if _, out, err := s.Attempt(t.Context(), id, a.Challenge.No, right); err != nil || out.Verdict != Right {
		t.Fatal(out, err)
	}
}

// agents counts the rows of a condition.
func (s *Store) agents(t *testing.T, where string) (n int) {
	t.Helper()
	if err := one(s.view(t.Context()), "SELECT COUNT(*) FROM agents WHERE "+where, nil, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStoreAnonymousBound floods a store with mints, and then with answers.
func TestStoreAnonymousBound(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now, Anonymous: 5})
		ctx := t.Context()
		_, signed, err := s.MintAgent(ctx, AgentSpec{Tier: Signed, Thumbprint: "thumb"})
		if err != nil {
			t.Fatal(err)
		}
		_, person := create(t, s, Free)
		_, used := mintAnonymous(t, s)
		unlock(t, s, used.ID)
		if _, err := s.TakeScreen(ctx, used.ID); err != nil {
			t.Fatal(err)
		}
		var last AgentInfo
		for i := range 40 {
			secret, a := mintAnonymous(t, s)
			if n := s.agents(t, unanswered); n > 5 {
				t.Fatalf("%d keys that never answered after %d mints", n, i+1)
			}
			if _, err := s.Authenticate(ctx, secret); err != nil {
				t.Fatalf("a key that was just minted: %v", err)
			}
			last = a
		}
		for _, id := range []string{signed.ID, person.ID, used.ID, last.ID} {
			if _, err := s.Find(ctx, id); err != nil {
				t.Errorf("a key that is none of the flood is gone: %v", err)
			}
		}
		// Only as many that answer after it push a key out that has answered.
		for i := range 5 {
			if _, err := s.Charge(ctx, used.ID, 1); err != nil {
				t.Fatalf("after %d others have answered: %v", i, err)
			}
			_, a := mintAnonymous(t, s)
			unlock(t, s, a.ID)
		}
		if _, err := s.Find(ctx, used.ID); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("the sixth last to answer: %v", err)
		}
		if n := s.agents(t, answered); n != 5 {
			t.Errorf("%d keys that answered", n)
		}
		var screens int
		if err := one(s.view(ctx), "SELECT COUNT(*) FROM screens", nil, &screens); err != nil || screens != 0 {
			t.Errorf("%d screens of keys that are gone, %v", screens, err)
		}
		// A bound that was lowered is come down to.
		lower := openAt(t, p, Options{Clock: c.now, Anonymous: 2})
		for range 3 {
			mintAnonymous(t, lower)
		}
		if n := s.agents(t, unanswered); n != 2 {
			t.Errorf("%d keys that never answered under a bound of 2", n)
		}
	})
}

// TestStoreAnonymousKept looks at what is kept of an anonymous key.
func TestStoreAnonymousKept(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		long := strings.Repeat("é", 500)
		_, a, err := s.MintAgent(ctx, AgentSpec{Tier: Anonymous, Purpose: long, Source: long})
		if err != nil || a.Purpose != long[:keptWords] || a.Source != long[:keptWords] {
			t.Fatalf("%d and %d bytes are kept, %v", len(a.Purpose), len(a.Source), err)
		}
		unlock(t, s, a.ID)
		mintAnonymous(t, s)
		if got, err := s.Agent(ctx, a.ID); err != nil || len(got.Challenge.Answers)+len(got.Challenge.Calls)+len(got.Challenge.Salt) > 0 || string(got.Challenge.Params) != "null" {
			t.Errorf("a key that was unlocked keeps its questions: %+v, %v", got.Challenge, err)
		}
		if events, err := s.AuditTrail(ctx, EventFilter{}); err != nil || len(events) != 1 || events[0].Kind != EventUnlock || events[0].Key != a.ID {
			t.Errorf("two mints and an answer are in the trail as %+v, %v", events, err)
		}
		for _, step := range []struct {
			pass         time.Duration
			never, found int
		}{
			{24*time.Hour - 1, 1, 1}, {1, 0, 1}, {rememberAnswered - 1, 0, 1}, {1, 0, 0},
		} {
			c.add(step.pass)
			if err := s.sweep(ctx); err != nil {
				t.Fatal(err)
			}
			if n, m := s.agents(t, unanswered), s.agents(t, answered); n != step.never || m != step.found {
				t.Errorf("at %v: %d keys that never answered and %d that did", c.now(), n, m)
			}
		}
	})
}

// TestStoreClockSetBack sets the clock back after limits were reached: what a
// wrong clock began keeps nobody out until the right one has caught up.
func TestStoreClockSetBack(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now, Mints: 2})
		ctx := t.Context()
		mints := func(want ...bool) {
			t.Helper()
			for i, w := range want {
				wait, ok, err := s.TakeMint(ctx, "192.0.2.1")
				if err != nil || ok != w || wait > time.Hour || !ok && wait <= 0 {
					t.Errorf("mint %d at %v: %v, wait %v, %v", i+1, c.now(), ok, wait, err)
				}
			}
		}
		_, k := create(t, s, Free)
		_, agent := mintAnonymous(t, s)
		if _, err := s.SetChallenge(ctx, agent.ID, 0, quiz()); err != nil {
			t.Fatal(err)
		}
		mints(true, true, false)
		c.add(-skew) // servers may be so far apart: the window goes on
		mints(false)
		c.add(-1)
		mints(true, true, false)

		c.add(30 * 24 * time.Hour)
		mints(true, true, false)
		for _, want := range []bool{true, true, false} {
			if _, ok, err := s.TakeMint(ctx, "192.0.2.9"); err != nil || ok != want {
				t.Fatal(ok, err)
			}
		}
		if _, out, err := s.Attempt(ctx, agent.ID, 1, wrong); slugOf(err) != "key_expired" {
			t.Fatal(out, err) // far from its time, the key is over
		}
		if _, err := s.Charge(ctx, k.ID, 50); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Charge(ctx, k.ID, 1); !errors.Is(err, ErrSpent) {
			t.Fatal(err)
		}
		c.add(-30 * 24 * time.Hour)
		mints(true, true, false)

		c.add(time.Hour)
		if _, out, err := s.Attempt(ctx, agent.ID, 1, wrong); err != nil || out.Verdict != Wrong {
			t.Fatal(out, err)
		}
		if _, out, err := s.Attempt(ctx, agent.ID, 1, right); err != nil || out.Verdict != TooSoon {
			t.Fatal(out, err)
		}
		c.add(-time.Hour)
		if a, err := s.Agent(ctx, agent.ID); err != nil || a.Challenge.Wait(c.now()) != 0 {
			t.Errorf("a wait of %v, %v", a.Challenge.Wait(c.now()), err)
		}
		if _, out, err := s.Attempt(ctx, agent.ID, 1, right); err != nil || out.Verdict != Right {
			t.Error(out, err)
		}

		// What was spent of a day that had not begun is not spent when it does, nor
		// was anything tried in it.
		if err := s.sweep(ctx); err != nil {
			t.Fatal(err)
		}
		c.add(30 * 24 * time.Hour)
		if _, ok, err := s.TakeMint(ctx, "192.0.2.9"); err != nil || !ok {
			t.Errorf("a window of the future that was swept: %v, %v", ok, err)
		}
		if b, err := s.Charge(ctx, k.ID, 1); err != nil || b.Remaining != 49 {
			t.Errorf("%+v, %v", b, err)
		}
	})
}
