package account

import (
	"context"
	"slices"
	"sync"
	"time"
)

// mostWaitingHashes is how many passwords of one network wait at a time, about a second.
const mostWaitingHashes = 20

// hashQueue lets a few passwords be hashed at a time. Networks take turns, whatever the number of their passwords.
type hashQueue struct {
	mu      sync.Mutex
	free    int
	waiting []*hashTurn    // in the order they came
	begun   map[string]int // hashes by network, of those that have waited since the queue was last empty
}

type hashTurn struct {
	network string
	turn    chan struct{} // closed when the turn has come
}

// enter waits for a turn. leave must be called once.
func (q *hashQueue) enter(ctx context.Context, network string) (leave func(), err error) {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.begun[network]++
		q.mu.Unlock()
		return q.leave, nil
	}
	behind := 0
	for _, w := range q.waiting {
		if w.network == network {
			behind++
		}
	}
	if behind >= mostWaitingHashes {
		q.mu.Unlock()
		return nil, tooManyAttempts("passwords at once from your network", 5*time.Second)
	}
	w := &hashTurn{network, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case <-w.turn:
		return q.leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // the turn came at the same moment
		q.leave()
	}
	return nil, ctx.Err()
}

// leave gives the turn to the first who waits of the network that had the fewest.
func (q *hashQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.free++
		clear(q.begun)
		return
	}
	next := 0
	for i, w := range q.waiting {
		if q.begun[w.network] < q.begun[q.waiting[next].network] {
			next = i
		}
	}
	w := q.waiting[next]
	q.waiting = slices.Delete(q.waiting, next, next+1)
	q.begun[w.network]++
	close(w.turn)
}
