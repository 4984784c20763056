package graph

import (
	"grantgraph/internal/snapshot/mapped"
)

// stateCells are the sums of funders, or of recipients, in each state and year. A
// question about a few states then looks at those who are there and at nobody
// else.
type stateCells struct {
	at    []uint32 // where those of a state and a year begin; years of a state stand together
	cells []stateCell
}

// stateCell is what a funder gave, or what a recipient was given, in a state and
// a year. Those of one state and year are in the order of their numbers.
type stateCell struct {
	ID     uint32
	Grants uint32
	Others uint32 // distinct recipients of a funder, funders of a recipient
	_      [4]uint8
	Amount int64
}

// stateCells adds up all rows of each funder or recipient. starts is where the
// rows of each begin in order; others is who is at the other end of a row, and of
// one party it ascends.
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
	out.cells = make([]stateCell, out.at[len(last)])
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

func (s *stateCells) write(w *mapped.Writer, name string) {
	mapped.Add(w, name+".at", s.at)
	mapped.Add(w, name, s.cells)
}

func openStateCells(f *mapped.File, name string, states, years int) stateCells {
	s := stateCells{mapped.Column[uint32](f, name+".at", states*years+1), mapped.Column[stateCell](f, name, mapped.AnyLength)}
	if f.Err() == nil && int(s.at[states*years]) != len(s.cells) {
		f.Fail("the sums of %s are incomplete", name)
	}
	return s
}

// yearCells are the cells of one state and year.
type yearCells struct {
	year  uint8
	cells []stateCell
}

// within lists the cells of the states and years of a filter, and says how many
// they are.
func (s *stateCells) within(g *Graph, c *cellFilter) (list []yearCells, n int) {
	for state := range g.stateList {
		if state >= cellStates || !c.states[state] {
			continue
		}
		for year := range g.yearList {
			at := state*len(g.yearList) + year
			if cells := s.cells[s.at[at]:s.at[at+1]]; c.years[year] && len(cells) > 0 {
				list = append(list, yearCells{uint8(year), cells})
				n += len(cells)
			}
		}
	}
	return list, n
}

// Cells are worth a look where they are at most one for so many rows: they are
// gone through in the order of states, and all rows in the order of recipients.
const cellRows = 8

// recipientsOfStates finds the cells of recipients of a filter that asks for
// states and, beside them, for years and causes alone. some is the recipients
// with such a cause, nil for all.
func (g *Graph) recipientsOfStates(f *Filter) (c *cellFilter, list []yearCells, some bitset, ok bool) {
	if len(f.Place.Values) == 0 || f.FunderKind != "" || f.Exclude != 0 {
		return nil, nil, nil, false
	}
	if c, ok = g.cellFilter(f); !ok {
		return nil, nil, nil, false
	}
	list, n := g.recipCells.within(g, c)
	if n > g.rows/cellRows {
		return nil, nil, nil, false
	}
	if !f.Subject.Empty() {
		some = g.parties.ofLetters(c)
	}
	return c, list, some, true
}

// byState is byRecipient for what recipientsOfStates found. Unless it is a single
// list, how many funders each recipient has is left open.
func (e *evaluation) byState(list []yearCells, some bitset, r *ranker) (run func(*selectors) error, done func(), err error) {
	if len(list) == 1 {
		year, cells := list[0].year, list[0].cells
		at := e.g.evenCuts(0, uint32(len(cells)))
		return func(p *selectors) error {
			return betweenCuts(e.ctx, at, func(_, from, to int) {
				s := p.take()
				defer p.give(s)
				for i := range cells[from:to] {
					c := &cells[from+i]
					if (some == nil || some.has(c.ID)) && !r.skips(s, c.Amount, c.Grants) {
						r.add(s, record{c.ID, partyTotals{Amount: c.Amount, Grants: c.Grants, Others: c.Others, First: year, Last: year}})
					}
				}
			})
		}, func() {}, nil
	}
	dense, ids, done := e.sumStateCells(list, some)
	return func(p *selectors) error {
		s := p.take()
		for _, id := range ids {
			if sum := &dense[id]; !r.skips(s, sum.Amount, sum.Grants) {
				r.add(s, record{id, *sum})
			}
		}
		return e.ctx.Err()
	}, done, e.ctx.Err()
}

// sumStateCells adds cells of recipients up in an array of all of them, but for
// the number of funders. done gives the array back.
func (e *evaluation) sumStateCells(list []yearCells, some bitset) (dense []partyTotals, ids []uint32, done func()) {
	g := e.g
	dense, ok := g.buffers.totals.take()
	if !ok {
		dense = make([]partyTotals, len(g.recip))
	}
	for _, l := range list {
		if e.ctx.Err() != nil {
			break
		}
		for i := range l.cells {
			c := &l.cells[i]
			if some != nil && !some.has(c.ID) {
				continue
			}
			s := &dense[c.ID]
			if s.Grants == 0 {
				ids = append(ids, c.ID)
				s.First, s.Last = l.year, l.year
			}
			s.First, s.Last = min(s.First, l.year), max(s.Last, l.year)
			s.Grants += c.Grants
			s.Amount += c.Amount
		}
	}
	return dense, ids, func() {
		for _, id := range ids {
			dense[id] = partyTotals{}
		}
		g.buffers.totals.give(dense, freeArrays)
	}
}

// fundersOf counts the funders of a recipient in the states and years of a
// filter.
func (g *Graph) fundersOf(id uint32, c *cellFilter) (n uint32) {
	lo, hi := g.recipRows.off[id], g.recipRows.off[id+1]
	funders, years := g.backFunders[lo:hi], g.backYears[lo:hi]
	last, some := uint32(0), false
	for i, row := range g.recipRows.val[lo:hi] {
		if f := funders[i]; (!some || f != last) && c.years[years[i]%maxYears] && c.states[g.groups.states[row]%cellStates] {
			last, some = f, true
			n++
		}
	}
	return n
}
