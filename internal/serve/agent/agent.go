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
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
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

const (
	WrongAnswer  = "wrong_answer"
	BadSignature = "bad_signature"
	Replaced     = "challenge_replaced"
	TooSoon      = "answer_too_soon"
	TooManyMints = "too_many_mints"
	NoChallenge  = "no_challenge"
)

type NotAccepted struct {
	*fault.Fault
	Left int           // attempts left
	Wait time.Duration // before the next attempt
	Next *State        // the key with its new challenge, if it has one
}

func (n *NotAccepted) Unwrap() error { return n.Fault }

// notAccepted makes a refusal after which the same challenge stands.
func notAccepted(f *fault.Fault, o account.Outcome) error {
	if o.Wait > 0 {
		f.Err = &account.WaitError{Wait: o.Wait}
	}
	return &NotAccepted{Fault: f, Left: o.Left, Wait: o.Wait}
}

func tooSoon(o account.Outcome) error {
	return notAccepted(fault.New(TooSoon, "This answer came too soon after a wrong one. We did not look at it, and it does not count.").
		Try("send it again in %d seconds", account.Seconds(o.Wait)), o)
}

func wrong(o account.Outcome) error {
	return notAccepted(fault.New(WrongAnswer, "Not every answer is right.").
		Try("read the rows of the calls again and answer in %d seconds; attempts left: %d", account.Seconds(o.Wait), o.Left), o)
}

func usedUp() *fault.Fault {
	return fault.New(WrongAnswer, "Not every answer is right, and all attempts are used up.").Try("answer the new challenge")
}

func replaced() *fault.Fault {
	return fault.New(Replaced, "There is a new challenge: the dataset has changed since the one you answered was drawn, "+
		"or its attempts are used up. Your answer is not counted.").Try("answer the new challenge")
}

// notNamed is the refusal of a request that the challenge of a locked key does not name.
func (k *Keys) notNamed() error {
	return account.KeyLocked().
		Try("make those calls exactly as given, then POST %s/answer; POST /agent-key/challenge returns the current challenge", k.o.URL)
}

func tooManyMints(wait time.Duration) error {
	f := fault.New(TooManyMints, "Too many keys were requested from this address: at most %d an hour are made.", account.MintsAnHour).
		Try("ask again in %d seconds, or use the keys you have", account.Seconds(wait))
	f.Err = &account.WaitError{Wait: wait}
	return f
}

type Miscounted struct{ Given, Asked int }

func (m *Miscounted) Error() string {
	return fmt.Sprintf("the challenge has %d questions and %d answers were sent; it is not counted", m.Asked, m.Given)
}

// trio is the subject of the three calls: grants of a funder in a year, recipients of another, and funders of a recipient.
type trio struct {
	Funder    ein.EIN `json:"funder"`
	Year      int     `json:"year"`
	Other     ein.EIN `json:"other"`
	From      int     `json:"from"`
	To        int     `json:"to"`
	Recipient ein.EIN `json:"recipient"`
}

// calls returns the requests in the order of their numbers. Each means the filter that ask uses.
func (t *trio) calls() []Call {
	return []Call{
		get("transactions", fmt.Sprintf("funder_id=%s&year=%d&sort_by=amount&sort_order=desc&limit=%d", t.Funder, t.Year, pageSize)),
		get("recipients", fmt.Sprintf("funder_id=%s&min_year=%d&max_year=%d&limit=%d", t.Other, t.From, t.To, pageSize)),
		get("funders", fmt.Sprintf("recip_id=%s&limit=%d", t.Recipient, pageSize)),
	}
}

func (t *trio) ask(ctx context.Context, a Asker) (*pages, error) {
	grants, err := grantsOf(ctx, a, t.Funder, t.Year, pageSize)
	if err != nil {
		return nil, err
	}
	recipients, err := recipientsOf(ctx, a, t.Other, t.From, t.To, 0)
	if err != nil {
		return nil, err
	}
	funders, _, err := fundersOf(ctx, a, t.Recipient)
	if err != nil {
		return nil, err
	}
	return newPages(t, grants, recipients, funders), nil
}

var largest = graph.Sort{By: graph.ByAmount}

func grantsOf(ctx context.Context, a Asker, funder ein.EIN, year, limit int) ([]graph.Grant, error) {
	f := &graph.Filter{Funders: []ein.EIN{funder}, Years: []graph.Span{{From: year, To: year}}}
	rows, _, err := a.Transactions(ctx, f, largest, graph.Page{Limit: limit})
	return rows, err
}

func recipientsOf(ctx context.Context, a Asker, funder ein.EIN, from, to int, without graph.Class) ([]graph.RecipientTotal, error) {
	f := &graph.Filter{Funders: []ein.EIN{funder}, Years: []graph.Span{{From: from, To: to}}, Exclude: without}
	rows, _, err := a.Recipients(ctx, f, largest, graph.Page{Limit: pageSize})
	return rows, err
}

func fundersOf(ctx context.Context, a Asker, recipient ein.EIN) ([]graph.FunderTotal, int64, error) {
	f := &graph.Filter{Recipients: []ein.EIN{recipient}}
	return a.Funders(ctx, f, largest, graph.Page{Limit: pageSize})
}

// asked is the part of a challenge that is opaque to the store. The rest has columns of its own.
type asked struct {
	Questions []Question      `json:"questions"`
	Params    json.RawMessage `json:"params"`
	// Older challenges have their hashes here, and not only in the column of answers.
	Hashes [][][]byte `json:"hashes,omitempty"`
}

// Keep returns a challenge in the form that the store keeps.
func Keep(c *Challenge) (account.Challenge, error) {
	params, err := json.Marshal(asked{Questions: c.Questions, Params: c.Params})
	kept := account.Challenge{No: c.Number, Dataset: c.Version, Params: params, Salt: c.Salt}
	for _, forms := range c.Hashes {
		sealed := each.Of(forms, hex.EncodeToString)
		kept.Answers = append(kept.Answers, sealed)
	}
	kept.Calls = each.Append(kept.Calls, c.Calls, Call.name)
	return kept, err
}

func recall(kept account.Challenge) (*Challenge, error) {
	var a asked
	if err := json.Unmarshal(kept.Params, &a); err != nil {
		return nil, fmt.Errorf("reading challenge %d: %w", kept.No, err)
	}
	c := &Challenge{Number: kept.No, Version: kept.Dataset, Questions: a.Questions, Salt: kept.Salt, Hashes: a.Hashes, Params: a.Params}
	for _, sealed := range kept.Answers {
		if a.Hashes != nil {
			break
		}
		forms := make([][]byte, len(sealed))
		for i, s := range sealed {
			var err error
			if forms[i], err = hex.DecodeString(s); err != nil {
				return nil, fmt.Errorf("reading the answers to challenge %d: %w", kept.No, err)
			}
		}
		c.Hashes = append(c.Hashes, forms)
	}
	for _, name := range kept.Calls {
		method, rest, _ := strings.Cut(name, " ")
		path, query, _ := strings.Cut(rest, "?")
		c.Calls = append(c.Calls, Call{Method: method, Path: path, Query: query})
	}
	return c, nil
}

func (c Call) name() string { return c.Method + " " + c.URL() }
