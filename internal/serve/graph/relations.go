package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"unsafe"

	"grantgraph/internal/ein"
)

// Mark says how a party stands in the latest complete year against the years
// before it.
type Mark uint8

// The marks.
const (
	Unmarked Mark = iota // nothing can be said
	New                  // its first grant is of that year
	Repeat               // it had grants before, and has since
	Lapsed               // it had grants before, and none since
	marks
)

// RelationOrder is the order of relations.
type RelationOrder uint8

// The orders. Ties are broken by dollars, then by identity.
const (
	MostDollars RelationOrder = iota
	MostGrants
	LatestYear
)

// RelationsQuestion asks for the parties of an organization over the years.
type RelationsQuestion struct {
	EIN      ein.EIN
	Side     Side
	Complete func(year int) bool // whether all grants of a year are known
	Apart    []Class             // recipients without an EIN that are of such a class are not listed but summed up, in the first of them
	Only     Mark                // Unmarked is all
	Order    RelationOrder
	Page     Page
}

// Relations are the parties of an organization.
type Relations struct {
	Years  []int // from its first to its last, those without a grant included
	Latest int   // year that the marks are about; 0 when there are no marks
	Marked [marks]int64
	Apart  []Cost // as the classes of the question
	List   []Relation
	Hits   int64 // parties in all that the question means
}

// Relation is one party over the years.
type Relation struct {
	Party
	Mark   Mark
	ByYear []Cost // as the years of the answer
}

// Relations lists the parties of an organization with what passed in each year.
// It is one pass over the rows of the organization, which stand together.
func (g *Graph) Relations(ctx context.Context, q RelationsQuestion) (*Relations, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	rows := g.rowsOf(q.EIN, q.Side)
	out := &Relations{Apart: make([]Cost, len(q.Apart))}
	latest, judged := g.judgedYear(q.Complete)
	if judged {
		out.Latest = int(g.dict.years[latest])
	}
	all, years, err := g.pairs(ctx, &rows, &q, out.Apart)
	if err != nil {
		return nil, err
	}
	if years == 0 {
		return out, nil
	}
	first, last := bits.TrailingZeros64(years), bits.Len64(years)-1
	for i := first; i <= last; i++ {
		out.Years = append(out.Years, int(g.dict.years[i]))
	}
	kept := all[:0]
	for _, p := range all {
		if judged {
			p.mark = markOf(p.years, latest)
		}
		out.Marked[p.mark]++
		if q.Only == Unmarked || p.mark == q.Only {
			kept = append(kept, p)
		}
	}
	out.Hits = int64(len(kept))
	r := g.reader()
	for _, p := range pageOf(kept, q.Order.compare, q.Page) {
		out.List = append(out.List, g.relation(r, &rows, &p, q.Side, first, last))
	}
	return out, nil
}

// RelationsWeight bounds the memory in bytes that Relations, Median and Ledger
// take for an organization, one after the other.
func (g *Graph) RelationsWeight(e ein.EIN, side Side) int64 {
	if g.begin() != nil {
		return 0 // the question fails before it takes anything
	}
	defer g.mu.RUnlock()
	const page = 1 << 20 // names and years of what is shown
	grown := int64(3)    // lists that grow by append take up to three times their size
	if side == Gave {
		f, ok := g.findFunder(e)
		if !ok {
			return page
		}
		return page + grown*int64(g.sums.funders[f].Others)*int64(unsafe.Sizeof(pair{}))
	}
	n := int64(0)
	for _, r := range g.recipsOf([]ein.EIN{e}) {
		n += int64(g.back.rows.len(r))
	}
	return page + n*(grown*int64(unsafe.Sizeof(pair{}))+2*(4+8+1+4))
}

// partyRows are the rows of one organization in the order of its parties.
type partyRows struct {
	parties []uint32
	amounts []int64
	years   []uint8
}

// rowsOf finds the rows of an organization. They are those of the file unless it
// is a recipient with several identities.
func (g *Graph) rowsOf(e ein.EIN, side Side) (rows partyRows) {
	if side == Gave {
		f, ok := g.findFunder(e)
		if !ok {
			return rows
		}
		from, to := g.postings.funderRows[f], g.postings.funderRows[f+1]
		return partyRows{g.cols.recips[from:to], g.cols.amounts[from:to], g.cols.years[from:to]}
	}
	recips := g.recipsOf([]ein.EIN{e})
	var places []uint32
	for _, r := range recips {
		from, to := g.back.rows.off[r], g.back.rows.off[r+1]
		if len(recips) == 1 {
			return partyRows{g.back.funders[from:to], g.back.amounts[from:to], g.back.years[from:to]}
		}
		for at := from; at < to; at++ {
			places = append(places, at)
		}
	}
	slices.SortStableFunc(places, func(a, b uint32) int { return cmp.Compare(g.back.funders[a], g.back.funders[b]) })
	for _, at := range places {
		rows.parties = append(rows.parties, g.back.funders[at])
		rows.amounts = append(rows.amounts, g.back.amounts[at])
		rows.years = append(rows.years, g.back.years[at])
	}
	return rows
}

