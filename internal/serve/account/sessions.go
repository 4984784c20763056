package account

import (
	"context"
	"time"
)

func (t *tx) insertSession(account int64, secret string) {
	t.exec("INSERT INTO sessions (hash, account, created, expires) VALUES ($1, $2, $3, $4)",
		hashSecret(secret), account, t.now.UnixNano(), t.now.Add(sessionIdle).UnixNano())
}

func (s *store) Session(ctx context.Context, secret string) (Account, error) {
	from := s.view(ctx)
	var created, expires int64
	var account string
	hash := hashSecret(secret)
	found, err := from.get("SELECT s.created, s.expires, a.id FROM sessions s JOIN accounts a ON a.seq = s.account WHERE s.hash = $1",
		[]any{hash}, &created, &expires, &account)
	if err != nil {
		return Account{}, err
	}
	now := s.clock()
	if !found || now.UnixNano() >= expires {
		return Account{}, refuse(nil, "no_session")
	}
	longer := now.Add(sessionIdle)
	if last := time.Unix(0, created).Add(sessionMost); longer.After(last) {
		longer = last
	}
	// The account is read after the session. So if the password was changed in between,
	// the old session admits this one request only.
	if longer.UnixNano()-expires >= int64(sessionStep) {
		err := s.update(ctx, func(t *tx) error {
			if t.exec("UPDATE sessions SET expires = $2 WHERE hash = $1", hash, longer.UnixNano()) == 0 {
				return refuse(nil, "no_session")
			}
			return nil
		})
		if err != nil {
			return Account{}, err
		}
	}
	p, err := personOf(from, account, "")
	return p.Account, err
}

func (s *store) SignOut(ctx context.Context, secret string) error {
	return s.update(ctx, func(t *tx) error {
		t.exec("DELETE FROM sessions WHERE hash = $1", hashSecret(secret))
		return nil
	})
}
