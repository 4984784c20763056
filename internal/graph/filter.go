package graph

import (
	"math"
	"slices"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
)

// cond is one condition over rows. It is either a union of stored sets, or a
// list of rows that can be enumerated, or only a test.
type cond struct {
	not     bool
	bound   int64                   // no more rows than this satisfy it
	sets    []bitset                // stored sets whose union it is
	stored  bool                    // sets says it all
	ranges  []span                  // row ranges, ascending and apart
	scatter func(to bitset)         // adds its rows to a set; nil when only test is cheap
	gather  func([]uint32) []uint32 // appends its rows, in any order, perhaps repeated
	test    func(row uint32) bool
	ranks   span          // for a condition on amounts
	funders func() bitset // for a condition on funders: those whose rows it is
	years   uint64        // for a condition on years: their mask
}

// span is a range of rows.
type span struct{ lo, hi uint32 }

// nothing is the condition that no row satisfies.
func nothing() cond { return cond{stored: true, test: func(uint32) bool { return false }} }

func (g *Graph) union(sets ...bitset) cond {
	return cond{bound: int64(g.rows), sets: sets, stored: true, test: func(row uint32) bool {
		for _, s := range sets {
			if s.has(row) {
				return true
			}
		}
		return false
	}}
}

// compile turns a filter into conditions that all must hold. reach is the set
// of funders that an area_served place selects.
func (g *Graph) compile(f *Filter, reach bitset) []cond {
	var all []cond
	add := func(c cond) {
		if c.stored && !c.not && len(c.sets) == 0 {
			c = nothing() // a union of no sets
		}
		all = append(all, c)
	}
	if len(f.Funders) > 0 {
		add(g.funderCond(f.Funders))
	}
	if len(f.Recipients) > 0 {
		add(g.recipCond(g.recipsOf(f.Recipients)))
	}
	if c, ok := g.yearCond(f.Years); ok {
		add(c)
	}
	if !f.Subject.Empty() {
		add(g.subjectCond(&f.Subject))
	}
	if len(f.Place.Values) > 0 {
		switch f.Place.Of {
		case FunderPlace:
			match := g.placeMatcher(f.Place.Kind, f.Place.Values)
			set := make(bitset, wordsFor(len(g.funder)))
			at := &placeRecord{Country: math.MaxUint32} // the table of funders has none
			for i := range g.funder {
				fu := &g.funder[i]
				at.CityKey, at.State, at.ZIP, at.County = fu.CityKey, fu.State, fu.ZIP, fu.County
				if match(at) {
					set.set(uint32(i))
				}
			}
			add(g.funderSetCond(set))
		case AreaServed:
			add(g.funderSetCond(reach))
		default:
			add(g.recipPlaceCond(f.Place.Kind, f.Place.Values))
		}
	}
	if len(f.Countries) > 0 {
		values := make([]PlaceValue, len(f.Countries))
		for i, c := range f.Countries {
			values[i].Name = c
		}
		add(g.recipPlaceCond(Country, values))
	}
	for _, t := range f.Query.Must {
		if len(t.Words) > 0 {
			add(g.termCond(t))
		}
	}
	for _, t := range f.Query.MustNot {
		if len(t.Words) > 0 {
			c := g.termCond(t)
			c.not = true
			add(c)
		}
	}
	if f.Support != 0 {
		var sets []bitset
		for i := range grant.Strategies {
			if f.Support>>i&1 != 0 {
				sets = append(sets, g.supportBits.at(i))
			}
		}
		add(g.union(sets...))
	}
	if f.FunderKind != "" {
		if k := slices.Index(grant.FunderKinds(), f.FunderKind); k >= 0 {
			add(g.kindCond(k))
		} else {
			add(nothing())
		}
	}
	if f.Exclude != 0 {
		var sets []bitset
		for c := range classes {
			if f.Exclude>>c&1 != 0 {
				sets = append(sets, g.classBits.at(c))
			}
		}
		if len(sets) > 0 {
			c := g.union(sets...)
			c.not = true
			add(c)
		}
	}
	if len(f.Sources) > 0 {
		var sets []bitset
		for _, r := range slices.Compact(slices.Sorted(slices.Values(f.Sources))) {
			if r != grant.None && r <= grant.Model {
				sets = append(sets, g.ruleBits.at(int(r)))
			}
		}
		add(g.union(sets...))
		add(g.union(g.linkedBits.at(0)))
	}
	if f.MinProb != nil {
		add(g.probCond(*f.MinProb))
		add(g.union(g.linkedBits.at(0)))
	}
	if f.MinAmount != nil || f.MaxAmount != nil {
		add(g.amountCond(f.MinAmount, f.MaxAmount))
	}
	return all
}

func (g *Graph) funderCond(eins []ein.EIN) cond {
	set := make(bitset, wordsFor(len(g.funder)))
	for _, e := range eins {
		if i, ok := g.findFunder(e); ok {
			set.set(i)
		}
	}
	return g.funderSetCond(set)
}

func (g *Graph) findFunder(e ein.EIN) (uint32, bool) {
	i := sort.Search(len(g.funder), func(i int) bool { return g.funder[i].EIN >= uint32(e) })
	return uint32(i), i < len(g.funder) && g.funder[i].EIN == uint32(e)
}

// funderSetCond is all rows of a set of funders: ranges, as rows stand in the
// order of funders.
func (g *Graph) funderSetCond(set bitset) cond {
	var ranges []span
	var bound int64
	for _, i := range set.appendTo(nil, 0) {
		lo, hi := g.funderRows[i], g.funderRows[i+1]
		bound += int64(hi - lo)
		if k := len(ranges); k > 0 && ranges[k-1].hi == lo {
			ranges[k-1].hi = hi
		} else {
			ranges = append(ranges, span{lo, hi})
		}
	}
	if bound == 0 {
		return nothing()
	}
	return cond{
		bound: bound, ranges: ranges,
		scatter: func(to bitset) {
			for _, r := range ranges {
				to.setRange(r.lo, r.hi)
			}
		},
		gather: func(dst []uint32) []uint32 {
			for _, r := range ranges {
				for row := r.lo; row < r.hi; row++ {
					dst = append(dst, row)
				}
			}
			return dst
		},
		test:    func(row uint32) bool { return set.has(g.funders[row]) },
		funders: func() bitset { return set },
	}
}

// kindCond is all rows of the funders of a kind.
func (g *Graph) kindCond(kind int) cond {
	c := g.union(g.kindBits.at(kind))
	c.funders = func() bitset {
		set := make(bitset, wordsFor(len(g.funder)))
		for i := range g.funder {
			if g.funder[i].Kind == uint32(kind) {
				set.set(uint32(i))
			}
		}
		return set
	}
	return c
}

