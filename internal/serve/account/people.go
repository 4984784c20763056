package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"grantgraph/internal/serve/network"
)

// Account is a person who has keys, all on its plan and with one allowance: a second key does not add calls.
type Account struct {
	ID       string
	Email    string // normalized
	Verified bool   // the person has read mail sent there
	Plan     Plan
	Active   bool // its keys work, unless they were deactivated themselves
	Created  time.Time
}

// How long the secrets of people are valid.
const (
	sessionIdle = 14 * 24 * time.Hour // a session that is not used
	sessionMost = 90 * 24 * time.Hour // a session that is used
	sessionStep = time.Hour           // a session is prolonged at most this often
	verifyLife  = 3 * 24 * time.Hour
	resetLife   = time.Hour
	inviteLife  = 14 * 24 * time.Hour
)

const mostKeys = 10

// newSecret draws 256 bits for a session or a token.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// hashSecret is a fast hash, which is enough for secrets of 190 bits and more.
func hashSecret(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}

type person struct {
	Account
	seq          int64
	passwordHash string
}

func personBy(from reader, where string, args ...any) (p person, found bool, err error) {
	var created int64
	found, err = from.get("SELECT a.seq, a.id, a.email, a.password, a.verified = 1, a.plan, a.active = 1, a.created FROM accounts a "+where, args,
		&p.seq, &p.ID, &p.Email, &p.passwordHash, &p.Verified, &p.Plan, &p.Active, &created)
	p.Created = time.Unix(0, created).UTC()
	return p, found, err
}

func personOf(from reader, idOrEmail, lock string) (person, error) {
	where, arg := "WHERE a.id = $1", idOrEmail
	if strings.Contains(idOrEmail, "@") {
		email, err := ParseEmail(idOrEmail)
		if err != nil {
			return person{}, unknownAccount()
		}
		where, arg = "WHERE a.email = $1", email
	} else if !isID(accPrefix, idOrEmail) {
		return person{}, unknownAccount()
	}
	p, found, err := personBy(from, where+lock, arg)
	if err == nil && !found {
		err = unknownAccount()
	}
	return p, err
}

// SignUp makes an account on the free plan. For an address with an unconfirmed account it voids the secrets of earlier emails.
func (s *Store) SignUp(ctx context.Context, email, password, from string) (Account, error) {
	email, err := ParseEmail(email)
	if err != nil {
		return Account{}, err
	}
	if err := checkPassword(password, email); err != nil {
		return Account{}, err
	}
	// The try is counted before the password is hashed: an attacker would make the store hash.
	if err := s.countAddress(ctx, from, signUpsOfAddress, "sign-ups from this address"); err != nil {
		return Account{}, err
	}
	hash, err := s.hashPassword(ctx, from, password)
	if err != nil {
		return Account{}, err
	}
	id, err := newID(accPrefix, rand.Reader)
	if err != nil {
		return Account{}, err
	}
	a := Account{ID: id, Email: email, Plan: Free, Active: true, Created: s.clock().UTC()}
	taken := false
	a, err = updated(ctx, s, func(t *tx) (Account, error) {
		n := t.exec("INSERT INTO accounts (id, email, password, verified, plan, created) VALUES ($1, $2, $3, 0, $4, $5)"+
			" ON CONFLICT (email) DO NOTHING", a.ID, a.Email, hash, string(a.Plan), a.Created.UnixNano())
		if taken = n == 0; taken {
			// The links of an unconfirmed account end here: its owner may be signing up now, with another password.
			t.exec("DELETE FROM tokens WHERE purpose = $1 AND account = (SELECT seq FROM accounts WHERE email = $2 AND verified = 0)", tokenVerify, email)
			return Account{}, nil
		}
		s.append(t, Event{Kind: EventSignUp, Actor: a.ID, Address: from})
		return a, nil
	})
	if err == nil && taken {
		err = refuse(nil, "email_taken")
	}
	return a, err
}

