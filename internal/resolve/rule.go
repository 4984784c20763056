// Package resolve says which organization a grant line names: its EIN, the
// rule that found it and how likely that is to be right; and it gives every
// recipient, resolved or not, an identity that is a pure function of what the
// line says.
//
// A Universe is the set of organizations that can be found: the master file,
// every e-filer, the public lists, and the bodies (public universities, towns,
// tribes) that are known only because several funders filed the same EIN for
// the same name. A Resolver runs the rules over it in a fixed order; the first
// that fires wins. Persons and placeholders must be kept away from the rules
// by the caller; package classify tells them apart.
package resolve

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
)

// Rule is the way in which an EIN was found; see package grant.
type Rule = grant.Rule

// The rules, under the names this package uses them by.
const (
	None             = grant.None
	Filed            = grant.Filed
	OverrideHuman    = grant.OverrideHuman
	OverrideKeyError = grant.OverrideKeyError
	Name             = grant.Name
	RegistryDominant = grant.RegistryDominant
	Fuzzy            = grant.Fuzzy
	OverrideLLM      = grant.OverrideLLM
	Registry         = grant.Registry
	Address          = grant.Address
	ZIP              = grant.ZIP
	Street           = grant.Street
	Model            = grant.Model
)

// Tuple is what a grant line says about who was paid, as filed. Lines repeat:
// the caller resolves each distinct tuple once. Country is empty for a line
// with a US address or none.
type Tuple struct {
	Name1, Name2                      string
	Street, City, State, ZIP, Country string
	Filed                             ein.EIN
	Standing                          Standing // what the line says of it in law; only the model listens
}

// Match is the answer to a tuple. The zero Match is "no EIN".
type Match struct {
	EIN  ein.EIN
	Rule Rule
	Prob float64
	// Barred is set when a person has ruled that the line has no EIN, so that
	// no later step looks for one.
	Barred bool
}

// found is the match of a rule with a constant probability.
func found(r Rule, e ein.EIN) Match { return Match{EIN: e, Rule: r, Prob: r.Prob()} }
