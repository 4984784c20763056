package account

import (
	"context"
	"crypto/rand"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// record is a key as it is stored, or an account that is used without one: then
// it has no ID and no seq.
type record struct {
	KeyInfo
	seq     int64
	expires int64 // Unix nanoseconds; 0 is never
	account int64 // seq of an account that is used without a key
}

// keyless says whether it is an account that is used without a key.
func (r record) keyless() bool { return r.account != 0 }

// owner is whose allowance the key spends.
func (r record) owner() string {
	if r.Account != "" {
		return r.Account
	}
	return r.ID
}

const keyColumns = "SELECT k.seq, k.id, k.plan, k.email, k.label, k.active = 1 AND COALESCE(a.active, 1) = 1, k.created, k.rotated, COALESCE(a.id, ''), COALESCE(g.tier, ''), COALESCE(g.expires, 0)" +
	" FROM keys k LEFT JOIN accounts a ON a.seq = k.account LEFT JOIN agents g ON g.key = k.seq "

// scanKey reads one row that begins with keyColumns.
func scanKey(scan func(...any) error) (r record, err error) {
	var created, rotated int64
	err = scan(&r.seq, &r.ID, &r.Plan, &r.Email, &r.Label, &r.Active, &created, &rotated, &r.Account, &r.Tier, &r.expires)
	r.Created, r.Rotated = time.Unix(created, 0).UTC(), time.Unix(rotated, 0).UTC()
	return r, err
}

// findKeyBy finds the one key for which the condition holds.
func findKeyBy(from reader, where string, arg any) (r record, found bool, err error) {
	err = from.each(keyColumns+"WHERE "+where, []any{arg}, func(scan func(...any) error) (err error) {
		found = true
		r, err = scanKey(scan)
		return err
	})
	return r, found && err == nil, err
}

// findKey finds a key by its secret or its ID.
func findKey(from reader, secretOrID string) (record, error) {
	where, arg := "k.id = $1", any(secretOrID)
	if strings.HasPrefix(secretOrID, keyPrefix) {
		if _, err := ParseKey(secretOrID); err != nil {
			return record{}, err
		}
		where, arg = "k.hash = $1", hashKey(secretOrID)
	} else if !isID(idPrefix, secretOrID) {
		return record{}, noSuchKey()
	}
	r, found, err := findKeyBy(from, where, arg)
	if err == nil && !found {
		err = noSuchKey()
	}
	return r, err
}

const payingAccountColumns = "SELECT a.seq, a.id, a.plan, a.email, a.active = 1 FROM accounts a "

// scanPayingAccount reads one row of payingAccountColumns.
func scanPayingAccount(scan func(...any) error) (r record, err error) {
	err = scan(&r.account, &r.Account, &r.Plan, &r.Email, &r.Active)
	return r, err
}

func findPayingAccount(from reader, id string) (r record, found bool, err error) {
	err = from.each(payingAccountColumns+"WHERE a.id = $1", []any{id}, func(scan func(...any) error) (err error) {
		found = true
		r, err = scanPayingAccount(scan)
		return err
	})
	return r, found && err == nil, err
}

// payerOf finds who pays: a key by its secret or its ID, or an account by its ID.
func payerOf(from reader, id string) (record, error) {
	if !isID(accPrefix, id) {
		return findKey(from, id)
	}
	r, found, err := findPayingAccount(from, id)
	if err == nil && !found {
		err = unknownAccount()
	}
	return r, err
}

// window is the window of a plan in this store.
func (s *store) window(p Plan) Window {
	if p == Free {
		return s.freeWindow
	}
	return p.Terms().Window
}

// balance is the balance of a plan of which calls are spent.
func (s *store) balance(p Plan, now time.Time, calls int64) Balance {
	t := p.Terms()
	return Balance{Limit: t.Allowance, Remaining: int(max(0, int64(t.Allowance)-calls)), Reset: s.window(p).Reset(now)}
}

func (s *store) Authenticate(ctx context.Context, secret string) (KeyInfo, error) {
	if _, err := ParseKey(secret); err != nil {
		return KeyInfo{}, err
	}
	r, err := findKey(s.view(ctx), secret)
	if err == nil && r.expires != 0 && s.clock().UnixNano() >= r.expires {
		return KeyInfo{}, expired(r.expires)
	}
	return r.KeyInfo, err
}

func (s *store) Find(ctx context.Context, secretOrID string) (KeyInfo, error) {
	r, err := findKey(s.view(ctx), secretOrID)
	return r.KeyInfo, err
}

func (s *store) Balance(ctx context.Context, id string) (Balance, error) {
	from := s.view(ctx)
	r, err := payerOf(from, id)
	if err != nil {
		return Balance{}, err
	}
	now := s.clock()
	if r.Plan == Agent {
		a, err := readAgent(from, r, "")
		return a.balance(), err
	}
	w := s.window(r.Plan)
	var calls int64
	_, err = from.get("SELECT calls FROM spent WHERE owner = $1 AND period = $2 AND start = $3", []any{r.owner(), string(w), w.Start(now).Unix()}, &calls)
	if err != nil {
		return Balance{}, err
	}
	return s.balance(r.Plan, now, calls), nil
}

func (s *store) List(ctx context.Context) ([]KeyInfo, error) {
	return listKeys(s.view(ctx), "WHERE k.plan <> $1 ORDER BY k.seq", string(Agent))
}

func listKeys(from reader, where string, arg any) ([]KeyInfo, error) {
	keys := []KeyInfo{}
	err := from.each(keyColumns+where, []any{arg}, func(scan func(...any) error) error {
		r, err := scanKey(scan)
		keys = append(keys, r.KeyInfo)
		return err
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}

// Bounds of the texts that come with a key.
const (
	maxEmail = 254
	maxLabel = 200
)

// readable says whether a text from outside is fit to be stored and shown:
// both databases keep it as it is, and it cannot play tricks on a screen.
func readable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) < 0
}

func parseLabel(s string) (string, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxLabel {
		return "", longLabel(len(s))
	}
	if !readable(s) {
		return "", unreadableLabel()
	}
	return s, nil
}

func (s *store) Create(ctx context.Context, plan Plan, email, label string) (string, KeyInfo, error) {
	email = strings.TrimSpace(email)
	if len(email) > maxEmail || email != "" && !strings.Contains(email, "@") || !readable(email) {
		return "", KeyInfo{}, badEmail(email, "leave it out or give one like name@example.org")
	}
	label, err := parseLabel(label)
	if err != nil {
		return "", KeyInfo{}, err
	}
	if _, err := ParsePlan(string(plan)); err != nil {
		return "", KeyInfo{}, err
	}
	secret, k, err := s.newKey(plan, email, label)
	if err != nil {
		return "", KeyInfo{}, err
	}
	err = s.update(ctx, func(t *tx) error {
		_, err := t.insertKey(secret, k, nil)
		if err == nil {
			err = s.note(t, EventMint, k.ID, "plan "+string(plan))
		}
		return err
	})
	if err != nil {
		return "", KeyInfo{}, err
	}
	return secret, k, nil
}

// newKey draws a key that is not stored yet.
func (s *store) newKey(plan Plan, email, label string) (secret string, k KeyInfo, err error) {
	if secret, err = NewKey(plan, rand.Reader); err != nil {
		return "", KeyInfo{}, err
	}
	id, err := newID(idPrefix, rand.Reader)
	now := s.clock().UTC().Truncate(time.Second)
	return secret, KeyInfo{ID: id, Plan: plan, Email: email, Label: label, Active: true, Created: now, Rotated: now}, err
}

// insertKey stores a new key; account is the number of its account, or nil.
func (t *tx) insertKey(secret string, k KeyInfo, account any) (seq int64, err error) {
	t.wrote = true
	_, err = t.get("INSERT INTO keys (id, hash, plan, email, label, active, created, rotated, account) VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8) RETURNING seq",
		[]any{k.ID, hashKey(secret), string(k.Plan), k.Email, k.Label, k.Created.Unix(), k.Rotated.Unix(), account}, &seq)
	return seq, err
}

func (s *store) Rotate(ctx context.Context, id string) (string, KeyInfo, error) {
	k, err := s.Find(ctx, id)
	if err != nil {
		return "", KeyInfo{}, err
	}
	secret, err := NewKey(k.Plan, rand.Reader)
	if err != nil {
		return "", KeyInfo{}, err
	}
	now := s.clock().UTC().Truncate(time.Second)
	k, err = s.change(ctx, k.ID, EventRotate, "", "UPDATE keys SET hash = $2, rotated = $3 WHERE id = $1", hashKey(secret), now.Unix())
	if err != nil {
		return "", KeyInfo{}, err
	}
	return secret, k, nil
}

func (s *store) Deactivate(ctx context.Context, id string) (KeyInfo, error) {
	return s.change(ctx, id, EventDeactivate, "", "UPDATE keys SET active = $2 WHERE id = $1", 0)
}

func (s *store) Reactivate(ctx context.Context, id string) (KeyInfo, error) {
	return s.change(ctx, id, EventReactivate, "", "UPDATE keys SET active = $2 WHERE id = $1", 1)
}

func (s *store) Delete(ctx context.Context, id string) (KeyInfo, error) {
	var r record
	err := s.update(ctx, func(t *tx) (err error) {
		if r, err = findKey(t, id); err != nil {
			return err
		}
		// Nobody is charged on the key while its usage is moved.
		var seq int64
		found, err := t.get("SELECT seq FROM keys WHERE seq = $1"+t.lock, []any{r.seq}, &seq)
		if err == nil && !found {
			err = noSuchKey()
		}
		if err == nil && r.Account != "" {
			_, err = t.exec("INSERT INTO account_usage (account, hour, calls) SELECT k.account, u.hour, u.calls FROM usage u JOIN keys k ON k.seq = u.key WHERE u.key = $1"+
				" ON CONFLICT (account, hour) DO UPDATE SET calls = account_usage.calls + excluded.calls", seq)
		} else if err == nil {
			_, err = t.exec("DELETE FROM screens WHERE owner = $1", r.ID)
		}
		if err == nil {
			_, err = t.exec("DELETE FROM keys WHERE seq = $1", seq)
		}
		if err != nil {
			return err
		}
		return s.note(t, EventDelete, r.ID, "plan "+string(r.Plan))
	})
	if err != nil {
		return KeyInfo{}, err
	}
	return r.KeyInfo, nil
}

// change runs an update whose first parameter is the ID of the key with this
// secret or ID, and returns the key as it is after it.
func (s *store) change(ctx context.Context, id string, event Kind, details, update string, values ...any) (KeyInfo, error) {
	var after record
	err := s.update(ctx, func(t *tx) error {
		r, err := findKey(t, id)
		if err != nil {
			return err
		}
		if _, err := t.exec(update, append([]any{r.ID}, values...)...); err != nil {
			return err
		}
		if err := s.note(t, event, r.ID, details); err != nil {
			return err
		}
		after, err = findKey(t, r.ID)
		return err
	})
	if err != nil {
		return KeyInfo{}, err
	}
	return after.KeyInfo, nil
}

func (s *store) SetPlan(ctx context.Context, id string, plan Plan) (KeyInfo, error) {
	if _, err := ParsePlan(string(plan)); err != nil {
		return KeyInfo{}, err
	}
	var after record
	err := s.update(ctx, func(t *tx) error {
		r, err := findKey(t, id)
		switch {
		case err != nil:
			return err
		case r.Plan == Agent:
			return noPlanForAgent()
		case r.Account != "":
			err = t.setPlan(r.Account, plan)
		default:
			_, err = t.exec("UPDATE keys SET plan = $2 WHERE id = $1", r.ID, string(plan))
		}
		if err != nil {
			return err
		}
		if err := s.note(t, EventPlan, r.ID, string(r.Plan)+" to "+string(plan)); err != nil {
			return err
		}
		after, err = findKey(t, r.ID)
		return err
	})
	if err != nil {
		return KeyInfo{}, err
	}
	return after.KeyInfo, nil
}

// setPlan moves an account and all its keys to a plan.
func (t *tx) setPlan(account string, plan Plan) error {
	if _, err := t.exec("UPDATE accounts SET plan = $2 WHERE id = $1", account, string(plan)); err != nil {
		return err
	}
	_, err := t.exec("UPDATE keys SET plan = $2 WHERE account = (SELECT seq FROM accounts WHERE id = $1)", account, string(plan))
	return err
}
