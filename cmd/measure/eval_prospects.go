package main

import (
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

// prospectsFlags are those of eval --prospects.
type prospectsFlags struct {
	Prospects     bool `help:"Measure the prospects of a snapshot by time: what is known before a year against who gave for the first time in it." group:"Prospects"`
	Year          int  `help:"The fiscal year; by default the last complete one." placeholder:"YEAR" group:"Prospects"`
	Organizations int  `help:"How many organizations are asked about, at most." default:"2000" placeholder:"N" group:"Prospects"`
}

// evalProspects measures how well prospects are found, or fits the weights of the
// model to the five years before the year.
func (c *evalCmd) evalProspects(a *terminal.App) error {
	if c.Labelled != "" || c.World != "" || c.Sources != "" || len(c.BMF)+len(c.More) > 0 || c.Screening || c.Causes || c.Semantic || c.Folds || c.Model != "" || c.Wrong != "" || c.Organizations < 1 {
		return fault.New("bad_flag", "--prospects goes with --data, --year, --organizations, --fit, --into and --json alone").Try("measure eval --prospects --data data")
	}
	s, err := snapshot.Open(c.Data)
	if err != nil {
		return err
	}
	release, err := s.Hold()
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
	if o.Year == 0 {
		o.Year = s.Manifest.Counts.LastCompleteYear
	}
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
