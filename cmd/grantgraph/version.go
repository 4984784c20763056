package main

import (
	"fmt"
	"runtime/debug"

	"grantgraph/internal/terminal"
)

type versionCmd struct{}

func (versionCmd) Run(a *terminal.App) error {
	fmt.Fprintln(a.Out, "grantgraph", programVersion())
	return nil
}

// programVersion is the version the module was built at, so that a binary made
// by "go install" can say what it is.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// helpCmd is for those who look for the help of a command before its name.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command, such as build or keys create."`
}

func (c *helpCmd) Run(a *terminal.App) error {
	return terminal.ExitCode(run(a.Ctx, append(c.Command, "--help"), a.In, a.Out, a.Err))
}
