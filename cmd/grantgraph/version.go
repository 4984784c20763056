package main

import (
	"cmp"
	"fmt"
	"runtime"

	"grantgraph/internal/release"
	"grantgraph/internal/terminal"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *versionCmd) Run(a *terminal.App) error {
	r := release.Current()
	if c.JSON {
		return a.PrintJSON(r)
	}
	fmt.Fprintln(a.Out, "grantgraph", r.Version)
	fmt.Fprintf(a.Out, "commit %s, %s\n", cmp.Or(r.Commit, "unknown"), cmp.Or(r.Date, "date unknown"))
	fmt.Fprintf(a.Out, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

func programVersion() string { return release.Current().Version }
