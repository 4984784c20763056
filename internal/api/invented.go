package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/agent"
	"grantgraph/internal/agent/httpsig"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/graph"
	"grantgraph/internal/lists"
	"grantgraph/internal/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/sqlbox"
)

// fixtureVersion is the version of the invented dataset.
const fixtureVersion = "20260101T000000Z"

// fixture is the invented dataset that examples are answered from.
func fixture() *Dataset {
	funders := []*graph.Funder{
		{EIN: 1, Name: "EXAMPLE COMMUNITY FOUNDATION", City: "SPRINGFIELD", State: "IL", Kind: grant.PublicCharity},
		{EIN: 2, Name: "EXAMPLE FAMILY FOUNDATION", City: "PORTLAND", State: "OR", Kind: grant.PrivateFoundation},
		{EIN: 3, Name: "EXAMPLE DONOR ADVISED FUND", City: "DOVER", State: "DE", Kind: grant.Passthrough},
	}
	recipients := []*graph.Recipient{
		{ID: "ein-000000004", EIN: 4, Name: "EXAMPLE FOOD PANTRY", City: "SPRINGFIELD", State: "IL", ZIP: "62701"},
		{ID: "ein-000000005", EIN: 5, Name: "EXAMPLE CITY MUSEUM", City: "CHICAGO", State: "IL", ZIP: "60601"},
		{ID: "nm-0123456789abcdef", Name: "EXAMPLE NEIGHBORS GROUP", City: "PEORIA", State: "IL", ZIP: "61602"},
	}
	row := func(key string, f, r int, amount int64, year int, rule grant.Rule, purpose string, support grant.Support, classes graph.Class) graph.Grant {
		to := recipients[r]
		g := graph.Grant{
			Key: key, Funder: funders[f], Recipient: to, NameFiled: to.Name, City: to.City, State: to.State, ZIP: to.ZIP,
			Amount: amount, FiscalYear: year, Purpose: purpose, Support: support, Rule: rule, Prob: rule.Prob(),
			Matched: to.EIN != ein.None, Classes: classes, ObjectID: "000000000000000001", ReturnType: "990", PeriodEnd: time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		}
		if funders[f].Kind == grant.PrivateFoundation {
			g.ReturnType = "990PF"
		}
		switch to.EIN {
		case 4:
			g.NTEE = "K31"
		case 5:
			g.NTEE = "A50"
		}
		return g
	}
	grants := []graph.Grant{
		row("example-1", 0, 0, 250_000, 2021, grant.Filed, "GENERAL OPERATING SUPPORT", grant.GeneralOperating, 0),
		row("example-2", 0, 1, 120_000, 2022, grant.Filed, "CAPITAL CAMPAIGN FOR THE NEW WING", grant.Capital, 0),
		row("example-3", 1, 0, 75_000, 2020, grant.Name, "WINTER MEAL PROGRAM", grant.Program, 0),
		row("example-4", 0, 2, 10_000, 2022, grant.None, "BLOCK PARTY", 0, 0),
		row("example-5", 2, 0, 5_000, 2022, grant.Filed, "", 0, graph.DAF),
	}
	revenue := []int64{4_200_000, 610_000}
	return &Dataset{
		Manifest: snapshot.Manifest{
			Version: fixtureVersion, GeneratedAt: exampleDay, Content: "example",
			Counts: snapshot.Counts{
				Grants: 5, TotalAmount: 460_000, Funders: 3, Recipients: 3, Linked: 4, FirstFiscalYear: 2017, LastFiscalYear: 2026,
				LastCompleteYear: 2023, PartialFiscalYear: []int{2024, 2025, 2026}, LinkedAmount: 450_000,
			},
			Sources: []snapshot.Source{{Kind: "bmf", Rows: 6}, {Kind: "irs990", Rows: 4}, {Kind: "irs990", Rows: 3}},
			Report: []byte(`{"ein_source":[{"name":"filed","grant_count":3,"total_amount":375000},{"name":"name","grant_count":1,"total_amount":75000},{"name":"none","grant_count":1,"total_amount":10000}],
				"by_year":[{"fiscal_year":2020,"grant_count":1,"ein_source":[{"name":"name","grant_count":1,"total_amount":75000},{"name":"none"}]},
				{"fiscal_year":2021,"grant_count":1,"ein_source":[{"name":"filed","grant_count":1,"total_amount":250000},{"name":"none"}]},
				{"fiscal_year":2022,"grant_count":3,"ein_source":[{"name":"filed","grant_count":2,"total_amount":125000},{"name":"none","grant_count":1,"total_amount":10000}]}]}`),
		},
		Graph: fixtureGraph{grants},
		Search: fixtureSearch{
			{EIN: 1, Name: "EXAMPLE COMMUNITY FOUNDATION", City: "SPRINGFIELD", State: "IL", Kind: search.Nonprofit, Type: "Public charity", NTEE: "T31", Cause: "Philanthropy & Grantmaking", Revenue: &revenue[0], Score: 1},
			{EIN: 2, Name: "EXAMPLE FAMILY FOUNDATION", City: "PORTLAND", State: "OR", Kind: search.Foundation, Type: "Private foundation", Revenue: &revenue[1], Score: 0.9},
		},
		SQL:   exampleSQL{},
		Lists: exampleLists(),
	}
}

