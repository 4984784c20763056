package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"grantgraph/internal/account"
	"grantgraph/internal/fault"
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

// minAdminToken is the least number of characters of an admin token.
const minAdminToken = 16

// KeyAnswer is one key.
type KeyAnswer struct {
	head
	Key KeyState `json:"key" doc:"The key."`
	tail
}

// AccountAnswer is one account with its keys.
type AccountAnswer struct {
	head
	Account AccountState `json:"account" doc:"The account."`
	Keys    []KeyState   `json:"keys" doc:"Its keys, oldest first."`
	tail
}

// KeyState is what is known of a key; its secret is not.
type KeyState struct {
	ID        string  `json:"id" doc:"Names the key; stays the same when it is rotated."`
	Plan      string  `json:"plan" enum:"free,plus,pro,agent" doc:"Its plan; agent for the trial key of an agent."`
	Tier      *string `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"Tier of the key of an agent."`
	Account   *string `json:"account" doc:"Account it belongs to; null when it stands alone."`
	Email     *string `json:"email" doc:"Email address noted with it."`
	Label     *string `json:"label" doc:"Label."`
	Active    bool    `json:"active" doc:"Whether it works."`
	CreatedAt string  `json:"created_at" doc:"When it was made." format:"date-time"`
	RotatedAt string  `json:"rotated_at" doc:"When its present secret was made." format:"date-time"`
	Calls     Balance `json:"calls" doc:"Its allowance."`
}

// Balance is an allowance with its end.
type Balance struct {
	Limit     int     `json:"limit" doc:"Calls in the allowance."`
	Remaining int     `json:"remaining" doc:"Calls left of it."`
	ResetAt   *string `json:"reset_at" doc:"When it is whole again; for an agent, when the key ends." format:"date-time"`
}

// AccountState is what is known of an account.
type AccountState struct {
	ID        string `json:"id" doc:"Names the account."`
	Email     string `json:"email" doc:"Email address."`
	Verified  bool   `json:"verified" doc:"Whether mail to the address was read."`
	Plan      string `json:"plan" enum:"free,plus,pro" doc:"Plan of all its keys."`
	Active    bool   `json:"active" doc:"Whether its keys work and it may make others."`
	CreatedAt string `json:"created_at" doc:"When it was made." format:"date-time"`
}

// PlanRequest is the body of a change of plan.
type PlanRequest struct {
	Plan string `json:"plan" enum:"free,plus,pro" doc:"The plan to move to."`
}

const adminTag = "Admin"

// hasAdmin says whether the service takes orders of a billing system.
func hasAdmin(s *server) bool { return !s.AdminToken.Empty() && s.Registry != nil }

// keyOperation is an operation on one key.
func keyOperation(id, method, path, summary, description string) Operation {
	return Operation{
		ID: id, Method: method, Path: "/admin/keys/{id}" + path, Tag: adminTag, Access: Admin, offered: hasAdmin,
		Summary: summary, Description: description,
		Params:   []Param{{Name: "id", In: "path", Type: String, MaxLength: 100, Example: exampleKeyID, Description: "ID of the key, such as " + exampleKeyID + "; not the key itself."}},
		Response: KeyAnswer{}, Formats: []string{"json"}, Slugs: []string{slugNoSuchKey},
		Examples: []Example{{Case: "1", Description: "The key after it", Path: map[string]string{"id": exampleKeyID}}},
	}
}

func adminOperations() []Operation {
	find := keyOperation("getKey", http.MethodGet, "", "A key and what is left of its allowance", "Tells the plan, the state and the balance of a key.")
	find.plan = keyPlan(Registry.Find)

	plan := keyOperation("setKeyPlan", http.MethodPost, "/plan", "Move a key to a plan", "Moves a key to a plan, and with it the account it belongs to and the other keys of that. What was spent stays spent.")
	plan.Body, plan.MaxBody, plan.Examples[0].Body = PlanRequest{}, 4<<10, `{"plan":"plus"}`
	plan.Slugs = append(plan.Slugs, slugPlanless)
	plan.plan = func(c *call) (run, error) {
		to := c.readPlan()
		return keyPlan(func(r Registry, ctx context.Context, id string) (account.KeyInfo, error) {
			return r.SetPlan(ctx, id, to)
		})(c)
	}

	off := keyOperation("deactivateKey", http.MethodPost, "/deactivate", "Make a key stop working", "Makes a key stop working at once: it is answered with 402 account_inactive.")
	off.plan = keyPlan(Registry.Deactivate)

	on := keyOperation("reactivateKey", http.MethodPost, "/reactivate", "Make a key work again", "Makes a deactivated key work again.")
	on.plan = keyPlan(Registry.Reactivate)

	who := accountOperation("getAccount", http.MethodGet, "", "An account and its keys", "Tells the plan and the state of an account, and its keys with what is left of their allowance.")
	who.plan = accountPlan(Registry.AccountOf)

	move := accountOperation("setAccountPlan", http.MethodPost, "/plan", "Move an account to a plan", "Moves an account and all its keys to a plan. What was spent stays spent.")
	move.Body, move.MaxBody, move.Examples[0].Body = PlanRequest{}, 4<<10, `{"plan":"plus"}`
	move.plan = func(c *call) (run, error) {
		to := c.readPlan()
		return accountPlan(func(r Registry, ctx context.Context, who string) (account.Account, error) {
			return r.SetAccountPlan(ctx, who, to)
		})(c)
	}

	stop := accountOperation("deactivateAccount", http.MethodPost, "/deactivate", "Make an account inactive", "Makes every key of an account stop working at once, answered with 402 account_inactive, and keeps it from making others.")
	stop.plan = accountPlan(Registry.DeactivateAccount)

	resume := accountOperation("reactivateAccount", http.MethodPost, "/reactivate", "Make an account active again", "Makes the keys of an account work again, except those that were deactivated themselves.")
	resume.plan = accountPlan(Registry.ReactivateAccount)

	return []Operation{find, plan, off, on, who, move, stop, resume}
}

