package api

import (
	"fmt"
	"io"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

const (
	Refresh      = "monthly"
	ReportingLag = "12 to 24 months"
)

func stamp(m *snapshot.Manifest) client.Build {
	return client.Build{Version: m.Version, Refresh: Refresh, ReportingLag: ReportingLag, Invented: m.Invented, Individuals: masked(m)}
}

func masked(m *snapshot.Manifest) string {
	if m.Individuals == snapshot.IndividualsMasked {
		return m.Individuals
	}
	return ""
}

// Tabular is an answer whose csv and ndjson carry only the rows. hits is nil when they were not counted.
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

// ownCSV is a Tabular that writes its own CSV, because its type has no columns.
type ownCSV interface{ WriteCSV(w io.Writer) error }

var Success = client.Head{Code: 200, Message: "OK"}

type List[T any] struct{ client.List[T] }

func (l *List[T]) Table() (any, *int64, *string) { return l.Results, &l.Hits, l.NextCursor }

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

// OrNull is a pointer to a value, or nil for an empty one: null means unknown on the wire.
func OrNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// RefOrNull is OrNull without a copy, for a text that lives as long as the row.
func RefOrNull(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}

func Instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

var issued = ein.Issued()

func (c *Call) ReadEIN() ein.EIN {
	text, _ := c.Params.Text("ein")
	e, err := ein.Parse(text)
	if err != nil && !c.Params.Failed() {
		c.Params.Problem(c.Params.Param("ein"), -1, "ein", text, nil, "the value is not an EIN; write nine digits, such as 12-3456789")
	}
	return e
}

// FilingURL is where a return can be read: for an invented organization its page here, unless it is only in an example.
func (c *Call) FilingURL(filer ein.EIN, objectID string) *string {
	if objectID == "" || issued.Has(filer) || c.Example() || !c.Data.Snapshot().Invented {
		return FilingURL(filer, objectID)
	}
	return OrNull(c.Base + "/org/" + filer.String() + "/finances")
}

// FilingURL is where a return can be read. Invented returns have no page.
func FilingURL(filer ein.EIN, objectID string) *string {
	if objectID == "" || !issued.Has(filer) {
		return nil
	}
	return OrNull("https://projects.propublica.org/nonprofits/organizations/" + filer.String() + "/" + objectID + "/full")
}

func (c *Call) ReadPage(asked []byte) (offset, limit int, err error) {
	r := c.Params
	most, served := int64(*r.Param("limit").Cap), "rows are served in a page"
	if rows := int64(c.Caller.Tier.Terms().Rows); c.Caller.Tier != "" && rows < most {
		most, served = rows, fmt.Sprintf("%s to a key of the %s tier", served, c.Caller.Tier)
	}
	size := c.ReadLimit(most, served)
	number, numbered := r.Integer("page")
	if numbered {
		offset = int((number - 1) * size)
	}
	from, given, err := c.ReadCursor(asked)
	switch {
	case err != nil || !given:
		return offset, int(size), err
	case numbered:
		r.Warn.Ignored("page", "The cursor says where the page begins, so page was not applied.")
	}
	return int(from), int(size), nil
}

// ReadLimit reads how many rows to answer, and lowers a number that is more than most.
func (c *Call) ReadLimit(most int64, served string) int64 {
	n, ok := c.Params.Integer("limit")
	if !ok {
		return min(int64(c.Params.Param("limit").Default.(int)), most)
	}
	if n > most {
		c.Caveat("limit", fmt.Sprintf("At most %d %s, so limit was lowered to that.", most, served))
	}
	return min(n, most)
}

// ListOf is a page of rows, with the cursor of the next one. The caller adds the tail, after all warnings.
func ListOf[T any](c *Call, asked []byte, rows []T, hits int64, offset, limit int) *List[T] {
	list := &List[T]{List: client.List[T]{
		Head: Success, Hits: hits, Page: int64(offset/limit) + 1, Limit: limit, ResultsCount: len(rows),
		TotalPages: (hits + int64(limit) - 1) / int64(limit), Results: rows,
	}}
	if end := int64(offset) + int64(len(rows)); len(rows) > 0 && end < hits {
		next := c.Cursor(asked, end)
		list.NextCursor = &next
	}
	return list
}
