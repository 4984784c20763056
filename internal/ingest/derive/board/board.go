// Package board finds organizations whose boards share people.
//
// Returns name officers and directors but do not identify them, so a shared name is evidence, not proof. Its strength
// depends on how rare the name is: the expected number of people with that name in the region, from the frequencies
// of first and last names in the returns. All shared names of a pair of organizations combine into one confidence.
//
// Names are used to compute the links but are not stored in them.
package board

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/hashtable"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

// Thresholds for the evidence.
const (
	maxSeats    = 200 // a name at more organizations than this is ignored
	largeBoard  = 60  // a board with more people than this is a member list
	sharedFrom  = .5  // least probability that a shared name is a shared person
	possibly    = .1  // least probability that it may be a shared person
	keptFrom    = .1  // least confidence at which a link is kept
	sameMiddle  = .25 // factors on the number of other holders of the name
	otherMiddle = 8
	sameTown    = .3
	otherState  = 2
)

// Builder gathers the seats of people on boards.
type Builder struct {
	people      *classify.People
	orgs        map[ein.EIN]uint32 // position in places
	places      []site
	states      hashtable.Texts
	cities      hashtable.Texts
	first, last hashtable.Texts
	seats       []seat
}

// site is the place of an organization; a part that is zero is unknown.
type site struct {
	ein   ein.EIN
	state uint32
	city  uint32
	zip3  uint16 // the number plus one
}

// seat is one name on one board, in 16 bytes.
type seat struct {
	name       uint64 // first and last, by number
	org        uint32
	middle     byte
	generation uint8
}

// New makes an empty builder. people distinguishes persons from organizations that are named as officers; it may be nil.
func New(people *classify.People) *Builder {
	return &Builder{people: people, orgs: make(map[ein.EIN]uint32)}
}

// AddOrg records where an organization is. Add all organizations before any officer; seats of an organization without
// a place are skipped.
func (b *Builder) AddOrg(e ein.EIN, state, city, zip5 string) {
	s := site{ein: e}
	if state != "" {
		s.state = b.states.Number(state)
		if city = orgname.City(city); city != "" {
			s.city = b.cities.Number(state + " " + city)
		}
	}
	if len(zip5) == 5 {
		n := uint16(0)
		for _, c := range []byte(zip5[:3]) {
			n = n*10 + uint16(c-'0')
		}
		s.zip3 = n + 1
	}
	b.orgs[e] = uint32(len(b.places))
	b.places = append(b.places, s)
}

// AddOfficer records that a return of e lists this name among its officers. It reports whether the name is a person's.
func (b *Builder) AddOfficer(e ein.EIN, name string) bool {
	org, ok := b.orgs[e]
	if !ok {
		return false
	}
	p, ok := parse(name)
	if !ok {
		return false
	}
	odds := b.people.LogOdds(name)
	if odds < -2 || odds < 2 && b.people.HasOrgWord(name) {
		return false
	}
	s := seat{uint64(b.first.Number(p.first))<<32 | uint64(b.last.Number(p.last)), org, p.middle, p.generation}
	// The same officers appear every year, so compare with those of the previous return first.
	if !slices.Contains(b.seats[max(0, len(b.seats)-64):], s) {
		b.seats = append(b.seats, s)
	}
	return true
}

// hit is the evidence of one name for one pair of nodes.
type hit struct {
	pair uint64
	p    float64
}

// Links yields the pairs of organizations that share people, sorted. head returns the largest member of an
// organization's family. A family counts as one board, listed under that member or, if it lists no people, under the
// smallest EIN that does. Nothing may be added after Links.
func (b *Builder) Links(head func(ein.EIN) ein.EIN) iter.Seq[snapshot.BoardLink] {
	slices.SortFunc(b.seats, func(x, y seat) int {
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.org, y.org), cmp.Compare(x.middle, y.middle), cmp.Compare(x.generation, y.generation))
	})
	b.seats = slices.Compact(b.seats)
	nodes := b.collapse(head)
	c := b.countNames()

	people := make([]int32, len(nodes.at)) // names on each board
	var hits []hit
	var group []member
	for seats := range radix.Runs(b.seats, func(x, y seat) bool { return x.name == y.name }) {
		group = group[:0]
		for i := range seats {
			s := &seats[i]
			group = append(group, member{nodes.of[s.org], s.middle, s.generation, &b.places[s.org]})
		}
		slices.SortStableFunc(group, func(x, y member) int { return cmp.Compare(x.node, y.node) })
		boards := 0
		for i := range group {
			if i == 0 || group[i].node != group[i-1].node {
				boards++
				people[group[i].node]++
			}
		}
		if boards > 1 && boards <= maxSeats {
			hits = c.compare(hits, seats[0].name, group)
		}
	}
	b.seats = nil
	// Sort by probability too, because the product of floating-point numbers depends on their order.
	slices.SortFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.pair, y.pair), cmp.Compare(x.p, y.p))
	})
	return func(yield func(snapshot.BoardLink) bool) {
		for of := range radix.Runs(hits, func(a, b hit) bool { return a.pair == b.pair }) {
			x, y := uint32(of[0].pair>>32), uint32(of[0].pair)
			link := weigh(of, people[x] > largeBoard && people[y] > largeBoard)
			if link.Conf < keptFrom {
				continue
			}
			a, z := &b.places[nodes.at[x]], &b.places[nodes.at[y]]
			link.E1, link.E2 = a.ein.String(), z.ein.String()
			link.SameState = a.state != 0 && a.state == z.state
			if !yield(link) {
				return
			}
		}
	}
}

func weigh(hits []hit, large bool) (link snapshot.BoardLink) {
	none := 1.0
	for _, h := range hits {
		none *= 1 - h.p
		if h.p >= sharedFrom {
			link.SharedPeople++
		} else {
			link.PossibleSharedPeople++
		}
	}
	link.Conf = 1 - none
	if large {
		link.Conf *= .5
	}
	if len(hits) == 1 && hits[0].p < .7 {
		link.Conf *= .7
	}
	link.Conf = math.Round(link.Conf*1e4) / 1e4
	return link
}

// collapsed maps organizations to boards; a family has one board.
type collapsed struct {
	of []uint32 // the board of each organization; boards are sorted by EIN
	at []uint32 // the organization under which each board is listed
}

func (b *Builder) collapse(head func(ein.EIN) ein.EIN) collapsed {
	seated := make([]bool, len(b.places))
	for i := range b.seats {
		seated[b.seats[i].org] = true
	}
	// List each family's board under its head if the head has seats, otherwise under the smallest EIN that has.
	under := make(map[ein.EIN]uint32)
	heads := make([]ein.EIN, len(b.places))
	for i := range b.places {
		if !seated[i] {
			continue
		}
		h := head(b.places[i].ein)
		heads[i] = h
		at, ok := under[h]
		if !ok || b.places[at].ein != h && (b.places[i].ein == h || b.places[i].ein < b.places[at].ein) {
			under[h] = uint32(i)
		}
	}
	c := collapsed{of: make([]uint32, len(b.places))}
	for i := range b.places {
		if seated[i] && under[heads[i]] == uint32(i) {
			c.at = append(c.at, uint32(i))
		}
	}
	slices.SortFunc(c.at, func(x, y uint32) int { return cmp.Compare(b.places[x].ein, b.places[y].ein) })
	number := make([]uint32, len(b.places))
	for n, i := range c.at {
		number[i] = uint32(n)
	}
	for i := range b.places {
		if seated[i] {
			c.of[i] = number[under[heads[i]]]
		}
	}
	return c
}
