package graph

import (
	"cmp"
	"maps"
	"math/bits"
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
		by := asks[i].By
		if _, some := g.recipientCells(asks[i].Filter, c); by.fine() && c.more || by == GroupRecipient && !some && (!c.always || c.more) {
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

// stateCells are the sums of funders, or of recipients, in each state and year. A question about a few states
// then reads only the funders or recipients that have grants there.
type stateCells struct {
	at    []uint32 // where those of a state and a year begin; years of a state stand together
	cells []StateSum
}

// StateSum is what a funder gave, or what a recipient was given, in a state and
// a year. Those of one state and year are in the order of their numbers.
type StateSum struct {
	ID     uint32
	Grants uint32
	Others uint32 // distinct recipients of a funder, funders of a recipient
	_      [4]uint8
	Amount int64
}

// stateCells adds up all rows of each funder or recipient. starts is where the rows of each begin in order, which is nil for
// the order of the table. others is the other end of each row; within one funder or recipient it ascends.
func (b *builder) stateCells(states int, starts, order, others []uint32) stateCells {
	years := len(b.yearList)
	out := stateCells{at: make([]uint32, states*years+1)}
	last := make([]uint32, states*years) // one more than the party seen last
	each := func(visit func(id uint32, key int, row uint32)) {
		for id := range uint32(len(starts) - 1) {
			for i := starts[id]; i < starts[id+1]; i++ {
				row := i
				if order != nil {
					row = order[i]
				}
				visit(id, int(b.groups.states[row])*years+int(b.years[row]), row)
			}
		}
	}
	each(func(id uint32, key int, _ uint32) {
		if last[key] != id+1 {
			last[key] = id + 1
			out.at[key+1]++
		}
	})
	for key := range last {
		out.at[key+1] += out.at[key]
	}
	out.cells = make([]StateSum, out.at[len(last)])
	clear(last)
	next, other := append([]uint32(nil), out.at...), make([]uint32, len(last))
	each(func(id uint32, key int, row uint32) {
		fresh := last[key] != id+1
		if fresh {
			last[key] = id + 1
			out.cells[next[key]].ID = id
			next[key]++
		}
		c := &out.cells[next[key]-1]
		if fresh || other[key] != others[row] {
			other[key] = others[row]
			c.Others++
		}
		c.Grants++
		c.Amount += b.amounts[row]
	})
	return out
}

func (c *stateCells) layout(s mapped.Layout, name string, keys int) {
	mapped.Field(s, name+".at", &c.at, keys+1)
	mapped.Field(s, name, &c.cells, mapped.AnyLength)
	complete(s, "sums of "+name, c.at, len(c.cells))
}

type yearCells struct {
	year  uint8
	cells []StateSum
}

func (s *stateCells) within(g *Graph, c *cellFilter) (list []yearCells, n int) {
	for state := range g.dict.states {
		if state >= cellStates || !c.states[state] {
			continue
		}
		for year := range g.dict.years {
			at := state*len(g.dict.years) + year
			if cells := s.cells[s.at[at]:s.at[at+1]]; c.years[year] && len(cells) > 0 {
				list = append(list, yearCells{uint8(year), cells})
				n += len(cells)
			}
		}
	}
	return list, n
}

type recipientCells struct {
	lists []yearCells
	cells int    // in all of them
	some  bitset // recipients with a cause that is asked for; nil for all
}

// recipientCells finds the cells of a filter that asks for states, years and
// causes, and not for causes alone. ok is false for other filters.
func (g *Graph) recipientCells(f *Filter, c *cellFilter) (l recipientCells, ok bool) {
	if c.everywhere && c.always || f.FunderKind != "" || f.Exclude != 0 {
		return l, false
	}
	l.lists, l.cells = g.sums.recipStates.within(g, c)
	if !f.Subject.Empty() {
		l.some = g.postings.parties.ofLetters(c)
	}
	return l, true
}

// cuts divides the recipients for several cores, unless their cells are few.
func (l *recipientCells) cuts(g *Graph) []int {
	if l.cells < g.grain.part {
		return []int{0, len(g.dict.recips)}
	}
	return g.evenCuts(0, uint32(len(g.dict.recips)))
}

// cellBlock is how many recipients are added up at a time, at most. Their sums stay in the cache of a core while the lists of
// all states and years are read side by side. An array of all recipients would miss the cache at nearly every cell.
const cellBlock = 1 << 13

// cellSums are the sums of a block of recipients. They are all zero when lent.
type cellSums struct {
	sums    [cellBlock]run
	present [cellBlock / 64]uint64 // those with any
}

// sumRecipientCells adds up the cells of each recipient from number from to number
// to-1. It does not count funders, because a funder may be in several cells.
func (g *Graph) sumRecipientCells(l recipientCells, from, to int, visit func(sum *run)) {
	b := g.buffers.blocks.take(func() *cellSums { return new(cellSums) })
	left := make([][]StateSum, len(l.lists))
	for i := range left {
		cells := l.lists[i].cells
		at, _ := slices.BinarySearchFunc(cells, uint32(from), func(c StateSum, id uint32) int { return cmp.Compare(c.ID, id) })
		left[i] = cells[at:]
	}
	for base := from; base < to; base += g.grain.block {
		end := uint32(min(base+g.grain.block, to))
		for i, cells := range left {
			year, n := uint64(1)<<(l.lists[i].year&(MaxYears-1)), 0
			for ; n < len(cells) && cells[n].ID < end; n++ {
				c := &cells[n]
				at := (c.ID - uint32(base)) & (cellBlock - 1)
				sum := &b.sums[at]
				sum.amount += c.Amount
				sum.grants += c.Grants
				sum.years |= year
				b.present[at>>6] |= 1 << (at & 63)
			}
			left[i] = cells[n:]
		}
		for i, word := range b.present {
			for ; word != 0; word &= word - 1 {
				at := i<<6 + bits.TrailingZeros64(word)
				sum := &b.sums[at]
				if sum.id = uint32(base + at); l.some == nil || l.some.has(sum.id) {
					visit(sum)
				}
				*sum = run{}
			}
			b.present[i] = 0
		}
	}
	g.buffers.blocks.give(b, freeArrays)
}

// byCells is byRecipient for cells. Unless the cells are a single list, it does not count the funders of a recipient.
func (e *evaluation) byCells(l recipientCells, r *ranker) func(*selectors) error {
	if len(l.lists) == 1 {
		year, cells := l.lists[0].year, l.lists[0].cells
		return e.inParts(e.g.evenCuts(0, uint32(len(cells))), func(s *selector, from, to int) {
			for i := range cells[from:to] {
				c := &cells[from+i]
				if (l.some == nil || l.some.has(c.ID)) && !r.skips(s, c.ID, c.Amount, c.Grants) {
					r.add(s, record{c.ID, partyTotals{Amount: c.Amount, Grants: c.Grants, Others: c.Others, First: year, Last: year}})
				}
			}
		})
	}
	return e.inParts(l.cuts(e.g), func(s *selector, from, to int) {
		e.g.sumRecipientCells(l, from, to, func(sum *run) {
			if !r.skips(s, sum.id, sum.amount, sum.grants) {
				r.add(s, sum.record())
			}
		})
	})
}

func (g *Graph) fundersOf(id uint32, c *cellFilter) (n uint32) {
	lo, hi := g.back.rows.off[id], g.back.rows.off[id+1]
	funders, years := g.back.funders[lo:hi], g.back.years[lo:hi]
	last, some := uint32(0), false
	for i, row := range g.back.rows.val[lo:hi] {
		if f := funders[i]; (!some || f != last) && c.years[years[i]%MaxYears] && (c.everywhere || c.states[g.groups.states[row]%cellStates]) {
			last, some = f, true
			n++
		}
	}
	return n
}
