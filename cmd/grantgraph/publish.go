package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/remote"
	"grantgraph/internal/terminal"
)

type publishCmd struct {
	Data     string        `help:"Data directory with the snapshot and the lists." default:"data" placeholder:"DIR"`
	To       string        `help:"Where to publish: s3://bucket/prefix, or a folder." placeholder:"STORE"`
	Version  string        `help:"Version of the snapshot to publish; by default the current one." placeholder:"VERSION"`
	Rollback string        `help:"Send nothing, and point at this version, which is in the store." placeholder:"VERSION"`
	Lists    bool          `help:"With --rollback: an edition of the compliance lists instead of a snapshot."`
	List     bool          `help:"Show what is in the store instead of publishing."`
	Keep     int           `help:"How many versions stay in the store; 0 keeps all. Those in use are never removed." default:"3" placeholder:"N"`
	Resend   bool          `help:"Send every file again, even if it is in the store: for a store that was damaged."`
	Parallel int           `help:"Files and parts sent at a time." default:"6" placeholder:"N"`
	Header   []secret.Text `name:"store-header" help:"Header of server-side encryption to send with every object." placeholder:"NAME:VALUE"`
	JSON     bool          `name:"json" help:"Print JSON."`
	Quiet    bool          `short:"q" help:"No progress."`
}

func (c *publishCmd) Run(a *terminal.App) error {
	if c.To == "" {
		return fault.New("bad_flag", "--to is missing").Try("--to s3://bucket/prefix, or --to FOLDER")
	}
	if c.Lists && c.Rollback == "" {
		return fault.New("bad_flag", "--lists is for --rollback; publishing always takes the lists along").Try("omit --lists")
	}
	if c.Keep < 0 || c.Parallel < 1 || c.Parallel > maxParallel {
		return fault.New("bad_flag", "--keep %d or --parallel %d is out of range", c.Keep, c.Parallel).Try("--keep 3 --parallel 6")
	}
	store, err := remote.Open(c.To, remote.Options{Parallel: c.Parallel, Headers: c.Header})
	if err != nil {
		return err
	}
	switch {
	case c.List:
		return c.list(a, store)
	case c.Rollback != "":
		area := remote.Snapshots
		if c.Lists {
			area = remote.Lists
		}
		done, err := remote.Publication{Store: store, Area: area}.Rollback(a.Ctx, c.Rollback)
		if err != nil {
			return err
		}
		return c.print(a, done)
	}
	return c.publish(a, store)
}

// maxParallel bounds the requests at a time, because each takes memory.
const maxParallel = 64

// publish sends the lists first: a snapshot is served with the lists of its day.
func (c *publishCmd) publish(a *terminal.App, store remote.Store) error {
	var done []*remote.Published
	send := func(area remote.Area, s *snapshot.Snapshot) error {
		bar := a.Phase(string(area), totalBytes(&s.Manifest), c.Quiet || c.JSON)
		p := remote.Publication{Store: store, Area: area, Parallel: c.Parallel, Keep: c.Keep, Resend: c.Resend,
			Progress: func(done, _ int64) { bar.Set(done) }}
		out, err := p.Publish(a.Ctx, s)
		if out != nil {
			done = append(done, out)
			bar.End("%s sent of %s in %s files", terminal.Bytes(out.Sent), terminal.Bytes(out.Bytes), terminal.Count(out.Files))
		}
		return err
	}
	// Both are opened before anything is sent.
	s, err := openSnapshot(c.Data, c.Version)
	if err != nil {
		return err
	}
	edition, err := lists.Open(c.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if edition != nil {
		checks, err := lists.ReadChecks(c.Data)
		if err != nil {
			return err
		}
		if err := send(remote.Lists, edition.Snapshot); err != nil {
			// Lists of another machine that are newer, or that were rolled back, are no reason not to send a build.
			if f, ok := fault.Of(err); !ok || f.Slug != "publish_older" && f.Slug != "publish_withdrawn" {
				return err
			}
			fmt.Fprintf(a.Err, "Note: %s; those in the store stay\n", err)
		} else if err := remote.PublishChecks(a.Ctx, store, checks); err != nil {
			return err
		}
	}
	err = send(remote.Snapshots, s)
	if perr := c.print(a, done...); err == nil {
		err = perr
	}
	return err
}

func (c *publishCmd) print(a *terminal.App, done ...*remote.Published) error {
	if c.JSON {
		return a.PrintJSON(map[string]any{"published": done})
	}
	if len(done) == 0 {
		return nil
	}
	return pages.Print(a.Out, "published", done)
}

func (c *publishCmd) list(a *terminal.App, store remote.Store) error {
	found := map[remote.Area][]remote.Version{}
	t := terminal.NewTable("", "version", "", ">files", ">bytes", ">nodes")
	for _, area := range []remote.Area{remote.Snapshots, remote.Lists} {
		versions, err := remote.List(a.Ctx, store, area)
		if err != nil {
			return err
		}
		found[area] = versions
		for _, v := range versions {
			mark := v.Problem
			if v.Current {
				mark = strings.TrimSpace("current " + mark)
			}
			t.Add(string(area), v.Version, mark, v.Files, v.Bytes, v.Nodes)
		}
	}
	if c.JSON {
		return a.PrintJSON(found)
	}
	t.Print(a.Out)
	return nil
}
