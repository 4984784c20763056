package directory

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/screen"
)

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
