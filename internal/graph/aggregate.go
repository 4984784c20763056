package graph

import (
	"cmp"
	"context"
	"fmt"
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
const remembered = 1024

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
	var key func(*record) int64
	switch s.By {
	case ByAmount, ByCount:
		key = sumKey(s.By)
	case ByFunderName:
		key = func(r *record) int64 { return int64(g.funder[r.id].Name) }
	case ByFunderState:
		key = func(r *record) int64 { return int64(g.funder[r.id].State) }
	default:
		return nil, 0, fmt.Errorf("funders: %w", ErrOrder)
	}
	r, err := g.ranking(ctx, 'f', f, s, p, key)
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
	var key func(*record) int64
	switch s.By {
	case ByAmount, ByCount:
		key = sumKey(s.By)
	case ByRecipName:
		key = func(r *record) int64 { return int64(g.recip[r.id].Name) }
	case ByRecipState:
		key = func(r *record) int64 { return int64(g.recip[r.id].State) }
	default:
		return nil, 0, fmt.Errorf("recipients: %w", ErrOrder)
	}
	r, err := g.ranking(ctx, 'r', f, s, p, key)
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

func sumKey(by Order) func(*record) int64 {
	if by == ByCount {
		return func(r *record) int64 { return int64(r.Grants) }
	}
	return func(r *record) int64 { return r.Amount }
}

// ranking orders funders ('f') or recipients ('r'), at least as far as the end
// of the page.
func (g *Graph) ranking(ctx context.Context, endpoint byte, f *Filter, s Sort, p Page, key func(*record) int64) (*ranking, error) {
	name := cacheKey(endpoint, f, s, Page{})
	if found, ok := g.cache.get(name); ok {
		r := found.(*ranking)
		if _, to := p.within(r.hits); to <= int64(len(r.first)) {
			return r, nil
		}
	}
	if f.empty() {
		return g.wholeRanking(ctx, endpoint, s, p, key, name)
	}
	q := g.ask(ctx)
	defer q.end()
	set, err := q.filter(f)
	if err != nil {
		return nil, err
	}
	var parts [][]record
	if endpoint == 'f' {
		parts, err = q.byFunder(&set)
	} else {
		parts, err = q.byRecipient(&set)
	}
	if err != nil {
		return nil, err
	}
	var hits int64
	for _, part := range parts {
		hits += int64(len(part))
	}
	_, to := p.within(hits)
	best := newTop(s.Asc, int(max(to, min(hits, remembered))))
	for _, part := range parts {
		for i := range part {
			best.push(ranked{key(&part[i]), part[i]})
		}
	}
	return g.remember(name, best, hits), nil
}

// wholeRanking is ranking for the whole corpus, whose sums are stored.
func (g *Graph) wholeRanking(ctx context.Context, endpoint byte, s Sort, p Page, key func(*record) int64, name string) (*ranking, error) {
	list, byTotal := g.funderSums, g.funderTop
	if endpoint == 'r' {
		list, byTotal = g.recipSums, g.recipTop
	}
	hits := int64(len(list))
	_, to := p.within(hits)
	k := int(max(to, min(hits, remembered)))
	if s.By == ByAmount && !s.Asc {
		out := &ranking{first: make([]record, k), hits: hits}
		for i, id := range byTotal[:k] {
			out.first[i] = record{id, list[id]}
		}
		return out, ctx.Err()
	}
	best := newTop(s.Asc, k)
	for i := range list {
		r := record{uint32(i), list[i]}
		best.push(ranked{key(&r), r})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return g.remember(name, best, hits), nil
}

// ranked is a record with the number it is ordered by.
type ranked struct {
	key int64
	record
}

func newTop(asc bool, k int) *top[ranked] {
	sign := -1
	if asc {
		sign = 1
	}
	return &top[ranked]{k: k, compare: func(a, b ranked) int {
		if a.key != b.key {
			return sign * cmp.Compare(a.key, b.key)
		}
		if a.Amount != b.Amount {
			return cmp.Compare(b.Amount, a.Amount)
		}
		return cmp.Compare(a.id, b.id)
	}}
}

func (g *Graph) remember(name string, best *top[ranked], hits int64) *ranking {
	list := best.sorted()
	r := &ranking{first: make([]record, len(list)), hits: hits}
	for i := range list {
		r.first[i] = list[i].record
	}
	g.cache.put(name, r, 32*len(list)+64)
	return r
}

// cuts divides the rows from lo to hi-1 so that no key is divided: ends are the
// positions at which keys begin.
func cuts(lo, hi uint32, ends []uint32) []int {
	out := []int{int(lo)}
	size := max(uint64(hi-lo)/uint64(4*runtime.GOMAXPROCS(0)), 1<<15)
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
func (q *question) byFunder(set *rowset) ([][]record, error) {
	g := q.g
	lo, hi := set.bounds()
	at := cuts(lo, hi, g.funderRows)
	parts := make([][]record, len(at)-1)
	err := g.parts(q.ctx, at, func(i, from, to int) {
		var list []record
		var cur record
		var other uint32
		set.each(uint32(from), uint32(to), func(rows []uint32) {
			for _, row := range rows {
				f, r := g.funders[row], g.recips[row]
				if f != cur.id || cur.Grants == 0 {
					if cur.Grants > 0 {
						list = append(list, cur)
					}
					cur = record{id: f}
					cur.Others = 1
				} else if r != other {
					cur.Others++
				}
				other = r
				cur.add(g.amounts[row], g.years[row])
			}
		})
		if cur.Grants > 0 {
			list = append(list, cur)
		}
		parts[i] = list
	})
	return parts, err
}

// sparse is the part of the rows below which it is cheaper to gather what is
// there than to go through all rows in the order of recipients.
const sparse = 16

// byRecipient sums the rows of each recipient.
func (q *question) byRecipient(set *rowset) ([][]record, error) {
	g := q.g
	if set.short || set.count < int64(g.rows)/sparse {
		return q.gatherRecipients(set)
	}
	at := cuts(0, uint32(g.rows), g.recipRows.off)
	parts := make([][]record, len(at)-1)
	err := g.parts(q.ctx, at, func(i, from, to int) {
		var list []record
		first, _ := slices.BinarySearch(g.recipRows.off, uint32(from))
		pos := from
		for id := uint32(first); pos < to; id++ {
			end := int(g.recipRows.off[id+1])
			cur := record{id: id}
			other := uint32(0)
			for ; pos < end; pos++ {
				if row := g.recipRows.val[pos]; set.all || set.set.has(row) && row >= set.lo && row < set.hi {
					if f := g.backFunders[pos]; f != other || cur.Grants == 0 {
						cur.Others++
						other = f
					}
					cur.add(g.backAmounts[pos], g.backYears[pos])
				}
			}
			if cur.Grants > 0 {
				list = append(list, cur)
			}
		}
		parts[i] = list
	})
	return parts, err
}

// gatherRecipients adds the rows up in an array of all recipients, of which
// few are touched.
func (q *question) gatherRecipients(set *rowset) ([][]record, error) {
	g := q.g
	dense := q.recipSums()
	var touched []uint32
	// What was touched is cleaned in any case: the array is lent again.
	defer func() {
		for _, id := range touched {
			dense[id] = sums{}
		}
	}()
	var lastFunder, lastRecip uint32
	begun := false
	lo, hi := set.bounds()
	for at := uint64(lo); at < uint64(hi); at += chunkRows {
		if err := q.ctx.Err(); err != nil {
			return nil, err
		}
		set.each(uint32(at), uint32(min(uint64(hi), at+chunkRows)), func(rows []uint32) {
			for _, row := range rows {
				f, r := g.funders[row], g.recips[row]
				s := &dense[r]
				if s.Grants == 0 {
					touched = append(touched, r)
				}
				if !begun || f != lastFunder || r != lastRecip {
					s.Others++
					begun, lastFunder, lastRecip = true, f, r
				}
				s.add(g.amounts[row], g.years[row])
			}
		})
	}
	list := make([]record, len(touched))
	for i, id := range touched {
		list[i] = record{id, dense[id]}
	}
	return [][]record{list}, nil
}

// recipSums lends an array of zero sums, one per recipient. Whoever changes it
// changes it back.
func (q *question) recipSums() []sums {
	if q.sums == nil {
		s, ok := q.g.scratch.sums.Get().(*[]sums)
		if !ok {
			fresh := make([]sums, len(q.g.recip))
			s = &fresh
		}
		q.sums = s
	}
	return *q.sums
}

// yearCounts counts, for each year, the masks that have it.
type yearCounts [maxYears]int64

func (c *yearCounts) add(mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		c[bits.TrailingZeros64(mask)]++
	}
}
