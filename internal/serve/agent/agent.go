// Package agent examines automated agents that come without an account. A key
// minted for such an agent is locked until the agent has made three given
// calls of the service and answered two or three plain questions about the
// rows they return.
//
// A challenge is a pure function of a secret of the server, the key, the
// number of the challenge and the dataset: the Examiner draws it from a Pool of
// funders and recipients whose pages make good questions, and computes the
// answers by asking the very index that serves the calls. What leaves this
// package holds no answer, only salted hashes of the forms in which an answer
// is accepted, so a Challenge can be stored as it is. Keys, attempts and
// waiting times are kept by package account; package api/agentkeys puts both on
// the wire.
package agent

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"grantgraph/internal/serve/graph"
)

// Asker is the part of the graph that challenges are made from: the questions
// behind the endpoints /grants/*. A *graph.Graph is one.
type Asker interface {
	Transactions(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]graph.Grant, int64, error)
	Recipients(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]graph.RecipientTotal, int64, error)
	Funders(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]graph.FunderTotal, int64, error)
	Summary(context.Context, *graph.Filter) (graph.Totals, []graph.YearTotals, error)
}

// Challenge is a set of questions about the rows that three calls return. Its
// JSON form has everything in it, so a store may keep it as one opaque value.
type Challenge struct {
	Number    int        `json:"number"`
	Version   string     `json:"version"` // of the dataset the answers were computed from
	Calls     []Call     `json:"calls"`
	Questions []Question `json:"questions"`

	// Salt and Hashes say what is accepted: for each question the beginning of
	// the SHA-256 of every accepted normal form, salted; the first is the answer
	// itself.
	Salt   []byte     `json:"salt"`
	Hashes [][][]byte `json:"hashes"`

	// Params are what the challenge was made of, enough to make it again from
	// another dataset. They name no answer.
	Params json.RawMessage `json:"params"`
}

// Call is a request that a locked key may make.
type Call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query"`
}

// URL is the call relative to the address of the service.
func (c Call) URL() string { return c.Path + "?" + c.Query }

// Question is one question as the agent reads it.
type Question struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	AnswerType AnswerType `json:"answer_type"`
}

// AnswerType says how the answer to a question is read.
type AnswerType string

// The types of answers.
const (
	Integer      AnswerType = "integer"      // whole dollars
	Organization AnswerType = "organization" // a name or an EIN
	Text         AnswerType = "text"         // wording as filed
)

// Allows reports whether a key locked by the challenge may make a request. The
// order of the parameters does not matter; everything else is as given: no
// parameter more or less, none repeated, no other spelling of a value.
func (c *Challenge) Allows(method, path string, query url.Values) bool {
	return slices.ContainsFunc(c.Calls, func(call Call) bool {
		want, err := url.ParseQuery(call.Query)
		return err == nil && method == call.Method && path == call.Path && maps.EqualFunc(want, query, slices.Equal)
	})
}

// root is where the calls are served.
const root = "/api/v1/grants/"

// pageSize is how many rows a call returns: what an anonymous key may see.
const pageSize = 10

func get(endpoint, query string) Call {
	return Call{Method: http.MethodGet, Path: root + endpoint, Query: query}
}
