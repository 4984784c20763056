package resolve

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"grantgraph/internal/hash"
)

// nameIndex finds organizations by name key. Entries are sorted by the hash of the key, then state, then organization.
type nameIndex struct{ hashed[nameEntry] }

type nameEntry struct {
	hash  uint64
	id    uint32 // position in orgs
	state stateCode
	alias bool // an alias, not the organization's own name
}

func (e nameEntry) foundBy() uint64 { return e.hash }

func newNameIndex(entries []nameEntry) nameIndex {
	slices.SortFunc(entries, func(a, b nameEntry) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.id, b.id), cmp.Compare(oneIf(a.alias), oneIf(b.alias)))
	})
	// An organization known by one key both as its name and as an alias is kept once, as its name.
	entries = slices.CompactFunc(entries, func(a, b nameEntry) bool {
		return a.hash == b.hash && a.state == b.state && a.id == b.id
	})
	return nameIndex{newHashed(slices.Clip(entries))}
}

// find returns the entries of a key, sorted by state and then organization.
func (x *nameIndex) find(kx string) []nameEntry {
	if kx == "" {
		return nil
	}
	return x.of(hashKey(kx))
}

func inState(entries []nameEntry, state stateCode) []nameEntry {
	from := func(entries []nameEntry, state stateCode) int {
		i, _ := slices.BinarySearchFunc(entries, state, func(e nameEntry, s stateCode) int { return int(e.state) - int(s) })
		return i
	}
	entries = entries[from(entries, state):]
	return entries[:from(entries, state+1)]
}

// hashKey is FNV-1a with a final mix, so that the top bits are as random as the low bits. It never changes, so a key
// has the same place in every build.
func hashKey(s string) uint64 { return mix(hash.Of(s)) }

// mix makes every bit of a hash depend on all others.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// hashed is a list that is sorted by a hash. The top bits of a hash lead to the few entries that share them, so a
// lookup touches two or three cache lines however long the list is.
type hashed[T hashable] struct {
	list   []T
	starts []uint32
	shift  uint
}

// hashable is an entry with the hash that it is found by.
type hashable interface{ foundBy() uint64 }

func newHashed[T hashable](list []T) hashed[T] {
	width := max(bits.Len(uint(len(list)))-1, 1)
	x := hashed[T]{list: list, starts: make([]uint32, 1<<width+1), shift: uint(64 - width)}
	for i := range list {
		x.starts[list[i].foundBy()>>x.shift+1]++
	}
	addUp(x.starts)
	return x
}

func (x *hashed[T]) of(h uint64) []T {
	if len(x.list) == 0 {
		return nil
	}
	near := x.list[x.starts[h>>x.shift]:x.starts[h>>x.shift+1]]
	near = near[sort.Search(len(near), func(i int) bool { return near[i].foundBy() >= h }):]
	return near[:sort.Search(len(near), func(i int) bool { return near[i].foundBy() > h })]
}

// addUp turns the size of each part, which stands one place after it, into where the part starts.
func addUp(starts []uint32) {
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
}

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