// pair is one party with its rows.
type pair struct {
	amount   int64
	years    uint64 // mask
	id       uint32
	from, to uint32 // of its rows
	mark     Mark
}

func (p *pair) grants() uint32 { return p.to - p.from }

// pairs adds the rows up, party by party.
func (g *Graph) pairs(ctx context.Context, rows *partyRows, q *RelationsQuestion, apart []Cost) (list []pair, years uint64, err error) {
	for at := 0; at < len(rows.parties); {
		if len(list)%checkParties == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		p := pair{id: rows.parties[at], from: uint32(at)}
		for ; at < len(rows.parties) && rows.parties[at] == p.id; at++ {
			p.amount += rows.amounts[at]
			p.years |= 1 << (rows.years[at] & (maxYears - 1))
		}
		p.to = uint32(at)
		years |= p.years
		if i := g.apart(p.id, q); i >= 0 {
			apart[i].Grants += int64(p.grants())
			apart[i].Amount += p.amount
			continue
		}
		list = append(list, p)
	}
	return list, years, nil
}

// apart is the place of the class by which a party is not listed, or -1.
func (g *Graph) apart(party uint32, q *RelationsQuestion) int {
	if q.Side == Received || g.dict.recips[party].EIN != uint32(ein.None) {
		return -1
	}
	return slices.IndexFunc(q.Apart, func(c Class) bool { return Class(g.dict.recips[party].Classes)&c != 0 })
}

// judgedYear is the number of the latest complete year, where another complete
// one is before it to judge it by: never the first year of the data.
func (g *Graph) judgedYear(complete func(int) bool) (latest int, ok bool) {
	found := 0
	for i := len(g.dict.years) - 1; i >= 0 && found < 2; i-- {
		if complete != nil && complete(int(g.dict.years[i])) {
			if found++; found == 1 {
				latest = i
			}
		}
	}
	return latest, found == 2
}

// markOf judges a party by the years in which it has grants.
func markOf(years uint64, latest int) Mark {
	before, since := years&(1<<latest-1) != 0, years>>latest != 0
	switch {
	case before && since:
		return Repeat
	case before:
		return Lapsed
	case years>>latest&1 != 0:
		return New
	}
	return Unmarked // its first grant is of a year that is not complete
}

// compare puts what comes first before.
func (o RelationOrder) compare(a, b *pair) int {
	n := 0
	switch o {
	case MostGrants:
		n = cmp.Compare(b.grants(), a.grants())
	case LatestYear:
		n = cmp.Compare(bits.Len64(b.years), bits.Len64(a.years))
	}
	return cmp.Or(n, cmp.Compare(b.amount, a.amount), cmp.Compare(a.id, b.id))
}

// pageOf puts a page of a list in order and returns it.
func pageOf(list []pair, compare func(a, b *pair) int, p Page) []pair {
	from := min(max(p.Offset, 0), len(list))
	to := from + min(max(p.Limit, 0), len(list)-from)
	sortRange(list, from, to, compare)
	return list[from:to]
}

// sortRange puts what comes from place from to place to-1 of a list in order
// there. The rest is not sorted, so that the first page of very many is cheap.
func sortRange(list []pair, from, to int, compare func(a, b *pair) int) {
	from, to = max(from, 0), min(to, len(list))
	if from >= to {
		return
	}
	if few := 64; len(list) <= few || from == 0 && to == len(list) {
		slices.SortFunc(list, func(a, b pair) int { return compare(&a, &b) })
		return
	}
	// Before i nothing comes after the pivot, after j nothing before it.
	pivot, i, j := list[len(list)/2], 0, len(list)-1
	for i <= j {
		for compare(&list[i], &pivot) < 0 {
			i++
		}
		for compare(&list[j], &pivot) > 0 {
			j--
		}
		if i <= j {
			list[i], list[j] = list[j], list[i]
			i, j = i+1, j-1
		}
	}
	sortRange(list[:j+1], from, to, compare)
	sortRange(list[i:], from-i, to-i, compare)
}

// relation is a party as the answer has it.
func (g *Graph) relation(r *reader, rows *partyRows, p *pair, side Side, first, last int) Relation {
	out := Relation{Mark: p.mark, ByYear: make([]Cost, last-first+1)}
	out.PartySums = PartySums{Total: p.amount, Grants: int64(p.grants()),
		FirstYear: int(g.dict.years[bits.TrailingZeros64(p.years)]), LastYear: int(g.dict.years[bits.Len64(p.years)-1])}
	for at := p.from; at < p.to; at++ {
		y := &out.ByYear[int(rows.years[at])-first]
		y.Grants++
		y.Amount += rows.amounts[at]
	}
	if side == Gave {
		x := r.recipient(p.id)
		out.ID, out.EIN, out.Name, out.City, out.State = x.ID, x.EIN, x.Name, x.City, x.State
	} else {
		x := r.funder(p.id)
		out.EIN, out.Name, out.City, out.State, out.Kind = x.EIN, x.Name, x.City, x.State, x.Kind
	}
	return out
}
