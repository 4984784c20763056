package admin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// Store is what operators look for and make; *account.Store is one.
type Store interface {
	View(ctx context.Context, view string, given map[string]any) ([]account.Row, error)
	Audit(ctx context.Context, e account.Event) error
	Create(ctx context.Context, plan account.Plan, email, label string) (string, account.KeyInfo, error)
	CreateFor(ctx context.Context, account, label string) (string, account.KeyInfo, error)
	Rotate(ctx context.Context, id string) (string, account.KeyInfo, error)
	Delete(ctx context.Context, id string) (account.KeyInfo, error)
	Invite(ctx context.Context, email string) (string, account.Account, error)
	AcceptCorrection(ctx context.Context, id string, write func(row string) error) (row string, err error)
	RejectCorrection(ctx context.Context, id, why string) error
}

// Desk is the rest of what operators see and decide.
type Desk interface {
	StatusJSON(ctx context.Context) (json.RawMessage, error)
	Datasets() ([]json.RawMessage, error)
	// Rulings adds a row to human.csv, unless it is there; nil where the builds are made elsewhere.
	Rulings() func(row string) error
	Publish(version string, note func(details string) error) error
	// Deliver returns the link of an invitation, or sends the link by email and returns "".
	Deliver(ctx context.Context, email, token string, send bool) (link string, err error)
}

//go:embed samples.json
var samplesFile []byte

// operating are the operations of operators; those of examples have samples for answers.
func (o operations) operating() map[string]api.Operation {
	code := map[string]api.Operation{}
	for id, x := range map[string]struct {
		body, response any
		plan           planner
		desk           bool // it needs one
	}{
		"listAccounts":    {nil, client.FoundPage{}, o.view("accounts", "q", "plan", "state"), false},
		"listKeys":        {nil, client.FoundPage{}, o.view("keys", "q", "plan"), false},
		"listEvents":      {nil, client.FoundPage{}, o.view("events", "kind", "actor", "key"), false},
		"getAccountUsage": {nil, client.FoundPage{}, o.usage, false},
		"getKeyUsage":     {nil, client.FoundPage{}, o.usage, false},
		"inviteAccount":   {client.InvitationRequest{}, client.InvitationAnswer{}, o.invite, true},
		"createKey":       {client.NewKeyRequest{}, client.NewKeyAnswer{}, o.createKey, false},
		"rotateKey":       {nil, client.NewKeyAnswer{}, o.rotateKey, false},
		"deleteKey":       {nil, client.KeyAnswer{}, o.deleteKey, false},
		"listCorrections": {nil, client.FoundPage{}, o.view("corrections", "state"), false},
		"getCorrection":   {nil, client.CorrectionAnswer{}, o.correction(func(context.Context, string) (string, error) { return "", nil }), false},
		"acceptCorrection": {nil, client.CorrectionAnswer{}, o.correction(func(ctx context.Context, id string) (string, error) {
			return o.Store.AcceptCorrection(ctx, id, o.Desk.Rulings())
		}), true},
		"rejectCorrection": {client.RejectionRequest{}, client.CorrectionAnswer{}, o.rejectCorrection, false},
		"listDatasets":     {nil, client.FoundPage{}, o.datasets, true},
		"publishDataset":   {nil, client.FoundPage{}, o.publishDataset, true},
		"getStatus":        {nil, client.StatusAnswer{}, o.status, true},
	} {
		op := api.Operation{Body: x.body, Response: x.response, Optional: true, Anew: true, MaxBody: 4 << 10}
		op.Off = o.Registry == nil || o.Store == nil || x.desk && o.Desk == nil
		op.Plan = func(c *api.Call) (api.Run, error) {
			run, err := x.plan(c)
			if c.Example() {
				run = func(context.Context) (client.Answer, error) { return c.Sample(samplesFile) }
			}
			return run, err
		}
		code[id] = op
	}
	return code
}

