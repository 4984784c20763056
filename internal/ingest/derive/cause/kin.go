package cause

import (
	"cmp"
	"slices"

	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
)

// The master file has thousands of legion posts, lodges and parent-teacher associations that share a name or a group. Some have
// a code and most do not. If nearly all members with a code have the same cause, we infer that cause for the others.

// kinTarget is the least share of a family that must have one cause, as a lower confidence bound.
const kinTarget = 0.93

// relative is one organization with a code, as a member of a family.
type relative struct {
	family uint64
	cause  uint8
}

type family struct {
	cause uint8
	share float32
}

type Measured struct{ Inferred, Right int }

// kindred returns the name's key and the group (0 for none) of an organization. Organizations that share either must
// stay on one side of a measurement.
func kindred(o *Org) (name, group uint64) {
	name = hash64("n", orgname.Key(o.Name))
	if o.inGroup() {
		group = hash64("g", o.Group)
	}
	return name, group
}

// families are the families of an organization, 0 for none: by group and by name, each among organizations of the same kind.
func families(o *Org) [2]uint64 {
	var list [2]uint64
	if o.inGroup() {
		list[0] = hash64("G", o.Group, o.Subsection, o.Foundation)
	}
	if key := orgname.Key(o.Name); key != "" {
		list[1] = hash64("N", key, o.Subsection)
	}
	return list
}

// kinOf finds the families with one cause. It measures them by leaving out one member at a time and predicting its
// cause from the others. It sorts the list.
func kinOf(list []relative) (kin map[uint64]family, m Measured) {
	slices.SortFunc(list, func(a, b relative) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.cause, b.cause))
	})
	kin = make(map[uint64]family)
	for members := range radix.Runs(list, func(a, b relative) bool { return a.family == b.family }) {
		n := len(members)
		var counts [causes]int
		for _, m := range members {
			counts[m.cause]++
		}
		if best, ok := verdict(&counts, n); ok {
			kin[members[0].family] = family{best, float32(counts[best]) / float32(n)}
		}
		for c, members := range counts {
			if members == 0 {
				continue
			}
			counts[c]--
			if best, ok := verdict(&counts, n-1); ok {
				m.Inferred += members
				if int(best) == c {
					m.Right += members
				}
			}
			counts[c]++
		}
	}
	return kin, m
}

// verdict is the cause of a family of n members; ok is false if no cause is frequent enough.
func verdict(counts *[causes]int, n int) (best uint8, ok bool) {
	for c := range counts {
		if counts[c] > counts[best] {
			best = uint8(c)
		}
	}
	return best, n > 0 && lowerBound(float64(counts[best])/float64(n), n) >= kinTarget
}

// hash64 is a well-mixed hash of texts. It is never 0.
func hash64(parts ...string) uint64 { return spread(hash.Parts(hash.Start, parts...)) | 1 }

// spread makes every bit depend on every other.
func spread(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
