package api

import (
	"io"
	"time"

	"grantgraph/client"
	"grantgraph/internal/snapshot"
)

// The phrases of the dataset block.
const (
	Refresh      = "monthly"
	ReportingLag = "12 to 24 months"
)

func stamp(m *snapshot.Manifest) client.Build {
	return client.Build{Version: m.Version, Refresh: Refresh, ReportingLag: ReportingLag, Invented: m.Invented, Individuals: masked(m)}
}

// masked is "masked" when the dataset hides private persons, and empty otherwise.
func masked(m *snapshot.Manifest) string {
	if m.Individuals == snapshot.IndividualsMasked {
		return m.Individuals
	}
	return ""
}

// Tabular is an answer whose csv and ndjson carry only the rows. hits is the number
// of matching rows in all, nil when it was not counted.
type Tabular interface {
	client.Answer
	Table() (rows any, hits *int64, next *string)
}

// Document is an answer as a file that another package makes, such as a PDF.
type Document interface {
	client.Answer
	// File is the file and its name, fit for a header.
	File() (name string, body []byte)
}

// ownCSV is a Tabular that writes its own CSV, because its type does not have its
// columns.
type ownCSV interface{ WriteCSV(w io.Writer) error }

// Success is the head of every success.
var Success = client.Head{Code: 200, Message: "OK"}

// List is the envelope of a page of rows.
type List[T any] struct{ client.List[T] }

func (l *List[T]) Table() (any, *int64, *string) { return l.Results, &l.Hits, l.NextCursor }

// Pick leaves only some columns of the rows.
func (l *List[T]) Pick(fields []string) *List[picked] {
	rows := make([]picked, len(l.Results))
	for i := range l.Results {
		rows[i] = picked{&l.Results[i], fields}
	}
	return &List[picked]{client.List[picked]{
		Head: l.Head, Hits: l.Hits, Page: l.Page, Limit: l.Limit, ResultsCount: l.ResultsCount, TotalPages: l.TotalPages, NextCursor: l.NextCursor,
		Results: rows, Tail: l.Tail,
	}}
}

// Count is the number of rows of an answer that has all rows.
func Count[T any](rows []T) *int64 {
	n := int64(len(rows))
	return &n
}

// OrNull is a pointer to a text, or nil for an empty text: null means unknown on
// the wire.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// RefOrNull is OrNull without a copy, for a text that lives as long as the row.
func RefOrNull(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}

// Instant is a time as the wire has it.
func Instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }
