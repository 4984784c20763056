package budget

import (
	"testing"

	"grantgraph/internal/fault"
)

func TestDoor(t *testing.T) {
	t.Parallel()
	d := NewDoor(3, 2)
	enter := func(address string, in bool) func() {
		t.Helper()
		leave, err := d.Enter(address)
		if f, ok := fault.Of(err); (err == nil) != in || err != nil && (!ok || f.Slug != Busy) {
			t.Fatalf("%s: %v", address, err)
		}
		return leave
	}
	first := enter("a", true)
	enter("a", true)
	enter("a", false) // two are all for one address
	other := enter("b", true)
	enter("c", false) // three are all there is room for
	first()
	enter("a", true)
	other()
	enter("b", true)
	if d.in != 3 || len(d.from) != 2 {
		t.Errorf("%d in, of %v", d.in, d.from)
	}
}
