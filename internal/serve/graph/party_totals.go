package graph

import (
	"math"
	"math/bits"
	"slices"
)

type partyTotals struct {
	Amount      int64
	Grants      uint32
	Others      uint32 // distinct recipients of a funder, funders of a recipient
	First, Last uint8  // numbers of years
	_           [6]uint8
}

type record struct {
	id uint32
	partyTotals
}

func (s *partyTotals) add(amount int64, year uint8) {
	if s.Grants == 0 {
		s.First, s.Last = year, year
	} else {
		s.First, s.Last = min(s.First, year), max(s.Last, year)
	}
	s.Amount += amount
	s.Grants++
}

// run is the totals of a run of rows as they grow.
type run struct {
	amount         int64
	years          uint64 // mask
	grants, others uint32
	id, other      uint32 // of the run, and the latest at the other end
}

func (r *run) record() record {
	return record{r.id, partyTotals{Amount: r.amount, Grants: r.grants, Others: r.others,
		First: uint8(bits.TrailingZeros64(r.years)), Last: uint8(bits.Len64(r.years) - 1)}}
}

// storedRecords goes through the stored totals of all funders or recipients.
func (e *evaluation) storedRecords(list []partyTotals, r *ranker) func(*selectors) error {
	return e.inParts(e.g.evenCuts(0, uint32(len(list))), func(s *selector, from, to int) {
		for i := from; i < to; i++ {
			if sum := &list[i]; !r.skips(s, uint32(i), sum.Amount, sum.Grants) {
				r.add(s, record{uint32(i), *sum})
			}
		}
	})
}

// byFunder sums the rows of each funder. Rows stand in the order of funders and recipients, so a funder is a
// run of rows and each of its recipients a run within it.
func (e *evaluation) byFunder(set *rowset, r *ranker) func(*selectors) error {
	lo, hi := set.bounds()
	return e.inParts(e.g.cuts(lo, hi, e.g.postings.funderRows), func(s *selector, from, to int) {
		e.g.sumFunders(set, uint32(from), uint32(to), func(rec record) { r.add(s, rec) })
	})
}

func (g *Graph) sumFunders(set *rowset, from, to uint32, add func(record)) {
	recips, amounts, years := g.cols.recips, g.cols.amounts, g.cols.years
	var cur run
	set.each(from, to, func(rows []uint32) {
		for len(rows) > 0 {
			if f := g.cols.funders[rows[0]]; f != cur.id || cur.grants == 0 {
				if cur.grants > 0 {
					add(cur.record())
				}
				cur = run{id: f, other: math.MaxUint32}
			}
			// The totals stay in registers as long as the funder is the same.
			end := g.postings.funderRows[cur.id+1]
			amount, mask, others, other := cur.amount, cur.years, cur.others, cur.other
			n := 0
			for ; n < len(rows) && rows[n] < end; n++ {
				row := rows[n]
				to := recips[row]
				if to != other {
					others++
				}
				other = to
				amount += amounts[row]
				mask |= 1 << (years[row] & (MaxYears - 1))
			}
			cur.amount, cur.years, cur.others, cur.other = amount, mask, others, other
			cur.grants += uint32(n)
			rows = rows[n:]
		}
	})
	if cur.grants > 0 {
		add(cur.record())
	}
}

// If fewer than one row in sparse is in a set, gathering these rows is cheaper than
// going through all rows in the order of recipients.
const sparse = 16

// byRecipient sums the rows of each recipient. done must be called after the last run.
func (e *evaluation) byRecipient(set *rowset, r *ranker) (run func(*selectors) error, done func(), err error) {
	g := e.g
	done = func() {}
	if set.short && len(set.list) <= fewRows {
		list := g.fewRecipients(set.list)
		return e.inParts([]int{0, len(list)}, func(s *selector, _, _ int) {
			for _, rec := range list {
				r.add(s, rec)
			}
		}), done, nil
	}
	if set.short || set.count < int64(g.rows)/sparse {
		dense, ids, done, err := e.sumFewRows(set)
		return e.inParts([]int{0, len(ids)}, func(s *selector, _, _ int) {
			for _, id := range ids {
				if sum := &dense[id]; !r.skips(s, id, sum.Amount, sum.Grants) {
					r.add(s, record{id, *sum})
				}
			}
		}), done, err
	}
	concerned := g.missingRecipients(set)
	return e.inParts(g.cuts(0, uint32(g.rows), g.back.rows.off), func(s *selector, from, to int) {
		g.sumRecipients(set.set, concerned, from, to, r, s)
	}), done, nil
}

