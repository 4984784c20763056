package main

import (
	"errors"
	"io"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/identify/quality"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type namesFlags struct {
	Names  bool   `help:"Measure how often the organization that a name means is found." group:"Names"`
	Judged string `help:"CSV of names and their EINs (text, state, ein, kind); with --semantic, questions, EINs and grades." placeholder:"FILE" group:"Names"`
}

func (c *evalCmd) evalNames(a *terminal.App) (err error) {
	if c.Data == "" {
		return fault.New("bad_flag", "--names needs --data").Try("measure eval --names --data data --judged names.csv")
	}
	s := must(snapshot.Open(c.Data))
	var tables []func(w io.Writer, asJSON bool) error
	var failed []error
	if c.Judged != "" {
		cases := readFile(c.Judged, "a file of judged names", quality.ReadJudged)
		e := must(identify.Learn(a.Ctx, s, nil))
		res := quality.Measure(e, cases)
		tables = append(tables, func(w io.Writer, asJSON bool) error { return res.Print(w, "judged names", asJSON) })
		failed = append(failed, res.Judge())
	}
	plain, placed := must2(quality.Filed(a.Ctx, s, c.Lines))
	tables = append(tables,
		func(w io.Writer, asJSON bool) error { return plain.Print(w, "names on lines", asJSON) },
		func(w io.Writer, asJSON bool) error { return placed.Print(w, "names on lines, with the state", asJSON) })
	failed = append(failed, plain.Judge(), placed.Judge())
	err = c.print(a, "names", func(w io.Writer, asJSON bool) error {
		for _, t := range tables {
			if err := t(w, asJSON); err != nil {
				return err
			}
		}
		return nil
	})
	if c.Gates {
		err = errors.Join(append(failed, err)...)
	}
	return err
}
