package graph

import (
	"context"
	"fmt"
	"math"
)

// ranking is a remembered part of an ordered aggregate: its records from a place on.
type ranking struct {
	from    int64
	records []record
	hits    int64
}

func (r *ranking) page(p Page) ([]record, bool) {
	from, to := p.within(r.hits)
	if from == to {
		return nil, true
	}
	if from < r.from || to > r.from+int64(len(r.records)) {
		return nil, false
	}
	return r.records[from-r.from : to-r.from], true
}

// The beginning of a ranking is remembered, so that the next pages need no new evaluation.
const (
	remembered = 128  // records at least
	shared     = 1024 // records at most
)

// Funders returns one page of the funders that have rows satisfying the filter, with the totals of these rows, and how many
// such funders there are. It orders by ByAmount (the total), ByCount (the number of grants), ByFunderName and ByFunderState;
// any other key is ErrOrder. Funders that are equal in the key are ordered by total descending, then by EIN ascending.
func (g *Graph) Funders(ctx context.Context, f *Filter, s Sort, p Page) (rows []FunderTotal, hits int64, err error) {
	ask := Question{About: AboutFunders, Filter: f, Sort: s, Page: p}
	return rankedRows(ctx, g, "funders", ask, func(read *reader, rec *record) FunderTotal {
		return FunderTotal{
			Funder: read.funder(rec.id), Total: rec.Amount, Grants: int64(rec.Grants), Recipients: int64(rec.Others),
			FirstYear: int(g.dict.years[rec.First]), LastYear: int(g.dict.years[rec.Last]),
		}
	})
}

// Recipients returns one page of the recipient identities that have rows satisfying the filter, with the
// totals of these rows, and how many such recipients there are. It orders by ByAmount (the total), ByCount
// (the number of grants), ByRecipName and ByRecipState (of the recipient, not of its rows); any other key is
// ErrOrder. Recipients that are equal in the key are ordered by total descending, then by identity ascending.
func (g *Graph) Recipients(ctx context.Context, f *Filter, s Sort, p Page) (rows []RecipientTotal, hits int64, err error) {
	ask := Question{About: AboutRecipients, Filter: f, Sort: s, Page: p}
	return rankedRows(ctx, g, "recipients", ask, func(read *reader, rec *record) RecipientTotal {
		return RecipientTotal{
			Recipient: read.recipient(rec.id), Total: rec.Amount, Grants: int64(rec.Grants), Funders: int64(rec.Others),
			FirstYear: int(g.dict.years[rec.First]), LastYear: int(g.dict.years[rec.Last]),
		}
	})
}

// rankedRows answers a question about funders or recipients, of which row makes a row of the answer.
func rankedRows[T any](ctx context.Context, g *Graph, who string, ask Question, row func(*reader, *record) T) ([]T, int64, error) {
	if err := g.Begin(); err != nil {
		return nil, 0, err
	}
	defer g.End()
	if !ask.About.hasOrder(ask.Sort.By) {
		return nil, 0, fmt.Errorf("%s: %w", who, ErrOrder)
	}
	page, hits, err := g.ranked(ctx, ask)
	if err != nil {
		return nil, 0, err
	}
	read := g.reader()
	rows := make([]T, len(page))
	for i := range page {
		rows[i] = row(read, &page[i])
	}
	return rows, hits, nil
}

// labelOf is the number of the string that funders or recipients are ordered by, if any.
func (g *Graph) labelOf(by Order) func(id uint32) uint32 {
	switch by {
	case ByFunderName:
		return func(id uint32) uint32 { return g.dict.funders[id].Name }
	case ByFunderState:
		return func(id uint32) uint32 { return g.dict.funders[id].State }
	case ByRecipName:
		return func(id uint32) uint32 { return g.dict.recips[id].Name }
	case ByRecipState:
		return func(id uint32) uint32 { return g.dict.recips[id].State }
	}
	return nil
}

func (g *Graph) ranked(ctx context.Context, ask Question) ([]record, int64, error) {
	p := ask.Page
	// The first pages share what is remembered; a page further down has its own.
	named := ask
	if end := max(p.Offset, 0) + max(p.Limit, 0); end <= shared {
		ask.Page, named.Page = Page{Limit: max(end, remembered)}, Page{}
	}
	name := cacheKey(rankingAnswer, named)
	if found, ok := g.cache.get(name); ok {
		r := found.(*ranking)
		if page, ok := r.page(p); ok {
			return page, r.hits, nil
		}
	}
	r, err := g.ranking(ctx, ask)
	if err != nil {
		return nil, 0, err
	}
	g.cache.put(name, r, 32*len(r.records)+64)
	page, _ := r.page(p)
	return page, r.hits, nil
}

// ranking orders funders or recipients and takes a part.
func (g *Graph) ranking(ctx context.Context, ask Question) (*ranking, error) {
	e := g.evaluate(ctx)
	defer e.end()
	if ask.About == AboutRecipients {
		if c, ok := g.cellFilter(ask.Filter); ok {
			if list, ok := g.recipientCells(ask.Filter, c); ok {
				return e.rankCells(c, list, ask)
			}
		}
	}
	if ask.About == AboutFunders && ask.Filter.onlyRecipient() {
		if recips := g.recipsOf(ask.Filter.Recipients); len(recips) == 1 {
			return e.rankFundersOf(recips[0], ask)
		}
	}
	set, err := e.filter(ask.Filter)
	if err != nil {
		return nil, err
	}
	return e.ranking(&set, ask)
}

