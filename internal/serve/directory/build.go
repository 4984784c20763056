package directory

import (
	"cmp"
	"context"
	"iter"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Build writes the index of the snapshot that is being made.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	c, err := readTables(ctx,
		snapshot.Rows[snapshot.Organization](s, snapshot.Organizations),
		snapshot.Rows[snapshot.Org](s, snapshot.Orgs),
		snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds))
	if err != nil {
		return err
	}
	return w.WriteFile(fileName, c.write)
}

// Of makes an index in memory from rows in EIN order, for examples and tests.
func Of(orgs []snapshot.Organization, filings []snapshot.Org, funders []snapshot.FunderKind) (*Index, error) {
	c, err := readTables(context.Background(), each(orgs), each(filings), each(funders))
	if err != nil {
		return nil, err
	}
	return mapped.InMemory(fileKind, c.write, newIndex)
}

func each[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// readTables reads the organizations side by side with their filings and their rows as grantmakers, in EIN order.
func readTables(ctx context.Context, orgs iter.Seq2[snapshot.Organization, error], filings iter.Seq2[snapshot.Org, error],
	funders iter.Seq2[snapshot.FunderKind, error]) (*columns, error) {
	filed := snapshot.Follow(filings, func(o *snapshot.Org) string { return o.EIN })
	defer filed.Stop()
	gives := snapshot.Follow(funders, func(k *snapshot.FunderKind) string { return k.FunderEIN })
	defer gives.Stop()
	c := &columns{nameStart: []uint32{0}}
	for o, err := range orgs {
		if err != nil {
			return nil, err
		}
		if len(c.eins)&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := ein.Parse(o.EIN)
		if n := len(c.eins); err != nil || n > 0 && e <= c.eins[n-1] {
			return nil, fault.New("directory_table", "the table %s is not in the order of EINs at %q", snapshot.Organizations,
				o.EIN).Try("build the snapshot again from the sources")
		}
		filing, err := filed.At(o.EIN)
		if err != nil {
			return nil, err
		}
		funder, err := gives.At(o.EIN)
		if err != nil {
			return nil, err
		}
		c.add(e, &o, filing, funder)
	}
	c.finish()
	return c, ctx.Err()
}

func (c *columns) add(e ein.EIN, o *snapshot.Organization, filing *snapshot.Org, funder *snapshot.FunderKind) {
	c.eins = append(c.eins, e)
	c.nameText = append(c.nameText, o.Name...)
	c.nameStart = append(c.nameStart, uint32(len(c.nameText)))
	c.cityName.add(o.City)
	c.city.add(orgname.City(o.City))
	c.state.add(strings.ToUpper(o.State))
	c.zip.add(o.ZIP5)
	c.county.add(o.County)
	code, _ := ntee.Parse(o.NTEE)
	c.ntee.add(string(code))
	c.letter.add(string(code[:min(1, len(code))]))
	c.subsection.add(o.Subsection)
	c.foundation.add(o.Foundation)
	c.groups.add(strings.TrimLeft(o.Group, "0"))
	var ruled *int64
	if len(o.Ruling) == 6 {
		if y, err := strconv.ParseInt(o.Ruling[:4], 10, 64); err == nil && y >= 1900 {
			ruled = &y
		}
	}
	c.ruling.add(ruled)
	if funder == nil {
		funder = &snapshot.FunderKind{}
	}
	c.funder.add(funder.Kind)
	if filing == nil {
		filing = &snapshot.Org{}
	}
	c.form.add(filing.ReturnType)
	c.accepts.add(cmp.Or(filing.Accepts, grant.NotStated))
	c.years = append(c.years, uint16(max(0, min(filing.TaxYear, 9999))))
	c.revenue.add(filing.TotalRevenue)
	c.assets.add(filing.TotalAssets)
	c.expenses.add(filing.TotalExpenses)
	c.grants.add(filing.GrantsPaid)
}

func (c *columns) finish() {
	c.cityName.sort()
	c.funder.sort()
	c.dimensions(func(_ string, d *dimension) { d.makeLists() })
	c.name.values = c.nameOrder()
	c.figures(func(_ string, g *figure, sortable bool) { g.makeOrder(sortable) })
}

// nameOrder numbers names alphabetically, in any case; equal names get the same number.
func (c *columns) nameOrder() []int64 {
	order := make([]radix.Item, len(c.eins))
	var key []byte
	for i := range order {
		key = key[:0]
		for _, letter := range c.nameOf(uint32(i)) {
			if key = append(key, capital(letter)); len(key) == 8 {
				break
			}
		}
		order[i] = radix.Item{Key: radix.Prefix(key), Of: uint32(i)}
	}
	radix.Texts(order, func(a, b uint32) int { return compareNames(c.nameOf(a), c.nameOf(b)) })
	places := make([]int64, len(order))
	for i := 1; i < len(order); i++ {
		place := places[order[i-1].Of]
		if compareNames(c.nameOf(order[i-1].Of), c.nameOf(order[i].Of)) != 0 {
			place++
		}
		places[order[i].Of] = place
	}
	return places
}

func compareNames(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := capital(a[i]), capital(b[i]); x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func capital(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}
