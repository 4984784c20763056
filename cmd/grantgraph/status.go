package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/release"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

type statusCmd struct {
	Data     string     `help:"Data directory with snapshots, lists and accounts." default:"data" placeholder:"DIR"`
	Database secret.URL `help:"PostgreSQL database that holds the accounts instead; the same as the server's." placeholder:"URL"`
	Backups  string     `help:"Folder of the backups, of which the newest file counts." placeholder:"DIR"`
	Ready    string     `help:"Only ask this address whether the server is ready, for health checks of containers." placeholder:"URL"`
	JSON     bool       `name:"json" help:"Print JSON."`
}

// status is what an operator wants to know at a glance. What is not known is null.
type status struct {
	Program  release.Info       `json:"program"`
	Dataset  *datasetStatus     `json:"dataset"`
	Lists    []screen.Freshness `json:"lists"`
	Disk     *int64             `json:"disk_free_bytes"`
	Accounts accountsStatus     `json:"accounts"`
	Backup   *time.Time         `json:"last_backup"`
	Check    *lastCheck         `json:"last_check"`
	Problems []string           `json:"problems"`
}

type datasetStatus struct {
	Version string    `json:"version"`
	Built   time.Time `json:"built_at"`
	Grants  int64     `json:"grants"`
}

type accountsStatus struct {
	Store   string `json:"store"`
	Answers bool   `json:"answers"`
	Bytes   *int64 `json:"bytes"`
}

// lastCheck is what grantgraph check notes beside the data.
type lastCheck struct {
	At      time.Time `json:"at"`
	Damaged int       `json:"damaged"`
}

// Ages and sizes from which status reports a problem.
const (
	oldDataset  = 45 * 24 * time.Hour
	oldBackup   = 36 * time.Hour
	oldCheck    = 8 * 24 * time.Hour
	littleSpace = 2 << 30

	readyTimeout = 5 * time.Second
)

func (c *statusCmd) Run(a *terminal.App) error {
	if c.Ready != "" {
		return c.ready(a)
	}
	now := time.Now()
	s := status{Program: release.Current(), Lists: []screen.Freshness{}, Problems: []string{}}
	problem := func(format string, args ...any) { s.Problems = append(s.Problems, fmt.Sprintf(format, args...)) }
	if snap, err := snapshot.Open(c.Data); err != nil {
		problem("no dataset: %v", err)
	} else {
		m := snap.Manifest
		s.Dataset = &datasetStatus{m.Version, m.GeneratedAt, m.Counts.Grants}
		if age := now.Sub(m.GeneratedAt); age > oldDataset {
			problem("the dataset was built %s ago", days(age))
		}
	}
	if current, err := lists.Read(c.Data); err != nil {
		problem("the compliance lists cannot be read: %v", err)
	} else {
		s.Lists = screen.FreshnessOf(current, now)
	}
	for _, l := range s.Lists {
		if !l.Clears {
			problem("%s: %s", l.Name, l.Note)
		}
	}
	if free, err := disk.Free(c.Data); err == nil {
		if s.Disk = &free; free < littleSpace {
			problem("only %s of disk left", terminal.Bytes(free))
		}
	}
	var err error
	if s.Accounts, err = c.accounts(a); err != nil {
		problem("accounts: %v", err)
	}
	if s.Backup = newest(c.Backups); c.Backups != "" && (s.Backup == nil || now.Sub(*s.Backup) > oldBackup) {
		problem("no backup in the last %d hours in %s", int(oldBackup.Hours()), c.Backups)
	}
	if s.Check = readLastCheck(c.Data); s.Check != nil && s.Check.Damaged > 0 {
		problem("the last check found damaged files: %d", s.Check.Damaged)
	} else if s.Check != nil && now.Sub(s.Check.At) > oldCheck {
		problem("the last check was %s ago", days(now.Sub(s.Check.At)))
	}
	if c.JSON {
		err = a.PrintJSON(s)
	} else {
		err = pages.Print(a.Out, "status", &statusPage{&s, now})
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
func (c *statusCmd) accounts(a *terminal.App) (accountsStatus, error) {
	at := accountsStatus{Store: c.Database.String()}
	if c.Database.Empty() {
		at.Store = serve.Accounts(c.Data)
		info, err := os.Stat(at.Store)
		if errors.Is(err, fs.ErrNotExist) && !serve.AccountsLost(c.Data) {
			return at, fault.New("no_accounts", "there are none yet; the server makes them when it starts")
		}
		if err != nil {
			return at, fault.Disk(at.Store, err)
		}
		at.Bytes = new(info.Size())
	}
	store, err := serve.OpenAccounts(c.Data, c.Database, account.Options{})
	if err != nil {
		return at, err
	}
	defer store.Close()
	err = store.Ping(a.Ctx)
	at.Answers = err == nil
	return at, err
}

func newest(folder string) (at *time.Time) {
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, path := range files {
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && folder != "" && (at == nil || info.ModTime().After(*at)) {
			at = new(info.ModTime().UTC())
		}
	}
	return at
}

func days(d time.Duration) string {
	if d < 48*time.Hour {
		return plural.Count(int(d.Hours()), "hour", "hours")
	}
	return plural.Count(int(d.Hours()/24), "day", "days")
}

type statusPage struct {
	*status
	now time.Time
}

func (p *statusPage) Age(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "never, or not known"
	}
	return t.UTC().Format("January 2, 2006, 3:04 PM UTC") + ", " + days(p.now.Sub(*t)) + " ago"
}
