package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/queue"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/oversight"
	"grantgraph/internal/terminal"
)

type statusCmd struct {
	Data     string     `help:"Data directory with snapshots, lists and accounts." default:"data" placeholder:"DIR"`
	Database secret.URL `help:"PostgreSQL database that holds the accounts instead; the same as the server's." placeholder:"URL"`
	Backups  string     `help:"Folder of the backups, of which the newest file counts." placeholder:"DIR"`
	Ready    string     `help:"Only ask this address whether the server is ready, for health checks of containers." placeholder:"URL"`
	JSON     bool       `name:"json" help:"Print JSON."`
}

const readyTimeout = 5 * time.Second

func (c *statusCmd) Run(a *terminal.App) error {
	if c.Ready != "" {
		return c.ready(a)
	}
	store, err := c.accounts()
	if store != nil {
		defer store.Close()
	}
	from := overseen(c.Data, c.Backups, c.Database, store)
	from.Problem = err
	s := from.Status(a.Ctx)
	if c.JSON {
		err = a.PrintJSON(s)
	} else {
		err = pages.Print(a.Out, "status", &statusPage{s, time.Now()})
	}
	if err == nil && len(s.Problems) > 0 {
		err = terminal.ExitCode(1)
	}
	return err
}

func (c *statusCmd) ready(a *terminal.App) error {
	ctx, cancel := context.WithTimeout(a.Ctx, readyTimeout)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Ready, nil)
	if err != nil {
		return fault.New("bad_flag", "--ready %s is not an address", fault.Clip(c.Ready, 100)).Try("--ready http://127.0.0.1:8080/readyz")
	}
	r, err := http.DefaultClient.Do(ask)
	if err != nil {
		return fault.New("not_ready", "not ready: %w", err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fault.New("not_ready", "not ready: status %d", r.StatusCode)
	}
	fmt.Fprintln(a.Out, "ready")
	return nil
}

// accounts opens the store that the server uses. It never makes one.
func (c *statusCmd) accounts() (*account.Store, error) {
	if file := serve.Accounts(c.Data); c.Database.Empty() {
		_, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) && !serve.AccountsLost(c.Data) {
			return nil, fault.New("no_accounts", "there are none yet; the server makes them when it starts")
		}
		if err != nil {
			return nil, fault.Disk(file, err)
		}
	}
	return serve.OpenAccounts(c.Data, c.Database, account.Options{})
}

// overseen is where the status of a machine is read from, without a server.
func overseen(data, backups string, database secret.URL, store *account.Store) *oversight.Source {
	return &oversight.Source{
		Data: data, Backups: backups, Store: oversight.StoreName(serve.Accounts(data), database), Accounts: store,
		Returns: returnsWaiting(database), Clock: time.Now,
	}
}

// returnsWaiting is the queue of the returns that workers read, if it is in the database of the accounts.
func returnsWaiting(database secret.URL) oversight.Waiting {
	if database.Empty() {
		return nil
	}
	return func(ctx context.Context) (*account.Queue, error) {
		q, err := queue.Open(ctx, database, 1)
		if err != nil {
			return nil, err
		}
		defer q.Close()
		entries, since, err := q.Waiting(ctx)
		if f, ok := fault.Of(err); ok && f.Slug == "no_plan" {
			return nil, nil
		}
		return &account.Queue{Entries: entries, Oldest: since}, err
	}
}

type statusPage struct {
	oversight.Status
	now time.Time
}

func (p *statusPage) Age(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "never, or not known"
	}
	return t.UTC().Format("January 2, 2006, 3:04 PM UTC") + ", " + oversight.Days(p.now.Sub(*t)) + " ago"
}
