package account

import (
	_ "embed"
	"errors"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/table"
)

// The kinds of refusal that callers distinguish. Each is the cause of a fault.Fault with words for people.
var (
	ErrUnknownKey     = errors.New("unknown key")
	ErrUnknownAccount = errors.New("unknown account")
	ErrInactive       = errors.New("key is inactive")
	ErrSpent          = errors.New("allowance is spent")
)

var (
	ErrLocked  = errors.New("key is locked")
	ErrExpired = errors.New("key has expired")
	ErrNotDue  = errors.New("no challenge is due")
	ErrStale   = errors.New("the challenge has changed")
)

// maxQuoted is how many bytes of a text from outside a message may repeat.
const maxQuoted = 40

//go:embed refusals.tsv
var refusalTable string

var refusals = func() map[string]table.Row {
	all := map[string]table.Row{}
	for _, row := range table.Read("refusals.tsv", refusalTable, "refusal", "slug", "message", "hint") {
		all[row.Text("refusal")] = row
	}
	return all
}()

// refuse makes a refusal of refusals.tsv. A nil cause leaves the one that the message wraps.
func refuse(cause error, name string, args ...any) *fault.Fault {
	row, ok := refusals[name]
	if !ok {
		panic("refusals.tsv has no " + name)
	}
	f := fault.New(row.Text("slug"), row.Text("message"), args...)
	f.Hint = row.Text("hint")
	if cause != nil {
		f.Err = cause
	}
	return f
}

// NoKey refuses a request that needs a key and has none.
func NoKey() error { return refuse(nil, "no_key") }

func unknownKey(why string) error { return refuse(ErrUnknownKey, "unknown_key", why) }

func noSuchKey() error { return unknownKey("There is no such API key.") }

func inactive() error { return refuse(ErrInactive, "inactive_key") }

func unknownAccount() error { return refuse(ErrUnknownAccount, "unknown_account") }

func badCredentials() error { return refuse(nil, "bad_credentials") }

func expired(at int64) error {
	return refuse(ErrExpired, "key_expired", timeOf(at).Format(time.RFC3339))
}

// KeyLocked refuses a request that the challenge of a locked key does not name.
func KeyLocked() *fault.Fault { return refuse(ErrLocked, "key_locked") }

// spent is the cause of a refusal of an allowance that refills after a wait.
func spent(wait time.Duration) error { return errors.Join(ErrSpent, &WaitError{wait}) }

func quotaExhausted(r record, w Window, b Balance, now time.Time) error {
	limit := "Daily"
	if w == Month {
		limit = "Monthly"
	}
	f := fault.New("quota_exhausted", "%s limit reached: %d calls a %s on the %s plan.", limit, b.Limit, w, r.Plan).
		Try("it resets at %s", b.Reset.Format(time.RFC3339))
	f.Err = spent(b.Reset.Sub(now))
	return f
}

func questionsSpent(kind string, most int, wait time.Duration) error {
	if kind == "address" {
		return refuse(spent(wait), "address_questions_spent", most)
	}
	return refuse(spent(wait), "questions_spent", most)
}

func tierExhausted(tier Tier, allowance int64) error {
	f := refuse(ErrSpent, "tier_exhausted", allowance, tier)
	if tier == Anonymous {
		f.Try("POST /agent-key/challenge and answer it for another %d calls", tier.Terms().Calls)
	}
	return f
}

func planRequired(k KeyInfo, s Scope) error {
	need, plan := "a paid plan (Plus or Pro)", "Plus"
	if s&ProScope != 0 {
		need, plan = "the Pro plan", "Pro"
	}
	if k.Plan == Agent {
		return fault.New("plan_required", "This endpoint needs %s; this key is the trial key of an agent.", need).
			Try("sign up at /signup for a key of your own, then move to the %s plan: /plans has all plans and whom to write to", plan)
	}
	named := ""
	if k.ID != "" { // the key of an example has no ID
		named = ", and name the key by its ID, " + k.ID
	}
	return fault.New("plan_required", "This endpoint needs %s; this key is on the %s plan.", need, k.Plan).
		Try("write to the operator to move your account to the %s plan%s; /plans has all plans and whom to write to", plan, named)
}

// NotDue refuses a request about the challenge of a key that has none to answer.
func NotDue(a AgentInfo) error {
	switch {
	case a.Tier != Anonymous:
		return refuse(ErrNotDue, "not_due_tier", a.Tier)
	case a.Status == Spent:
		return refuse(ErrNotDue, "not_due_spent")
	}
	return refuse(ErrNotDue, "not_due_unlocked", a.Remaining)
}

func badEmail(email, hint string) error {
	return fault.New("bad_email", "%q is not an email address", fault.Clip(email, maxQuoted)).Try("%s", hint)
}

func tooManyAttempts(what string, wait time.Duration) error {
	f := fault.New("too_many_attempts", "There were too many %s.", what).Try("try again in %d seconds", Seconds(wait))
	f.Err = &WaitError{wait}
	return f
}

// databaseError marks a failure of the database, as opposed to a refusal.
type databaseError struct{ err error }

func (e *databaseError) Error() string { return "key store: " + e.err.Error() }

func (e *databaseError) Unwrap() error { return e.err }

func unavailable(err error) error { return refuse(&databaseError{err}, "store_unavailable") }

func isDatabaseError(err error) bool {
	var b *databaseError
	return errors.As(err, &b)
}

var errClosed = errors.New("the key store is closed")

// WaitError is the cause of refusals that end by themselves. The API sends its wait as Retry-After.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string { return "too early by " + e.Wait.String() }

// Seconds returns a time in whole seconds, rounded up, so that whoever waits so long has waited long enough.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
