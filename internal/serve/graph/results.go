package graph

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// Grant is one row, as package api/grants writes it.
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
	Inferred   byte      // letter of the recipient's inferred cause where there is no code, else 0
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
	Conflict   grant.Conflict
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
	// Classes says whether any of its grants is to a person (Individuals) or
	// names nobody (Unidentified), so that nobody is named who must not be.
	Classes Class
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
