package resolve

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
)

// TestUniverseIsThatOfOneByOne holds that a universe is the same whether its
// sources come one after the other or at once, and whether a recipient comes line
// by line or with all its funders.
func TestUniverseIsThatOfOneByOne(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		orgs := make([]Org, 60)
		for i := range orgs {
			orgs[i] = invented(r)
			orgs[i].EIN += ein.EIN(r.IntN(3)) * 400_000_000 // in many parts
		}
		recipients := make([]FiledRecipient, 40)
		funders := make([][]ein.EIN, len(recipients))
		for i := range recipients {
			o := invented(r)
			recipients[i] = FiledRecipient{ein.EIN(70000008 + r.IntN(12)), orgname.Key(o.Name), o.Name, Location{o.Street, o.City, o.State, o.ZIP5}}
			for range r.IntN(6) {
				funders[i] = append(funders[i], ein.EIN(70000010+r.IntN(6))) // some file their own EIN
			}
		}
		plain := NewUniverse()
		for i := range orgs {
			plain.Add(orgs[i])
		}
		for i := range recipients {
			for _, funder := range funders[i] {
				plain.AddFiled(recipients[i], funder)
			}
		}
		at := NewUniverse()
		parallel.Ranges(len(orgs), 4, func(_, from, to int) {
			for i := from; i < to; i++ {
				at.Add(orgs[i])
			}
		})
		parallel.Ranges(len(recipients), 4, func(_, from, to int) {
			for i := from; i < to; i++ {
				at.AddFiled(recipients[i], funders[i]...)
			}
		})
		if !reflect.DeepEqual(plain.Build(), at.Build()) {
			t.Fatalf("seed %d: another universe", seed)
		}
	}
}
