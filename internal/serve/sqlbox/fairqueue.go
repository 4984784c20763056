package sqlbox

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// fairQueue is a bounded number of places with a bounded queue, shared by owners. The next place goes to the waiting owner who
// has used the places least lately; from a full queue the one who has used them most is turned away. The last of several
// places is for owners who have used little, so that they do not wait for long statements of others.
type fairQueue struct {
	places  int
	most    int           // how many may wait
	longest time.Duration // how long one may wait
	clock   func() time.Time

	mu     sync.Mutex
	taken  int
	queue  []*waiter // in the order they came
	shares map[string]*share
}

type waiter struct {
	owner string
	turn  chan struct{} // closed when the wait is over
	place bool          // the waiter got a place; otherwise it is turned away
}

// share is how much an owner has used the places.
type share struct {
	held int
	used time.Duration // halves after each forgetting
	at   time.Time     // when used was computed
}

const (
	forgetting = time.Minute

	// stake is what a statement counts for until it ends: an owner's second comes after the first of all others.
	stake = time.Second

	// little is how much an owner may have used and still enter the last place.
	little = 3 * stake
)

func newFairQueue(places, most int, longest time.Duration) *fairQueue {
	return &fairQueue{places: places, most: most, longest: longest, clock: time.Now, shares: map[string]*share{}}
}

// enter waits for a place and returns the function that gives the place back, once.
func (l *fairQueue) enter(ctx context.Context, owner string) (leave func(), err error) {
	l.mu.Lock()
	if l.open(owner) {
		defer l.mu.Unlock()
		return l.take(owner), nil
	}
	w := &waiter{owner: owner, turn: make(chan struct{})}
	l.queue = append(l.queue, w)
	if len(l.queue) > l.most {
		l.remove(l.last())
	}
	l.mu.Unlock()

	timer := time.NewTimer(l.longest)
	defer timer.Stop()
	select {
	case <-w.turn:
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, w); i >= 0 {
		l.remove(i)
	}
	if w.place { // possibly at the moment when the time was over
		leave = l.hold(owner)
		if err == nil {
			return leave, nil
		}
		l.free(owner)
		return nil, err
	}
	if err == nil {
		err = busy()
	}
	return nil, err
}

// open reports whether there is a place for an owner; for the empty owner any will do.
func (l *fairQueue) open(owner string) bool {
	switch left := l.places - l.taken; {
	case left <= 0:
		return false
	case left > 1 || l.places == 1 || owner == "":
		return true
	}
	s := l.share(owner)
	return s.held == 0 && s.used < little
}

func (l *fairQueue) take(owner string) (leave func()) {
	l.taken++
	l.share(owner).held++
	return l.hold(owner)
}

func (l *fairQueue) hold(owner string) (leave func()) {
	began := l.clock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.share(owner).used += max(0, l.clock().Sub(began))
		l.free(owner)
	}
}

// free gives a place back and hands it to the next waiter.
func (l *fairQueue) free(owner string) {
	l.taken--
	l.share(owner).held--
	if i := l.first(); i >= 0 {
		w := l.queue[i]
		w.place = true
		l.taken++
		l.share(w.owner).held++
		l.remove(i)
	}
	l.forget()
}

func (l *fairQueue) remove(i int) {
	close(l.queue[i].turn)
	l.queue = slices.Delete(l.queue, i, i+1)
}

func (l *fairQueue) share(owner string) *share {
	now := l.clock()
	s := l.shares[owner]
	if s == nil {
		s = &share{at: now}
		l.shares[owner] = s
	}
	if d := now.Sub(s.at); d > 0 {
		s.used = time.Duration(float64(s.used) * math.Exp2(-float64(d)/float64(forgetting)))
	}
	s.at = now
	return s
}

// forget drops shares that are almost zero, when there are many.
func (l *fairQueue) forget() {
	if len(l.shares) < 1000 {
		return
	}
	for owner := range l.shares {
		if s := l.share(owner); s.held == 0 && s.used < time.Millisecond {
			delete(l.shares, owner)
		}
	}
}

// ranks returns, for each waiter, how much its owner has used, including the stakes
// of the owner's statements that run or wait before it.
func (l *fairQueue) ranks() []time.Duration {
	ranks := make([]time.Duration, len(l.queue))
	before := map[string]int{}
	for i, w := range l.queue {
		s := l.share(w.owner)
		ranks[i] = s.used + stake*time.Duration(s.held+before[w.owner])
		before[w.owner]++
	}
	return ranks
}

// first returns the waiter that is next among those for whom there is a place, or -1.
func (l *fairQueue) first() int {
	best, ranks := -1, l.ranks()
	for i, r := range ranks {
		if l.open(l.queue[i].owner) && (best < 0 || r < ranks[best]) {
			best = i
		}
	}
	return best
}

// last returns the waiter to turn away: the latest of those whose owner has used most.
func (l *fairQueue) last() int {
	worst, ranks := -1, l.ranks()
	for i, r := range ranks {
		if worst < 0 || r >= ranks[worst] {
			worst = i
		}
	}
	return worst
}