// accountOperation is an operation on one account.
func accountOperation(id, method, path, summary, description string) Operation {
	return Operation{
		ID: id, Method: method, Path: "/admin/accounts/{email}" + path, Tag: adminTag, Access: Admin, offered: hasAdmin,
		Summary: summary, Description: description,
		Params:   []Param{{Name: "email", In: "path", Type: String, MaxLength: 254, Example: "someone@example.org", Description: "Email address of the account, or its ID."}},
		Response: AccountAnswer{}, Formats: []string{"json"}, Slugs: []string{slugNoSuchAccount},
		Examples: []Example{{Case: "1", Description: "The account after it", Path: map[string]string{"email": "someone@example.org"}}},
	}
}

// readPlan reads the plan in the body.
func (c *call) readPlan() account.Plan {
	var names []string
	for _, t := range account.Plans() {
		names = append(names, string(t.Plan))
	}
	f := c.readForm()
	to := f.word("plan", names)
	f.finish()
	return account.Plan(to)
}

// keyPlan is the plan of an operation on one key.
func keyPlan(do func(Registry, context.Context, string) (account.KeyInfo, error)) func(c *call) (run, error) {
	return func(c *call) (run, error) {
		id, _ := c.params.text("id")
		if strings.HasPrefix(id, "gg_") {
			// Addresses are logged, so a key in one is a key given away.
			c.params.problem(c.params.param("id"), -1, "key_id", "", nil, "this is a key; send its ID, and rotate a key that was put into an address")
		}
		return func(ctx context.Context) (answer, error) {
			k, err := do(c.registry, account.As(ctx, account.Actor{Name: "admin", Address: c.address}), id)
			if err != nil {
				return nil, missing(err)
			}
			state, err := c.keyState(ctx, k)
			return &KeyAnswer{success, state, tail{c.service()}}, err
		}, nil
	}
}

// accountPlan is the plan of an operation on one account.
func accountPlan(do func(Registry, context.Context, string) (account.Account, error)) func(c *call) (run, error) {
	return func(c *call) (run, error) {
		who, _ := c.params.text("email")
		return func(ctx context.Context) (answer, error) {
			a, err := do(c.registry, account.As(ctx, account.Actor{Name: "admin", Address: c.address}), who)
			if err != nil {
				return nil, missing(err)
			}
			keys, err := c.registry.KeysOf(ctx, a.ID)
			if err != nil {
				return nil, err
			}
			out := &AccountAnswer{head: success, Account: AccountState{a.ID, a.Email, a.Verified, string(a.Plan), a.Active, instant(a.Created)}, Keys: []KeyState{}, tail: tail{c.service()}}
			for _, k := range keys {
				state, err := c.keyState(ctx, k)
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
		return fault.New(slugNoSuchKey, "There is no such key.").Try("check the ID; grantgraph keys list shows all")
	case errors.Is(err, account.ErrUnknownAccount):
		return fault.New(slugNoSuchAccount, "There is no such account.").Try("check the email address")
	}
	return err
}

func (c *call) keyState(ctx context.Context, k account.KeyInfo) (KeyState, error) {
	b, err := c.registry.Balance(ctx, k.ID)
	state := KeyState{
		ID: k.ID, Plan: string(k.Plan), Tier: text(string(k.Tier)), Account: text(k.Account), Email: text(k.Email), Label: text(k.Label),
		Active: k.Active, CreatedAt: instant(k.Created), RotatedAt: instant(k.Rotated), Calls: Balance{Limit: b.Limit, Remaining: b.Remaining},
	}
	if !b.Reset.IsZero() {
		state.Calls.ResetAt = text(instant(b.Reset))
	}
	return state, err
}

// admitAdmin checks the token of a billing system. Hashes are compared, so
// that the time taken says nothing, not even about its length.
func (s *server) admitAdmin(h http.Header) error {
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	given, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.AdminToken.Reveal()))
	if subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
		return fault.New(slugAdmin, "This endpoint needs the admin token of the service.").Try("send it as Authorization: Bearer <token>; keys of the service do not work here")
	}
	return nil
}
