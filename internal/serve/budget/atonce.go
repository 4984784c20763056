package budget

import (
	"sync"

	"grantgraph/internal/fault"
)

// AtOnce shares places or bytes among networks. A network has at most its share, all addresses around it (see network.Wide) at
// most two, and the last quarter goes only to networks that have next to nothing.
type AtOnce struct {
	all, each int64
	least     int64 // that a network may take of the last quarter

	mu           sync.Mutex
	count        int64
	from, around map[string]int64 // by network, and by wide network
}

// NewAtOnce allows so many in all, and so many from each network.
func NewAtOnce(all, each int) *AtOnce { return newShare(int64(all), int64(each), 1) }

func newShare(all, each, least int64) *AtOnce {
	return &AtOnce{all: all, each: each, least: least, from: map[string]int64{}, around: map[string]int64{}}
}

// Begin counts a request, from an address or account, until end is called, once. A refusal has the slug Busy.
func (a *AtOnce) Begin(address string) (end func(), err error) {
	return a.begin(Sender{Address: address})
}

func (a *AtOnce) begin(from Sender) (end func(), err error) {
	near, wide := from.networks()
	if !a.take(near, wide, 1) {
		return nil, fault.New(Busy, "The server is running as many of these requests as it accepts at once, in all or from your network.").
			Try("ask again in a few seconds, and fewer at a time")
	}
	return func() { a.giveBack(near, wide, 1) }, nil
}

// Places are places for requests that run at a time. Strangers cannot take those of known callers.
type Places struct{ strangers, known *AtOnce }

func NewPlaces(all, each int) Places { return Places{NewAtOnce(all, each), NewAtOnce(all, each)} }

// Begin is that of AtOnce. A busy account may have places of its network, like everybody.
func (p Places) Begin(from Sender) (end func(), err error) {
	if from.Account != "" {
		if end, err = p.known.begin(from); err == nil {
			return end, nil
		}
	}
	return p.strangers.Begin(from.Address)
}

// BeginTrusted is Begin for a proxy and the like. Only the number of all bounds it.
func (a *AtOnce) BeginTrusted(string) (end func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count == a.all {
		return nil, fault.New(Busy, "The server has as many clients as it accepts at once.").Try("ask again in a few seconds")
	}
	a.count++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.count--
	}, nil
}

// Crowded reports whether less than a quarter is left.
func (a *AtOnce) Crowded() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all-a.count < a.all/4
}

func (a *AtOnce) take(near, wide string, n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	has, left := a.around[wide]+n, a.all-a.count-n
	if left < 0 || a.from[near]+n > a.each || has > 2*a.each || left < a.all/4 && has > a.least {
		return false
	}
	a.count += n
	a.from[near] += n
	a.around[wide] += n
	return true
}

func (a *AtOnce) giveBack(near, wide string, n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count -= n
	if a.from[near] -= n; a.from[near] == 0 {
		delete(a.from, near)
	}
	if a.around[wide] -= n; a.around[wide] == 0 {
		delete(a.around, wide)
	}
}
