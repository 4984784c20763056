package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
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