func page(c *api.Call, rows []json.RawMessage) *client.FoundPage {
	return &client.FoundPage{Head: api.Success, ResultsCount: len(rows), Results: append([]json.RawMessage{}, rows...), Tail: c.Tail()}
}

func content(r account.Row) json.RawMessage { return r.JSON }

// view is a page of a view of the store, by parameters that have the names of its values.
func (o operations) view(name string, parameters ...string) planner {
	return func(c *api.Call) (api.Run, error) {
		given := map[string]any{}
		for _, p := range parameters {
			read := c.Params.Text
			if c.Params.Param(p).Enum != nil {
				read = c.Params.Choice
			}
			if value, _ := read(p); value != "" {
				given[p] = value
			}
		}
		asked := fmt.Append(nil, given)
		limit := int(c.ReadLimit(account.MostRows-1, "rows are served in a page"))
		before, more, err := c.ReadCursor(asked)
		if given["limit"] = int64(limit + 1); more {
			given["before"] = before
		}
		return func(ctx context.Context) (client.Answer, error) {
			rows, err := o.Store.View(ctx, name, given)
			if err != nil {
				return nil, err
			}
			var next *string
			if len(rows) > limit {
				rows = rows[:limit]
				next = new(c.Cursor(asked, rows[limit-1].First))
			}
			a := page(c, each.Of(rows, content))
			a.NextCursor = next
			return a, nil
		}, err
	}
}

// usage is the calls of the key or the account in the address, by day.
func (o operations) usage(c *api.Call) (api.Run, error) {
	days, given := c.Params.Integer("days")
	if !given {
		days = int64(c.Params.Param("days").Default.(int))
	}
	ofKey, whose := c.Operation().ID == "getKeyUsage", ""
	if ofKey {
		whose = readKeyID(c)
	} else {
		whose, _ = c.Params.Text("email")
	}
	return func(ctx context.Context) (client.Answer, error) {
		view := "account_usage"
		if ofKey {
			view = "key_usage"
			if _, err := o.Registry.Find(ctx, whose); err != nil {
				return nil, missing(err)
			}
		} else if a, err := o.Registry.AccountOf(ctx, whose); err != nil {
			return nil, missing(err)
		} else {
			whose = a.ID
		}
		from := o.Clock().Add(-time.Duration(days-1) * 24 * time.Hour).Truncate(24 * time.Hour)
		rows, err := o.Store.View(ctx, view, map[string]any{"id": whose, "from": from.Unix()})
		return page(c, each.Of(rows, content)), err
	}, nil
}

func (o operations) createKey(c *api.Call) (api.Run, error) {
	f := c.ReadForm()
	given := map[string]string{}
	for name, most := range map[string]int{"account": 254, "email": 254, "label": 200} {
		if f.Has(name) {
			given[name] = f.Text(name, most)
		}
	}
	plan := account.Free
	if f.Has("plan") {
		plan = account.Plan(f.Word("plan", planNames()))
	}
	whose, email := given["account"], given["email"]
	if email != "" && !strings.Contains(email, "@") {
		f.Problem("email", -1, "email", email, nil, "the value is not an email address")
	}
	if whose != "" && (f.Has("plan") || email != "") {
		f.Problem("account", -1, "conflict", whose, nil, "a key of an account has the plan and the address of the account; leave out plan and email")
	}
	f.Finish()
	return o.secret(c, func(ctx context.Context) (string, account.KeyInfo, error) {
		if whose != "" {
			return o.Store.CreateFor(ctx, whose, given["label"])
		}
		return o.Store.Create(ctx, plan, email, given["label"])
	})
}

func (o operations) rotateKey(c *api.Call) (api.Run, error) {
	id := readKeyID(c)
	return o.secret(c, func(ctx context.Context) (string, account.KeyInfo, error) { return o.Store.Rotate(ctx, id) })
}

