// Package admin is the operations for billing systems: plans, and keys and
// accounts that stop and start working. Routing, metering and rendering are left
// to package api, and no other operations are imported.
package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// Registry is keys and accounts as a billing system sees them; every
// account.Store is one.
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
}

// ExampleKeyID is the key that the examples are about; it belongs to nobody.
const ExampleKeyID = "key_EXAMPLE00001"

// The failures of these operations.
var (
	noSuchKey     = api.Refusal{Slug: "no_such_key", Status: 404, Means: "there is no such key", Do: "Check the ID of the key; it is not the key itself."}
	noSuchAccount = api.Refusal{Slug: "no_such_account", Status: 404, Means: "there is no such account", Do: "Check the email address."}
	agentHasNone  = api.Refusal{Slug: "bad_plan", Status: 409, Means: "the key of an agent has a tier and cannot be moved to a plan", Do: "Leave it, or have its owner sign up for an account."}
)

// bodyWords are other words for the fields of the body.
var bodyWords = map[string]string{"tier": "plan", "plan_name": "plan", "product": "plan", "subscription": "plan"}

// operations are those of one service.
type operations struct{ Registry }

// Group is the operations over a registry, nil on a service that takes no
// orders from a billing system.
func Group(r Registry) api.Group {
	g := api.Group{Tag: "Admin", About: "Plans and keys, for billing systems.", Operations: operations{r}.all()}
	for i := range g.Operations {
		g.Operations[i].Optional, g.Operations[i].Off = true, r == nil
	}
	return g
}

// keyOperation is an operation on one key.
func keyOperation(id, method, path, summary, description string) api.Operation {
	return api.Operation{
		ID: id, Method: method, Path: "/admin/keys/{id}" + path, Access: api.Admin,
		Summary: summary, Description: description,
		Params:   []api.Param{{Name: "id", In: "path", Type: api.String, MaxLength: 100, Example: ExampleKeyID, Description: "ID of the key, such as " + ExampleKeyID + "; not the key itself."}},
		Response: client.KeyAnswer{}, Formats: []string{"json"}, Refusals: []api.Refusal{noSuchKey},
		Examples: []api.Example{{Case: "1", Description: "The key after it", Path: map[string]string{"id": ExampleKeyID}}},
	}
}

func (o operations) all() []api.Operation {
	find := keyOperation("getKey", http.MethodGet, "", "A key and what is left of its allowance", "Returns the plan, the state and the balance of a key.")
	find.Plan = o.key(Registry.Find)

	plan := keyOperation("setKeyPlan", http.MethodPost, "/plan", "Move a key to a plan", "Moves a key to a plan, and with it the account it belongs to and the other keys of that. What was spent stays spent.")
	plan.Body, plan.BodyWords, plan.MaxBody, plan.Examples[0].Body = client.PlanRequest{}, bodyWords, 4<<10, `{"plan":"plus"}`
	plan.Refusals = append(plan.Refusals, agentHasNone)
	plan.Plan = func(c *api.Call) (api.Run, error) {
		to := readPlan(c)
		return o.key(func(r Registry, ctx context.Context, id string) (account.KeyInfo, error) {
			return r.SetPlan(ctx, id, to)
		})(c)
	}

	off := keyOperation("deactivateKey", http.MethodPost, "/deactivate", "Make a key stop working", "Makes a key stop working at once: it is answered with 402 account_inactive.")
	off.Plan = o.key(Registry.Deactivate)

	on := keyOperation("reactivateKey", http.MethodPost, "/reactivate", "Make a key work again", "Makes a deactivated key work again.")
	on.Plan = o.key(Registry.Reactivate)

	who := accountOperation("getAccount", http.MethodGet, "", "An account and its keys", "Returns the plan and the state of an account, and its keys with their remaining calls.")
	who.Plan = o.account(Registry.AccountOf)

	move := accountOperation("setAccountPlan", http.MethodPost, "/plan", "Move an account to a plan", "Moves an account and all its keys to a plan. What was spent stays spent.")
	move.Body, move.BodyWords, move.MaxBody, move.Examples[0].Body = client.PlanRequest{}, bodyWords, 4<<10, `{"plan":"plus"}`
	move.Plan = func(c *api.Call) (api.Run, error) {
		to := readPlan(c)
		return o.account(func(r Registry, ctx context.Context, who string) (account.Account, error) {
			return r.SetAccountPlan(ctx, who, to)
		})(c)
	}

	stop := accountOperation("deactivateAccount", http.MethodPost, "/deactivate", "Make an account inactive", "Makes every key of an account stop working at once, answered with 402 account_inactive, and keeps it from making others.")
	stop.Plan = o.account(Registry.DeactivateAccount)

	resume := accountOperation("reactivateAccount", http.MethodPost, "/reactivate", "Make an account active again", "Makes the keys of an account work again, except those that were deactivated themselves.")
	resume.Plan = o.account(Registry.ReactivateAccount)

	return []api.Operation{find, plan, off, on, who, move, stop, resume}
}

