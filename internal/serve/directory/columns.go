package directory

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot/mapped"
)

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
