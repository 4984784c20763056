package graph

import (
	"cmp"
	"math/bits"
	"slices"

	"grantgraph/internal/snapshot/mapped"
)

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
	b, ok := g.buffers.blocks.take()
	if !ok {
		b = new(cellSums)
	}
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
