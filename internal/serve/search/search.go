// Package search finds organizations by what a person types: a name, which package identify compares with the names it knows,
// words of their documents, or a meaning. It knows nothing of HTTP.
//
// The indexes are made when a snapshot is built and are memory-mapped when they are served. This package joins what names,
// words and meanings find into one list, with the organizations that a question means first.
package search

import (
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

const (
	Foundation = "foundation" // a private foundation
	Nonprofit  = "nonprofit"  // any other
)

// Result is one organization found.
type Result struct {
	EIN     ein.EIN
	Name    string
	City    string
	State   string // two letters, empty when not known
	Kind    string // Foundation or Nonprofit
	Type    string // for people: "Private foundation", "Church"
	NTEE    ntee.Code
	Cause   string  // empty when the organization has no NTEE code
	Revenue *int64  // of the latest filing, else of the master file
	Score   float64 // 0 to 1; Find ranks the results of one question, Search has one scale for all questions
	Match   string  // Exact, Strong or Weak
	Matched string  // ByName or ByText
	Partial bool    // something of the question is missing in its names and texts

	Probability float64 // that the question means this organization

	DisplayName string // as people write it
	Known       string // FromIRS or FromGrants
	Org         uint32 // number of the organization
}

// What of an organization agrees with a question.
const (
	ByName = "name"
	ByText = "text" // its mission, purposes, cause or place, or only some words of its name
)

// Where an organization is known from.
const (
	FromIRS    = "irs"    // lists and returns of the tax authority
	FromGrants = "grants" // only the grants that others report
)

// Slug is a name as the last part of a page's address: lower-case ASCII
// letters and digits joined by hyphens. It is never empty.
func Slug(name string) string {
	const most = 80
	b := make([]byte, 0, len(name))
	for _, c := range []byte(orgname.Fold(name)) {
		switch {
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c >= '0' && c <= '9':
			b = append(b, c)
		case c == '\'' || c == '`' || c == '.':
			// "St. Mary's" is st-marys.
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	s := string(b)
	if len(s) > most {
		s = s[:most]
		if i := strings.LastIndexByte(s, '-'); i > most/2 {
			s = s[:i]
		}
	}
	if s = strings.Trim(s, "-"); s == "" {
		return "organization"
	}
	return s
}

// How well an organization answers a question. The words and the scores mean the same for every question:
//
//	exact   1          the question is its name, one of its other names or its EIN
//	strong  0.7 to 1   the organization that the question means, written differently
//	weak    below 0.7  any other: some words of its name, its documents or its
//	                   meaning agree
const (
	Exact  = "exact"
	Strong = "strong"
	Weak   = "weak"
)

// class is the match as a number that compares.
type class uint8

const (
	weak class = iota
	strong
	exact
)

func (c class) String() string { return [...]string{Weak, Strong, Exact}[c] }

// scaled puts v, the rank of a match in its class from 0 to 1, on the common scale.
func (c class) scaled(v float32) float32 {
	v = max(0, min(1, v))
	switch c {
	case exact:
		return 1
	case strong:
		return strongFrom + (0.99-strongFrom)*v
	}
	return 0.69 * v
}

const strongFrom = 0.7 // score from which a match is strong

// TypeOf names the kind and type of an organization. funder is nil if it makes no grants, and
// returnType is empty if it has filed nothing.
func TypeOf(o *snapshot.Organization, funder *snapshot.FunderKind, returnType string) (kind, words string) {
	t := types[typeOf(o, funder, returnType)]
	return t.Text("kind"), t.Text("words")
}
