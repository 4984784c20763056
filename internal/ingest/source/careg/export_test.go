package careg

import (
	"io"

	"grantgraph/internal/ingest/source/rows"
)

// Read reads a single list.
func Read(r io.Reader, fn func(*Record) error) (rows.Tally, error) { return new(Edition).Read(r, fn) }
