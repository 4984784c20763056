package resolve

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ein"
)

// Source is a set of the lists that know an organization.
type Source uint8

// The sources, in order of authority: what an earlier one says, a later one
// does not change.
const (
	BMF       Source = 1 << iota // the current master file
	OldBMF                       // an earlier posting of it
	Filer                        // the header of an e-filed return
	Pub78                        // the list of eligible donees
	Revoked                      // the automatic revocation list
	FiledOnly                    // known only from EINs filed on grant lines
)

// rank is the authority of the strongest source in the set; lower is stronger.
func (s Source) rank() int { return bits.TrailingZeros8(uint8(s)) }

// Location is a US mailing address: the state in two letters, the ZIP in five
// digits, each empty when not known.
type Location struct{ Street, City, State, ZIP5 string }

// Org is one organization of the universe.
type Org struct {
	EIN     ein.EIN
	Name    string
	Aliases []string // other names it has borne or trades under, in byte order
	Street  string
	City    string
	State   string
	ZIP5    string
	Others  []Location // other addresses it has given

	NTEE, Subsection, Foundation, Affiliation, Group string
	Revenue                                          int64 // 0 when not known

	Sources Source
	Active  bool
	Pop     int32 // distinct funders that filed this EIN

	// AsOf orders statements of one source about one organization, such as the
	// returns of several years: the greatest is the latest. Any scale will do.
	AsOf int32
}

// Universe is the set of organizations a line can be resolved to, and the
// index of their names. It does not change once built and is safe for
// concurrent use.
type Universe struct {
	orgs     []Org // in EIN order
	prefixes ein.Prefixes
	names    nameIndex
	details  details
	registry registry
	covered  map[stateCode]bool // states of which the register holds a fair part
	pairs    []uint64           // EINs filed and the funders that filed them, sorted
	searches searches

	summed sync.Once
	seen   *sums
}

// filedBy reports whether a funder filed an EIN.
func (u *Universe) filedBy(e, funder ein.EIN) bool {
	_, ok := slices.BinarySearch(u.pairs, uint64(e)<<32|uint64(funder))
	return ok
}

// Lookup finds an organization by its EIN.
func (u *Universe) Lookup(e ein.EIN) (*Org, bool) {
	i, ok := u.position(e)
	if !ok {
		return nil, false
	}
	return &u.orgs[i], true
}

// position finds where an organization stands in EIN order.
func (u *Universe) position(e ein.EIN) (int, bool) {
	lo, hi := 0, len(u.orgs)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if u.orgs[mid].EIN < e {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(u.orgs) && u.orgs[lo].EIN == e
}

// Len is the number of organizations.
func (u *Universe) Len() int { return len(u.orgs) }

// All yields every organization in EIN order.
func (u *Universe) All() iter.Seq[*Org] {
	return func(yield func(*Org) bool) {
		for i := range u.orgs {
			if !yield(&u.orgs[i]) {
				return
			}
		}
	}
}

// Prefixes are the EIN prefixes in use: the ones known to have been issued and
// those of the organizations here, except the ones known from filed EINs alone.
func (u *Universe) Prefixes() ein.Prefixes { return u.prefixes }

// Named counts the organizations, anywhere, that bear the name with this key.
// It counts no further than two, which is all that anyone asks.
func (u *Universe) Named(kx string) int {
	first, n := uint32(0), 0
	for _, e := range u.names.find(kx) {
		if n == 0 {
			first, n = e.id, 1
		} else if e.id != first {
			return 2
		}
	}
	return n
}

// Bears reports whether an organization goes by the name with this key.
func (u *Universe) Bears(e ein.EIN, kx string) bool {
	i, ok := u.position(e)
	if !ok {
		return false
	}
	for _, entry := range u.names.find(kx) {
		if int(entry.id) == i {
			return true
		}
	}
	return false
}

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
	alias bool // not the organization's own name but another it is known by
}

// stateCode is a two-letter state packed into a number; 0 for none.
type stateCode uint16

func codeOf(state string) stateCode {
	if len(state) != 2 || state[0] < 'A' || state[0] > 'Z' || state[1] < 'A' || state[1] > 'Z' {
		return 0
	}
	return stateCode(state[0])<<8 | stateCode(state[1])
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
		// Nearly every bucket has a few entries; some names are borne by
		// thousands.
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
	lo, _ := slices.BinarySearchFunc(entries, state, func(e nameEntry, s stateCode) int { return int(e.state) - int(s) })
	hi := lo
	for hi < len(entries) && entries[hi].state == state {
		hi++
	}
	return entries[lo:hi]
}

// hashKey is FNV-1a with a finishing mix, so that the top bits are as good as
// the low ones. It is fixed: the same key has the same place in every build.
func hashKey(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// arena packs many short strings into few allocations. The builder keeps
// millions of names for the whole build; one allocation each would burden the
// collector for nothing.
type arena struct {
	b strings.Builder
}

const arenaChunk = 1 << 20

func (a *arena) keep(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > arenaChunk/16 {
		return strings.Clone(s)
	}
	if a.b.Cap()-a.b.Len() < len(s) {
		a.b = strings.Builder{}
		a.b.Grow(arenaChunk)
	}
	at := a.b.Len()
	a.b.WriteString(s)
	return a.b.String()[at:]
}
