package keyring

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"grantgraph/internal/serve/report"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func slugOf(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return ""
}

// seeded is the nth of the keys of tests.
func seeded(n int) account.SigningKey {
	return NewKey(bytes.Repeat([]byte{byte(n)}, ed25519.SeedSize), noon.Add(time.Duration(n)*time.Hour))
}

func TestRing(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "accounts.db")
	now := noon
	clock := func() time.Time { return now }
	open := func() *Ring {
		t.Helper()
		store, err := account.OpenSQLite(path, account.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		r, err := Open(ctx, store, clock)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	here, there := open(), open()
	first, err := here.Current(ctx)
	if err != nil || first.From != noon || !first.Until.IsZero() || !first.Compromised.IsZero() {
		t.Fatalf("%+v, %v", first, err)
	}
	message := []byte("a report")
	sign := func(r *Ring, with report.PublicKey) {
		t.Helper()
		id, signature, err := signWith(ctx, r, message)
		if err != nil || id != with.ID || !ed25519.Verify(with.Public, message, signature) || ed25519.Verify(with.Public, []byte("another"), signature) {
			t.Errorf("signed with %s, not %s: %v", id, with.ID, err)
		}
	}
	sign(here, first)
	sign(there, first)

	now = noon.Add(time.Hour)
	retired, second, err := here.Rotate(ctx, time.Time{})
	if err != nil || retired.ID != first.ID || retired.Until != now.Add(time.Second) || second.From != now || second.ID == first.ID || !retired.Public.Equal(first.Public) {
		t.Fatalf("%+v, %+v, %v", retired, second, err)
	}
	sign(there, second)

	now = noon.Add(2 * time.Hour)
	if _, _, err := there.Rotate(ctx, now.Add(time.Second)); slugOf(err) != "bad_date" {
		t.Errorf("compromised in the future: %v", err)
	}
	sign(here, second)
	retired, third, err := there.Rotate(ctx, noon.Add(90*time.Minute))
	if err != nil || retired.ID != second.ID || retired.Compromised != noon.Add(90*time.Minute) {
		t.Fatalf("%+v, %+v, %v", retired, third, err)
	}
	sign(here, third)
	keys, err := here.Keys(ctx)
	if err != nil || len(keys) != 3 || keys[0].ID != first.ID || keys[1].ID != second.ID || keys[2].ID != third.ID {
		t.Fatalf("%+v, %v", keys, err)
	}
	read, err := ParseKeys(JWKS(keys))
	if err != nil || !equal(read, keys) {
		t.Errorf("%+v, %v", read, err)
	}
}

func equal(a, b []report.PublicKey) bool {
	return slices.EqualFunc(a, b, func(a, b report.PublicKey) bool {
		return a.ID == b.ID && a.Public.Equal(b.Public) && a.From == b.From && a.Until == b.Until && a.Compromised == b.Compromised
	})
}

// TestSignDuringRotation signs on one server while another rotates: whatever
// key it was, it is one of the ring, and the signature is good.
func TestSignDuringRotation(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store, err := account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ring, err := Open(ctx, store, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	type signed struct {
		id, message string
		signature   []byte
	}
	all := make([][]signed, 4)
	var wg sync.WaitGroup
	for g := range all {
		wg.Go(func() {
			for i := range 20 {
				message := fmt.Sprint(g, i)
				id, signature, err := signWith(ctx, ring, []byte(message))
				if err != nil {
					t.Error(err)
				}
				all[g] = append(all[g], signed{id, message, signature})
			}
		})
	}
	wg.Go(func() {
		for range 10 {
			if _, _, err := ring.Rotate(ctx, time.Time{}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	keys, err := ring.Keys(ctx)
	if err != nil || len(keys) != 11 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	for _, s := range slices.Concat(all...) {
		i := slices.IndexFunc(keys, func(k report.PublicKey) bool { return k.ID == s.id })
		if i < 0 || !ed25519.Verify(keys[i].Public, []byte(s.message), s.signature) {
			t.Errorf("signed with %s, key %d", s.id, i)
		}
	}
}

// TestDraw draws enough keys to meet an ID that begins with a hyphen, were they
// not passed over.
func TestDraw(t *testing.T) {
	t.Parallel()
	ring := Fixed()
	for range 1000 {
		if k := ring.draw(); k.ID[0] == '-' {
			t.Fatalf("drew %s", k.ID)
		}
	}
}

func TestFixed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	retired := seeded(1)
	retired.Retired, retired.Seed = noon.Add(3*time.Hour), secret.Text{}
	ring := Fixed(retired, seeded(2))
	if k, err := ring.Current(ctx); err != nil || k.ID != seeded(2).ID {
		t.Errorf("%+v, %v", k, err)
	}
	wrong, swapped, compromised := seeded(3), seeded(4), seeded(5)
	wrong.ID, swapped.Seed, compromised.Compromised = seeded(4).ID, seeded(5).Seed, noon
	for _, c := range []struct {
		name, slug string
		ring       *Ring
	}{
		{"no key", "no_signing_key", Fixed()},
		{"only a retired key", "no_signing_key", Fixed(retired)},
		{"a key under the ID of another", "signing_key_damaged", Fixed(wrong)},
		{"a key with the seed of another", "signing_key_damaged", Fixed(swapped, seeded(6))},
		{"a compromised key", "signing_key_compromised", Fixed(compromised)},
	} {
		_, signature, err := signWith(ctx, c.ring, []byte("x"))
		if slugOf(err) != c.slug || signature != nil || strings.Contains(fmt.Sprintf("%v %+v", err, c.ring), strings.Repeat("\x05", 4)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, _, err := ring.Rotate(ctx, time.Time{}); err == nil {
		t.Error("a fixed ring was rotated")
	}
}

// signWith signs a message with a ring, and says with which key.
func signWith(ctx context.Context, r *Ring, message []byte) (id string, signature []byte, err error) {
	signature, err = r.Sign(ctx, func(with string) ([]byte, error) { id = with; return message, nil })
	return id, signature, err
}