// Invite makes an account that only the secret opens, once, within two weeks: whoever has it chooses the password.
func (s *Store) Invite(ctx context.Context, email string) (secret string, a Account, err error) {
	if email, err = ParseEmail(email); err != nil {
		return "", a, err
	}
	id, err := newID(accPrefix, rand.Reader)
	if err != nil {
		return "", a, err
	}
	a, err = updated(ctx, s, func(t *tx) (Account, error) {
		// No password has the empty hash.
		t.exec("INSERT INTO accounts (id, email, password, verified, plan, created) VALUES ($1, $2, '', 0, $3, $4) ON CONFLICT (email) DO NOTHING",
			id, email, string(Free), t.now.UnixNano())
		p, err := personOf(t, email, t.lock)
		if err == nil && p.Verified {
			err = refuse(nil, "invited_account")
		}
		s.note(t, EventInvite, "", p.ID)
		return p.Account, err
	})
	if err == nil {
		secret, err = s.token(ctx, a.ID, tokenReset, inviteLife)
	}
	return secret, a, err
}

func (s *Store) countAddress(ctx context.Context, from string, l limit, what string) error {
	if from == "" {
		return nil
	}
	return s.counted(ctx, what, func(t *tx) (time.Duration, bool, error) { return s.countNetwork(t, l, from) })
}

// counted runs count in a transaction, which is committed also for a try too many.
func (s *Store) counted(ctx context.Context, what string, count func(*tx) (wait time.Duration, ok bool, err error)) error {
	refusal, err := updated(ctx, s, func(t *tx) (refusal error, err error) {
		wait, ok, err := count(t)
		if err == nil && !ok {
			refusal = tooManyAttempts(what, wait)
		}
		return refusal, err
	})
	return cmp.Or(err, refusal)
}

// SignIn opens a session. After too many wrong passwords for the account or from the address its error wraps a WaitError.
func (s *Store) SignIn(ctx context.Context, email, password, from string) (string, Account, error) {
	email, err := ParseEmail(email)
	// A text that cannot be a password is not hashed. Older passwords were measured in bytes.
	if err != nil || len(password) < minPassword || utf8.RuneCountInString(password) > maxPassword {
		return "", Account{}, badCredentials()
	}
	// The try is counted first, and taken back when it was right: simultaneous guesses are as many tries.
	if err := s.countSignIn(ctx, email, from); err != nil {
		return "", Account{}, err
	}
	p, _, err := personBy(s.view(ctx), "WHERE a.email = $1", email)
	if err != nil {
		return "", Account{}, err
	}
	ok, weak, err := s.passwordMatches(ctx, from, p.passwordHash, password)
	if err != nil {
		return "", Account{}, err
	}
	if !ok {
		err := s.perform(ctx, func(t *tx) { s.append(t, Event{Kind: EventSignInFail, Actor: cmp.Or(p.ID, "unknown"), Address: from}) })
		return "", Account{}, cmp.Or(err, badCredentials())
	}
	hash := p.passwordHash
	if weak {
		if hash, err = s.hashPassword(ctx, from, password); err != nil {
			return "", Account{}, err
		}
	}
	secret := newSecret()
	err = s.update(ctx, func(t *tx) error {
		if err := t.replacePassword(p, hash); err != nil {
			return err
		}
		t.insertSession(p.seq, secret)
		s.forgetSignIns(t, email, from)
		if from != "" {
			s.takeBack(t, signInsOfAddress, network.Near(from), false)
		}
		s.append(t, Event{Kind: EventSignIn, Actor: p.ID, Address: from})
		return nil
	})
	return secret, p.Account, err
}

// replacePassword stores a new hash, unless the password has changed since p was read.
func (t *tx) replacePassword(p person, hash string) error {
	if t.exec("UPDATE accounts SET password = $3 WHERE seq = $1 AND password = $2", p.seq, p.passwordHash, hash) == 0 {
		return badCredentials()
	}
	return nil
}

