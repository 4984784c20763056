// Package grantgraph is the documents of the project and the sources of its clients, so that the program shows the texts and serves
// the code that the repository has.
package grantgraph

import "embed"

// Documents are docs and the changelog, under the names they have in the repository.
//
//go:embed CHANGELOG.md docs/*.md docs/guide/*.md
var Documents embed.FS

// Clients are the parts of the clients that people wrote. Package clients adds what it writes from the OpenAPI document.
//
//go:embed client/*.go clients/go/*.tmpl clients/python/*.tmpl clients/python/pyproject.toml clients/python/README.md clients/typescript/grantgraph/*
var Clients embed.FS
