package resolve

import (
	"cmp"
	"slices"
)

// crowds finds, among the many organizations in one state that share a name, those in one ZIP or city. A state has
// hundreds of First Baptist churches, and a line means the one in its town.
type crowds struct{ hashed[crowdMember] } // by place, then entry

// crowdMember is an entry of the name index at a place.
type crowdMember struct {
	place uint64 // hash of name, state, and ZIP or city
	entry uint32
}

func (m crowdMember) foundBy() uint64 { return m.place }

// crowd is a number of organizations with one name in one state. More than that get an index by place.
const crowd = 16

func crowdZIP(e *nameEntry, zip uint32) uint64 { return crowdPlace(e, uint64(zip)) }

// crowdCity cannot collide with crowdZIP: the hash of a city has more bits than a ZIP.
func crowdCity(e *nameEntry, city uint64) uint64 { return crowdPlace(e, city) }

func crowdPlace(e *nameEntry, at uint64) uint64 {
	h := mix(e.hash ^ uint64(e.state)*0x9e3779b97f4a7c15)
	return mix(h ^ at*0x9e3779b97f4a7c15)
}

// newCrowds adds each organization at every place where it has an address.
func newCrowds(entries []nameEntry, orgs []Org) crowds {
	var members []crowdMember
	put := func(place uint64, i int) { members = append(members, crowdMember{place, uint32(i)}) }
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].hash == entries[from].hash && entries[to].state == entries[from].state {
			to++
		}
		for i := from; i < to && to-from > crowd; i++ {
			e := &entries[i]
			o := &orgs[e.id]
			enter := func(city, state, zip5 string) {
				if zip := zipCode(zip5); zip != 0 {
					put(crowdZIP(e, zip), i)
				}
				if codeOf(state) == e.state {
					if city := cityPlace(city); city != 0 {
						put(crowdCity(e, city), i)
					}
				}
			}
			enter(o.City, o.State, o.ZIP5)
			for k := range o.Others {
				enter(o.Others[k].City, o.Others[k].State, o.Others[k].ZIP5)
			}
		}
		from = to
	}
	slices.SortFunc(members, func(a, b crowdMember) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.entry, b.entry))
	})
	return crowds{newHashed(slices.Clip(slices.Compact(members)))}
}
