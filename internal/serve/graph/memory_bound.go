package graph

import (
	"runtime"
	"unsafe"
)

// What a row of an answer takes at most, as a rule: purposes are longer now and
// then, but not a thousand of them at once.
const (
	grantBytes = 2 << 10
	partyBytes = 1 << 10
)

// Weight bounds the memory in bytes that a question takes beside what all
// share, so that no more of them are let in at a time than there is memory
// for. It grows with the dataset and with the rows of the page, not with where
// the page is. It looks at a few numbers per value of the filter and at no
// rows.
func (g *Graph) Weight(about About, f *Filter, p Page) int64 {
	if g.begin() != nil {
		return 0 // the question fails before it takes anything
	}
	defer g.mu.RUnlock()
	rows, funders, recips, places := int64(g.rows), int64(len(g.dict.funders)), int64(len(g.dict.recips)), int64(len(g.dict.places))
	// A list that grows by append takes up to three times its size.
	list := func(n int64) int64 { return 3 * 4 * n }
	set := func(n int64) int64 { return n/8 + 64 }
	limit := int64(max(p.Limit, 0))

	bound := g.rowsBound(f)
	short := bound <= g.grain.tiny // then no set is made
	n := int64(64<<10) + list(min(bound, g.grain.tiny))
	if !short && !f.empty() {
		n += 4 * set(rows) // never more, however many conditions there are
	}
	if len(f.Funders) > 0 || f.FunderKind != "" || f.Place.Of != RecipientPlace && !f.Place.empty() {
		n += 3*set(funders) + list(funders) + 2*list(funders) // the funders, and the ranges of their rows
	}
	if len(f.Place.Values) > 0 && f.Place.Kind != State {
		n += list(places)
	}
	if f.Place.Near != (Near{}) {
		n += list(places) + set(int64(g.dict.short.len())) + list(100_000)
	}
	if len(f.Countries) > 0 {
		n += list(places)
	}
	if !f.Subject.Empty() {
		n += list(recips)
	}
	n += int64(len(f.Funders)+len(f.Recipients)+len(f.Countries)+len(f.Place.Values)+len(f.Keys)) * 64
	for _, terms := range [...][]Term{f.Query.Must, f.Query.MustNot} {
		for _, t := range terms {
			n += 64 * int64(len(t.Words))
			if len(t.Words) > 1 {
				n += 4 * g.postings.words.rarest(t)
			}
		}
	}
	if about != AboutTotals { // those of a grouping by funder or recipient too
		// Selectors that count and, after them, selectors that keep; then what they kept.
		kept := (int64(g.grain.near) + limit) * int64(unsafe.Sizeof(item{}))
		n += int64(runtime.GOMAXPROCS(0))*(4*int64(g.grain.bins)+5*kept) + kept
	}
	few := rows // those that a question of nearly all rows leaves out
	if few /= complementPart; short {
		few = 0
	}
	// Each core adds the cells of a block of recipients up, from places in all lists.
	blocks := int64(runtime.GOMAXPROCS(0)) * (int64(unsafe.Sizeof(cellSums{})) + 64*int64(len(g.dict.states)*len(g.dict.years)))
	switch about {
	case AboutGrants:
		n += limit * grantBytes
	case AboutFunders:
		n += limit * partyBytes
	case AboutRecipients:
		n += limit*partyBytes + blocks
		if short {
			n += 128 * bound
		} else if !f.empty() {
			n += max(recips*int64(unsafe.Sizeof(partyTotals{}))+list(recips), 4*few+set(recips))
		}
	case AboutGroups:
		// A part of the work has tables of its own, and there are up to four for a core.
		tables := 2 * int64(len(g.dict.states)+len(g.groups.countyList)+supportSets+letters+maxYears)
		n += limit*partyBytes + blocks + (tables*int64(4*runtime.GOMAXPROCS(0)+3)+funders)*int64(unsafe.Sizeof(Cost{}))
		n += limit * int64(4*runtime.GOMAXPROCS(0)+3) * 3 * int64(unsafe.Sizeof(numbered{}))
		if short {
			n += 128 * bound
		} else if !f.empty() {
			n += max(recips*int64(unsafe.Sizeof(partyTotals{}))+list(recips), 4*few+set(recips))
		}
	case AboutTotals:
		n += list(funders)
		if short {
			n += 8 * recips
		} else if !f.empty() {
			n += max(8*recips+list(recips), 4*few+set(recips)+list(recips)+set(funders))
		}
	}
	return n
}

// FacetsWeight is Weight for Facets: each choice has sets of its own, and those
// of amounts and probabilities may have to be made.
func (g *Graph) FacetsWeight(f *Filter) int64 {
	return g.Weight(AboutGroups, f, Page{Limit: MaxGroups}) + 6*choices*(g.Rows()/8+64)
}

// rowsBound is a bound on the rows that satisfy a filter, from the funders and
// recipients it names.
func (g *Graph) rowsBound(f *Filter) int64 {
	bound := int64(g.rows)
	if len(f.Funders) > 0 {
		var n int64
		for _, e := range f.Funders {
			if i, ok := g.findFunder(e); ok {
				n += int64(g.sums.funders[i].Grants)
			}
		}
		bound = min(bound, n)
	}
	if len(f.Keys) > 0 {
		bound = min(bound, int64(len(f.Keys)))
	}
	if len(f.Recipients) > 0 {
		var n int64
		for _, r := range g.recipsOf(f.Recipients) {
			n += int64(g.back.rows.len(r))
		}
		bound = min(bound, n)
	}
	return bound
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
