// Package keyring says which key signs screening reports and which keys verify them. The keys are stored with the accounts.
// Private parts stay in the store and in this package; callers get only public parts. The package does not know what is signed.
package keyring

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/report"
)

// Ring is the keys of a service. It caches none of them: a rotation takes effect on all servers at once.
type Ring struct {
	store account.Signing
	clock func() time.Time
}

// New returns the ring of a service, with or without keys.
func New(store account.Signing, clock func() time.Time) *Ring { return &Ring{store, clock} }

// Open opens the ring of a service, and makes the first key if there is none.
func Open(ctx context.Context, store account.Signing, clock func() time.Time) (*Ring, error) {
	r := New(store, clock)
	keys, err := r.stored(ctx)
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		return r, nil
	}
	return r, store.FirstSigningKey(ctx, r.draw())
}

// draw makes a key that is not stored yet. Its ID does not begin with a hyphen, which would look like a flag on a command line.
func (r *Ring) draw() account.SigningKey {
	for {
		seed := make([]byte, ed25519.SeedSize)
		rand.Read(seed)
		if k := NewKey(seed, r.clock()); k.ID[0] != '-' {
			return k
		}
	}
}

// NewKey makes the key of a seed of 32 bytes.
func NewKey(seed []byte, created time.Time) account.SigningKey {
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	return account.SigningKey{ID: httpsig.Thumbprint(public), Public: public, Seed: secret.New(string(seed)), Created: created}
}

// Fixed returns a ring of given keys, oldest first, for tests and examples. It cannot be rotated.
func Fixed(keys ...account.SigningKey) *Ring { return New(fixed(keys), time.Now) }

type fixed []account.SigningKey

var errFixed = errors.New("the keys of this ring are fixed")

func (f fixed) SigningKeys(context.Context) ([]account.SigningKey, error) {
	return slices.Clone(f), nil
}
func (fixed) FirstSigningKey(context.Context, account.SigningKey) error { return errFixed }
func (fixed) RotateSigningKey(context.Context, account.SigningKey, time.Time) (account.SigningKey, error) {
	return account.SigningKey{}, errFixed
}
func (fixed) MarkCompromised(context.Context, string, time.Time) error { return errFixed }

// stored reads all keys. It refuses a key whose parts do not belong together: its reports could not be verified.
func (r *Ring) stored(ctx context.Context) ([]account.SigningKey, error) {
	keys, err := r.store.SigningKeys(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		seed := []byte(k.Seed.Reveal())
		if len(k.Public) != ed25519.PublicKeySize || httpsig.Thumbprint(k.Public) != k.ID ||
			len(seed) != 0 && (len(seed) != ed25519.SeedSize || !k.Public.Equal(ed25519.NewKeyFromSeed(seed).Public())) {
			return nil, fault.New("signing_key_damaged", "the signing key %s is damaged in the store", fault.Clip(k.ID, 60)).
				Try("restore the accounts from a copy")
		}
	}
	return keys, nil
}

func (r *Ring) current(ctx context.Context) (account.SigningKey, error) {
	keys, err := r.stored(ctx)
	if err != nil {
		return account.SigningKey{}, err
	}
	for _, k := range slices.Backward(keys) {
		if k.Retired.IsZero() && !k.Seed.Empty() {
			return k, nil
		}
	}
	return account.SigningKey{}, fault.New("no_signing_key", "There is no signing key yet.").Try("start the server once: it makes the first one")
}

// Sign signs with the current key, unless it is marked as compromised. The message may contain its ID.
func (r *Ring) Sign(ctx context.Context, message func(id string) ([]byte, error)) (signature []byte, err error) {
	k, err := r.current(ctx)
	if err != nil {
		return nil, err
	}
	if !k.Compromised.IsZero() {
		return nil, fault.New("signing_key_compromised", "the current signing key %s is marked as compromised", k.ID).
			Try("grantgraph signing rotate")
	}
	text, err := message(k.ID)
	if err != nil {
		return nil, err
	}
	return ed25519.Sign(ed25519.NewKeyFromSeed([]byte(k.Seed.Reveal())), text), nil
}

func (r *Ring) Current(ctx context.Context) (report.PublicKey, error) {
	k, err := r.current(ctx)
	if err != nil {
		return report.PublicKey{}, err
	}
	return public(k), nil
}

// Keys returns all keys that ever were, oldest first.
func (r *Ring) Keys(ctx context.Context) ([]report.PublicKey, error) {
	stored, err := r.stored(ctx)
	if err != nil {
		return nil, err
	}
	keys := each.Of(stored, public)
	return keys, nil
}

func public(k account.SigningKey) report.PublicKey {
	return report.PublicKey{ID: k.ID, Public: k.Public, From: k.Created, Until: k.Retired, Compromised: k.Compromised}
}

// Rotate draws a new key and retires the current one, compromised from a time if that is not zero.
func (r *Ring) Rotate(ctx context.Context, compromised time.Time) (retired, now report.PublicKey, err error) {
	next := r.draw()
	old, err := r.store.RotateSigningKey(ctx, next, compromised)
	if err != nil {
		return report.PublicKey{}, report.PublicKey{}, err
	}
	// Another server may have rotated since, so the key is found by its ID.
	keys, err := r.Keys(ctx)
	if err != nil {
		return report.PublicKey{}, report.PublicKey{}, err
	}
	i := slices.IndexFunc(keys, func(k report.PublicKey) bool { return k.ID == next.ID })
	if i < 0 {
		return report.PublicKey{}, report.PublicKey{}, fmt.Errorf("the new signing key %s is not in the store", next.ID)
	}
	return public(old), keys[i], nil
}
