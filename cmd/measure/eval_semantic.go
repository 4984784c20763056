package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/search/quality"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type semanticFlags struct {
	Semantic  bool   `help:"Measure the search for organizations, by meaning and by name." group:"Search by meaning"`
	Queries   string `placeholder:"FILE" group:"Search by meaning"`
	Documents string `help:"File of the organizations that they are asked of." placeholder:"FILE" group:"Search by meaning"`
}

func (c *evalCmd) evalSemantic(a *terminal.App) error {
	if c.Judged != "" {
		return c.evalSearchModes(a)
	}
	if (c.Queries == "") != (c.Documents == "") {
		return fault.New("bad_flag", "--queries and --documents go together").Try("measure eval --help")
	}
	queriesFile, documentsFile := c.Queries, c.Documents
	if queriesFile == "" {
		set := filepath.Join(filepath.Dir(upstream.Find()), "eval", "semantic")
		if _, err := os.Stat(set); upstream.Find() == "" || err != nil {
			return fault.New("no_set", "there is no set of questions beside the upstream files").Try("measure eval --semantic --queries FILE --documents FILE")
		}
		queriesFile, documentsFile = filepath.Join(set, "queries.jsonl"), filepath.Join(set, "documents.jsonl")
	}
	queries := readFile(queriesFile, "a file of questions", quality.ReadQueries)
	docs := readFile(documentsFile, "a file of organizations", quality.ReadDocuments)
	if len(queries) == 0 || len(docs) == 0 {
		return fault.New("no_set", "there are %d questions and %d organizations", len(queries), len(docs)).Try("check the files")
	}
	x := must(quality.Index(a.Ctx, c.scratch, docs))
	defer x.Close()
	r := must(quality.Measure(a.Ctx, x, docs, queries))
	check(c.print(a, "search quality", r.Print))
	if failed := r.Failed(); len(failed) > 0 {
		return fault.New("gate_failed", "%s", strings.Join(failed, "; "))
	}
	return nil
}

// evalSearchModes compares the modes on judged questions about a snapshot. --wrong lists
// the results that nobody judged, for a person to judge.
func (c *evalCmd) evalSearchModes(a *terminal.App) error {
	questions := readFile(c.Judged, "a file of judged questions", quality.ReadJudged)
	s := must(snapshot.Open(c.Data))
	x := must(search.Open(s))
	defer x.Close()
	compare := func(list io.Writer) error {
		r, err := quality.Compare(a.Ctx, x, questions, func(q string, r *search.Result) {
			fmt.Fprintf(list, "%s\t%s\t\t%s\n", q, r.EIN, r.Name)
		})
		if err != nil {
			return err
		}
		if err := c.print(a, "judged questions", r.Print); err != nil {
			return err
		}
		if failed := r.Failed(); c.Gates && len(failed) > 0 {
			return fault.New("gate_failed", "%s", strings.Join(failed, "; "))
		}
		return nil
	}
	if c.Wrong == "" {
		return compare(io.Discard)
	}
	return terminal.WriteFile(c.Wrong, compare)
}
