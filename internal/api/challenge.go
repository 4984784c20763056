package api

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"grantgraph/internal/account"
	"grantgraph/internal/agent"
	"grantgraph/internal/fault"
)

// maxAnswers bounds the answers that are read; a challenge has two or three.
const maxAnswers = 16

// asked is what the store keeps of a challenge without looking into it. The
// rest of the challenge has columns of its own, each thing once: every key that
// anybody mints has one.
type asked struct {
	Questions []agent.Question `json:"questions"`
	Params    json.RawMessage  `json:"params"`
	// Hashes are there in challenges that were kept whole, before Answers had
	// them alone.
	Hashes [][][]byte `json:"hashes,omitempty"`
}

// keep puts a challenge into the form in which the store keeps it.
func keep(c *agent.Challenge) (account.Challenge, error) {
	params, err := json.Marshal(asked{Questions: c.Questions, Params: c.Params})
	kept := account.Challenge{No: c.Number, Dataset: c.Version, Params: params, Salt: c.Salt}
	for _, forms := range c.Hashes {
		sealed := make([]string, len(forms))
		for i, h := range forms {
			sealed[i] = hex.EncodeToString(h)
		}
		kept.Answers = append(kept.Answers, sealed)
	}
	for _, named := range c.Calls {
		kept.Calls = append(kept.Calls, callName(named))
	}
	return kept, err
}

// recall reads a challenge that keep has written.
func recall(kept account.Challenge) (*agent.Challenge, error) {
	var a asked
	if err := json.Unmarshal(kept.Params, &a); err != nil {
		return nil, fmt.Errorf("reading challenge %d: %w", kept.No, err)
	}
	c := &agent.Challenge{Number: kept.No, Version: kept.Dataset, Questions: a.Questions, Salt: kept.Salt, Hashes: a.Hashes, Params: a.Params}
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
		c.Calls = append(c.Calls, agent.Call{Method: method, Path: path, Query: query})
	}
	return c, nil
}

// callName is a call as the store knows it.
func callName(c agent.Call) string { return c.Method + " " + c.URL() }

// draw gives a key its next challenge. When another request was faster, the
// challenge is the one that it has drawn.
func (d *desk) draw(ctx context.Context, c *call, a account.AgentInfo) (account.AgentInfo, error) {
	drawn, err := d.examiner.Draw(ctx, c.data.Graph, a.ID, a.Challenge.No+1, c.data.Manifest.Version)
	if err != nil {
		return a, err
	}
	kept, err := keep(drawn)
	if err != nil {
		return a, err
	}
	next, err := d.agents.SetChallenge(ctx, a.ID, a.Challenge.No, kept)
	if errors.Is(err, account.ErrStale) {
		err = nil
	}
	if err == nil {
		d.log.Info("an agent has a challenge", slog.String("request_id", c.id), slog.String("key", a.ID), slog.Int("challenge", next.Challenge.No))
	}
	return next, err
}

// wire is the challenge of a key as the agent reads it.
func (d *desk) wire(c *call, a account.AgentInfo) (*AgentChallenge, error) {
	kept, err := recall(a.Challenge)
	if err != nil {
		return nil, err
	}
	out := &AgentChallenge{
		ID:           fmt.Sprint(a.ID, ".", a.Challenge.No),
		AnswerTo:     AgentCall{http.MethodPost, c.base + versioned + agentPath + "/answer"},
		AttemptsLeft: max(0, account.MostAttempts-a.Challenge.Attempts),
		RetryAfterS:  seconds(a.Challenge.Wait(d.clock())),
	}
	for _, q := range kept.Questions {
		out.Questions = append(out.Questions, AgentQuestion{q.ID, q.Text, string(q.AnswerType)})
	}
	for _, named := range kept.Calls {
		out.Calls = append(out.Calls, AgentCall{named.Method, c.base + named.URL()})
	}
	return out, nil
}

// standing finds the challenge of a locked key as it holds for the dataset
// being served; nil means that it needs another one: it has none, its attempts
// are used up, or its answers are others by now.
func (d *desk) standing(ctx context.Context, c *call, a account.AgentInfo) (*agent.Challenge, error) {
	if a.Challenge.No == 0 || a.Challenge.Attempts >= account.MostAttempts {
		return nil, nil
	}
	kept, err := recall(a.Challenge)
	if err != nil {
		return nil, err
	}
	return agent.Recompute(ctx, c.data.Graph, kept, c.data.Manifest.Version)
}

// renew gives a spent key its next challenge, and a locked one the challenge
// it has.
func (d *desk) renew(ctx context.Context, c *call) (answer, error) {
	a, err := d.agents.Agent(ctx, c.key)
	if err != nil {
		return nil, err
	}
	var stands *agent.Challenge
	switch {
	case a.Tier != account.Anonymous:
		return nil, fault.New(slugNotDue, "Keys of the %s tier have no challenges: their allowance never refills.", a.Tier).
			Try("use a key of an account when it is spent")
	case a.Status == account.Unlocked:
		return nil, fault.New(slugNotDue, "This key is unlocked and has %d calls left: no challenge is due.", a.Remaining).Try("use them first")
	case a.Status == account.Locked:
		if stands, err = d.standing(ctx, c, a); err != nil {
			return nil, err
		}
	}
	if stands == nil {
		if a, err = d.draw(ctx, c, a); err != nil {
			return nil, err
		}
	}
	return d.state(c, a)
}

