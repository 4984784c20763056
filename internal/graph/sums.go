package graph

import (
	"math"
	"math/bits"
	"slices"
)

// sums are the totals of the rows of one funder or recipient.
type sums struct {
	Amount      int64
	Grants      uint32
	Others      uint32 // distinct recipients of a funder, funders of a recipient
	First, Last uint8  // numbers of years
	_           [6]uint8
}

// record is the sums of one funder or recipient.
type record struct {
	id uint32
	sums
}

// add takes a row into the sums.
func (s *sums) add(amount int64, year uint8) {
	if s.Grants == 0 {
		s.First, s.Last = year, year
	} else {
		s.First, s.Last = min(s.First, year), max(s.Last, year)
	}
	s.Amount += amount
	s.Grants++
}

// run is the sums of a run of rows as they grow.
type run struct {
	amount         int64
	years          uint64 // mask
	grants, others uint32
	id, other      uint32 // of the run, and the latest at the other end
}

func (r *run) record() record {
	return record{r.id, sums{Amount: r.amount, Grants: r.grants, Others: r.others,
		First: uint8(bits.TrailingZeros64(r.years)), Last: uint8(bits.Len64(r.years) - 1)}}
}

// storedRecords are those of the whole corpus.
func (q *question) storedRecords(list []sums, r *ranker) error {
	at := q.g.evenCuts(0, uint32(len(list)))
	r.divide(len(at) - 1)
	return inParts(q.ctx, at, func(part, from, to int) {
		for i := from; i < to; i++ {
			if s := &list[i]; !r.passes(part, s.Amount, s.Grants) {
				r.add(part, record{uint32(i), *s})
			}
		}
	})
}

// byFunder sums the rows of each funder. Rows stand in the order of funders
// and recipients, so a funder is a run of rows and each of its recipients a
// run within it.
func (q *question) byFunder(set *rowset, r *ranker) error {
	g := q.g
	lo, hi := set.bounds()
	at := g.cuts(lo, hi, g.funderRows)
	r.divide(len(at) - 1)
	return inParts(q.ctx, at, func(part, from, to int) {
		recips, amounts, years := g.recips, g.amounts, g.years
		var cur run
		set.each(uint32(from), uint32(to), func(rows []uint32) {
			for len(rows) > 0 {
				if f := g.funders[rows[0]]; f != cur.id || cur.grants == 0 {
					if cur.grants > 0 {
						r.add(part, cur.record())
					}
					cur = run{id: f, other: math.MaxUint32}
				}
				// The sums stay in registers as long as the funder is the same.
				end := g.funderRows[cur.id+1]
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
					mask |= 1 << (years[row] & (maxYears - 1))
				}
				cur.amount, cur.years, cur.others, cur.other = amount, mask, others, other
				cur.grants += uint32(n)
				rows = rows[n:]
			}
		})
		if cur.grants > 0 {
			r.add(part, cur.record())
		}
	})
}

// Where less than one row in sparse is there, it is cheaper to gather these than
// to go through all rows in the order of recipients.
const sparse = 16

// byRecipient sums the rows of each recipient.
func (q *question) byRecipient(set *rowset, r *ranker) error {
	g := q.g
	if set.short || set.count < int64(g.rows)/sparse {
		return q.gatherRecipients(set, r)
	}
	// Of nearly all rows, few recipients miss any; the sums of the others are
	// those that are stored.
	var concerned bitset
	if missing, few := g.missing(set); few {
		concerned = touched(missing, g.recips, len(g.recip))
	}
	at := g.cuts(0, uint32(g.rows), g.recipRows.off)
	r.divide(len(at) - 1)
	words := set.set // empty outside of its range
	return inParts(q.ctx, at, func(part, from, to int) {
		off, val := g.recipRows.off, g.recipRows.val
		id, _ := slices.BinarySearch(off, uint32(from))
		for pos := from; pos < to; id++ {
			end := int(off[id+1])
			if concerned != nil && !concerned.has(uint32(id)) {
				if s := &g.recipSums[id]; !r.passes(part, s.Amount, s.Grants) {
					r.add(part, record{uint32(id), *s})
				}
				pos = end
				continue
			}
			rows, funders, amounts, years := val[pos:end], g.backFunders[pos:end], g.backAmounts[pos:end], g.backYears[pos:end]
			var amount int64
			var mask uint64
			var grants, others uint32
			other := uint32(math.MaxUint32)
			for i, row := range rows {
				// Without branches: whether a row is in the set is anybody's guess.
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
				mask |= in << (years[i] & (maxYears - 1))
			}
			if grants > 0 && !r.passes(part, amount, grants) {
				now := run{id: uint32(id), amount: amount, years: mask, grants: grants, others: others}
				r.add(part, now.record())
			}
			pos = end
		}
	})
}

// gatherRecipients adds the rows up in an array of all recipients, of which
// few are touched.
func (q *question) gatherRecipients(set *rowset, r *ranker) error {
	g := q.g
	r.divide(1)
	dense, ok := g.scratch.sums.take()
	if !ok {
		dense = make([]sums, len(g.recip))
	}
	touched := make([]uint32, 0, min(set.count, 1<<16))
	defer func() {
		for _, id := range touched {
			dense[id] = sums{}
		}
		g.scratch.sums.give(dense)
	}()
	lastFunder, lastRecip := uint32(math.MaxUint32), uint32(math.MaxUint32)
	funders, recips, amounts, years := g.funders, g.recips, g.amounts, g.years
	err := set.chunks(q.ctx, g.grain.chunk, func(rows []uint32) {
		for _, row := range rows {
			f, to := funders[row], recips[row]
			s := &dense[to]
			if s.Grants == 0 {
				touched = append(touched, to)
			}
			if f != lastFunder || to != lastRecip {
				s.Others++
				lastFunder, lastRecip = f, to
			}
			s.add(amounts[row], years[row])
		}
	})
	if err != nil {
		return err
	}
	for _, id := range touched {
		r.add(0, record{id, dense[id]})
	}
	return nil
}
