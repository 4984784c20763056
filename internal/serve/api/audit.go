package api

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
)

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
