package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/oversight"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

type checkCmd struct {
	Data    string `help:"Data directory with the snapshot." default:"data" placeholder:"DIR"`
	Version string `help:"Version of the snapshot to check; by default the current one." placeholder:"VERSION"`
	JSON    bool   `name:"json" help:"Print JSON."`
	Quiet   bool   `short:"q" help:"No progress."`
}

type checkResult struct {
	Version string `json:"version"`
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
}

func (c *checkCmd) Run(a *terminal.App) error {
	var out struct {
		Snapshot *checkResult `json:"snapshot"`
		Lists    *checkResult `json:"lists"` // null when there is no edition
		Damaged  []string     `json:"damaged"`
	}
	out.Damaged = []string{}
	t := terminal.NewTable("", "version", ">files", ">bytes")
	for _, part := range []struct {
		name string
		open func() (*snapshot.Snapshot, error)
		to   **checkResult
	}{
		{"snapshot", func() (*snapshot.Snapshot, error) { return openSnapshot(c.Data, c.Version) }, &out.Snapshot},
		{"lists", func() (*snapshot.Snapshot, error) {
			e, err := lists.Open(c.Data)
			if err != nil {
				return nil, err
			}
			return e.Snapshot, nil
		}, &out.Lists},
	} {
		// If one cannot be opened, that counts as damage, and the other is still checked.
		result, damaged, err := c.verify(a, part.name, part.open)
		if err != nil {
			return err
		}
		out.Damaged = append(out.Damaged, damaged...)
		if *part.to = result; result == nil {
			t.Add(part.name, "none", "", "")
		} else {
			t.Add(part.name, result.Version, result.Files, result.Bytes)
		}
	}
	if c.Version == "" {
		if err := oversight.NoteCheck(c.Data, len(out.Damaged)); err != nil {
			fmt.Fprintf(a.Err, "grantgraph status will not know of this check: %v\n", err)
		}
	}
	if c.JSON {
		if err := a.PrintJSON(out); err != nil {
			return err
		}
	} else {
		t.Print(a.Out)
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

// verify reads every file of a snapshot or an edition. The result is nil if there is nothing to verify.
func (c *checkCmd) verify(a *terminal.App, name string, open func() (*snapshot.Snapshot, error)) (_ *checkResult, damaged []string, _ error) {
	s, err := open()
	var release func()
	if err == nil {
		release, err = s.Hold()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case errors.Is(err, snapshot.ErrNone):
		return nil, nil, err
	case err != nil:
		return nil, []string{err.Error()}, nil
	}
	defer release()
	result := &checkResult{Version: s.Manifest.Version, Files: len(s.Manifest.Files), Bytes: totalBytes(&s.Manifest)}
	bar := a.Phase(name, result.Bytes, c.Quiet || c.JSON)
	var done int64
	for _, f := range s.Manifest.Files {
		if err := s.VerifyFile(a.Ctx, f); a.Ctx.Err() != nil {
			return nil, nil, a.Ctx.Err()
		} else if err != nil {
			damaged = append(damaged, err.Error())
		}
		done += f.Bytes
		bar.Set(done)
	}
	bar.End("%s in %s files", terminal.Bytes(result.Bytes), terminal.Count(result.Files))
	return result, damaged, nil
}

func openSnapshot(data, version string) (*snapshot.Snapshot, error) {
	if version != "" {
		return snapshot.OpenVersion(data, version)
	}
	return snapshot.Open(data)
}
