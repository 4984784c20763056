package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
)

// authenticate finds the key of a request and checks that it may call the operation.
func (s *Handler) authenticate(ctx context.Context, h http.Header, c *Call, query url.Values) error {
	if c.op.Access == Admin {
		return s.admitAdmin(h)
	}
	given := account.Credential(h)
	key, err := s.identify(ctx, given)
	if err != nil {
		return err
	}
	c.Caller.Key, c.Caller.Owner, c.Caller.Tier = key.ID, cmp.Or(key.Account, key.ID), key.Tier
	c.Caller.Paid, c.Caller.Pro, c.key = key.Require(account.Paid) == nil, key.Require(account.ProScope) == nil, key
	if err := key.Require(0); err != nil {
		return err
	}
	if c.op.Access == Agent {
		c.Caller.Secret = given
		if key.Plan != account.Agent {
			return fault.New(refusedNotAgent.Slug, "This is not the key of an agent: it has no challenges.").Try("use the key that POST /agent-key gave")
		}
		return nil
	}
	if s.config.Admit != nil {
		if err := s.config.Admit(ctx, c, query); err != nil {
			return err
		}
	}
	return key.Require(accesses[c.op.Access].scope)
}

func (s *Handler) identify(ctx context.Context, given string) (account.KeyInfo, error) {
	if owner, ok := ctx.Value(owner{}).(account.KeyInfo); ok {
		return owner, nil
	}
	if given == "" {
		return account.KeyInfo{}, account.NoKey()
	}
	key, err := s.config.Accounts.Authenticate(ctx, given)
	if note, ok := ctx.Value(noted{}).(*atomic.Pointer[account.KeyInfo]); ok && err == nil {
		note.Store(&key)
	}
	return key, err
}

// Payer is the key, or the account of For, behind a request that is answered outside of the table of operations.
func (s *Handler) Payer(r *http.Request) (account.KeyInfo, error) {
	return s.identify(r.Context(), account.Credential(r.Header))
}

// noted is the key of a context under which the log of requests learns whose key a request has.
type noted struct{}

// Noting adds to a context where the key of its request is put once it is known.
func Noting(ctx context.Context) (context.Context, *atomic.Pointer[account.KeyInfo]) {
	note := new(atomic.Pointer[account.KeyInfo])
	return context.WithValue(ctx, noted{}, note), note
}

// owner is the key of a context under which the account that pays for a request is.
type owner struct{}

// For makes a request as if it carried a key of an account whose owner is signed in.
func For(r *http.Request, a account.Account) *http.Request {
	key := account.KeyInfo{ID: a.ID, Plan: a.Plan, Email: a.Email, Active: a.Active, Created: a.Created, Account: a.ID}
	return r.WithContext(context.WithValue(r.Context(), owner{}, key))
}

// AsOwner makes a request on behalf of the owner of the data: everything is answered, and nothing is charged.
func AsOwner(r *http.Request) *http.Request {
	key := account.KeyInfo{Plan: account.Pro, Active: true}
	return r.WithContext(context.WithValue(r.Context(), owner{}, key))
}

// solvent refuses a key without calls left before the plan runs, for operations whose plan alone uses machine time.
func (s *Handler) solvent(ctx context.Context, out *reply, c *Call) error {
	if !c.op.Works || c.Caller.Key == "" {
		return nil
	}
	if b, err := s.config.Accounts.Balance(ctx, c.Caller.Key); err != nil || b.Remaining >= c.op.Cost {
		return nil // the charge reports what is wrong with the store
	}
	return s.meter(ctx, out, c)
}

// meter charges a request, once: from the allowance, or from the calls of a locked key.
func (s *Handler) meter(ctx context.Context, out *reply, c *Call) error {
	switch {
	case c.paid:
		return nil
	case c.Pay != nil:
		err := c.Pay(ctx)
		c.paid = err == nil
		return err
	case c.Caller.Key == "" || c.op.Cost == 0:
		return nil
	}
	balance, err := s.config.Accounts.Charge(ctx, c.Caller.Key, c.op.Cost)
	c.paid = err == nil
	SetBalance(out.header, balance)
	return err
}

// giveBackTimeout bounds how long a refusal waits for the store.
const giveBackTimeout = 5 * time.Second

