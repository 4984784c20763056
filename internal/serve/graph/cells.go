package graph

import (
	"maps"
	"slices"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot/mapped"
)

// cells are the sums of all rows by year, state, cause, kind of funder and class, and by year and state with
// county or strategies. A question about these alone reads thousands of sums instead of millions of rows.
type cells struct{ all, counties, supports keyedSums }

type keyedSums struct {
	keys []uint32 // ascending
	sums []Cost   // of each key
}

func newKeyedSums(from map[uint32]Cost) (k keyedSums) {
	k.keys = slices.Sorted(maps.Keys(from))
	for _, key := range k.keys {
		k.sums = append(k.sums, from[key])
	}
	return k
}

func (k *keyedSums) layout(s mapped.Layout, name string) {
	mapped.Field(s, name+".keys", &k.keys, mapped.AnyLength)
	mapped.Field(s, name+".sums", &k.sums, len(k.keys))
}

// The parts of a key. Of states there is room for many more than there are.
const (
	cellStates  = 1 << 10
	cellLetters = 1 << 6
	cellKinds   = 1 << 3
	cellClasses = 1 << classes
	noCellKind  = cellKinds - 1
)

func cellKey(year uint8, state uint16, letter, kind, class uint8) uint32 {
	key := uint32(year)
	key = key*cellStates + uint32(state)
	key = key*cellLetters + uint32(letter)
	key = key*cellKinds + uint32(kind)
	return key*cellClasses + uint32(class)
}

func cellParts(key uint32) (year, state, letter, kind, class uint32) {
	class, key = key%cellClasses, key/cellClasses
	kind, key = key%cellKinds, key/cellKinds
	letter, key = key%cellLetters, key/cellLetters
	return key / cellStates % MaxYears, key % cellStates, letter, kind, class
}

// fineKey is a key of a year and a state with a county or a set of strategies, which takes so many bits. A
// county is in one state, but for lines that name another state than their ZIP code.
func fineKey(year uint8, state, value uint16, bits uint) uint32 {
	return (uint32(year)*cellStates+uint32(state))<<bits | uint32(value)
}

const (
	countyBits  = 16
	supportBits = grant.Strategies
)

// makeCells adds all rows up. If there are more states than a key has room for, it makes no cells, and questions read rows.
func (b *builder) makeCells(states int) (c cells) {
	if states > cellStates {
		return c
	}
	x := &b.groups
	sums, counties, supports := map[uint32]Cost{}, map[uint32]Cost{}, map[uint32]Cost{}
	put := func(to map[uint32]Cost, key uint32, amount int64) {
		sum := to[key]
		sum.add(amount)
		to[key] = sum
	}
	for row := range b.rows {
		kind := uint8(noCellKind)
		if k := b.funder[b.funders[row]].Kind; k != noKind {
			kind = uint8(k)
		}
		put(sums, cellKey(b.years[row], x.states[row], x.letters[row], kind, b.flags[row]&classMask), b.amounts[row])
		put(counties, fineKey(b.years[row], x.states[row], x.counties[row], countyBits), b.amounts[row])
		put(supports, fineKey(b.years[row], x.states[row], b.supports[row]&(supportSets-1), supportBits), b.amounts[row])
	}
	return cells{newKeyedSums(sums), newKeyedSums(counties), newKeyedSums(supports)}
}

func (c *cells) layout(s mapped.Layout) {
	c.all.layout(s, "cell")
	c.counties.layout(s, "cell.county")
	c.supports.layout(s, "cell.support")
}

// cellFilter says of each part of a key which values a filter takes.
type cellFilter struct {
	years   [MaxYears]bool
	states  [cellStates]bool
	letters [cellLetters]bool
	kinds   [cellKinds]bool
	classes [cellClasses]bool

	everywhere bool // it asks for no state
	always     bool // it asks for no years, or for all
	more       bool // it asks for more than years and states
}

// has reports whether a filter takes a cell.
func (c *cellFilter) has(year, state, letter, kind, class uint32) bool {
	return c.years[year] && c.states[state] && c.letters[letter] && c.kinds[kind] && c.classes[class]
}

func all[T any](list []T, value T) {
	for i := range list {
		list[i] = value
	}
}

// cellFilter reads a filter that cells can answer. ok is false for other filters.
func (g *Graph) cellFilter(f *Filter) (c *cellFilter, ok bool) {
	other := *f
	other.Years, other.FunderKind, other.Exclude = nil, "", 0
	if f.Place.Of == RecipientPlace && f.Place.Kind == State {
		other.Place.Values = nil
	}
	other.Subject = ntee.Subject{}
	if !other.empty() || f.inferredOnly || len(g.sums.cells.all.keys) == 0 {
		return nil, false
	}
	c = &cellFilter{everywhere: len(f.Place.Values) == 0, more: f.FunderKind != "" || f.Exclude != 0 || !f.Subject.Empty()}
	if y, some := g.yearCond(f.Years); some {
		for i := range c.years {
			c.years[i] = y.years>>i&1 != 0
		}
	} else {
		c.always = true
		all(c.years[:], true)
	}
	all(c.states[:], c.everywhere)
	if match := g.placeMatcher(State, f.Place.Values); !c.everywhere {
		for i, s := range g.dict.states {
			c.states[i] = match(&placeRecord{State: s})
		}
	}
	all(c.letters[:], f.Subject.Empty())
	for _, it := range f.Subject.Items {
		if it.Kind == ntee.Prefix {
			return nil, false
		}
		for m := range majors {
			if it.Majors>>m&1 != 0 {
				c.letters[1+m] = true
				c.letters[1+majors+m] = c.letters[1+majors+m] || f.SubjectBasis == ntee.Any
			}
		}
	}
	all(c.kinds[:], f.FunderKind == "")
	if k, known := kindNumbers.parse(f.FunderKind); known {
		c.kinds[k] = true
	}
	for i := range c.classes {
		c.classes[i] = uint8(i)&uint8(f.Exclude) == 0
	}
	return c, true
}

