package sqlbox

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// fairQueue is a bounded number of places with a bounded queue before them,
// shared by owners. Who has had least of the places lately is next, whenever
// they came, and when the queue is full it is who has had most that is sent
// away. So an owner who sends much, or what takes long, waits behind those who
// do not: a few of them can fill neither the places nor the queue for the
// others. Of several places the last is kept for those who have had little, so
// that they need not wait for what the others do with theirs to end.
type fairQueue struct {
	places  int
	most    int           // that may wait
	longest time.Duration // that one may wait
	clock   func() time.Time

	mu     sync.Mutex
	taken  int
	queue  []*waiter // in the order they came
	shares map[string]*share
}

// waiter is one who waits for a place.
type waiter struct {
	owner string
	turn  chan struct{} // closed when the wait is over
	place bool          // there is a place; else the waiter is sent away
}

// share is what an owner has had of the places.
type share struct {
	held int
	used time.Duration // half of it is forgotten after each forgetting
	at   time.Time     // when used was true
}

const (
	forgetting = time.Minute

	// stake is what a statement counts for while it has not ended: more than
	// most take, so that the second of an owner comes after the first of all.
	stake = time.Second

	// little is what an owner may have had to be let into the last place: many
	// simple statements, also on a busy machine, and few that take long.
	little = 3 * stake
)

func newFairQueue(places, most int, longest time.Duration) *fairQueue {
	return &fairQueue{places: places, most: most, longest: longest, clock: time.Now, shares: map[string]*share{}}
}

// enter waits for a place and returns what gives it back, to be called once.
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
	if w.place { // perhaps just when the time was over
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

// open says whether there is a place for an owner. Nobody is not limited.
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

// take takes a free place.
func (l *fairQueue) take(owner string) (leave func()) {
	l.taken++
	l.share(owner).held++
	return l.hold(owner)
}

// hold is what gives back a place that has been taken.
func (l *fairQueue) hold(owner string) (leave func()) {
	began := l.clock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.share(owner).used += max(0, l.clock().Sub(began))
		l.free(owner)
	}
}

// free gives a place back, and to who is next.
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

// remove ends the wait of one in the queue.
func (l *fairQueue) remove(i int) {
	close(l.queue[i].turn)
	l.queue = slices.Delete(l.queue, i, i+1)
}

// share is the share of an owner as of now.
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

// forget drops the shares that no longer matter.
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

// ranks are, for each in the queue, how much their owner has had, those before
// them in the queue included.
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

// first is who is next of those for whom there is a place, or -1.
func (l *fairQueue) first() int {
	best, ranks := -1, l.ranks()
	for i, r := range ranks {
		if l.open(l.queue[i].owner) && (best < 0 || r < ranks[best]) {
			best = i
		}
	}
	return best
}

// last is who is sent away, the latest of those who have had most.
func (l *fairQueue) last() int {
	worst, ranks := -1, l.ranks()
	for i, r := range ranks {
		if worst < 0 || r >= ranks[worst] {
			worst = i
		}
	}
	return worst
}

// state is how many places are taken and how many wait, for tests.
func (l *fairQueue) state() (taken, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken, len(l.queue)
}
