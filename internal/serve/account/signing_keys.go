package account

import (
	"context"
	"crypto/ed25519"
	"errors"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

// SigningKey is a key that signs screening reports. Its times are whole seconds of UTC. A key is created at the beginning of a
// second and retired at the end of one, so that the time of a report, cut to seconds, lies between them.
type SigningKey struct {
	ID          string            // RFC 7638 thumbprint of the public key
	Public      ed25519.PublicKey // the store computes it from the seed
	Seed        secret.Text       // private part, 32 bytes; empty once the key is retired
	Created     time.Time         // it signs from this time
	Retired     time.Time         // it signs until this time; zero while it is the current key
	Compromised time.Time         // reports that it signed after this time cannot be trusted; zero for never
}

// check finds mistakes of a caller. Its errors must not repeat the seed.
func (k SigningKey) check() error {
	switch {
	case len(k.ID) == 0 || len(k.ID) > 100 || !fault.Legible(k.ID):
		return errors.New("a signing key without a proper ID")
	case len(k.Seed.Reveal()) != ed25519.SeedSize:
		return errors.New("a signing key whose seed is not of 32 bytes")
	case k.Created.IsZero():
		return errors.New("a signing key that was never created")
	}
	return nil
}

func signingKeys(from reader, where string, args ...any) []SigningKey {
	const columns = "SELECT id, public, seed, created, retired, compromised FROM signing_keys "
	return collect(from, columns+where, args, func(scan scanner) (k SigningKey, err error) {
		var public, seed []byte
		var created, retired, compromised int64
		err = scan(&k.ID, &public, &seed, &created, &retired, &compromised)
		k.Public, k.Seed = public, secret.New(string(seed))
		k.Created, k.Retired, k.Compromised = secondOf(created), secondOf(retired), secondOf(compromised)
		return k, err
	})
}

// secondOf returns a time that was stored in seconds; 0 is the zero time.
func secondOf(n int64) time.Time { return timeOf(n * int64(time.Second)) }

func (s *Store) insertSigningKey(t *tx, k SigningKey, created int64) (made bool) {
	seed := []byte(k.Seed.Reveal())
	public := []byte(ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey))
	made = t.exec("INSERT INTO signing_keys (id, public, seed, created, retired, compromised) VALUES ($1, $2, $3, $4, 0, 0)"+
		" ON CONFLICT DO NOTHING", k.ID, public, seed, created) > 0
	if made {
		s.note(t, EventSigningKey, k.ID, "")
	}
	return made
}

func (s *Store) SigningKeys(ctx context.Context) ([]SigningKey, error) {
	v := s.view(ctx)
	return resultOf(v, signingKeys(v, "ORDER BY seq"))
}

func (s *Store) FirstSigningKey(ctx context.Context, k SigningKey) error {
	if err := k.check(); err != nil {
		return err
	}
	return s.update(ctx, func(t *tx) { s.insertSigningKey(t, k, k.Created.Unix()) })
}

func (s *Store) RotateSigningKey(ctx context.Context, next SigningKey, compromised time.Time) (retired SigningKey, err error) {
	if err := next.check(); err != nil {
		return SigningKey{}, err
	}
	return updated(ctx, s, func(t *tx) SigningKey {
		// All servers that rotate wait for a lock on the oldest key, which never changes.
		var oldest string
		t.get("SELECT id FROM signing_keys ORDER BY seq LIMIT 1"+t.lock, nil, &oldest)
		current := signingKeys(t, "WHERE retired = 0")
		if len(current) == 0 {
			t.fail(refuse(nil, "no_signing_key"))
			return SigningKey{}
		}
		retired := current[0]
		// No key is older than the key before it, even if the clock was set back.
		created := max(next.Created.Unix(), retired.Created.Unix())
		t.exec("UPDATE signing_keys SET retired = $2, seed = $3 WHERE id = $1", retired.ID, created+1, []byte{})
		s.note(t, EventSigningRotate, retired.ID, "replaced by "+next.ID)
		if !compromised.IsZero() {
			s.markCompromised(t, retired.ID, compromised)
		}
		if !s.insertSigningKey(t, next, created) {
			t.fail(errors.New("the next signing key was used before"))
		}
		if current = signingKeys(t, "WHERE id = $1", retired.ID); len(current) > 0 {
			retired = current[0]
		}
		return retired
	})
}

func (s *Store) MarkCompromised(ctx context.Context, id string, since time.Time) error {
	if !fault.Legible(id) {
		return refuse(nil, "unknown_signing_key")
	}
	return s.update(ctx, func(t *tx) { s.markCompromised(t, id, since) })
}

// markCompromised cuts the time to its second, whose reports are not trusted.
func (s *Store) markCompromised(t *tx, id string, since time.Time) {
	if since.Unix() <= 0 || since.After(t.now) {
		t.fail(refuse(nil, "bad_compromise", since.UTC().Format(time.RFC3339)))
	}
	if t.exec("UPDATE signing_keys SET compromised = $2 WHERE id = $1", id, since.Unix()) == 0 {
		t.fail(refuse(nil, "unknown_signing_key"))
	}
	s.note(t, EventSigningCompromised, id, "since "+since.UTC().Truncate(time.Second).Format(time.RFC3339))
}
