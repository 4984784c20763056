package main

import (
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/classify/judged"
)

// supportFlags are those of eval --support.
type supportFlags struct {
	Support bool `help:"Measure the support strategies on real purposes that were judged by hand." group:"Support"`
}

// evalSupport holds the support strategies against judged purposes, which are
// part of the program.
func (c *evalCmd) evalSupport(a *app) error {
	if c.Labelled != "" || c.World != "" || c.Sources != "" || len(c.BMF)+len(c.More) > 0 || c.Screening || c.Causes || c.Semantic || c.Folds || c.Model != "" || c.Wrong != "" || c.Fit != "" {
		return fault.New("bad_flag", "--support goes with --into and --json alone").Try("grantgraph eval --support")
	}
	res, err := judged.Support()
	if err != nil {
		return err
	}
	if err := c.print(a, "support", tableAndJSON(res)); err != nil {
		return err
	}
	if !res.Passed {
		return fault.New("gate_failed", "support strategies are read less well than they must be").Try("look at the table")
	}
	return nil
}
