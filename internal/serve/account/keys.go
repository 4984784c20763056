package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"grantgraph/internal/fault"
)

// record is a stored key, or an account used without a key: then it has no ID and no seq.
type record struct {
	KeyInfo
	seq     int64
	expires int64 // Unix nanoseconds; 0 for never
	account int64 // seq of an account that is used without a key
}

func (r record) keyless() bool { return r.account != 0 }

// owner returns the ID of the account or key whose allowance the record spends.
func (r record) owner() string { return cmp.Or(r.Account, r.ID) }

const keyColumns = "SELECT k.seq, k.id, k.plan, k.email, k.label, k.active = 1 AND COALESCE(a.active, 1) = 1, k.created, k.rotated," +
	" COALESCE(a.id, ''), COALESCE(g.tier, ''), COALESCE(g.expires, 0)" +
	" FROM keys k LEFT JOIN accounts a ON a.seq = k.account LEFT JOIN agents g ON g.key = k.seq "

func scanKey(scan scanner) (r record, err error) {
	var created, rotated int64
	err = scan(&r.seq, &r.ID, &r.Plan, &r.Email, &r.Label, &r.Active, &created, &rotated, &r.Account, &r.Tier, &r.expires)
	r.Created, r.Rotated = time.Unix(created, 0).UTC(), time.Unix(rotated, 0).UTC()
	return r, err
}

func findRecord(from reader, text string, arg any, scan func(scanner) (record, error)) (r record, found bool) {
	for _, r := range collect(from, text, []any{arg}, scan) {
		return r, true
	}
	return r, false
}

func findKeyBy(from reader, where string, arg any) (r record, found bool) {
	return findRecord(from, keyColumns+"WHERE "+where, arg, scanKey)
}

func findKeyByID(from reader, id string) (r record, found bool) {
	return findKeyBy(from, "k.id = $1", id)
}

func findKey(from reader, secretOrID string) record {
	where, arg := "k.id = $1", any(secretOrID)
	if strings.HasPrefix(secretOrID, keyPrefix) {
		_, err := ParseKey(secretOrID)
		from.fail(err)
		where, arg = "k.hash = $1", hashSecret(secretOrID)
	} else if !isID(idPrefix, secretOrID) {
		from.fail(noSuchKey())
	}
	r, found := findKeyBy(from, where, arg)
	if !found {
		from.fail(noSuchKey())
	}
	return r
}

const payingAccountColumns = "SELECT a.seq, a.id, a.plan, a.email, a.active = 1 FROM accounts a "

func scanPayingAccount(scan scanner) (r record, err error) {
	err = scan(&r.account, &r.Account, &r.Plan, &r.Email, &r.Active)
	return r, err
}

func findPayingAccount(from reader, id string) (r record, found bool) {
	return findRecord(from, payingAccountColumns+"WHERE a.id = $1", id, scanPayingAccount)
}

// payerOf finds who pays: a key by its secret or its ID, or an account by its ID.
func payerOf(from reader, id string) record {
	if !isID(accPrefix, id) {
		return findKey(from, id)
	}
	r, found := findPayingAccount(from, id)
	if !found {
		from.fail(unknownAccount())
	}
	return r
}

// Terms returns the terms of a plan with the allowance and the window that the operator set.
func (s *Store) Terms(p Plan) Terms {
	t := p.Terms()
	if p == Free {
		t.Window = s.freeWindow
	}
	t.Allowance = cmp.Or(s.calls[p], t.Allowance)
	return t
}

func (s *Store) balance(p Plan, now time.Time, calls int64) Balance {
	t := s.Terms(p)
	return Balance{Limit: t.Allowance, Remaining: int(max(0, int64(t.Allowance)-calls)), Reset: t.Window.Reset(now)}
}

// Authenticate finds a key by its secret, and never by an ID. For an expired key of an agent the error wraps ErrExpired.
func (s *Store) Authenticate(ctx context.Context, secret string) (KeyInfo, error) {
	if _, err := ParseKey(secret); err != nil {
		return KeyInfo{}, err
	}
	v := s.view(ctx)
	r := findKey(v, secret)
	if r.expires != 0 && s.clock().UnixNano() >= r.expires {
		v.fail(expired(r.expires))
	}
	return resultOf(v, r.KeyInfo)
}

// Payer is the account that pays for a request, or its key without an account. It is empty for callers who pay nothing.
func Payer(ctx context.Context, keys interface {
	Authenticate(ctx context.Context, secret string) (KeyInfo, error)
}, h http.Header) string {
	key, err := keys.Authenticate(ctx, Credential(h))
	if err != nil || key.Require(Paid) != nil {
		return ""
	}
	return cmp.Or(key.Account, key.ID)
}

