package main

import (
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/terminal"
)

type synthCmd struct {
	Out     string `required:"" help:"Directory to write; must be new, empty, or an earlier world." placeholder:"DIR"`
	Grants  string `help:"How many grant lines: 1k, 20k, 200k, 2M, 20M or any number." default:"20k" placeholder:"N"`
	Seed    uint64 `help:"Seed of the world." default:"1" placeholder:"N"`
	Workers int    `help:"Parallel workers; 0 is one per core." default:"0" placeholder:"N"`
	JSON    bool   `name:"json" help:"Print the description of the world as JSON."`
	Quiet   bool   `short:"q" help:"No progress."`
}

func (c *synthCmd) Run(a *terminal.App) error {
	report, err := c.run(a)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(report)
	}
	return c.print(a, report)
}

func (c *synthCmd) run(a *terminal.App) (*synth.Report, error) {
	grants, ok := synth.Preset(c.Grants)
	if !ok {
		return nil, fault.New("bad_flag", "--grants %q is not a number of grants", c.Grants).
			Try("--grants 20k (or 200k, 2M, 20M; at most %s)", terminal.Count(synth.MaxGrants))
	}
	if c.Workers < 0 {
		return nil, fault.New("bad_flag", "--workers must not be negative").Try("grantgraph synth --help")
	}
	bar := a.Phase("inventing", int64(grants), c.Quiet || c.JSON)
	report, err := synth.Write(a.Ctx, synth.Options{
		Out: c.Out, Grants: grants, Seed: c.Seed, Workers: c.Workers,
		Progress: func(done, _ int64) { bar.Set(done) },
	})
	if err != nil {
		return nil, err
	}
	bar.End("%s grants in %s returns", terminal.Count(report.Grants), terminal.Count(report.Returns))
	return report, nil
}

// reuseOrRun leaves a world with the same seed and size as it is.
func (c *synthCmd) reuseOrRun(a *terminal.App) error {
	grants, ok := synth.Preset(c.Grants)
	if made := (&synth.Options{Out: c.Out, Grants: grants, Seed: c.Seed}); ok && made.Written() {
		return nil
	}
	_, err := c.run(a)
	return err
}

func (c *synthCmd) print(a *terminal.App, r *synth.Report) error {
	page := struct {
		Report      *synth.Report
		Out         string
		Bytes, Rate int64
		Seconds     float64
	}{Report: r, Out: c.Out, Seconds: max(r.Elapsed.Seconds(), 0.001)}
	for _, f := range r.Files {
		page.Bytes += f.Bytes
	}
	page.Rate = int64(float64(r.Grants) / page.Seconds)
	return pages.Print(a.Out, "synth", page)
}
