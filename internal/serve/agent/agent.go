// Package agent examines automated agents that come without an account. The key of such an agent is locked until the agent has
// made three given calls of the service and answered two or three plain questions about the rows that they return.
//
// A challenge is a pure function of a secret of the server, the key, the number of the challenge and the dataset. The Examiner
// draws it from a Pool of funders and recipients whose pages make good questions, and computes the answers from the same index
// that serves the calls. A Challenge holds no answer, only salted hashes of the accepted forms of each answer, so it can be
// stored without change. Package account keeps the keys, attempts and waiting times; package api/agentkeys puts both on the
// wire.
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

// Asker is the part of the graph that challenges need: the questions behind /grants/*.
type Asker interface {
	Transactions(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]graph.Grant, int64, error)
	Recipients(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]graph.RecipientTotal, int64, error)
	Funders(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]graph.FunderTotal, int64, error)
	Summary(context.Context, *graph.Filter) (graph.Totals, []graph.YearTotals, error)
}

// Challenge is a set of questions about the rows that three calls return.
type Challenge struct {
	Number    int        `json:"number"`
	Version   string     `json:"version"` // of the dataset the answers were computed from
	Calls     []Call     `json:"calls"`
	Questions []Question `json:"questions"`

	// Salt and Hashes say which answers are accepted, the answer itself first.
	Salt   []byte     `json:"salt"`
	Hashes [][][]byte `json:"hashes"`

	// Params are enough to make the challenge again from another dataset, without an answer.
	Params json.RawMessage `json:"params"`
}

type Call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query"`
}

// URL is the call relative to the address of the service.
func (c Call) URL() string { return c.Path + "?" + c.Query }

type Question struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	AnswerType AnswerType `json:"answer_type"`
}

// AnswerType says how the answer to a question is read.
type AnswerType string

const (
	Integer      AnswerType = "integer"      // whole dollars
	Organization AnswerType = "organization" // a name or an EIN
	Text         AnswerType = "text"         // wording as filed
)

// call is the call of the challenge that a request makes, if it makes one. The order of the parameters does not matter;
// otherwise the request must be as given, each parameter once, with the same spelling of each value.
func (c *Challenge) call(method, path string, query url.Values) (Call, bool) {
	for _, call := range c.Calls {
		want, err := url.ParseQuery(call.Query)
		if err == nil && method == call.Method && path == call.Path && maps.EqualFunc(want, query, slices.Equal) {
			return call, true
		}
	}
	return Call{}, false
}

const root = "/api/v1/grants/"

// pageSize is how many rows a call returns: as many as an anonymous key may see.
const pageSize = 10

func get(endpoint, query string) Call {
	return Call{Method: http.MethodGet, Path: root + endpoint, Query: query}
}
