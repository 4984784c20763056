package account

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/secret"
)

// signingKey is the nth of the keys that tests sign with.
func signingKey(n int, created time.Time) SigningKey {
	seed := bytes.Repeat([]byte{'A' + byte(n%26), 'a' + byte(n/26)}, ed25519.SeedSize/2)
	return SigningKey{ID: fmt.Sprintf("thumbprint-%d", n), Seed: secret.New(string(seed)), Created: created}
}

func signingKeysOf(t *testing.T, s *Store) []SigningKey {
	t.Helper()
	keys, err := s.SigningKeys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestStoreSigning(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		c.add(700 * time.Millisecond)
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		if keys := signingKeysOf(t, s); len(keys) != 0 {
			t.Errorf("%v", keys)
		}
		if _, err := s.RotateSigningKey(ctx, signingKey(1, c.now()), time.Time{}); slugOf(err) != "no_signing_key" {
			t.Errorf("rotated nothing: %v", err)
		}
		first := signingKey(1, c.now())
		for _, k := range []SigningKey{first, signingKey(2, c.now()), first} {
			if err := s.FirstSigningKey(ctx, k); err != nil {
				t.Fatal(err)
			}
		}
		noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
		keys := signingKeysOf(t, s)
		public := ed25519.NewKeyFromSeed([]byte(first.Seed.Reveal())).Public().(ed25519.PublicKey)
		if len(keys) != 1 || keys[0].ID != first.ID || keys[0].Seed.Reveal() != first.Seed.Reveal() || !keys[0].Public.Equal(public) ||
			keys[0].Created != noon || !keys[0].Retired.IsZero() || !keys[0].Compromised.IsZero() {
			t.Fatalf("%+v", keys)
		}

		// A clock that is set back makes no key older than the one before.
		c.add(-time.Hour)
		next := signingKey(3, c.now())
		retired, err := s.RotateSigningKey(ctx, next, time.Time{})
		if err != nil || retired.ID != first.ID || retired.Retired != noon.Add(time.Second) || !retired.Compromised.IsZero() || !retired.Seed.Empty() || !retired.Public.Equal(public) {
			t.Fatalf("%+v, %v", retired, err)
		}
		c.add(2 * time.Hour)
		if _, err := s.RotateSigningKey(ctx, first, time.Time{}); err == nil {
			t.Error("a key was used twice")
		}
		if _, err := s.RotateSigningKey(ctx, signingKey(4, c.now()), c.now().Add(time.Second)); slugOf(err) != "bad_date" {
			t.Errorf("compromised in the future: %v", err)
		}
		if keys := signingKeysOf(t, s); len(keys) != 2 || !keys[1].Retired.IsZero() || keys[1].Created != noon || keys[1].Seed.Empty() {
			t.Fatalf("what failed changed something: %+v", keys)
		}
		since := noon.Add(30 * time.Minute)
		retired, err = s.RotateSigningKey(ctx, signingKey(5, c.now()), since.Add(300*time.Millisecond))
		if err != nil || retired.ID != next.ID || retired.Retired != noon.Add(time.Hour+time.Second) || retired.Compromised != since {
			t.Fatalf("%+v, %v", retired, err)
		}
		if err := s.MarkCompromised(ctx, first.ID, since); err != nil {
			t.Error(err)
		}
		if err := s.MarkCompromised(ctx, first.ID, noon); err != nil {
			t.Error(err)
		}
		for _, id := range []string{"", "thumbprint-9", "\x00"} {
			if err := s.MarkCompromised(ctx, id, noon); slugOf(err) != "unknown_signing_key" {
				t.Errorf("%q: %v", id, err)
			}
		}
		for _, at := range []time.Time{{}, c.now().Add(time.Second)} {
			if err := s.MarkCompromised(ctx, first.ID, at); slugOf(err) != "bad_date" {
				t.Errorf("%v: %v", at, err)
			}
		}
		keys = signingKeysOf(t, openAt(t, p, Options{Clock: c.now}))
		if len(keys) != 3 || keys[0].Compromised != noon || keys[1].Compromised != since || !keys[2].Compromised.IsZero() || !keys[2].Retired.IsZero() ||
			keys[2].Created != noon.Add(time.Hour) || !keys[0].Seed.Empty() || !keys[1].Seed.Empty() || keys[2].Seed.Empty() {
			t.Fatalf("%+v", keys)
		}

		events, err := s.AuditTrail(ctx, EventFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var trail []string
		for _, e := range events {
			trail = append(trail, string(e.Kind)+" "+e.Key+" "+e.Details)
		}
		slices.Reverse(trail)
		want := []string{
			"signing_key thumbprint-1 ", "signing_rotate thumbprint-1 replaced by thumbprint-3", "signing_key thumbprint-3 ",
			"signing_rotate thumbprint-3 replaced by thumbprint-5", "signing_compromised thumbprint-3 since 2026-03-10T12:30:00Z", "signing_key thumbprint-5 ",
			"signing_compromised thumbprint-1 since 2026-03-10T12:30:00Z", "signing_compromised thumbprint-1 since 2026-03-10T12:00:00Z",
		}
		if !slices.Equal(trail, want) {
			t.Errorf("%q", trail)
		}
	})
}

