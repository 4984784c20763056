package search

import (
	"fmt"
	"io"
	"math"

	"grantgraph/internal/snapshot/mapped"
)

// fileKind is the file. Its version changes with the columns and the meaning of numbers.
var fileKind = &mapped.Kind{
	Magic: "GGnames6", Name: "index of organizations",
	Missing: "search_unreadable", Version: "search_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "search_damaged"

type columns struct {
	orgs []orgRecord // in EIN order
	text []byte      // names and cities
}

type orgRecord struct {
	EIN        uint32
	State      [2]byte // zeros when not known
	Type       uint8   // one of types
	HasRevenue uint8
	NTEE       [4]byte
	Prominence float32
	Revenue    int64
	Text       uint32 // where its name begins, and after it its city
	NameLength uint16
	CityLength uint8
	Known      uint8 // where it is known from
}

// Where an organization is known from: the IRS, or only the grants that others report.
const (
	knownFromIRS uint8 = iota
	knownFromGrants
)

func (c *columns) add(e *entry) {
	name, city := e.name[:min(len(e.name), math.MaxUint16)], e.city[:min(len(e.city), math.MaxUint8)]
	r := orgRecord{EIN: uint32(e.ein), Type: e.typ, Prominence: e.prominence,
		Text: uint32(len(c.text)), NameLength: uint16(len(name)), CityLength: uint8(len(city)), Known: e.known}
	copy(r.State[:], e.state)
	copy(r.NTEE[:], e.ntee)
	if e.revenue != nil {
		r.HasRevenue, r.Revenue = 1, *e.revenue
	}
	c.orgs = append(c.orgs, r)
	c.text = append(append(c.text, name...), city...)
}

func (c *columns) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	if len(c.text) > math.MaxUint32 {
		w.Fail(fmt.Errorf("the names of all organizations take more than 4 GiB, which the numbers of the index cannot tell"))
	}
	c.lay(mapped.Layout{To: w})
	return w.Close()
}

// lay lists the sections. The places of texts are checked where they are used.
func (c *columns) lay(l mapped.Layout) {
	mapped.Field(l, "orgs", &c.orgs, mapped.AnyLength)
	mapped.Field(l, "orgs.text", &c.text, mapped.AnyLength)
}
