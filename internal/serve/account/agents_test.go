package account

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// quiz is a challenge of two questions, answered by "7" and by "Elm" or "elm".
func quiz() Challenge {
	salt := []byte("salt and pepper")
	return Challenge{
		Dataset: "2026.03.01", Params: json.RawMessage(`{"funder": "000000001"}`), Salt: salt,
		Answers: [][]string{{seal(salt, "7")}, {seal(salt, "Elm"), seal(salt, "elm")}},
		Calls:   []string{"GET /a?x=1", "GET /b", "GET /c"},
	}
}

func seal(salt []byte, form string) string {
	return fmt.Sprintf("%x", sha256.Sum256(append(slices.Clone(salt), form...)))
}

func right(c Challenge) bool { return slices.Contains(c.Answers[1], seal(c.Salt, "elm")) }
func wrong(c Challenge) bool { return slices.Contains(c.Answers[1], seal(c.Salt, "oak")) }

func mintAnonymous(t *testing.T, s *Store) (string, AgentInfo) {
	t.Helper()
	secret, a, err := s.MintAgent(t.Context(), AgentSpec{Tier: Anonymous, Purpose: "a test", Source: "the tests"})
	if err != nil {
		t.Fatal(err)
	}
	return secret, a
}

// step is something done to a key of an agent, and what should come of it.
type step struct {
	do     string
	want   string // verdict or slug; ok otherwise
	status Status
	left   int           // calls, or attempts after a wrong answer
	wait   time.Duration // after a wrong or early answer
}

