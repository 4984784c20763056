package ask

import (
	"context"
	"fmt"

	"grantgraph/client"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
)

// maxLetters is how many letters a question may have.
const maxLetters = 500

// Source is what an Asker needs to answer questions.
type Source struct {
	// The caller keeps Data open until the answers have been used.
	Data *dataset.Dataset
	// Ask runs an API operation on Data, as api.Handler.Ask does.
	Ask func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (a client.Answer, release func(), err error)
	// Caller is the account that asks. The account's plan limits what the answers show.
	Caller api.Caller
	// BaseURL is the address of the service, without a trailing slash.
	BaseURL string
}

// Asker answers questions about one dataset. It is created for each request and keeps no state.
type Asker struct{ Source }

// New is an asker over a source.
func New(s Source) *Asker { return &Asker{s} }

// Answer reads a question and answers it. If the question is not understood,
// the Answer says why. An error means that the service failed.
func (a *Asker) Answer(ctx context.Context, question string) (*Answer, error) {
	p, u := a.Read(ctx, question)
	if u != nil {
		return u.Answer(question), nil
	}
	answer, err := a.Run(ctx, p)
	if err == nil {
		answer.Question = question
	}
	return answer, err
}

// Examples are three questions that can be answered from this dataset: about its
// largest funder, about a state, and about a cause.
func (a *Asker) Examples(ctx context.Context) []string {
	out := []string{}
	if a.Data == nil || a.Data.Graph == nil {
		return out
	}
	g := a.Data.Graph
	if funders, _, err := g.Funders(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1}); err == nil && len(funders) > 0 {
		out = append(out, fmt.Sprintf("How much did %s give in %d?", orgname.Display(funders[0].Name), funders[0].LastYear))
	}
	if by, err := g.Groups(ctx, &graph.Filter{}, graph.GroupState, 1); err == nil && len(by.Groups) > 0 {
		if r, ok := place.RegionOf(by.Groups[0].Key); ok {
			out = append(out, "Who are the top 10 funders of education in "+r.Name+"?")
		}
	}
	if by, err := g.Groups(ctx, &graph.Filter{}, graph.GroupSubject, 1); err == nil && len(by.Groups) > 0 {
		if key := by.Groups[0].Key; len(key) == 1 {
			out = append(out, "How has giving for "+ntee.Label(key[0])+" changed over time?")
		}
	}
	return out
}
