package sqlbox

import (
	"context"
	"sync"
	"time"

	"grantgraph/internal/fault"
)

// worn is how many statements a worker serves before a fresh one takes its
// place, so that nothing can gather in one.
const worn = 500

// pool keeps workers of one kind warm.
type pool struct {
	spawn func() (*process, error)
	keep  int // idle workers

	mu     sync.Mutex
	idle   []*process
	closed bool
	tasks  sync.WaitGroup // replacements on their way
}

// warm sees to it that a worker is ready, and says why it could not be.
func (l *pool) warm() error {
	p, err := l.get()
	if err == nil {
		l.put(p)
	}
	return err
}

// more starts workers until n are idle, without waiting for them.
func (l *pool) more(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.idle); i < n && !l.closed; i++ {
		l.tasks.Go(func() {
			// A failure shows when the next query asks for a worker.
			if p, err := l.spawn(); err == nil {
				l.put(p)
			}
		})
	}
}

// get takes an idle worker or starts one.
func (l *pool) get() (*process, error) {
	l.mu.Lock()
	for n := len(l.idle); n > 0; n = len(l.idle) {
		p := l.idle[n-1]
		l.idle = l.idle[:n-1]
		if p.alive() {
			l.mu.Unlock()
			return p, nil
		}
		p.end()
	}
	l.mu.Unlock()
	return l.spawn()
}

// put gives a worker back. One that died or is worn is replaced.
func (l *pool) put(p *process) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // and waiting for its tasks: there must be no new one
		go p.end()
		return
	}
	if !p.dead && p.asked < worn && len(l.idle) < l.keep {
		l.idle = append(l.idle, p)
		return
	}
	replace := len(l.idle) < l.keep
	l.tasks.Go(func() {
		p.end()
		if replace {
			if fresh, err := l.spawn(); err == nil {
				l.put(fresh)
			}
		}
	})
}

// close ends the idle workers. Those at work end when they are given back.
func (l *pool) close() {
	l.mu.Lock()
	idle := l.idle
	l.idle, l.closed = nil, true
	l.mu.Unlock()
	for _, p := range idle {
		p.end()
	}
	l.tasks.Wait()
}

// line is a bounded number of places with a bounded queue before them.
type line struct {
	places  chan struct{}
	most    int           // that may wait
	longest time.Duration // that one may wait
	mu      sync.Mutex
	waiting int
}

// enter waits for a place and returns what gives it back.
func (l *line) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-l.places }
	select {
	case l.places <- struct{}{}:
		return leave, nil
	default:
	}
	l.mu.Lock()
	if l.waiting >= l.most {
		l.mu.Unlock()
		return nil, busy()
	}
	l.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waiting--
		l.mu.Unlock()
	}()
	timer := time.NewTimer(l.longest)
	defer timer.Stop()
	select {
	case l.places <- struct{}{}:
		return leave, nil
	case <-timer.C:
		return nil, busy()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func busy() *fault.Fault {
	return fault.New(Busy, "too many queries are running").Try("retry in %d seconds", RetryAfter)
}
