package graph

import (
	"runtime"
	"unsafe"

	"grantgraph/internal/ein"
)

// The bytes that a row of an answer takes. A purpose is sometimes longer, but a thousand of them at once are not.
const (
	grantBytes = 2 << 10
	partyBytes = 1 << 10
)

// Weight bounds the bytes that a question takes beside what all questions share, so that no more questions are let in at a time
// than there is memory for. The bound grows with the dataset and with the rows of the page. How deep the page is makes no
// difference. Weight looks at a few numbers per value of the filter and at no rows.
func (g *Graph) Weight(about About, f *Filter, p Page) int64 {
	if g.Begin() != nil {
		return 0 // the question fails before it takes anything
	}
	defer g.End()
	limit := int64(max(p.Limit, 0))
	bound := g.rowsBound(f)
	short := bound <= g.grain.tiny // then no set is made
	n := int64(64<<10) + listWeight(min(bound, g.grain.tiny))
	if !short && !f.empty() {
		n += 4 * setWeight(g.rows) // never more, however many conditions there are
	}
	for d := range f.declared {
		if d.weight != nil {
			n += d.weight(g, f)
		}
	}
	if about != AboutTotals { // groupings by funder and by recipient select too
		// Selectors that count and, after them, selectors that keep; then what they kept.
		kept := (int64(g.grain.near) + limit) * int64(unsafe.Sizeof(item{}))
		n += cores()*(4*int64(g.grain.bins)+5*kept) + kept
	}
	few := int64(0) // the rows that a question of nearly all rows leaves out
	if !short {
		few = int64(g.rows) / complementPart
	}
	recips := int64(len(g.dict.recips))
	// Each core adds the cells of a block of recipients up, from places in all lists.
	blocks := cores() * (int64(unsafe.Sizeof(cellSums{})) + 64*int64(len(g.dict.states)*len(g.dict.years)))
	parties := int64(0)
	if short {
		parties = 128 * bound
	} else if !f.empty() {
		parties = max(recips*int64(unsafe.Sizeof(partyTotals{}))+listWeight(recips), 4*few+setWeight(recips))
	}
	switch about {
	case AboutGrants:
		n += limit * grantBytes
	case AboutFunders:
		n += limit * partyBytes
	case AboutRecipients:
		n += limit*partyBytes + blocks + parties
	case AboutGroups:
		// A part of the work has tables of its own, and there are up to four for a core.
		parts := 4*cores() + 3
		tables := int64(len(g.dict.states) + len(g.groups.countyList) + supportSets + letters + MaxYears)
		n += limit*partyBytes + blocks + (tables*parts+int64(len(g.dict.funders)))*int64(unsafe.Sizeof(Cost{}))
		n += limit*parts*3*int64(unsafe.Sizeof(numbered{})) + parties
	case AboutTotals:
		n += listWeight(len(g.dict.funders))
		if short {
			n += 8 * recips
		} else if !f.empty() {
			n += listWeight(recips) + max(8*recips, 4*few+setWeight(recips)+setWeight(len(g.dict.funders)))
		}
	}
	return n
}

func cores() int64 { return int64(runtime.GOMAXPROCS(0)) }

// listWeight bounds the bytes of a list of n numbers. A list that grows by append takes up to three times its size.
func listWeight[N int | int64](n N) int64 { return 3 * 4 * int64(n) }

func setWeight[N int | int64](n N) int64 { return int64(n)/8 + 64 }

// funderSetWeight bounds the bytes of a condition on funders: the funders, and the ranges of their rows.
func (g *Graph) funderSetWeight() int64 {
	return 3*setWeight(len(g.dict.funders)) + 3*listWeight(len(g.dict.funders))
}

// FacetsWeight is Weight for Facets: each choice has sets of its own, and those
// of amounts and probabilities may have to be made.
func (g *Graph) FacetsWeight(f *Filter) int64 {
	return g.Weight(AboutGroups, f, Page{Limit: MaxGroups}) + 6*int64(choices)*setWeight(g.rows)
}

// rowsBound is a bound on the rows that satisfy a filter, from the funders, recipients and grants that it names.
func (g *Graph) rowsBound(f *Filter) int64 {
	bound := int64(g.rows)
	for d := range f.declared {
		if d.bound != nil {
			bound = min(bound, d.bound(g, f))
		}
	}
	return bound
}

func (g *Graph) rowsOfFunders(eins []ein.EIN) (n int64) {
	for _, e := range eins {
		if i, ok := g.findFunder(e); ok {
			n += int64(g.sums.funders[i].Grants)
		}
	}
	return n
}

func (g *Graph) rowsOfRecipients(f *Filter) (n int64) {
	for _, r := range g.recipsIn(f) {
		n += int64(g.back.rows.len(r))
	}
	return n
}

// rarest is how many documents have the rarest stem of a phrase.
func (t *wordIndex) rarest(phrase Term) int64 {
	least := int64(len(t.docs.val))
	for _, s := range phrase.stems() {
		id, ok := t.stems.find(s)
		if !ok {
			return 0
		}
		least = min(least, int64(t.docs.len(id)))
	}
	return least
}
