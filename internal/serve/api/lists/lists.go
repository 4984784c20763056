// Package lists is the operations over the lists of organizations that accounts keep. Packages account, listrun and watch do
// the work, for the site as for programs; this package reads the requests and writes the answers.
package lists

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
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

// Bounds of requests.
const (
	mostMembers = 1000    // in a page
	mostRemoved = 1000    // at a time
	mostNames   = 10      // of which an answer says who may be meant
	rowWeight   = 2 << 10 // bytes of a member on its way to the wire
)

// planList answers a list with a page of its members, or of its names without EIN.
func (o *operations) planList(c *call) (api.Run, error) {
	unnamed := c.Params.Boolean("names")
	most, served := int64(mostMembers), "organizations are served in a page"
	asked := c.list
	if unnamed {
		most, served, asked = mostNames, "names are served in a page", c.list+" names"
	}
	limit := int(c.ReadLimit(most, served))
	after, _, err := c.ReadCursor([]byte(asked))
	c.Weight = account.MostMembers * rowWeight
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ListByID(ctx, c.owner, c.list)
		if err != nil {
			return nil, err
		}
		read := limit + 1
		if unnamed {
			read = account.MostMembers
		}
		members, err := o.Store.Members(ctx, c.owner, c.list, after, read)
		if err != nil {
			return nil, err
		}
		if unnamed {
			members = slices.DeleteFunc(members, func(m account.Member) bool { return m.EIN != ein.None })
		}
		next := int64(0)
		if len(members) > limit {
			members = members[:limit]
			next = members[limit-1].Position
		}
		return page(c, l, o.listed(ctx, c, members, unnamed), l.Members, asked, next), nil
	}, err
}

// page is a page of rows of a list; next is where the next page begins, 0 on the last one.
func page[T any](c *call, l account.List, rows []T, hits int, asked string, next int64) *client.ListPage[T] {
	a := &client.ListPage[T]{Head: api.Success, List: shown(l), Hits: int64(hits), ResultsCount: len(rows), Results: rows}
	if next > 0 {
		a.NextCursor = new(c.Cursor([]byte(asked), next))
	}
	a.Tail = c.Tail()
	return a
}

// listed is members on the wire, with who may be meant by them if that is asked for.
func (o *operations) listed(ctx context.Context, c *call, members []account.Member, who bool) []client.ListMember {
	names := o.Names(c.Data)
	if who && names == nil && len(members) > 0 {
		c.Caveat("_names", "The names of organizations are out of service, so nothing is said of who may be meant.")
	}
	list := make([]client.ListMember, len(members))
	for i, m := range members {
		list[i] = client.ListMember{Position: m.Position, Name: m.Name, Note: m.Note}
		if m.EIN != ein.None {
			list[i].EIN = new(m.EIN.String())
		}
		if !who || names == nil {
			continue
		}
		found := names.Identify(ctx, identify.Question{Text: m.Name, Role: identify.Grantee})
		list[i].Verdict = new(found.Verdict.String())
		for _, x := range found.Candidates {
			list[i].Candidates = append(list[i].Candidates, client.ListCandidate{EIN: x.EIN.String(), Name: x.DisplayName, City: api.OrNull(x.City),
				State: api.OrNull(x.State), Probability: math.Round(1e4*x.Probability) / 1e4, Why: x.Why})
		}
	}
	return list
}

func (o *operations) planAdd(c *call) (api.Run, error) {
	f := c.ReadForm()
	items := f.Items("members", account.MostMembers)
	f.Finish()
	add := make([]account.Member, len(items))
	for i, item := range items {
		add[i] = readMember(f, i, item)
	}
	c.Weight = int64(len(items)) * rowWeight
	return func(ctx context.Context) (client.Answer, error) {
		added, err := o.Store.AddMembers(ctx, c.owner, c.list, add)
		if err != nil {
			return nil, err
		}
		return o.changed(ctx, c, len(added), added)
	}, nil
}

// readMember reads an organization that is to be added: an EIN as text, or an object.
func readMember(f *api.Form, i int, item json.RawMessage) (m account.Member) {
	var in client.NewMember
	into := any(&in)
	if item[0] == '"' {
		into = &in.EIN
	}
	d := json.NewDecoder(bytes.NewReader(item))
	if d.DisallowUnknownFields(); d.Decode(into) != nil {
		f.Problem("members", i, "member", string(item), nil, "the value is neither an EIN nor an object with the texts ein, name and note")
		return m
	}
	m.Name, m.Note = in.Name, in.Note
	if in.EIN == "" && in.Name != "" {
		return m
	}
	var err error
	if m.EIN, err = ein.Parse(in.EIN); err != nil {
		f.Problem("members", i, "ein", in.EIN, nil, "the value is not an EIN; write nine digits, such as 12-3456789")
	}
	return m
}

