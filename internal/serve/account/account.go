// Package account keeps the keys of the service: who has a key, what it may use, and how much of its allowance is spent. People
// with accounts, the operator, and agents make keys. The package also keeps the keys that sign screening reports.
//
// A charge is exact, and durable before the caller gets an answer. Charges that arrive together are written in one transaction.
// So an allowance is never exceeded, and no answered call is lost, whatever happens to the process. The text of a key is shown
// once, when it is made; the store has only its hash. The same holds for passwords, sessions and tokens.
//
// Two stores behave alike: one in an SQLite file, for one machine, and one in PostgreSQL, for any number of machines. Neither
// caches anything outside the database, so a change on one server takes effect on all servers at once.
package account

import (
	"cmp"
	"context"
	"time"
)

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
	Reset     time.Time // when the allowance resets; zero if it never does
	Expires   time.Time // when an agent's key expires; otherwise zero
}

// End is when the allowance resets, or when the key expires.
func (b Balance) End() time.Time { return cmp.Or(b.Reset, b.Expires) }

// Agents are programs that make keys for themselves. Charge on a locked key wraps ErrLocked, on an expired key ErrExpired.
type Agents interface {
	// TakeMint counts a key minted by an address; wait is how long to wait when it was one too many.
	TakeMint(ctx context.Context, address string) (wait time.Duration, ok bool, err error)
	// MintAgent makes a key. A key of the anonymous tier is locked until its first challenge is answered. A keypair has one key
	// in each tier: minting again gives that key a new secret, and a new allowance only after it expired.
	MintAgent(ctx context.Context, spec AgentSpec) (secret string, a AgentInfo, err error)
	Agent(ctx context.Context, id string) (AgentInfo, error)
	// SetChallenge gives a locked or spent anonymous key its next challenge and locks it. If the present one has another
	// number than expect, it returns the key with ErrStale. If none is due, the error wraps ErrNotDue.
	SetChallenge(ctx context.Context, id string, expect int, c Challenge) (AgentInfo, error)
	// Attempt answers the challenge of a locked key that has this number; verify, which may be called more than once, judges
	// the answers. If the key has another challenge by now, Attempt counts nothing and returns the key with ErrStale.
	Attempt(ctx context.Context, id string, expect int, verify func(Challenge) bool) (AgentInfo, Outcome, error)
	// TakeCall counts a call that a locked key may make; for any other call the error wraps ErrLocked.
	TakeCall(ctx context.Context, id, call string) (left int, err error)
	// Seen reports whether this is the first use of a keypair's nonce, which it remembers until then.
	Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error)
}

// Signing keeps the keys that sign reports. All servers together have at most one current key.
type Signing interface {
	// SigningKeys returns all keys that ever were, oldest first; the one not retired signs.
	SigningKeys(ctx context.Context) ([]SigningKey, error)
	// FirstSigningKey makes k the current key unless there is one already, of several servers that start at once.
	FirstSigningKey(ctx context.Context, k SigningKey) error
	// RotateSigningKey retires the current key, with its mark if it is compromised, and makes next the current one.
	RotateSigningKey(ctx context.Context, next SigningKey, compromised time.Time) (retired SigningKey, err error)
	// MarkCompromised marks a key: reports that it signed from a past time on cannot be trusted. The last mark of a key counts.
	MarkCompromised(ctx context.Context, id string, since time.Time) error
}
