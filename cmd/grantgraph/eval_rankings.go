package main

import (
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve/eval"
	"grantgraph/internal/snapshot"
)

// rankingsFlags are those of eval --rankings.
type rankingsFlags struct {
	Rankings bool `help:"Print who leads the rankings of a snapshot, with the lines behind each." group:"Rankings"`
}

// evalRankings prints the rankings of the current snapshot.
func (c *evalCmd) evalRankings(a *app) error {
	if c.Labelled != "" || c.World != "" || c.Sources != "" || len(c.BMF)+len(c.More) > 0 || c.Folds || c.Model != "" || c.Wrong != "" || c.Fit != "" ||
		c.Screening || c.List != "" || c.Cases != "" || c.Speed {
		return fault.New("bad_flag", "--rankings goes with --data, --into and --json alone").Try("grantgraph eval --help")
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
	res, err := eval.Rank(s)
	if err != nil {
		return err
	}
	return c.print(a, "rankings", tableAndJSON(res))
}
