package account

import (
	"context"
	"crypto/ed25519"
	"errors"
	"time"

	"grantgraph/internal/secret"
)

// SigningKey is a key that signs screening reports. Its times are whole seconds
// of UTC, and so chosen that the date of a report, cut to seconds, lies between
// them: a key is created at the beginning of a second and retired at the end of
// one.
type SigningKey struct {
	ID          string            // RFC 7638 thumbprint of the public key
	Public      ed25519.PublicKey // the store computes it from the seed
	Seed        secret.Text       // private part, 32 bytes; empty once the key is retired
	Created     time.Time         // it signs from here
	Retired     time.Time         // and no longer from here; zero while it is the current one
	Compromised time.Time         // what it signed after this cannot be trusted; zero for never
}

// check finds the mistakes of a caller. What it says must not repeat the seed.
func (k SigningKey) check() error {
	switch {
	case len(k.ID) == 0 || len(k.ID) > 100 || !readable(k.ID):
		return errors.New("a signing key without a proper ID")
	case len(k.Seed.Reveal()) != ed25519.SeedSize:
		return errors.New("a signing key whose seed is not of 32 bytes")
	case k.Created.IsZero():
		return errors.New("a signing key that was never created")
	}
	return nil
}

// signingKeys reads the keys for which the condition holds.
func signingKeys(from reader, where string, args ...any) ([]SigningKey, error) {
	keys := []SigningKey{}
	err := from.each("SELECT id, public, seed, created, retired, compromised FROM signing_keys "+where, args, func(scan func(...any) error) error {
		var k SigningKey
		var public, seed []byte
		var created, retired, compromised int64
		if err := scan(&k.ID, &public, &seed, &created, &retired, &compromised); err != nil {
			return err
		}
		k.Public, k.Seed = public, secret.New(string(seed))
		k.Created, k.Retired, k.Compromised = secondOf(created), secondOf(retired), secondOf(compromised)
		keys = append(keys, k)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}

// secondOf is a time that was stored in seconds; 0 is none.
func secondOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// insertSigningKey stores a key as the current one, unless there is one.
func (s *store) insertSigningKey(t *tx, k SigningKey, created int64) (made bool, err error) {
	seed := []byte(k.Seed.Reveal())
	public := []byte(ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey))
	n, err := t.exec("INSERT INTO signing_keys (id, public, seed, created, retired, compromised) VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT DO NOTHING", k.ID, public, seed, created)
	if err != nil || n == 0 {
		return false, err
	}
	return true, s.note(t, EventSigningKey, k.ID, "")
}

func (s *store) SigningKeys(ctx context.Context) ([]SigningKey, error) {
	return signingKeys(s.view(ctx), "ORDER BY seq")
}

func (s *store) FirstSigningKey(ctx context.Context, k SigningKey) error {
	if err := k.check(); err != nil {
		return err
	}
	return s.update(ctx, func(t *tx) error {
		_, err := s.insertSigningKey(t, k, k.Created.Unix())
		return err
	})
}

func (s *store) RotateSigningKey(ctx context.Context, next SigningKey, compromised time.Time) (retired SigningKey, err error) {
	if err := next.check(); err != nil {
		return SigningKey{}, err
	}
	err = s.update(ctx, func(t *tx) error {
		// The oldest key is the one that all who rotate wait for: it is always
		// the same, while a wait for the current one may end at one that is no
		// longer current.
		var oldest string
		if _, err := t.get("SELECT id FROM signing_keys ORDER BY seq LIMIT 1"+t.lock, nil, &oldest); err != nil {
			return err
		}
		current, err := signingKeys(t, "WHERE retired = 0")
		if err != nil {
			return err
		}
		if len(current) == 0 {
			return noSigningKey()
		}
		retired = current[0]
		// A clock that was set back makes no key older than the one before it.
		created := max(next.Created.Unix(), retired.Created.Unix())
		if _, err := t.exec("UPDATE signing_keys SET retired = $2, seed = $3 WHERE id = $1", retired.ID, created+1, []byte{}); err != nil {
			return err
		}
		if err := s.note(t, EventSigningRotate, retired.ID, "replaced by "+next.ID); err != nil {
			return err
		}
		if !compromised.IsZero() {
			if err := s.markCompromised(t, retired.ID, compromised); err != nil {
				return err
			}
		}
		made, err := s.insertSigningKey(t, next, created)
		if err == nil && !made {
			err = errors.New("the next signing key was used before")
		}
		if err != nil {
			return err
		}
		current, err = signingKeys(t, "WHERE id = $1", retired.ID)
		if err == nil {
			retired = current[0]
		}
		return err
	})
	if err != nil {
		return SigningKey{}, err
	}
	return retired, nil
}

func (s *store) MarkCompromised(ctx context.Context, id string, since time.Time) error {
	if !readable(id) {
		return unknownSigningKey()
	}
	return s.update(ctx, func(t *tx) error { return s.markCompromised(t, id, since) })
}

// markCompromised cuts the time to its second: what was signed within it is not
// trusted.
func (s *store) markCompromised(t *tx, id string, since time.Time) error {
	if since.Unix() <= 0 || since.After(t.now) {
		return badCompromise(since)
	}
	n, err := t.exec("UPDATE signing_keys SET compromised = $2 WHERE id = $1", id, since.Unix())
	if err == nil && n == 0 {
		err = unknownSigningKey()
	}
	if err != nil {
		return err
	}
	return s.note(t, EventSigningCompromised, id, "since "+since.UTC().Truncate(time.Second).Format(time.RFC3339))
}
