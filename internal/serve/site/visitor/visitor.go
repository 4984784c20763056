// Package visitor limits how many pages one visitor opens. Pages are open to
// everybody and use the engine, so a robot that takes them all would slow the site
// for people. A visitor is a network address. The limit keeps one time for each,
// for a bounded number of visitors.
package visitor

import (
	"net/netip"
	"sync"
	"time"
)

// Rate is how many pages a visitor may open at once, and how often another page
// after that.
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
	// For each visitor, the time at which the full burst is available again. When now
	// is full, it becomes before, and the old before is dropped. A visitor in neither
	// has opened nothing for a while.
	now, before map[netip.Prefix]time.Time
	most        int
}

// New makes a limit.
func New(rate Rate, clock func() time.Time) *Limit {
	return &Limit{rate: rate, clock: clock, now: map[netip.Prefix]time.Time{}, most: mostKept}
}

// Take counts a page for a visitor, or says how long to wait. It does not count the
// machine itself: a proxy that is not configured would make all of its users one
// visitor.
func (l *Limit) Take(address string) (wait time.Duration, ok bool) {
	who, counted := network(address)
	if !counted {
		return 0, true
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
		l.now, l.before = make(map[netip.Prefix]time.Time, l.most), l.now
	}
	l.now[who] = until.Add(l.rate.Every)
	return 0, true
}

// network is what counts as one visitor: an IPv4 address, or the network of a
// household for IPv6. All clients without a valid address count as one visitor.
func network(address string) (who netip.Prefix, counted bool) {
	at, err := netip.ParseAddr(address)
	if err != nil {
		ported, err := netip.ParseAddrPort(address)
		if err != nil {
			return netip.Prefix{}, true
		}
		at = ported.Addr()
	}
	at = at.Unmap().WithZone("")
	if at.IsLoopback() {
		return netip.Prefix{}, false
	}
	bits := 32
	if at.Is6() {
		bits = 64
	}
	who, _ = at.Prefix(bits) // as many bits as the address has
	return who, true
}
