package main

import (
	"cmp"
	"fmt"
	"io"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/prospect/quality"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type prospectsFlags struct {
	Prospects     bool `group:"Prospects"`
	Year          int  `help:"The fiscal year; by default the last complete one." placeholder:"YEAR" group:"Prospects"`
	Organizations int  `help:"How many organizations are asked about, at most." default:"2000" placeholder:"N" group:"Prospects"`
}

// evalProspects measures how well prospects are found, or fits the weights of the model to the five years before the year.
func (c *evalCmd) evalProspects(a *terminal.App) error {
	if c.Organizations < 1 {
		return fault.New("bad_flag", "--organizations must be at least 1").Try("measure eval --prospects --data data")
	}
	s, release := must2(snapshot.OpenHeld(c.Data))
	defer release()
	g := must(graph.Open(s))
	defer g.Close()
	p := must(profile.Open(s))
	defer p.Close()
	o := quality.Options{Year: c.Year, Targets: c.Organizations, Weights: &prospect.Fitted}
	o.Year = cmp.Or(o.Year, s.Manifest.Counts.LastCompleteYear)
	if c.Fit != "" {
		w := must(quality.Fit(a.Ctx, s, g, p, o))
		check(terminal.WriteFile(c.Fit, func(out io.Writer) error { return w.Print(out) }))
		o.Weights = w
	}
	res := must(quality.Measure(a.Ctx, s, g, p, o))
	return c.print(a, fmt.Sprintf("prospects of %d", res.Year), res.Print)
}
