package ask

import (
	"context"
	"errors"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
)

// maxLetters is how many letters a question may have.
const maxLetters = 500

// Source is what questions are answered from.
type Source struct {
	// Data is held by the one who asks until the answers are used.
	Data *dataset.Dataset
	// Ask runs an operation of the API on Data, as api.Handler.Ask does.
	Ask func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (a client.Answer, release func(), err error)
	// Caller is whom the answers are for: what a plan shows depends on it.
	Caller api.Caller
	// BaseURL is the address of the service, without a trailing slash.
	BaseURL string
}

// Asker answers questions about one dataset. It is made for each request and holds
// nothing.
type Asker struct{ Source }

// New is an asker over a source.
func New(s Source) *Asker { return &Asker{s} }

// Answer reads a question and answers it. One that is not understood has an answer
// that says why; the error is of the service.
func (a *Asker) Answer(ctx context.Context, question string) (*Answer, error) {
	p, u := a.Read(ctx, question)
	if u != nil {
		return u.Answer(question), nil
	}
	answer, err := a.Run(ctx, p)
	if errors.Is(err, ErrPlan) {
		u := &Unclear{Why: "This cannot be answered: " + strings.TrimPrefix(err.Error(), ErrPlan.Error()+": ") + ".", Try: a.Examples(ctx)}
		return u.Answer(question), nil
	}
	if err != nil {
		return nil, err
	}
	answer.Question = question
	return answer, nil
}
