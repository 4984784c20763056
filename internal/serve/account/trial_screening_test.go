package account

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestStoreScreening takes the one screening of a key, an account and an agent.
func TestStoreScreening(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		alone := signUp(t, s, "ann@example.org")
		shared := signUp(t, s, "bob@example.org")
		_, bobs, err := s.CreateFor(ctx, shared.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		_, k := create(t, s, Free)
		_, agent := mintAnonymous(t, s)
		take := func(id string, want bool) {
			t.Helper()
			if first, err := s.TakeScreen(ctx, id); first != want || err != nil {
				t.Errorf("taken: %v, %v", first, err)
			}
		}
		screened := func(id string, want bool) {
			t.Helper()
			if got, err := s.Screened(ctx, id); got != want || err != nil {
				t.Errorf("screened: %v, %v", got, err)
			}
		}
		for _, owner := range []struct{ id, too string }{{k.ID, k.ID}, {alone.ID, alone.ID}, {shared.ID, bobs.ID}, {agent.ID, agent.ID}} {
			screened(owner.id, false)
			if err := s.ReturnScreen(ctx, owner.id); err != nil { // nothing to return
				t.Error(err)
			}
			take(owner.id, true)
			take(owner.too, false)
			screened(owner.too, true)
			if err := s.ReturnScreen(ctx, owner.too); err != nil {
				t.Error(err)
			}
			screened(owner.id, false)
			take(owner.too, true)
			take(owner.id, false)
			screened(owner.id, true)
		}
		for _, id := range []string{"", "key_nobodyNobody", "acc_nobodyNobody", "acc_\x00", "nobody@example.org"} {
			_, err1 := s.TakeScreen(ctx, id)
			_, err2 := s.Screened(ctx, id)
			for _, err := range []error{err1, err2, s.ReturnScreen(ctx, id)} {
				if !errors.Is(err, ErrUnknownKey) && !errors.Is(err, ErrUnknownAccount) {
					t.Errorf("%q: %v", id, err)
				}
			}
		}
	})
}

// TestStoreScreeningRace lets sixty-four callers want the one screening at once,
// through two stores, a part of them by the account and a part by its key.
func TestStoreScreeningRace(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		both := []*Store{openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})}
		_, alone := create(t, both[0], Free)
		a := signUp(t, both[0], "ann@example.org")
		_, hers, err := both[0].CreateFor(t.Context(), a.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		for name, ids := range map[string][]string{"a key": {alone.ID}, "an account and its key": {a.ID, hers.ID}} {
			for round := range 2 {
				var granted atomic.Int64
				var wg sync.WaitGroup
				for g := range 64 {
					wg.Go(func() {
						first, err := both[g%2].TakeScreen(context.Background(), ids[g/2%len(ids)])
						if err != nil {
							t.Error(err)
						}
						if first {
							granted.Add(1)
						}
					})
				}
				wg.Wait()
				if granted.Load() != 1 {
					t.Errorf("%s, round %d: %d granted", name, round, granted.Load())
				}
				if err := both[round].ReturnScreen(t.Context(), ids[0]); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestStoreAccountWithoutKey pays for an account that has no key, then for one
// that has.
func TestStoreAccountWithoutKey(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		a := signUp(t, s, "ann@example.org")
		limit := Free.Terms().Allowance
		balance := func(id string, want int) {
			t.Helper()
			if b, err := s.Balance(ctx, id); err != nil || b.Limit != limit || b.Remaining != want || b.Reset != Day.Reset(c.now()) {
				t.Errorf("%+v, %v", b, err)
			}
		}
		balance(a.ID, limit)
		if b, err := s.Charge(ctx, a.ID, 7); err != nil || b.Remaining != limit-7 {
			t.Fatalf("%+v, %v", b, err)
		}
		if b, err := s.Charge(ctx, a.ID, 0); err != nil || b.Remaining != limit-7 {
			t.Fatalf("%+v, %v", b, err)
		}
		_, k, err := s.CreateFor(ctx, a.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		balance(k.ID, limit-7)
		if b, err := s.Charge(ctx, k.ID, 3); err != nil || b.Remaining != limit-10 {
			t.Fatalf("%+v, %v", b, err)
		}
		balance(a.ID, limit-10)
		for id, want := range map[string]int{a.ID: 7, k.ID: 3} {
			used, err := s.Usage(ctx, id, c.now().Add(-time.Hour), c.now(), time.Hour)
			if err != nil || len(used) != 2 || used[0].Calls != 0 || used[1].Calls != want {
				t.Errorf("%+v, %v", used, err)
			}
		}
		b, err := s.Charge(ctx, a.ID, limit)
		if !errors.Is(err, ErrSpent) || b.Remaining != limit-10 || err.Error() != "Daily limit reached: 50 calls a day on the free plan." {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := s.SetAccountPlan(ctx, a.ID, Plus); err != nil {
			t.Fatal(err)
		}
		if b, err := s.Charge(ctx, a.ID, 1); err != nil || b.Limit != Plus.Terms().Allowance {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := s.DeactivateAccount(ctx, a.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Charge(ctx, a.ID, 1); !errors.Is(err, ErrInactive) || slugOf(err) != "account_inactive" {
			t.Error(err)
		}
		for _, id := range []string{"acc_nobodyNobody", a.Email, "acc_\x00"} {
			if b, err := s.Charge(ctx, id, 1); !errors.Is(err, ErrUnknownAccount) && !errors.Is(err, ErrUnknownKey) {
				t.Errorf("%q: %+v, %v", id, b, err)
			}
		}
	})
}

// TestStoreAccountRace spends one allowance by the account and by its keys at
// once, through two stores: exactly the allowance is granted.
func TestStoreAccountRace(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		both := []*Store{openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})}
		ctx := t.Context()
		a := signUp(t, both[0], "ann@example.org")
		if _, err := both[0].SetAccountPlan(ctx, a.ID, Plus); err != nil {
			t.Fatal(err)
		}
		_, k, err := both[0].CreateFor(ctx, a.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{a.ID, k.ID}
		var byID [2]atomic.Int64
		var wg sync.WaitGroup
		for g := range 64 {
			wg.Go(func() {
				for range 8 {
					switch _, err := both[g%2].Charge(context.Background(), ids[g/2%2], 1); {
					case err == nil:
						byID[g/2%2].Add(1)
					case !errors.Is(err, ErrSpent):
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if got := byID[0].Load() + byID[1].Load(); got != int64(Plus.Terms().Allowance) {
			t.Errorf("%d granted", got)
		}
		for i, id := range ids {
			used, err := both[i].Usage(ctx, id, c.now(), c.now().Add(time.Second), time.Hour)
			if err != nil || len(used) != 1 || int64(used[0].Calls) != byID[i].Load() {
				t.Errorf("%+v, %v, want %d", used, err, byID[i].Load())
			}
		}
	})
}
