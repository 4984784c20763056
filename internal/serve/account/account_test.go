package account

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

// clock is a clock that stands until it is moved.
type clock struct{ nanos atomic.Int64 }

func newClock(s string) *clock {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	c := new(clock)
	c.nanos.Store(at.UnixNano())
	return c
}

func (c *clock) now() time.Time      { return time.Unix(0, c.nanos.Load()) }
func (c *clock) add(d time.Duration) { c.nanos.Add(int64(d)) }
func slugOf(err error) string        { f, _ := fault.Of(err); return slugIn(f) }
func slugIn(f *fault.Fault) (s string) {
	if f != nil {
		s = f.Slug
	}
	return s
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, terms := range append(Plans(), Agent.Terms()) {
		for range 200 {
			key, err := NewKey(terms.Plan, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			if seen[key] || len(key) != keyLength || !strings.HasPrefix(key, "gg_"+string(terms.Letter)+"_") {
				t.Fatalf("key %q", key)
			}
			seen[key] = true
			if plan, err := ParseKey(key); err != nil || plan != terms.Plan {
				t.Fatalf("%q: plan %q, %v", key, plan, err)
			}
			// Any one character changed, and any two neighbours swapped, is told
			// without a look-up.
			for i := range len(key) {
				b := []byte(key)
				if b[i] == 'x' {
					b[i] = 'y'
				} else {
					b[i] = 'x'
				}
				if _, err := ParseKey(string(b)); slugOf(err) != "unknown_key" || !errors.Is(err, ErrUnknownKey) {
					t.Fatalf("%q passes for %q: %v", b, key, err)
				}
				if i > 0 && key[i] != key[i-1] {
					b := []byte(key)
					b[i], b[i-1] = b[i-1], b[i]
					if _, err := ParseKey(string(b)); err == nil {
						t.Fatalf("%q passes for %q", b, key)
					}
				}
			}
		}
	}
	for _, s := range []string{"", "gg_", "hello", strings.Repeat("g", keyLength), "gg_f_" + strings.Repeat("é", 20), strings.Repeat("gg_f_", 1000)} {
		if _, err := ParseKey(s); slugOf(err) != "unknown_key" {
			t.Errorf("%q: %v", s, err)
		}
	}
	if _, err := NewKey("gold", rand.Reader); slugOf(err) != "bad_plan" {
		t.Errorf("a key of no plan: %v", err)
	}
	if _, err := NewKey(Free, bytes.NewReader([]byte{1, 2})); err == nil {
		t.Error("a key without randomness")
	}
}

func FuzzParseKey(f *testing.F) {
	key, err := NewKey(Free, rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(key)
	f.Add("gg_f_")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		plan, err := ParseKey(s)
		if (err == nil) != (plan.Terms().Letter != 0) {
			t.Fatalf("%q: %q, %v", s, plan, err)
		}
	})
}

func TestStoreLifeOfAKey(t *testing.T) { stores(t, testLifeOfAKey) }

