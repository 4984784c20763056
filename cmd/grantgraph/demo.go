package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

type demoCmd struct {
	Addr  string `help:"Address to serve on; port 0 picks a free one." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Data  string `help:"Folder of the demo: new, empty, or an earlier demo's." default:"demo" placeholder:"DIR"`
	Size  string `help:"Size of the world: small (20k grants), medium (200k) or large (2M)." enum:"small,medium,large" default:"small"`
	Seed  uint64 `help:"Seed of the world." default:"1" placeholder:"N"`
	Quiet bool   `short:"q" help:"No progress."`
	Once  bool   `help:"Make and build the world, then stop instead of serving."`

	LocalDirectories bool `name:"allow-local-directories"`

	AdminToken secret.Text `help:"Token for the admin endpoints of the API. Better set as GRANTGRAPH_ADMIN_TOKEN." placeholder:"TOKEN"`
}

var demoSizes = map[string]string{"small": "20k", "medium": "200k", "large": "2M"}

func (c *demoCmd) Run(a *terminal.App) (err error) {
	if err := c.refuseOtherData(); err != nil {
		return err
	}
	if !c.Once {
		// Whether the address is free is checked before the work begins, not after.
		if err := serve.Probe(c.Addr); err != nil {
			return err
		}
		// A script that waits for demo.json must not see the file of the run before.
		if err := disk.Publish(c.path(), c.previousPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Disk(c.path(), err)
		}
		defer func() {
			if _, missing := os.Stat(c.path()); err != nil && missing != nil {
				_ = disk.Publish(c.previousPath(), c.path()) // perhaps the one before is still running
			}
		}()
	}
	if err := c.prepareData(); err != nil {
		return err
	}
	if err := c.build(a); err != nil {
		return a.ResumeWith(err, "run the same command again; what has been made is kept in %s", c.Data)
	}
	if c.Once {
		return nil
	}
	s, err := serve.Open(serve.Options{
		Data: c.Data, Addr: c.Addr, LocalDirectories: c.LocalDirectories, AdminToken: c.AdminToken, SQL: &sqlbox.Options{},
		Budget: budget.New(defaultMemory(), budget.Options{}), Version: programVersion(),
		Log: slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	defer s.Close()
	d, err := c.prepare(a, s)
	if err != nil {
		return err
	}
	if err := c.printWelcome(a, d); err != nil {
		return err
	}
	return serverError(s.Run(a.Ctx))
}

func (c *demoCmd) build(a *terminal.App) error {
	world := filepath.Join(c.Data, fmt.Sprintf("world-%s-%d", c.Size, c.Seed))
	invent := synthCmd{Out: world, Grants: demoSizes[c.Size], Seed: c.Seed, Quiet: c.Quiet}
	if err := invent.reuseOrRun(a); err != nil {
		return err
	}
	if err := noteLists(a.Ctx, world); err != nil {
		return err
	}
	b := buildCmd{Sources: world, Data: c.Data, Keep: 2, Meaning: 300, Quiet: c.Quiet, JSON: false}
	if err := b.run(a); err != nil {
		return err
	}
	offer := exportCmd{Downloads: c.Data, Data: c.Data, Keep: 1}
	if err := offer.Run(a); err != nil {
		return err
	}
	return confirmLists(c.Data, time.Now())
}

// noteLists writes what a fetcher would write about the compliance lists of a world:
// when each file was fetched and which day it is from.
func noteLists(ctx context.Context, world string) error {
	for _, s := range source.All() {
		if s.Compliance == "" {
			continue
		}
		state := fetch.State{Source: s.Name}
		err := filepath.WalkDir(filepath.Join(world, s.Folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			sum, _, err := disk.Hash(ctx, path)
			if err != nil {
				return err
			}
			st, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(world, path)
			if err != nil {
				return err
			}
			made := st.ModTime().UTC()
			state.Files = append(state.Files, fetch.File{
				Path: filepath.ToSlash(rel), Bytes: st.Size(), SHA256: sum, FetchedAt: made, Revised: made.Format(time.DateOnly),
			})
			return nil
		})
		if err != nil {
			return fault.Disk(filepath.Join(world, s.Folder), err)
		}
		if err := fetch.WriteState(world, state); err != nil {
			return err
		}
	}
	return nil
}

// confirmLists writes that the lists are what upstream has. The only upstream of an invented list is its folder.
func confirmLists(data string, now time.Time) error {
	e, err := lists.Open(data)
	if err != nil {
		return err
	}
	var checks []lists.Check
	for _, l := range e.Lists {
		checks = append(checks, lists.Check{Name: l.Name, CheckedAt: now.UTC().Truncate(time.Second), UpstreamRevised: l.RevisedNewest})
	}
	return lists.WriteChecks(data, checks)
}

// demoMarker is the file by which a demo recognizes its folder. It is written first.
const demoMarker = ".grantgraph-demo"

// refuseOtherData refuses a folder that is not empty and was not made by a demo, such as the data directory
// of a service, whose server would take up the invented snapshot.
func (c *demoCmd) refuseOtherData() error {
	entries, err := os.ReadDir(c.Data)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(entries) == 0 || c.isOwn()) {
		return nil
	}
	if err != nil {
		return fault.Disk(c.Data, err)
	}
	return fault.New("not_a_demo", "%s is not empty and was not made by a demo, which would mix its invented data with what is there", c.Data).
		Try("grantgraph demo --data demo, or another new or empty folder")
}

// isOwn reports whether a demo made the folder. Earlier versions wrote no marker, but they wrote a world.
func (c *demoCmd) isOwn() bool {
	if _, err := os.Stat(filepath.Join(c.Data, demoMarker)); err == nil {
		return true
	}
	for size := range demoSizes {
		worlds, _ := filepath.Glob(filepath.Join(c.Data, "world-"+size+"-*", synth.Marker))
		if len(worlds) > 0 {
			return true
		}
	}
	return false
}

func (c *demoCmd) prepareData() error {
	path := filepath.Join(c.Data, demoMarker)
	err := disk.MkdirAll(c.Data, 0o755)
	if err == nil {
		err = disk.WriteFile(path, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, "Everything in this folder was made by grantgraph demo and is invented.\n")
			return err
		})
	}
	return fault.Disk(path, err)
}

type demo struct {
	BaseURL string            `json:"base_url"`
	Keys    map[string]string `json:"keys"`

	funder, recipient ein.EIN
}

// prepare makes a key for each plan and writes demo.json. It keeps the keys of an
// earlier run that still work, because people may have copied them.
func (c *demoCmd) prepare(a *terminal.App, s *serve.Server) (*demo, error) {
	path := c.path()
	d := &demo{Keys: map[string]string{}}
	if body, err := os.ReadFile(c.previousPath()); err == nil {
		// A file that cannot be read is written anew.
		_ = json.Unmarshal(body, d)
	}
	d.BaseURL = s.URL()
	for _, terms := range account.Plans() {
		name := string(terms.Plan)
		if secret := d.Keys[name]; secret != "" {
			if k, err := s.Store().Find(a.Ctx, secret); err == nil && k.Active {
				continue
			}
		}
		secret, _, err := s.Store().Create(a.Ctx, terms.Plan, name+"@demo.example", "demo")
		if err != nil {
			return nil, err
		}
		d.Keys[name] = secret
	}
	if err := d.pickExamples(a, c.Data); err != nil {
		return nil, err
	}
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := disk.WriteFile(path, 0o600, func(w io.Writer) error { _, err := w.Write(append(body, '\n')); return err }); err != nil {
		return nil, fault.Disk(path, err)
	}
	_ = disk.Remove(c.previousPath()) // its keys are in the new one
	return d, nil
}

// path is the file that says that the demo is ready. Until then the file of the run before is at previousPath.
func (c *demoCmd) path() string         { return filepath.Join(c.Data, "demo.json") }
func (c *demoCmd) previousPath() string { return c.path() + ".last" }

func (d *demo) pickExamples(a *terminal.App, data string) error {
	h, err := dataset.Open(data, dataset.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer h.Close()
	set, release := h.Acquire()
	defer release()
	d.funder, d.recipient, err = set.Busiest(a.Ctx)
	return err
}

func (c *demoCmd) printWelcome(a *terminal.App, d *demo) error {
	return pages.Print(a.Out, "demo", struct {
		*demo
		Plans             []account.Terms
		Funder, Recipient ein.EIN
		Ready, File       string
	}{d, account.Plans(), d.funder, d.recipient, time.Now().UTC().Format(time.TimeOnly), c.path()})
}
