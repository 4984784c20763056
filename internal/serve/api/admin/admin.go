// Package admin is the operations for billing systems: changing plans, and suspending and resuming keys and accounts. Routing,
// metering and rendering are left to package api, and no other operations are imported.
package admin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"

	"grantgraph/client"
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

type operations struct{ Registry }

//go:embed operations.json
var operationsFile []byte

// Group is the operations over a registry, nil where no billing system gives orders.
func Group(r Registry) api.Group {
	o := operations{r}
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
	return api.ReadGroup(operationsFile, map[string]api.Operation{
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
	var names []string
	for _, t := range account.Plans() {
		names = append(names, string(t.Plan))
	}
	f := c.ReadForm()
	to := f.Word("plan", append(names, string(account.Internal)))
	f.Finish()
	return account.Plan(to)
}

func (o operations) key(do func(Registry, context.Context, string) (account.KeyInfo, error)) planner {
	return func(c *api.Call) (api.Run, error) {
		id, _ := c.Params.Text("id")
		if strings.HasPrefix(id, "gg_") {
			// Addresses are logged, so a key in an address is no longer secret.
			c.Params.Problem(c.Params.Param("id"), -1, "key_id", "", nil, "this is a key; send its ID, and rotate a key that was put into an address")
		}
		return func(ctx context.Context) (client.Answer, error) {
			k, err := do(o.Registry, byAdmin(ctx, c), id)
			if err != nil {
				return nil, missing(err)
			}
			state, err := o.keyState(ctx, k)
			return &client.KeyAnswer{Head: api.Success, Key: state, Tail: c.Tail()}, err
		}, nil
	}
}

func (o operations) account(do func(Registry, context.Context, string) (account.Account, error)) planner {
	return func(c *api.Call) (api.Run, error) {
		who, _ := c.Params.Text("email")
		return func(ctx context.Context) (client.Answer, error) {
			a, err := do(o.Registry, byAdmin(ctx, c), who)
			if err != nil {
				return nil, missing(err)
			}
			keys, err := o.KeysOf(ctx, a.ID)
			if err != nil && !errors.Is(err, account.ErrUnknownAccount) { // it was erased
				return nil, err
			}
			out := &client.AccountAnswer{
				Head:    api.Success,
				Account: client.AccountState{ID: a.ID, Email: a.Email, Verified: a.Verified, Plan: string(a.Plan), Active: a.Active, CreatedAt: api.Instant(a.Created)},
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

func byAdmin(ctx context.Context, c *api.Call) context.Context {
	return account.As(ctx, account.Actor{Name: "admin", Address: c.Caller.Address})
}

func (o operations) exportAccount(c *api.Call) (api.Run, error) {
	who, _ := c.Params.Text("email")
	return func(ctx context.Context) (client.Answer, error) {
		export, err := o.ExportAccount(byAdmin(ctx, c), who)
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
	b, err := o.Balance(ctx, k.ID)
	state := client.KeyState{
		ID: k.ID, Plan: string(k.Plan), Tier: api.OrNull(string(k.Tier)), Account: api.OrNull(k.Account), Email: api.OrNull(k.Email), Label: api.OrNull(k.Label),
		Active: k.Active, CreatedAt: api.Instant(k.Created), RotatedAt: api.Instant(k.Rotated), Calls: client.Balance{Limit: b.Limit, Remaining: b.Remaining},
	}
	if !b.Reset.IsZero() {
		state.Calls.ResetAt = api.OrNull(api.Instant(b.Reset))
	}
	return state, err
}
