package asking

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/site/explore"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/table"
)

// Question is what somebody asks.
type Question struct {
	Text string `json:"question" doc:"The question, as it was typed."`
	Plan string `json:"plan,omitempty" doc:"The plan that it was changed to, as the page has it; then the question is only shown."`
	Key  string `json:"key,omitempty" doc:"A key of a paid plan to pay with, when no free question is left."`
}

// The parts of a reply, in the order in which they are sent.
const (
	partUnderstood = "understood"
	partRequest    = "request"
	partRows       = "rows"
	partChart      = "chart"
	partAnswer     = "answer"
	partUnclear    = "unclear"
	partError      = "error"
	partDone       = "done"
)

// reply is the answer to a question, or why there is none.
type reply struct {
	Question Question
	Plan     *ask.Plan // as it was understood
	Chips    []chip
	Filled   string // the model that put the question into other words; empty if none did

	*view                // the answer, nil until there is one
	Unclear *ask.Unclear // why the question was not understood
	Problem *problem     // why a question that was understood has no answer

	Paid string // a sentence about how the visitor paid
}

// problem is why a question has no answer, though it may be a good question.
type problem struct {
	Status      int
	Slug        string
	Title, Text string
	Pay         bool // an account or a key would do
}

// reader reads questions and answers them; *ask.Asker does.
type reader interface {
	Read(ctx context.Context, question string) (*ask.Plan, *ask.Unclear)
	Run(ctx context.Context, p *ask.Plan) (*ask.Answer, error)
	Reworded(ctx context.Context, question, wording string) (*ask.Plan, error)
}

// asker is the visitor who asks, and the reader that answers.
type asker struct {
	reader
	r      *http.Request
	data   *dataset.Dataset
	who    account.Asking
	from   string // network address, which may be of this machine
	member frame.Member
	key    string
}

// asker finds out who asks.
func (s *room) asker(w http.ResponseWriter, r *http.Request, key string) (*asker, error) {
	member, err := s.Member(r)
	if err != nil {
		return nil, err
	}
	from := s.Address(r)
	a := &asker{r: r, data: frame.DatasetOf(r), from: from, member: member, key: key}
	a.who = account.Asking{Visitor: s.Visitor(w, r), Address: counted(from)}
	a.reader = s.reader(ask.Source{Data: a.data, BaseURL: s.BaseURL, Caller: member.Caller(), Ask: s.Ask})
	return a, nil
}

// answer reads a question, runs its plan, charges the visitor and shows the
// answer. It calls tell for each part that is ready; tell reports whether to go on.
func (s *room) answer(ctx context.Context, a *asker, q Question, p *reply, tell func(part string) bool) {
	p.Question = q
	if err := s.reply(ctx, a, q, p, tell); err != nil {
		p.view, p.Problem = nil, s.explain(ctx, err)
		tell(partError)
	}
}

func (s *room) reply(ctx context.Context, a *asker, q Question, p *reply, tell func(part string) bool) error {
	if !a.data.Browsable() {
		return errDamaged
	}
	end, err := s.atOnce.Begin(a.from)
	if err != nil {
		return err
	}
	defer end()
	hold, err := s.Budget.Take(ctx, weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	none, err := s.read(ctx, a, q, p)
	if err != nil {
		return err
	}
	if none != nil {
		p.Unclear = none
		tell(partUnclear)
		return nil
	}
	p.Chips = s.newChips(q.Text, p.Plan)
	if !tell(partUnderstood) {
		return nil
	}
	bill := s.bill(a, p.Plan)
	if err := bill.check(ctx); err != nil {
		return err
	}
	found, err := a.Run(ctx, p.Plan)
	if err != nil {
		return err
	}
	if !found.Understood {
		p.Unclear = &ask.Unclear{Why: found.Why, Read: true, Try: found.Try}
		tell(partUnclear)
		return nil
	}
	// The visitor pays once the answer is complete, before seeing any of it.
	if p.Paid, err = bill.pay(ctx); err != nil {
		return err
	}
	p.view = newView(found)
	p.SQL = statement(a.data, found.Link)
	for _, part := range []string{partRequest, partRows, partChart, partAnswer} {
		if part == partChart && p.Chart == "" {
			continue
		}
		if !tell(part) {
			return nil
		}
	}
	tell(partDone)
	return nil
}

// statement is the SQL of the page of grants that shows an answer. It is empty
// when there is none: then the page has less to copy, and the same answer.
func statement(data *dataset.Dataset, link string) string {
	query, ok := strings.CutPrefix(link, "/explore?")
	if !ok {
		return ""
	}
	sql, err := explore.Statement(data, query)
	if err != nil {
		return ""
	}
	return sql
}

var (
	errDamaged = errors.New("a file is damaged")
	errPlan    = errors.New("the plan cannot be read")
)

// read finds the plan of a question.
func (s *room) read(ctx context.Context, a *asker, q Question, p *reply) (none *ask.Unclear, err error) {
	if q.Plan != "" {
		text, ok := s.unsealed(q.Plan)
		if !ok {
			return nil, errPlan
		}
		if p.Plan, err = ask.Parse(text); err != nil {
			return nil, errPlan
		}
		return nil, nil
	}
	if p.Plan, none = a.Read(ctx, q.Text); none == nil || none.Policy || s.Model == nil {
		return none, nil
	}
	// Only visitors who could pay for the answer may use the model.
	if _, ok := s.models.Take(a.from); !ok || !s.could(ctx, a) {
		return none, nil
	}
	plan, err := s.Model.Fill(ctx, q.Text, func(wording string) (*ask.Plan, error) { return a.Reworded(ctx, q.Text, wording) })
	if err != nil || plan.Validate() != nil {
		return none, nil // the model logs what was wrong
	}
	p.Plan, p.Filled = plan, s.Model.Name()
	return nil, nil
}

//go:embed problems.tsv
var problemsText string

var problems = table.Read("problems.tsv", problemsText, "slug", "status", "title", "pay", "text")

// explain says an error in the words of the page.
func (s *room) explain(ctx context.Context, err error) *problem {
	f, known := fault.Of(err)
	if !known {
		f = fault.New("internal_error", "")
	}
	slug := f.Slug
	switch {
	case errors.Is(err, errPlan):
		slug = "bad_plan"
	case errors.Is(err, errDamaged):
		slug = "dataset_damaged"
	case slug == "store_unavailable" || slug == "timed_out" || errors.Is(err, context.DeadlineExceeded):
		slug = budget.Busy
	}
	i := slices.IndexFunc(problems, func(r table.Row) bool { return r.Text("slug") == slug })
	if i < 0 {
		i = len(problems) - 1
	}
	p := problems[i]
	if i == len(problems)-1 && ctx.Err() == nil {
		// The log never has the question, which is private.
		s.Log.Error("answering a question", "error", err)
	}
	return &problem{p.Int("status"), p.Text("slug"), p.Text("title"), strings.Replace(p.Text("text"), "…", f.Message, 1), p.Text("pay") != ""}
}
