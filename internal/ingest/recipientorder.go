package ingest

import (
	"cmp"
	"hash/maphash"
	"slices"

	"grantgraph/internal/parallel"
	"grantgraph/internal/radix"
)

// Recipients are processed by place and then by name, for two reasons.
// Recipients of one town lead to the same organizations, which are then still
// in the cache. Recipients that differ only in street, foundation status or EIN
// are next to each other, so their common work is done once.

// The sort key of a recipient is one number: its place in the high bits, and a
// hash of its name and city in the low bits, so that equal recipients come
// together.
const (
	placeBits = 18
	nameBits  = 64 - placeBits
)

func (g *lines) byPlace() []uint32 {
	n := g.recipients.len()
	keys, places := make([]uint64, n), make([]uint32, n)
	parallel.Ranges(n, parallel.Parts(n, 32<<10), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			keys[i] = g.recipientKey(uint32(i)).order()
			places[i] = uint32(keys[i] >> nameBits)
		}
	})
	starts, order := radix.Group(places, 1<<placeBits)
	parallel.Ranges(1<<placeBits, 64, func(_, lo, hi int) {
		for place := lo; place < hi; place++ {
			slices.SortFunc(order[starts[place]:starts[place+1]], func(a, b uint32) int {
				return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
			})
		}
	})
	return order
}

var orderSeed = maphash.MakeSeed()

func (k recipientKey) order() uint64 {
	names, city, state, zip := k.nameAndPlace()
	hash := maphash.String(orderSeed, names) ^ maphash.String(orderSeed, city)
	return placeNumber(state, zip)<<nameBits | hash>>placeBits
}

// placeNumber is the ZIP code if there is one, or else the state. Neighboring
// ZIP codes are mostly in one state.
func placeNumber(state, zip string) (at uint64) {
	const zips = 100_000
	for i := range 5 {
		if i >= len(zip) || zip[i] < '0' || zip[i] > '9' {
			return zips + stateNumber(state)
		}
		at = at*10 + uint64(zip[i]-'0')
	}
	return at
}

// stateNumber gives each state code a number; any other text gives 0.
func stateNumber(state string) uint64 {
	if len(state) != 2 || state[0] < 'A' || state[0] > 'Z' || state[1] < 'A' || state[1] > 'Z' {
		return 0
	}
	return 1 + uint64(state[0]-'A')*26 + uint64(state[1]-'A')
}
