// Package account keeps the keys of the service: who has a key, what it may use, and how
// much of its allowance is spent. People with accounts, the operator, and agents make keys.
// The package also keeps the keys that sign screening reports.
//
// A charge is exact, and durable before the caller gets an answer. Charges that arrive
// together are written in one transaction. So an allowance is never exceeded, and no
// answered call is lost, whatever happens to the process. The text of a key is shown once,
// when it is made; the store has only its hash. The same holds for passwords, sessions and
// tokens.
//
// Two stores behave alike: one in an SQLite file, for one machine, and one in PostgreSQL,
// for any number of machines. Neither caches anything outside the database, so a change on
// one server takes effect on all servers at once.
package account

import (
	"context"
	"time"
)

// KeyInfo describes a key, without its secret.
type KeyInfo struct {
	ID      string // stays the same when the key is rotated
	Plan    Plan
	Email   string
	Label   string
	Active  bool
	Created time.Time
	Rotated time.Time // when the present secret was made
	Account string    // ID of its account; empty for a key without an account
	Tier    Tier      // of an agent, whose Plan is Agent; empty otherwise
}

// Require returns nil if the key may use a part of the service, and otherwise the refusal.
func (k KeyInfo) Require(s Scope) error {
	if !k.Active {
		return inactive()
	}
	if k.Plan.Terms().Scopes&s == s {
		return nil
	}
	return planRequired(k, s)
}

// Balance is the state of an allowance.
type Balance struct {
	Limit     int
	Remaining int
	Reset     time.Time // when the allowance resets; for an agent, when the key expires
}

// Store keeps keys and meters them. It is safe for concurrent use, also by several
// processes. If the database does not answer, its methods return a fault with the slug
// store_unavailable.
type Store interface {
	Keys
	People
	Agents
	AuditLog
	Signing
	Questions
	Names
	// Ping checks once that the database answers.
	Ping(ctx context.Context) error
	Close() error
}

// Keys are the keys of people, and the meter of all keys. The ID of a payer is that of a
// key, or that of an account whose owner uses the service without a key. An account and its
// keys share one allowance and one trial screening.
type Keys interface {
	// Create makes a key without an account; the email address is a note. Only Create
	// returns the secret.
	Create(ctx context.Context, plan Plan, email, label string) (secret string, k KeyInfo, err error)
	// Authenticate finds a key by its secret, and never by an ID, because requests from
	// outside use it. For an expired key of an agent the error wraps ErrExpired.
	Authenticate(ctx context.Context, secret string) (KeyInfo, error)
	// Find finds a key by its secret or its ID.
	Find(ctx context.Context, secretOrID string) (KeyInfo, error)
	// Charge takes cost calls from the allowance of the key or account, or none: then the
	// error wraps ErrSpent and the balance says when the allowance resets. It returns after
	// the charge is on the disk. If it returns early because ctx is done or the database
	// does not answer, the call may still be charged, but never twice.
	Charge(ctx context.Context, id string, cost int) (Balance, error)
	// Balance returns the state of the allowance of the key or account.
	Balance(ctx context.Context, id string) (Balance, error)
	// List returns all keys except those of agents, oldest first.
	List(ctx context.Context) ([]KeyInfo, error)
	// Rotate gives the key a new secret. When it returns, the old secret no longer works.
	// The spent calls stay spent.
	Rotate(ctx context.Context, id string) (secret string, k KeyInfo, err error)
	Deactivate(ctx context.Context, id string) (KeyInfo, error)
	Reactivate(ctx context.Context, id string) (KeyInfo, error)
	// Delete removes the key for good. Its spent calls stay spent. In the usage of its
	// account they count from then on as calls without a key.
	Delete(ctx context.Context, id string) (KeyInfo, error)
	// SetPlan moves the key to a plan, and with it its account and the account's other keys.
	SetPlan(ctx context.Context, id string, plan Plan) (KeyInfo, error)
	// Usage returns the paid calls of a key in [from, to) by hours or by days of UTC, as far
	// back as UsageKept, with buckets that have no calls. For an account it returns the
	// calls without a key.
	Usage(ctx context.Context, id string, from, to time.Time, step time.Duration) ([]Bucket, error)
	// TakeScreen takes the one screening that the free plan and agents may run, and reports
	// whether this is the first screening of the account or of the key's owner.
	TakeScreen(ctx context.Context, id string) (first bool, err error)
	// ReturnScreen gives the screening back that TakeScreen has just granted, because it was
	// not run. Only the caller of TakeScreen may call it.
	ReturnScreen(ctx context.Context, id string) error
	// Screened reports whether the one screening has been taken.
	Screened(ctx context.Context, id string) (bool, error)
}

