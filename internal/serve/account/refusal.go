package account

import (
	"errors"
	"time"

	"grantgraph/internal/fault"
)

// Every refusal of this package is made here: its slug, its words, and what to
// do about it.

// The kinds of refusal that callers tell apart. Each reaches them inside a
// fault.Fault whose words are fit for people.
var (
	ErrUnknownKey     = errors.New("unknown key")
	ErrUnknownAccount = errors.New("unknown account")
	ErrInactive       = errors.New("key is inactive")
	ErrSpent          = errors.New("allowance is spent")
)

// The kinds that only agents meet.
var (
	ErrLocked  = errors.New("key is locked")
	ErrExpired = errors.New("key has expired")
	ErrNotDue  = errors.New("no challenge is due")
	ErrStale   = errors.New("the challenge has changed")
)

// maxQuoted bounds what a message repeats of what came from outside, in bytes.
const maxQuoted = 40

// NoKey refuses a request that needs a key and has none.
func NoKey() error {
	return fault.New("no_key", "This endpoint needs an API key.").
		Try("send it as X-API-Key: <key> or as Authorization: Bearer <key>; /signup gives one")
}

func unknownKey(why string) error {
	return &fault.Fault{Slug: "unknown_key", Message: why, Hint: "check that the whole key was sent; a key that was rotated or deleted no longer works", Err: ErrUnknownKey}
}

func noSuchKey() error { return unknownKey("There is no such API key.") }

func inactiveAccount() error {
	return &fault.Fault{Slug: "account_inactive", Message: "This account is inactive.", Hint: "ask the operator to reactivate it", Err: ErrInactive}
}

func inactive() error {
	return &fault.Fault{Slug: "account_inactive", Message: "The account of this key is inactive.", Hint: "reactivate the key, or use another", Err: ErrInactive}
}

func quotaExhausted(r record, w Window, b Balance, now time.Time) error {
	limit := "Daily"
	if w == Month {
		limit = "Monthly"
	}
	f := fault.New("quota_exhausted", "%s limit reached: %d calls a %s on the %s plan.", limit, b.Limit, w, r.Plan).
		Try("it resets at %s", b.Reset.Format(time.RFC3339))
	f.Err = errors.Join(ErrSpent, &WaitError{b.Reset.Sub(now)})
	return f
}

// questionsSpent refuses a free question that is one too many for a visitor, or
// for all at a network address.
func questionsSpent(kind string, most int, wait time.Duration) error {
	f := fault.New("questions_spent", "The %d free questions of today are used.", most)
	if kind == "address" {
		f = fault.New("questions_spent", "The %d free questions that a network has in a day are used.", most)
	}
	f.Try("ask again tomorrow, or use an account or a key of a paid plan")
	f.Err = errors.Join(ErrSpent, &WaitError{wait})
	return f
}

// namesSpent refuses to look up more names than an address has left.
func namesSpent(n, left int, wait time.Duration) error {
	f := fault.New("names_spent", "Without a key, a network may look up %d names in a day; it has %d left, and this request has %d.", FreeNames, left, n).
		Try("send fewer names, come back after midnight UTC, or send a key as X-API-Key: <key>")
	f.Err = errors.Join(ErrSpent, &WaitError{wait})
	return f
}

// tierExhausted refuses a charge on the key of an agent that has no calls left.
func tierExhausted(tier Tier, allowance int64) error {
	f := fault.New("quota_exhausted", "Limit of this key reached: %d calls on the %s tier.", allowance, tier).
		Try("it does not reset; sign up at /signup for a key of your own")
	if tier == Anonymous {
		f.Try("POST /agent-key/challenge and answer it for another %d calls", tier.Terms().Calls)
	}
	f.Err = ErrSpent
	return f
}

// planRequired refuses a key whose plan does not cover a part of the service.
func planRequired(k KeyInfo, s Scope) error {
	need, plan := "a paid plan (Plus or Pro)", "Plus"
	if s&ProScope != 0 {
		need, plan = "the Pro plan", "Pro"
	}
	if k.Plan == Agent {
		return fault.New("plan_required", "This endpoint needs %s; this key is the trial key of an agent.", need).
			Try("sign up at /signup for a key of your own, then ask whoever runs this service to move your account to the %s plan", plan)
	}
	named := ""
	if k.ID != "" { // an example has none
		named = ", and name the key by its ID, " + k.ID
	}
	return fault.New("plan_required", "This endpoint needs %s; this key is on the %s plan.", need, k.Plan).
		Try("ask whoever runs this service to move your account to the %s plan%s; /account shows what your plan includes", plan, named)
}

func expired(at int64) error {
	return &fault.Fault{Slug: "key_expired", Message: "This key expired at " + timeOf(at).Format(time.RFC3339) + ".", Hint: "POST /agent-key for a new one", Err: ErrExpired}
}

// KeyLocked refuses a request that the challenge of a locked key does not name.
func KeyLocked() *fault.Fault {
	return &fault.Fault{Slug: "key_locked", Message: "This key is locked: until its challenge is answered it may make only the calls the challenge names.",
		Hint: "make those calls, then POST /agent-key/answer", Err: ErrLocked}
}

// NotDue refuses what has to do with the challenge of a key that has none to
// answer.
func NotDue(a AgentInfo) error {
	f := fault.New("challenge_not_due", "This key is unlocked and has %d calls left: no challenge is due.", a.Remaining).Try("use them first")
	switch {
	case a.Tier != Anonymous:
		f = fault.New("challenge_not_due", "Keys of the %s tier have no challenges: their allowance never refills.", a.Tier).Try("sign up for a key of your own")
	case a.Status == Spent:
		f = fault.New("challenge_not_due", "There is no challenge to answer.").Try("POST /agent-key/challenge for one")
	}
	f.Err = ErrNotDue
	return f
}

