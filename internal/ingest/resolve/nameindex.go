package resolve

import (
	"cmp"
	"slices"

	"grantgraph/internal/hash"
)

// nameIndex finds organizations by name key. Entries are sorted by the hash of
// the key, then state, then organization.
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
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.id, b.id), yesFirst(!a.alias, !b.alias))
	})
	// An organization known by one key both as its name and as an alias is
	// kept once, as its name.
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

// inState narrows the entries of one key to one state.
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
