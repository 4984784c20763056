package graph

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
)

// record is the sums of one funder or recipient.
type record struct {
	id uint32
	sums
}

// ranking is a remembered beginning of an ordered aggregate.
type ranking struct {
	first []record
	hits  int64
}

// remembered is how many records of a ranking are kept at least, so that the
// next pages need no new evaluation.
const remembered = 128

// Funders returns one page of the funders that have rows satisfying the
// filter, with the totals of these rows, and how many such funders there are.
// It orders by ByAmount (the total), ByCount (the number of grants),
// ByFunderName and ByFunderState; any other key is ErrOrder. Funders that are
// equal in the key are ordered by total descending, then by EIN ascending.
func (g *Graph) Funders(ctx context.Context, f *Filter, s Sort, p Page) (rows []FunderTotal, hits int64, err error) {
	if err := g.begin(); err != nil {
		return nil, 0, err
	}
	defer g.mu.RUnlock()
	var label func(id uint32) uint32
	switch s.By {
	case ByAmount, ByCount:
	case ByFunderName:
		label = func(id uint32) uint32 { return g.funder[id].Name }
	case ByFunderState:
		label = func(id uint32) uint32 { return g.funder[id].State }
	default:
		return nil, 0, fmt.Errorf("funders: %w", ErrOrder)
	}
	r, err := g.ranking(ctx, 'f', f, s, p, label)
	if err != nil {
		return nil, 0, err
	}
	read := g.reader()
	from, to := p.within(r.hits)
	rows = make([]FunderTotal, 0, to-from)
	for i := range r.first[from:to] {
		rec := &r.first[from+int64(i)]
		rows = append(rows, FunderTotal{
			Funder: read.funder(rec.id), Total: rec.Amount, Grants: int64(rec.Grants), Recipients: int64(rec.Others),
			FirstYear: int(g.yearList[rec.First]), LastYear: int(g.yearList[rec.Last]),
		})
	}
	return rows, r.hits, nil
}

// Recipients returns one page of the recipient identities that have rows
// satisfying the filter, with the totals of these rows, and how many such
// recipients there are. It orders by ByAmount (the total), ByCount (the number
// of grants), ByRecipName and ByRecipState (of the recipient, not of its
// rows); any other key is ErrOrder. Recipients that are equal in the key are
// ordered by total descending, then by identity ascending.
func (g *Graph) Recipients(ctx context.Context, f *Filter, s Sort, p Page) (rows []RecipientTotal, hits int64, err error) {
	if err := g.begin(); err != nil {
		return nil, 0, err
	}
	defer g.mu.RUnlock()
	var label func(id uint32) uint32
	switch s.By {
	case ByAmount, ByCount:
	case ByRecipName:
		label = func(id uint32) uint32 { return g.recip[id].Name }
	case ByRecipState:
		label = func(id uint32) uint32 { return g.recip[id].State }
	default:
		return nil, 0, fmt.Errorf("recipients: %w", ErrOrder)
	}
	r, err := g.ranking(ctx, 'r', f, s, p, label)
	if err != nil {
		return nil, 0, err
	}
	read := g.reader()
	from, to := p.within(r.hits)
	rows = make([]RecipientTotal, 0, to-from)
	for i := range r.first[from:to] {
		rec := &r.first[from+int64(i)]
		rows = append(rows, RecipientTotal{
			Recipient: read.recipient(rec.id), Total: rec.Amount, Grants: int64(rec.Grants), Funders: int64(rec.Others),
			FirstYear: int(g.yearList[rec.First]), LastYear: int(g.yearList[rec.Last]),
		})
	}
	return rows, r.hits, nil
}

