package ledger

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"unsafe"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
)

// Mark compares a party's grants in the latest complete year with those before it.
type Mark uint8

const (
	Unmarked Mark = iota // there is nothing to compare
	New                  // its first grant is in that year
	Repeat               // it had grants before, and in that year or later
	Lapsed               // it had grants before, and none in that year or later
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
	Side     graph.Side
	Complete func(year int) bool // whether all grants of a year are known
	// Apart lists classes of recipients without an EIN that are not listed one
	// by one. They are totaled instead, each in the first class that fits.
	Apart []graph.Class
	Only  Mark // lists the parties with this mark; Unmarked lists all
	Order RelationOrder
	Page  graph.Page
}

// Relations are the parties of an organization.
type Relations struct {
	Years  []int // from its first to its last, with the years between that have no grants
	Latest int   // year that the marks are about; 0 when there are no marks
	Marked [marks]int64
	Apart  []graph.Cost // in the order of the classes of the question
	List   []Relation
	Hits   int64 // parties that the question asks for, on all pages
}

// Relation is one party over the years.
type Relation struct {
	Party
	Mark   Mark
	ByYear []graph.Cost // in the order of the years of the answer
}

// ReadRelations lists the parties of an organization with the grants of each year.
func ReadRelations(ctx context.Context, g *graph.Graph, q RelationsQuestion) (*Relations, error) {
	v, err := g.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	rows := v.GrantsOf(q.EIN, q.Side)
	out := &Relations{Apart: make([]graph.Cost, len(q.Apart))}
	latest, judged := judgedYear(v.Years, q.Complete)
	if judged {
		out.Latest = int(v.Years[latest])
	}
	all, years, err := pairs(ctx, v, &rows, &q, out.Apart)
	if err != nil {
		return nil, err
	}
	if years == 0 {
		return out, nil
	}
	first, last := bits.TrailingZeros64(years), bits.Len64(years)-1
	for i := first; i <= last; i++ {
		out.Years = append(out.Years, int(v.Years[i]))
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
	for _, p := range pageOf(kept, q.Order.compare, q.Page) {
		r := Relation{Mark: p.mark, ByYear: make([]graph.Cost, last-first+1)}
		r.Party = readParty(v, q.Side, partySum{id: p.id, amount: p.amount, grants: int64(p.grants()), years: p.years})
		for at := p.from; at < p.to; at++ {
			y := &r.ByYear[int(rows.Years[at])-first]
			y.Grants++
			y.Amount += rows.Amounts[at]
		}
		out.List = append(out.List, r)
	}
	return out, nil
}

// Weight is the most memory that ReadRelations, Median and Read take one after the other.
func Weight(g *graph.Graph, e ein.EIN, side graph.Side) int64 {
	v, err := g.View()
	if err != nil {
		return 0 // the reader fails before it allocates anything
	}
	defer v.Close()
	const page = 1 << 20 // names and years of the page
	const grown = 3      // lists that grow by append take up to three times their size
	if side == graph.Gave {
		f, ok := v.FindFunder(e)
		if !ok {
			return page
		}
		recips, _ := v.Links(f)
		return page + grown*int64(len(recips))*int64(unsafe.Sizeof(pair{}))
	}
	n := int64(0)
	for _, r := range v.FindRecipients(e) {
		n += int64(len(v.Received(r).Parties))
	}
	return page + n*(grown*int64(unsafe.Sizeof(pair{}))+2*(4+8+1+4))
}

type pair struct {
	amount   int64
	years    uint64 // mask
	id       uint32
	from, to uint32 // of its rows
	mark     Mark
}

func (p *pair) grants() uint32 { return p.to - p.from }

func pairs(ctx context.Context, v *graph.View, rows *graph.Rows, q *RelationsQuestion, apart []graph.Cost) (list []pair, years uint64, err error) {
	for at := 0; at < len(rows.Parties); {
		if len(list)%rowsAtOnce == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		p := pair{id: rows.Parties[at], from: uint32(at)}
		for ; at < len(rows.Parties) && rows.Parties[at] == p.id; at++ {
			p.amount += rows.Amounts[at]
			p.years |= 1 << (rows.Years[at] & (graph.MaxYears - 1))
		}
		p.to = uint32(at)
		years |= p.years
		if i := q.apart(v, p.id); i >= 0 {
			apart[i].Grants += int64(p.grants())
			apart[i].Amount += p.amount
			continue
		}
		list = append(list, p)
	}
	return list, years, nil
}

// apart is the index of the class for which a party is not listed, or -1.
func (q *RelationsQuestion) apart(v *graph.View, party uint32) int {
	if q.Side == graph.Received || v.Recipients[party].EIN != uint32(ein.None) {
		return -1
	}
	return slices.IndexFunc(q.Apart, func(c graph.Class) bool { return graph.Class(v.Recipients[party].Classes)&c != 0 })
}

// judgedYear is the number of the latest complete year, if there is an earlier
// complete year to compare it with. It is never the first year of the data.
func judgedYear(years []int32, complete func(int) bool) (latest int, ok bool) {
	found := 0
	for i := len(years) - 1; i >= 0 && found < 2; i-- {
		if complete != nil && complete(int(years[i])) {
			if found++; found == 1 {
				latest = i
			}
		}
	}
	return latest, found == 2
}

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
	return Unmarked // its first grant is in a year that is not complete
}

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

// pageOf sorts as much of a list as its page needs, and returns the page.
func pageOf(list []pair, compare func(a, b *pair) int, p graph.Page) []pair {
	from := min(max(p.Offset, 0), len(list))
	to := from + min(max(p.Limit, 0), len(list)-from)
	sortRange(list, from, to, compare)
	return list[from:to]
}

// sortRange puts the right items at positions from to to-1 of a sorted list, in order, and leaves
// the rest unsorted: the first page of a very long list is cheap.
func sortRange(list []pair, from, to int, compare func(a, b *pair) int) {
	from, to = max(from, 0), min(to, len(list))
	if from >= to {
		return
	}
	if few := 64; len(list) <= few || from == 0 && to == len(list) {
		slices.SortFunc(list, func(a, b pair) int { return compare(&a, &b) })
		return
	}
	// No item before i belongs after the pivot, and no item after j before it.
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