func (s *Store) countSignIn(ctx context.Context, email, from string) error {
	return s.counted(ctx, "failed sign-ins", func(t *tx) (time.Duration, bool, error) {
		wait, ok, err := s.countTry(t, signInsOfNetwork, email+" "+network.Wide(from))
		if err == nil && ok {
			wait, ok, err = s.countTry(t, signInsOfEmail, email)
		}
		if err == nil && ok && from != "" {
			wait, ok, err = s.countTry(t, signInsOfAddress, network.Near(from))
		}
		return wait, ok, err
	})
}

func (s *Store) forgetSignIns(t *tx, email, from string) {
	s.takeBack(t, signInsOfNetwork, email+" "+network.Wide(from), true)
	s.takeBack(t, signInsOfEmail, email, true)
}

// ConfirmPassword checks the password of somebody who is signed in, before what a session alone must not allow.
func (s *Store) ConfirmPassword(ctx context.Context, account, password string) error {
	p, err := personOf(s.view(ctx), account, "")
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, p, password); err != nil {
		return err
	}
	return s.perform(ctx, func(t *tx) { s.forgetSignIns(t, p.Email, "") })
}

func (s *Store) confirm(ctx context.Context, p person, password string) error {
	if err := s.countSignIn(ctx, p.Email, ""); err != nil {
		return err
	}
	ok, _, err := s.passwordMatches(ctx, p.Email, p.passwordHash, password)
	if err == nil && !ok {
		err = badCredentials()
	}
	return err
}

// ChangePassword ends every session of the account and opens a new one.
func (s *Store) ChangePassword(ctx context.Context, account, old, password string) (string, error) {
	p, err := personOf(s.view(ctx), account, "")
	if err != nil {
		return "", err
	}
	if err := checkPassword(password, p.Email); err != nil {
		return "", err
	}
	if err := s.confirm(ctx, p, old); err != nil {
		return "", err
	}
	hash, err := s.hashPassword(ctx, p.Email, password)
	if err != nil {
		return "", err
	}
	secret := newSecret()
	return updated(ctx, s, func(t *tx) (string, error) {
		if err := t.replacePassword(p, hash); err != nil {
			return "", err
		}
		s.endSessions(t, p)
		t.insertSession(p.seq, secret)
		s.forgetSignIns(t, p.Email, "")
		return secret, nil
	})
}

// endSessions ends all sessions and reset tokens of an account: its password was changed.
func (s *Store) endSessions(t *tx, p person) {
	t.exec("DELETE FROM sessions WHERE account = $1", p.seq)
	t.exec("DELETE FROM tokens WHERE account = $1 AND purpose = $2", p.seq, tokenReset)
	s.append(t, Event{Kind: EventPassword, Actor: p.ID, Address: actor(t.ctx).Address})
}

func (s *Store) AccountOf(ctx context.Context, idOrEmail string) (Account, error) {
	p, err := personOf(s.view(ctx), idOrEmail, "")
	return p.Account, err
}

// SetAccountPlan moves the account and all its keys to a plan.
func (s *Store) SetAccountPlan(ctx context.Context, idOrEmail string, plan Plan) (Account, error) {
	if _, err := ParsePlan(string(plan)); err != nil {
		return Account{}, err
	}
	return s.changeAccount(ctx, idOrEmail, func(t *tx, p *person) {
		t.setPlan(p.ID, plan)
		s.note(t, EventPlan, "", p.ID+": "+string(p.Plan)+" to "+string(plan))
		p.Plan = plan
	})
}

// DeactivateAccount stops all keys of the account until it is reactivated. A key that was deactivated itself stays so.
func (s *Store) DeactivateAccount(ctx context.Context, idOrEmail string) (Account, error) {
	return s.setActive(ctx, idOrEmail, EventDeactivate, 0)
}

