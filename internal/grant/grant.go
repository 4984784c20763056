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

// Conflict says how the name on a line disagrees with the EIN that its filer stated. The row keeps the EIN, with the
// probability of its rule: a filer may know better than a register.
type Conflict uint8

const (
	NoConflict    Conflict = iota
	NameConflict           // the EIN is of an organization whose names have nothing of the line's
	GroupConflict          // the EIN is of the center of a group, and the line names one of its members
)

var conflicts = [...]string{"", "name", "group"}

// String is the word on the wire; empty for NoConflict.
func (c Conflict) String() string {
	if int(c) >= len(conflicts) {
		return ""
	}
	return conflicts[c]
}

// ParseConflict is the inverse of String.
func ParseConflict(word string) (Conflict, bool) {
	for c, w := range conflicts {
		if w == word {
			return Conflict(c), true
		}
	}
	return NoConflict, false
}

// Answers to the question whether a private foundation accepts applications.
const (
	Accepts    = "yes" // it says how to apply, and did not tick the box of Preselects
	Preselects = "no"  // it ticked the box: it gives only to organizations that it selects itself
	NotStated  = "not_stated"
)

// Applications lists the answers in published order.
func Applications() []string { return []string{Accepts, Preselects, NotStated} }

var applicationTexts = map[string][2]string{
	Accepts:    {"Accepts applications", "that accept applications"},
	Preselects: {"Gives only to organizations it selects", "that give only to organizations they select"},
	NotStated:  {"Applications not stated", "that do not state whether they accept applications"},
}

// ApplicationsLabel is an answer for people, said of one funder.
func ApplicationsLabel(answer string) string { return applicationTexts[answer][0] }

// ApplicationsPhrase is an answer for people, said of the funders of grants.
func ApplicationsPhrase(answer string) string { return applicationTexts[answer][1] }
