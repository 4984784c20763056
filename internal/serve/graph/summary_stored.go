package graph

import (
	"slices"

	"grantgraph/internal/snapshot/mapped"
)

// YearGiving is what a funder gave in one year, which is a number.
type YearGiving struct {
	Amount int64
	Grants uint32
	Year   uint8
	_      [3]uint8
}

// giving is what each funder gave, by year and by recipient: far less than the rows, as most giving goes on for years.
type giving struct {
	yearAt []uint32 // where the years of a funder begin
	years  []YearGiving
	linkAt []uint32 // where the links of a funder begin
	links  []uint32 // recipients, each once for a funder
	masks  []uint64 // the years of each link
}

func (b *builder) giving() giving {
	v := giving{yearAt: []uint32{0}, linkAt: []uint32{0}}
	for f := range b.funder {
		var years [MaxYears]YearGiving
		for row := b.byFunder[f]; row < b.byFunder[f+1]; row++ {
			y, to := b.years[row], b.recips[row]
			years[y].Amount += b.amounts[row]
			years[y].Grants++
			if n := len(v.links); n == int(v.linkAt[f]) || v.links[n-1] != to {
				v.links, v.masks = append(v.links, to), append(v.masks, 0)
			}
			v.masks[len(v.masks)-1] |= 1 << y
		}
		for y := range b.yearList {
			if p := years[y]; p.Grants > 0 {
				p.Year = uint8(y)
				v.years = append(v.years, p)
			}
		}
		v.yearAt, v.linkAt = append(v.yearAt, uint32(len(v.years))), append(v.linkAt, uint32(len(v.links)))
	}
	return v
}

func (v *giving) layout(s mapped.Layout, funders int) {
	mapped.Field(s, "giving.years.off", &v.yearAt, funders+1)
	mapped.Field(s, "giving.years.val", &v.years, mapped.AnyLength)
	mapped.Field(s, "giving.links.off", &v.linkAt, funders+1)
	mapped.Field(s, "giving.links.val", &v.links, mapped.AnyLength)
	mapped.Field(s, "giving.links.years", &v.masks, len(v.links))
	complete(s, "lists of giving", v.yearAt, len(v.years))
	complete(s, "lists of giving", v.linkAt, len(v.links))
}

func (v *giving) yearsOf(f uint32) []YearGiving { return v.years[v.yearAt[f]:v.yearAt[f+1]] }

// linksOf is the recipients of a funder, each once, and the years of each.
func (v *giving) linksOf(f uint32) (recips []uint32, years []uint64) {
	from, to := v.linkAt[f], v.linkAt[f+1]
	return v.links[from:to], v.masks[from:to]
}

// wholeFunders is a condition that selects funders, or all of them, with all of their rows or all rows of
// some years. The stored giving of each funder answers it without reading rows.
type wholeFunders struct {
	funders []uint32
	years   uint64 // mask
}

// wholeFunders recognizes a condition on funders or years and nothing else. It refuses a condition with so
// few rows that reading these is faster than going through all recipients.
func (g *Graph) wholeFunders(conditions []condition) (w wholeFunders, ok bool) {
	if len(conditions) == 0 {
		return w, false // the summary of all rows is stored
	}
	w.years = ^uint64(0)
	var funders bitset
	for i := range conditions {
		switch c := &conditions[i]; {
		case c.years != 0:
			w.years &= c.years
		case c.funders == nil:
			return w, false
		case funders == nil:
			funders = slices.Clone(c.funders())
		default:
			for i, word := range c.funders() {
				funders[i] &= word
			}
		}
	}
	var rows int64
	if funders == nil {
		for f := range g.dict.funders {
			w.funders = append(w.funders, uint32(f))
		}
		for y := range g.sums.years {
			rows += g.sums.years[y].Grants & -int64(w.years>>y&1)
		}
	} else {
		w.funders = funders.appendTo(nil, 0)
		for _, f := range w.funders {
			rows += int64(g.sums.funders[f].Grants)
		}
	}
	return w, rows > 0 && rows >= int64(g.rows)/sparse
}

