package account

import (
	"context"
	"time"
)

func (s *store) Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error) {
	return updated(ctx, s, func(t *tx) (bool, error) {
		if !until.After(t.now) {
			return false, nil
		}
		n := t.exec("INSERT INTO nonces (hash, until) VALUES ($1, $2)"+
			" ON CONFLICT (hash) DO UPDATE SET until = excluded.until WHERE nonces.until <= $3",
			s.pepperedHash("nonce "+keyid, nonce), until.UnixNano(), t.now.UnixNano())
		if n == 0 {
			return false, nil
		}
		wait, ok, err := s.countTry(t, noncesOfKey, keyid)
		if err == nil && !ok {
			err = tooManyAttempts("signed requests of this keypair", wait)
		}
		return err == nil, err
	})
}
