package graph

import (
	"slices"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
)

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