func (s *Store) ReactivateAccount(ctx context.Context, idOrEmail string) (Account, error) {
	return s.setActive(ctx, idOrEmail, EventReactivate, 1)
}

func (s *Store) setActive(ctx context.Context, idOrEmail string, event Kind, active int) (Account, error) {
	return s.changeAccount(ctx, idOrEmail, func(t *tx, p *person) {
		t.exec("UPDATE accounts SET active = $2 WHERE seq = $1", p.seq, active)
		s.note(t, event, "", p.ID)
		p.Active = active == 1
	})
}

func (s *Store) changeAccount(ctx context.Context, idOrEmail string, change func(*tx, *person)) (Account, error) {
	return updated(ctx, s, func(t *tx) (Account, error) {
		p, err := personOf(t, idOrEmail, t.lock)
		if err == nil {
			change(t, &p)
		}
		return p.Account, err
	})
}

// KeysOf returns all keys of the account, oldest first.
func (s *Store) KeysOf(ctx context.Context, account string) ([]KeyInfo, error) {
	p, err := personOf(s.view(ctx), account, "")
	if err != nil {
		return nil, err
	}
	return listKeys(s.view(ctx), "WHERE k.account = $1 ORDER BY k.seq", p.seq)
}

// CreateFor makes a key on the plan of the account, unless the account is inactive.
func (s *Store) CreateFor(ctx context.Context, account, label string) (secret string, k KeyInfo, err error) {
	if label, err = parseLabel(label); err != nil {
		return "", KeyInfo{}, err
	}
	err = s.update(ctx, func(t *tx) error {
		// The account is locked while its keys are counted.
		p, err := personOf(t, account, t.lock)
		if err != nil {
			return err
		}
		if !p.Active {
			return inactive()
		}
		var have int
		if _, err := t.get("SELECT COUNT(*) FROM keys WHERE account = $1 AND active = 1", []any{p.seq}, &have); err != nil {
			return err
		}
		if have >= mostKeys {
			return refuse(nil, "too_many_keys", have)
		}
		if secret, k, err = s.newKey(p.Plan, p.Email, label); err != nil {
			return err
		}
		k.Account = p.ID
		_, err = t.insertKey(secret, k, p.seq)
		s.note(t, EventMint, k.ID, "plan "+string(p.Plan))
		return err
	})
	return secret, k, err
}

// ParseEmail returns an email address as it is compared. It accepts only ASCII, so that no two addresses look the same.
func ParseEmail(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, ok := strings.Cut(s, "@")
	const special = "abcdefghijklmnopqrstuvwxyz0123456789.!#$%&'*+/=?^_`{|}~-"
	if !ok || len(s) > maxEmail || len(local) > 64 || !dotted(local, special) || !dotted(domain, special[:26+10]+"-.") || !strings.Contains(domain, ".") {
		return "", badEmail(legible(s, 100), "give one like name@example.org")
	}
	return s, nil
}

// dotted reports whether s is non-empty parts of these characters, separated by dots.
func dotted(s, chars string) bool {
	return s != "" && strings.Trim(s, chars) == "" && s[0] != '.' && s[len(s)-1] != '.' && !strings.Contains(s, "..") &&
		strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune(chars, r) }) < 0
}

func (t *tx) insertSession(account int64, secret string) {
	t.exec("INSERT INTO sessions (hash, account, created, expires) VALUES ($1, $2, $3, $4)",
		hashSecret(secret), account, t.now.UnixNano(), t.now.Add(sessionIdle).UnixNano())
}

// Session returns the account of a session and prolongs the session.
func (s *Store) Session(ctx context.Context, secret string) (Account, error) {
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
	// The account is read after the session: an old session admits at most this one request.
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

func (s *Store) SignOut(ctx context.Context, secret string) error {
	return s.perform(ctx, func(t *tx) { t.exec("DELETE FROM sessions WHERE hash = $1", hashSecret(secret)) })
}