// fromCells answers the groupings of one filter from the cells. ok is false if rows must be read.
func (g *Graph) fromCells(asks []GroupsOf) (t *tables, ok bool) {
	c, ok := g.cellFilter(asks[0].Filter)
	if !ok {
		return nil, false
	}
	for i := range asks {
		if by := asks[i].By; by == GroupRecipient || by.fine() && c.more {
			return nil, false
		}
	}
	t = &tables{}
	for i := range asks {
		if by := asks[i].By; by.fine() {
			g.addFineCells(t, c, by)
		} else if t.years == nil {
			g.addCells(t, c)
		}
	}
	return t, true
}

// fine reports whether a grouping has cells of its own, by years and states alone.
func (by Grouping) fine() bool { return by == GroupCounty || by == GroupSupport || by == GroupFunder }

func (g *Graph) addCells(t *tables, c *cellFilter) {
	t.years, t.states, t.letters, t.kinds = make([]Cost, MaxYears), make([]Cost, cellStates), make([]Cost, cellLetters), make([]Cost, cellKinds)
	for i, key := range g.sums.cells.all.keys {
		if year, state, letter, kind, class := cellParts(key); c.has(year, state, letter, kind, class) {
			sum := g.sums.cells.all.sums[i]
			t.years[year].merge(sum, 1)
			t.states[state].merge(sum, 1)
			t.letters[letter].merge(sum, 1)
			t.kinds[kind].merge(sum, 1)
		}
	}
	t.states, t.letters = t.states[:len(g.dict.states)], t.letters[:letters]
}

// within adds up the sums with fine keys in the years and states of a filter, by value.
func (k *keyedSums) within(c *cellFilter, bits uint, values int) []Cost {
	out := make([]Cost, values)
	for i, key := range k.keys {
		at, value := key>>bits, int(key&(1<<bits-1))
		if c.years[at/cellStates%MaxYears] && c.states[at%cellStates] && value < values {
			out[value].merge(k.sums[i], 1)
		}
	}
	return out
}

// addFineCells fills the table of counties, strategies or funders, for a filter that asks for years and states alone.
func (g *Graph) addFineCells(t *tables, c *cellFilter, by Grouping) {
	switch by {
	case GroupCounty:
		t.counties = g.sums.cells.counties.within(c, countyBits, len(g.groups.countyList))
	case GroupSupport:
		t.supports = g.sums.cells.supports.within(c, supportBits, supportSets)
	case GroupFunder:
		t.funders = make([]Cost, len(g.dict.funders))
		if c.everywhere {
			for f := range t.funders {
				for _, p := range g.sums.giving.yearsOf(uint32(f)) {
					if c.years[p.Year%MaxYears] {
						t.funders[f].merge(Cost{Amount: p.Amount, Grants: int64(p.Grants)}, 1)
					}
				}
			}
			return
		}
		list, _ := g.sums.funderStates.within(g, c)
		for _, l := range list {
			for i := range l.cells {
				p := &l.cells[i]
				t.funders[p.ID].merge(Cost{Amount: p.Amount, Grants: int64(p.Grants)}, 1)
			}
		}
	}
}

// recipientsFromCells is the recipients with the most dollars for a filter that
// asks for years, states and causes alone. ok is false for other filters.
func (e *evaluation) recipientsFromCells(a *GroupsOf) (out *best, ok bool, err error) {
	g := e.g
	c, ok := g.cellFilter(a.Filter)
	if !ok {
		return nil, false, nil
	}
	if c.everywhere && c.always && !c.more {
		all := newBest(a.Top, g.sums.unnamed)
		for _, id := range g.sums.recipTop[:min(a.Top, len(g.sums.recipTop))] {
			s := &g.sums.recips[id]
			all.List = append(all.List, all.one(id, Cost{Amount: s.Amount, Grants: int64(s.Grants)}))
		}
		all.count, all.whole = g.sums.all.Recipients, Cost{Amount: g.sums.all.Amount, Grants: g.sums.all.Grants}
		return &all, true, e.ctx.Err()
	}
	list, ok := g.recipientCells(a.Filter, c)
	if !ok {
		return nil, false, nil
	}
	start := func() best { return newBest(a.Top, g.sums.unnamed) }
	parts, err := inParts(e.ctx, list.cuts(g), start, func(b *best, from, to int) {
		g.sumRecipientCells(list, from, to, func(sum *run) {
			b.add(sum.id, Cost{Amount: sum.amount, Grants: int64(sum.grants)})
		})
	})
	return bestOf(a.Top, g.sums.unnamed, parts), true, err
}