// TestStoreAgentStates walks keys through every transition and tries what is
// not one.
func TestStoreAgentStates(t *testing.T) {
	day := (24 * time.Hour).String()
	tables := []struct {
		name  string
		tier  Tier
		steps []step
	}{
		{"answered at once", Anonymous, []step{
			{do: "charge", want: "key_locked", status: Locked},
			{do: "right", want: "exhausted", status: Locked}, // there is no challenge yet
			{do: "challenge 0", want: "ok", status: Locked},
			{do: "charge", want: "key_locked", status: Locked},
			{do: "call GET /b", want: "ok", status: Locked, left: 29},
			{do: "call GET /d", want: "key_locked", status: Locked},
			{do: "right", want: "unlocked", status: Unlocked, left: 10},
			{do: "right", want: "challenge_not_due", status: Unlocked, left: 10},
			{do: "challenge 1", want: "challenge_not_due", status: Unlocked, left: 10},
			{do: "call GET /b", want: "key_locked", status: Unlocked, left: 10},
			{do: "charge 9", want: "ok", status: Unlocked, left: 1},
			{do: "charge 2", want: "quota_exhausted", status: Unlocked, left: 1},
			{do: "charge 0", want: "ok", status: Unlocked, left: 1},
			{do: "charge", want: "ok", status: Spent},
			{do: "charge", want: "quota_exhausted", status: Spent},
			{do: "right", want: "challenge_not_due", status: Spent},
			{do: "challenge 0", want: "stale", status: Spent},
			{do: "challenge 1", want: "ok", status: Locked},
			{do: "challenge 1", want: "stale", status: Locked},
			{do: "charge", want: "key_locked", status: Locked},
			{do: "right", want: "unlocked", status: Unlocked, left: 10},
			{do: "charge 10", want: "ok", status: Spent},
		}},
		{"wrong answers", Anonymous, []step{
			{do: "challenge 0", want: "ok", status: Locked},
			{do: "wrong", want: "wrong", status: Locked, left: 2, wait: 5 * time.Second},
			{do: "right", want: "too_soon", status: Locked, left: 2, wait: 5 * time.Second},
			{do: "wait 4.9s", status: Locked},
			{do: "wrong", want: "too_soon", status: Locked, left: 2, wait: 100 * time.Millisecond},
			{do: "wait 100ms", status: Locked},
			{do: "wrong", want: "wrong", status: Locked, left: 1, wait: 10 * time.Second},
			{do: "wait 9.999999999s", status: Locked},
			{do: "right", want: "too_soon", status: Locked, left: 1, wait: 1},
			{do: "wait 1ns", status: Locked},
			{do: "wrong", want: "exhausted", status: Locked},
			{do: "right", want: "exhausted", status: Locked},
			{do: "challenge 1", want: "ok", status: Locked},
			{do: "wrong 1", want: "stale", status: Locked}, // to the one before: not counted
			{do: "right 1", want: "stale", status: Locked},
			{do: "wrong", want: "wrong", status: Locked, left: 2, wait: 5 * time.Second},
			{do: "challenge 2", want: "ok", status: Locked}, // the data changed: drawn anew, not counted
			{do: "wrong", want: "wrong", status: Locked, left: 2, wait: 5 * time.Second},
			{do: "wait 5s", status: Locked},
			{do: "right", want: "unlocked", status: Unlocked, left: 10},
		}},
		{"the end of a day", Anonymous, []step{
			{do: "challenge 0", want: "ok", status: Locked},
			{do: "wait 23h59m59.999999999s", status: Locked},
			{do: "right", want: "unlocked", status: Unlocked, left: 10},
			{do: "charge", want: "ok", status: Unlocked, left: 9},
			{do: "wait 1ns", status: Unlocked, left: 9},
			{do: "charge", want: "key_expired", status: Unlocked, left: 9},
			{do: "right", want: "key_expired", status: Unlocked, left: 9},
			{do: "challenge 1", want: "key_expired", status: Unlocked, left: 9},
			{do: "authenticate", want: "key_expired", status: Unlocked, left: 9},
		}},
		{"signed", Signed, []step{
			{do: "authenticate", want: "ok", status: Unlocked, left: 250},
			{do: "challenge 0", want: "challenge_not_due", status: Unlocked, left: 250},
			{do: "right", want: "challenge_not_due", status: Unlocked, left: 250},
			{do: "charge 250", want: "ok", status: Spent},
			{do: "charge", want: "quota_exhausted", status: Spent},
			{do: "challenge 0", want: "challenge_not_due", status: Spent},
			{do: "wait " + day, status: Spent},
			{do: "charge", want: "key_expired", status: Spent},
		}},
		{"attested", Attested, []step{
			{do: "charge", want: "ok", status: Unlocked, left: 999},
			{do: "wait 167h59m59s", status: Unlocked, left: 999},
			{do: "charge", want: "ok", status: Unlocked, left: 998},
			{do: "wait 1s", status: Unlocked, left: 998},
			{do: "charge", want: "key_expired", status: Unlocked, left: 998},
		}},
		{"trusted", Trusted, []step{
			{do: "charge", want: "ok", status: Unlocked, left: 4_999},
			{do: "wait 719h59m59s", status: Unlocked, left: 4_999},
			{do: "charge 4999", want: "ok", status: Spent},
		}},
		{"stopped", Signed, []step{
			{do: "deactivate", want: "ok", status: Unlocked, left: 250},
			{do: "charge", want: "account_inactive", status: Unlocked, left: 250},
			{do: "right", want: "account_inactive", status: Unlocked, left: 250},
		}},
	}
	stores(t, func(t *testing.T, p place) {
		for i, table := range tables {
			c := newClock("2026-03-10T12:00:00Z")
			s := openAt(t, p, Options{Clock: c.now})
			spec := AgentSpec{Tier: table.tier, Purpose: "a test", Source: "the tests"}
			if table.tier != Anonymous {
				spec.Thumbprint, spec.Host = fmt.Sprintf("thumb-%d", i), "agent.example"
			}
			secret, a, err := s.MintAgent(t.Context(), spec)
			if err != nil || a.Tier != table.tier || !strings.HasPrefix(secret, "gg_a_") || a.Plan != Agent || a.Allowance != table.tier.Terms().Calls {
				t.Fatalf("%s: %+v, %v", table.name, a, err)
			}
			for n, step := range table.steps {
				if err := step.run(t, c, s, secret, a.ID); err != nil {
					t.Errorf("%s, step %d (%s): %v", table.name, n+1, step.do, err)
				}
			}
		}
	})
}

