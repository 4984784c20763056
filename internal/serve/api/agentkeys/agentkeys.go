// Package agentkeys is the operations by which automated agents get keys: mint one, answer its challenge, get the next. Package
// agent does the work; this package reads the requests and writes the answers. Routing, metering and rendering are left to
// package api, and no other operations are imported.
package agentkeys

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/api"
)

const agentPath = "/agent-key"

const maxPurpose = 1000

const maxBody = 16 << 10

type operations struct {
	keys  *agent.Keys // nil when the service hands out no keys to agents
	graph func(api.Dataset) agent.Asker
}

//go:embed operations.json
var operationsFile []byte

// Group is the operations over the keys of a service, nil when it hands out none.
func Group(keys *agent.Keys, graph func(api.Dataset) agent.Asker, base string) api.Group {
	o := &operations{keys, graph}
	g := api.ReadGroup(operationsFile, map[string]api.Operation{
		"mintAgentKey": {
			Body: client.MintRequest{}, MaxBody: maxBody, Response: client.AgentKeyAnswer{}, Plan: o.planMint, Needs: api.Has(graph),
		},
		"getAgentKeyRules": {Response: client.AgentRules{}, Plan: o.planRules},
		"answerChallenge": {
			Body: client.AnswerRequest{}, MaxBody: maxBody, Details: []any{client.AgentAttempt{}},
			Response: client.AgentKeyAnswer{}, Plan: o.planAnswer, Needs: api.Has(graph),
		},
		"renewChallenge": {Response: client.AgentKeyAnswer{}, Plan: o.planRenew, Needs: api.Has(graph)},
	})
	for i := range g.Operations {
		op := &g.Operations[i]
		op.ForAgents, op.Optional, op.Off = true, true, keys == nil
	}
	if keys != nil {
		g.Note = fmt.Sprintf("No key? `POST %s` with `purpose` and `source` gives one; answer the questions it comes with "+
			"from the rows of the calls it names. `GET` there says how to sign instead.", URL(base))
	}
	return g
}

// URL is where agents get their keys on the service at an address.
func URL(base string) string { return base + api.Versioned + agentPath }

func (o *operations) rows(c *api.Call) agent.Rows {
	return agent.Rows{Asker: o.graph(c.Data), Version: c.Data.Snapshot().Version}
}

func (o *operations) planRules(c *api.Call) (api.Run, error) {
	return func(context.Context) (client.Answer, error) { return rules(c, o.keys), nil }, nil
}

func (o *operations) planRenew(c *api.Call) (api.Run, error) {
	return func(ctx context.Context) (client.Answer, error) {
		s, err := o.keys.Renew(ctx, c.Caller.Key, c.ID, o.rows(c))
		return state(c, c.Caller.Secret, s), err
	}, nil
}

func (o *operations) planMint(c *api.Call) (api.Run, error) {
	f := c.ReadForm()
	a := agent.Application{
		Purpose: f.Text("purpose", maxPurpose), Source: f.Text("source", maxPurpose), Address: c.Caller.Address, RequestID: c.ID, Request: c.Request,
	}
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		minted, err := o.keys.Mint(ctx, a, o.rows(c))
		if err != nil {
			return nil, err
		}
		if minted.Below != "" {
			c.Caveat("_credential", fmt.Sprintf("The key is of the signed tier and not of the attested one: %s.", minted.Below))
		}
		return state(c, minted.Secret, minted.State), nil
	}, nil
}

const maxAnswers = 16

func (o *operations) planAnswer(c *api.Call) (api.Run, error) {
	f := c.ReadForm()
	answers := f.Texts("answers", maxAnswers)
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		s, err := o.keys.Examine(ctx, agent.Reply{KeyID: c.Caller.Key, Answers: answers, Address: c.Caller.Address, RequestID: c.ID}, o.rows(c))
		if err != nil {
			return nil, refusal(c, err)
		}
		return state(c, c.Caller.Secret, s), nil
	}, nil
}

func state(c *api.Call, secret string, s agent.State) client.Answer {
	out := &client.AgentKeyAnswer{
		Head: api.Success, APIKey: secret, Status: string(s.Status), Tier: string(s.Tier), ExpiresAt: api.Instant(s.Expires),
		Calls: client.AgentCalls{Limit: s.Allowance, Remaining: s.Remaining}, Tail: c.Tail(),
	}
	if s.Challenge != nil {
		out.Challenge = challenge(c, &s)
	}
	return out
}

