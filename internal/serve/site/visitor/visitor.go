// Package visitor bounds how many pages one visitor gets. Pages are open to
// everybody and every one of them asks the engine, so a robot that takes them all
// at once would take them from people. A visitor is a network address; what is kept
// of it is one moment, and of how many is bounded.
package visitor

import (
	"net/netip"
	"sync"
	"time"
)

// Rate is how many pages a visitor may open at once, and how often one more after
// that.
type Rate struct {
	Burst int
	Every time.Duration
}

// mostKept is how many visitors each half of the table has.
const mostKept = 1 << 16

// Limit holds visitors to a rate. It is safe for concurrent use.
type Limit struct {
	rate  Rate
	clock func() time.Time

	mu sync.Mutex
	// Of each visitor the moment at which all that was opened is made up for.
	// Those of whom nothing was seen since the table was last turned are in before;
	// one that is in neither has opened nothing for a while.
	now, before map[netip.Prefix]time.Time
	most        int
}

// New makes a limit.
func New(rate Rate, clock func() time.Time) *Limit {
	return &Limit{rate: rate, clock: clock, now: map[netip.Prefix]time.Time{}, most: mostKept}
}

// Take counts a page for a visitor, or says how long to wait for it. The machine
// itself is not counted: it is where a proxy is that was not named, and all who
// come through it would be one.
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

// network is what counts as one visitor: an address of the old kind, and of the new
// kind the network that a household has. Whoever has no address is one with all
// others that have none.
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
	who, _ = at.Prefix(bits) // as many as it has
	return who, true
}
