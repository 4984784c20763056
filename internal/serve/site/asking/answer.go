package asking

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/network"
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

// reply is the answer to a question, or the reason why we cannot answer it.
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
	bill.free = bill.free || q.Plan == "" && slices.Contains(s.startersOf(ctx, a), q.Text)
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
	found.Link = registered(found.Link)
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

// registered is a link with the basis of an answer. Answers count registered causes, and the page of grants would count inferred
// ones as well.
func registered(link string) string {
	if strings.HasPrefix(link, "/explore?") && strings.Contains(link, "subject=") && !strings.Contains(link, "subject_basis=") {
		return link + "&subject_basis=" + ntee.BasisWords()[ntee.Registered]
	}
	return link
}

// statement is the SQL of the page of grants that shows an answer. It is empty
// if the tables lack a filter of the view; the page then shows the answer without SQL.
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

// bill charges a visitor for one question: a free question if one is left, else a call of a key or an account of a paid plan.
// The same question is charged once, so that a visitor who lost the answer can ask again.
type bill struct {
	store   *account.Store
	a       *asker
	receipt string
	free    bool // a starter; or about compliance or people, where the answer is only a link
}

func (s *room) bill(a *asker, p *ask.Plan) *bill {
	return &bill{s.Accounts, a, a.who.Visitor + " " + p.String(), p.Measure == "screen" || p.Measure == "people"}
}

// pays reports whether the visitor can pay for more than the free questions.
func (a *asker) pays() bool { return a.key != "" || a.member.Caller().Paid }

// could reports whether the visitor could pay for an answer, before any work.
func (s *room) could(ctx context.Context, a *asker) bool {
	left, err := s.Accounts.QuestionsLeft(ctx, a.who)
	return err == nil && (left > 0 || a.pays())
}

// check returns why the visitor cannot pay, before any work is done.
func (b *bill) check(ctx context.Context) error {
	if b.free {
		return nil
	}
	left, err := b.store.QuestionsLeft(ctx, b.a.who)
	if err != nil || left > 0 {
		return err
	}
	if b.a.pays() {
		_, err := b.payer(ctx)
		return err
	}
	_, err = b.store.TakeQuestion(ctx, b.a.who, b.receipt) // the question may be paid already
	return err
}

// payer is the key or the account whose calls are used.
func (b *bill) payer(ctx context.Context) (id string, err error) {
	if b.a.key == "" {
		return b.a.member.ID, nil
	}
	k, err := b.store.Authenticate(ctx, b.a.key)
	if err != nil {
		return "", err
	}
	return k.ID, k.Require(account.Paid)
}

// pay charges the visitor, and returns a sentence about the charge.
func (b *bill) pay(ctx context.Context) (how string, err error) {
	if b.free {
		return "", nil
	}
	left, err := b.store.TakeQuestion(ctx, b.a.who, b.receipt)
	if err == nil {
		return freeWords(left), nil
	}
	if !errors.Is(err, account.ErrSpent) || !b.a.pays() {
		return "", err
	}
	id, err := b.payer(ctx)
	if err != nil {
		return "", err
	}
	balance, err := b.store.ChargeOnce(ctx, id, 1, b.receipt)
	if err != nil {
		return "", err
	}
	what := "your account"
	if b.a.key != "" {
		what = "this key"
	}
	return "This question used one call from " + what + "; " + remaining(balance.Remaining, "call is", "calls are") + " left.", nil
}

// freeWords says how many free questions are left.
func freeWords(left int) string {
	if left == 0 {
		return "That was the last of today’s free questions."
	}
	return remaining(left, "free question is", "free questions are") + " left today."
}

func remaining(n int, one, many string) string {
	if n == 0 {
		return "no " + many
	}
	return strconv.Itoa(n) + " " + plural.Word(n, one, many)
}

// counted is the address by which free questions are counted. It is empty for the address of this machine: that is a proxy that
// is not configured, and all of its visitors would count as one.
func counted(address string) string {
	if network.Local(address) {
		return ""
	}
	return address
}
