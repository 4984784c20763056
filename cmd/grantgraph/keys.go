package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type keysCmd struct {
	Create     keysCreateCmd     `cmd:"" help:"Create a key and print it. It is shown only once."`
	List       keysListCmd       `cmd:"" help:"List the keys and their remaining calls."`
	Rotate     keysRotateCmd     `cmd:"" help:"Give a key a new secret; the old one stops working immediately."`
	Deactivate keysDeactivateCmd `cmd:"" help:"Deactivate a key, or an account and all its keys."`
	Reactivate keysReactivateCmd `cmd:"" help:"Reactivate a key or an account."`
	Delete     keysDeleteCmd     `cmd:"" help:"Delete a key for good; what it used stays counted."`
	Plan       keysPlanCmd       `cmd:"" help:"Move a key or an account to another plan."`
	Audit      keysAuditCmd      `cmd:"" help:"Show the history of keys and accounts, newest first."`
}

type keyStore struct {
	Data       string     `help:"Data directory; the store is accounts.db in it." default:"data" placeholder:"DIR"`
	Database   secret.URL `help:"PostgreSQL database that holds the accounts instead; the same as the server's." placeholder:"URL"`
	JSON       bool       `name:"json" help:"Print JSON."`
	allowances `embed:""`
}

// allowances are the flags of what keys may use, the same for every command that opens the accounts.
type allowances struct {
	FreeWindow string   `help:"Window of the free allowance, everywhere the same: day or month." enum:"day,month" default:"day" placeholder:"WINDOW"`
	Calls      []string `help:"Calls of plans that differ from their usual ones, such as free=100,plus=500, everywhere the same." placeholder:"PLAN=N,..."`
}

func (a *allowances) options() (account.Options, error) {
	calls, err := account.ParseCalls(a.Calls)
	return account.Options{FreeWindow: account.Window(a.FreeWindow), Calls: calls}, err
}

// withStore opens the store, does some work and closes it. It never creates a store: only the command that
// creates a key does, and elsewhere a missing directory is a typing error.
func (c *keyStore) withStore(work func(*account.Store) error) error {
	if _, err := os.Stat(c.Data); err != nil && c.Database.Empty() {
		return fault.Disk(c.Data, err)
	}
	err := c.withStoreMade(work)
	// The store's own hints are for users of the API and the site.
	switch f, _ := fault.Of(err); {
	case errors.Is(err, account.ErrUnknownKey):
		return fault.New(f.Slug, "%s", f.Message).Try("grantgraph keys list shows the keys and their IDs")
	case errors.Is(err, account.ErrUnknownAccount):
		return fault.New(f.Slug, "%s", f.Message).
			Try("accounts are created by signing up on the site; for a key made with keys create, give its ID, which grantgraph keys list shows")
	}
	return err
}

func (c *keyStore) withStoreMade(work func(*account.Store) error) error {
	if err := refuseLostAccounts(c.Data, c.Database); err != nil {
		return err
	}
	opt, err := c.options()
	if err != nil {
		return err
	}
	s, err := serve.OpenAccounts(c.Data, c.Database, opt)
	if err != nil {
		return err
	}
	return errors.Join(work(s), s.Close())
}

type keyRecord struct {
	ID        string       `json:"id"`
	Key       string       `json:"api_key,omitempty"`
	Plan      account.Plan `json:"plan"`
	Email     string       `json:"email,omitempty"`
	Label     string       `json:"label,omitempty"`
	Active    bool         `json:"active"`
	Created   time.Time    `json:"created_at"`
	Rotated   time.Time    `json:"rotated_at"`
	Limit     int          `json:"calls_limit"`
	Remaining int          `json:"calls_remaining"`
	Reset     time.Time    `json:"calls_reset"`
}

func newKeyRecord(a *terminal.App, s *account.Store, k account.KeyInfo, secret string) (keyRecord, error) {
	b, err := s.Balance(a.Ctx, k.ID)
	return keyRecord{
		ID: k.ID, Key: secret, Plan: k.Plan, Email: k.Email, Label: k.Label, Active: k.Active, Created: k.Created, Rotated: k.Rotated,
		Limit: b.Limit, Remaining: b.Remaining, Reset: b.End(),
	}, err
}

