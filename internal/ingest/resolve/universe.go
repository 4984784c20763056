package resolve

import (
	"iter"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

// Source is a set of lists that contain an organization.
type Source uint8

// The sources, in order of authority: a later source never changes what an earlier one says. They are the bits in the
// table of organizations.
const (
	BMF       Source = snapshot.SourceBMF     // the current master file
	OldBMF    Source = snapshot.SourceOldBMF  // an earlier posting of it
	Filer     Source = snapshot.SourceFiler   // the header of an e-filed return
	Pub78     Source = snapshot.SourcePub78   // the list of eligible donees
	Revoked   Source = snapshot.SourceRevoked // the automatic revocation list
	FiledOnly Source = snapshot.SourceFunders // known only from EINs filed on grant lines
)

// rank is the authority of the strongest source in the set; lower is stronger.
func (s Source) rank() int { return bits.TrailingZeros8(uint8(s)) }

// Location is a US mailing address: the state in two letters, the ZIP in five digits, each empty when not known.
type Location struct{ Street, City, State, ZIP5 string }

type Org struct {
	EIN     ein.EIN
	Name    string
	Aliases []string // other names it has used or trades under, in byte order
	Street  string
	City    string
	State   string
	ZIP5    string
	Others  []Location // other addresses it has given

	// SortName is the second name line of the master file: a chapter, a trade name or a person. Lines are looked up
	// by names formed from it. It is never shown, because it may name a person.
	SortName string

	NTEE, Subsection, Foundation, Affiliation, Group string
	Revenue                                          int64 // 0 when not known

	// Fields that only the current master file has.
	Deductible, FilingReq string
	Ruling, LastPeriod    int32 // YYYYMM, 0 when not known

	// Other current and former names; nil if none are known. They are only for display: lines are looked up by
	// Aliases, which holds all names.
	Known *KnownNames

	Sources Source
	Active  bool
	Pop     int32 // distinct funders that filed this EIN

	// AsOf orders statements of one source about one organization, such as the returns of several years: the greatest
	// is the latest. The scale is up to the source.
	AsOf int32
}

// KnownNames are the names of an organization that differ from its own name, and from each other, by more than spelling.
type KnownNames struct {
	Also   []string // trade names and names on current lists
	Former []string // from earlier returns and master files, latest first
}

// Universe is the set of organizations a line can be resolved to, and the index of their names. It does not
// change once built and is safe for concurrent use.
type Universe struct {
	orgs     []Org     // in EIN order
	eins     []ein.EIN // EINs of orgs, kept apart for fast search
	einsAt   []uint32  // by block of EINs, where the block starts in eins
	prefixes ein.Prefixes
	names    nameIndex
	crowds   crowds
	index    orgIndex
	registry registry
	covered  map[stateCode]bool // states whose register is largely loaded
	pairs    []uint64           // EINs filed and the funders that filed them, sorted
	searches searches
}

func (u *Universe) filedBy(e, funder ein.EIN) bool {
	_, ok := slices.BinarySearch(u.pairs, uint64(e)<<32|uint64(funder))
	return ok
}

// Funders counts the distinct funders that filed an EIN, whether or not the EIN is in the universe.
func (u *Universe) Funders(e ein.EIN) int32 {
	lo, _ := slices.BinarySearch(u.pairs, uint64(e)<<32)
	hi, _ := slices.BinarySearch(u.pairs, (uint64(e)+1)<<32)
	return int32(hi - lo)
}

func (u *Universe) Lookup(e ein.EIN) (*Org, bool) {
	i, ok := u.position(e)
	if !ok {
		return nil, false
	}
	return &u.orgs[i], true
}

// position finds the position of an organization in EIN order.
func (u *Universe) position(e ein.EIN) (int, bool) {
	block := int(e >> einBlock)
	if block+1 >= len(u.einsAt) {
		return len(u.eins), false
	}
	from, to := u.einsAt[block], u.einsAt[block+1]
	i, ok := slices.BinarySearch(u.eins[from:to], e)
	return int(from) + i, ok
}

// einBlock is the number of low bits of an EIN within a block. Few of a block's thousand EINs are in use.
const einBlock = 10

// indexEINs builds the lookup from an EIN to its organization.
func (u *Universe) indexEINs() {
	u.eins = make([]ein.EIN, len(u.orgs))
	last := ein.None
	for i := range u.orgs {
		u.eins[i] = u.orgs[i].EIN
		last = u.eins[i]
	}
	u.einsAt = make([]uint32, last>>einBlock+2)
	for _, e := range u.eins {
		u.einsAt[e>>einBlock+1]++
	}
	addUp(u.einsAt)
}

func (u *Universe) Len() int { return len(u.orgs) }

// All yields every organization in EIN order.
func (u *Universe) All() iter.Seq[*Org] { return u.Between(0, len(u.orgs)) }

// Between yields the organizations from one place in EIN order to another.
func (u *Universe) Between(from, to int) iter.Seq[*Org] {
	return func(yield func(*Org) bool) {
		for i := from; i < to; i++ {
			if !yield(&u.orgs[i]) {
				return
			}
		}
	}
}

// Prefixes are the EIN prefixes in use: those known to have been issued, and those of organizations in the universe
// except the ones known only from filed EINs.
func (u *Universe) Prefixes() ein.Prefixes { return u.prefixes }

// Named counts the organizations in the country that have the name with this key, up to two.
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

// Bears reports whether an organization has a name with this key.
func (u *Universe) Bears(e ein.EIN, kx string) bool {
	i, ok := u.position(e)
	return ok && slices.ContainsFunc(u.names.find(kx), func(entry nameEntry) bool { return int(entry.id) == i })
}

// stateCode is a two-letter state packed into a number; 0 for none.
type stateCode uint16

func codeOf(state string) stateCode {
	if len(state) != 2 || state[0] < 'A' || state[0] > 'Z' || state[1] < 'A' || state[1] > 'Z' {
		return 0
	}
	return stateCode(state[0])<<8 | stateCode(state[1])
}

// arena packs many short strings into few allocations. The builder keeps millions of names for the whole build;
// separate allocations would slow the garbage collector.
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
		size := max(2*a.b.Cap(), arenaChunk/64, len(s))
		a.b = strings.Builder{}
		a.b.Grow(min(size, arenaChunk))
	}
	at := a.b.Len()
	a.b.WriteString(s)
	return a.b.String()[at:]
}

func (c stateCode) String() string {
	if c == 0 {
		return ""
	}
	return stateNames[c]
}

// stateNames keeps one string per two-letter code, so that organizations share them.
var stateNames = func() map[stateCode]string {
	m := map[stateCode]string{}
	for a := byte('A'); a <= 'Z'; a++ {
		for b := byte('A'); b <= 'Z'; b++ {
			s := string([]byte{a, b})
			m[codeOf(s)] = s
		}
	}
	return m
}()
