// Package account keeps the keys of the service: who has one, what it is
// entitled to, and how much of its allowance is spent.
//
// A charge is exact and durable before it is answered: charges that arrive
// together are written in one transaction, so an allowance is never oversold
// and a call that was answered is never forgotten, whatever happens to the
// process. The text of a key is shown once, when it is made; the store has
// only its hash.
package account

import (
	"context"
	"errors"
	"time"

	"grantgraph/internal/fault"
)

// The kinds of refusal. Each reaches the caller inside a fault.Fault whose
// words are fit for people.
var (
	ErrUnknownKey = errors.New("unknown key")
	ErrInactive   = errors.New("key is inactive")
	ErrSpent      = errors.New("allowance is spent")
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
}

// Require says why the key may not use a part of the service, nil when it may.
func (k KeyInfo) Require(s Scope) error {
	if !k.Active {
		return inactive()
	}
	if k.Plan.Terms().Scopes&s == s {
		return nil
	}
	need, what := "a paid plan (Plus or Pro)", "This endpoint"
	if s&ProScope != 0 {
		need = "the Pro plan"
	}
	return fault.New("plan_required", "%s needs %s; this key is on the %s plan.", what, need, k.Plan).
		Try("change the plan of the key, or ask for what its plan covers")
}

// Balance is what is left of an allowance.
type Balance struct {
	Limit     int
	Remaining int
	Reset     time.Time // when the allowance is whole again
}

// Store keeps keys and meters them. It is safe for concurrent use.
type Store interface {
	// Create makes a key. The secret is returned this once.
	Create(ctx context.Context, plan Plan, email, label string) (secret string, k KeyInfo, err error)
	// Authenticate finds the key with this secret, and nothing by an ID: it is
	// the one for requests from outside.
	Authenticate(ctx context.Context, secret string) (KeyInfo, error)
	// Find finds a key by its secret or its ID.
	Find(ctx context.Context, secretOrID string) (KeyInfo, error)
	// Charge takes cost calls from the allowance of the key, or none of them:
	// then the error wraps ErrSpent and the balance says when to come back. It
	// returns after the charge is on the disk. A call that ends early because
	// ctx is done may still be charged.
	Charge(ctx context.Context, id string, cost int) (Balance, error)
	// Balance is the state of the allowance of the key.
	Balance(ctx context.Context, id string) (Balance, error)
	// List is every key, oldest first.
	List(ctx context.Context) ([]KeyInfo, error)
	// Rotate gives the key a new secret; the old one is dead when it returns.
	// What was spent stays spent.
	Rotate(ctx context.Context, id string) (secret string, k KeyInfo, err error)
	Deactivate(ctx context.Context, id string) (KeyInfo, error)
	Reactivate(ctx context.Context, id string) (KeyInfo, error)
	SetPlan(ctx context.Context, id string, plan Plan) (KeyInfo, error)
	Close() error
}

// NoKey is the answer to a request that needs a key and has none.
func NoKey() error {
	return fault.New("no_key", "This endpoint needs an API key.").
		Try("send it as X-API-Key: <key> or as Authorization: Bearer <key>")
}

func unknownKey(why string) error {
	return &fault.Fault{Slug: "unknown_key", Message: why, Hint: "check that the whole key was sent; a rotated key is dead at once", Err: ErrUnknownKey}
}

func inactive() error {
	return &fault.Fault{Slug: "account_inactive", Message: "The account of this key is inactive.", Hint: "reactivate the key, or use another", Err: ErrInactive}
}

func spent(plan Plan, w Window, b Balance) error {
	f := fault.New("quota_exhausted", "The allowance of this key is spent: %d calls a %s on the %s plan.", b.Limit, w, plan).
		Try("it is whole again at %s", b.Reset.Format(time.RFC3339))
	f.Err = ErrSpent
	return f
}
