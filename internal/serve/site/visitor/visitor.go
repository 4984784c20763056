// Package visitor limits how many pages one visitor opens. Pages are open to everybody and use the engine, so a robot that
// takes them all would slow the site for people. A visitor is a network address. The limit keeps one time for each, for a
// bounded number of visitors.
package visitor

import (
	"sync"
	"time"

	"grantgraph/internal/serve/network"
)

// Rate is how many pages a visitor may open at once, and how often another.
type Rate struct {
	Burst int
	Every time.Duration
}

// mostKept is how many visitors each half of the table holds.
const mostKept = 1 << 16

// Limit applies a rate to visitors. It is safe for concurrent use.
type Limit struct {
	rate  Rate
	clock func() time.Time

	mu sync.Mutex
	// For each visitor, the time at which the full burst is available again. When now is full, it becomes before, and the old
	// before is dropped. A visitor in neither has opened nothing for a while.
	now, before map[string]time.Time
	most        int
}

// New makes a limit.
func New(rate Rate, clock func() time.Time) *Limit {
	return &Limit{rate: rate, clock: clock, now: map[string]time.Time{}, most: mostKept}
}

// Take counts a page for a visitor, or says how long to wait. It does not count the machine itself: a proxy that is not
// configured would make all of its users one visitor.
func (l *Limit) Take(address string) (wait time.Duration, ok bool) {
	if network.Local(address) {
		return 0, true
	}
	who := ""
	if _, valid := network.Parse(address); valid { // all clients without an address count as one
		who = network.Near(address)
	}
	now := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	until, known := l.now[who]
	if !known {
		until = l.before[who]
	}
	if until.Before(now) {
		until = now
	}
	if most := now.Add(time.Duration(l.rate.Burst) * l.rate.Every); until.After(most) {
		until = most // the clock was set back
		if known {
			l.now[who] = until
		} else {
			l.before[who] = until
		}
	}
	if over := until.Sub(now) - time.Duration(l.rate.Burst-1)*l.rate.Every; over > 0 {
		return over, false
	}
	if !known && len(l.now) >= l.most {
		l.now, l.before = make(map[string]time.Time, l.most), l.now
	}
	l.now[who] = until.Add(l.rate.Every)
	return 0, true
}
