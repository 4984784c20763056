package sqlbox

import (
	"errors"
	"sync"
)

// maxStatements is how many statements a worker serves, so that no state accumulates in it.
const maxStatements = 500

// pool keeps started workers of one kind ready.
type pool struct {
	spawn func() (*process, error)
	keep  int   // most idle workers
	spare int64 // bytes that an idle worker may hold beyond its size when it was new

	mu     sync.Mutex
	idle   []*process
	closed bool
	tasks  sync.WaitGroup // replacements on their way
}

// startFirst starts a worker if none is idle, and returns why it could not.
func (l *pool) startFirst() error {
	p, err := l.get()
	if err == nil {
		l.put(p)
	}
	return err
}

// startMore starts workers until n of them, but at most keep, are idle, and does not wait.
func (l *pool) startMore(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.idle); i < min(n, l.keep) && !l.closed; i++ {
		l.tasks.Go(func() {
			// A failure appears again when the next query asks for a worker.
			if p, err := l.spawn(); err == nil {
				l.put(p)
			}
		})
	}
}

func (l *pool) get() (*process, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errors.New("the pool is closed")
	}
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

// put gives a worker back, or replaces one that died, served many statements or holds much
// memory, which a process does not return in any other way.
func (l *pool) put(p *process) {
	fit := !p.dead && p.statements < maxStatements && p.grown() <= l.spare
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // close may be waiting for the tasks, so put must not add one
		go p.end()
		return
	}
	if fit && len(l.idle) < l.keep {
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

// close ends the idle workers. A busy worker ends when it is given back.
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