func challenge(c *api.Call, s *agent.State) *client.AgentChallenge {
	out := &client.AgentChallenge{
		ID:           fmt.Sprint(s.ID, ".", s.Challenge.Number),
		AnswerTo:     client.AgentCall{Method: http.MethodPost, URL: URL(c.Base) + "/answer"},
		AttemptsLeft: s.AttemptsLeft(),
		RetryAfterS:  account.Seconds(s.Wait),
	}
	for _, q := range s.Challenge.Questions {
		out.Questions = append(out.Questions, client.AgentQuestion{ID: q.ID, Text: q.Text, AnswerType: string(q.AnswerType)})
	}
	for _, named := range s.Challenge.Calls {
		out.Calls = append(out.Calls, client.AgentCall{Method: named.Method, URL: c.Base + named.URL()})
	}
	return out
}

type attempted struct {
	error
	attempt client.AgentAttempt
}

func (a *attempted) Unwrap() error { return a.error }

func (a *attempted) Detail() any { return a.attempt }

// refusal adds to the refusal of answers what the agent needs for its next attempt.
func refusal(c *api.Call, err error) error {
	if counted, ok := errors.AsType[*agent.Miscounted](err); ok {
		kind := "too_short"
		if counted.Given > counted.Asked {
			kind = "too_long"
		}
		return api.InvalidBody("answers", kind, api.Limit{"expected_length": counted.Asked, "actual_length": counted.Given}, counted.Error())
	}
	var not *agent.NotAccepted
	if !errors.As(err, &not) {
		return err
	}
	wait := account.Seconds(not.Wait)
	a := client.AgentAttempt{AttemptsLeft: &not.Left, RetryAfterS: &wait}
	if not.Next != nil {
		a.Challenge = challenge(c, not.Next)
	}
	return &attempted{err, a}
}

// Admit enforces the limits of agents' keys. The calls of a locked key are counted instead of charged.
func Admit(keys *agent.Keys) func(context.Context, *api.Call, url.Values) error {
	return func(ctx context.Context, c *api.Call, query url.Values) error {
		tier := c.Caller.Tier
		if tier == "" {
			return nil
		}
		terms := tier.Terms()
		if tier != account.Anonymous {
			c.Caveat("_credential", fmt.Sprintf("This is a trial key of the %s tier: at most %d rows in a page and %d calls in all, which never refill. "+
				"It has no year slice, so hits is a corpus total.", tier, terms.Rows, terms.Calls))
			return nil
		}
		op := c.Operation()
		name, err := keys.Admit(ctx, c.Caller.Key, op.Method, api.Versioned+op.Path, query)
		if err != nil {
			return err
		}
		if name == "" {
			c.Caveat("_credential", fmt.Sprintf("This is a trial key of the anonymous tier: at most %d rows in a page and %d calls until another "+
				"challenge is answered, for a day. It has no year slice, so hits is a corpus total.", terms.Rows, terms.Calls))
			return nil
		}
		c.Caveat("_credential", "This key is locked: it may make the three calls of its challenge and no others; they are not counted. It has no year "+
			"slice, so hits is a corpus total.")
		c.Allowed = name
		c.Pay = func(ctx context.Context) error { return keys.TakeCall(ctx, c.Caller.Key, name) }
		return nil
	}
}

var shows = map[account.Tier]string{
	account.Anonymous: "The answers to the challenge the key arrives with.",
	account.Signed:    "A valid signature on the request for a key, by a key in the directory of the Signature-Agent host.",
	account.Attested:  "As signed, and a valid signature by the same key on the response that is the directory.",
	account.Trusted:   "As signed, from a Signature-Agent host that this service trusts.",
}

func rules(c *api.Call, keys *agent.Keys) *client.AgentRules {
	at := URL(c.Base)
	a := &client.AgentRules{
		Head: api.Success,
		Mint: client.MintRules{
			Method: "POST", URL: at, Fields: []string{"purpose", "source"}, MaxFieldBytes: maxPurpose, MaxPerHour: account.MintsAnHour, InvalidIsFatal: true,
		},
		Locked:  client.LockedRules{Answer: at + "/answer", Renew: at + "/challenge", Attempts: account.MostAttempts, MostCalls: account.MostCalls},
		Signing: keys.Requirements(), Tail: c.Tail(),
	}
	for i := range account.MostAttempts - 1 {
		a.Locked.WaitsS = append(a.Locked.WaitsS, account.Seconds(account.FirstWait<<i))
	}
	for _, t := range account.Tiers() {
		a.Tiers = append(a.Tiers, client.TierRules{
			Tier: string(t.Tier), Shows: shows[t.Tier], LifetimeS: account.Seconds(t.Lifetime), Calls: t.Calls, Refills: t.Tier == account.Anonymous,
			MaxLimit: t.Rows,
		})
	}
	return a
}
