package example

import (
	"context"
	"log/slog"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api/admin"
	"grantgraph/internal/serve/api/agentkeys"
)

// What the examples of keys are about. The key belongs to nobody.
const (
	accountID = "acc_EXAMPLE00001"
	closedID  = "acc_EXAMPLE00002" // is inactive
	Key       = "gg_a_EXAMPLEEXAMPLEEXAMPLEEXAMPLE0000_000000"
)

// Agents hands out the one key there is, by the code that hands out real ones.
func Agents(base string) (*agent.Keys, error) {
	v, err := httpsig.NewVerifier(base, Store{}, Store{})
	if err != nil {
		return nil, err
	}
	return agent.NewKeys(agent.KeyOptions{
		Store: Store{}, Examiner: Store{}, Verifier: v, URL: agentkeys.URL(base),
		Clock: func() time.Time { return day }, Log: slog.New(slog.DiscardHandler),
	}), nil
}

// Store has one key and one account, which it forgets after every request.
type Store struct{}

// Draw draws the one challenge there is. Its answers are those of the example.
func (Store) Draw(_ context.Context, _ agent.Asker, _ string, number int, version string) (*agent.Challenge, error) {
	c := read[*agent.Challenge]("challenge")
	c.Number, c.Version = number, version
	return c, nil
}

func (x Store) challenge() account.Challenge {
	kept, err := agent.Keep(read[*agent.Challenge]("challenge"))
	must(err)
	kept.No = 1
	return kept
}

func (x Store) Agent(context.Context, string) (account.AgentInfo, error) {
	t := account.Anonymous.Terms()
	return account.AgentInfo{
		KeyInfo: account.KeyInfo{ID: admin.ExampleKeyID, Plan: account.Agent, Tier: account.Anonymous, Active: true, Created: day, Rotated: day},
		Status:  account.Locked, Expires: day.Add(t.Lifetime), Allowance: t.Calls, Challenge: x.challenge(),
	}, nil
}

func (x Store) MintAgent(ctx context.Context, _ account.AgentSpec) (string, account.AgentInfo, error) {
	a, err := x.Agent(ctx, "")
	return Key, a, err
}

func (x Store) SetChallenge(ctx context.Context, id string, _ int, _ account.Challenge) (account.AgentInfo, error) {
	return x.Agent(ctx, id)
}

func (x Store) Attempt(ctx context.Context, id string, _ int, verify func(account.Challenge) bool) (account.AgentInfo, account.Outcome, error) {
	a, err := x.Agent(ctx, id)
	if !verify(a.Challenge) {
		return a, account.Outcome{Verdict: account.Wrong, Left: account.MostAttempts - 1, Wait: account.FirstWait}, err
	}
	a.Status, a.Remaining = account.Unlocked, a.Allowance
	return a, account.Outcome{Verdict: account.Right}, err
}

func (Store) TakeMint(context.Context, string) (time.Duration, bool, error) { return 0, true, nil }
func (Store) TakeCall(context.Context, string, string) (int, error)         { return 0, nil }
func (Store) Seen(context.Context, string, string, time.Time) (bool, error) { return true, nil }

// Key finds none: examples are not signed.
func (Store) Key(context.Context, string, string) (httpsig.Key, error) {
	return httpsig.Key{}, httpsig.ErrKey
}

// TakeScreen always gives a screening.
func (Store) TakeScreen(context.Context, string) (bool, error) { return true, nil }
func (Store) ReturnScreen(context.Context, string) error       { return nil }

func (Store) Find(context.Context, string) (account.KeyInfo, error) {
	return account.KeyInfo{ID: admin.ExampleKeyID, Plan: account.Free, Email: "someone@example.org", Label: "example", Active: true,
		Created: day, Rotated: day, Account: accountID}, nil
}

func (Store) Balance(context.Context, string) (account.Balance, error) {
	return account.Balance{Limit: 50, Remaining: 42, Reset: day.AddDate(0, 0, 1)}, nil
}

func (x Store) SetPlan(ctx context.Context, id string, plan account.Plan) (account.KeyInfo, error) {
	k, err := x.Find(ctx, id)
	k.Plan = plan
	return k, err
}

func (x Store) Deactivate(ctx context.Context, id string) (account.KeyInfo, error) {
	k, err := x.Find(ctx, id)
	k.Active = false
	return k, err
}

func (x Store) Reactivate(ctx context.Context, id string) (account.KeyInfo, error) {
	return x.Find(ctx, id)
}

func (Store) AccountOf(_ context.Context, email string) (account.Account, error) {
	return account.Account{ID: accountID, Email: email, Verified: true, Plan: account.Plus, Active: true, Created: day}, nil
}

func (x Store) SetAccountPlan(ctx context.Context, email string, plan account.Plan) (account.Account, error) {
	a, err := x.AccountOf(ctx, email)
	a.Plan = plan
	return a, err
}

func (x Store) DeactivateAccount(ctx context.Context, email string) (account.Account, error) {
	a, err := x.AccountOf(ctx, email)
	a.ID, a.Active = closedID, false
	return a, err
}

func (x Store) ReactivateAccount(ctx context.Context, email string) (account.Account, error) {
	return x.AccountOf(ctx, email)
}

func (x Store) KeysOf(ctx context.Context, id string) ([]account.KeyInfo, error) {
	k, err := x.SetPlan(ctx, id, account.Plus)
	k.Account, k.Active = id, id != closedID
	return []account.KeyInfo{k}, err
}

func (Store) ExportAccount(_ context.Context, email string) (account.Export, error) {
	return account.Export{At: day, Parts: map[string][]map[string]any{
		"account": {{"id": accountID, "email": email, "verified": true, "plan": account.Plus, "active": true, "created_at": day}},
	}}, nil
}

func (x Store) EraseAccount(ctx context.Context, email string) (account.Account, error) {
	return x.AccountOf(ctx, email)
}
