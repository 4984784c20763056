package api

import (
	"io"
	"time"

	"grantgraph/internal/snapshot"
)

// Service is the extension block x_service of an answer.
type Service struct {
	Unsupported  []string  `json:"unsupported" doc:"Parameters that were recognized but not honored: the filter did NOT run."`
	Warnings     []Warning `json:"warnings" doc:"What the answer does not say by itself."`
	Dataset      Build     `json:"dataset"`
	Excluded     *Excluded `json:"excluded,omitempty" doc:"What each excluded class cost against the filter; present when exclude is used."`
	Withheld     []string  `json:"withheld,omitempty" doc:"Paths of the fields that are left out of a screening on a trial or free key."`
	NotAvailable []Absent  `json:"not_available,omitempty" doc:"What is absent from a profile, part by part, and why."`
	Example      *Shown    `json:"example,omitempty" doc:"Present on example answers: everything in them is invented."`
}

// Absent is a part that an answer does not have.
type Absent struct {
	Part   string `json:"part" doc:"Name of the part."`
	Reason string `json:"reason" enum:"plan,no_filing_read,files_on_paper,files_990n,not_required_to_file,not_on_this_form,not_a_private_foundation,none_found,source_not_loaded" doc:"Why it is absent, in one word."`
	Detail string `json:"detail" doc:"The same in a sentence."`
}

// Build names the dataset an answer was made from.
type Build struct {
	Version      string `json:"version" doc:"Build stamp; sorts in the order of publication."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	ReportingLag string `json:"reporting_lag" doc:"How far filings lag behind their fiscal year."`
	Invented     bool   `json:"invented,omitempty" doc:"True when the dataset is made up, as that of a demo is: its organizations, people and grants do not exist. Absent otherwise."`
	Individuals  string `json:"individuals,omitempty" enum:"masked" doc:"masked when the dataset leaves out who the private persons are that grants were paid to: name, city, ZIP code and purpose. Absent otherwise."`
}

// Excluded is what leaving out classes of rows took away.
type Excluded struct {
	DAF          *Cost `json:"daf,omitempty"`
	Individuals  *Cost `json:"individuals,omitempty"`
	RelatedParty *Cost `json:"related_party,omitempty"`
	Unidentified *Cost `json:"unidentified,omitempty"`
}

// Cost is the size of an excluded class within the other filters.
type Cost struct {
	GrantCount  int64 `json:"grant_count" doc:"Rows."`
	TotalAmount int64 `json:"total_amount" doc:"Whole dollars."`
}

// Shown marks an example.
type Shown struct {
	Case    string `json:"case" doc:"Which example this is."`
	Request string `json:"request,omitempty" doc:"The request that it answers."`
	Note    string `json:"note" doc:"That it is invented."`
}

// The phrases of the dataset block.
const (
	Refresh      = "monthly"
	ReportingLag = "12 to 24 months"
)

func stamp(m *snapshot.Manifest) Build {
	return Build{Version: m.Version, Refresh: Refresh, ReportingLag: ReportingLag, Invented: m.Invented, Individuals: masked(m)}
}

// masked is how private persons are shown, where that is not as filed.
func masked(m *snapshot.Manifest) string {
	if m.Individuals == snapshot.IndividualsMasked {
		return m.Individuals
	}
	return ""
}

// Answer is the body of a success: a struct with a Head and a Tail.
type Answer interface{ service() *Service }

// Tabular is an answer of which csv and ndjson carry the rows alone. hits is
// how many there are in all, nil when nobody has counted them.
type Tabular interface {
	Answer
	Table() (rows any, hits *int64, next *string)
}

// Document is an answer of which a format is a file that is not made by this
// package, such as a PDF.
type Document interface {
	Answer
	// File is the file and its name, fit for a header.
	File() (name string, body []byte)
}

// ownCSV is a Tabular whose columns its type does not tell.
type ownCSV interface{ WriteCSV(w io.Writer) error }

// Head is the beginning of every success.
type Head struct {
	Code    int    `json:"code" doc:"200 on success."`
	Message string `json:"message" doc:"Status text."`
}

// Tail is its end.
type Tail struct {
	Service Service `json:"x_service"`
}

func (t *Tail) service() *Service { return &t.Service }

// Success is the head of every answer that is one.
var Success = Head{200, "OK"}

// List is the envelope of a page of rows.
type List[T any] struct {
	Head
	Hits         int64   `json:"hits" doc:"Matching rows in all."`
	Page         int64   `json:"page" doc:"Page number, from 1."`
	Limit        int     `json:"limit" doc:"Page size served."`
	ResultsCount int     `json:"results_count" doc:"Rows in this page."`
	TotalPages   int64   `json:"total_pages" doc:"Pages for this filter."`
	NextCursor   *string `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Results      []T     `json:"results" doc:"The rows."`
	Tail
}

func (l *List[T]) Table() (any, *int64, *string) { return l.Results, &l.Hits, l.NextCursor }

// Pick leaves only some columns of the rows.
func (l *List[T]) Pick(fields []string) *List[picked] {
	rows := make([]picked, len(l.Results))
	for i := range l.Results {
		rows[i] = picked{&l.Results[i], fields}
	}
	return &List[picked]{l.Head, l.Hits, l.Page, l.Limit, l.ResultsCount, l.TotalPages, l.NextCursor, rows, l.Tail}
}

// Count is the number of rows, where they are all there are.
func Count[T any](rows []T) *int64 {
	n := int64(len(rows))
	return &n
}

// OrNull is a pointer to a text, nil when it is empty, which is how the wire
// says that something is not known.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// RefOrNull is the same for a text that lives as long as the row, which is then
// not copied.
func RefOrNull(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}

// Instant is a time as the wire has it.
func Instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }
