package graph

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
