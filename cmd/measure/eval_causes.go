package main

import (
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/derive/cause"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

type causesFlags struct {
	Causes bool `help:"Measure the causes that are inferred for organizations without a code." group:"Causes"`
}

// lookedAt are the parts of the master file that the settings of the inference
// were chosen on. The others were left for the measurement.
var lookedAt = strings.Fields("eo4 eo_ar eo_dc eo_hi eo_ks eo_me eo_mt eo_nh eo_ok eo_ut eo_wy")

func (c *evalCmd) evalCauses(a *terminal.App) error {
	masters := append(c.BMF, c.More...)
	if (len(masters) == 0) == (c.Sources == "") {
		return fault.New("bad_flag", "--causes takes either parts of the master file or a folder of sources").
			Try("measure eval --causes --bmf eo1.csv eo2.csv eo3.csv eo4.csv")
	}
	var cases []cause.Case
	var err error
	if c.Sources != "" {
		cases, err = c.builtCases(a)
	} else {
		cases, err = masterCases(masters)
	}
	if err != nil {
		return err
	}
	res, err := cause.Measure(a.Ctx, 0, cases)
	if err != nil {
		return err
	}
	mark := "causes"
	if c.Sources != "" {
		mark = "causes of a build"
	}
	if err := c.print(a, mark, res.Print); err != nil {
		return err
	}
	if !res.Passed {
		return fault.New("gate_failed", "inferred causes are right less often than they must be").Try("do not publish; look at the table")
	}
	return nil
}

func (c *evalCmd) builtCases(a *terminal.App) ([]cause.Case, error) {
	result, err := ingest.Run(a.Ctx, ingest.Options{Sources: c.Sources, Data: c.scratch})
	if err != nil {
		return nil, err
	}
	edition, err := lists.Open(c.scratch)
	if err != nil {
		return nil, err
	}
	return ingest.CauseCases(a.Ctx, result.Snapshot, edition)
}

func masterCases(masters []string) (cases []cause.Case, err error) {
	err = readMasters(masters, func(path string, m *bmf.Record) {
		part, _, _ := strings.Cut(filepath.Base(path), ".")
		k := cause.Case{Letter: cause.Letter(m.NTEE), Unseen: !slices.Contains(lookedAt, part), Org: cause.Org{
			EIN: m.EIN, Name: strings.Clone(m.Name), Subsection: strings.Clone(m.Subsection), Foundation: strings.Clone(m.Foundation),
			Affiliation: strings.Clone(m.Affiliation), Group: strings.Clone(m.Group), FilingReq: strings.Clone(m.FilingReq), Activity: strings.Clone(m.Activity),
		}}
		if m.SortName != "" {
			k.Others = []string{strings.Clone(m.SortName)}
		}
		cases = append(cases, k)
	})
	return cases, err
}