func (want step) run(t *testing.T, c *clock, s *Store, secret, id string) error {
	ctx := t.Context()
	verb, arg, _ := strings.Cut(want.do, " ")
	var got string
	var err error
	switch verb {
	case "charge":
		cost := 1
		if arg != "" {
			fmt.Sscan(arg, &cost)
		}
		var b Balance
		if b, err = s.Charge(ctx, id, cost); err == nil && b.Remaining != want.left {
			return fmt.Errorf("balance %+v", b)
		}
	case "challenge":
		var no int
		fmt.Sscan(arg, &no)
		if _, err = s.SetChallenge(ctx, id, no, quiz()); errors.Is(err, ErrStale) {
			got = "stale"
		}
	case "right", "wrong":
		verify := right
		if verb == "wrong" {
			verify = wrong
		}
		known, _ := s.Agent(ctx, id)
		expect := known.Challenge.No
		if arg != "" {
			fmt.Sscan(arg, &expect)
		}
		var out Outcome
		if _, out, err = s.Attempt(ctx, id, expect, verify); errors.Is(err, ErrStale) {
			got = "stale"
		} else {
			got = string(out.Verdict)
		}
		if out.Wait != want.wait || out.Verdict != Right && out.Verdict != "" && out.Left != want.left {
			return fmt.Errorf("%+v", out)
		}
	case "call":
		var left int
		if left, err = s.TakeCall(ctx, id, arg); left != want.left && err == nil {
			return fmt.Errorf("%d calls left", left)
		}
	case "wait":
		d, err := time.ParseDuration(arg)
		if err != nil {
			return err
		}
		c.add(d)
	case "authenticate":
		_, err = s.Authenticate(ctx, secret)
	case "deactivate":
		_, err = s.Deactivate(ctx, id)
	default:
		return errors.New("no such step")
	}
	switch {
	case got == "stale":
	case err != nil:
		got = slugOf(err)
	case got == "" && verb != "wait":
		got = "ok"
	}
	if got != want.want {
		return fmt.Errorf("%s (%v), want %s", got, err, want.want)
	}
	a, err := s.Agent(ctx, id)
	if err != nil || a.Status != want.status {
		return fmt.Errorf("%+v, %v", a, err)
	}
	if b, err := s.Balance(ctx, id); err != nil || b.Remaining != a.Remaining || b.Limit != a.Allowance || !b.Reset.IsZero() || !b.End().Equal(a.Expires) || a.Status != Locked && b.Remaining != want.left {
		return fmt.Errorf("balance %+v, %v", b, err)
	}
	return nil
}

