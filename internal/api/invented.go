package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/agent"
	"grantgraph/internal/agent/httpsig"
	"grantgraph/internal/fault"
	"grantgraph/internal/sqlbox"
)

// What the examples of keys are about. The key has the form of one and belongs
// to nobody.
const (
	exampleKeyID     = "key_EXAMPLE00001"
	exampleAccountID = "acc_EXAMPLE00001"
	exampleClosedID  = "acc_EXAMPLE00002" // is inactive
	exampleSecret    = "gg_a_EXAMPLEEXAMPLEEXAMPLEEXAMPLE0000_000000"
)

var exampleDay = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// exampleDesk is the desk that examples are answered at: it runs the code of
// the real one on a store that remembers nothing.
func exampleDesk(base string) *desk {
	d := &desk{agents: exampleStore{}, examiner: exampleStore{}, mints: mintsAnHour, clock: func() time.Time { return exampleDay }, log: slog.New(slog.DiscardHandler)}
	v, err := httpsig.NewVerifier(base, exampleStore{}, exampleStore{})
	if err != nil {
		panic("api: " + err.Error()) // the address has been checked
	}
	d.verifier = v
	return d
}

// exampleStore is a store with one key and one account, which it forgets after
// every request.
type exampleStore struct{}

// Draw draws the one challenge there is. Its answers are those of the example.
func (exampleStore) Draw(_ context.Context, _ agent.Asker, _ string, number int, version string) (*agent.Challenge, error) {
	c := &agent.Challenge{
		Number: number, Version: version, Salt: []byte("example"), Params: []byte("{}"),
		Calls: []agent.Call{
			{Method: "GET", Path: versioned + "/grants/transactions", Query: "funder_id=000000001&year=2022&sort_by=amount&sort_order=desc&limit=10"},
			{Method: "GET", Path: versioned + "/grants/recipients", Query: "funder_id=000000002&min_year=2020&max_year=2022&limit=10"},
			{Method: "GET", Path: versioned + "/grants/funders", Query: "recip_id=000000004&limit=10"},
		},
		Questions: []agent.Question{
			{ID: "q1", Text: `In the rows of call 1, what is the amount, in whole dollars, of the grant whose recip_name is "EXAMPLE CITY MUSEUM"?`, AnswerType: agent.Integer},
			{ID: "q2", Text: "In the rows of call 2, which recipient is on row 1, counting from 1? Answer with its name or its EIN.", AnswerType: agent.Organization},
		},
	}
	for i, form := range []string{"i:120000", "e:000000004"} {
		h := sha256.Sum256(append(append([]byte("example"), byte(i)), form...))
		c.Hashes = append(c.Hashes, [][]byte{h[:]})
	}
	return c, nil
}

func (x exampleStore) challenge() account.Challenge {
	drawn, _ := x.Draw(context.Background(), nil, exampleKeyID, 1, fixtureVersion)
	kept, err := keep(drawn)
	if err != nil {
		panic("api: " + err.Error()) // it is made above
	}
	kept.No = 1
	return kept
}

func (x exampleStore) Agent(context.Context, string) (account.AgentInfo, error) {
	t := account.Anonymous.Terms()
	return account.AgentInfo{
		KeyInfo: account.KeyInfo{ID: exampleKeyID, Plan: account.Agent, Tier: account.Anonymous, Active: true, Created: exampleDay, Rotated: exampleDay},
		Status:  account.Locked, Expires: exampleDay.Add(t.Lifetime), Allowance: t.Calls, Challenge: x.challenge(),
	}, nil
}

func (x exampleStore) MintAgent(ctx context.Context, _ account.AgentSpec) (string, account.AgentInfo, error) {
	a, err := x.Agent(ctx, "")
	return exampleSecret, a, err
}

func (x exampleStore) SetChallenge(ctx context.Context, id string, _ int, _ account.Challenge) (account.AgentInfo, error) {
	return x.Agent(ctx, id)
}

func (x exampleStore) Attempt(ctx context.Context, id string, _ int, verify func(account.Challenge) bool) (account.AgentInfo, account.Outcome, error) {
	a, err := x.Agent(ctx, id)
	if !verify(a.Challenge) {
		return a, account.Outcome{Verdict: account.Wrong, Left: account.MostAttempts - 1, Wait: account.FirstWait}, err
	}
	a.Status, a.Remaining = account.Unlocked, a.Allowance
	return a, account.Outcome{Verdict: account.Right}, err
}

