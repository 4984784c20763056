// Package oversight is what an operator sees of a service at a glance: its status, on a terminal, in the API and on a page, the
// last errors of its log, and the datasets that it can serve.
package oversight

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/money"
	"grantgraph/internal/plural"
	"grantgraph/internal/release"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Source is where the status is read from.
type Source struct {
	Data      string                 // data directory
	Backups   string                 // folder of the backups; empty if it is not known
	Store     string                 // of the accounts, in words
	Accounts  *account.Store         // nil if it cannot be opened
	Problem   error                  // why not
	Returns   Waiting                // the queue of returns; nil for none
	Sources   func(row string) error // adds a row to human.csv; nil where the builds are made elsewhere
	Refreshed func() time.Time
	Recent    *Recent // nil where no server runs
	Clock     func() time.Time
}

// Waiting is a queue; nil if there is none.
type Waiting func(context.Context) (*account.Queue, error)

// Status is what an operator wants to know at a glance. What is not known is null.
type Status struct {
	Program  release.Info       `json:"program"`
	Dataset  *Dataset           `json:"dataset"`
	Lists    []screen.Freshness `json:"lists"`
	Disk     *int64             `json:"disk_free_bytes"`
	Accounts Accounts           `json:"accounts"`
	Queues   []Queue            `json:"queues"`
	Refresh  *time.Time         `json:"last_refresh"` // when a running server last found nothing new that it cannot serve
	Backup   *time.Time         `json:"last_backup"`
	Check    *Check             `json:"last_check"`
	Errors   []Logged           `json:"errors"` // of the log of a running server, newest first
	Problems []string           `json:"problems"`
}

type Accounts struct {
	Store   string `json:"store"`
	Answers bool   `json:"answers"`
	Bytes   *int64 `json:"bytes"`
}

type Queue struct {
	Name string `json:"name"` // alerts of watched lists, corrections of visitors, or returns that workers read
	account.Queue
}

// StoreName is the place of the accounts in words: a file, or a database without its password.
func StoreName(file string, database secret.URL) string {
	if database.Empty() {
		return file
	}
	return database.String()
}

// Ages and sizes from which the status reports a problem. deploy/alerts.yaml has the same ones.
const (
	oldDataset  = 45 * 24 * time.Hour
	oldBackup   = 36 * time.Hour
	oldCheck    = 8 * 24 * time.Hour
	oldEntry    = 48 * time.Hour
	oldRefresh  = 15 * time.Minute
	littleSpace = 2 << 30

	askTimeout = 5 * time.Second // for the store and the queue
)

// Status reads the status. What cannot be read is among its problems.
func (s *Source) Status(ctx context.Context) Status {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	now := s.Clock()
	to := Status{Program: release.Current(), Lists: []screen.Freshness{}, Queues: []Queue{}, Errors: s.Recent.Last(), Problems: []string{}}
	problem := func(format string, args ...any) { to.Problems = append(to.Problems, fmt.Sprintf(format, args...)) }
	if snap, err := snapshot.Open(s.Data); err != nil {
		problem("no dataset: %v", err)
	} else {
		to.Dataset = datasetOf(snap, true)
		if age := now.Sub(snap.Manifest.GeneratedAt); age > oldDataset {
			problem("the dataset was built %s ago", Days(age))
		}
	}
	current, err := lists.Read(s.Data)
	if err != nil {
		problem("the compliance lists cannot be read: %v", err)
	} else {
		to.Lists = screen.FreshnessOf(current, now)
	}
	for _, l := range to.Lists {
		if !l.Clears {
			problem("%s: %s", l.Name, l.Note)
		}
	}
	if free, err := disk.Free(s.Data); err == nil {
		if to.Disk = &free; free < littleSpace {
			problem("only %s MiB of disk left", money.Grouped(free>>20))
		}
	}
	if err := s.accounts(ctx, &to); err != nil {
		problem("accounts: %v", err)
	}
	waiting, err := s.Queues(ctx)
	if err != nil && to.Accounts.Answers {
		problem("a queue cannot be read: %v", err)
	}
	for _, q := range waiting {
		to.Queues = append(to.Queues, q)
		if q.Oldest != nil && now.Sub(*q.Oldest) > oldEntry && q.Name != "corrections" {
			problem("the oldest of the waiting %s has waited for %s", q.Name, Days(now.Sub(*q.Oldest)))
		}
	}
	if s.Refreshed != nil {
		last := s.Refreshed()
		if to.Refresh = &last; now.Sub(last) > oldRefresh {
			problem("a new dataset or new lists cannot be served; the log says why")
		}
	}
	s.upkeep(&to, now, problem)
	return to
}

func (s *Source) accounts(ctx context.Context, to *Status) error {
	to.Accounts.Store = s.Store
	if s.Accounts == nil {
		return s.Problem
	}
	err := s.Accounts.Ping(ctx)
	if to.Accounts.Answers = err == nil; err != nil {
		return err
	}
	size, err := s.Accounts.Size(ctx)
	to.Accounts.Bytes = &size
	return err
}

// Queues are the queues that can be read, and why another cannot.
func (s *Source) Queues(ctx context.Context) (list []Queue, err error) {
	for _, name := range []string{"alerts", "corrections"} {
		if s.Accounts == nil {
			break
		}
		q, failed := s.Accounts.Queue(ctx, name)
		if err = cmp.Or(err, failed); failed == nil {
			list = append(list, Queue{name, q})
		}
	}
	if s.Returns == nil {
		return list, err
	}
	q, failed := s.Returns(ctx)
	if failed == nil && q != nil {
		list = append(list, Queue{"returns", *q})
	}
	return list, cmp.Or(err, failed)
}

// upkeep adds the last backup and the last check.
func (s *Source) upkeep(to *Status, now time.Time, problem func(string, ...any)) {
	if to.Backup = newest(s.Backups); s.Backups != "" && (to.Backup == nil || now.Sub(*to.Backup) > oldBackup) {
		problem("no backup in the last %d hours in %s", int(oldBackup.Hours()), s.Backups)
	}
	if to.Check = ReadCheck(s.Data); to.Check != nil && to.Check.Damaged > 0 {
		problem("the last check found damaged files: %d", to.Check.Damaged)
	} else if to.Check != nil && now.Sub(to.Check.At) > oldCheck {
		problem("the last check was %s ago", Days(now.Sub(to.Check.At)))
	}
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

// Rulings is where accepted corrections are written; nil where the builds are made elsewhere.
func (s *Source) Rulings() func(row string) error { return s.Sources }

// StatusJSON is the status as a program reads it.
func (s *Source) StatusJSON(ctx context.Context) (json.RawMessage, error) {
	return json.Marshal(s.Status(ctx))
}

// Days is a length of time in words.
func Days(d time.Duration) string {
	if d < 48*time.Hour {
		return plural.Count(int(d.Hours()), "hour", "hours")
	}
	return plural.Count(int(d.Hours()/24), "day", "days")
}

//go:embed page.html
var pageFile string

var page = template.Must(template.New("status").Funcs(template.FuncMap{
	"moment": func(t *time.Time) string {
		if t == nil || t.IsZero() {
			return "never, or not known"
		}
		return t.UTC().Format("January 2, 2006, 3:04:05 PM UTC")
	},
	"count": money.Grouped, "size": func(n int64) string { return money.Grouped(n>>20) + " MiB" },
}).Parse(pageFile))

// Page shows the status as it is now.
func Page(status func(context.Context) Status) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		if err := page.Execute(&b, status(r.Context())); err != nil {
			http.Error(w, "The status cannot be shown.", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(b.Bytes()) // a reader that has gone needs no answer
	})
}
