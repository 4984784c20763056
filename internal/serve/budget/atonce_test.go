package budget

import (
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