func testLifeOfAKey(t *testing.T, p place) {
	c := newClock("2026-03-10T12:00:00Z")
	s := openAt(t, p, Options{Clock: c.now})
	other := openAt(t, p, Options{Clock: c.now})
	ctx := t.Context()
	secret, k := create(t, s, Free)
	if k.Plan != Free || !k.Active || k.Email != "ann@example.org" || !k.Created.Equal(c.now()) {
		t.Errorf("made %+v", k)
	}
	for _, by := range []string{secret, k.ID} {
		if got, err := s.Find(ctx, by); err != nil || got != k {
			t.Errorf("by %q: %+v, %v", by, got, err)
		}
	}
	if got, err := s.Authenticate(ctx, secret); err != nil || got != k {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Authenticate(ctx, k.ID); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("an ID passes for a key: %v", err)
	}
	none, err := NewKey(Free, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{none, "key_nobody", "key_nobodyNobody", "", "gg_f_short", "key_\x00\xff", "key_nobodyNobod\x00"} {
		if _, err := s.Find(ctx, by); !errors.Is(err, ErrUnknownKey) || slugOf(err) != "unknown_key" {
			t.Errorf("by %q: %v", by, err)
		}
	}

	if b, err := s.Charge(ctx, k.ID, 3); err != nil || b.Remaining != 47 {
		t.Errorf("%+v, %v", b, err)
	}
	c.add(time.Hour)
	next, rotated, err := s.Rotate(ctx, secret)
	if err != nil || next == secret || rotated.ID != k.ID || !rotated.Rotated.Equal(c.now()) || !rotated.Created.Equal(k.Created) {
		t.Errorf("rotated to %+v, %v", rotated, err)
	}
	for _, s := range []*Store{s, other} {
		if _, err := s.Authenticate(ctx, secret); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("the old key lives: %v", err)
		}
		if got, err := s.Authenticate(ctx, next); err != nil || got.ID != k.ID {
			t.Errorf("the new key: %+v, %v", got, err)
		}
	}
	if b, err := s.Balance(ctx, k.ID); err != nil || b.Remaining != 47 {
		t.Errorf("rotating refills: %+v, %v", b, err)
	}

	if got, err := s.Deactivate(ctx, next); err != nil || got.Active {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Charge(ctx, k.ID, 1); !errors.Is(err, ErrInactive) || slugOf(err) != "account_inactive" {
		t.Errorf("an inactive key is charged: %v", err)
	}
	if got, err := s.Find(ctx, k.ID); err != nil || got.Active || slugOf(got.Require(Grants)) != "account_inactive" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Reactivate(ctx, k.ID); err != nil || !got.Active {
		t.Errorf("%+v, %v", got, err)
	}
	got, err := s.SetPlan(ctx, k.ID, Pro)
	if err != nil || got.Plan != Pro {
		t.Errorf("%+v, %v", got, err)
	}
	if b, err := s.Balance(ctx, k.ID); err != nil || b.Limit != 10_000 || b.Remaining != 10_000 || !b.Reset.Equal(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, err := range []error{
		second(s.SetPlan(ctx, k.ID, "gold")), second(s.SetPlan(ctx, "key_nobody", Pro)), second(s.Deactivate(ctx, "key_nobody")),
		second(s.Charge(ctx, "key_nobody", 1)), second(s.Balance(ctx, "key_nobody")), second(s.Charge(ctx, k.ID, -1)),
	} {
		if err == nil {
			t.Error("done to a key or plan that does not exist")
		}
	}
	if _, _, err := s.Create(ctx, Free, "not an address", ""); slugOf(err) != "bad_email" {
		t.Errorf("bad address: %v", err)
	}
	for _, label := range []string{strings.Repeat("x", 1000), "a\x00b", "\xff", "two\nlines", "\u202eright to left"} {
		if _, _, err := s.Create(ctx, Free, "", label); slugOf(err) != "bad_label" {
			t.Errorf("label %q: %v", label, err)
		}
	}
	for _, plan := range []Plan{"", "gold", Agent} {
		if _, _, err := s.Create(ctx, plan, "", ""); slugOf(err) != "bad_plan" {
			t.Errorf("plan %q: %v", plan, err)
		}
	}

	_, plus := create(t, s, Plus)
	list, err := s.List(ctx)
	if err != nil || len(list) != 2 || list[0].ID != k.ID || list[1] != plus {
		t.Errorf("list %+v, %v", list, err)
	}

	holdsNo(t, s, p, secret, next)
}

func second[T any](_ T, err error) error { return err }

func TestScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan  Plan
		scope Scope
		slug  string
	}{
		{Free, Grants, ""}, {Free, Paid, "plan_required"}, {Free, ProScope, "plan_required"},
		{Plus, Grants, ""}, {Plus, Paid, ""}, {Plus, ProScope, "plan_required"},
		{Pro, Grants, ""}, {Pro, Paid, ""}, {Pro, ProScope | Paid, ""},
		{"gold", Grants, "plan_required"},
	} {
		if got := slugOf(KeyInfo{Plan: c.plan, Active: true}.Require(c.scope)); got != c.slug {
			t.Errorf("%s, scope %d: %q, want %q", c.plan, c.scope, got, c.slug)
		}
	}
	if slugOf(NoKey()) != "no_key" {
		t.Error("NoKey is not no_key")
	}
}

// TestStoreWindows spends allowances around the edges of days and months.
func TestStoreWindows(t *testing.T) { stores(t, testWindows) }