func (e *evaluation) sumWholeFunders(w wholeFunders) (*summary, error) {
	g, v := e.g, &e.g.sums.giving
	var sum yearly
	funders := g.distinctCounter()
	masks := g.recipMasks()
	for _, f := range w.funders {
		var mask uint64
		for _, p := range v.yearsOf(f) {
			y := p.Year & (MaxYears - 1)
			if w.years>>y&1 != 0 {
				sum.amounts[y] += p.Amount
				sum.grants[y] += int64(p.Grants)
				mask |= 1 << y
			}
		}
		funders.add(mask)
		links, years := v.linksOf(f)
		for i, r := range links {
			masks[r] |= years[i]
		}
	}
	parts, err := inParts(e.ctx, g.evenCuts(0, uint32(len(masks))), g.distinctCounter, func(t *distinctCounter, from, to int) {
		for _, m := range masks[from:to] {
			t.add(m & w.years)
		}
	})
	clear(masks)
	g.buffers.masks.give(masks, freeArrays)
	recips := g.mergeCounters(parts)
	return g.summary(&sum, &funders, &recips), err
}

// sumCells is the summary of a filter that asks for years, causes and a kind of funder, or for years and states. Dollars and
// grants come from the cells, and distinct funders and recipients from sets of them. ok is false for other filters.
func (e *evaluation) sumCells(f *Filter) (s *summary, ok bool, err error) {
	g := e.g
	states := len(f.Place.Values) > 0
	if f.Exclude != 0 || states && (f.FunderKind != "" || !f.Subject.Empty()) {
		return nil, false, nil
	}
	c, ok := g.cellFilter(f)
	if !ok {
		return nil, false, nil
	}
	var years []int
	for y := range g.dict.years {
		if c.years[y] {
			years = append(years, y)
		}
	}
	funders, recips := g.distinctCounter(), g.distinctCounter()
	if states {
		payers, n := g.sums.funderStates.within(g, c)
		payees, m := g.sums.recipStates.within(g, c)
		if n+m > g.rows/2 {
			return nil, false, nil
		}
		funders.countCells(payers, len(g.dict.funders))
		recips.countCells(payees, len(g.dict.recips))
	} else {
		e.countParties(f, c, years, &funders, &recips)
	}
	sum := g.sums.cells.byYear(c)
	return g.summary(&sum, &funders, &recips), true, e.ctx.Err()
}

func (c *cells) byYear(f *cellFilter) (sum yearly) {
	for i, key := range c.all.keys {
		if year, state, letter, kind, class := cellParts(key); f.has(year, state, letter, kind, class) {
			sum.amounts[year] += c.all.sums[i].Amount
			sum.grants[year] += c.all.sums[i].Grants
		}
	}
	return sum
}

func (e *evaluation) countParties(f *Filter, c *cellFilter, years []int, funders, recips *distinctCounter) {
	p, all := &e.g.postings.parties, len(e.g.dict.years)
	kind, kinds := uint32(anyKindSet), bitset(nil)
	if f.FunderKind != "" {
		var known bool
		if kind, known = kindNumbers.parse(f.FunderKind); !known {
			return
		}
		kinds = p.funderKinds.at(int(kind))
	}
	causes, wanted := bitset(nil), []int{anyLetter}
	if !f.Subject.Empty() {
		causes, wanted = p.ofLetters(c), wanted[:0]
		for l := range letters {
			if c.letters[l] {
				wanted = append(wanted, l)
			}
		}
		if len(wanted) == 0 {
			return
		}
	}
	recips.countYears(p.recipKinds.words, years, causes, func(year int) []bitset {
		return []bitset{p.recipKinds.at(int(kind)*all + year)}
	})
	funders.countYears(p.funderLetters.words, years, kinds, func(year int) []bitset {
		var list []bitset
		for _, l := range wanted {
			list = append(list, p.funderLetters.at(l*all+year))
		}
		return list
	})
}

// countCells counts the funders or recipients that have a cell. of is how many there are in the graph.
func (t *distinctCounter) countCells(list []yearCells, of int) {
	var years [MaxYears]bitset
	all := make(bitset, wordsFor(of))
	for _, l := range list {
		if years[l.year] == nil {
			years[l.year] = make(bitset, len(all))
		}
		for i := range l.cells {
			years[l.year].set(l.cells[i].ID)
		}
	}
	for y, set := range years {
		t.byYear[y] = set.count()
		all.add(set)
	}
	t.n = all.count()
}
