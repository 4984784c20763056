package api

import (
	"context"
	"net/http"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
)

// Caller says who sent a request.
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

	// Weight is how many bytes of memory making the answer takes, in addition to
	// what every answer takes.
	Weight int64
	// Fields are the columns asked for; none means all.
	Fields []string
	// Question is the canonical form of the request: the same text for every way to
	// ask it. Together with the warnings it names the answer. When it is empty, the
	// parameters as they were sent name the answer.
	Question string
	// Worked says that a plan refused the request after it used machine time, so
	// that the call is charged.
	Worked bool
	// Claim takes what the answer uses in addition to its calls; it may be nil.
	// It is called before the charge. The function it returns gives the claim
	// back when there is no answer, because the charge or the run failed.
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

// RequirePaid refuses a key without a paid plan, where only a part of an operation
// needs one.
func (c *Call) RequirePaid() error {
	if c.Caller.Paid {
		return nil
	}
	return c.key.Require(account.Paid)
}

// Body is the body of the request, as it was sent.
func (c *Call) Body() []byte { return c.body }

// Example reports whether the answer is invented.
func (c *Call) Example() bool { return c.shown != nil }

// Serves reports whether the table has an operation, even if this service does
// not offer it.
func (c *Call) Serves(method, path string) bool {
	for i := range c.table.ops {
		if op := &c.table.ops[i]; op.Method == method && Versioned+op.Path == path {
			return true
		}
	}
	return false
}

// Caveat tells the caller of a limit of something that ran.
func (c *Call) Caveat(parameter, reason string) { c.warn.Caveat(parameter, reason) }

// CaveatMasked tells the caller that the dataset does not name private persons,
// where the answer may hold grants to them.
func (c *Call) CaveatMasked() {
	if masked(c.Data.Snapshot()) != "" {
		c.Caveat("_individuals", "Grants to private persons are masked in this dataset: their names, cities, ZIP codes and purposes are left out, and "+
			"each is called AN INDIVIDUAL. Sums and counts are those of all grants.")
	}
}

// Service is the extension block of the answer.
func (c *Call) Service() client.Service {
	return client.Service{Unsupported: c.warn.unsupported(), Warnings: c.warn.all(), Dataset: stamp(c.Data.Snapshot()), Example: c.shown}
}

// Tail is the end of the answer.
func (c *Call) Tail() client.Tail { return client.Tail{Service: c.Service()} }

// Format is the format of the answer, once it is read.
func (c *Call) Format() string { return c.format }

// ReadFormat reads the format of the answer.
func (c *Call) ReadFormat() {
	value, given := c.Params.Text("format")
	if !given {
		if c.Request != nil {
			c.format = accepted(c.Request.Header, c.op.Formats)
		}
		return
	}
	for _, f := range c.op.Formats {
		if strings.EqualFold(f, value) {
			c.format = f
			return
		}
	}
	p := c.Params.Param("format")
	c.Params.Problem(p, -1, "enum", value, Limit{"expected": c.op.Formats}, "%q is not one of %s", Clip(value), strings.Join(c.op.Formats, ", "))
}