func (o *operations) planRemove(c *call) (api.Run, error) {
	f := c.ReadForm()
	positions := f.Integers("positions", mostRemoved)
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		n, err := o.Store.RemoveMembers(ctx, c.owner, c.list, positions)
		if err != nil {
			return nil, err
		}
		return o.changed(ctx, c, n, nil)
	}, nil
}

// changed answers what became of a list. Nobody is taken for the organization that a name means: the answer says who may be.
func (o *operations) changed(ctx context.Context, c *call, n int, added []account.Member) (client.Answer, error) {
	l, err := o.Store.ListByID(ctx, c.owner, c.list)
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(added, func(m account.Member) bool { return m.EIN != ein.None })
	first := names[:min(len(names), mostNames)]
	return &client.MembersChanged{Head: api.Success, List: shown(l), Changed: n, Names: o.listed(ctx, c, first, true), NamesLeft: len(names) - len(first),
		Tail: c.Tail()}, nil
}

// Watcher changes how lists are watched; *watch.Watcher is one.
type Watcher interface {
	Set(ctx context.Context, owner, list string, c account.WatchChange) (now *account.Watch, atom string, err error)
	TestHook(ctx context.Context, owner, list string) error
	Shown(a *account.Alert) client.Alert
}

// watchAnswer is how a list is watched; atom is the address of its feed if it was drawn.
func watchAnswer(c *call, w *account.Watch, atom string) *client.WatchAnswer {
	a := &client.WatchAnswer{Head: api.Success, Tail: c.Tail()}
	if w == nil {
		return a
	}
	channel := func(x *account.Channel) *client.WatchChannel {
		if x == nil {
			return nil
		}
		return &client.WatchChannel{Target: api.OrNull(x.Target), Failures: x.Failures, Error: api.OrNull(x.Error), Stopped: x.Stopped}
	}
	a.Watch = client.ListWatch{Watched: true, Edition: api.OrNull(w.Mark.Edition), Build: api.OrNull(w.Mark.Build), Atom: w.Feed,
		AtomURL: api.OrNull(atom), Email: channel(w.Email), Webhook: channel(w.Webhook)}
	return a
}

// planWatch answers how a list is watched, after its webhook was tested if that is asked for.
func (o *operations) planWatch(test bool) func(*call) (api.Run, error) {
	return func(c *call) (api.Run, error) {
		return func(ctx context.Context) (client.Answer, error) {
			if test {
				if err := o.Watcher.TestHook(ctx, c.owner, c.list); err != nil {
					return nil, err
				}
			}
			w, err := o.Store.WatchOf(ctx, c.owner, c.list)
			return watchAnswer(c, w, ""), err
		}, nil
	}
}

func (o *operations) planSetWatch(c *call) (api.Run, error) {
	var change account.WatchChange
	f := c.ReadForm()
	f.Optional("watched", &change.On, "bool_type", notBoolean)
	f.Optional("email", &change.Email, "bool_type", notBoolean)
	f.Optional("atom", &change.Feed, "bool_type", notBoolean)
	f.Optional("webhook", &change.Webhook, "string_type", "the value is not a text")
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		w, atom, err := o.Watcher.Set(ctx, c.owner, c.list, change)
		return watchAnswer(c, w, atom), err
	}, nil
}

// planAlerts answers the alerts of a list, latest first.
func (o *operations) planAlerts(c *call) (api.Run, error) {
	after, _ := c.Params.Integer("after")
	limit := int(c.ReadLimit(mostMembers, "alerts are served in a page"))
	before, _, err := c.ReadCursor([]byte(c.list))
	c.Weight = int64(limit) * rowWeight
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ListByID(ctx, c.owner, c.list)
		if err != nil {
			return nil, err
		}
		alerts, all, err := o.Store.Alerts(ctx, c.owner, c.list, after, before, limit+1)
		if err != nil {
			return nil, err
		}
		next := int64(0)
		if len(alerts) > limit {
			alerts = alerts[:limit]
			next = alerts[limit-1].Seq
		}
		rows := make([]client.Alert, len(alerts))
		for i := range alerts {
			rows[i] = o.Watcher.Shown(&alerts[i])
		}
		return page(c, l, rows, all, c.list, next), nil
	}, err
}
