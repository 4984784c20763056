package directory

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/screen"
)

// condition is one part of a filter. It is a stored set, or else a function that fills a set and a test of one organization.
type condition struct {
	size int // upper bound of the organizations that meet it

	stored Set  // nil if there is none
	not    bool // the condition is met outside the stored set

	fill func(Set) // adds the organizations that meet it to an empty set
	has  func(org uint32) bool
}

// fewPart decides when the remaining organizations are tested one by one: a test costs as much as fifty members of a list.
const fewPart = 512

// Select returns the set of the organizations that a filter wants, and their number.
// Standing may be nil if the filter does not use it. Give the set back with Release.
func (x *Index) Select(f *Filter, st *screen.Standing) (Set, int, error) {
	if err := x.Begin(); err != nil {
		return nil, 0, err
	}
	defer x.End()
	return x.selected(f, st)
}

func (x *Index) Release(s Set) { x.sets.give(s) }

func (x *Index) selected(f *Filter, st *screen.Standing) (Set, int, error) {
	conditions, err := x.conditions(f, st)
	if err != nil {
		return nil, 0, err
	}
	n := len(x.eins)
	set := x.sets.borrow(wordsFor(n))
	if len(conditions) == 0 {
		set.fill(n)
		return set, n, nil
	}
	// The most selective conditions come first, and stored sets before sets to be made.
	slices.SortStableFunc(conditions, func(a, b condition) int { return cmp.Compare(a.size, b.size) })
	first := conditions[0]
	switch {
	case first.size == 0:
		return set, 0, nil
	case first.stored == nil:
		first.fill(set)
	case first.not:
		set.fill(n)
		set.subtract(first.stored)
	default:
		copy(set, first.stored)
	}
	rest := conditions[1:]
	for i := range rest {
		switch c := &rest[i]; {
		case c.stored == nil:
		case c.not:
			set.subtract(c.stored)
		default:
			set.intersect(c.stored)
		}
	}
	count := set.Count()
	for i := range rest {
		c := &rest[i]
		if c.stored != nil || count == 0 {
			continue
		}
		if count <= n/fewPart {
			set.keep(c.has)
		} else {
			other := x.sets.borrow(len(set))
			c.fill(other)
			set.intersect(other)
			x.sets.give(other)
		}
		count = set.Count()
	}
	return set, count, nil
}

func (x *Index) conditions(f *Filter, st *screen.Standing) (list []condition, err error) {
	each := func(d *dimension, values []string) {
		if len(values) == 0 {
			return
		}
		spans := make([]span, len(values))
		for i, v := range values {
			spans[i].lo, spans[i].hi = d.values.find(v)
		}
		list = append(list, d.among(spans))
	}
	each(&x.state, f.States)
	each(&x.county, f.Counties)
	each(&x.form, f.ReturnTypes)
	each(&x.subsection, f.Subsections)
	each(&x.foundation, f.FoundationCodes)
	each(&x.groups, f.Groups)
	each(&x.accepts, f.Accepts)
	if len(f.ZIPs) > 0 {
		spans := make([]span, len(f.ZIPs))
		for i, z := range f.ZIPs {
			if spans[i].lo, spans[i].hi = x.zip.values.find(z); len(z) == 3 {
				spans[i].lo, spans[i].hi = x.zip.values.begins(z)
			}
		}
		list = append(list, x.zip.among(spans))
	}
	if len(f.Cities) > 0 {
		list = append(list, x.inCities(f.Cities))
	}
	for i := range f.Causes {
		list = append(list, x.ofCauses(&f.Causes[i]))
	}
	for _, r := range []struct {
		g  *figure
		of Range
	}{{&x.revenue, f.Revenue}, {&x.assets, f.Assets}, {&x.expenses, f.Expenses}, {&x.grants, f.GrantsPaid}, {&x.ruling, f.RulingYear}} {
		if !r.of.Empty() {
			list = append(list, r.g.between(r.of))
		}
	}
	if !f.Standing() {
		return list, nil
	}
	if st == nil {
		return nil, fmt.Errorf("directory: the filter asks for lists that are not there")
	}
	for _, s := range []struct {
		is  *bool
		set []uint64
	}{{f.Pub78, st.Pub78}, {f.Revoked, st.Revoked}, {f.InBMF, st.InBMF}} {
		if s.is == nil {
			continue
		}
		if len(s.set) != wordsFor(len(x.eins)) {
			return nil, fmt.Errorf("directory: the filter asks for a list that is out of service or of other organizations")
		}
		c := condition{stored: s.set, not: !*s.is, size: Set(s.set).Count()}
		if c.not && s.is == f.InBMF && st.Partial {
			c = condition{stored: make([]uint64, len(s.set))} // of nobody is it known
		}
		if c.not {
			c.size = len(x.eins) - c.size
		}
		list = append(list, c)
	}
	return list, nil
}