func (s *Store) Find(ctx context.Context, secretOrID string) (KeyInfo, error) {
	v := s.view(ctx)
	return resultOf(v, findKey(v, secretOrID).KeyInfo)
}

func (s *Store) Balance(ctx context.Context, id string) (Balance, error) {
	from := s.view(ctx)
	r := payerOf(from, id)
	now := s.clock()
	if r.Plan == Agent {
		a := readAgent(from, r, "")
		return Balance{Limit: a.Allowance, Remaining: a.Remaining, Expires: a.Expires}, from.err
	}
	w := s.Terms(r.Plan).Window
	var calls int64
	from.get(spentCalls, []any{r.owner(), string(w), w.Start(now).Unix()}, &calls)
	return resultOf(from, s.balance(r.Plan, now, calls))
}

// List returns all keys except those of agents, oldest first.
func (s *Store) List(ctx context.Context) ([]KeyInfo, error) {
	v := s.view(ctx)
	return resultOf(v, listKeys(v, "WHERE k.plan <> $1 ORDER BY k.seq", string(Agent)))
}

func listKeys(from reader, where string, arg any) []KeyInfo {
	return collect(from, keyColumns+where, []any{arg}, func(scan scanner) (KeyInfo, error) {
		r, err := scanKey(scan)
		return r.KeyInfo, err
	})
}

const (
	maxEmail = 254
	maxLabel = 200
)

func parseLabel(s string) (string, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxLabel {
		return "", refuse(nil, "long_label", len(s), maxLabel)
	}
	if !fault.Legible(s) {
		return "", refuse(nil, "unreadable_label")
	}
	return s, nil
}

