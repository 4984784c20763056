package resolve

import (
	"cmp"
	"math/bits"
	"slices"

	"grantgraph/internal/hash"
)

// nameIndex finds organizations by name key. Entries are sorted by the hash of
// the key, then state, then organization; the top bits of the hash lead to
// where its entries start, so that a lookup touches two or three cache lines
// however large the universe is.
type nameIndex struct {
	entries []nameEntry
	starts  []uint32 // len 1<<bits + 1
	shift   uint
}

type nameEntry struct {
	hash  uint64
	id    uint32 // position in orgs
	state stateCode
	alias bool // an alias, not the organization's own name
}

func newNameIndex(entries []nameEntry) nameIndex {
	slices.SortFunc(entries, func(a, b nameEntry) int {
		switch {
		case a.hash != b.hash:
			if a.hash < b.hash {
				return -1
			}
			return 1
		case a.state != b.state:
			return int(a.state) - int(b.state)
		case a.id != b.id:
			return int(int64(a.id) - int64(b.id))
		case a.alias == b.alias:
			return 0
		case b.alias:
			return -1
		}
		return 1
	})
	// An organization known by one key both as its name and as an alias is
	// kept once, as its name.
	entries = slices.CompactFunc(entries, func(a, b nameEntry) bool {
		return a.hash == b.hash && a.state == b.state && a.id == b.id
	})
	width := max(bits.Len(uint(len(entries))), 1)
	x := nameIndex{entries: slices.Clip(entries), starts: make([]uint32, 1<<width+1), shift: uint(64 - width)}
	for _, e := range entries {
		x.starts[e.hash>>x.shift+1]++
	}
	for i := 1; i < len(x.starts); i++ {
		x.starts[i] += x.starts[i-1]
	}
	return x
}

// find returns the entries of a key, sorted by state and then organization.
func (x *nameIndex) find(kx string) []nameEntry {
	if kx == "" || len(x.entries) == 0 {
		return nil
	}
	h := hashKey(kx)
	b := h >> x.shift
	bucket := x.entries[x.starts[b]:x.starts[b+1]]
	lo := 0
	if len(bucket) > 16 {
		// Nearly every bucket has a few entries, but some names belong to thousands of organizations.
		lo, _ = slices.BinarySearchFunc(bucket, h, func(e nameEntry, h uint64) int { return cmp.Compare(e.hash, h) })
	}
	for lo < len(bucket) && bucket[lo].hash < h {
		lo++
	}
	bucket = bucket[lo:]
	hi := 0
	if len(bucket) > 16 {
		hi, _ = slices.BinarySearchFunc(bucket, h, func(e nameEntry, h uint64) int {
			if e.hash <= h {
				return -1
			}
			return 1
		})
	}
	for hi < len(bucket) && bucket[hi].hash == h {
		hi++
	}
	return bucket[:hi]
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
