// Package lists is the operations over the lists of organizations that accounts keep. Packages account, listrun and watch do
// the work, for the site as for programs; this package reads the requests and writes the answers.
package lists

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/listrun"
)

// Store keeps lists; *account.Store is one.
type Store interface {
	listrun.Store
	Lists(ctx context.Context, owner string) ([]account.List, error)
	ListByID(ctx context.Context, owner, list string) (account.List, error)
	CreateList(ctx context.Context, owner, name string) (account.List, error)
	ChangeList(ctx context.Context, owner, list string, c account.ListChange) (account.List, error)
	DeleteList(ctx context.Context, owner, list string) error
	AddMembers(ctx context.Context, owner, list string, add []account.Member) ([]account.Member, error)
	RemoveMembers(ctx context.Context, owner, list string, positions []int64) (int, error)
	ListRuns(ctx context.Context, owner, list string) ([]account.ListRun, error)
	WatchOf(ctx context.Context, owner, list string) (*account.Watch, error)
	Alerts(ctx context.Context, owner, list string, after, before int64, most int) (page []account.Alert, all int, err error)
}

// Names finds who may be meant by a name; *search.Index does.
type Names interface {
	Identify(ctx context.Context, q identify.Question) identify.Answer
}

// Parts are what the operations work with.
type Parts struct {
	Store   Store                   // nil where nobody keeps lists
	Watcher Watcher                 // nil where nobody does
	Desk    *listrun.Desk           // over the same store
	Names   func(api.Dataset) Names // nil where the names are out of service
	Data    func(api.Dataset) listrun.Data
}

type operations struct{ Parts }

// call is a request about the lists of an account.
type call struct {
	*api.Call
	owner string // account
	list  string // of the address, if it names one
}

//go:embed operations.json
var operationsFile []byte

// samplesFile has the answers of the examples: a service has no invented account whose lists it could ask for.
//
//go:embed samples.json
var samplesFile []byte

// sample is the answer of an example.
func sample(c *api.Call) (client.Answer, error) {
	a, err := c.Sample(samplesFile)
	if page, ok := a.(*client.ListPage[client.ListResult]); ok && err == nil && c.Format() != "json" {
		return inFile(page, c.Format(), listrun.Some(page.Results), time.Unix(0, 0))
	}
	return a, err
}

// Group is the operations.
func Group(p Parts) api.Group {
	o := &operations{p}
	code := map[string]api.Operation{}
	for id, x := range map[string]struct {
		body, response any
		most           int64 // bytes of the body
		plan           func(*call) (api.Run, error)
	}{
		"getLists":       {nil, client.ListsAnswer{}, 0, o.planLists},
		"createList":     {client.ListRequest{}, client.ListAnswer{}, 4 << 10, o.planCreate},
		"getList":        {nil, client.ListPage[client.ListMember]{}, 0, o.planList},
		"changeList":     {client.ListRequest{}, client.ListAnswer{}, 4 << 10, o.planChange},
		"deleteList":     {nil, client.ListsAnswer{}, 0, o.planDelete},
		"addToList":      {client.AddRequest{}, client.MembersChanged{}, 1 << 20, o.planAdd},
		"removeFromList": {client.RemoveRequest{}, client.MembersChanged{}, 64 << 10, o.planRemove},
		"screenList":     {nil, client.ListPage[client.ListResult]{}, 0, o.planScreen},
		"getListRuns":    {nil, client.ListRunsAnswer{}, 0, o.planRuns(false)},
		"getListResults": {nil, client.ListPage[client.ListResult]{}, 0, o.planResults},
		"deleteListRun":  {nil, client.ListRunsAnswer{}, 0, o.planRuns(true)},
		"getWatch":       {nil, client.WatchAnswer{}, 0, o.planWatch(false)},
		"setWatch":       {client.WatchRequest{}, client.WatchAnswer{}, 4 << 10, o.planSetWatch},
		"testWebhook":    {nil, client.WatchAnswer{}, 0, o.planWatch(true)},
		"getAlerts":      {nil, client.ListPage[client.Alert]{}, 0, o.planAlerts},
	} {
		code[id] = api.Operation{Body: x.body, Response: x.response, MaxBody: x.most, Plan: own(x.plan), Anew: true, Optional: true, Off: p.Store == nil}
	}
	g := api.ReadGroup(operationsFile, code)
	g.Operation("screenList").Needs = func(d api.Dataset) error {
		if p.Data(d).Screener.Lost() {
			return api.Damaged()
		}
		return nil
	}
	for _, id := range []string{"getWatch", "setWatch", "testWebhook", "getAlerts"} {
		op := g.Operation(id)
		op.Off = op.Off || p.Watcher == nil
	}
	return g
}

// own is the plan of an operation for callers who have an account.
func own(plan func(*call) (api.Run, error)) func(*api.Call) (api.Run, error) {
	return func(c *api.Call) (api.Run, error) {
		if !c.Example() && !account.IsAccount(c.Caller.Owner) {
			return nil, fault.New("account_needed", "This key belongs to no account, so it has no lists.").Try("sign up at /signup, and use a key of your account")
		}
		to := &call{Call: c, owner: c.Caller.Owner}
		if strings.Contains(c.Operation().Path, "{list}") {
			to.list, _ = c.Params.Text("list")
		}
		made, err := plan(to)
		if c.Example() {
			return func(context.Context) (client.Answer, error) { return sample(c) }, err
		}
		return made, err
	}
}

func (o *operations) planLists(c *call) (api.Run, error) {
	return func(ctx context.Context) (client.Answer, error) {
		all, err := o.Store.Lists(ctx, c.owner)
		return &client.ListsAnswer{Head: api.Success, ResultsCount: len(all), Lists: each.Of(all, shown), Tail: c.Tail()}, err
	}, nil
}

// shown is a list on the wire.
func shown(l account.List) client.KeptList {
	return client.KeptList{ID: l.ID, Name: l.Name, Members: l.Members, KeepHistory: l.KeepHistory,
		CreatedAt: api.Instant(l.Created), ChangedAt: api.Instant(l.Changed)}
}

const (
	maxName    = 100 // bytes of the name of a list
	notBoolean = "the value is not true or false"
)

// readList reads the name and the settings of a list.
func readList(c *call, needsName bool) (change account.ListChange) {
	f := c.ReadForm()
	if needsName || f.Has("name") {
		change.Name = new(f.Text("name", maxName))
	}
	f.Optional("keep_history", &change.KeepHistory, "bool_type", notBoolean)
	f.Finish()
	return change
}

func (o *operations) planCreate(c *call) (api.Run, error) {
	asked := readList(c, true)
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.CreateList(ctx, c.owner, *asked.Name)
		if err == nil && asked.KeepHistory != nil {
			l, err = o.Store.ChangeList(ctx, c.owner, l.ID, asked)
		}
		return &client.ListAnswer{Head: api.Success, List: shown(l), Tail: c.Tail()}, err
	}, nil
}

func (o *operations) planChange(c *call) (api.Run, error) {
	asked := readList(c, false)
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ChangeList(ctx, c.owner, c.list, asked)
		return &client.ListAnswer{Head: api.Success, List: shown(l), Tail: c.Tail()}, err
	}, nil
}

func (o *operations) planDelete(c *call) (api.Run, error) {
	left, err := o.planLists(c)
	return func(ctx context.Context) (client.Answer, error) {
		if err := o.Store.DeleteList(ctx, c.owner, c.list); err != nil {
			return nil, err
		}
		return left(ctx)
	}, err
}
