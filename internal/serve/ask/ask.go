package ask

import (
	"context"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
)

// maxLetters is how many letters a question may have.
const maxLetters = 500

// Source is what an Asker needs to answer questions.
type Source struct {
	// The caller keeps Data open until the answers have been used.
	Data *dataset.Dataset
	// Ask runs an API operation on Data, as api.Handler.Ask does.
	Ask func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (a client.Answer, release func(), err error)
	// Caller is the account that asks. The account's plan limits what the
	// answers show.
	Caller api.Caller
	// BaseURL is the address of the service, without a trailing slash.
	BaseURL string
}

// Asker answers questions about one dataset. It is created for each request and
// keeps no state.
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