func TestStoreAgentMint(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		secret, a := mintAnonymous(t, s)
		got, err := s.Authenticate(ctx, secret)
		if err != nil || got != a.KeyInfo || got.Tier != Anonymous || got.Tier.Terms().Rows != 10 {
			t.Errorf("%+v, %v", got, err)
		}
		if err := got.Require(Grants); err != nil {
			t.Error(err)
		}
		if err := got.Require(Paid); slugOf(err) != "plan_required" {
			t.Error(err)
		}
		if a.Purpose != "a test" || a.Source != "the tests" || a.Status != Locked || !a.Expires.Equal(c.now().Add(24*time.Hour)) || a.Remaining != 0 || a.Challenge.No != 0 {
			t.Errorf("%+v", a)
		}
		set, err := s.SetChallenge(ctx, a.ID, 0, quiz())
		want := quiz()
		want.No, want.Drawn = 1, c.now().UTC()
		if err != nil || !reflect.DeepEqual(set.Challenge, want) {
			t.Errorf("%+v, %v", set.Challenge, err)
		}
		if got, err := other.Agent(ctx, secret); err != nil || !reflect.DeepEqual(got, set) {
			t.Errorf("%+v, %v", got, err)
		}
		// The allowed calls are counted, and come back with a new challenge.
		for i := range MostCalls {
			if left, err := s.TakeCall(ctx, a.ID, "GET /c"); err != nil || left != MostCalls-1-i {
				t.Fatal(left, err)
			}
		}
		if _, err := s.TakeCall(ctx, a.ID, "GET /c"); !errors.Is(err, ErrLocked) || slugOf(err) != "key_locked" {
			t.Error(err)
		}
		if _, err := s.SetChallenge(ctx, a.ID, 1, quiz()); err != nil {
			t.Error(err)
		}
		if left, err := s.TakeCall(ctx, a.ID, "GET /c"); err != nil || left != MostCalls-1 {
			t.Error(left, err)
		}

		spec := AgentSpec{Tier: Signed, Purpose: "a test", Source: "the tests", Thumbprint: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U", Host: "agent.example"}
		one, signed, err := s.MintAgent(ctx, spec)
		if err != nil || signed.Status != Unlocked || signed.Remaining != 250 || signed.Host != spec.Host {
			t.Fatalf("%+v, %v", signed, err)
		}
		if _, err := s.Charge(ctx, signed.ID, 200); err != nil {
			t.Fatal(err)
		}
		if ok, err := s.TakeScreen(ctx, signed.ID); !ok || err != nil {
			t.Fatal(ok, err)
		}
		c.add(time.Hour)
		spec.Purpose, spec.Source = "another", "a colleague"
		two, again, err := other.MintAgent(ctx, spec)
		if err != nil || again.ID != signed.ID || again.Remaining != 50 || again.Purpose != "another" || again.Source != "a colleague" || !again.Expires.Equal(signed.Expires) || two == one {
			t.Errorf("minted again: %+v, %v", again, err)
		}
		if _, err := s.Authenticate(ctx, one); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("the secret before it lives: %v", err)
		}
		if _, err := s.Authenticate(ctx, two); err != nil {
			t.Error(err)
		}
		c.add(23 * time.Hour)
		three, renewed, err := s.MintAgent(ctx, spec)
		if err != nil || renewed.ID != signed.ID || renewed.Remaining != 250 || renewed.Status != Unlocked || !renewed.Expires.Equal(c.now().Add(24*time.Hour)) {
			t.Errorf("after its end: %+v, %v", renewed, err)
		}
		if ok, err := s.TakeScreen(ctx, signed.ID); ok || err != nil {
			t.Error("a keypair screens for free a second time", err)
		}
		spec.Tier = Attested
		if _, up, err := s.MintAgent(ctx, spec); err != nil || up.ID == signed.ID || up.Remaining != 1_000 {
			t.Errorf("another tier: %+v, %v", up, err)
		}
		if _, err := s.Deactivate(ctx, signed.ID); err != nil {
			t.Fatal(err)
		}
		spec.Tier = Signed
		if _, _, err := s.MintAgent(ctx, spec); !errors.Is(err, ErrInactive) {
			t.Errorf("a keypair that was stopped mints: %v", err)
		}

		for _, bad := range []AgentSpec{
			{}, {Tier: "gold", Purpose: "x", Source: "y"}, {Tier: Anonymous, Purpose: " ", Source: "y"}, {Tier: Anonymous, Purpose: "x"},
			{Tier: Anonymous, Purpose: "x\x00", Source: "y"}, {Tier: Anonymous, Purpose: "x", Source: strings.Repeat("y", 1001)},
			{Tier: Anonymous, Purpose: "x", Source: "y", Thumbprint: "z"}, {Tier: Signed, Purpose: "x", Source: "y"},
			{Tier: Signed, Thumbprint: "\x00"}, {Tier: Signed, Thumbprint: "x", Host: "\xff"},
		} {
			if _, _, err := s.MintAgent(ctx, bad); err == nil {
				t.Errorf("minted %+v", bad)
			}
		}
		for i, change := range []func(*Challenge){
			func(c *Challenge) { c.Params = json.RawMessage("{") }, func(c *Challenge) { c.Answers = nil }, func(c *Challenge) { c.Answers[0] = nil },
			func(c *Challenge) { c.Answers[1][0] = "plain" }, func(c *Challenge) { c.Salt = nil }, func(c *Challenge) { c.Calls[0] = "\x00" },
			func(c *Challenge) { c.Dataset = "\xff" }, func(c *Challenge) { c.Calls = make([]string, 17) },
		} {
			bad := quiz()
			change(&bad)
			if _, err := s.SetChallenge(ctx, a.ID, 2, bad); err == nil {
				t.Errorf("took challenge %d", i)
			}
		}
		// A key of a person is no key of an agent, and no plan makes it one.
		_, k := create(t, s, Free)
		for _, err := range []error{
			second(s.Agent(ctx, k.ID)), second(s.SetChallenge(ctx, k.ID, 0, quiz())), second(s.TakeCall(ctx, k.ID, "GET /c")),
		} {
			if slugOf(err) != "not_an_agent_key" {
				t.Error(err)
			}
		}
		if _, err := s.SetPlan(ctx, a.ID, Pro); slugOf(err) != "bad_plan" {
			t.Error(err)
		}
		if list, err := s.List(ctx); err != nil || len(list) != 1 || list[0] != k {
			t.Errorf("%+v, %v", list, err)
		}
		holdsNo(t, s, p, secret, one, two, three)
	})
}

