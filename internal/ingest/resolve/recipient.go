package resolve

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// Recipient is what a grant line says about its recipient, as filed. Lines repeat, so the caller resolves each
// distinct recipient once. Country is empty for a line with a US address or no address.
type Recipient struct {
	Name1, Name2                      string
	Person                            string // the element for a person's name, filed instead of a business name
	Street, City, State, ZIP, Country string
	Filed                             ein.EIN
	TaxStatus                         TaxStatus // used only by the model
}

// Name is the recipient as filed: the organization, or else the person.
func (t *Recipient) Name() string {
	switch {
	case t.Name1 == "" && t.Name2 == "":
		return t.Person
	case t.Name2 == "":
		return t.Name1
	case t.Name1 == "":
		return t.Name2
	}
	return t.Name1 + " " + t.Name2
}

// ParseName parses the recipient's name.
func (t *Recipient) ParseName() orgname.Name {
	if t.Name1 == "" && t.Name2 == "" {
		return orgname.Parse(t.Person)
	}
	return orgname.ParseLine(t.Name1, t.Name2, t.City, t.State)
}

// Match is the result for a recipient. The zero Match means "no EIN".
type Match struct {
	EIN  ein.EIN
	Rule Rule
	Prob float64
	// Barred is set if a person has ruled that the line has no EIN, so that no later step looks for one.
	Barred bool
}

// found is the match of a rule with a constant probability.
func found(r Rule, e ein.EIN) Match { return Match{EIN: e, Rule: r, Prob: r.Prob()} }
