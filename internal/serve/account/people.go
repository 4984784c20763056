package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"grantgraph/internal/serve/network"
	"grantgraph/internal/table"
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

func personBy(from reader, where string, args ...any) (p person, found bool) {
	var created int64
	found = from.get("SELECT a.seq, a.id, a.email, a.password, a.verified = 1, a.plan, a.active = 1, a.created FROM accounts a "+where, args,
		&p.seq, &p.ID, &p.Email, &p.passwordHash, &p.Verified, &p.Plan, &p.Active, &created)
	p.Created = time.Unix(0, created).UTC()
	return p, found
}

func personOf(from reader, idOrEmail, lock string) person {
	where, arg, known := "WHERE a.id = $1", idOrEmail, isID(accPrefix, idOrEmail)
	if strings.Contains(idOrEmail, "@") {
		email, err := ParseEmail(idOrEmail)
		where, arg, known = "WHERE a.email = $1", email, err == nil
	}
	if known {
		if p, found := personBy(from, where+lock, arg); found {
			return p
		}
	}
	from.fail(unknownAccount())
	return person{}
}

func (s *Store) person(ctx context.Context, idOrEmail string) (person, error) {
	v := s.view(ctx)
	return resultOf(v, personOf(v, idOrEmail, ""))
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
	a, err = updated(ctx, s, func(t *tx) Account {
		n := t.exec("INSERT INTO accounts (id, email, password, verified, plan, created) VALUES ($1, $2, $3, 0, $4, $5)"+
			" ON CONFLICT (email) DO NOTHING", a.ID, a.Email, hash, string(a.Plan), a.Created.UnixNano())
		if taken = n == 0; taken {
			// The links of an unconfirmed account end here: its owner may be signing up now, with another password.
			t.exec("DELETE FROM tokens WHERE purpose = $1 AND account = (SELECT seq FROM accounts WHERE email = $2 AND verified = 0)", tokenVerify, email)
			return Account{}
		}
		s.append(t, Event{Kind: EventSignUp, Actor: a.ID, Address: from})
		return a
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
	a, err = updated(ctx, s, func(t *tx) Account {
		// No password has the empty hash.
		t.exec("INSERT INTO accounts (id, email, password, verified, plan, created) VALUES ($1, $2, '', 0, $3, $4) ON CONFLICT (email) DO NOTHING",
			id, email, string(Free), t.now.UnixNano())
		p := personOf(t, email, t.lock)
		if p.Verified {
			t.fail(refuse(nil, "invited_account"))
		}
		s.note(t, EventInvite, "", p.ID)
		return p.Account
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
	return s.counted(ctx, what, func(t *tx) (time.Duration, bool) { return s.countNetwork(t, l, from) })
}

// counted runs count in a transaction, which is committed also for a try too many.
func (s *Store) counted(ctx context.Context, what string, count func(*tx) (wait time.Duration, ok bool)) error {
	refusal, err := updated(ctx, s, func(t *tx) (refusal error) {
		if wait, ok := count(t); !ok {
			refusal = tooManyAttempts(what, wait)
		}
		return refusal
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
	v := s.view(ctx)
	p, _ := personBy(v, "WHERE a.email = $1", email)
	if v.err != nil {
		return "", Account{}, v.err
	}
	ok, weak, err := s.passwordMatches(ctx, from, p.passwordHash, password)
	if err != nil {
		return "", Account{}, err
	}
	if !ok {
		err := s.update(ctx, func(t *tx) { s.append(t, Event{Kind: EventSignInFail, Actor: cmp.Or(p.ID, "unknown"), Address: from}) })
		return "", Account{}, cmp.Or(err, badCredentials())
	}
	hash := p.passwordHash
	if weak {
		if hash, err = s.hashPassword(ctx, from, password); err != nil {
			return "", Account{}, err
		}
	}
	secret := newSecret()
	err = s.update(ctx, func(t *tx) {
		t.replacePassword(p, hash)
		t.insertSession(p.seq, secret)
		s.forgetSignIns(t, email, from)
		if from != "" {
			s.takeBack(t, signInsOfAddress, network.Near(from), false)
		}
		s.append(t, Event{Kind: EventSignIn, Actor: p.ID, Address: from})
	})
	return secret, p.Account, err
}

// replacePassword stores a new hash, unless the password has changed since p was read.
func (t *tx) replacePassword(p person, hash string) {
	if t.exec("UPDATE accounts SET password = $3 WHERE seq = $1 AND password = $2", p.seq, p.passwordHash, hash) == 0 {
		t.fail(badCredentials())
	}
}

func (s *Store) countSignIn(ctx context.Context, email, from string) error {
	return s.counted(ctx, "failed sign-ins", func(t *tx) (time.Duration, bool) {
		wait, ok := s.countTry(t, signInsOfNetwork, email+" "+network.Wide(from))
		if ok {
			wait, ok = s.countTry(t, signInsOfEmail, email)
		}
		if ok && from != "" {
			wait, ok = s.countTry(t, signInsOfAddress, network.Near(from))
		}
		return wait, ok
	})
}

func (s *Store) forgetSignIns(t *tx, email, from string) {
	s.takeBack(t, signInsOfNetwork, email+" "+network.Wide(from), true)
	s.takeBack(t, signInsOfEmail, email, true)
}

// ConfirmPassword checks the password of somebody who is signed in, before what a session alone must not allow.
func (s *Store) ConfirmPassword(ctx context.Context, account, password string) error {
	p, err := s.person(ctx, account)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, p, password); err != nil {
		return err
	}
	return s.update(ctx, func(t *tx) { s.forgetSignIns(t, p.Email, "") })
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
	p, err := s.person(ctx, account)
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
	return updated(ctx, s, func(t *tx) string {
		t.replacePassword(p, hash)
		s.endSessions(t, p)
		t.insertSession(p.seq, secret)
		s.forgetSignIns(t, p.Email, "")
		return secret
	})
}

// endSessions ends all sessions and reset tokens of an account: its password was changed.
func (s *Store) endSessions(t *tx, p person) {
	t.exec("DELETE FROM sessions WHERE account = $1", p.seq)
	t.exec("DELETE FROM tokens WHERE account = $1 AND purpose = $2", p.seq, tokenReset)
	s.append(t, Event{Kind: EventPassword, Actor: p.ID, Address: actor(t.ctx).Address})
}

func (s *Store) AccountOf(ctx context.Context, idOrEmail string) (Account, error) {
	p, err := s.person(ctx, idOrEmail)
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
	return updated(ctx, s, func(t *tx) Account {
		p := personOf(t, idOrEmail, t.lock)
		change(t, &p)
		return p.Account
	})
}

// KeysOf returns all keys of the account, oldest first.
func (s *Store) KeysOf(ctx context.Context, account string) ([]KeyInfo, error) {
	v := s.view(ctx)
	return resultOf(v, listKeys(v, "WHERE k.account = $1 ORDER BY k.seq", personOf(v, account, "").seq))
}

// CreateFor makes a key on the plan of the account, unless the account is inactive.
func (s *Store) CreateFor(ctx context.Context, account, label string) (secret string, k KeyInfo, err error) {
	if label, err = parseLabel(label); err != nil {
		return "", KeyInfo{}, err
	}
	err = s.update(ctx, func(t *tx) {
		// The account is locked while its keys are counted.
		p := personOf(t, account, t.lock)
		if !p.Active {
			t.fail(inactive())
		}
		var have int
		t.get("SELECT COUNT(*) FROM keys WHERE account = $1 AND active = 1", []any{p.seq}, &have)
		if have >= mostKeys {
			t.fail(refuse(nil, "too_many_keys", have))
		}
		if t.err != nil {
			return
		}
		secret, k, err = s.newKey(p.Plan, p.Email, label)
		t.fail(err)
		k.Account = p.ID
		t.insertKey(secret, k, p.seq)
		s.note(t, EventMint, k.ID, "plan "+string(p.Plan))
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
	found := from.get("SELECT s.created, s.expires, a.id FROM sessions s JOIN accounts a ON a.seq = s.account WHERE s.hash = $1",
		[]any{hash}, &created, &expires, &account)
	now := s.clock()
	if !found || now.UnixNano() >= expires {
		from.fail(refuse(nil, "no_session"))
		return Account{}, from.err
	}
	longer := now.Add(sessionIdle)
	if last := time.Unix(0, created).Add(sessionMost); longer.After(last) {
		longer = last
	}
	// The account is read after the session: an old session admits at most this one request.
	if longer.UnixNano()-expires >= int64(sessionStep) {
		err := s.update(ctx, func(t *tx) {
			if t.exec("UPDATE sessions SET expires = $2 WHERE hash = $1", hash, longer.UnixNano()) == 0 {
				t.fail(refuse(nil, "no_session"))
			}
		})
		if err != nil {
			return Account{}, err
		}
	}
	return resultOf(from, personOf(from, account, "").Account)
}

func (s *Store) SignOut(ctx context.Context, secret string) error {
	return s.update(ctx, func(t *tx) { t.exec("DELETE FROM sessions WHERE hash = $1", hashSecret(secret)) })
}

//go:embed personal.tsv
var personalTable string

var personal = table.Read("personal.tsv", personalTable, "part", "fields", "statement")

// Export is everything that the store keeps about an account, without secrets and hashes.
type Export struct {
	At    time.Time                   `json:"exported_at"`
	Parts map[string][]map[string]any `json:"parts"`
}

// ExportAccount returns what the store keeps about an account, for its owner.
func (s *Store) ExportAccount(ctx context.Context, idOrEmail string) (Export, error) {
	out := Export{At: s.clock().UTC(), Parts: map[string][]map[string]any{}}
	v := s.view(ctx)
	p := personOf(v, idOrEmail, "")
	for _, part := range personal {
		fields := strings.Fields(part.Text("fields"))
		out.Parts[part.Text("part")] = collect(v, part.Text("statement"), []any{p.seq},
			func(scan scanner) (map[string]any, error) { return exportedRow(fields, scan) })
	}
	if v.err != nil {
		return Export{}, v.err
	}
	return out, s.update(ctx, func(t *tx) { s.note(t, EventExport, "", p.ID) })
}

func exportedRow(fields []string, scan scanner) (map[string]any, error) {
	values, into, row := make([]any, len(fields)), make([]any, len(fields)), map[string]any{}
	for i := range into {
		into[i] = &values[i]
	}
	err := scan(into...)
	for i, field := range fields {
		n, _ := values[i].(int64)
		name, isFlag := strings.CutSuffix(field, "?")
		row[name] = values[i]
		switch isTime := strings.HasSuffix(field, "_at"); {
		case isFlag:
			row[name] = n == 1
		case isTime && n == 0:
			row[name] = nil // it has not happened
		case isTime && n < 1e15: // Some columns are in seconds; others are in nanoseconds.
			row[name] = time.Unix(n, 0).UTC()
		case isTime:
			row[name] = time.Unix(0, n).UTC()
		}
	}
	return row, err
}

// erasing removes an account by its number and its ID, in this order. The number of its calls stays under another name.
var erasing = []struct {
	byID bool
	text string
}{
	{true, "INSERT INTO spent (owner, period, start, calls) SELECT 'erased', period, start, calls FROM spent WHERE owner = $1" +
		" ON CONFLICT (owner, period, start) DO UPDATE SET calls = spent.calls + excluded.calls"},
	{true, "DELETE FROM spent WHERE owner = $1"},
	{true, "DELETE FROM screens WHERE owner = $1"},
	{false, "DELETE FROM sessions WHERE account = $1"},
	{false, "DELETE FROM tokens WHERE account = $1"},
	{false, "DELETE FROM keys WHERE account = $1"},
	{false, "DELETE FROM accounts WHERE seq = $1"},
}

// EraseAccount removes an account with everything that belongs to it. The audit trail keeps the ID
// of the account until its events expire. Traces in the files of the store go with the next Scrub.
func (s *Store) EraseAccount(ctx context.Context, idOrEmail string) (Account, error) {
	p, err := s.person(ctx, idOrEmail)
	if err != nil {
		return Account{}, err
	}
	return updated(ctx, s, func(t *tx) Account {
		// Charges lock the keys before the account, and write their usage after that.
		t.each("SELECT seq FROM keys WHERE account = $1 ORDER BY seq"+t.lock, []any{p.seq}, func(scanner) error { return nil })
		p := personOf(t, p.ID, t.lock)
		for _, step := range erasing {
			if step.byID {
				t.exec(step.text, p.ID)
			} else {
				t.exec(step.text, p.seq)
			}
		}
		s.note(t, EventErase, "", p.ID)
		return p.Account
	})
}

// Scrub removes the traces that deleted rows leave in the files of the store, if an account was erased since the last time.
func (s *Store) Scrub(ctx context.Context) error {
	var last Kind
	v := s.view(ctx)
	v.get("SELECT kind FROM events WHERE kind IN ($1, $2) ORDER BY seq DESC LIMIT 1", []any{string(EventErase), string(EventScrub)}, &last)
	if last != EventErase {
		return v.err
	}
	if done, err := s.engine.scrub(ctx, s); err != nil || !done {
		return err
	}
	return s.update(ctx, func(t *tx) { s.append(t, Event{Kind: EventScrub, Actor: "server"}) })
}