func answerPlan(c *call) (run, error) {
	f := c.readForm()
	answers := f.texts("answers", maxAnswers)
	f.finish()
	return func(ctx context.Context) (answer, error) { return c.desk.examine(ctx, c, answers) }, nil
}

// examine judges the answers to the challenge of a key. The rows are asked
// before the store is, so that no transaction waits for them.
func (d *desk) examine(ctx context.Context, c *call, answers []string) (answer, error) {
	ctx = account.As(ctx, account.Actor{Name: "agent", Address: c.address})
	a, err := d.agents.Agent(ctx, c.key)
	if err != nil {
		return nil, err
	}
	right := false
	if a.Status == account.Locked {
		// Whoever hurries is turned away before there is any work.
		if wait := a.Challenge.Wait(d.clock()); wait > 0 {
			return nil, tooSoon(account.Outcome{Left: account.MostAttempts - a.Challenge.Attempts, Wait: wait})
		}
		stands, err := d.standing(ctx, c, a)
		if err != nil {
			return nil, err
		}
		if stands == nil {
			return nil, d.renewed(ctx, c, a, superseded())
		}
		if n := len(stands.Questions); len(answers) != n {
			return nil, miscounted(len(answers), n)
		}
		right = stands.Check(answers)
	}
	a, outcome, err := d.agents.Attempt(ctx, c.key, a.Challenge.No, func(account.Challenge) bool { return right })
	if errors.Is(err, account.ErrStale) {
		// Another request has used up the attempts meanwhile, and drawn.
		return nil, d.told(c, a, superseded())
	}
	if err != nil {
		return nil, err
	}
	switch outcome.Verdict {
	case account.Right:
		d.log.Info("an agent has unlocked its key", slog.String("request_id", c.id), slog.String("key", a.ID), slog.Int("challenge", a.Challenge.No))
		return d.state(c, a)
	case account.TooSoon:
		return nil, tooSoon(outcome)
	case account.Wrong:
		f := fault.New(slugWrong, "Not every answer is right.").
			Try("read the rows of the calls again and answer in %d seconds; attempts left: %d", seconds(outcome.Wait), outcome.Left)
		return nil, attempted(f, outcome, nil)
	}
	f := fault.New(slugWrong, "Not every answer is right, and all attempts are used up.").Try("answer the new challenge")
	return nil, d.renewed(ctx, c, a, f)
}

// tooSoon is the answer to an answer before its time.
func tooSoon(o account.Outcome) error {
	f := fault.New(slugTooSoon, "This answer came too soon after a wrong one. It was not looked at and is not counted.").
		Try("send it again in %d seconds", seconds(o.Wait))
	return attempted(f, o, nil)
}

// miscounted is the problem of an answer to another number of questions.
func miscounted(given, asked int) error {
	kind := "too_short"
	if given > asked {
		kind = "too_long"
	}
	return &invalid{[]Problem{{Loc: []any{"body", "answers"}, Type: kind, Ctx: limit{"expected_length": asked, "actual_length": given},
		Msg: fmt.Sprintf("the challenge has %d questions and %d answers were sent; it is not counted", asked, given)}}}
}

// superseded is the answer to those who answered a challenge that no longer
// stands.
func superseded() *fault.Fault {
	return fault.New(slugReplaced, "There is a new challenge: the dataset has changed since the one you answered was drawn, or its attempts are used up. Your answer is not counted.").
		Try("answer the new challenge")
}

// renewed draws the next challenge and puts it into a refusal.
func (d *desk) renewed(ctx context.Context, c *call, a account.AgentInfo, f *fault.Fault) error {
	a, err := d.draw(ctx, c, a)
	if err != nil {
		return err
	}
	return d.told(c, a, f)
}

// told puts the challenge of a key into a refusal.
func (d *desk) told(c *call, a account.AgentInfo, f *fault.Fault) error {
	ch, err := d.wire(c, a)
	if err != nil {
		return err
	}
	return attempted(f, account.Outcome{}, ch)
}

// Attempt is what a refused answer to a challenge says beside the words.
type Attempt struct {
	AttemptsLeft *int            `json:"attempts_left,omitempty" doc:"Of an answer to a challenge: attempts left for it."`
	RetryAfterS  *int            `json:"retry_after_s,omitempty" doc:"Of an answer to a challenge: seconds to wait before the next."`
	Challenge    *AgentChallenge `json:"challenge,omitempty" doc:"Of an answer to a challenge: the new one, where there is one."`
}

// refused is a fault that carries an Attempt.
type refused struct {
	*fault.Fault
	attempt Attempt
}

func (r *refused) Unwrap() error { return r.Fault }

func attempted(f *fault.Fault, o account.Outcome, next *AgentChallenge) error {
	wait := seconds(o.Wait)
	if wait > 0 {
		f.Err = &account.WaitError{Wait: o.Wait}
	}
	return &refused{f, Attempt{&o.Left, &wait, next}}
}
