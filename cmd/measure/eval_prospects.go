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
	s, release, err := snapshot.OpenHeld(c.Data)
	if err != nil {
		return err
	}
	defer release()
	g, err := graph.Open(s)
	if err != nil {
		return err
	}
	defer g.Close()
	p, err := profile.Open(s)
	if err != nil {
		return err
	}
	defer p.Close()
	o := quality.Options{Year: c.Year, Targets: c.Organizations, Weights: &prospect.Fitted}
	o.Year = cmp.Or(o.Year, s.Manifest.Counts.LastCompleteYear)
	if c.Fit != "" {
		w, err := quality.Fit(a.Ctx, s, g, p, o)
		if err != nil {
			return err
		}
		if err := terminal.WriteFile(c.Fit, func(out io.Writer) error { return w.Print(out) }); err != nil {
			return err
		}
		o.Weights = w
	}
	res, err := quality.Measure(a.Ctx, s, g, p, o)
	if err != nil {
		return err
	}
	return c.print(a, fmt.Sprintf("prospects of %d", res.Year), res.Print)
}
