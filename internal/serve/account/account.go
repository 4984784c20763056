// Package account keeps the keys of the service: who has one, what it is
// entitled to, and how much of its allowance is spent. Keys are made for
// people, who have accounts, by the operator, and by agents for themselves.
// Beside them it keeps the keys that the service signs screening reports with.
//
// A charge is exact and durable before it is answered: charges that arrive
// together are written in one transaction, so an allowance is never oversold
// and a call that was answered is never forgotten, whatever happens to the
// process. The text of a key is shown once, when it is made; the store has
// only its hash. The same holds for passwords, sessions and tokens.
//
// There are two stores that behave alike: one in a file of SQLite, for one
// machine, and one in PostgreSQL, for any number of them. Neither remembers
// anything outside the database, so what is done through one server holds at
// once on all.
package account

import (
	"context"
	"time"
)

// KeyInfo is what is known of a key, without its secret.
type KeyInfo struct {
	ID      string // stays the same when the key is rotated
	Plan    Plan
	Email   string
	Label   string
	Active  bool
	Created time.Time
	Rotated time.Time // when the present secret was made
	Account string    // ID of the account it belongs to; empty when it stands alone
	Tier    Tier      // of an agent, whose Plan is Agent; empty otherwise
}

// Require says why the key may not use a part of the service, nil when it may.
func (k KeyInfo) Require(s Scope) error {
	if !k.Active {
		return inactive()
	}
	if k.Plan.Terms().Scopes&s == s {
		return nil
	}
	return planRequired(k, s)
}

// Balance is what is left of an allowance.
type Balance struct {
	Limit     int
	Remaining int
	Reset     time.Time // when the allowance resets; for an agent, when the key expires
}

// Store keeps keys and meters them. It is safe for concurrent use, also by
// several processes. A database that does not answer is a fault of slug
// store_unavailable.
type Store interface {
	Keys
	People
	Agents
	AuditLog
	Signing
	Questions
	Names
	// Ping asks the database for a sign of life, once.
	Ping(ctx context.Context) error
	Close() error
}

// Keys are the keys of people, and the meter of all keys. Where something is
// paid, the ID is that of a key, or that of an account whose owner uses the
// service without a key: the account and its keys share one allowance and one
// trial screening.
type Keys interface {
	// Create makes a key that belongs to no account; the email address is a
	// note. The secret is returned this once.
	Create(ctx context.Context, plan Plan, email, label string) (secret string, k KeyInfo, err error)
	// Authenticate finds the key with this secret, and nothing by an ID: it is
	// the one for requests from outside. An expired key of an agent
	// wraps ErrExpired.
	Authenticate(ctx context.Context, secret string) (KeyInfo, error)
	// Find finds a key by its secret or its ID.
	Find(ctx context.Context, secretOrID string) (KeyInfo, error)
	// Charge takes cost calls from the allowance of the key or account, or none
	// of them: then the error wraps ErrSpent and the balance says when to come
	// back. It returns after the charge is on the disk. A call that ends early because ctx is done, or because the
	// database does not answer, may still be charged, but never twice.
	Charge(ctx context.Context, id string, cost int) (Balance, error)
	// Balance is the state of the allowance of the key or account.
	Balance(ctx context.Context, id string) (Balance, error)
	// List is every key but those of agents, oldest first.
	List(ctx context.Context) ([]KeyInfo, error)
	// Rotate gives the key a new secret; the old one no longer works when it
	// returns.
	// What was spent stays spent.
	Rotate(ctx context.Context, id string) (secret string, k KeyInfo, err error)
	Deactivate(ctx context.Context, id string) (KeyInfo, error)
	Reactivate(ctx context.Context, id string) (KeyInfo, error)
	// Delete removes the key for good. What was spent with it stays spent; what
	// its account was charged with it is from then on a part of what the account
	// was charged without a key.
	Delete(ctx context.Context, id string) (KeyInfo, error)
	// SetPlan moves the key to a plan, and with it the account it belongs to
	// and the other keys of that.
	SetPlan(ctx context.Context, id string, plan Plan) (KeyInfo, error)
	// Usage is what the key was charged in [from, to) by hours or by days of
	// UTC, as far back as UsageKept; a bucket without calls is there too. Of an
	// account it is what was charged without a key.
	Usage(ctx context.Context, id string, from, to time.Time, step time.Duration) ([]Bucket, error)
	// TakeScreen says whether this is the first screening of the account, or of
	// the owner of the key: the one that the free plan and agents may run. It is
	// so only once.
	TakeScreen(ctx context.Context, id string) (first bool, err error)
	// ReturnScreen gives back the screening that TakeScreen has just granted and
	// that was not run after all. Only who was granted it may call this.
	ReturnScreen(ctx context.Context, id string) error
	// Screened says whether the one screening has been taken.
	Screened(ctx context.Context, id string) (bool, error)
}

