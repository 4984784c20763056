package budget

import (
	"fmt"
	"testing"

	"grantgraph/internal/fault"
)

func TestAtOnce(t *testing.T) {
	t.Parallel()
	a := NewAtOnce(3, 2)
	begin := func(address string, allowed bool) func() {
		t.Helper()
		end, err := a.Begin(address)
		if f, ok := fault.Of(err); (err == nil) != allowed || err != nil && (!ok || f.Slug != Busy) {
			t.Fatalf("%s: %v", address, err)
		}
		return end
	}
	first := begin("a", true)
	begin("a", true)
	begin("a", false) // two are all for one address
	other := begin("b", true)
	begin("c", false) // three are all there is room for
	first()
	begin("a", true)
	other()
	begin("b", true)
	if a.count != 3 || len(a.from) != 2 {
		t.Errorf("%d under way, of %v", a.count, a.from)
	}
}

// TestPlaces fills the places of strangers. Known callers have their own: so many for
// an account, and twice as many for all accounts of a network.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := NewPlaces(8, 2)
	begun := func(from Sender) bool { _, err := p.Begin(from); return err == nil }
	for i := range 8 {
		begun(Sender{Address: fmt.Sprintf("10.%d.0.1", i)})
	}
	if begun(Sender{Address: "198.51.100.1"}) {
		t.Error("a stranger has a place that is not there")
	}
	for i, allowed := range []bool{true, true, false} {
		if begun(Sender{"198.51.100.1", "acc_1"}) != allowed {
			t.Errorf("place %d of an account: want %v", i+1, allowed)
		}
	}
	for i, allowed := range []bool{true, true, false} {
		if begun(Sender{"198.51.100.1", fmt.Sprint("acc_", i+2)}) != allowed {
			t.Errorf("account %d of a network: want %v", i+2, allowed)
		}
	}
}

// TestGreedyNetworks takes as many places as there are from a household, from a block
// of IPv4 addresses, and from eight addresses elsewhere. Whoever has none still gets a
// place.
func TestGreedyNetworks(t *testing.T) {
	t.Parallel()
	const all, each = 64, 8
	for name, c := range map[string]struct {
		address func(i int) string
		most    int64
	}{
		"a household":            {func(i int) string { return fmt.Sprintf("2001:db8::%x", i) }, each},
		"a customer of IPv6":     {func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i) }, 2 * each},
		"a block of IPv4":        {func(i int) string { return fmt.Sprintf("192.0.2.%d", i%256) }, 2 * each},
		"eight addresses apart":  {func(i int) string { return fmt.Sprintf("10.0.%d.1:%d", i%8, i) }, all * 3 / 4},
		"a hundred blocks apart": {func(i int) string { return fmt.Sprintf("10.%d.0.1", i%100) }, all},
	} {
		a := NewAtOnce(all, each)
		for i := range 1000 {
			_, _ = a.Begin(c.address(i))
		}
		if a.count != c.most {
			t.Errorf("%s has %d places, want %d", name, a.count, c.most)
		}
		if _, err := a.Begin("198.51.100.1"); (err == nil) != (c.most < all) {
			t.Errorf("%s: somebody else: %v", name, err)
		}
	}
}
