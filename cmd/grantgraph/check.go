package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

// checkCmd verifies the files that are served.
type checkCmd struct {
	Data    string `help:"Data directory with the snapshot." default:"data" placeholder:"DIR"`
	Version string `help:"Version of the snapshot to check; by default the current one." placeholder:"VERSION"`
	JSON    bool   `name:"json" help:"Print JSON."`
	Quiet   bool   `short:"q" help:"No progress."`
}

// checkResult is what was verified of a snapshot or an edition.
type checkResult struct {
	Version string `json:"version"`
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`

	snapshot *snapshot.Snapshot
}

func (c *checkCmd) Run(a *terminal.App) error {
	var out struct {
		Snapshot *checkResult `json:"snapshot"`
		Lists    *checkResult `json:"lists"` // null when there is no edition
		Damaged  []string     `json:"damaged"`
	}
	out.Damaged = []string{}
	var held []func()
	defer func() {
		for _, release := range held {
			release()
		}
	}()
	// take opens the snapshot or the edition. If one cannot be opened, that counts as
	// damage, and the other is still checked.
	take := func(open func() (*snapshot.Snapshot, error)) (*checkResult, error) {
		s, err := open()
		var release func()
		if err == nil {
			release, err = s.Hold()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case errors.Is(err, snapshot.ErrNone):
			return nil, err
		case err != nil:
			out.Damaged = append(out.Damaged, err.Error())
			return nil, nil
		}
		held = append(held, release)
		return &checkResult{Version: s.Manifest.Version, Files: len(s.Manifest.Files), Bytes: totalBytes(&s.Manifest), snapshot: s}, nil
	}
	var err error
	out.Snapshot, err = take(func() (*snapshot.Snapshot, error) {
		if c.Version != "" {
			return snapshot.OpenVersion(c.Data, c.Version)
		}
		return snapshot.Open(c.Data)
	})
	if err != nil {
		return err
	}
	out.Lists, err = take(func() (*snapshot.Snapshot, error) {
		e, err := lists.Open(c.Data)
		if err != nil {
			return nil, err
		}
		return e.Snapshot, nil
	})
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		*checkResult
	}{{"snapshot", out.Snapshot}, {"lists", out.Lists}} {
		if part.checkResult == nil {
			continue
		}
		bar := a.Phase(part.name, part.Bytes, c.Quiet || c.JSON)
		var done int64
		for _, f := range part.snapshot.Manifest.Files {
			if err := part.snapshot.VerifyFile(a.Ctx, f); a.Ctx.Err() != nil {
				return a.Ctx.Err()
			} else if err != nil {
				out.Damaged = append(out.Damaged, err.Error())
			}
			done += f.Bytes
			bar.Set(done)
		}
		bar.End("%s in %s files", terminal.Bytes(part.Bytes), terminal.Count(part.Files))
	}
	if c.JSON {
		if err := a.PrintJSON(out); err != nil {
			return err
		}
	} else {
		c.print(a, out.Snapshot, out.Lists)
	}
	if n := len(out.Damaged); n > 0 {
		return fault.New(snapshot.Damaged, "%s damaged or missing:\n  %s", plural.Count(n, "file is", "files are"), strings.Join(out.Damaged, "\n  ")).
			Try("grantgraph build, which makes a new snapshot and new lists; the sources are not affected")
	}
	if !c.JSON {
		fmt.Fprintln(a.Out, "\nEvery file is as it was written.")
	}
	return nil
}

func (c *checkCmd) print(a *terminal.App, snap, edition *checkResult) {
	t := terminal.NewTable("", "version", ">files", ">bytes")
	for _, part := range []struct {
		name string
		*checkResult
	}{{"snapshot", snap}, {"lists", edition}} {
		if part.checkResult == nil {
			t.Add(part.name, "none", "", "")
			continue
		}
		t.Add(part.name, part.Version, part.Files, part.Bytes)
	}
	t.Print(a.Out)
}
