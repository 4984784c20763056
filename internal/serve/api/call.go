package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/snapshot"
)

type Caller struct {
	Key     string       // ID of the key, empty for none
	Secret  string       // the key itself, for operations of agents, whose answers repeat it
	Owner   string       // the account that the key belongs to, or the key itself without an account
	Paid    bool         // the plan of the key is a paid one
	Pro     bool         // the plan is Pro
	Tier    account.Tier // of the key of an agent
	Address string       // of the client
}

// Call is one request on its way through an operation.
type Call struct {
	Params  *Reader
	Data    Dataset
	Base    string // address of the service
	Caller  Caller
	ID      string        // of the request
	Request *http.Request // nil for the examples of the OpenAPI document

	// Set by the plan of an operation:

	// Weight is the bytes that making the answer takes, beside what every answer takes.
	Weight int64
	// Fields are the columns asked for; none means all.
	Fields []string
	// Question is the canonical form of the request, which with the warnings names the answer. Empty means as sent.
	Question string
	// Worked says that a refused plan used machine time, so that the call is charged.
	Worked bool
	// Claim takes what the answer uses beside its calls, before the charge, and returns what gives it back. Nil for none.
	Claim func(context.Context) (giveBack func(context.Context) error, err error)

	// Set where the caller is admitted:

	// Pay, when it is not nil, replaces the charge.
	Pay func(context.Context) error
	// Allowed names the exception under which the caller was admitted.
	Allowed string

	table  *operationTable
	op     *Operation
	warn   *Warnings
	key    account.KeyInfo
	body   []byte
	format string
	shown  *client.Shown // set on examples
	paid   bool          // the call was charged
}

// Operation is the entry of the table that the call is for.
func (c *Call) Operation() *Operation { return c.op }

// RequirePaid refuses a key without a paid plan, for a part of an operation.
func (c *Call) RequirePaid() error {
	if c.Caller.Paid {
		return nil
	}
	return c.key.Require(account.Paid)
}

func (c *Call) Body() []byte { return c.body }

// Example reports whether the answer is invented.
func (c *Call) Example() bool { return c.shown != nil }

// Serves reports whether the table has an operation, even if it is not offered here.
func (c *Call) Serves(method, path string) bool {
	return slices.ContainsFunc(c.table.ops, func(op Operation) bool { return op.Method == method && Versioned+op.Path == path })
}

// Sample is the answer of an example by the ID of its operation, for operations that have nothing invented to work with.
func (c *Call) Sample(file []byte) (client.Answer, error) {
	var samples map[string]json.RawMessage
	if err := decodeStrictly(file, &samples); err != nil {
		return nil, err
	}
	a := reflect.New(reflect.TypeOf(c.op.Response)).Interface().(client.Answer)
	err := decodeStrictly(samples[c.op.ID], a)
	*a.Extension() = c.Service()
	return a, err
}

// Caveat tells the caller of a limit of something that ran.
func (c *Call) Caveat(parameter, reason string) { c.warn.Caveat(parameter, reason) }

// CaveatMasked tells the caller that the dataset does not name private persons, where the answer may hold grants to them.
func (c *Call) CaveatMasked() {
	if masked(c.Data.Snapshot()) != "" {
		c.Caveat("_individuals", "Grants to private persons are masked in this dataset: their names, cities, ZIP codes and purposes are left out, and "+
			"each is called AN INDIVIDUAL. Sums and counts are those of all grants.")
	}
}

func (c *Call) Service() client.Service {
	return client.Service{Unsupported: c.warn.unsupported(), Warnings: c.warn.all(), Dataset: stamp(c.Data.Snapshot()), Example: c.shown}
}

func (c *Call) Tail() client.Tail { return client.Tail{Service: c.Service()} }

func (c *Call) Format() string { return c.format }

func (c *Call) ReadFormat() {
	value, given := c.Params.Text("format")
	if !given {
		if c.Request != nil {
			c.format = accepted(c.Request.Header, c.op.Formats)
		}
		return
	}
	if i := slices.IndexFunc(c.op.Formats, func(f string) bool { return strings.EqualFold(f, value) }); i >= 0 {
		c.format = c.op.Formats[i]
		return
	}
	p := c.Params.Param("format")
	c.Params.Problem(p, -1, "enum", value, Limit{"expected": c.op.Formats}, "%q is not one of %s", Clip(value), strings.Join(c.op.Formats, ", "))
}

// Inquiry is a request from another part of the service, such as a page, without a key, a charge or a rendering.
type Inquiry struct {
	Path   string // of an operation, such as /grants/funders
	Query  url.Values
	Body   []byte  // of a POST; nil for a GET
	Data   Dataset // the asker holds it until it has used the answer
	Caller Caller  // the caller's plan decides which parts the answer shows
}

// Ask answers an inquiry. The memory of the answer is held until release is called; release is never nil. If
// values cannot be read, Problems lists them from the error. Every other error has a slug from the table.
func (s *Handler) Ask(ctx context.Context, q Inquiry) (a client.Answer, release func(), err error) {
	release = func() {}
	ops, path := s.table.routes.find(Versioned + q.Path)
	method := http.MethodGet
	if q.Body != nil {
		method = http.MethodPost
	}
	op := choose(ops, method)
	if op == nil || op.Off {
		return nil, release, fault.New(refusedNotFound.Slug, "There is nothing at %s.", shown(q.Path))
	}
	if err := op.lacks(q.Data); err != nil {
		return nil, release, err
	}
	c := &Call{table: s.table, op: op, Data: q.Data, warn: &Warnings{}, Base: s.config.BaseURL, format: "json", Caller: q.Caller, body: q.Body}
	run, err := c.prepare(q.Query, path)
	if err != nil {
		return nil, release, err
	}
	hold, err := s.config.Budget.Take(ctx, baseWeight+c.Weight)
	if err != nil {
		return nil, release, err
	}
	if a, err = run(ctx); err != nil {
		hold.Release()
		return nil, release, err
	}
	return a, hold.Release, nil
}

// Problems are the unreadable values of a request. It is empty for any other error.
func Problems(err error) []client.Problem {
	if bad, ok := errors.AsType[*invalid](err); ok {
		return bad.problems
	}
	return nil
}

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