// recipsOf are the recipient identities with one of the EINs, ascending.
func (g *Graph) recipsOf(eins []ein.EIN) []uint32 {
	var list []uint32
	for _, e := range eins {
		if e == ein.None {
			continue
		}
		i := sort.Search(len(g.byEIN), func(i int) bool { return g.recip[g.byEIN[i]].EIN >= uint32(e) })
		for ; i < len(g.byEIN) && g.recip[g.byEIN[i]].EIN == uint32(e); i++ {
			list = append(list, g.byEIN[i])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// recipCond is all rows of some recipients, which are ascending.
func (g *Graph) recipCond(recips []uint32) cond {
	var bound int64
	for _, r := range recips {
		bound += int64(g.recipRows.len(r))
	}
	if bound == 0 {
		return nothing()
	}
	return g.listCond(bound, g.recipRows, recips, func(row uint32) bool {
		_, ok := slices.BinarySearch(recips, g.recips[row])
		return ok
	})
}

// listCond is the rows of some keys of a posting list.
func (g *Graph) listCond(bound int64, l lists, keys []uint32, test func(uint32) bool) cond {
	return cond{
		bound: bound, test: test,
		scatter: func(to bitset) {
			for _, k := range keys {
				for _, row := range l.at(k) {
					to.set(row)
				}
			}
		},
		gather: func(dst []uint32) []uint32 {
			for _, k := range keys {
				dst = append(dst, l.at(k)...)
			}
			return dst
		},
	}
}

// yearCond is the rows of the years; ok is false when every year is meant.
func (g *Graph) yearCond(years []Span) (c cond, ok bool) {
	if len(years) == 0 {
		return cond{}, false
	}
	var sets []bitset
	var mask uint64
	for i, y := range g.yearList {
		for _, s := range years {
			if (s.From == 0 || int(y) >= s.From) && (s.To == 0 || int(y) <= s.To) {
				sets = append(sets, g.yearBits.at(i))
				mask |= 1 << i
				break
			}
		}
	}
	if len(sets) == len(g.yearList) {
		return cond{}, false
	}
	c = g.union(sets...)
	c.years = mask
	return c, true
}

func (g *Graph) subjectCond(s *ntee.Subject) cond {
	var majors uint32
	prefix := false
	for i := range s.Items {
		if s.Items[i].Kind == ntee.Prefix {
			prefix = true
		} else {
			majors |= s.Items[i].Majors
		}
	}
	if !prefix {
		var sets []bitset
		for m := range 26 {
			if majors>>m&1 != 0 {
				sets = append(sets, g.majorBits.at(m))
			}
		}
		return g.union(sets...)
	}
	var recips []uint32
	for i, code := range g.codeList {
		if s.Matches(ntee.Code(g.short.at(code))) {
			recips = append(recips, g.codeRecips.at(uint32(i))...)
		}
	}
	slices.Sort(recips)
	return g.recipCond(recips)
}

// placeMatcher tests a place against the values. Only the fields that the kind
// needs are looked at.
func (g *Graph) placeMatcher(kind PlaceKind, values []PlaceValue) func(*placeRecord) bool {
	type want struct{ lo, hi, state uint32 } // numbers in the table of short strings
	const anyState = math.MaxUint32
	var wants []want
	for _, v := range values {
		w := want{state: anyState}
		name := v.Name
		if kind == City {
			name = orgname.City(name)
			if v.State != "" {
				var ok bool
				if w.state, ok = g.short.find(v.State); !ok {
					continue
				}
			}
		}
		if name == "" {
			continue
		}
		i, ok := g.short.find(name)
		switch {
		case kind == ZIP && len(name) == 3:
			j := sort.Search(g.short.len(), func(j int) bool {
				s := g.short.at(uint32(j))
				return string(s[:min(3, len(s))]) > name
			})
			w.lo, w.hi = i, uint32(j)
		case ok:
			w.lo, w.hi = i, i+1
		default:
			continue
		}
		wants = append(wants, w)
	}
	return func(p *placeRecord) bool {
		var id uint32
		switch kind {
		case State:
			id = p.State
		case ZIP:
			id = p.ZIP
		case City:
			id = p.CityKey
		case County:
			id = p.County
		default:
			id = p.Country
		}
		for _, w := range wants {
			if id >= w.lo && id < w.hi && (w.state == anyState || w.state == p.State) {
				return true
			}
		}
		return false
	}
}

// recipPlaceCond is the rows whose recipient is in one of the places.
func (g *Graph) recipPlaceCond(kind PlaceKind, values []PlaceValue) cond {
	match := g.placeMatcher(kind, values)
	if kind == State {
		var sets []bitset
		for i, s := range g.stateList {
			if match(&placeRecord{State: s}) {
				sets = append(sets, g.stateBits.at(i))
			}
		}
		return g.union(sets...)
	}
	var list []uint32
	var bound int64
	for i := range g.place {
		if match(&g.place[i]) {
			list = append(list, uint32(i))
			bound += int64(g.placeRows.len(uint32(i)))
		}
	}
	if bound == 0 {
		return nothing()
	}
	return g.listCond(bound, g.placeRows, list, func(row uint32) bool { return match(&g.place[g.places[row]]) })
}

// termCond is the rows that have the term in the purpose, the name as filed or
// the canonical name.
func (g *Graph) termCond(term Term) cond {
	t := &g.text
	docs, stem, single := t.find(term)
	if len(docs) == 0 {
		return nothing()
	}
	if single {
		if set, ok := t.bitsOf(stem); ok {
			return g.union(set)
		}
	}
	return cond{
		bound:   t.rowsBound(docs),
		scatter: func(to bitset) { t.scatter(docs, to) },
		gather: func(dst []uint32) []uint32 {
			for _, d := range docs {
				dst = append(dst, t.rowsOf(d)...)
			}
			return dst
		},
		test: func(row uint32) bool {
			for _, d := range [...]uint32{g.purposes[row], t.purposes + g.names[row], t.purposes + t.names + g.recips[row]} {
				if _, ok := slices.BinarySearch(docs, d); ok {
					return true
				}
			}
			return false
		},
	}
}

func (g *Graph) probCond(least float64) cond {
	from := sort.Search(len(g.probList), func(i int) bool { return g.probList[i] >= least })
	if len(g.probList) > maxProbSets {
		if from == len(g.probList) {
			return nothing()
		}
		return cond{bound: int64(g.rows), test: func(row uint32) bool { return int(g.probs[row]) >= from }}
	}
	var sets []bitset
	for i := from; i < len(g.probList); i++ {
		sets = append(sets, g.probBits.at(i))
	}
	return g.union(sets...)
}

// ranks is the part of byAmount within the bounds.
func (g *Graph) ranks(least, most *int64) (lo, hi uint32) {
	hi = uint32(g.rows)
	if most != nil {
		lo = uint32(sort.Search(g.rows, func(i int) bool { return g.amounts[g.byAmount[i]] <= *most }))
	}
	if least != nil {
		hi = uint32(sort.Search(g.rows, func(i int) bool { return g.amounts[g.byAmount[i]] < *least }))
	}
	return lo, max(lo, hi)
}

// scatterPart says how few of the rows a range of amounts must be for setting
// bits at random places to be cheaper than testing rows in order.
const scatterPart = 8

func (g *Graph) amountCond(least, most *int64) cond {
	lo, hi := g.ranks(least, most)
	if lo == hi {
		return nothing()
	}
	c := cond{bound: int64(hi - lo), ranks: span{lo, hi}, test: func(row uint32) bool { return g.rank[row]-lo < hi-lo }}
	c.gather = func(dst []uint32) []uint32 { return append(dst, g.byAmount[lo:hi]...) }
	if int(hi-lo) < g.rows/scatterPart {
		c.scatter = func(to bitset) {
			for _, row := range g.byAmount[lo:hi] {
				to.set(row)
			}
		}
	}
	return c
}