// giveBack undoes the claim of a request without an answer, even when the caller has left.
func (s *Handler) giveBack(ctx context.Context, c *Call, claim func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	if err := claim(ctx); err != nil {
		s.config.Log.Error(
			"what a request had claimed could not be given back", slog.String("request_id", c.ID), slog.String("operation", c.op.ID),
			slog.String("key", c.Caller.Key), slog.Any("error", err),
		)
	}
}

// showBalance puts the balance of the key into the headers of an answer that was not charged; a charge has already done so.
func (s *Handler) showBalance(ctx context.Context, out *reply, c *Call) {
	if c.Caller.Key == "" || out.header.Get("X-Calls-Limit") != "" {
		return
	}
	if balance, err := s.config.Accounts.Balance(ctx, c.Caller.Key); err == nil {
		SetBalance(out.header, balance)
	} else if ctx.Err() == nil { // otherwise the caller has left
		s.config.Log.Warn("the balance of a key is not known", slog.String("request_id", out.id), slog.Any("error", err))
	}
}

// SetBalance puts what is left of an allowance into the headers of an answer. Without a limit, nothing is known of it.
func SetBalance(h http.Header, b account.Balance) {
	if b.Limit == 0 {
		return
	}
	h.Set("X-Calls-Limit", strconv.Itoa(b.Limit))
	h.Set("X-Calls-Remaining", strconv.Itoa(b.Remaining))
	if !b.Reset.IsZero() {
		h.Set("X-Calls-Reset", Instant(b.Reset))
	}
}

// admitAdmin checks the token of a billing system. It compares hashes: the time taken reveals nothing about the token.
func (s *Handler) admitAdmin(h http.Header) error {
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	given, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.config.AdminToken.Reveal()))
	if s.config.AdminToken.Empty() || subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
		return fault.New(
			refusedAdmin.Slug, "This endpoint needs the admin token of the service.",
		).Try("send it as Authorization: Bearer <token>; keys of the service do not work here")
	}
	return nil
}

// audit keeps the audit trail; every *account.Store implements it.
type audit interface {
	Audit(ctx context.Context, e account.Event) error
}

// The trail records at most this many refusals a minute, because a caller could otherwise fill the trail with refused requests.
const notesAMinute = 60

// limiter lets a number of events through per minute and counts the rest.
type limiter struct {
	mu      sync.Mutex
	minute  time.Time
	through int
	skipped int
}

func (l *limiter) take(now time.Time) (skipped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(l.minute) {
		l.minute, l.through = minute, 0
	}
	if l.through >= notesAMinute {
		l.skipped++
		return 0, false
	}
	l.through++
	skipped, l.skipped = l.skipped, 0
	return skipped, true
}

// noteTimeout bounds how long a refusal waits for the trail.
const noteTimeout = 2 * time.Second

// note records a refusal in the trail. If that fails, the log still has the refusal, and the caller is still refused.
func (s *Handler) note(ctx context.Context, c *Call, err error) {
	f, ok := fault.Of(err)
	if !ok || s.audit == nil || c.shown != nil || !s.table.refusal(f.Slug).Audit {
		return
	}
	skipped, ok := s.limiter.take(s.config.Clock())
	if !ok {
		return
	}
	details := f.Slug + " at " + c.op.ID + ": " + Clip(f.Message)
	if skipped > 0 {
		details += fmt.Sprintf(" (%d refusals before it were not noted)", skipped)
	}
	s.config.Log.Info(
		"a caller was refused", slog.String("request_id", c.ID), slog.String("operation", c.op.ID), slog.String("error", f.Slug),
		slog.String("key", c.Caller.Key),
	)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	who := "caller"
	if c.op.Access == Admin {
		who = "admin"
	} else if c.Caller.Tier != "" || c.op.ForAgents {
		who = "agent"
	}
	if err := s.audit.Audit(ctx, account.Event{
		Kind: account.EventRefusal, Actor: who, Key: c.Caller.Key, Address: c.Caller.Address, Details: details,
	}); err != nil {
		s.config.Log.Warn("a refusal could not be put into the trail", slog.String("request_id", c.ID), slog.Any("error", err))
	}
}
