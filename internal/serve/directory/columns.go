package directory

import (
	"fmt"
	"io"
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot/mapped"
)

// fileName is the index inside a snapshot.
const fileName = "directory/index"

// fileKind is the file of the index. Its version changes with the sections and with
// the meaning of their numbers.
var fileKind = &mapped.Kind{
	Magic: "GGorgs02", Name: "directory of organizations",
	Missing: "directory_missing", Version: "directory_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "directory_damaged"

// columns are the sections of the index. An organization's number is its position in
// them.
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
	mapped.Add(w, "ein", c.eins)
	mapped.Add(w, "names.starts", c.nameStart)
	mapped.Add(w, "names.text", c.nameText)
	mapped.Add(w, "year", c.years)
	c.cityName.write(w, "city.name")
	c.funder.write(w, "funder")
	c.dimensions(func(name string, d *dimension) { d.write(w, name) })
	c.figures(func(name string, g *figure, _ bool) { g.write(w, name) })
	return w.Close()
}

// read finds the columns of a file and checks that they fit together. It also checks
// the numbers used as positions: a checksum only shows that they are as they were
// written.
func (c *columns) read(f *mapped.File) {
	c.eins = mapped.Column[ein.EIN](f, "ein", mapped.AnyLength)
	n := len(c.eins)
	c.nameStart = mapped.Column[uint32](f, "names.starts", n+1)
	c.nameText = mapped.Column[byte](f, "names.text", mapped.AnyLength)
	checkStarts(f, "names", c.nameStart, len(c.nameText))
	c.years = mapped.Column[uint16](f, "year", n)
	c.cityName.read(f, "city.name", n)
	c.funder.read(f, "funder", n)
	c.dimensions(func(name string, d *dimension) { d.read(f, name, n) })
	c.figures(func(name string, g *figure, sortable bool) { g.read(f, name, n, sortable) })
	for i := 1; i < n && f.Err() == nil; i++ {
		if c.eins[i] <= c.eins[i-1] {
			f.Fail("its EINs are out of order")
		}
	}
	if f.Err() == nil && len(c.name.up) != n {
		f.Fail("some organizations have no place in the order of names")
	}
}

func (c *columns) nameOf(org uint32) []byte { return c.nameText[c.nameStart[org]:c.nameStart[org+1]] }
