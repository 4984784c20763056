package model

import (
	"sync"
	"time"
)

// After this many failures in a row, we stop asking the endpoint for a while.
const (
	mostFailures = 3
	rest         = time.Minute
)

// breaker keeps visitors from waiting for an endpoint that does not answer.
// After a pause, one question tests whether the endpoint answers again.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // of the pause
}

// enter reports whether the endpoint may be asked. If so, the caller must call
// leave.
func (b *breaker) enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < mostFailures {
		return true
	}
	if now.Before(b.until) {
		return false
	}
	b.until = now.Add(rest) // for everybody but this question
	return true
}

// leave records whether the request succeeded.
func (b *breaker) leave(now time.Time, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !failed {
		b.failures = 0
		return
	}
	b.failures++
	b.until = now.Add(rest)
}
