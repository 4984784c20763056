package api

import (
	"context"
	"net/http"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
)

// Caller is whose request it is.
type Caller struct {
	Key     string       // ID of the key, empty for none
	Secret  string       // the key itself, where the operation is for agents, whose answers repeat it
	Owner   string       // whose key it is: the account, or the key itself when it has none
	Paid    bool         // the plan of the key is a paid one
	Pro     bool         // it is Pro
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
	Request *http.Request // nil where the description asks for an example

	// Set by the plan of an operation:

	// Weight is how many bytes the answer takes while it is made, beside those
	// that every answer does.
	Weight int64
	// Fields are the columns asked for; none means all.
	Fields []string
	// Question is what is asked, written the same for every way to ask it. It
	// names the answer together with what the request was warned of; where it is
	// empty the parameters do, as they were sent.
	Question string
	// Worked says that a plan which refused has used what a call pays for.
	Worked bool
	// Claim takes what the answer uses up beside its calls, when it is not nil.
	// It is called before the charge; what it returns gives it back where there
	// is no answer, because the charge failed or the run did.
	Claim func(context.Context) (giveBack func(context.Context) error, err error)

	// Set where the caller is admitted:

	// Pay takes the place of the charge when it is not nil.
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

// RequirePaid refuses a key of no paid plan, where only a part of an operation
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

// Serves reports whether the table has an operation, also one that this service
// does not offer.
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

// CaveatMasked tells the caller that private persons are not named, where the
// dataset is built so and the answer may hold grants to them.
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