// People are those who sign up. An account may be named by its ID or its
// email address; from is the network address a request comes from, or empty.
type People interface {
	// SignUp makes an account on the free plan.
	SignUp(ctx context.Context, email, password, from string) (Account, error)
	// SignIn opens a session. After too many wrong passwords for the account or
	// from the address it refuses, wrapping a WaitError.
	SignIn(ctx context.Context, email, password, from string) (session string, a Account, err error)
	// Session finds whose session this is and prolongs it.
	Session(ctx context.Context, session string) (Account, error)
	SignOut(ctx context.Context, session string) error
	// ChangePassword ends every session of the account and opens a new one.
	ChangePassword(ctx context.Context, account, old, password string) (session string, err error)
	// VerifyToken and ResetToken make the secret part of an email to the person;
	// it works once, for three days and for an hour, and voids those before it.
	VerifyToken(ctx context.Context, account string) (token string, err error)
	ResetToken(ctx context.Context, account string) (token string, err error)
	// VerifyEmail notes that the person reads mail sent to the address, and opens
	// a session for whoever followed the link.
	VerifyEmail(ctx context.Context, token string) (session string, a Account, err error)
	// ResetPassword ends every session of the account.
	ResetPassword(ctx context.Context, token, password string) (Account, error)
	AccountOf(ctx context.Context, account string) (Account, error)
	// SetAccountPlan moves the account and all its keys to a plan.
	SetAccountPlan(ctx context.Context, account string, plan Plan) (Account, error)
	// KeysOf is every key of the account, oldest first.
	KeysOf(ctx context.Context, account string) ([]KeyInfo, error)
	// DeactivateAccount stops every key of the account, now and later, until it
	// is reactivated; a key that was deactivated itself stays so.
	DeactivateAccount(ctx context.Context, account string) (Account, error)
	ReactivateAccount(ctx context.Context, account string) (Account, error)
	// CreateFor makes a key on the plan of the account, unless that is inactive.
	CreateFor(ctx context.Context, account, label string) (secret string, k KeyInfo, err error)
}

// Agents are programs that make keys for themselves. Charge on a key that is
// locked wraps ErrLocked, on an expired one ErrExpired.
type Agents interface {
	// TakeMint counts one key minted by a network address, and says how long to
	// wait when it was one too many.
	TakeMint(ctx context.Context, address string) (wait time.Duration, ok bool, err error)
	// MintAgent makes a key. One of the anonymous tier is locked and waits for
	// its first challenge. A keypair has one key in each tier, which is given a
	// new secret when it mints again, and a new allowance only after its end.
	MintAgent(ctx context.Context, spec AgentSpec) (secret string, a AgentInfo, err error)
	Agent(ctx context.Context, id string) (AgentInfo, error)
	// SetChallenge gives a locked or spent key of the anonymous tier its next
	// challenge and locks it. Expect is the number of the one it has; when it
	// has another by now, nothing is done, and the key as it is comes with
	// ErrStale. When none is due, the error wraps ErrNotDue.
	SetChallenge(ctx context.Context, id string, expect int, c Challenge) (AgentInfo, error)
	// Attempt answers the challenge of a locked key: verify, which may be called
	// more than once, says whether the answers are right. Expect is the number of
	// the challenge that they answer; when the key has another by now, nothing is
	// counted, and the key as it is comes with ErrStale.
	Attempt(ctx context.Context, id string, expect int, verify func(Challenge) bool) (AgentInfo, Outcome, error)
	// TakeCall counts one of the calls that a locked key may make; any other
	// wraps ErrLocked.
	TakeCall(ctx context.Context, id, call string) (left int, err error)
	// Seen says whether this is the first use of the nonce of a keypair, and
	// remembers it until then.
	Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error)
}

// Questions are what visitors ask on the page of questions: a few a day are free,
// and whatever is paid for is paid for once. A receipt names a question of a
// visitor; for ten minutes after it was paid, free or not, it costs nothing more.
type Questions interface {
	// QuestionsLeft is how many free questions are left today.
	QuestionsLeft(ctx context.Context, q Asking) (left int, err error)
	// TakeQuestion takes one of them, or none: then the error wraps ErrSpent and
	// a WaitError. It returns when that is on the disk, with how many are left.
	TakeQuestion(ctx context.Context, q Asking, receipt string) (left int, err error)
	// ChargeOnce is Charge for a question that is not free.
	ChargeOnce(ctx context.Context, id string, cost int, receipt string) (Balance, error)
}

// Names counts what is looked up without a key.
type Names interface {
	// TakeNames takes so many of the names that all at a network address may look
	// up today, or none: then the error wraps ErrSpent and a WaitError. It returns
	// when that is on the disk, with how many are left.
	TakeNames(ctx context.Context, address string, n int) (left int, err error)
}

// AuditLog is what happened, for those who must answer for it.
type AuditLog interface {
	// Audit adds an event. Actor and address are those of As when they are empty.
	Audit(ctx context.Context, e Event) error
	// AuditTrail is the events asked for, newest first.
	AuditTrail(ctx context.Context, f EventFilter) ([]Event, error)
}

// Signing keeps the keys that sign screening reports. There is one current key
// at most, on all servers together.
type Signing interface {
	// SigningKeys are all keys there ever were, oldest first. The one that is not
	// retired signs.
	SigningKeys(ctx context.Context) ([]SigningKey, error)
	// FirstSigningKey makes k the current key unless there is one already. Several
	// servers may start at once: the key of exactly one of them is taken.
	FirstSigningKey(ctx context.Context, k SigningKey) error
	// RotateSigningKey retires the current key, removes its seed and makes next
	// the current one, all or nothing. When compromised is not zero the retired
	// key is marked with it.
	RotateSigningKey(ctx context.Context, next SigningKey, compromised time.Time) (retired SigningKey, err error)
	// MarkCompromised says of a key that what it signed from a time on, which is
	// past, cannot be trusted. The last word on a key holds.
	MarkCompromised(ctx context.Context, id string, since time.Time) error
}
