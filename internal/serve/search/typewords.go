package search

import "grantgraph/internal/snapshot"

// TypeOf names what an organization is: its kind, and its type in words, as the
// results of a search have them. funder is nil for one that makes no grants,
// and returnType is empty for one that has filed nothing.
func TypeOf(o *snapshot.Organization, funder *snapshot.FunderKind, returnType string) (kind, words string) {
	t := types[typeOf(o, funder, returnType)]
	return t.kind, t.words
}
