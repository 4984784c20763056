package profile

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/radix"
	"grantgraph/internal/serve/search"
)

// Nearest finds the organizations that are nearest in meaning, best first; *search.Index does if it has vectors.
type Nearest interface {
	NearestTo(org uint32, k int) []search.Near
}

// Shared is an organization that has funders or recipients in common with another. Weight is their share among those of the
// other, from 0 to 1; those with few connections count for more.
type Shared struct {
	EIN    ein.EIN
	Count  int
	Weight float64
}

// Signals are evidence of similarity from outside the index.
type Signals struct {
	Funders    []Shared // organizations that share its funders
	Recipients []Shared // organizations that share its recipients
	Meaning    Nearest  // nil if meaning is not available
}

const (
	SameCounty = "county"
	SameState  = "state"
)

// Similar is an organization that resembles another, and the reasons.
type Similar struct {
	EIN              ein.EIN
	Name             string
	City, State      string
	Score            float64 // 0 to 1
	SharedFunders    int
	SharedRecipients int
	Cause            string  // NTEE code or letter that both have
	Meaning          float64 // cosine, 0 if unknown
	Place            string  // SameCounty, SameState or empty
	SizeRatio        float64 // the smaller revenue over the larger, 0 if unknown
}

// Resembling is the result of a search for similar organizations.
type Resembling struct {
	List    []Similar // best first
	Total   int       // candidates with any resemblance
	Meaning bool      // meaning was compared
}

const (
	weightShared  = 0.40
	weightMeaning = 0.30
	weightCause   = 0.16
	weightPlace   = 0.09
	weightSize    = 0.05
)

const (
	mostNear  = 200 // by meaning
	mostPeers = 200 // of the same cause and place
	// MaxSimilar bounds the organizations found for one organization.
	MaxSimilar = 500
)

const leastScore = 0.05

// Similar finds organizations that resemble one, by shared funders or recipients, cause, meaning, place and size. Candidates
// share funders, are near in meaning, or have the same cause in the same place.
func (x *Index) Similar(e ein.EIN, by Signals) (r Resembling, known bool) {
	if x.Begin() != nil {
		return r, false
	}
	defer x.End()
	org, known := numberOf(x.facts, e)
	if !known {
		return r, false
	}
	found := map[uint32]*Similar{}
	at := func(other uint32) *Similar {
		s := found[other]
		if s == nil {
			s = &Similar{EIN: ein.EIN(x.facts[other].EIN)}
			found[other] = s
		}
		return s
	}
	shared := map[uint32]float64{}
	each := func(list []Shared, take func(*Similar, int)) {
		for _, s := range list {
			if other, known := numberOf(x.facts, s.EIN); known && other != org {
				take(at(other), s.Count)
				shared[other] = max(shared[other], s.Weight)
			}
		}
	}
	each(by.Funders, func(s *Similar, n int) { s.SharedFunders = n })
	each(by.Recipients, func(s *Similar, n int) { s.SharedRecipients = n })
	if by.Meaning != nil {
		near := by.Meaning.NearestTo(org, mostNear)
		r.Meaning = len(near) > 0 // false if the organization has no text
		for _, n := range near {
			if n.Org != org && int(n.Org) < len(x.facts) {
				at(n.Org).Meaning = float64(n.Cosine)
			}
		}
	}
	for _, peer := range x.peersOf(org) {
		at(peer)
	}
	self := &x.facts[org]
	total := weightCause + weightPlace + weightSize
	if len(shared) > 0 {
		total += weightShared
	}
	if r.Meaning {
		total += weightMeaning
	}
	list := make([]uint32, 0, len(found))
	for other, s := range found {
		f := &x.facts[other]
		cause, place, size := self.likeness(f, s)
		score := weightShared*shared[other] + weightMeaning*max(0, s.Meaning) + weightCause*cause + weightPlace*place + weightSize*size
		if !r.Meaning {
			score -= weightMeaning * max(0, s.Meaning)
		}
		if s.Score = math.Round(score/total*10_000) / 10_000; s.Score >= leastScore {
			list = append(list, other)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int { return cmp.Or(cmp.Compare(found[b].Score, found[a].Score), cmp.Compare(a, b)) })
	r.Total = min(len(list), MaxSimilar)
	for _, other := range list[:r.Total] {
		s := found[other]
		id := first(&x.identity, other)
		s.Name, s.City, s.State = id.Name, id.City, id.State
		r.List = append(r.List, *s)
	}
	return r, true
}

func (f *fact) code() ntee.Code {
	return ntee.Code(bytes.TrimRight(f.NTEE[:], "\x00"))
}

func (f *fact) cause() byte { return f.code().Major() }

// likeness compares cause, place and size from 0 to 1, and notes in to what is shared.
func (f *fact) likeness(o *fact, to *Similar) (cause, place, size float64) {
	a, b := f.code(), o.code()
	switch {
	case a.Major() == 0 || a.Major() != b.Major():
	case a == b:
		cause, to.Cause = 1, string(a)
	default:
		cause, to.Cause = 0.6, string(rune(a.Major()))
	}
	switch {
	case f.State == [2]byte{} || f.State != o.State:
	case f.County != 0 && f.County == o.County:
		place, to.Place = 1, SameCounty
	default:
		place, to.Place = 0.5, SameState
	}
	if f.HasRevenue != 0 && o.HasRevenue != 0 && f.Revenue > 0 && o.Revenue > 0 {
		ratio := float64(min(f.Revenue, o.Revenue)) / float64(max(f.Revenue, o.Revenue))
		to.SizeRatio = math.Round(ratio*10_000) / 10_000
		size = max(0, 1+math.Log10(ratio)/2) // 0 from a ratio of one to a hundred
	}
	return cause, place, size
}

func compareFacts(a, b *fact) int {
	return cmp.Or(cmp.Compare(a.cause(), b.cause()), slices.Compare(a.State[:], b.State[:]), cmp.Compare(a.County, b.County), cmp.Compare(a.Revenue, b.Revenue))
}

func peersOf(facts []fact) []uint32 {
	var list []radix.Item
	for i := range facts {
		if f := &facts[i]; f.cause() != 0 && f.State != [2]byte{} {
			list = append(list, radix.Item{Key: radix.Rising(f.Revenue), Of: uint32(i)})
		}
	}
	radix.Sort(list)
	for i := range list {
		f := &facts[list[i].Of]
		list[i].Key = uint64(f.cause())<<48 | uint64(f.State[0])<<40 | uint64(f.State[1])<<32 | uint64(f.County)
	}
	radix.Sort(list)
	return radix.Numbers(list)
}

// peersOf lists organizations of the same cause near in place and size, of a small county also those of the next.
func (x *Index) peersOf(org uint32) []uint32 {
	f := &x.facts[org]
	if f.cause() == 0 || f.State == [2]byte{} {
		return nil
	}
	i, _ := slices.BinarySearchFunc(x.peers, org, func(a, b uint32) int { return cmp.Or(compareFacts(&x.facts[a], &x.facts[b]), cmp.Compare(a, b)) })
	near := x.peers[max(0, i-mostPeers/2):min(len(x.peers), i+mostPeers/2)]
	var list []uint32
	for _, p := range near {
		if o := &x.facts[p]; p != org && o.cause() == f.cause() && o.State == f.State {
			list = append(list, p)
		}
	}
	return list
}
