// Package grant is the vocabulary of a grant row: how its recipient was found, what it supports, what kind of funder paid it,
// and the classes that can be left out. The words are published and stored, so they never change meaning.
package grant

// Kinds of funders.
const (
	PrivateFoundation = "private_foundation"
	PublicCharity     = "public_charity"
	Passthrough       = "daf_or_passthrough"
)

// FunderKinds lists the kinds in published order.
func FunderKinds() []string { return []string{PrivateFoundation, PublicCharity, Passthrough} }

// kindTexts are the kinds as people read them: one funder, and several.
var kindTexts = map[string][2]string{
	PrivateFoundation: {"Private foundation", "private foundations"},
	PublicCharity:     {"Public charity", "public charities"},
	Passthrough:       {"Donor-advised fund or pass-through", "donor-advised and pass-through funds"},
}

// KindLabel is the text for people of a kind of funder; empty for any other word.
func KindLabel(kind string) string { return kindTexts[kind][0] }

// KindPlural is the text for people of the funders of a kind.
func KindPlural(kind string) string { return kindTexts[kind][1] }

// Tiers of rows: a US recipient with an EIN, and everything else.
const (
	Matched  = "matched"
	Universe = "universe"
)

// Classes of rows that can be excluded.
const (
	DAF          = "daf"
	Individuals  = "individuals"
	RelatedParty = "related_party"
	Unidentified = "unidentified"
)
