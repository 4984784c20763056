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
	mark := "causes"
	if c.Sources != "" {
		built := must(ingest.Run(a.Ctx, ingest.Options{Sources: c.Sources, Data: c.scratch}))
		cases = must(ingest.CauseCases(a.Ctx, built.Snapshot, must(lists.Open(c.scratch))))
		mark = "causes of a build"
	} else {
		cases = masterCases(masters)
	}
	res := must(cause.Measure(a.Ctx, 0, cases))
	check(c.print(a, mark, res.Print))
	if !res.Passed {
		return fault.New("gate_failed", "inferred causes are right less often than they must be").Try("do not publish; look at the table")
	}
	return nil
}

func masterCases(masters []string) (cases []cause.Case) {
	readMasters(masters, func(path string, m *bmf.Record) {
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
	return cases
}