// sumRecipients sums the rows of each recipient from place from to place to-1 of the order of recipients. words is the set of
// rows. If concerned is not nil, recipients outside of it have all of their rows in the set.
func (g *Graph) sumRecipients(words, concerned bitset, from, to int, r *ranker, s *selector) {
	off, val := g.back.rows.off, g.back.rows.val
	id, _ := slices.BinarySearch(off, uint32(from))
	for pos := from; pos < to; id++ {
		end := int(off[id+1])
		if concerned != nil && !concerned.has(uint32(id)) {
			if sum := &g.sums.recips[id]; !r.skips(s, uint32(id), sum.Amount, sum.Grants) {
				r.add(s, record{uint32(id), *sum})
			}
			pos = end
			continue
		}
		rows, funders, amounts, years := val[pos:end], g.back.funders[pos:end], g.back.amounts[pos:end], g.back.years[pos:end]
		var amount int64
		var mask uint64
		var grants, others uint32
		other := uint32(math.MaxUint32)
		for i, row := range rows {
			// Without branches, because the processor cannot predict whether a row is in the set.
			in := words[row>>6] >> (row & 63) & 1
			f := funders[i]
			var change uint32
			if f != other {
				change = 1
			}
			others += change & uint32(in)
			if in != 0 {
				other = f
			}
			amount += amounts[i] & -int64(in)
			grants += uint32(in)
			mask |= in << (years[i] & (MaxYears - 1))
		}
		if grants > 0 && !r.skips(s, uint32(id), amount, grants) {
			now := run{id: uint32(id), amount: amount, years: mask, grants: grants, others: others}
			r.add(s, now.record())
		}
		pos = end
	}
}

// fewRows is the length up to which a list is added up in a map, so that a small
// question does not borrow an array of all recipients.
const fewRows = 4096

// fewRecipients adds a short list of rows up.
func (g *Graph) fewRecipients(rows []uint32) []record {
	place := make(map[uint32]int, len(rows))
	list := make([]record, 0, len(rows))
	lastFunder, lastRecip := uint32(math.MaxUint32), uint32(math.MaxUint32)
	at := 0
	for _, row := range rows {
		f, to := g.cols.funders[row], g.cols.recips[row]
		if f != lastFunder || to != lastRecip {
			var known bool
			if at, known = place[to]; !known {
				at = len(list)
				place[to] = at
				list = append(list, record{id: to})
			}
			list[at].Others++
			lastFunder, lastRecip = f, to
		}
		list[at].add(g.cols.amounts[row], g.cols.years[row])
	}
	return list
}

// sumFewRows adds the rows up in an array of all recipients, and lists the recipients that have any. done gives the array back.
func (e *evaluation) sumFewRows(set *rowset) (dense []partyTotals, ids []uint32, done func(), err error) {
	g := e.g
	dense = g.buffers.totals.take(func() []partyTotals { return make([]partyTotals, len(g.dict.recips)) })
	ids = make([]uint32, 0, min(set.count, 1<<16))
	done = func() {
		for _, id := range ids {
			dense[id] = partyTotals{}
		}
		g.buffers.totals.give(dense, freeArrays)
	}
	lastFunder, lastRecip := uint32(math.MaxUint32), uint32(math.MaxUint32)
	funders, recips, amounts, years := g.cols.funders, g.cols.recips, g.cols.amounts, g.cols.years
	err = set.chunks(e.ctx, g.grain.chunk, func(rows []uint32) {
		for _, row := range rows {
			f, to := funders[row], recips[row]
			s := &dense[to]
			if s.Grants == 0 {
				ids = append(ids, to)
			}
			if f != lastFunder || to != lastRecip {
				s.Others++
				lastFunder, lastRecip = f, to
			}
			s.add(amounts[row], years[row])
		}
	})
	if err != nil {
		done()
	}
	return dense, ids, done, err
}