// tooManyCalls refuses a locked key that has made all the calls of its challenge.
func tooManyCalls() error {
	f := fault.New("key_locked", "This key made %d calls without answering its challenge.", MostCalls).Try("POST /agent-key/answer")
	f.Err = ErrLocked
	return f
}

func notAgentKey() error {
	return fault.New("not_an_agent_key", "This is not the key of an agent.").Try("use the key that /agent-key gave")
}

// missing and unreadable refuse what an agent says of itself; the slug names the
// field.
func missing(field string) error {
	return fault.New("bad_"+field, "%s is missing", field).Try("say in a few words what the key is for, and how you learned of it")
}

func unreadable(field string) error {
	return fault.New("bad_"+field, "%s is longer than %d bytes or not plain text on one line", field, maxPurpose).Try("make it shorter and plainer")
}

func badPlan(name string) error {
	return fault.New("bad_plan", "there is no plan %q", fault.Clip(name, maxQuoted)).Try("one of free, plus, pro")
}

func noPlanForAgent() error {
	return fault.New("bad_plan", "a key of an agent has a tier, not a plan").Try("make a key of a plan with keys create")
}

func badWindow(name string) error {
	return fault.New("bad_window", "there is no window %q", fault.Clip(name, maxQuoted)).Try("day or month")
}

func badEmail(email, hint string) error {
	return fault.New("bad_email", "%q is not an email address", fault.Clip(email, maxQuoted)).Try("%s", hint)
}

func emailTaken() error {
	return fault.New("email_taken", "There is an account with this email address already.").Try("sign in, or ask for a new password")
}

func longLabel(bytes int) error {
	return fault.New("bad_label", "the label has %d bytes, at most %d are kept", bytes, maxLabel).Try("use a shorter one")
}

func unreadableLabel() error {
	return fault.New("bad_label", "the label has characters that cannot be shown").Try("use plain text on one line")
}

func badPassword(characters int) error {
	return fault.New("bad_password", "a password has %d to %d characters, this one has %d", minPassword, maxPassword, characters).
		Try("a few words are easy to remember and hard to guess")
}

func commonPassword() error {
	return fault.New("common_password", "this password is too easy to guess: it is a very common one, or your email address, or the name of this site").
		Try("a few unrelated words are easy to remember and hard to guess")
}

func tooManyKeys(have int) error {
	return fault.New("too_many_keys", "This account has %d keys, which is as many as it may have.", have).Try("delete one that you no longer use, or rotate it")
}

func badTrailLimit() error {
	return fault.New("bad_limit", "the audit log returns at most %d events at a time", maxTrail).Try("ask for the next page with Before")
}

func unknownAccount() error {
	return &fault.Fault{Slug: "unknown_account", Message: "There is no such account.", Hint: "check the email address, or sign up", Err: ErrUnknownAccount}
}

func badCredentials() error {
	return fault.New("bad_credentials", "The email address or the password is wrong.").Try("check both, or ask for a new password")
}

func noSession() error {
	return fault.New("no_session", "You are not signed in, or the session has expired.").Try("sign in")
}

func badToken() error {
	return fault.New("bad_token", "This link was already used, or it has expired.").Try("ask for a new one")
}

// tooManyAttempts refuses a try that comes too early.
func tooManyAttempts(what string, wait time.Duration) error {
	f := fault.New("too_many_attempts", "There were too many %s.", what).Try("try again in %d seconds", Seconds(wait))
	f.Err = &WaitError{wait}
	return f
}

// Seconds is a time in whole seconds, rounded up: who waits so long has waited
// long enough.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// WaitError is wrapped by refusals that end by themselves.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string { return "too early by " + e.Wait.String() }

// databaseError marks a failure of the database itself, as against a refusal.
type databaseError struct{ err error }

func (e *databaseError) Error() string { return "key store: " + e.err.Error() }

func (e *databaseError) Unwrap() error { return e.err }

// unavailable is the failure of the database as callers see it.
func unavailable(err error) error {
	return &fault.Fault{Slug: "store_unavailable", Message: "The key store does not answer at the moment.", Hint: "send the request again in a few seconds", Err: &databaseError{err}}
}

func isDatabaseError(err error) bool {
	var b *databaseError
	return errors.As(err, &b)
}

var errClosed = errors.New("the key store is closed")

func badStoreAddress() error {
	return fault.New("bad_store_address", "the address of the key store is not one of PostgreSQL").
		Try("give one like postgres://user:password@host:5432/database")
}

func unreachableStore(host string, err error) error {
	return fault.New("store_unavailable", "cannot reach the key store at %s: %w", host, err).
		Try("check that PostgreSQL runs there and lets this user in")
}

func unreadableStore(where string, err error, hint string) error {
	return fault.New("accounts_unreadable", "cannot open the key store %s: %w", where, err).Try("%s", hint)
}

func openStore(path string) error {
	return fault.New("accounts_open", "%s is readable by other users; it holds the keys that sign reports", path).Try("chmod 600 %s", path)
}

func noSigningKey() error {
	return fault.New("no_signing_key", "There is no signing key yet.").Try("start the server once: it makes the first one")
}

func unknownSigningKey() error {
	return fault.New("unknown_signing_key", "There is no such signing key.").Try("grantgraph signing list shows the keys and their IDs")
}

func badCompromise(since time.Time) error {
	return fault.New("bad_date", "a key cannot be compromised since %s", since.UTC().Format(time.RFC3339)).
		Try("give the last time, not in the future, at which only you had the key")
}
