package search

import "grantgraph/internal/snapshot"

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
	return t.kind, t.words
}
