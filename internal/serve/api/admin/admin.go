// Package admin is the operations for operators and their billing systems, over HTTP and by the command grantgraph admin: accounts,
// keys, invitations, usage, the audit trail, datasets and the status. Routing and rendering are left to package api.
package admin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// Registry is keys and accounts as a billing system sees them; every *account.Store is one.
type Registry interface {
	Find(ctx context.Context, secretOrID string) (account.KeyInfo, error)
	Balance(ctx context.Context, id string) (account.Balance, error)
	SetPlan(ctx context.Context, id string, plan account.Plan) (account.KeyInfo, error)
	Deactivate(ctx context.Context, id string) (account.KeyInfo, error)
	Reactivate(ctx context.Context, id string) (account.KeyInfo, error)
	AccountOf(ctx context.Context, account string) (account.Account, error)
	SetAccountPlan(ctx context.Context, account string, plan account.Plan) (account.Account, error)
	DeactivateAccount(ctx context.Context, account string) (account.Account, error)
	ReactivateAccount(ctx context.Context, account string) (account.Account, error)
	KeysOf(ctx context.Context, account string) ([]account.KeyInfo, error)
	ExportAccount(ctx context.Context, account string) (account.Export, error)
	EraseAccount(ctx context.Context, account string) (account.Account, error)
}

// ExampleKeyID is the key that the examples are about; it belongs to nobody.
const ExampleKeyID = "key_EXAMPLE00001"

// Parts are what the operations work with.
type Parts struct {
	Registry Registry // nil where nobody gives orders
	Store    Store
	Desk     Desk
	Clock    func() time.Time
	Actor    string // who gives orders, in the audit trail
}

type operations struct{ Parts }

//go:embed operations.json
var operationsFile []byte

// Group is the operations.
func Group(p Parts) api.Group {
	o, r := operations{p}, p.Registry
	ofKey := api.Operation{Response: client.KeyAnswer{}, Optional: true, Off: r == nil}
	ofAccount := api.Operation{Response: client.AccountAnswer{}, Optional: true, Off: r == nil}
	with := func(op api.Operation, plan planner) api.Operation {
		op.Plan = plan
		return op
	}
	setting := func(op api.Operation, plan planner) api.Operation {
		op.Body, op.MaxBody = client.PlanRequest{}, 4<<10
		return with(op, plan)
	}
	code := o.operating()
	maps.Copy(code, map[string]api.Operation{
		"getKey":            with(ofKey, o.key(Registry.Find)),
		"setKeyPlan":        setting(ofKey, o.setKeyPlan),
		"deactivateKey":     with(ofKey, o.key(Registry.Deactivate)),
		"reactivateKey":     with(ofKey, o.key(Registry.Reactivate)),
		"getAccount":        with(ofAccount, o.account(Registry.AccountOf)),
		"setAccountPlan":    setting(ofAccount, o.setAccountPlan),
		"deactivateAccount": with(ofAccount, o.account(Registry.DeactivateAccount)),
		"reactivateAccount": with(ofAccount, o.account(Registry.ReactivateAccount)),
		"exportAccount":     {Response: client.AccountExport{}, Optional: true, Off: r == nil, Plan: o.exportAccount},
		"eraseAccount":      with(ofAccount, o.account(Registry.EraseAccount)),
	})
	return api.ReadGroup(operationsFile, code)
}

type planner = func(*api.Call) (api.Run, error)

func (o operations) setKeyPlan(c *api.Call) (api.Run, error) {
	to := readPlan(c)
	return o.key(func(r Registry, ctx context.Context, id string) (account.KeyInfo, error) {
		return r.SetPlan(ctx, id, to)
	})(c)
}

func (o operations) setAccountPlan(c *api.Call) (api.Run, error) {
	to := readPlan(c)
	return o.account(func(r Registry, ctx context.Context, who string) (account.Account, error) {
		return r.SetAccountPlan(ctx, who, to)
	})(c)
}

func readPlan(c *api.Call) account.Plan {
	f := c.ReadForm()
	to := f.Word("plan", planNames())
	f.Finish()
	return account.Plan(to)
}

