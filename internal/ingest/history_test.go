package ingest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/stage"
)

// TestHistoryIsThatOfAllLines holds that a history is the same whether or not the
// recipients of funders that pay everybody are looked up.
func TestHistoryIsThatOfAllLines(t *testing.T) {
	t.Parallel()
	const orgs = 700
	u := resolve.NewUniverse()
	c := &corpus{lines: newLines(0)}
	for i := range orgs {
		name := fmt.Sprintf("LANTERN %c%c%c SOCIETY", 'A'+i%26, 'A'+i/26%26, 'A'+i/100)
		u.Add(resolve.Org{EIN: ein.EIN(70_000_001 + i), Name: name, City: "EXAMPLETON", State: "OH", Sources: resolve.BMF, Active: true})
	}
	c.universe = u.Build()
	r := rand.New(rand.NewPCG(1, 1))
	for i, f := range []struct {
		lines, orgs int  // of a funder, and those that its lines can name
		inTurn      bool // each of them is named once
	}{
		{40, 40, false}, {3000, orgs, false}, {3000, 200, false}, {260, orgs, false}, {firstLines, 300, false}, {1, 1, false},
		{resolve.ManyPaid, resolve.ManyPaid, true}, {resolve.ManyPaid + 1, resolve.ManyPaid + 1, true},
	} {
		for half := range 2 { // filings
			c.filings = append(c.filings, filing{ein: ein.EIN(80_000_001 + i)})
			for k := half * f.lines / 2; k < (half+1)*f.lines/2; k++ {
				org := k
				if !f.inTurn {
					org = r.IntN(f.orgs)
				}
				l := stage.Line{Name1: fmt.Sprintf("LANTERN %c%c%c SOCIETY", 'A'+org%26, 'A'+org/26%26, 'A'+org/100), City: "EXAMPLETON", State: "OH", Street: fmt.Sprint(r.IntN(3)), Cash: 1}
				if !f.inTurn && r.IntN(4) == 0 {
					l.Name1 = "NOBODY KNOWN"
				}
				c.lines.add(&l, uint32(len(c.filings)-1), uint32(len(c.filings)-1), false)
			}
		}
	}
	b := &builder{workers: 2}
	got, err := b.history(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	plain := resolve.New(c.universe, resolve.Options{})
	var list []resolve.Payment
	for row, no := range c.lines.recipientNo {
		to := c.lines.recipient(no)
		n := to.ParseName()
		if e := plain.Named(&to, &n); e != ein.None {
			list = append(list, resolve.Payment{Funder: c.filingOf(uint32(row)).ein, Recipient: e})
		}
	}
	if want := resolve.NewHistory(list); !reflect.DeepEqual(got, want) || !slices.ContainsFunc(list, func(p resolve.Payment) bool { return p.Funder == 80_000_002 }) {
		t.Errorf("the history is another one")
	}
}