// TestStoreAgentRace lets many spend, answer and mint at once, through two
// servers.
func TestStoreAgentRace(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		both := []*Store{openAt(t, p, Options{Clock: c.now, Mints: 40}), openAt(t, p, Options{Clock: c.now, Mints: 40})}
		s := both[0]
		ctx := context.Background()
		_, a := mintAnonymous(t, s)
		if _, err := s.SetChallenge(ctx, a.ID, 0, quiz()); err != nil {
			t.Fatal(err)
		}
		spec := AgentSpec{Tier: Signed, Thumbprint: "thumb", Host: "agent.example"}
		var unlocked, granted, fresh, screened, minted, staled, signed atomic.Int64
		ids := sync.Map{}
		const clients = 64
		crowd := func(do func(s *Store)) {
			t.Helper()
			var wg sync.WaitGroup
			for i := range clients {
				wg.Add(1)
				go func() {
					defer wg.Done()
					do(both[i%2])
				}()
			}
			wg.Wait()
		}
		crowd(func(s *Store) {
			switch _, out, err := s.Attempt(ctx, a.ID, 1, right); {
			case err == nil && out.Verdict == Right:
				unlocked.Add(1)
			case !errors.Is(err, ErrNotDue):
				t.Error(out, err)
			}
		})
		crowd(func(s *Store) {
			switch _, err := s.Charge(ctx, a.ID, 1); {
			case err == nil:
				granted.Add(1)
			case !errors.Is(err, ErrSpent):
				t.Error(err)
			}
			if ok, err := s.Seen(ctx, "keyid", "nonce", c.now().Add(time.Minute)); err != nil {
				t.Error(err)
			} else if ok {
				fresh.Add(1)
			}
			if ok, err := s.TakeScreen(ctx, a.ID); err != nil {
				t.Error(err)
			} else if ok {
				screened.Add(1)
			}
			if _, ok, err := s.TakeMint(ctx, "192.0.2.9"); err != nil {
				t.Error(err)
			} else if ok {
				minted.Add(1)
			}
			if _, k, err := s.MintAgent(ctx, spec); err != nil {
				t.Error(err)
			} else {
				ids.Store(k.ID, true)
				signed.Add(1)
			}
		})
		crowd(func(s *Store) {
			switch _, err := s.SetChallenge(ctx, a.ID, 1, quiz()); {
			case errors.Is(err, ErrStale):
				staled.Add(1)
			case err != nil:
				t.Error(err)
			}
		})
		distinct := 0
		ids.Range(func(any, any) bool { distinct++; return true })
		if unlocked.Load() != 1 || granted.Load() != 10 || fresh.Load() != 1 || screened.Load() != 1 || minted.Load() != 40 || staled.Load() != clients-1 || distinct != 1 || signed.Load() != clients {
			t.Errorf("unlocked %d, granted %d, fresh %d, screened %d, minted %d, stale %d, keys of one keypair %d",
				unlocked.Load(), granted.Load(), fresh.Load(), screened.Load(), minted.Load(), staled.Load(), distinct)
		}
	})
}

func TestStoreNoncesAndMints(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		until := c.now().Add(time.Minute)
		for _, step := range []struct {
			s            *Store
			keyid, nonce string
			until        time.Time
			fresh        bool
		}{
			{s, "k", "n", until, true}, {s, "k", "n", until, false}, {other, "k", "n", until.Add(time.Hour), false},
			{s, "k2", "n", until, true}, {s, "k", "n2", until, true}, {s, "kn", "", until, true}, {s, "k", "old", c.now(), false},
			{s, "\x00\xff", strings.Repeat("x", 100_000), until, true}, {other, "\x00\xff", strings.Repeat("x", 100_000), until, false},
		} {
			if fresh, err := step.s.Seen(ctx, step.keyid, step.nonce, step.until); fresh != step.fresh || err != nil {
				t.Errorf("%s %.9s: %v, %v", step.keyid, step.nonce, fresh, err)
			}
		}
		c.add(time.Minute)
		if fresh, err := s.Seen(ctx, "k", "n", c.now().Add(time.Minute)); !fresh || err != nil {
			t.Errorf("remembered for too long: %v", err)
		}
		for i := range MintsAnHour {
			if _, ok, err := s.TakeMint(ctx, "192.0.2.1"); !ok || err != nil {
				t.Fatal(i, err)
			}
			if i == 0 {
				c.add(time.Minute)
			}
			if i == 20 {
				// The other six hundred are taken for granted.
				if err := s.update(ctx, func(t *tx) {
					t.exec("UPDATE tries SET made = $1 WHERE kind = 'mint'", MintsAnHour)
				}); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if wait, ok, err := other.TakeMint(ctx, "192.0.2.1:999"); ok || err != nil || wait != 59*time.Minute {
			t.Error(wait, ok, err)
		}
		if _, ok, err := s.TakeMint(ctx, "192.0.2.2"); !ok || err != nil {
			t.Error(ok, err)
		}
		c.add(59 * time.Minute)
		if _, ok, err := s.TakeMint(ctx, "192.0.2.1"); !ok || err != nil {
			t.Error(ok, err)
		}
	})
}
