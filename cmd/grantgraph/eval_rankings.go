package main

import (
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve/eval"
	"grantgraph/internal/snapshot"
)

// rankingsFlags are those of eval --rankings and --hardness.
type rankingsFlags struct {
	Rankings bool `help:"Print who leads the rankings of a snapshot, with the lines behind each." group:"Snapshots"`
	Hardness bool `help:"Print how hard the lines of a snapshot are to resolve." group:"Snapshots"`
}

// evalSnapshot prints the rankings of the current snapshot, or how hard its
// lines are.
func (c *evalCmd) evalSnapshot(a *app) error {
	if c.Labelled != "" || c.World != "" || c.Sources != "" || len(c.BMF)+len(c.More) > 0 || c.Folds || c.Model != "" || c.Wrong != "" || c.Fit != "" ||
		c.Screening || c.List != "" || c.Cases != "" || c.Speed || c.Rankings && c.Hardness {
		return fault.New("bad_flag", "--rankings and --hardness go with --data, --into and --json alone").Try("grantgraph eval --help")
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
	if c.Hardness {
		h, err := eval.MeasureHardness(s)
		if err != nil {
			return err
		}
		mark := "hardness"
		if h.Invented {
			mark = "hardness of a world"
		}
		return c.print(a, mark, tableAndJSON(h))
	}
	res, err := eval.Rank(s)
	if err != nil {
		return err
	}
	return c.print(a, "rankings", tableAndJSON(res))
}
