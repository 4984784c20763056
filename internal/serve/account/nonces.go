package account

import (
	"context"
	"time"
)

func (s *store) Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error) {
	err = s.update(ctx, func(t *tx) error {
		fresh = false
		if !until.After(t.now) {
			return nil
		}
		n, err := t.exec("INSERT INTO nonces (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET until = excluded.until WHERE nonces.until <= $3",
			s.pepperedHash("nonce "+keyid, nonce), until.UnixNano(), t.now.UnixNano())
		if err != nil || n == 0 {
			return err
		}
		wait, ok, err := s.countTry(t, noncesOfKey, keyid)
		if err == nil && !ok {
			err = tooManyAttempts("signed requests of this keypair", wait)
		}
		fresh = err == nil
		return err
	})
	return fresh && err == nil, err
}