func planNames() []string {
	return append(each.Of(account.Plans(), func(t account.Terms) string { return string(t.Plan) }), string(account.Internal))
}

func (o operations) key(do func(Registry, context.Context, string) (account.KeyInfo, error)) planner {
	return func(c *api.Call) (api.Run, error) {
		id := readKeyID(c)
		return func(ctx context.Context) (client.Answer, error) {
			k, err := do(o.Registry, o.as(ctx, c), id)
			if err != nil {
				return nil, missing(err)
			}
			state, err := o.keyState(ctx, k)
			return &client.KeyAnswer{Head: api.Success, Key: state, Tail: c.Tail()}, err
		}, nil
	}
}

// readKeyID reads the ID of a key. Addresses are logged, so a key in an address is no longer secret.
func readKeyID(c *api.Call) string {
	id, _ := c.Params.Text("id")
	if strings.HasPrefix(id, "gg_") {
		c.Params.Problem(c.Params.Param("id"), -1, "key_id", "", nil, "this is a key; send its ID, and rotate a key that was put into an address")
	}
	return id
}

func (o operations) account(do func(Registry, context.Context, string) (account.Account, error)) planner {
	return func(c *api.Call) (api.Run, error) {
		who, _ := c.Params.Text("email")
		return func(ctx context.Context) (client.Answer, error) {
			a, err := do(o.Registry, o.as(ctx, c), who)
			if err != nil {
				return nil, missing(err)
			}
			keys, err := o.Registry.KeysOf(ctx, a.ID)
			if err != nil && !errors.Is(err, account.ErrUnknownAccount) { // it was erased
				return nil, err
			}
			out := &client.AccountAnswer{
				Head:    api.Success,
				Account: accountState(a),
				Keys:    []client.KeyState{}, Tail: c.Tail(),
			}
			for _, k := range keys {
				state, err := o.keyState(ctx, k)
				if err != nil {
					return nil, err
				}
				out.Keys = append(out.Keys, state)
			}
			return out, nil
		}, nil
	}
}

func accountState(a account.Account) client.AccountState {
	return client.AccountState{ID: a.ID, Email: a.Email, Verified: a.Verified, Plan: string(a.Plan), Active: a.Active, CreatedAt: api.Instant(a.Created)}
}

func (o operations) as(ctx context.Context, c *api.Call) context.Context {
	return account.As(ctx, account.Actor{Name: cmp.Or(o.Actor, "admin"), Address: c.Caller.Address})
}

func (o operations) exportAccount(c *api.Call) (api.Run, error) {
	who, _ := c.Params.Text("email")
	return func(ctx context.Context) (client.Answer, error) {
		export, err := o.Registry.ExportAccount(o.as(ctx, c), who)
		if err != nil {
			return nil, missing(err)
		}
		text, err := json.Marshal(export)
		return &client.AccountExport{Head: api.Success, Export: text, Tail: c.Tail()}, err
	}, nil
}

// missing turns an unknown key or account in the address into a 404, which does not read as a failure to authenticate.
func missing(err error) error {
	switch {
	case errors.Is(err, account.ErrUnknownKey):
		return fault.New("no_such_key", "There is no such key.").Try("check the ID; grantgraph keys list shows all")
	case errors.Is(err, account.ErrUnknownAccount):
		return fault.New("no_such_account", "There is no such account.").Try("check the email address")
	}
	return err
}

func (o operations) keyState(ctx context.Context, k account.KeyInfo) (client.KeyState, error) {
	b, err := o.Registry.Balance(ctx, k.ID)
	state := client.KeyState{
		ID: k.ID, Plan: string(k.Plan), Tier: api.OrNull(string(k.Tier)), Account: api.OrNull(k.Account), Email: api.OrNull(k.Email), Label: api.OrNull(k.Label),
		Active: k.Active, CreatedAt: api.Instant(k.Created), RotatedAt: api.Instant(k.Rotated), Calls: client.Balance{Limit: b.Limit, Remaining: b.Remaining},
	}
	if end := b.End(); !end.IsZero() {
		state.Calls.ResetAt = api.OrNull(api.Instant(end))
	}
	return state, err
}
