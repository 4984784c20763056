package budget

import "sync"

// Door lets so many requests of a kind in at a time, and so many of them from
// one address. It stands before what everybody may send without a key: memory is
// held for a body before it has arrived, and whoever sends it slowly would hold
// that of all others.
type Door struct {
	all, each int

	mu   sync.Mutex
	in   int
	from map[string]int
}

// NewDoor makes a door for so many in all, and so many from each address.
func NewDoor(all, each int) *Door { return &Door{all: all, each: each, from: map[string]int{}} }

// Enter lets a request in, which must leave once, or refuses it with a fault of
// the slug Busy.
func (d *Door) Enter(address string) (leave func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.in >= d.all || d.from[address] >= d.each {
		return nil, busy()
	}
	d.in++
	d.from[address]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.in--
		if d.from[address]--; d.from[address] == 0 {
			delete(d.from, address)
		}
	}, nil
}
