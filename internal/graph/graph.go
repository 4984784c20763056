// Package graph answers questions about who funded whom. It holds the grant
// rows of a snapshot as immutable, memory-mapped columns, sorted in both
// directions of the graph, with postings and precomputed totals, so that a
// question touches few bytes. It knows nothing of HTTP: package api turns
// requests into a Filter and results into wire rows.
package graph

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// Filter is the condition of a question. Fields combine with AND, values within
// a field with OR. The zero Filter is every row.
type Filter struct {
	Funders    []ein.EIN
	Recipients []ein.EIN // rows without a recipient EIN never match
	Years      []Span    // fiscal years
	Subject    ntee.Subject
	Place      Place
	Countries  []string // FIPS 10-4 codes of the recipient's country; only foreign lines have one
	Query      Query
	Support    grant.Support // rows that have any of these bits
	FunderKind string        // one of grant.FunderKinds
	Exclude    Class         // rows in any of these classes are left out
	MinAmount  *int64
	MaxAmount  *int64
	MinProb    *float64 // rows without a recipient EIN never match
	Sources    []grant.Rule
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
)

// Place is a condition on where the recipient or the funder is.
type Place struct {
	Of     PlaceOf
	Kind   PlaceKind
	Values []PlaceValue // none: no condition
}

// PlaceOf says whose place is meant.
type PlaceOf uint8

const (
	RecipientPlace PlaceOf = iota
	FunderPlace
	// AreaServed selects funders that paid any recipient in the place within
	// the filter's years, whatever the other conditions, and then all rows of
	// these funders that satisfy the other conditions, years included.
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

// Query is a parsed free-text condition over purpose, name as filed and
// canonical recipient name; see ParseQuery.
type Query struct {
	Must    []Term
	MustNot []Term
}

// Term is one word or, with several words, a phrase of adjacent words.
type Term struct{ Words []string }

// Order is a sort key. Which ones an endpoint has, its method says.
type Order uint8

const (
	ByAmount Order = iota // transactions: amount; aggregates: total
	ByYear
	ByCount
	ByFunderName
	ByFunderState
	ByRecipName
	ByRecipState
)

// Sort is an order and its direction. Ties are broken by amount (or total)
// descending, then by grant key, funder EIN or recipient identity ascending.
type Sort struct {
	By  Order
	Asc bool
}

// Page is a part of an ordered result.
type Page struct{ Offset, Limit int }

// Grant is one row, as package api writes it.
type Grant struct {
	Key        string
	Funder     *Funder
	Recipient  *Recipient
	NameFiled  string // recipient name as filed
	City       string // place of the line, else of the organization
	State      string
	ZIP        string
	Country    string
	Amount     int64
	FiscalYear int
	NTEE       ntee.Code // of the recipient; empty when unknown
	Support    grant.Support
	Purpose    string
	ObjectID   string // empty when unknown
	Filing     string
	ReturnType string
	PeriodEnd  string
	Rule       grant.Rule
	Prob       float64
	Matched    bool // tier
	Classes    Class
}

// Funder is one grantmaker.
type Funder struct {
	EIN               ein.EIN
	Name, City, State string
	Kind              string
}

// Recipient is one recipient identity.
type Recipient struct {
	ID                              string
	EIN                             ein.EIN // None when unresolved
	Name, City, State, ZIP, Country string
}

// FunderTotal is a funder with the totals of its matching rows.
type FunderTotal struct {
	Funder
	Total               int64
	Grants, Recipients  int64
	FirstYear, LastYear int
}

// RecipientTotal is a recipient with the totals of its matching rows.
type RecipientTotal struct {
	Recipient
	Total               int64
	Grants, Funders     int64
	FirstYear, LastYear int
}

// Totals sums up matching rows.
type Totals struct {
	Amount, Grants, Funders, Recipients int64
}

// YearTotals are the totals of one fiscal year.
type YearTotals struct {
	FiscalYear int
	Totals
	Partial bool
}

// Cost is what a class takes away from a result.
type Cost struct{ Grants, Amount int64 }
