package main

import (
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/classify/judged"
	"grantgraph/internal/terminal"
)

type supportFlags struct {
	Support  bool `help:"Measure the support strategies on real purposes that were judged by hand." group:"Support"`
	Holdings bool `help:"Measure the asset classes on real investments that were judged by hand." group:"Support"`
}

// evalJudged compares the support strategies, or the asset classes, with texts that
// people have judged. The texts are part of the program.
func (c *evalCmd) evalJudged(a *terminal.App) error {
	name, measure := "support", judged.Support
	if c.Holdings {
		name, measure = "holdings", judged.Holdings
	}
	res := must(measure())
	check(c.print(a, name, res.Print))
	if !res.Passed {
		return fault.New("gate_failed", "%s are read less well than they must be", name).Try("look at the table")
	}
	return nil
}
