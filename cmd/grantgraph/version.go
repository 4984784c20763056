package main

import (
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

func (versionCmd) Run(a *app) error {
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
