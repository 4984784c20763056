package graph

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// Filter is the condition of a question. Fields combine with AND, values within a field with OR. The zero Filter is every row.
type Filter struct {
	Funders    []ein.EIN
	Recipients []ein.EIN
	Unlinked   []string // recip_id of recipients without an EIN; a row matches these or Recipients
	Years      []Span   // fiscal years
	Subject    ntee.Subject
	// SubjectBasis says whether inferred causes count for the subject. Without a
	// subject it only decides whether rows show inferred causes.
	SubjectBasis ntee.Basis
	Place        Place
	Countries    []string // FIPS 10-4 codes of the recipient's country; only foreign lines have one
	Query        Query
	Support      grant.Support // rows that have any of these bits
	FunderKind   string        // one of grant.FunderKinds
	Accepts      string        // one of grant.Applications
	Exclude      Class         // rows in any of these classes are left out
	MinAmount    *int64
	MaxAmount    *int64
	MinProb      *float64 // rows without a recipient EIN never match
	Sources      []grant.Rule
	Keys         []string // of grants

	// inferredOnly asks for the rows that only the wider basis has.
	inferredOnly bool
}

// Span is a closed range of fiscal years. A bound of 0 is open.
type Span struct{ From, To int }

// Class is a set of classes of rows.
type Class uint8

// The classes that can be excluded.
const (
	DAF Class = 1 << iota
	Individuals
	RelatedParty
	// Unidentified is the lines that name no organization. It includes Individuals.
	Unidentified
)

// Place is a condition on where the recipient or the funder is.
type Place struct {
	Of     PlaceOf
	Kind   PlaceKind
	Values []PlaceValue // without values there is no condition
	Near   Near         // must hold in addition to the values
}

// Near is a condition on how far a place is from a ZIP code. The zero Near is no condition.
type Near struct {
	ZIP   string // five digits
	Miles int
}

func (p *Place) empty() bool { return len(p.Values) == 0 && p.Near == Near{} }

// PlaceOf says whose place is meant.
type PlaceOf uint8

const (
	RecipientPlace PlaceOf = iota
	FunderPlace
	// AreaServed selects funders that paid any recipient in the place within the filter's years, whatever the
	// other conditions, and then all rows of these funders that satisfy the other conditions, years included.
	AreaServed
)

// PlaceKind says how the values are read.
type PlaceKind uint8

const (
	State   PlaceKind = iota // two-letter code
	ZIP                      // five digits, or a prefix of three
	City                     // folded by orgname.City, with an optional State
	County                   // five-digit FIPS
	Country                  // FIPS 10-4; only foreign lines have one, and no funder
)

// PlaceValue is one place. State is only used with City.
type PlaceValue struct{ Name, State string }

// onlyRecipient reports whether the filter asks for one recipient and, beside it, for years alone.
func (f *Filter) onlyRecipient() bool {
	return len(f.Recipients) == 1 && len(f.Unlinked) == 0 && !f.inferredOnly && f.only("recip_id", "year")
}
