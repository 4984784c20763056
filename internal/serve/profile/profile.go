// Package profile says what filings, the master file and government award files
// know of one organization: who it is, its figures year by year, who runs it,
// whom it shares people with, what it holds, what governments awarded it, and
// which organizations resemble it. It knows nothing of HTTP, and nothing of
// grants: those are in package graph.
//
// The index is made when a snapshot is built and is memory-mapped when it is
// served. Organizations are known by their number, which is their place in
// table organizations; every part of a profile is a section of packed rows in
// the order of these numbers, so that one organization costs a few lookups and
// the bytes of its own rows.
package profile

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
)

// Identity is what an organization is.
type Identity struct {
	Name                                string
	AlsoKnown, Former                   []string
	Street, City, State, ZIP            string
	County                              string // FIPS code
	NTEE                                string // as the master file has it
	Subsection, Foundation, Affiliation string // codes of the master file
	Group, Deductible, Ruling           string
	FilingReq, LastPeriod               string
	Revenue                             *int64 // of the latest filing, else of the master file
	Sources                             int32  // bits, see snapshot.SourceBMF
	Active                              bool
	Pop                                 int32  // distinct funders that wrote its EIN on a form
	Kind, Type                          string // as a search shows them
	FunderKind                          string // empty for one that makes no grants

	// Of its latest return.
	ReturnType, Mission, Activity, Website, Formed string

	// The cause that was inferred where none is registered.
	InferredCause      string // letter
	InferredConfidence float64
}

// Organization is one organization.
type Organization struct {
	EIN    ein.EIN
	Number uint32
	Identity
}

// Code is its registered NTEE code, empty when it has none.
func (o *Organization) Code() ntee.Code {
	c, _ := ntee.Parse(o.NTEE)
	return c
}

// Profile is what is known of an organization beside its grants.
type Profile struct {
	Organization
	Latest  *snapshot.Financial // figures of its latest return; nil when none was read
	Filings []Filing            // returns that stand, latest first

	// The rest is only there when all is asked for.

	Financials   []snapshot.Financial // oldest first
	ServiceAreas []snapshot.ServiceArea
	People       []snapshot.Person // of its latest return, in the order of the form
	BoardLinks   []BoardLink       // closest first
	Family       *snapshot.OrgFamily
	Assets       *snapshot.AssetProfile
	Holdings     []snapshot.FoundationHolding // largest first, at most MaxHoldings
	Awarded      Awarded
	InAll        Totals
}

// Totals are how many rows there are in all of those parts that are bounded.
type Totals struct{ ServiceAreas, People, BoardLinks, Holdings int }

// Bounds of the parts of a profile, as the build keeps them.
const (
	MaxPeople     = 500
	MaxHoldings   = 100
	MaxBoardLinks = 200
	MaxAreas      = 500
)

// Filing is one return that stands.
type Filing struct {
	ObjectID   string
	ReturnType string
	FiscalYear int32
	PeriodEnd  string
	Amended    bool
}

// BoardLink is an organization that shares people with another.
type BoardLink struct {
	Other     ein.EIN
	OtherName string
	boardLink
}

// boardLink is the packed row.
type boardLink struct {
	Number                 int64 // of the other
	SharedPeople, Possible int32
	SameState              bool
	Confidence             float64
}