// ranking orders funders ('f') or recipients ('r'), at least as far as the end
// of the page. label is the number of the string they are ordered by, if any.
func (g *Graph) ranking(ctx context.Context, endpoint byte, f *Filter, s Sort, p Page, label func(id uint32) uint32) (*ranking, error) {
	name := cacheKey(endpoint, f, s, Page{})
	if found, ok := g.cache.get(name); ok {
		r := found.(*ranking)
		if _, to := p.within(r.hits); to <= int64(len(r.first)) {
			return r, nil
		}
	}
	all, byTotal := g.funderSums, g.funderTop
	if endpoint == 'r' {
		all, byTotal = g.recipSums, g.recipTop
	}
	_, to := p.within(int64(len(all)))
	r := &ranker{label: label, byCount: s.By == ByCount, k: int(max(to, min(int64(len(all)), remembered))), sign: -1}
	if s.Asc {
		r.sign = 1
	}
	q := g.ask(ctx)
	defer q.end()
	set, err := q.filter(f)
	if err != nil {
		return nil, err
	}
	switch {
	case set.all && s.By == ByAmount && !s.Asc:
		out := &ranking{first: make([]record, r.k), hits: int64(len(all))}
		for i, id := range byTotal[:r.k] {
			out.first[i] = record{id, all[id]}
		}
		return out, nil
	case set.all:
		err = q.storedRecords(all, r)
	case endpoint == 'f':
		err = q.byFunder(&set, r)
	default:
		err = q.byRecipient(&set, r)
	}
	if err != nil {
		return nil, err
	}
	list := merge(r.parts, r.k)
	out := &ranking{first: make([]record, len(list))}
	for i := range list {
		out.first[i] = record{list[i].id, list[i].sums}
	}
	for i := range r.parts {
		out.hits += r.parts[i].pushed
	}
	g.cache.put(name, out, 32*len(list)+64)
	return out, nil
}

// ranker takes the records of an aggregate as they are made, in several parts
// at once, and keeps the first.
type ranker struct {
	label   func(id uint32) uint32
	byCount bool
	sign    int64
	k       int
	parts   []top
}

func (r *ranker) divide(parts int) {
	r.parts = make([]top, parts)
	for i := range r.parts {
		r.parts[i].k = r.k
	}
}

// add takes one record of a part.
func (r *ranker) add(part int, rec record) {
	t := &r.parts[part]
	t.pushed++
	var key int64
	switch {
	case r.label != nil:
		key = int64(r.label(rec.id))
	case r.byCount:
		key = int64(rec.Grants)
	default:
		key = rec.Amount
	}
	if !t.late(r.sign * key) {
		t.push(item{r.sign * key, rec.id, rec.sums})
	}
}

// passes counts a record that is not among the first for certain and need not
// be made. Most are such.
func (r *ranker) passes(part int, amount int64, grants uint32) bool {
	if r.label != nil {
		return false
	}
	if r.byCount {
		amount = int64(grants)
	}
	t := &r.parts[part]
	if !t.late(r.sign * amount) {
		return false
	}
	t.pushed++
	return true
}

// storedRecords are those of the whole corpus.
func (q *question) storedRecords(list []sums, r *ranker) error {
	at := q.g.evenCuts(0, uint32(len(list)))
	r.divide(len(at) - 1)
	return q.g.parts(q.ctx, at, func(part, from, to int) {
		for i := from; i < to; i++ {
			if s := &list[i]; !r.passes(part, s.Amount, s.Grants) {
				r.add(part, record{uint32(i), *s})
			}
		}
	})
}

// evenCuts divides the numbers from lo to hi-1 for several cores.
func (g *Graph) evenCuts(lo, hi uint32) []int {
	out := []int{int(lo)}
	size := max(int(hi-lo)/(4*runtime.GOMAXPROCS(0)), g.grain.part)
	for at := int(lo) + size; at < int(hi); at += size {
		out = append(out, at)
	}
	return append(out, int(hi))
}

// cuts divides the rows from lo to hi-1 so that no key is divided: ends are the
// positions at which keys begin.
func (g *Graph) cuts(lo, hi uint32, ends []uint32) []int {
	out := []int{int(lo)}
	size := max(uint64(hi-lo)/uint64(4*runtime.GOMAXPROCS(0)), uint64(g.grain.part))
	for at := uint64(lo) + size; at < uint64(hi); {
		i, _ := slices.BinarySearch(ends, uint32(at))
		if i == len(ends) || ends[i] >= hi {
			break
		}
		out = append(out, int(ends[i]))
		at = uint64(ends[i]) + size
	}
	return append(out, int(hi))
}

// byFunder sums the rows of each funder. Rows stand in the order of funders
// and recipients, so a funder is a run of rows and each of its recipients a
// run within it.
func (q *question) byFunder(set *rowset, r *ranker) error {
	g := q.g
	lo, hi := set.bounds()
	at := g.cuts(lo, hi, g.funderRows)
	r.divide(len(at) - 1)
	return g.parts(q.ctx, at, func(part, from, to int) {
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
	return g.parts(q.ctx, at, func(part, from, to int) {
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
