package model

import (
	"sync"
	"time"
)

// After so many failures in a row the endpoint is left alone for a while.
const (
	mostFailures = 3
	rest         = time.Minute
)

// breaker keeps visitors from waiting for an endpoint that does not answer. After
// its rest one question tries whether it does again.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time
	trying   bool
}

// enter reports whether the endpoint may be asked; then leave must be called.
func (b *breaker) enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < mostFailures {
		return true
	}
	if b.trying || now.Before(b.until) {
		return false
	}
	b.trying = true
	return true
}

// leave says how it went.
func (b *breaker) leave(now time.Time, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	if !failed {
		b.failures = 0
		return
	}
	b.failures = min(b.failures+1, mostFailures)
	b.until = now.Add(rest)
}
