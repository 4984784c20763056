package ingest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
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
	// The number of lines of each funder, and of the organizations they can name.
	for i, f := range [][2]int{{40, 40}, {3000, orgs}, {3000, 200}, {260, orgs}, {firstLines, 300}, {2, 1}} {
		for range 2 { // filings
			c.filings = append(c.filings, filing{ein: ein.EIN(80_000_001 + i)})
			for range f[0] / 2 {
				k := r.IntN(f[1])
				l := stagedLine{Name1: fmt.Sprintf("LANTERN %c%c%c SOCIETY", 'A'+k%26, 'A'+k/26%26, 'A'+k/100), City: "EXAMPLETON", State: "OH", Street: fmt.Sprint(r.IntN(3)), Cash: 1}
				if r.IntN(4) == 0 {
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
