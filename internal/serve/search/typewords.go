package search

import "grantgraph/internal/snapshot"

// TypeOf names the kind and the type of an organization in the words of search
// results. funder is nil if the organization makes no grants. returnType is empty if
// it has filed nothing.
func TypeOf(o *snapshot.Organization, funder *snapshot.FunderKind, returnType string) (kind, words string) {
	t := types[typeOf(o, funder, returnType)]
	return t.kind, t.words
}
