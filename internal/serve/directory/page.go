package directory

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/screen"
)

type Order uint8

const (
	ByRevenue Order = iota
	ByAssets
	ByExpenses
	ByGrantsPaid
	ByName
)

// Sort is an order and its direction. Organizations without the figure come last in both directions. Ties are in EIN order.
type Sort struct {
	By  Order
	Asc bool
}

// sortedPart is the largest set that is sorted for a page, instead of reading a whole order.
const sortedPart = 4096

// Page is a part of a set (nil for all), which has n members, in an order.
func (x *Index) Page(set Set, n int, s Sort, offset, limit int) ([]uint32, error) {
	if err := x.Begin(); err != nil {
		return nil, err
	}
	defer x.End()
	limit = max(0, min(limit, n-offset))
	if limit == 0 || offset < 0 {
		return nil, nil
	}
	page := make([]uint32, 0, limit)
	g := x.figure(s.By)
	have := len(g.up)
	if set != nil {
		have = set.countBoth(g.known())
	}
	if offset < have {
		page = g.page(page, set, have, s.Asc, offset, min(limit, have-offset))
	}
	if rest := limit - len(page); rest > 0 {
		page = x.without(page, set, g, max(0, offset-have), rest)
	}
	return page, nil
}

func (x *Index) figure(by Order) *figure {
	switch by {
	case ByAssets:
		return &x.assets
	case ByExpenses:
		return &x.expenses
	case ByGrantsPaid:
		return &x.grants
	case ByName:
		return &x.name
	}
	return &x.revenue
}

func (g *figure) page(to []uint32, set Set, have int, asc bool, offset, limit int) []uint32 {
	order := g.down
	if asc {
		order = g.up
	}
	switch {
	case set == nil || have == len(g.up):
		return append(to, order[offset:offset+limit]...)
	case have <= sortedPart:
		return append(to, g.sorted(set, have, asc)[offset:offset+limit]...)
	}
	at, before := g.start(set, have, asc, offset)
	skip, from := offset-before, len(to)
	for _, org := range order[at:] {
		if !set.has(org) {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if to = append(to, org); len(to)-from == limit {
			break
		}
	}
	return to
}

// start is where in the order the search for a page begins, the last cut before its first member, and how many members of the
// set precede it. In descending order a cut through equal values cannot be used, because ties keep their order.
func (g *figure) start(set Set, have int, asc bool, offset int) (at, before int) {
	within := func(k int) int { return set.countBoth(g.part(k)) } // in the first k parts
	if asc {
		k := sort.Search(cuts, func(k int) bool { return within(k+1) > offset })
		if k == cuts {
			k--
		}
		return g.cut(k), within(k)
	}
	k := sort.Search(cuts, func(k int) bool { return within(k) >= have-offset })
	for k < cuts && !g.clean(k) {
		k++
	}
	return len(g.up) - g.cut(k), have - within(k)
}

// clean reports whether the values on both sides of a cut differ.
func (g *figure) clean(k int) bool {
	at := g.cut(k)
	return at == 0 || at == len(g.up) || g.values[g.up[at-1]] != g.values[g.up[at]]
}

func (g *figure) sorted(set Set, have int, asc bool) []uint32 {
	list := make([]uint32, 0, have)
	known := g.known()
	for i, w := range set {
		for w &= known[i]; w != 0; w &= w - 1 {
			list = append(list, uint32(i<<6+bits.TrailingZeros64(w)))
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		order := cmp.Compare(g.values[a], g.values[b])
		if !asc {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a, b))
	})
	return list
}

// without appends a part of the members of a set that lack a figure.
func (x *Index) without(to []uint32, set Set, g *figure, offset, limit int) []uint32 {
	n, from := len(x.eins), len(to)
	for i, known := range g.known() {
		w := ^known
		if set != nil {
			w &= set[i]
		} else if last := n - i<<6; last < 64 {
			w &= 1<<last - 1
		}
		if c := bits.OnesCount64(w); offset >= c {
			offset -= c
			continue
		}
		for ; w != 0; w &= w - 1 {
			if offset--; offset >= 0 {
				continue
			}
			if to = append(to, uint32(i<<6+bits.TrailingZeros64(w))); len(to)-from == limit {
				return to
			}
		}
		offset = 0
	}
	return to
}

type Row struct {
	EIN                     ein.EIN
	Name                    string
	City, State, ZIP        string
	County                  string // FIPS code
	NTEE                    ntee.Code
	Subsection              string // two digits
	Foundation              string // code of the master file
	FoundationType          string // PC, PF, POF, SO
	Group                   string // group exemption number, four digits
	RulingYear              int
	FunderKind              string
	Accepts                 string // one of grant.Applications
	ReturnType              string // this and the following fields are of the latest filing
	FiscalYear              int
	Revenue, Expenses       *int64
	Assets, GrantsPaid      *int64
	InBMF, Pub78, OnRevoked *bool // nil if the list is out of service
}

// Row reads the row of an organization. Standing may be nil.
func (x *Index) Row(org uint32, st *screen.Standing) (r Row, ok bool) {
	if x.Begin() != nil {
		return Row{}, false
	}
	defer x.End()
	if int(org) >= len(x.eins) {
		return Row{}, false
	}
	r = Row{
		EIN: x.eins[org], Name: string(x.nameOf(org)), City: x.cityName.of(org), State: x.state.of(org), ZIP: x.zip.of(org), County: x.county.of(org),
		NTEE: ntee.Code(x.ntee.of(org)), Subsection: x.subsection.of(org), Foundation: x.foundation.of(org), FunderKind: x.funder.of(org),
		ReturnType: x.form.of(org), FiscalYear: int(x.years[org]), Accepts: x.accepts.of(org),
		Revenue: x.revenue.at(org), Expenses: x.expenses.at(org), Assets: x.assets.at(org), GrantsPaid: x.grants.at(org),
	}
	r.FoundationType = irscode.FoundationType(r.Foundation)
	if g := x.groups.of(org); g != "" {
		r.Group = ("0000" + g)[min(len(g), 4):]
	}
	if y := x.ruling.values[org]; y != unknown {
		r.RulingYear = int(y)
	}
	if st != nil {
		r.InBMF, r.Pub78, r.OnRevoked = member(st.InBMF, org), member(st.Pub78, org), member(st.Revoked, org)
		if st.Partial && r.InBMF != nil && !*r.InBMF {
			r.InBMF = nil
		}
	}
	return r, true
}

func (g *figure) at(org uint32) *int64 {
	v := g.values[org]
	if v == unknown {
		return nil
	}
	return &v
}

func member(set []uint64, org uint32) *bool {
	if int(org>>6) >= len(set) {
		return nil
	}
	is := Set(set).has(org)
	return &is
}

// rowBytes is the usual memory of a row in an answer.
const rowBytes = 1 << 10

// Weight bounds the memory of a question in bytes: three sets and the rows of a page.
func (x *Index) Weight(limit int) int64 {
	return 64<<10 + 3*8*int64(wordsFor(len(x.eins))) + 4*sortedPart + int64(limit)*rowBytes
}
