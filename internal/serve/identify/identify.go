// Package identify decides which organization a text means. Search, SQL, questions, forms and the command line ask it. It says
// when a text means nobody or fits several organizations. docs/search.md shows how often its probabilities are right.
package identify

import (
	"strings"

	"grantgraph/internal/ein"
)

// Role is the part that the organization plays in the text.
type Role uint8

const (
	Either Role = iota
	Funder
	Grantee
)

// Verdict is how far an answer can be relied on.
type Verdict uint8

const (
	Nobody  Verdict = iota // no organization here is meant
	Several                // ask which one is meant
	Likely                 // the first candidate has a probability of at least leastLikely
	Certain                // the first candidate has a probability of at least LeastCertain
)

func (v Verdict) String() string { return [...]string{"nobody", "several", "likely", "certain"}[v] }

// Question is a text that may name an organization.
type Question struct {
	Text  string // as typed: "Hewlett Foundation", "UCLA", "c/o Jane Smith, NAME", "12-3456789"
	State string // two letters, optional
	City  string // optional
	Role  Role
	Limit int // candidates wanted; 0 or less means 5
}

// View is what a caller wants beside the candidates that are meant.
type View struct {
	// For lists of results, with candidates that are hardly meant:
	All    bool
	Within []uint64 // only these organizations, a bit for each number; nil for all

	// Registered is the registered name of an organization, if the caller knows it. A
	// text with a legal form means the organization whose name has the same form.
	Registered func(org uint32) string

	without uint32 // an organization that is left out
}

// Candidate is an organization that a text may mean.
type Candidate struct {
	EIN         ein.EIN
	Org         uint32 // number of the organization in every index
	DisplayName string // as people write the name of the organization
	City        string
	State       string // two letters, empty when not known

	Probability float64 // that a well-informed person means this organization
	Name        string  // the name by which the organization was recognized
	Why         string  // a short reason: "registered name", "called so by 412 filers"

	Exact bool    // the text is one of its own names
	Whole bool    // a name of it has all words of the text
	Fit   float64 // how well it fits compared with other texts, from 0 to 1
}

// atAddress is why somebody at the address of an organization may be the organization.
const atAddress = "name used at its address"

// AtAddress reports whether all that speaks for the organization is that the name is used at its address.
func (c Candidate) AtAddress() bool { return strings.HasSuffix(c.Why, atAddress) }

// Answer is what a text means. The probabilities of the candidates fall; what they
// leave of 1 is the probability that nobody is meant.
type Answer struct {
	Verdict    Verdict
	Candidates []Candidate
}

// Best is the first candidate, if the verdict is Likely or Certain.
func (a *Answer) Best() (c Candidate, ok bool) {
	if a.Verdict < Likely || len(a.Candidates) == 0 {
		return c, false
	}
	return a.Candidates[0], true
}