// Create makes a key without an account; the email address is a note. Only it returns the secret.
func (s *Store) Create(ctx context.Context, plan Plan, email, label string) (string, KeyInfo, error) {
	email = strings.TrimSpace(email)
	if len(email) > maxEmail || email != "" && !strings.Contains(email, "@") || !fault.Legible(email) {
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
	err = s.update(ctx, func(t *tx) {
		t.insertKey(secret, k, nil)
		s.note(t, EventMint, k.ID, "plan "+string(plan))
	})
	return secret, k, err
}

func (s *Store) newKey(plan Plan, email, label string) (secret string, k KeyInfo, err error) {
	if secret, err = NewKey(plan, rand.Reader); err != nil {
		return "", KeyInfo{}, err
	}
	id, err := newID(idPrefix, rand.Reader)
	now := s.clock().UTC().Truncate(time.Second)
	return secret, KeyInfo{ID: id, Plan: plan, Email: email, Label: label, Active: true, Created: now, Rotated: now}, err
}

// insertKey stores a new key; account is the number of its account, or nil.
func (t *tx) insertKey(secret string, k KeyInfo, account any) (seq int64) {
	t.returning("INSERT INTO keys (id, hash, plan, email, label, active, created, rotated, account)"+
		" VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8) RETURNING seq",
		[]any{k.ID, hashSecret(secret), string(k.Plan), k.Email, k.Label, k.Created.Unix(), k.Rotated.Unix(), account}, &seq)
	return seq
}

// Rotate gives the key a new secret. When it returns, the old secret no longer works. The spent calls stay spent.
func (s *Store) Rotate(ctx context.Context, id string) (string, KeyInfo, error) {
	k, err := s.Find(ctx, id)
	if err != nil {
		return "", KeyInfo{}, err
	}
	secret, err := NewKey(k.Plan, rand.Reader)
	if err != nil {
		return "", KeyInfo{}, err
	}
	now := s.clock().UTC().Truncate(time.Second)
	k, err = s.change(ctx, k.ID, EventRotate, "UPDATE keys SET hash = $2, rotated = $3 WHERE id = $1", hashSecret(secret), now.Unix())
	return secret, k, err
}

func (s *Store) Deactivate(ctx context.Context, id string) (KeyInfo, error) {
	return s.change(ctx, id, EventDeactivate, "UPDATE keys SET active = $2 WHERE id = $1", 0)
}

func (s *Store) Reactivate(ctx context.Context, id string) (KeyInfo, error) {
	return s.change(ctx, id, EventReactivate, "UPDATE keys SET active = $2 WHERE id = $1", 1)
}

// change runs an update whose first parameter is the ID of the key, and returns the key after it.
func (s *Store) change(ctx context.Context, id string, event Kind, update string, values ...any) (KeyInfo, error) {
	return updated(ctx, s, func(t *tx) KeyInfo {
		r := findKey(t, id)
		t.exec(update, append([]any{r.ID}, values...)...)
		s.note(t, event, r.ID, "")
		return findKey(t, r.ID).KeyInfo
	})
}

// Delete removes the key for good. In the usage of its account its calls count as calls without a key.
func (s *Store) Delete(ctx context.Context, id string) (KeyInfo, error) {
	return updated(ctx, s, func(t *tx) KeyInfo {
		r := findKey(t, id)
		// The lock keeps charges from the key while its usage is moved.
		var seq int64
		if !t.get("SELECT seq FROM keys WHERE seq = $1"+t.lock, []any{r.seq}, &seq) {
			t.fail(noSuchKey())
		}
		if r.Account != "" {
			t.exec(usageOfAccounts.insert("SELECT k.account, u.hour, u.calls FROM usage u JOIN keys k ON k.seq = u.key WHERE u.key = $1"), seq)
		} else {
			t.exec("DELETE FROM screens WHERE owner = $1", r.ID)
		}
		t.exec("DELETE FROM keys WHERE seq = $1", seq)
		s.note(t, EventDelete, r.ID, "plan "+string(r.Plan))
		return r.KeyInfo
	})
}

// SetPlan moves the key to a plan, and with it its account and the account's other keys.
func (s *Store) SetPlan(ctx context.Context, id string, plan Plan) (KeyInfo, error) {
	if _, err := ParsePlan(string(plan)); err != nil {
		return KeyInfo{}, err
	}
	return updated(ctx, s, func(t *tx) KeyInfo {
		r := findKey(t, id)
		switch {
		case r.Plan == Agent:
			t.fail(refuse(nil, "no_plan_for_agent"))
		case r.Account != "":
			t.setPlan(r.Account, plan)
		default:
			t.exec("UPDATE keys SET plan = $2 WHERE id = $1", r.ID, string(plan))
		}
		s.note(t, EventPlan, r.ID, string(r.Plan)+" to "+string(plan))
		return findKey(t, r.ID).KeyInfo
	})
}

func (t *tx) setPlan(account string, plan Plan) {
	t.exec("UPDATE accounts SET plan = $2 WHERE id = $1", account, string(plan))
	t.exec("UPDATE keys SET plan = $2 WHERE account = (SELECT seq FROM accounts WHERE id = $1)", account, string(plan))
}

// Bucket is how many calls a key or an account paid in a span of time.
type Bucket struct {
	Start time.Time
	Calls int
}

// UsageKept is how long the store keeps usage.
const UsageKept = 60 * 24 * time.Hour

// Usage returns the paid calls of a key, or of an account without a key, in [from, to) by hours or days of UTC.
func (s *Store) Usage(ctx context.Context, id string, from, to time.Time, step time.Duration) ([]Bucket, error) {
	if step != time.Hour && step != 24*time.Hour {
		return nil, fmt.Errorf("usage is kept by the hour and by the day, not by %v", step)
	}
	view := s.view(ctx)
	r := payerOf(view, id)
	now := s.clock()
	if oldest := now.Add(-UsageKept); from.Before(oldest) {
		from = oldest
	}
	if last := now.Add(step); to.After(last) {
		to = last
	}
	// Truncate counts from a midnight, so its days are days of UTC.
	from = from.UTC().Truncate(step)
	buckets := []Bucket{}
	for at := from; at.Before(to); at = at.Add(step) {
		buckets = append(buckets, Bucket{Start: at})
	}
	table, whose := r.usedIn()
	text := "SELECT hour, calls FROM " + table.name + " WHERE " + table.column + " = $1 AND hour >= $2"
	view.each(text, []any{whose, from.Unix()}, func(scan scanner) error {
		var hour, calls int64
		if err := scan(&hour, &calls); err != nil {
			return err
		}
		if i := int(time.Unix(hour, 0).Sub(from) / step); i < len(buckets) {
			buckets[i].Calls += int(calls)
		}
		return nil
	})
	return resultOf(view, buckets)
}

// TakeScreen takes the one screening of the free plan and of agents, and reports whether it was still there.
func (s *Store) TakeScreen(ctx context.Context, id string) (first bool, err error) {
	return updated(ctx, s, func(t *tx) bool {
		r := payerOf(t, id)
		return t.exec("INSERT INTO screens (owner, at) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING", r.owner(), t.now.UnixNano()) == 1
	})
}

// ReturnScreen gives back the screening that TakeScreen has just granted to the caller, because it was not run.
func (s *Store) ReturnScreen(ctx context.Context, id string) error {
	return s.update(ctx, func(t *tx) {
		r := payerOf(t, id)
		t.exec("DELETE FROM screens WHERE owner = $1", r.owner())
	})
}

func (s *Store) Screened(ctx context.Context, id string) (bool, error) {
	from := s.view(ctx)
	r := payerOf(from, id)
	var at int64
	return resultOf(from, from.get("SELECT at FROM screens WHERE owner = $1", []any{r.owner()}, &at))
}

// A key reads gg_<plan letter>_<32 base62>_<checksum>. The letter is that of the plan under which the key was issued (a for an
// agent). By the checksum, a mistyped key is refused without a look into the store.
const (
	keyPrefix   = "gg_"
	secretChars = 32
	sumChars    = 6
	keyLength   = len("gg_x_") + secretChars + 1 + sumChars
	idPrefix    = "key_" // of the ID of a key
	accPrefix   = "acc_" // of the ID of an account
	idChars     = 12
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func NewKey(plan Plan, random io.Reader) (string, error) {
	t := plan.Terms()
	if t.Letter == 0 {
		_, err := ParsePlan(string(plan))
		return "", err
	}
	secret, err := randomBase62(random, secretChars)
	if err != nil {
		return "", err
	}
	body := keyPrefix + string(t.Letter) + "_" + secret
	return body + "_" + checksum(body), nil
}

// ParseKey returns the plan under which a key was issued. An error means that no such key can exist; the store is not asked.
func ParseKey(s string) (Plan, error) {
	if len(s) != keyLength || !strings.HasPrefix(s, keyPrefix) || s[4] != '_' || s[len(s)-sumChars-1] != '_' {
		return "", unknownKey("This is not an API key: keys look like gg_f_… and have " + fmt.Sprint(keyLength) + " characters.")
	}
	body := s[:len(s)-sumChars-1]
	for _, c := range []byte(body[5:] + s[len(s)-sumChars:]) {
		if strings.IndexByte(base62, c) < 0 {
			return "", unknownKey("This is not an API key: it has a character that keys never have.")
		}
	}
	if checksum(body) != s[len(s)-sumChars:] {
		return "", unknownKey("This API key is mistyped or incomplete: its check characters do not match.")
	}
	for _, t := range plans {
		if t.Letter == s[3] {
			return t.Plan, nil
		}
	}
	if s[3] == agentTerms.Letter {
		return Agent, nil
	}
	return "", unknownKey("This is not an API key: it names no plan.")
}

func newID(prefix string, random io.Reader) (string, error) {
	s, err := randomBase62(random, idChars)
	return prefix + s, err
}

// isID reports whether s has the form of an ID. The store never looks up any other text.
func isID(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && len(rest) == idChars && strings.Trim(rest, base62) == ""
}

// IsAccount reports whether s has the form of the ID of an account.
func IsAccount(s string) bool { return isID(accPrefix, s) }

func checksum(body string) string {
	var b [sumChars]byte
	n := crc32.ChecksumIEEE([]byte(body))
	for i := sumChars - 1; i >= 0; i-- {
		b[i] = base62[n%62]
		n /= 62
	}
	return string(b[:])
}

// randomBase62 draws n base62 characters, each equally likely.
func randomBase62(random io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	var buf [64]byte
	for len(out) < n {
		if _, err := io.ReadFull(random, buf[:]); err != nil {
			return "", fmt.Errorf("drawing a key: %w", err)
		}
		for _, b := range buf {
			// 248 is the largest multiple of 62 that fits a byte.
			if b < 248 && len(out) < n {
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out), nil
}

// keyLike matches a possible key or its beginning: a key with a wrong character in it is still secret.
var keyLike = regexp.MustCompile(`(?i)gg_[a-z]_[^/?&#;,"' ]+`)

// MaskKeys hides all keys in a text that is logged or repeated to a client. People put keys into addresses, and addresses may
// be escaped any number of times. If a text has an escaped key, MaskKeys returns the text without its escapes.
func MaskKeys(s string) string {
	plain := unescape(s)
	if !keyLike.MatchString(plain) {
		return s
	}
	return keyLike.ReplaceAllString(plain, keyPrefix+"…")
}

// unescape removes all layers of percent-encoding in one pass: an unescaped byte may complete another escape.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			if _, err := hex.Decode(out[n-3:], out[n-2:]); err != nil {
				break
			}
			out = out[:n-2]
		}
	}
	return string(out)
}

// Credential is the key that a request carries in its headers, or empty.
func Credential(h http.Header) string {
	if key := strings.TrimSpace(h.Get("X-API-Key")); key != "" {
		return key
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}
