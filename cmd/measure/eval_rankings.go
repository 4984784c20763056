package main

import (
	"errors"
	"io"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/resolve/eval"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type rankingsFlags struct {
	Rankings bool `help:"Print who leads the rankings of a snapshot, with the lines behind each." group:"Snapshots"`
	Hardness bool `help:"Print how hard the lines of a snapshot are to resolve." group:"Snapshots"`
	Links    bool `help:"Print links to judge: the largest, and links of single rules drawn with --seed." group:"Snapshots"`
	Stated   bool `help:"Compare the links of a snapshot with the EINs that filers state for the same names." group:"Snapshots"`
}

func (c *evalCmd) evalSnapshot(a *terminal.App) error {
	if c.World != "" && c.Sources != "" {
		return fault.New("bad_flag", "--rankings, --hardness, --stated and --links take one of --data, --sources and --world").Try("measure eval --help")
	}
	data := c.Data
	if from := c.Sources + c.World; from != "" {
		data = c.scratch
		must(ingest.Run(a.Ctx, ingest.Options{Sources: from, Data: data}))
	}
	s, release := must2(snapshot.OpenHeld(data))
	defer release()
	if c.Rankings {
		res := must(eval.Rank(s))
		return c.print(a, "rankings", res.Print)
	}
	if c.Links {
		draws := must(eval.DrawLinks(s, c.Seed))
		return c.print(a, "links", func(w io.Writer, onlyJSON bool) error { return eval.PrintLinks(w, draws, onlyJSON) })
	}
	if c.Stated {
		res := must(eval.MeasureStated(s))
		return errors.Join(c.print(a, "stated", res.Print), c.judge(res.Gates))
	}
	h := must(eval.MeasureHardness(s))
	mark := "hardness"
	if h.Invented {
		mark = "hardness of a world"
	}
	return c.print(a, mark, h.Print)
}
