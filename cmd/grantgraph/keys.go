package main

import (
	"encoding/json"
	"fmt"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/server"
)

// keysCmd makes and changes the keys of the service.
type keysCmd struct {
	Create     keysCreateCmd     `cmd:"" help:"Make a key and print it, this once."`
	List       keysListCmd       `cmd:"" help:"List the keys and what is left of their allowances."`
	Rotate     keysRotateCmd     `cmd:"" help:"Give a key a new secret; the old one is dead at once."`
	Deactivate keysDeactivateCmd `cmd:"" help:"Stop a key from working."`
	Reactivate keysReactivateCmd `cmd:"" help:"Let a stopped key work again."`
	Plan       keysPlanCmd       `cmd:"" help:"Move a key to another plan."`
}

// Help is shown by keys --help.
func (keysCmd) Help() string {
	return `Keys live in accounts.db in the data directory, or in PostgreSQL with --database, as
hashes: a key is printed when it is made and never again. Changes hold at once, also for a server that runs.
Where an ID is asked for, the key itself will do.`
}

// keyStore is the part of the flags that says which store is meant.
type keyStore struct {
	Data       string `help:"Data directory; the store is accounts.db in it." default:"data" placeholder:"DIR"`
	Database   string `help:"PostgreSQL that keeps the accounts instead, as the server has it." placeholder:"URL"`
	JSON       bool   `name:"json" help:"Print JSON."`
	FreeWindow string `help:"Window of the free allowance, as the server has it: day or month." default:"day" placeholder:"WINDOW"`
}

// with opens the store for the time of one piece of work.
func (c *keyStore) with(work func(account.Store) error) (err error) {
	s, err := server.OpenAccounts(c.Data, c.Database, account.Options{FreeWindow: account.Window(c.FreeWindow)})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	return work(s)
}

// keyRecord is a key as it is printed.
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

func newKeyRecord(a *app, s account.Store, k account.KeyInfo, secret string) (keyRecord, error) {
	b, err := s.Balance(a.Ctx, k.ID)
	return keyRecord{
		ID: k.ID, Key: secret, Plan: k.Plan, Email: k.Email, Label: k.Label, Active: k.Active, Created: k.Created, Rotated: k.Rotated,
		Limit: b.Limit, Remaining: b.Remaining, Reset: b.Reset,
	}, err
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// show prints one key after something was done to it. The secret, where there
// is one, stands alone on the first line, for scripts.
func (c *keyStore) show(a *app, s account.Store, k account.KeyInfo, secret, done string) error {
	r, err := newKeyRecord(a, s, k, secret)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(r)
	}
	if secret != "" {
		fmt.Fprintln(a.Out, secret)
		fmt.Fprintf(a.Err, "%s %s on the %s plan. The key is shown this once: keep it now.\n", k.ID, done, k.Plan)
		return nil
	}
	fmt.Fprintf(a.Out, "%s %s: plan %s, %s, %s of %s calls left until %s\n", k.ID, done, k.Plan, activity(k.Active), count(r.Remaining), count(r.Limit), r.Reset.Format(time.DateOnly))
	return nil
}

func activity(active bool) string {
	if active {
		return "active"
	}
	return "inactive"
}

type keysCreateCmd struct {
	keyStore `embed:""`
	Plan     string `help:"Plan: free, plus or pro." default:"free" placeholder:"PLAN"`
	Email    string `help:"Whose key it is." placeholder:"ADDRESS"`
	Label    string `help:"What it is for." placeholder:"TEXT"`
}

func (c *keysCreateCmd) Run(a *app) error {
	plan, err := account.ParsePlan(c.Plan)
	if err != nil {
		return err
	}
	return c.with(func(s account.Store) error {
		secret, k, err := s.Create(a.Ctx, plan, c.Email, c.Label)
		if err != nil {
			return err
		}
		return c.show(a, s, k, secret, "made")
	})
}

type keysListCmd struct {
	keyStore `embed:""`
}

func (c *keysListCmd) Run(a *app) error {
	return c.with(func(s account.Store) error {
		list, err := s.List(a.Ctx)
		if err != nil {
			return err
		}
		records := make([]keyRecord, 0, len(list))
		for _, k := range list {
			r, err := newKeyRecord(a, s, k, "")
			if err != nil {
				return err
			}
			records = append(records, r)
		}
		if c.JSON {
			return a.printJSON(records)
		}
		if len(records) == 0 {
			fmt.Fprintln(a.Out, "No keys yet. Make one:  grantgraph keys create")
			return nil
		}
		t := newTable("id", "plan", "state", ">calls left", ">of", "until", "created", "email", "label")
		for _, r := range records {
			t.add(r.ID, string(r.Plan), activity(r.Active), count(r.Remaining), count(r.Limit), r.Reset.Format(time.DateOnly), r.Created.Format(time.DateOnly), r.Email, r.Label)
		}
		t.print(a.Out)
		return nil
	})
}

type keysRotateCmd struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself."`
}

func (c *keysRotateCmd) Run(a *app) error {
	return c.with(func(s account.Store) error {
		secret, k, err := s.Rotate(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		return c.show(a, s, k, secret, "rotated")
	})
}

type keysDeactivateCmd struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself."`
}

func (c *keysDeactivateCmd) Run(a *app) error {
	return c.with(func(s account.Store) error {
		k, err := s.Deactivate(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		return c.show(a, s, k, "", "deactivated")
	})
}

type keysReactivateCmd struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself."`
}

func (c *keysReactivateCmd) Run(a *app) error {
	return c.with(func(s account.Store) error {
		k, err := s.Reactivate(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		return c.show(a, s, k, "", "reactivated")
	})
}

type keysPlanCmd struct {
	keyStore `embed:""`
	ID       string `arg:"" help:"ID of the key, or the key itself."`
	Plan     string `arg:"" help:"free, plus or pro."`
}

func (c *keysPlanCmd) Run(a *app) error {
	plan, err := account.ParsePlan(c.Plan)
	if err != nil {
		return err
	}
	return c.with(func(s account.Store) error {
		k, err := s.SetPlan(a.Ctx, c.ID, plan)
		if err != nil {
			return err
		}
		return c.show(a, s, k, "", "moved")
	})
}
