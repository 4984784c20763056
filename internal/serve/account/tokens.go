package account

import (
	"context"
	"time"
)

// What a token is for.
const (
	tokenVerify = "verify"
	tokenReset  = "reset"
)

func (s *store) VerifyToken(ctx context.Context, account string) (string, error) {
	return s.token(ctx, account, tokenVerify, verifyLife)
}

func (s *store) ResetToken(ctx context.Context, account string) (string, error) {
	return s.token(ctx, account, tokenReset, resetLife)
}

// token makes a token of which only the hash is kept. The ones before it of
// the same purpose are void.
func (s *store) token(ctx context.Context, account, purpose string, life time.Duration) (string, error) {
	secret, err := newSecret()
	if err != nil {
		return "", err
	}
	var refusal error
	err = s.update(ctx, func(t *tx) error {
		p, err := personOf(t, account, t.lock)
		if err != nil {
			return err
		}
		refusal = nil
		wait, ok, err := s.countTry(t, tokensOfAccount, purpose+" "+p.ID)
		if err != nil {
			return err
		}
		if !ok {
			refusal = tooManyAttempts("emails to this account", wait)
			return nil
		}
		if _, err := t.exec("DELETE FROM tokens WHERE account = $1 AND purpose = $2", p.seq, purpose); err != nil {
			return err
		}
		_, err = t.exec("INSERT INTO tokens (hash, account, purpose, expires) VALUES ($1, $2, $3, $4)", hashSecret(secret), p.seq, purpose, t.now.Add(life).UnixNano())
		return err
	})
	if err := firstError(err, refusal); err != nil {
		return "", err
	}
	return secret, nil
}

// redeem takes a token out of the store and returns whose it was: it can be
// used once.
func (t *tx) redeem(secret, purpose string) (person, error) {
	t.wrote = true
	var account, expires int64
	found, err := t.get("DELETE FROM tokens WHERE hash = $1 AND purpose = $2 RETURNING account, expires", []any{hashSecret(secret), purpose}, &account, &expires)
	if err != nil {
		return person{}, err
	}
	if !found || t.now.UnixNano() >= expires {
		return person{}, badToken()
	}
	p, _, err := personBy(t, "WHERE a.seq = $1", account)
	return p, err
}

func (s *store) VerifyEmail(ctx context.Context, token string) (string, Account, error) {
	secret, err := newSecret()
	if err != nil {
		return "", Account{}, err
	}
	var p person
	err = s.update(ctx, func(t *tx) (err error) {
		if p, err = t.redeem(token, tokenVerify); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE accounts SET verified = 1 WHERE seq = $1", p.seq); err != nil {
			return err
		}
		p.Verified = true
		if err := t.insertSession(p.seq, secret); err != nil {
			return err
		}
		return s.append(t, Event{Kind: EventVerified, Actor: p.ID, Address: actor(t.ctx).Address})
	})
	if err != nil {
		return "", Account{}, err
	}
	return secret, p.Account, nil
}

func (s *store) ResetPassword(ctx context.Context, token, password string) (Account, error) {
	// A token that nobody has costs no hash.
	var email string
	found, err := s.view(ctx).get("SELECT a.email FROM tokens t JOIN accounts a ON a.seq = t.account WHERE t.hash = $1 AND t.purpose = $2", []any{hashSecret(token), tokenReset}, &email)
	if err != nil {
		return Account{}, err
	}
	if !found {
		// What is wrong with the password as well is said first: it can be mended.
		return Account{}, firstError(checkPassword(password, ""), badToken())
	}
	if err := checkPassword(password, email); err != nil {
		return Account{}, err
	}
	hash, err := s.hashPassword(ctx, password)
	if err != nil {
		return Account{}, err
	}
	var p person
	err = s.update(ctx, func(t *tx) (err error) {
		if p, err = t.redeem(token, tokenReset); err != nil {
			return err
		}
		// Whoever has the token reads the mail of the account.
		if _, err := t.exec("UPDATE accounts SET password = $2, verified = 1 WHERE seq = $1", p.seq, hash); err != nil {
			return err
		}
		p.Verified = true
		if err := s.takeBack(t, signInsOfEmail, p.Email, true); err != nil {
			return err
		}
		return s.endSessions(t, p)
	})
	if err != nil {
		return Account{}, err
	}
	return p.Account, nil
}