// show prints a key after a change. The secret of a new key is alone on the first line, for scripts.
func (c *keyStore) show(a *terminal.App, s *account.Store, k account.KeyInfo, secret, done string, err error) error {
	if err != nil {
		return err
	}
	r, err := newKeyRecord(a, s, k, secret)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(r)
	}
	if secret != "" {
		fmt.Fprintln(a.Out, secret)
		fmt.Fprintf(a.Err, "%s %s on the %s plan. The key is shown only once: save it now.\n", k.ID, done, k.Plan)
		return nil
	}
	fmt.Fprintf(a.Out, "%s %s: plan %s, %s, %s of %s calls left until %s\n",
		k.ID, done, k.Plan, activity(k.Active), terminal.Count(r.Remaining), terminal.Count(r.Limit), r.Reset.Format(time.DateOnly))
	return nil
}

func (c *keyStore) showAccount(a *terminal.App, s *account.Store, of account.Account, done string, err error) error {
	if err != nil {
		return err
	}
	keys, err := s.KeysOf(a.Ctx, of.ID)
	if err != nil {
		return err
	}
	if !c.JSON {
		fmt.Fprintf(a.Out, "%s %s: plan %s, %s\n", of.Email, done, of.Plan, activity(of.Active))
	}
	return c.list(a, s, keys, "It has no keys.")
}

func activity(active bool) string { return map[bool]string{true: "active", false: "inactive"}[active] }

type keysCreateCmd struct {
	keyStore `embed:""`
	Plan     string `help:"Plan: free, plus, pro, or internal, which has no limit." default:"free" placeholder:"PLAN"`
	Email    string `help:"A note of who holds the key. It does not tie the key to an account, even if one has this address." placeholder:"ADDRESS"`
	Label    string `help:"What it is for." placeholder:"TEXT"`
	New      bool   `help:"Start the accounts of a data directory that has no snapshot yet."`
}

func (c *keysCreateCmd) Run(a *terminal.App) error {
	plan, err := account.ParsePlan(c.Plan)
	if err != nil {
		return err
	}
	if err := c.refuseEmptyData(); err != nil {
		return err
	}
	return c.withStoreMade(func(s *account.Store) error {
		secret, k, err := s.Create(a.Ctx, plan, c.Email, c.Label)
		return c.show(a, s, k, secret, "made", err)
	})
}

// refuseEmptyData refuses a data directory that has neither a snapshot nor accounts.
// It is probably not the server's directory, and a key created there would not work.
func (c *keysCreateCmd) refuseEmptyData() error {
	if c.New || !c.Database.Empty() {
		return nil
	}
	if _, err := os.Stat(serve.Accounts(c.Data)); err == nil {
		return nil
	}
	if _, err := snapshot.Open(c.Data); !errors.Is(err, snapshot.ErrNone) {
		return nil // what is wrong with one is not for this command to say
	}
	return fault.New("no_snapshot", "%s has no snapshot, so no key was made", c.Data).
		Try("--data with the folder that the server uses, or --new to make keys before the first build")
}

type keysListCmd struct {
	keyStore `embed:""`
}

func (c *keysListCmd) Run(a *terminal.App) error {
	return c.withStore(func(s *account.Store) error {
		keys, err := s.List(a.Ctx)
		if err != nil {
			return err
		}
		return c.list(a, s, keys, "No keys yet. Make one:  grantgraph keys create")
	})
}

func (c *keyStore) list(a *terminal.App, s *account.Store, keys []account.KeyInfo, none string) error {
	records := make([]keyRecord, 0, len(keys))
	for _, k := range keys {
		r, err := newKeyRecord(a, s, k, "")
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	if len(records) == 0 && !c.JSON {
		fmt.Fprintln(a.Out, none)
		return nil
	}
	return show(a, c.JSON, "keys", records)
}

type keysRotateCmd struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself."`
}