// exampleLists are lists of an invented day: all loaded but one, and one of
// them behind upstream.
func exampleLists() *lists.Current {
	c := &lists.Current{Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{Manifest: snapshot.Manifest{Version: fixtureVersion}}}}
	for i, name := range lists.Names() {
		if name == lists.CAFTB {
			continue
		}
		c.Edition.Lists = append(c.Edition.Lists, lists.Status{
			Name: name, Loaded: true, Rows: int64(12_000 + i), FetchedAt: exampleDay, Revised: "2025-12-08", RevisedNewest: "2025-12-08",
		})
		check := lists.Check{Name: name, CheckedAt: exampleDay, UpstreamRevised: "2025-12-08"}
		if name == lists.OFAC {
			check.UpstreamRevised = "2025-12-31"
			check.Problem = "the file offered has 11 rows where 12,004 were there before"
		}
		c.Checks = append(c.Checks, check)
	}
	return c
}

// fixtureSearch is a search index of a few invented organizations.
type fixtureSearch []search.Result

func (x fixtureSearch) Find(string, string, int) []search.Result { return x }

// fixtureGraph is a graph of a few invented grants. It understands only the
// filters that the examples use.
type fixtureGraph struct{ grants []graph.Grant }

func (x fixtureGraph) match(f *graph.Filter) []graph.Grant {
	return slices.DeleteFunc(slices.Clone(x.grants), func(g graph.Grant) bool {
		inYears := len(f.Years) == 0 || slices.ContainsFunc(f.Years, func(s graph.Span) bool { return s.From <= g.FiscalYear && g.FiscalYear <= s.To })
		return len(f.Funders) > 0 && !slices.Contains(f.Funders, g.Funder.EIN) ||
			len(f.Recipients) > 0 && !slices.Contains(f.Recipients, g.Recipient.EIN) ||
			f.MinProb != nil && g.Prob < *f.MinProb || !inYears
	})
}

func (x fixtureGraph) Transactions(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.Grant, int64, error) {
	rows := x.match(f)
	return rows, int64(len(rows)), nil
}

func (x fixtureGraph) Funders(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.FunderTotal, int64, error) {
	var list []graph.FunderTotal
	for _, g := range x.match(f) {
		i := slices.IndexFunc(list, func(t graph.FunderTotal) bool { return t.EIN == g.Funder.EIN })
		if i < 0 {
			i = len(list)
			list = append(list, graph.FunderTotal{Funder: *g.Funder, FirstYear: g.FiscalYear})
		}
		t := &list[i]
		t.Total, t.Grants, t.Recipients = t.Total+g.Amount, t.Grants+1, t.Recipients+1
		t.FirstYear, t.LastYear = min(t.FirstYear, g.FiscalYear), max(t.LastYear, g.FiscalYear)
	}
	slices.SortFunc(list, func(a, b graph.FunderTotal) int { return cmp.Compare(b.Total, a.Total) })
	return list, int64(len(list)), nil
}

func (x fixtureGraph) Recipients(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.RecipientTotal, int64, error) {
	var list []graph.RecipientTotal
	for _, g := range x.match(f) {
		i := slices.IndexFunc(list, func(t graph.RecipientTotal) bool { return t.ID == g.Recipient.ID })
		if i < 0 {
			i = len(list)
			list = append(list, graph.RecipientTotal{Recipient: *g.Recipient, FirstYear: g.FiscalYear})
		}
		t := &list[i]
		t.Total, t.Grants, t.Funders = t.Total+g.Amount, t.Grants+1, t.Funders+1
		t.FirstYear, t.LastYear = min(t.FirstYear, g.FiscalYear), max(t.LastYear, g.FiscalYear)
	}
	slices.SortFunc(list, func(a, b graph.RecipientTotal) int { return cmp.Compare(b.Total, a.Total) })
	return list, int64(len(list)), nil
}

func (x fixtureGraph) Summary(_ context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	rows := x.match(f)
	var years []graph.YearTotals
	for year := 2020; year <= 2022; year++ {
		in := slices.DeleteFunc(slices.Clone(rows), func(g graph.Grant) bool { return g.FiscalYear != year })
		if len(in) > 0 {
			years = append(years, graph.YearTotals{FiscalYear: year, Totals: totals(in)})
		}
	}
	return totals(rows), years, nil
}

func totals(rows []graph.Grant) graph.Totals {
	var t graph.Totals
	funders, recipients := map[ein.EIN]bool{}, map[string]bool{}
	for _, g := range rows {
		t.Amount, t.Grants = t.Amount+g.Amount, t.Grants+1
		funders[g.Funder.EIN], recipients[g.Recipient.ID] = true, true
	}
	t.Funders, t.Recipients = int64(len(funders)), int64(len(recipients))
	return t
}

func (x fixtureGraph) Excluded(context.Context, *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return nil, nil
}

func (x fixtureGraph) Weight(graph.About, *graph.Filter, graph.Page) int64 { return 0 }

// HasCounty is asked only for counties that nobody knows.
func (x fixtureGraph) HasCounty(string) bool { return false }

func (x fixtureGraph) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 3, nil }

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
	d := &desk{agents: exampleStore{}, examiner: exampleStore{}, clock: func() time.Time { return exampleDay }, log: slog.New(slog.DiscardHandler)}
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