func (exampleStore) TakeMint(context.Context, string) (time.Duration, bool, error) {
	return 0, true, nil
}
func (exampleStore) TakeCall(context.Context, string, string) (int, error) { return 0, nil }
func (exampleStore) Seen(context.Context, string, string, time.Time) (bool, error) {
	return true, nil
}

// Key finds none: examples are not signed.
func (exampleStore) Key(context.Context, string, string) (httpsig.Key, error) {
	return httpsig.Key{}, httpsig.ErrKey
}

func (exampleStore) Find(context.Context, string) (account.KeyInfo, error) {
	return account.KeyInfo{ID: exampleKeyID, Plan: account.Free, Email: "someone@example.org", Label: "example", Active: true,
		Created: exampleDay, Rotated: exampleDay, Account: exampleAccountID}, nil
}

func (exampleStore) Balance(context.Context, string) (account.Balance, error) {
	return account.Balance{Limit: 50, Remaining: 42, Reset: exampleDay.AddDate(0, 0, 1)}, nil
}

func (x exampleStore) SetPlan(ctx context.Context, id string, plan account.Plan) (account.KeyInfo, error) {
	k, err := x.Find(ctx, id)
	k.Plan = plan
	return k, err
}

func (x exampleStore) Deactivate(ctx context.Context, id string) (account.KeyInfo, error) {
	k, err := x.Find(ctx, id)
	k.Active = false
	return k, err
}

func (x exampleStore) Reactivate(ctx context.Context, id string) (account.KeyInfo, error) {
	return x.Find(ctx, id)
}

func (exampleStore) AccountOf(_ context.Context, email string) (account.Account, error) {
	return account.Account{ID: exampleAccountID, Email: email, Verified: true, Plan: account.Plus, Active: true, Created: exampleDay}, nil
}

func (x exampleStore) SetAccountPlan(ctx context.Context, email string, plan account.Plan) (account.Account, error) {
	a, err := x.AccountOf(ctx, email)
	a.Plan = plan
	return a, err
}

func (x exampleStore) DeactivateAccount(ctx context.Context, email string) (account.Account, error) {
	a, err := x.AccountOf(ctx, email)
	a.ID, a.Active = exampleClosedID, false
	return a, err
}

func (x exampleStore) ReactivateAccount(ctx context.Context, email string) (account.Account, error) {
	return x.AccountOf(ctx, email)
}

func (x exampleStore) KeysOf(ctx context.Context, id string) ([]account.KeyInfo, error) {
	k, err := x.SetPlan(ctx, id, account.Plus)
	k.Account, k.Active = id, id != exampleClosedID
	return []account.KeyInfo{k}, err
}

// exampleSQL is a sandbox that knows the queries of the examples. What it
// refuses, it refuses in the words of the real one.
type exampleSQL struct{}

func (exampleSQL) Check(_ context.Context, r sqlbox.Request) error {
	switch r.SQL {
	case exampleRejected:
		return fault.New(sqlbox.Rejected, "a statement begins with SELECT, WITH or DESCRIBE").
			Try("SELECT name, total_out FROM funder_kind ORDER BY total_out DESC LIMIT 10")
	case examplePro:
		return fault.New(sqlbox.ProTable, "the table org_asset_profile needs the Pro plan").
			Try("take it out of the query, or use a key of the Pro plan")
	}
	return nil
}

func (exampleSQL) Run(_ context.Context, r sqlbox.Request) (*sqlbox.Result, error) {
	if r.SQL == exampleSlow {
		return nil, fault.New(sqlbox.TimedOut, "the query was stopped at the time limit").
			Try("narrow the query with a tax_year or funder_ein filter and retry")
	}
	return &sqlbox.Result{
		Columns: []sqlbox.Column{{Name: "funder_ein", Type: "VARCHAR"}, {Name: "grants", Type: "BIGINT"}, {Name: "total", Type: "HUGEINT"}},
		Rows: []json.RawMessage{
			json.RawMessage(`{"funder_ein":"000000001","grants":2,"total":145000}`),
			json.RawMessage(`{"funder_ein":"000000002","grants":1,"total":50000}`),
		},
		Elapsed: 12 * time.Millisecond,
	}, nil
}
