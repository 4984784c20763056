package account

import (
	"cmp"
	"context"
	"time"
)

const (
	tokenVerify = "verify"
	tokenReset  = "reset"
)

// VerifyToken and ResetToken make the secret of an email. It works once, for a time, and voids earlier secrets.
func (s *Store) VerifyToken(ctx context.Context, account string) (string, error) {
	return s.token(ctx, account, tokenVerify, verifyLife)
}

func (s *Store) ResetToken(ctx context.Context, account string) (string, error) {
	return s.token(ctx, account, tokenReset, resetLife)
}

func (s *Store) token(ctx context.Context, account, purpose string, life time.Duration) (string, error) {
	secret := newSecret()
	return secret, s.counted(ctx, "emails to this account", func(t *tx) (time.Duration, bool) {
		p := personOf(t, account, t.lock)
		wait, ok := s.countToken(t, purpose+" "+p.ID, actor(ctx).Address)
		if ok {
			t.exec("DELETE FROM tokens WHERE account = $1 AND purpose = $2", p.seq, purpose)
			t.exec("INSERT INTO tokens (hash, account, purpose, expires) VALUES ($1, $2, $3, $4)",
				hashSecret(secret), p.seq, purpose, t.now.Add(life).UnixNano())
		}
		return wait, ok
	})
}

// redeem removes a token and returns its account: a token works once.
func (t *tx) redeem(secret, purpose string) person {
	var account, expires int64
	found := t.returning("DELETE FROM tokens WHERE hash = $1 AND purpose = $2 RETURNING account, expires",
		[]any{hashSecret(secret), purpose}, &account, &expires)
	if !found || t.now.UnixNano() >= expires {
		t.fail(refuse(nil, "bad_token"))
	}
	p, _ := personBy(t, "WHERE a.seq = $1", account)
	return p
}

// VerifyEmail records that the person reads mail at the address, and opens a session. It asks for the password of the account:
// a stranger may have signed up with the address, and the stranger's password must not become valid by a click of the owner.
func (s *Store) VerifyEmail(ctx context.Context, token, password string) (string, Account, error) {
	v := s.view(ctx)
	p, found := personBy(v, "JOIN tokens t ON t.account = a.seq WHERE t.hash = $1 AND t.purpose = $2", hashSecret(token), tokenVerify)
	if !found {
		v.fail(refuse(nil, "bad_token"))
		return "", Account{}, v.err
	}
	if err := s.countSignIn(ctx, p.Email, ""); err != nil {
		return "", Account{}, err
	}
	// The password shows that the person who reads the mail is the person who signed up.
	ok, _, err := s.passwordMatches(ctx, actor(ctx).Address, p.passwordHash, password)
	if err != nil {
		return "", Account{}, err
	}
	if !ok {
		return "", Account{}, badCredentials()
	}
	secret := newSecret()
	a, err := updated(ctx, s, func(t *tx) Account {
		t.redeem(token, tokenVerify)
		t.replacePassword(p, p.passwordHash)
		s.forgetSignIns(t, p.Email, "")
		t.exec("UPDATE accounts SET verified = 1 WHERE seq = $1", p.seq)
		p.Verified = true
		t.insertSession(p.seq, secret)
		s.append(t, Event{Kind: EventVerified, Actor: p.ID, Address: actor(t.ctx).Address})
		return p.Account
	})
	return secret, a, err
}

// ResetPassword ends every session of the account.
func (s *Store) ResetPassword(ctx context.Context, token, password string) (Account, error) {
	// An unknown token is refused before the password is hashed.
	var email string
	v := s.view(ctx)
	found := v.get("SELECT a.email FROM tokens t JOIN accounts a ON a.seq = t.account WHERE t.hash = $1 AND t.purpose = $2",
		[]any{hashSecret(token), tokenReset}, &email)
	if !found {
		// A bad password is reported first, because the person can correct it.
		v.fail(cmp.Or(checkPassword(password, ""), error(refuse(nil, "bad_token"))))
		return Account{}, v.err
	}
	if err := checkPassword(password, email); err != nil {
		return Account{}, err
	}
	hash, err := s.hashPassword(ctx, email, password)
	if err != nil {
		return Account{}, err
	}
	return updated(ctx, s, func(t *tx) Account {
		p := t.redeem(token, tokenReset)
		// Whoever has the token reads the mail of the account, so the address is verified.
		t.exec("UPDATE accounts SET password = $2, verified = 1 WHERE seq = $1", p.seq, hash)
		p.Verified = true
		s.forgetSignIns(t, p.Email, actor(ctx).Address)
		s.endSessions(t, p)
		return p.Account
	})
}