// People are those who sign up. An account is named by its ID or its email address; from is
// the network address of the request, or empty.
type People interface {
	// SignUp makes an account on the free plan. If the address has an account that was never
	// confirmed, it voids the secrets of earlier emails that would confirm the account.
	SignUp(ctx context.Context, email, password, from string) (Account, error)
	// SignIn opens a session. After too many wrong passwords for the account or from the
	// address its error wraps a WaitError.
	SignIn(ctx context.Context, email, password, from string) (session string, a Account, err error)
	// Session returns the account of a session and prolongs the session.
	Session(ctx context.Context, session string) (Account, error)
	SignOut(ctx context.Context, session string) error
	// ChangePassword ends every session of the account and opens a new one.
	ChangePassword(ctx context.Context, account, old, password string) (session string, err error)
	// VerifyToken and ResetToken make the secret of an email to the person. It works once,
	// for three days or for an hour, and voids earlier secrets.
	VerifyToken(ctx context.Context, account string) (token string, err error)
	ResetToken(ctx context.Context, account string) (token string, err error)
	// VerifyEmail records that the person reads mail at the address, and opens a session. It
	// asks for the password of the account: a stranger may have signed up with the address,
	// and the stranger's password must not become valid by a click of the owner.
	VerifyEmail(ctx context.Context, token, password string) (session string, a Account, err error)
	// ResetPassword ends every session of the account.
	ResetPassword(ctx context.Context, token, password string) (Account, error)
	AccountOf(ctx context.Context, account string) (Account, error)
	// SetAccountPlan moves the account and all its keys to a plan.
	SetAccountPlan(ctx context.Context, account string, plan Plan) (Account, error)
	// KeysOf returns all keys of the account, oldest first.
	KeysOf(ctx context.Context, account string) ([]KeyInfo, error)
	// DeactivateAccount stops all present and future keys of the account until it is
	// reactivated. A key that was deactivated itself stays deactivated.
	DeactivateAccount(ctx context.Context, account string) (Account, error)
	ReactivateAccount(ctx context.Context, account string) (Account, error)
	// CreateFor makes a key on the plan of the account, unless the account is inactive.
	CreateFor(ctx context.Context, account, label string) (secret string, k KeyInfo, err error)
}

// Agents are programs that make keys for themselves. Charge on a locked key wraps ErrLocked,
// on an expired key ErrExpired.
type Agents interface {
	// TakeMint counts one key minted by a network address, and returns how long to wait when
	// it was one too many.
	TakeMint(ctx context.Context, address string) (wait time.Duration, ok bool, err error)
	// MintAgent makes a key. A key of the anonymous tier is locked until its first challenge
	// is answered. A keypair has one key in each tier: minting again gives that key a new
	// secret, and a new allowance only after it expired.
	MintAgent(ctx context.Context, spec AgentSpec) (secret string, a AgentInfo, err error)
	Agent(ctx context.Context, id string) (AgentInfo, error)
	// SetChallenge gives a locked or spent key of the anonymous tier its next challenge and
	// locks it. Expect is the number of its present challenge. If the key has another
	// challenge by now, SetChallenge does nothing and returns the key with ErrStale. If no
	// challenge is due, the error wraps ErrNotDue.
	SetChallenge(ctx context.Context, id string, expect int, c Challenge) (AgentInfo, error)
	// Attempt answers the challenge of a locked key: verify, which may be called more than
	// once, reports whether the answers are right. Expect is the number of the challenge
	// that they answer. If the key has another challenge by now, Attempt counts nothing and
	// returns the key with ErrStale.
	Attempt(ctx context.Context, id string, expect int, verify func(Challenge) bool) (AgentInfo, Outcome, error)
	// TakeCall counts one of the calls that a locked key may make; for any other call the
	// error wraps ErrLocked.
	TakeCall(ctx context.Context, id, call string) (left int, err error)
	// Seen reports whether this is the first use of a keypair's nonce, and remembers the
	// nonce until the time given.
	Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error)
}

// Questions are what visitors ask on the question page. A few a day are free, and nobody pays
// twice. A receipt names a question of a visitor; for ten minutes after it was paid, free or
// not, it costs nothing more.
type Questions interface {
	// QuestionsLeft returns how many free questions are left today.
	QuestionsLeft(ctx context.Context, q Asking) (left int, err error)
	// TakeQuestion takes a free question, or none: then the error wraps ErrSpent and a
	// WaitError. It returns when the question is on the disk, with how many are left.
	TakeQuestion(ctx context.Context, q Asking, receipt string) (left int, err error)
	// ChargeOnce is Charge for a question that is not free.
	ChargeOnce(ctx context.Context, id string, cost int, receipt string) (Balance, error)
}

// Names counts names that are looked up without a key.
type Names interface {
	// TakeNames takes n of the names that all visitors at a network address may look up
	// today, or none: then the error wraps ErrSpent and a WaitError. It returns when the
	// count is on the disk, with how many are left.
	TakeNames(ctx context.Context, address string, n int) (left int, err error)
}

// AuditLog records events, for those who are accountable for the service.
type AuditLog interface {
	// Audit adds an event. If actor and address are empty, they are those of As.
	Audit(ctx context.Context, e Event) error
	// AuditTrail returns the events that the filter selects, newest first.
	AuditTrail(ctx context.Context, f EventFilter) ([]Event, error)
}

// Signing keeps the keys that sign screening reports. All servers together have at most one
// current key.
type Signing interface {
	// SigningKeys returns all keys that ever were, oldest first. The key that is not retired
	// signs.
	SigningKeys(ctx context.Context) ([]SigningKey, error)
	// FirstSigningKey makes k the current key unless there is one already. If several servers
	// start at once, the key of exactly one of them becomes the current key.
	FirstSigningKey(ctx context.Context, k SigningKey) error
	// RotateSigningKey retires the current key, removes its seed and makes next the current
	// key, all or nothing. If compromised is not zero, the retired key is marked with it.
	RotateSigningKey(ctx context.Context, next SigningKey, compromised time.Time) (retired SigningKey, err error)
	// MarkCompromised marks a key: reports that it signed from a past time on cannot be
	// trusted. The last mark of a key counts.
	MarkCompromised(ctx context.Context, id string, since time.Time) error
}
