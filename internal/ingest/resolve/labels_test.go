package resolve

import (
	"fmt"
	"testing"

	"grantgraph/internal/ein"
)

// TestSetAside sets aside the district's EIN on its schools, and keeps a filer
// that pays many posts of one army.
func TestSetAside(t *testing.T) {
	t.Parallel()
	var labels []Label
	add := func(funder, truth ein.EIN, name string) {
		l := Recipient{Name1: name}
		labels = append(labels, Label{Recipient: l, Name: parse(&l), Funder: funder, Truth: truth})
	}
	for i := range 12 {
		add(1, 10, coin(100+i)+" HIGH SCHOOL")
		add(1, 11, "KINDLING ARMY "+coin(200+i))
		add(ein.EIN(100+i), 12, coin(300+i)+" HIGH SCHOOL") // each by a filer of its own
	}
	for range 12 {
		add(2, 10, "ELM HIGH SCHOOL")
	}
	for i := range 9 {
		add(3, 10, fmt.Sprint(coin(100+i), " CHURCH"))
	}
	aside, n := SetAside(labels)
	if n != 12 {
		t.Errorf("%d set aside, want 12", n)
	}
	for i, gone := range aside {
		if gone != (labels[i].Funder == 1 && labels[i].Truth == 10) {
			t.Errorf("%s of %s: set aside is %v", labels[i].Recipient.Name1, labels[i].Truth, gone)
		}
	}
}
