package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"grantgraph/client"
	"grantgraph/internal/fault"
)

// Inquiry is a request from another part of the service, such as a page. It gets
// the answer of a GET with the same path and query, without a key, a charge or a
// rendering.
type Inquiry struct {
	Path   string // of an operation, such as /grants/funders
	Query  url.Values
	Body   []byte  // of a POST; nil for a GET
	Data   Dataset // the asker holds it until it has used the answer
	Caller Caller  // the caller's plan decides which parts the answer shows
}

// Ask answers an inquiry. The memory of the answer is held until release is called;
// release is never nil. If values cannot be read, Problems lists them from the
// error. Every other error has a slug from the table.
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

// Problems are the values of a request that cannot be read. It is empty for any
// other error.
func Problems(err error) []client.Problem {
	var bad *invalid
	if errors.As(err, &bad) {
		return bad.problems
	}
	return nil
}