// secret answers with a key and its secret.
func (o operations) secret(c *api.Call, do func(context.Context) (string, account.KeyInfo, error)) (api.Run, error) {
	return func(ctx context.Context) (client.Answer, error) {
		secret, k, err := do(o.as(ctx, c))
		if err != nil {
			return nil, missing(err)
		}
		state, err := o.keyState(ctx, k)
		return &client.NewKeyAnswer{Head: api.Success, APIKey: secret, Key: state, Tail: c.Tail()}, err
	}, nil
}

// deleteKey answers with the key as it was.
func (o operations) deleteKey(c *api.Call) (api.Run, error) {
	id := readKeyID(c)
	return func(ctx context.Context) (client.Answer, error) {
		k, err := o.Registry.Find(ctx, id)
		if err != nil {
			return nil, missing(err)
		}
		state, err := o.keyState(ctx, k)
		if err == nil {
			_, err = o.Store.Delete(o.as(ctx, c), id)
		}
		return &client.KeyAnswer{Head: api.Success, Key: state, Tail: c.Tail()}, missing(err)
	}, nil
}

func (o operations) invite(c *api.Call) (api.Run, error) {
	f := c.ReadForm()
	email, send := f.Text("email", 254), false
	f.Optional("send", &send, "bool_type", "the value is not true or false")
	if _, err := account.ParseEmail(email); email != "" && err != nil {
		f.Problem("email", -1, "email", email, nil, "the value is not an email address")
	}
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		token, a, err := o.Store.Invite(o.as(ctx, c), email)
		if err != nil {
			return nil, err
		}
		link, err := o.Desk.Deliver(ctx, a.Email, token, send)
		return &client.InvitationAnswer{Head: api.Success, Account: accountState(a), Link: api.OrNull(link), Tail: c.Tail()}, err
	}, nil
}

func (o operations) datasets(c *api.Call) (api.Run, error) {
	return func(context.Context) (client.Answer, error) {
		list, err := o.Desk.Datasets()
		return page(c, list), err
	}, nil
}

func (o operations) publishDataset(c *api.Call) (api.Run, error) {
	version, _ := c.Params.Text("version")
	return func(ctx context.Context) (client.Answer, error) {
		err := o.Desk.Publish(version, func(details string) error {
			return o.Store.Audit(o.as(ctx, c), account.Event{Kind: account.EventPublish, Details: details})
		})
		if err != nil {
			return nil, err
		}
		list, err := o.Desk.Datasets()
		return page(c, list), err
	}, nil
}

// correction answers with a correction after do, which returns its row if it is accepted.
func (o operations) correction(do func(ctx context.Context, id string) (row string, err error)) planner {
	return func(c *api.Call) (api.Run, error) {
		id, _ := c.Params.Text("id")
		return func(ctx context.Context) (client.Answer, error) {
			row, err := do(o.as(ctx, c), id)
			if err != nil {
				return nil, err
			}
			found, err := o.Store.View(ctx, "correction", map[string]any{"id": id})
			if err != nil || len(found) == 0 {
				return nil, cmp.Or(err, error(fault.New("no_such_correction", "There is no such correction.").Try("grantgraph admin list-corrections shows all")))
			}
			a := &client.CorrectionAnswer{Head: api.Success, Correction: found[0].JSON, Row: api.OrNull(row), Tail: c.Tail()}
			if row != "" && o.Desk.Rulings() == nil {
				a.Next = new("No folder of sources is set here, so no build takes the row up yet. Accept the correction again where builds are made, with --sources.")
			}
			return a, nil
		}, nil
	}
}

func (o operations) rejectCorrection(c *api.Call) (api.Run, error) {
	f := c.ReadForm()
	why := f.Text("reason", account.MostReason)
	f.Finish()
	return o.correction(func(ctx context.Context, id string) (string, error) {
		return "", o.Store.RejectCorrection(ctx, id, why)
	})(c)
}

func (o operations) status(c *api.Call) (api.Run, error) {
	return func(ctx context.Context) (client.Answer, error) {
		status, err := o.Desk.StatusJSON(ctx)
		return &client.StatusAnswer{Head: api.Success, Status: status, Tail: c.Tail()}, err
	}, nil
}
