package budget

import (
	"sync"

	"grantgraph/internal/fault"
)

// AtOnce bounds how many requests of a kind run at a time, in all and from one
// address. It is for requests without a key: memory is held for a body before the
// body has arrived, so slow senders could hold all of it.
type AtOnce struct {
	all, each int

	mu    sync.Mutex
	count int
	from  map[string]int
}

// NewAtOnce allows so many in all, and so many from each address.
func NewAtOnce(all, each int) *AtOnce { return &AtOnce{all: all, each: each, from: map[string]int{}} }

// Begin counts a request until end is called, which must happen once, or refuses
// it with a fault of the slug Busy.
func (a *AtOnce) Begin(address string) (end func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count >= a.all || a.from[address] >= a.each {
		return nil, fault.New(Busy, "The server is running as many of these requests as it accepts at once, in all or from your address.").
			Try("ask again in a few seconds, and fewer at a time")
	}
	a.count++
	a.from[address]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.count--
		if a.from[address]--; a.from[address] == 0 {
			delete(a.from, address)
		}
	}, nil
}
