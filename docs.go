// Package grantgraph is the documents of the project, so that the program shows
// the texts that the repository has, and there is one source of them.
package grantgraph

import "embed"

// Documents are docs and the changelog, under the names they have in the repository.
//
//go:embed CHANGELOG.md docs/*.md docs/guide/*.md
var Documents embed.FS