// rankCells orders the recipients of cells. If the cells are in several lists, it
// counts the funders of the recipients on the page alone, and for a grouping none.
func (e *evaluation) rankCells(c *cellFilter, list recipientCells, ask Question) (*ranking, error) {
	r := e.g.newRanker(ask)
	from, to := ask.Page.within(int64(len(e.g.dict.recips)))
	out, err := e.selected(r, from, to, len(e.g.dict.recips), e.byCells(list, r))
	if err != nil || len(list.lists) == 1 || ask.By == GroupRecipient {
		return out, err
	}
	for i := range out.records {
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
		out.records[i].Others = e.g.fundersOf(out.records[i].id, c)
	}
	return out, nil
}

// rankFundersOf orders the funders of one recipient, in all years or in some. It reads the rows in the order
// of recipients, where they stand together; in the order of the table each row would be a cache miss.
func (e *evaluation) rankFundersOf(recip uint32, ask Question) (*ranking, error) {
	g := e.g
	wanted := ^uint64(0)
	if y, some := g.yearCond(ask.Filter.Years); some {
		wanted = y.years
	}
	lo, hi := g.back.rows.off[recip], g.back.rows.off[recip+1]
	funders, amounts, years := g.back.funders[lo:hi], g.back.amounts[lo:hi], g.back.years[lo:hi]
	r := g.newRanker(ask)
	from, to := ask.Page.within(int64(len(g.dict.funders)))
	return e.selected(r, from, to, len(g.dict.funders), e.inParts([]int{0, len(funders)}, func(s *selector, _, _ int) {
		for at := 0; at < len(funders); {
			cur := run{id: funders[at], others: 1}
			for ; at < len(funders) && funders[at] == cur.id; at++ {
				// Without a branch, because the processor cannot predict which years are wanted.
				year := years[at] & (MaxYears - 1)
				in := wanted >> year & 1
				cur.amount += amounts[at] & -int64(in)
				cur.years |= in << year
				cur.grants += uint32(in)
			}
			if cur.grants > 0 && !r.skips(s, cur.id, cur.amount, cur.grants) {
				r.add(s, cur.record())
			}
		}
	}))
}

// selected is the records from place from to place to-1, of at most the given number.
func (e *evaluation) selected(r *ranker, from, to int64, most int, run func(*selectors) error) (*ranking, error) {
	list, seen, err := e.g.selectPage(r.order(e.g, most), from, to, run)
	if err != nil {
		return nil, err
	}
	out := &ranking{from: from, records: make([]record, len(list)), hits: seen}
	for i := range list {
		out.records[i] = record{list[i].id, list[i].partyTotals}
	}
	return out, nil
}

func (e *evaluation) ranking(set *rowset, ask Question) (*ranking, error) {
	g := e.g
	s, all, byTotal := ask.Sort, g.sums.funders, g.sums.funderTop
	if ask.About == AboutRecipients {
		all, byTotal = g.sums.recips, g.sums.recipTop
	}
	from, to := ask.Page.within(int64(len(all)))
	if set.all && s.By == ByAmount && !s.Asc && !s.Mixed {
		out := &ranking{from: from, records: make([]record, 0, to-from), hits: int64(len(all))}
		for _, id := range byTotal[from:to] {
			out.records = append(out.records, record{id, all[id]})
		}
		return out, nil
	}
	r := g.newRanker(ask)
	var run func(*selectors) error
	switch {
	case set.all:
		run = e.storedRecords(all, r)
	case ask.About == AboutFunders:
		run = e.byFunder(set, r)
	default:
		var done func()
		var err error
		if run, done, err = e.byRecipient(set, r); err != nil {
			return nil, err
		}
		defer done()
	}
	return e.selected(r, from, to, len(all), run)
}

// ranker says where the records of an aggregate stand in its order.
type ranker struct {
	label   func(id uint32) uint32
	byCount bool
	sign    int64
	last    bitset // recipients that come after all others; nil for none
}

// afterwards is added to the keys of records that come last. No sum is that large.
const afterwards = 1 << 61

func (g *Graph) newRanker(ask Question) *ranker {
	s := ask.Sort
	r := &ranker{label: g.labelOf(s.By), byCount: s.By == ByCount, sign: -1}
	if s.Asc {
		r.sign = 1
	}
	if ask.About == AboutRecipients && !s.Mixed && r.label == nil {
		r.last = g.sums.unnamed
	}
	return r
}

// key is what a record is ordered by, from its figure.
func (r *ranker) key(id uint32, figure int64) int64 {
	key := r.sign * figure
	if r.last != nil && r.last.has(id) {
		key += afterwards
	}
	return key
}

// order is the order of a list with the given number of records.
func (r *ranker) order(g *Graph, records int) order {
	o := order{lo: math.MinInt64, hi: math.MaxInt64, skewed: true, most: int64(records)}
	switch {
	case r.label != nil:
		o.lo, o.hi, o.skewed = min(0, r.sign*int64(g.dict.short.len())), max(0, r.sign*int64(g.dict.short.len())), false
	case !r.byCount:
		o.amount = func(key int64) int64 {
			if key > afterwards/2 {
				key -= afterwards
			}
			return r.sign * key
		}
	}
	return o
}

func (r *ranker) add(to *selector, rec record) {
	to.seen++
	figure := rec.Amount
	switch {
	case r.label != nil:
		figure = int64(r.label(rec.id))
	case r.byCount:
		figure = int64(rec.Grants)
	}
	if key := r.key(rec.id, figure); !to.skips(key) {
		to.push(item{key, rec.id, rec.partyTotals})
	}
}

// skips counts a record that cannot be on the page and need not be made. Most records are skipped.
func (r *ranker) skips(to *selector, id uint32, amount int64, grants uint32) bool {
	if r.label != nil {
		return false
	}
	if r.byCount {
		amount = int64(grants)
	}
	if !to.skips(r.key(id, amount)) {
		return false
	}
	to.seen++
	return true
}