// TestSigningKeysRefused also holds that nothing shows a seed.
func TestSigningKeysRefused(t *testing.T) {
	t.Parallel()
	s := openAt(t, place{dir: t.TempDir()}, Options{Clock: fixed})
	good := signingKey(1, fixed())
	for name, k := range map[string]SigningKey{
		"no ID":        {Seed: good.Seed, Created: good.Created},
		"an odd ID":    {ID: "a\x00b", Seed: good.Seed, Created: good.Created},
		"no seed":      {ID: good.ID, Created: good.Created},
		"a short seed": {ID: good.ID, Seed: secret.New(good.Seed.Reveal()[1:]), Created: good.Created},
		"no time":      {ID: good.ID, Seed: good.Seed},
	} {
		for _, err := range []error{s.FirstSigningKey(t.Context(), k), second(s.RotateSigningKey(t.Context(), k, time.Time{}))} {
			if err == nil || strings.Contains(err.Error(), "AaAa") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := s.FirstSigningKey(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, k := range append(signingKeysOf(t, s), good) {
		fmt.Fprintf(&b, "%v %+v %#v %s %q %x", k, k, &k, k, k, k)
		slog.New(slog.NewTextHandler(&b, nil)).Info("key", "key", k)
		if err := json.NewEncoder(&b).Encode(k); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(b.String(), "AaAa") || strings.Contains(b.String(), "41614161") {
		t.Errorf("a seed is shown: %s", b.String())
	}
}

// TestStoreSigningRace starts many servers at once, then lets all of them
// rotate: there is one current key at any time, and none is lost.
func TestStoreSigningRace(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		both := []*Store{openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})}
		const servers = 16
		var wg sync.WaitGroup
		for n := range servers {
			wg.Go(func() {
				if err := both[n%2].FirstSigningKey(context.Background(), signingKey(n, c.now())); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if keys := signingKeysOf(t, both[0]); len(keys) != 1 {
			t.Fatalf("%d first keys", len(keys))
		}
		retired := make([]string, servers)
		for n := range servers {
			wg.Go(func() {
				k, err := both[n%2].RotateSigningKey(context.Background(), signingKey(servers+n, c.now()), time.Time{})
				if err != nil {
					t.Error(err)
				}
				retired[n] = k.ID
			})
		}
		wg.Wait()
		keys := signingKeysOf(t, both[1])
		if len(keys) != servers+1 {
			t.Fatalf("%d keys", len(keys))
		}
		for i, k := range keys {
			if last := i == servers; k.Retired.IsZero() != last || k.Seed.Empty() == last || !last && !slices.Contains(retired, k.ID) {
				t.Errorf("key %d of %d: %+v", i, len(keys), k)
			}
		}
	})
}