func (c *keysRotateCmd) Run(a *terminal.App) error {
	return c.withStore(func(s *account.Store) error {
		secret, k, err := s.Rotate(a.Ctx, c.ID)
		return c.show(a, s, k, secret, "rotated", err)
	})
}

type keyOrAccount struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself; an email address for the account and all its keys."`
}

func (c *keyOrAccount) change(
	a *terminal.App, done string, ofKey func(*account.Store, context.Context, string) (account.KeyInfo, error),
	ofAccount func(*account.Store, context.Context, string) (account.Account, error),
) error {
	return c.withStore(func(s *account.Store) error {
		if strings.Contains(c.ID, "@") {
			of, err := ofAccount(s, a.Ctx, c.ID)
			return c.showAccount(a, s, of, done, err)
		}
		k, err := ofKey(s, a.Ctx, c.ID)
		return c.show(a, s, k, "", done, err)
	})
}

type keysDeactivateCmd struct {
	keyOrAccount `embed:""`
}

func (c *keysDeactivateCmd) Run(a *terminal.App) error {
	return c.change(a, "deactivated", (*account.Store).Deactivate, (*account.Store).DeactivateAccount)
}

type keysReactivateCmd struct {
	keyOrAccount `embed:""`
}

func (c *keysReactivateCmd) Run(a *terminal.App) error {
	return c.change(a, "reactivated", (*account.Store).Reactivate, (*account.Store).ReactivateAccount)
}

type keysDeleteCmd struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself."`
}

func (c *keysDeleteCmd) Run(a *terminal.App) error {
	return c.withStore(func(s *account.Store) error {
		k, err := s.Delete(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return a.PrintJSON(map[string]any{"id": k.ID, "deleted": true})
		}
		fmt.Fprintf(a.Out, "%s deleted: it no longer works, and cannot be brought back\n", k.ID)
		return nil
	})
}

type keysPlanCmd struct {
	keyOrAccount `embed:""`
	Plan         string `arg:"" help:"free, plus or pro."`
}

func (c *keysPlanCmd) Run(a *terminal.App) error {
	plan, err := account.ParsePlan(c.Plan)
	if err != nil {
		return err
	}
	return c.change(a, "moved", func(s *account.Store, ctx context.Context, id string) (account.KeyInfo, error) {
		return s.SetPlan(ctx, id, plan)
	}, func(s *account.Store, ctx context.Context, who string) (account.Account, error) {
		return s.SetAccountPlan(ctx, who, plan)
	})
}

type keysAuditCmd struct {
	keyStore `embed:""`
	Key      secret.Text `help:"Only what happened to this key: its ID, or the key itself." placeholder:"ID"`
	Kind     string      `help:"Only events of this kind, such as mint, rotate or refusal." placeholder:"KIND"`
	Limit    int         `help:"How many events, at most 1,000." default:"100" placeholder:"N"`
	Before   int64       `help:"Only events before the one with this number, for the next page." placeholder:"SEQ"`
}

func (c *keysAuditCmd) Run(a *terminal.App) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return fault.New("bad_flag", "--limit %d is not between 1 and 1,000", c.Limit).Try("--limit 1000, and --before SEQ for the next page")
	}
	return c.withStore(func(s *account.Store) error {
		f := account.EventFilter{Kind: account.Kind(c.Kind), Limit: c.Limit, Before: c.Before}
		var unknown error // the key that is asked about
		if !c.Key.Empty() {
			f.Key = c.Key.Reveal()
			k, err := s.Find(a.Ctx, f.Key)
			if err == nil {
				f.Key = k.ID
			} else if unknown = err; !errors.Is(err, account.ErrUnknownKey) {
				return err
			}
		}
		events, err := s.AuditTrail(a.Ctx, f)
		if err != nil {
			return err
		}
		if len(events) == 0 && unknown != nil {
			return unknown // not even a deleted one
		}
		if len(events) == 0 && !c.JSON {
			fmt.Fprintln(a.Out, "No such events yet.")
			return nil
		}
		return show(a, c.JSON, "events", events)
	})
}
