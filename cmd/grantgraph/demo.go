package main

import (
	"fmt"
	"path/filepath"
)

// demoCmd makes a world and builds it.
type demoCmd struct {
	Data  string `help:"Where the demo lives." default:"demo" placeholder:"DIR"`
	Size  string `help:"How large a world: small (20k grants), medium (200k) or large (2M)." enum:"small,medium,large" default:"small"`
	Seed  uint64 `help:"Seed of the world." default:"1" placeholder:"N"`
	Quiet bool   `short:"q" help:"No progress."`
}

// Help is shown by demo --help.
func (demoCmd) Help() string {
	return `Writes a world of invented organizations and their filings in the formats the IRS
publishes, builds a snapshot from it, and prints what is in it. Run again, it uses
the world that is there.`
}

var demoSizes = map[string]string{"small": "20k", "medium": "200k", "large": "2M"}

func (c *demoCmd) Run(a *app) error {
	world := filepath.Join(c.Data, fmt.Sprintf("world-%s-%d", c.Size, c.Seed))
	synth := synthCmd{Out: world, Grants: demoSizes[c.Size], Seed: c.Seed, Quiet: c.Quiet}
	if err := synth.reuseOrRun(a); err != nil {
		return err
	}
	b := buildCmd{Sources: world, Data: c.Data, Keep: 3, Quiet: c.Quiet}
	if _, err := b.run(a); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "\nEverything above is invented. With real filings:  grantgraph build --sources DIR --data DIR\n")
	return nil
}
