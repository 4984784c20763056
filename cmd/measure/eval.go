package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/eval"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type evalCmd struct {
	Labelled string   `help:"CSV of Schedule I lines with the EIN as filed." placeholder:"FILE" type:"path"`
	BMF      []string `name:"bmf" help:"Parts of the business master file: the universe." placeholder:"FILE" sep:"none"`
	More     []string `arg:"" optional:"" help:"More parts of the master file."`
	World    string   `help:"An invented world, whose truth is known." placeholder:"DIR"`
	Sources  string   `help:"A folder of upstream files; the EINs filed in its returns are hidden." placeholder:"DIR"`
	Lines    int      `help:"How many lines of a build are resolved with their EIN hidden, at most." default:"50000" placeholder:"N"`
	Folds    bool     `help:"Fit the model on four fifths of the organizations and test it on the rest, in turn."`
	Model    string   `help:"A model file to use instead of the one that ships with the program." placeholder:"FILE"`
	Wrong    string   `help:"Write every wrong answer to this CSV file." placeholder:"FILE"`
	Fit      string   `help:"Write a model fitted to all lines to this file." placeholder:"FILE"`
	Into     string   `help:"Also put the tables into this Markdown file, between its markers." placeholder:"FILE"`
	Gates    bool     `help:"Fail when a figure is not within its bound."`
	JSON     bool     `name:"json" help:"Print only the line of JSON."`

	screeningFlags
	causesFlags
	semanticFlags
	rankingsFlags
	supportFlags
	reconcileFlags
	namesFlags
	questionsFlags
	prospectsFlags

	scratch string // a folder that is removed at the end
}

func (c *evalCmd) Run(a *terminal.App) (err error) {
	defer caught(&err)
	if c.scratch, err = os.MkdirTemp("", "grantgraph-eval-"); err != nil {
		return fault.Disk(os.TempDir(), err)
	}
	defer os.RemoveAll(c.scratch)
	return c.run(a)
}

func (c *evalCmd) run(a *terminal.App) error {
	if mode := must(c.mode()); mode != nil {
		return mode.run(c, a)
	}
	inputs := slices.DeleteFunc([]string{c.Labelled, c.World, c.Sources}, func(path string) bool { return path == "" })
	switch {
	case c.Queries != "" || c.Documents != "":
		return fault.New("bad_flag", "--queries and --documents go with --semantic").Try("measure eval --help")
	case len(inputs) != 1:
		return fault.New("bad_flag", "give one of --labelled, --world, --sources, --screening, --semantic and --causes").Try("measure eval --help")
	case c.List != "" || c.Cases != "" || c.Speed:
		return fault.New("bad_flag", "--list, --cases and --speed go with --screening").Try("measure eval --help; for a file of wrong answers, --wrong")
	case c.Lines < 1:
		return fault.New("bad_flag", "--lines must be at least 1").Try("measure eval --help")
	case c.Labelled == "" && (len(c.BMF)+len(c.More) > 0 || c.Folds || c.Model != "" || c.Wrong != "" || c.Fit != ""):
		return fault.New("bad_flag", "master files, --folds, --model, --wrong and --fit go with --labelled").Try("measure eval --help")
	case c.Labelled == "":
		return c.evalBuild(a)
	}
	cases, read, u := c.load()
	if c.Fit != "" {
		check(terminal.WriteFile(c.Fit, func(w io.Writer) error {
			_, err := eval.Fit(u, cases).WriteTo(w)
			return err
		}))
	}
	m := readModel(c.Model)
	ask := func(list io.Writer) error {
		res := must(eval.Labelled(a.Ctx, u, cases, eval.Options{Folds: c.Folds, Model: m, Read: read, List: list}))
		return errors.Join(c.print(a, "labelled", res.Print), c.judge(res.Gates))
	}
	if c.Wrong == "" {
		return ask(nil)
	}
	return terminal.WriteFile(c.Wrong, ask)
}

func (c *evalCmd) evalBuild(a *terminal.App) error {
	if c.World != "" { // before a build that would be for nothing
		if _, err := os.Stat(c.truth()); err != nil {
			return fault.New("no_truth", "%s has no truth.ndjson: it is not an invented world", c.World).
				Try("measure eval --sources %s", c.World)
		}
	}
	var blind *eval.Result
	result := must(ingest.Run(a.Ctx, ingest.Options{
		Sources: c.Sources + c.World, Data: c.scratch,
		Examine: func(r *resolve.Resolver, labels []resolve.Label) { blind = eval.Examine(r, labels, c.Lines) },
	}))
	m := result.Report.Model
	blind.Model = fmt.Sprintf("%s, assuming that %.0f %% of unresolved lines have no organization", m.Origin, 100*m.Outside)
	if c.World == "" {
		return errors.Join(c.print(a, "sources", blind.Print), c.judge(blind.Gates))
	}
	w := c.compare(result.Snapshot)
	err := c.print(a, "world", func(out io.Writer, onlyJSON bool) error { return eval.PrintWorld(out, w, blind, onlyJSON) })
	return errors.Join(err, c.judge(w.Gates()))
}

