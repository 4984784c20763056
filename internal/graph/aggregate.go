package graph

import (
	"context"
	"fmt"
)

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
	for _, rec := range r.first[from:to] {
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
	for _, rec := range r.first[from:to] {
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
