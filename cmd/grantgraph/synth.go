package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/money"
)

// synthCmd writes an invented world.
type synthCmd struct {
	Out     string `required:"" help:"Directory to write; must be new, empty, or an earlier world." placeholder:"DIR"`
	Grants  string `help:"How many grant lines: 1k, 20k, 200k, 2M, 20M or any number." default:"20k" placeholder:"N"`
	Seed    uint64 `help:"Seed of the world." default:"1" placeholder:"N"`
	Workers int    `help:"Parallel workers; 0 is one per core." default:"0" placeholder:"N"`
	JSON    bool   `name:"json" help:"Print the description of the world as JSON."`
	Quiet   bool   `short:"q" help:"No progress."`
}

// Help is shown by synth --help.
func (synthCmd) Help() string {
	return `Writes monthly zips of returns and yearly indexes (990), the master file (bmf), every
other list and register that a build reads (pub78, revocation, irb, ofac, careg, caftb,
usaspending, fac, stateaward, uk, overrides), the truth behind every grant line and board
seat (truth.ndjson, people.ndjson) and what a build must find (world.json).
The same seed and size give the same bytes everywhere.

Example:  grantgraph synth --out world --grants 200k --seed 7`
}

func (c *synthCmd) Run(a *app) error {
	report, err := c.run(a)
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(report)
	}
	c.print(a, report)
	return nil
}

// run writes the world and returns its report.
func (c *synthCmd) run(a *app) (*synth.Report, error) {
	grants, ok := synth.Preset(c.Grants)
	if !ok {
		return nil, fault.New("bad_flag", "--grants %q is not a number of grants", c.Grants).
			Try("--grants 20k (or 200k, 2M, 20M; at most %s)", count(synth.MaxGrants))
	}
	if c.Workers < 0 {
		return nil, fault.New("bad_flag", "--workers must not be negative").Try("grantgraph synth --help")
	}
	bar := a.phase("inventing", int64(grants), c.Quiet || c.JSON)
	report, err := synth.Write(a.Ctx, synth.Options{
		Out: c.Out, Grants: grants, Seed: c.Seed, Workers: c.Workers,
		Progress: func(done, _ int64) { bar.set(done) },
	})
	if err != nil {
		return nil, err
	}
	bar.end("%s grants in %s returns", count(report.Grants), count(report.Returns))
	return report, nil
}

// reuseOrRun leaves a world with the same seed and size as it is.
func (c *synthCmd) reuseOrRun(a *app) error {
	grants, ok := synth.Preset(c.Grants)
	if _, err := os.Stat(filepath.Join(c.Out, synth.Marker)); ok && err == nil {
		if r, err := synth.Read(c.Out); err == nil && r.Current() && r.Seed == c.Seed && r.Size == grants {
			return nil
		}
	}
	_, err := c.run(a)
	return err
}

func (c *synthCmd) print(a *app, r *synth.Report) {
	var bytes int64
	for _, f := range r.Files {
		bytes += f.Bytes
	}
	seconds := max(r.Elapsed.Seconds(), 0.001)
	t := newTable("", ">")
	t.add("files", count(len(r.Files)))
	t.add("size", bytesize(bytes))
	t.add("XML inside", bytesize(r.XMLBytes))
	t.add("funders", count(r.Funders))
	t.add("organizations", count(r.Orgs))
	t.add("returns", count(r.Returns))
	t.add("grants", count(r.Grants))
	t.add("dollars", money.Dollars(r.Dollars))
	t.add("rows a build keeps", count(r.Expected.Rows))
	t.add("seconds", fmt.Sprintf("%.2f", seconds))
	t.add("grants a second", count(int64(float64(r.Grants)/seconds)))
	t.print(a.Out)
	fmt.Fprintf(a.Out, "\nNext:  grantgraph build --sources %s\n", c.Out)
}