// accountOperation is an operation on one account.
func accountOperation(id, method, path, summary, description string) api.Operation {
	return api.Operation{
		ID: id, Method: method, Path: "/admin/accounts/{email}" + path, Access: api.Admin,
		Summary: summary, Description: description,
		Params:   []api.Param{{Name: "email", In: "path", Type: api.String, MaxLength: 254, Example: "someone@example.org", Description: "Email address of the account, or its ID."}},
		Response: client.AccountAnswer{}, Formats: []string{"json"}, Refusals: []api.Refusal{noSuchAccount},
		Examples: []api.Example{{Case: "1", Description: "The account after it", Path: map[string]string{"email": "someone@example.org"}}},
	}
}

// readPlan reads the plan in the body.
func readPlan(c *api.Call) account.Plan {
	var names []string
	for _, t := range account.Plans() {
		names = append(names, string(t.Plan))
	}
	f := c.ReadForm()
	to := f.Word("plan", names)
	f.Finish()
	return account.Plan(to)
}

// key is the plan of an operation on one key.
func (o operations) key(do func(Registry, context.Context, string) (account.KeyInfo, error)) func(c *api.Call) (api.Run, error) {
	return func(c *api.Call) (api.Run, error) {
		id, _ := c.Params.Text("id")
		if strings.HasPrefix(id, "gg_") {
			// Addresses are logged, so a key in one is a key given away.
			c.Params.Problem(c.Params.Param("id"), -1, "key_id", "", nil, "this is a key; send its ID, and rotate a key that was put into an address")
		}
		return func(ctx context.Context) (client.Answer, error) {
			k, err := do(o.Registry, account.As(ctx, account.Actor{Name: "admin", Address: c.Caller.Address}), id)
			if err != nil {
				return nil, missing(err)
			}
			state, err := o.keyState(ctx, k)
			return &client.KeyAnswer{Head: api.Success, Key: state, Tail: c.Tail()}, err
		}, nil
	}
}

// account is the plan of an operation on one account.
func (o operations) account(do func(Registry, context.Context, string) (account.Account, error)) func(c *api.Call) (api.Run, error) {
	return func(c *api.Call) (api.Run, error) {
		who, _ := c.Params.Text("email")
		return func(ctx context.Context) (client.Answer, error) {
			a, err := do(o.Registry, account.As(ctx, account.Actor{Name: "admin", Address: c.Caller.Address}), who)
			if err != nil {
				return nil, missing(err)
			}
			keys, err := o.KeysOf(ctx, a.ID)
			if err != nil {
				return nil, err
			}
			out := &client.AccountAnswer{Head: api.Success, Account: client.AccountState{ID: a.ID, Email: a.Email, Verified: a.Verified, Plan: string(a.Plan), Active: a.Active, CreatedAt: api.Instant(a.Created)}, Keys: []client.KeyState{}, Tail: c.Tail()}
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

// missing says of a key or an account in the address that it is not there:
// that is no failure to authenticate.
func missing(err error) error {
	switch {
	case errors.Is(err, account.ErrUnknownKey):
		return fault.New(noSuchKey.Slug, "There is no such key.").Try("check the ID; grantgraph keys list shows all")
	case errors.Is(err, account.ErrUnknownAccount):
		return fault.New(noSuchAccount.Slug, "There is no such account.").Try("check the email address")
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
