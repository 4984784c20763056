package recipient

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/snapshot"
)

// Sources of a recipient's name, best first.
const (
	OwnFiled = "own_filed" // the recipient's latest return
	Register = "bmf"       // the master file or another public list
	Filed    = "filed"     // the name that funders use
)

var authority = map[string]int{OwnFiled: 3, Register: 2, Filed: 1}

// Names finds the name of every recipient with an EIN. Add all grants first, then the known names of organizations;
// Names keeps only what concerns a recipient.
type Names struct {
	listed func(ein.EIN) bool
	paid   []recipient
	at     places                       // of the recipients in paid
	seen   set                          // spellings
	called map[ein.EIN]map[string]int32 // counts of spellings, only for recipients on no list

	// The most recently added recipient and its name.
	last       ein.EIN
	lastName   string
	lastAt     int
	lastCalled map[string]int32
}

type recipient struct {
	ein       ein.EIN
	spellings int32
	authority int
	name      string
}

// NewNames makes an empty Names. listed reports which EINs will get a known name later; for those, spellings are
// counted but not kept.
func NewNames(listed func(ein.EIN) bool) *Names {
	return &Names{listed: listed, called: make(map[ein.EIN]map[string]int32)}
}

// AddSpelling records that a grant line uses a name for the recipient e. Lines of one recipient are mostly adjacent
// and use the same name.
func (n *Names) AddSpelling(e ein.EIN, name string) {
	if e == ein.None {
		return
	}
	known := e == n.last && name == n.lastName
	if e != n.last {
		n.last, n.lastAt = e, n.recipient(e)
		n.lastCalled = n.called[e]
	}
	n.lastName = name
	if !known && n.seen.add(uint32(e), name) {
		n.paid[n.lastAt].spellings++
	}
	if n.lastCalled != nil {
		n.lastCalled[name]++
	}
}

// recipient is the position of the recipient e, which is added if new.
func (n *Names) recipient(e ein.EIN) int {
	at, ok := n.at.find(e, len(n.paid))
	if !ok {
		n.paid = append(n.paid, recipient{ein: e})
		if !n.listed(e) {
			n.called[e] = make(map[string]int32)
		}
	}
	return at
}

// AddKnownName records the name that a source gives an organization. The best source wins; among equal sources, the
// first.
func (n *Names) AddKnownName(e ein.EIN, name, source string) {
	at, ok := n.at.find(e, none)
	if !ok || name == "" || authority[source] <= n.paid[at].authority {
		return
	}
	n.paid[at].name, n.paid[at].authority = name, authority[source]
}

// Rows yields the recipients in the order of their EINs. Nothing may be added
// afterwards.
func (n *Names) Rows() iter.Seq[snapshot.RecipientName] {
	slices.SortFunc(n.paid, func(a, b recipient) int { return cmp.Compare(a.ein, b.ein) })
	return func(yield func(snapshot.RecipientName) bool) {
		for i := range n.paid {
			r := &n.paid[i]
			row := snapshot.RecipientName{EIN: r.ein.String(), Name: r.name, Source: Filed, Spellings: r.spellings}
			switch r.authority {
			case authority[OwnFiled]:
				row.Source = OwnFiled
			case authority[Register]:
				row.Source = Register
			case 0:
				row.Name = UsualSpelling(n.called[r.ein])
			}
			if !yield(row) {
				return
			}
		}
	}
}

// UsualSpelling is the most frequent spelling, then the longest, then the first in alphabetical order.
func UsualSpelling(called map[string]int32) string {
	var best string
	for _, name := range slices.Sorted(maps.Keys(called)) {
		if best == "" || cmp.Or(cmp.Compare(called[name], called[best]), cmp.Compare(len(name), len(best))) > 0 {
			best = name
		}
	}
	return best
}

// set holds pairs of an EIN and a name as hashes, in a table without pointers, at ten bytes per spelling. The hash
// never changes, so a collision would occur in every build alike.
type set struct {
	table []uint64 // open addressing; 0 is empty
	n     int
}

// add reports whether the pair is new.
func (s *set) add(e uint32, name string) bool {
	if s.n*4 >= len(s.table)*3 {
		old := s.table
		s.table = make([]uint64, max(1<<10, 2*len(old)))
		for _, h := range old {
			if h != 0 {
				s.table[s.find(h)] = h
			}
		}
	}
	h := (hash.Of(name) ^ uint64(e)*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	h ^= h >> 32
	h = max(h, 1)
	i := s.find(h)
	if s.table[i] == h {
		return false
	}
	s.table[i] = h
	s.n++
	return true
}

func (s *set) find(h uint64) uint64 {
	mask := uint64(len(s.table) - 1)
	i := h & mask
	for s.table[i] != 0 && s.table[i] != h {
		i = (i + 1) & mask
	}
	return i
}

// places maps EINs to positions in a list, in a table without pointers. Nearly every grant needs a lookup.
type places struct {
	table []uint64 // open addressing: an EIN, and its place plus one; 0 is empty
	n     int
}

// none marks a missing position.
const none = -1

// find is the position of e. If e is new and place is not none, e gets that place.
func (p *places) find(e ein.EIN, place int) (at int, ok bool) {
	if p.n*4 >= len(p.table)*3 {
		p.grow()
	}
	i := p.slot(e)
	if p.table[i] != 0 {
		return int(uint32(p.table[i])) - 1, true
	}
	if place != none {
		p.table[i] = uint64(e)<<32 | uint64(place+1)
		p.n++
	}
	return place, false
}

// slot is the entry of e, or the free entry where e belongs.
func (p *places) slot(e ein.EIN) uint64 {
	mask := uint64(len(p.table) - 1)
	i := uint64(e) * 0x9e3779b97f4a7c15 >> 32 & mask
	for p.table[i] != 0 && ein.EIN(p.table[i]>>32) != e {
		i = (i + 1) & mask
	}
	return i
}

func (p *places) grow() {
	old := p.table
	p.table = make([]uint64, max(1<<10, 2*len(old)))
	for _, entry := range old {
		if entry != 0 {
			p.table[p.slot(ein.EIN(entry>>32))] = entry
		}
	}
}