func (c *evalCmd) judge(gates []eval.Gate) error {
	failed := eval.Failed(gates)
	if !c.Gates || len(failed) == 0 {
		return nil
	}
	var list []string
	for _, g := range failed {
		list = append(list, fmt.Sprintf("%s is %.3f, not within %.3f", g.Name, g.Value, g.Bound))
	}
	return fault.New("gate_failed", "%s", strings.Join(list, "; ")).Try("measure eval --help; --wrong lists the wrong answers")
}

// print prints the tables, and with --into writes them into a document.
func (c *evalCmd) print(a *terminal.App, mark string, tables func(w io.Writer, onlyJSON bool) error) error {
	if err := tables(a.Out, c.JSON); err != nil || c.Into == "" {
		return err
	}
	text, err := os.ReadFile(c.Into)
	if err != nil {
		return fault.Disk(c.Into, err)
	}
	begin, end := fmt.Sprintf("<!-- begin %s -->\n", mark), fmt.Sprintf("<!-- end %s -->", mark)
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fault.New("no_marks", "%s has no markers for the tables", c.Into).
			Try("put the lines %q and %q where they belong", strings.TrimSpace(begin), end)
	}
	var b strings.Builder
	check(tables(&b, false))
	// The line of JSON is for machines.
	body := b.String()
	if i := strings.LastIndex(body, "\n{"); i >= 0 {
		body = body[:i+1]
	}
	return fault.Disk(c.Into, os.WriteFile(c.Into, []byte(head+begin+"\n"+strings.TrimSpace(body)+"\n\n"+end+tail), 0o644))
}

func (c *evalCmd) truth() string { return filepath.Join(c.World, "truth.ndjson") }

func (c *evalCmd) compare(s *snapshot.Snapshot) *eval.World {
	truth := readFile(c.truth(), "the truth of an invented world", eval.ReadTruth)
	known := map[ein.EIN]bool{}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		check(err)
		e, _ := ein.Filed(o.EIN)
		known[e] = true
	}
	return must(eval.CompareWorld(truth, snapshot.Rows[snapshot.Grant](s, snapshot.Grants), func(e ein.EIN) bool { return known[e] }))
}

func (c *evalCmd) load() (cases []eval.Case, read rows.Tally, u *resolve.Universe) {
	masters := append(c.BMF, c.More...)
	if len(masters) == 0 {
		check(fault.New("bad_flag", "no master file given: there are no organizations to choose from").
			Try("measure eval --labelled %s --bmf eo1.csv eo2.csv eo3.csv eo4.csv", c.Labelled))
	}
	read = readFile(c.Labelled, "a file of labelled lines", func(r io.Reader) (rows.Tally, error) {
		return eval.ReadLabelled(r, func(l *eval.Case) error {
			cases = append(cases, *l)
			return nil
		})
	})
	if len(cases) == 0 {
		check(fault.New("no_labels", "%s has no line with a usable EIN", c.Labelled).Try("check the column filed_ein"))
	}
	b := resolve.NewUniverse()
	for _, path := range masters {
		readFile(path, "a part of the business master file", func(r io.Reader) (rows.Tally, error) { return eval.AddMaster(b, r) })
	}
	eval.Teach(b, cases)
	return cases, read, b.Build()
}

func readModel(path string) *model.Model {
	if path == "" {
		return nil
	}
	return readFile(path, "a model of this version", resolve.ReadModel)
}

func readFile[T any](path, what string, read func(io.Reader) (T, error)) (v T) {
	check(terminal.ReadFile(path, what, func(r io.Reader) (err error) {
		v, err = read(r)
		return err
	}))
	return v
}

// readMasters reads parts of the master file. The record is used again after do.
func readMasters(paths []string, do func(path string, m *bmf.Record)) {
	for _, path := range paths {
		readFile(path, "a part of the business master file", func(r io.Reader) (rows.Tally, error) {
			return bmf.Read(r, func(m *bmf.Record) error {
				do(path, m)
				return nil
			})
		})
	}
}
