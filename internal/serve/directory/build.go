package directory

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
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

const fileName = "directory/index"

// fileKind is the file. Its version changes with the sections and the meaning of numbers.
var fileKind = &mapped.Kind{
	Magic: "GGorgs03", Name: "directory of organizations",
	Missing: "directory_missing", Version: "directory_version", Damaged: Damaged,
}

const Damaged = "directory_damaged"

// columns are the sections, in which an organization's number is its position.
type columns struct {
	eins      []ein.EIN // in rising order
	nameStart []uint32  // where each name begins, and where the last ends
	nameText  []byte
	years     []uint16 // fiscal year of the latest filing, 0 for none

	cityName labels // as written
	funder   labels // kind of grantmaker

	state, city, zip, county                   dimension // city: folded
	ntee, subsection, foundation, form, groups dimension
	letter                                     dimension // of the NTEE code
	accepts                                    dimension // one of grant.Applications

	// name is the alphabetical order of the names. Equal names have the same number.
	name, revenue, assets, expenses, grants, ruling figure
}

func (c *columns) dimensions(each func(name string, d *dimension)) {
	each("state", &c.state)
	each("city", &c.city)
	each("zip", &c.zip)
	each("county", &c.county)
	each("ntee", &c.ntee)
	each("letter", &c.letter)
	each("subsection", &c.subsection)
	each("foundation", &c.foundation)
	each("form", &c.form)
	each("group", &c.groups)
	each("accepts", &c.accepts)
}

func (c *columns) figures(each func(name string, g *figure, sortable bool)) {
	each("name", &c.name, true)
	each("revenue", &c.revenue, true)
	each("assets", &c.assets, true)
	each("expenses", &c.expenses, true)
	each("grants", &c.grants, true)
	each("ruling", &c.ruling, false)
}

func (c *columns) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	if len(c.nameText) > math.MaxUint32 {
		w.Fail(fmt.Errorf("the names of the directory take more than 4 GiB, which its numbers cannot tell"))
	}
	c.layout(mapped.Layout{To: w})
	return w.Close()
}

// layout lists the sections, and checks when reading what a checksum does not show: that they fit together.
func (c *columns) layout(l mapped.Layout) {
	mapped.Field(l, "ein", &c.eins, mapped.AnyLength)
	n := len(c.eins)
	mapped.Field(l, "names.starts", &c.nameStart, n+1)
	mapped.Field(l, "names.text", &c.nameText, mapped.AnyLength)
	checkStarts(l, "names", c.nameStart, len(c.nameText))
	mapped.Field(l, "year", &c.years, n)
	c.cityName.layout(l, "city.name", n)
	c.funder.layout(l, "funder", n)
	c.dimensions(func(name string, d *dimension) { d.layout(l, name, n) })
	c.figures(func(name string, g *figure, sortable bool) { g.layout(l, name, n, sortable) })
	l.Check(func() bool {
		return slices.IsSortedFunc(c.eins, func(a, b ein.EIN) int { return cmp.Or(cmp.Compare(a, b), -1) })
	}, "its EINs are out of order")
	l.Check(func() bool { return len(c.name.up) == n }, "some organizations have no place in the order of names")
}

func (c *columns) nameOf(org uint32) []byte { return c.nameText[c.nameStart[org]:c.nameStart[org+1]] }