func testWindows(t *testing.T, p place) {
	for _, c := range []struct {
		plan   Plan
		window Window
		at     string
		reset  string
		limit  int
	}{
		{Free, "", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", 50},
		{Free, Month, "2026-02-28T23:59:59Z", "2026-03-01T00:00:00Z", 50},
		{Free, Day, "2026-03-01T00:00:00+05:00", "2026-03-01T00:00:00Z", 50},
		{Plus, Month, "2028-02-29T08:00:00Z", "2028-03-01T00:00:00Z", 250},
		{Pro, "", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", 10_000},
		{Internal, "", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", Unlimited},
		{Free, "", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", 7}, // as the operator set it
	} {
		k := newClock(c.at)
		s := openAt(t, p, Options{Clock: k.now, FreeWindow: c.window, Calls: map[Plan]int{Free: c.limit}})
		ctx := t.Context()
		_, key := create(t, s, c.plan)
		b, err := s.Charge(ctx, key.ID, c.limit-1)
		if err != nil || b.Limit != c.limit || b.Remaining != 1 || b.Reset.Format(time.RFC3339) != c.reset {
			t.Fatalf("%+v: %+v, %v", c, b, err)
		}
		// Two do not fit and neither is taken; one does.
		if b, err = s.Charge(ctx, key.ID, 2); !errors.Is(err, ErrSpent) || slugOf(err) != "quota_exhausted" || b.Remaining != 1 {
			t.Errorf("%+v: %+v, %v", c, b, err)
		}
		if b, err = s.Charge(ctx, key.ID, 1); err != nil || b.Remaining != 0 {
			t.Errorf("%+v: %+v, %v", c, b, err)
		}
		if b, err = s.Charge(ctx, key.ID, 0); err != nil || b.Remaining != 0 {
			t.Errorf("%+v: %+v, %v", c, b, err)
		}
		// The last nanosecond of the window, then the first of the next.
		k.add(b.Reset.Sub(k.now()) - 1)
		if _, err = s.Charge(ctx, key.ID, 1); !errors.Is(err, ErrSpent) {
			t.Errorf("%+v: refilled too early: %v", c, err)
		}
		k.add(1)
		if b, err = s.Charge(ctx, key.ID, 1); err != nil || b.Remaining != c.limit-1 {
			t.Errorf("%+v: not refilled: %+v, %v", c, b, err)
		}
	}
	if _, err := p.open(t.Context(), Options{FreeWindow: "week"}); slugOf(err) != "bad_window" {
		t.Errorf("a window of a week: %v", err)
	}
}

// TestParseCalls reads what an operator sets.
func TestParseCalls(t *testing.T) {
	t.Parallel()
	calls, err := ParseCalls([]string{"free=100", "Pro = 20000"})
	if err != nil || !maps.Equal(calls, map[Plan]int{Free: 100, Pro: 20_000}) {
		t.Errorf("%v, %v", calls, err)
	}
	for _, bad := range []string{"", "free", "free=", "free=0", "free=-1", "free=1e3", "free=99999999999", "gold=5", "internal=5", "agent=5"} {
		if calls, err := ParseCalls([]string{bad}); slugOf(err) != "bad_calls" {
			t.Errorf("%q: %v, %v", bad, calls, err)
		}
	}
}

// TestStoreRace lets many goroutines spend one allowance, through two stores
// on the same database as two processes would have: exactly the allowance is
// granted.
func TestStoreRace(t *testing.T) { stores(t, testRace) }

func testRace(t *testing.T, p place) {
	c := newClock("2026-05-05T05:05:05Z")
	s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
	_, k := create(t, s, Plus)
	var granted, refused atomic.Int64
	left := make([]bool, 250)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			store := s
			if g%2 == 1 {
				store = other
			}
			for range 8 {
				b, err := store.Charge(context.Background(), k.ID, 1)
				switch {
				case err == nil:
					granted.Add(1)
					mu.Lock()
					if left[b.Remaining] {
						t.Errorf("two charges left %d", b.Remaining)
					}
					left[b.Remaining] = true
					mu.Unlock()
				case errors.Is(err, ErrSpent):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if granted.Load() != 250 || refused.Load() != 64*8-250 {
		t.Errorf("%d granted, %d refused", granted.Load(), refused.Load())
	}
	if b, err := s.Balance(t.Context(), k.ID); err != nil || b.Remaining != 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestStoreCancelledAndClosed(t *testing.T) { stores(t, testCancelledAndClosed) }

func testCancelledAndClosed(t *testing.T, p place) {
	s := openAt(t, p, Options{})
	_, k := create(t, s, Free)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Charge(ctx, k.ID, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("charged a call that had ended: %v", err)
	}
	if b, _ := s.Balance(t.Context(), k.ID); b.Remaining != 50 {
		t.Errorf("%+v", b)
	}
	// Closing while charges come in: each is answered, and the answer is true.
	var granted atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				if _, err := s.Charge(context.Background(), k.ID, 1); err != nil {
					return
				}
				granted.Add(1)
			}
		}()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if _, err := s.Charge(t.Context(), k.ID, 1); err == nil {
		t.Error("charged by a store that is closed")
	}
	if _, _, err := s.Create(t.Context(), Free, "", ""); err == nil {
		t.Error("made a key in a store that is closed")
	}
	again := openAt(t, p, Options{})
	if b, err := again.Balance(t.Context(), k.ID); err != nil || int64(b.Limit-b.Remaining) != granted.Load() {
		t.Errorf("%d granted, balance %+v, %v", granted.Load(), b, err)
	}
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, bytes.Repeat([]byte("not a database. "), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSQLite(junk, Options{}); slugOf(err) != "accounts_unreadable" {
		t.Errorf("junk: %v", err)
	}
	if _, err := OpenSQLite(filepath.Join(junk, "x.db"), Options{}); slugOf(err) != "not_folder" {
		t.Errorf("a file for a folder: %v", err)
	}
	later := filepath.Join(dir, "later.db")
	if err := os.WriteFile(later, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", later)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := OpenSQLite(later, Options{}); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("a later layout: %v", err)
	}
	shown := filepath.Join(dir, "shown.db")
	if err := os.WriteFile(shown, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o644} {
		if err := os.Chmod(shown, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSQLite(shown, Options{}); slugOf(err) != "accounts_open" {
			t.Errorf("a file of mode %o: %v", mode, err)
		}
	}
}
