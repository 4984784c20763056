package graph

import (
	"math/bits"
	"slices"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// condition is one condition over rows: a union of stored sets, a list of rows, or only a test of a row.
type condition struct {
	not     bool
	bound   int64                   // at most so many rows satisfy the condition
	sets    []bitset                // stored sets; the condition is their union
	stored  bool                    // the condition is sets and nothing else
	ranges  []span                  // row ranges, ascending, that do not touch
	scatter func(to bitset)         // adds the rows to a set; nil if only test is cheap
	list    func([]uint32) []uint32 // appends the rows, in any order, some twice
	test    func(row uint32) bool
	ranks   span          // for a condition on amounts
	funders func() bitset // for a condition on funders: the funders
	years   uint64        // for a condition on years: the mask of the years
}

type span struct{ lo, hi uint32 }

func nothing() condition { return condition{stored: true, test: func(uint32) bool { return false }} }

func (g *Graph) union(sets ...bitset) condition {
	if len(sets) == 0 {
		return nothing()
	}
	return condition{bound: int64(g.rows), sets: sets, stored: true, test: func(row uint32) bool {
		for _, s := range sets {
			if s.has(row) {
				return true
			}
		}
		return false
	}}
}

// unionOf is the condition that a row has one of the values of a dimension whose bits are in the mask.
func (g *Graph) unionOf(d dimension, mask uint32) condition {
	var sets []bitset
	for ; mask != 0; mask &= mask - 1 {
		sets = append(sets, d.at(bits.TrailingZeros32(mask)))
	}
	return g.union(sets...)
}

func (g *Graph) linked() condition { return g.union(g.postings.sets.linked.at(0)) }

// compile turns a filter into conditions that all must hold. reach is the set of funders that an area_served place selects.
func (g *Graph) compile(f *Filter, reach bitset) []condition {
	var all []condition
	for d := range f.declared {
		if d.rows != nil {
			all = append(all, d.rows(index{g, reach}, f)...)
		}
	}
	return all
}

// listCond is the rows that posting lists have for some keys.
func listCond(bound int64, l lists, keys []uint32, test func(uint32) bool) condition {
	return condition{
		bound: bound, test: test,
		scatter: func(to bitset) {
			for _, k := range keys {
				for _, row := range l.at(k) {
					to.set(row)
				}
			}
		},
		list: func(dst []uint32) []uint32 {
			for _, k := range keys {
				dst = append(dst, l.at(k)...)
			}
			return dst
		},
	}
}

func (g *Graph) keyCond(keys []string) condition {
	rows := make([]uint32, 0, len(keys))
	for _, k := range keys {
		if row, ok := g.findKey(k); ok {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if len(rows) == 0 {
		return nothing()
	}
	return listCond(int64(len(rows)), lists{off: []uint32{0, uint32(len(rows))}, val: rows}, []uint32{0}, func(row uint32) bool {
		_, ok := slices.BinarySearch(rows, row)
		return ok
	})
}

// yearCond is the rows of the years. ok is false if that is every row.
func (g *Graph) yearCond(years []Span) (c condition, ok bool) {
	if len(years) == 0 {
		return condition{}, false
	}
	var sets []bitset
	var mask uint64
	for i, y := range g.dict.years {
		for _, s := range years {
			if (s.From == 0 || int(y) >= s.From) && (s.To == 0 || int(y) <= s.To) {
				sets = append(sets, g.postings.sets.year.at(i))
				mask |= 1 << i
				break
			}
		}
	}
	if len(sets) == len(g.dict.years) {
		return condition{}, false
	}
	c = g.union(sets...)
	c.years = mask
	return c, true
}

func (g *Graph) ruleCond(rules []grant.Rule) condition {
	var mask uint32
	for _, r := range rules {
		if r != grant.None && r <= grant.Model {
			mask |= 1 << r
		}
	}
	return g.unionOf(g.postings.sets.rule, mask)
}

func (g *Graph) probCond(least float64) condition {
	from := sort.Search(len(g.dict.probs), func(i int) bool { return g.dict.probs[i] >= least })
	if len(g.dict.probs) > maxProbSets {
		if from == len(g.dict.probs) {
			return nothing()
		}
		return condition{bound: int64(g.rows), test: func(row uint32) bool { return int(g.cols.probs[row]) >= from }}
	}
	return g.union(g.postings.sets.prob.all(len(g.dict.probs))[from:]...)
}

// ranks is the part of byAmount within the bounds.
func (g *Graph) ranks(least, most *int64) (lo, hi uint32) {
	hi = uint32(g.rows)
	if most != nil {
		lo = uint32(sort.Search(g.rows, func(i int) bool { return g.cols.amounts[g.orders.byAmount[i]] <= *most }))
	}
	if least != nil {
		hi = uint32(sort.Search(g.rows, func(i int) bool { return g.cols.amounts[g.orders.byAmount[i]] < *least }))
	}
	return lo, max(lo, hi)
}

// scatterPart says when a range of amounts is small: less than one in so many rows. Setting bits at random places for a small
// range is cheaper than testing all rows in order.
const scatterPart = 8

// amountSteps are amounts that people often ask for, ascending. The index stores
// for each the set of rows with at least that amount.
var amountSteps = [...]int64{1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 10_000_000}

// amountConds are the conditions of a range of amounts. If the range begins and
// ends at steps and has many rows, the conditions are the stored sets.
func (g *Graph) amountConds(least, most *int64) []condition {
	lo, hi := g.ranks(least, most)
	if lo == hi || int(hi-lo) < g.rows/scatterPart {
		return []condition{g.rankCond(lo, hi)}
	}
	var list []condition
	for _, end := range [...]struct {
		rank uint32
		not  bool
	}{{hi, false}, {lo, true}} {
		if end.rank == 0 || int(end.rank) == g.rows {
			continue
		}
		step, ok := g.amountStep(end.rank)
		if !ok {
			return []condition{g.rankCond(lo, hi)}
		}
		c := g.union(g.postings.sets.amount.at(step))
		c.not = end.not
		list = append(list, c)
	}
	return list
}

// amountStep is the step that exactly the first rows of byAmount reach.
func (g *Graph) amountStep(rows uint32) (step int, ok bool) {
	least := g.cols.amounts[g.orders.byAmount[rows-1]]
	below := g.cols.amounts[g.orders.byAmount[rows]]
	step = sort.Search(len(amountSteps), func(i int) bool { return amountSteps[i] > below })
	return step, step < len(amountSteps) && amountSteps[step] <= least
}

func (g *Graph) rankCond(lo, hi uint32) condition {
	if lo == hi {
		return nothing()
	}
	c := condition{bound: int64(hi - lo), ranks: span{lo, hi}, test: func(row uint32) bool { return g.orders.rank[row]-lo < hi-lo }}
	c.list = func(dst []uint32) []uint32 { return append(dst, g.orders.byAmount[lo:hi]...) }
	if int(hi-lo) < g.rows/scatterPart {
		c.scatter = func(to bitset) {
			for _, row := range g.orders.byAmount[lo:hi] {
				to.set(row)
			}
		}
	}
	return c
}

// keepRanks removes the rows, numbered from base, whose amounts are outside of the range of ranks.
func (g *Graph) keepRanks(set bitset, base uint32, ranks span) {
	lo, n := ranks.lo, ranks.hi-ranks.lo
	for i, w := range set {
		if w == 0 {
			continue
		}
		at := base + uint32(i)<<6
		// The loops have no branch on the amount, which the processor could not predict.
		var kept uint64
		if w == ^uint64(0) {
			for j, r := range g.orders.rank[at : at+64] {
				var in uint64
				if r-lo < n {
					in = 1
				}
				kept |= in << j
			}
			set[i] = kept
			continue
		}
		for m := w; m != 0; m &= m - 1 {
			j := bits.TrailingZeros64(m)
			var in uint64
			if g.orders.rank[at+uint32(j)]-lo < n {
				in = 1
			}
			kept |= in << j
		}
		set[i] = kept
	}
}

func (g *Graph) funderCond(eins []ein.EIN) condition {
	set := make(bitset, wordsFor(len(g.dict.funders)))
	for _, e := range eins {
		if i, ok := g.findFunder(e); ok {
			set.set(i)
		}
	}
	return g.funderSetCond(set)
}

func (g *Graph) findFunder(e ein.EIN) (uint32, bool) {
	i := sort.Search(len(g.dict.funders), func(i int) bool { return g.dict.funders[i].EIN >= uint32(e) })
	return uint32(i), i < len(g.dict.funders) && g.dict.funders[i].EIN == uint32(e)
}

// funderSetCond is all rows of a set of funders. They are ranges, because rows are in the order of funders.
func (g *Graph) funderSetCond(set bitset) condition {
	var ranges []span
	var bound int64
	for _, i := range set.appendTo(nil, 0) {
		lo, hi := g.postings.funderRows[i], g.postings.funderRows[i+1]
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
	return condition{
		bound: bound, ranges: ranges,
		scatter: func(to bitset) {
			for _, r := range ranges {
				to.setRange(r.lo, r.hi)
			}
		},
		list: func(dst []uint32) []uint32 {
			for _, r := range ranges {
				for row := r.lo; row < r.hi; row++ {
					dst = append(dst, row)
				}
			}
			return dst
		},
		test:    func(row uint32) bool { return set.has(g.cols.funders[row]) },
		funders: func() bitset { return set },
	}
}

func (g *Graph) kindCond(name string) condition {
	kind, ok := kindNumbers.parse(name)
	if !ok {
		return nothing()
	}
	c := g.union(g.postings.sets.kind.at(int(kind)))
	c.funders = func() bitset {
		return g.fundersThat(func(f *FunderRecord) bool { return f.Kind == kind })
	}
	return c
}

func (g *Graph) fundersThat(test func(*FunderRecord) bool) bitset {
	set := make(bitset, wordsFor(len(g.dict.funders)))
	for i := range g.dict.funders {
		if test(&g.dict.funders[i]) {
			set.set(uint32(i))
		}
	}
	return set
}

// recipsOf are the recipient identities with one of the EINs, ascending.
func (g *Graph) recipsOf(eins []ein.EIN) []uint32 {
	var list []uint32
	for _, e := range eins {
		if e == ein.None {
			continue
		}
		i := sort.Search(len(g.orders.byEIN), func(i int) bool { return g.dict.recips[g.orders.byEIN[i]].EIN >= uint32(e) })
		for ; i < len(g.orders.byEIN) && g.dict.recips[g.orders.byEIN[i]].EIN == uint32(e); i++ {
			list = append(list, g.orders.byEIN[i])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// recipsIn are the recipients that a filter names, ascending.
func (g *Graph) recipsIn(f *Filter) []uint32 {
	list := g.recipsOf(f.Recipients)
	for _, id := range f.Unlinked {
		// Recipients are numbered in the order of their identities.
		i := sort.Search(len(g.dict.recips), func(i int) bool { return string(g.dict.recipIDs.at(uint32(i))) >= id })
		if i < len(g.dict.recips) && string(g.dict.recipIDs.at(uint32(i))) == id {
			list = append(list, uint32(i))
		}
	}
	return set(list)
}

// recipCond is all rows of some recipients, in ascending order.
func (g *Graph) recipCond(recips []uint32) condition {
	var bound int64
	for _, r := range recips {
		bound += int64(g.back.rows.len(r))
	}
	if bound == 0 {
		return nothing()
	}
	return listCond(bound, g.back.rows, recips, func(row uint32) bool {
		_, ok := slices.BinarySearch(recips, g.cols.recips[row])
		return ok
	})
}

// subjectCond is all rows of recipients with a code under the subject. Inferred letters count if the basis
// says so. A major group has a stored set; for a longer prefix, subjectCond lists the recipients.
func (g *Graph) subjectCond(f *Filter) condition {
	var asked uint32
	longer := false
	for _, it := range f.Subject.Items {
		if it.Kind == ntee.Prefix {
			longer = true
		} else {
			asked |= it.Majors & (1<<majors - 1)
		}
	}
	inferred := g.unionOf(g.postings.sets.inferred, asked)
	switch {
	case f.inferredOnly:
		return inferred
	case longer:
		recips := g.recipsUnder(&f.Subject)
		if f.SubjectBasis == ntee.Any {
			recips = g.addInferred(recips, asked)
		}
		return g.recipCond(recips)
	}
	registered := g.unionOf(g.postings.sets.major, asked)
	if f.SubjectBasis == ntee.Any {
		return g.union(append(registered.sets, inferred.sets...)...)
	}
	return registered
}

func (g *Graph) addInferred(recips []uint32, asked uint32) []uint32 {
	for i := range g.dict.recips {
		if letter := g.dict.recips[i].Inferred; letter != 0 && asked>>(letter-'A')&1 != 0 {
			recips = append(recips, uint32(i))
		}
	}
	slices.Sort(recips)
	return recips
}

// recipsUnder are the recipients with a code under the subject, ascending.
func (g *Graph) recipsUnder(s *ntee.Subject) []uint32 {
	var recips []uint32
	for i, code := range g.dict.codes {
		if s.Matches(ntee.Code(g.dict.short.at(code))) {
			recips = append(recips, g.postings.codeRecips.at(uint32(i))...)
		}
	}
	slices.Sort(recips)
	return recips
}