func (x *Index) inCities(cities []City) condition {
	var anywhere []span
	states := map[uint32][]uint32{} // codes of states by the code of a city
	c := condition{}
	for _, v := range cities {
		lo, hi := x.city.values.find(v.Name)
		if lo == hi {
			continue
		}
		if v.State == "" {
			anywhere = append(anywhere, span{lo, hi})
			continue
		}
		if at, end := x.state.values.find(v.State); at != end {
			if len(states[hi]) == 0 {
				c.size += len(x.city.list(lo, hi))
			}
			states[hi] = append(states[hi], end) // a code is the position plus one
		}
	}
	all := x.city.among(anywhere)
	c.size = min(c.size+all.size, len(x.eins))
	c.has = func(org uint32) bool {
		if all.has(org) {
			return true
		}
		in := states[x.city.codes[org]]
		return len(in) > 0 && slices.Contains(in, x.state.codes[org])
	}
	c.fill = func(set Set) {
		all.fill(set)
		for city, in := range states {
			for _, org := range x.city.list(city-1, city) {
				if slices.Contains(in, x.state.codes[org]) {
					set[org>>6] |= 1 << (org & 63)
				}
			}
		}
	}
	return c
}

// ofCauses is the condition that a code belongs to a subject: all codes with one beginning are one span.
func (x *Index) ofCauses(s *ntee.Subject) condition {
	var letters, codes []span
	for _, it := range s.Items {
		if it.Kind == ntee.Prefix {
			lo, hi := x.ntee.values.begins(string(it.Prefix))
			codes = append(codes, span{lo, hi})
			continue
		}
		for letter := range byte(26) {
			if it.Majors>>letter&1 != 0 {
				lo, hi := x.letter.values.find(string(rune('A' + letter)))
				letters = append(letters, span{lo, hi})
			}
		}
	}
	return either(x.letter.among(letters), x.ntee.among(codes))
}

func either(a, b condition) condition {
	if a.size == 0 {
		return b
	}
	if b.size == 0 {
		return a
	}
	return condition{
		size: a.size + b.size,
		fill: func(set Set) { a.fill(set); b.fill(set) },
		has:  func(org uint32) bool { return a.has(org) || b.has(org) },
	}
}

// Set is a set of organizations: the bit of number i is bit i%64 of word i/64.
type Set []uint64

func wordsFor(n int) int { return (n + 63) / 64 }

func (s Set) has(org uint32) bool { return s[org>>6]>>(org&63)&1 != 0 }

func (s Set) add(orgs []uint32) {
	for _, o := range orgs {
		s[o>>6] |= 1 << (o & 63)
	}
}

func (s Set) remove(orgs []uint32) {
	for _, o := range orgs {
		s[o>>6] &^= 1 << (o & 63)
	}
}

func (s Set) union(other Set) {
	for i, w := range other {
		s[i] |= w
	}
}

func (s Set) intersect(other Set) {
	for i, w := range other {
		s[i] &= w
	}
}

func (s Set) subtract(other Set) {
	for i, w := range other {
		s[i] &^= w
	}
}

func (s Set) Count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s Set) countBoth(other Set) (n int) {
	for i, w := range other {
		n += bits.OnesCount64(s[i] & w)
	}
	return n
}

func (s Set) keep(holds func(uint32) bool) {
	for i, w := range s {
		for rest := w; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			if !holds(uint32(i<<6 + bit)) {
				w &^= 1 << bit
			}
		}
		s[i] = w
	}
}

func (s Set) fill(n int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if last := n & 63; last != 0 {
		s[len(s)-1] = 1<<last - 1
	}
}

// freeSets keeps a few sets for reuse, which would be garbage after every question.
type freeSets struct {
	mu   sync.Mutex
	list []Set
}

const mostFree = 8

func (f *freeSets) borrow(words int) Set {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.list); n > 0 {
		s := f.list[n-1]
		f.list = f.list[:n-1]
		clear(s)
		return s
	}
	return make(Set, words)
}

func (f *freeSets) give(s Set) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) < mostFree {
		f.list = append(f.list, s)
	}
}
