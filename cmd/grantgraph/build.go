package main

import (
	"io"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type buildCmd struct {
	Sources  string        `help:"Folder of upstream files, as fetch and synth fill it; only 990/*.zip is needed." default:"sources" placeholder:"DIR"`
	Data     string        `help:"Data directory for intermediate files and snapshots." default:"data" placeholder:"DIR"`
	Stage    string        `placeholder:"STORE"`
	Header   []secret.Text `name:"store-header" help:"With --stage: header of server-side encryption, as the workers sent it." placeholder:"NAME:VALUE"`
	Without  bool          `name:"without-quarantined" help:"With --stage: leave out what the workers could not read."`
	Workers  int           `help:"Parallel workers; 0 is one per core." default:"0" placeholder:"N"`
	Keep     int           `help:"How many snapshots to keep." default:"3" placeholder:"N"`
	Complete int           `name:"complete-year" placeholder:"YEAR"`
	Model    string        `placeholder:"FILE"`
	Meaning  int           `name:"meaning-documents" default:"100000" placeholder:"N"`
	Persons  string        `name:"individuals" enum:"filed,masked" default:"filed"`
	States   []string      `placeholder:"STATE"`
	EINs     string        `name:"eins" help:"File with EINs, one a line: keep the returns of these filers, beside those of --states." placeholder:"FILE"`
	DryRun   bool          `name:"dry-run" help:"Only say which files would be read and which not, with the reasons. Nothing is written."`
	JSON     bool          `name:"json" help:"Print the manifest as JSON instead of the report."`
	Quiet    bool          `short:"q" help:"No progress."`
}

func (c *buildCmd) Run(a *terminal.App) error {
	if c.DryRun {
		return c.look(a)
	}
	return a.ResumeWith(c.run(a), "run the same command again; what has been read is kept in %s, and the snapshot being served has not changed", c.Data)
}

func (c *buildCmd) run(a *terminal.App) error {
	if c.Workers < 0 || c.Keep < 1 {
		return fault.New("bad_flag", "--workers must not be negative and --keep must be at least 1").Try("grantgraph build --help")
	}
	if c.Complete != 0 && (c.Complete < 1990 || c.Complete > 2100) {
		return fault.New("bad_flag", "--complete-year %d is not a fiscal year", c.Complete).Try("--complete-year 2023")
	}
	if c.Meaning < 0 {
		return fault.New("bad_flag", "--meaning-documents must not be negative").Try("--meaning-documents 0 for the fast encoder alone")
	}
	if (c.Without || len(c.Header) > 0) && c.Stage == "" {
		return fault.New("bad_flag", "--without-quarantined and --store-header are for --stage").Try("omit them")
	}
	var shared *stage.Shared
	if c.Stage != "" {
		var err error
		if shared, err = (&stageFlags{c.Stage, c.Header}).open(); err != nil {
			return err
		}
	}
	var m *model.Model
	if c.Model != "" {
		err := terminal.ReadFile(c.Model, "a model of this version", func(r io.Reader) (err error) {
			m, err = resolve.ReadModel(r)
			return err
		})
		if err != nil {
			return err
		}
	}
	scope, err := readScope(c.States, c.EINs)
	if err != nil {
		return err
	}
	start := time.Now()
	bars := terminal.NewPhases(a, c.Quiet || c.JSON)
	bars.ModelGiven = m != nil
	result, err := ingest.Run(a.Ctx, ingest.Options{
		Sources: c.Sources, Data: c.Data, Stage: shared, WithoutQuarantined: c.Without,
		Workers: c.Workers, Keep: c.Keep, Complete: c.Complete, Model: m, MaskIndividuals: c.Persons == snapshot.IndividualsMasked,
		Scope:    scope,
		Indexers: indexes.Reading(c.Meaning), ListIndexers: indexes.Lists(),
		Progress: bars.Progress, Note: bars.Note,
	})
	bars.Close()
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(result.Snapshot.Manifest)
	}
	return printBuild(a.Out, result, time.Since(start))
}

// mostChosen bounds the file of EINs.
const mostChosen = 4 << 20

// readScope reads whose returns a build keeps: codes or names of states, and a file of EINs.
func readScope(states []string, path string) (s ingest.Scope, err error) {
	for _, name := range states {
		code, ok := place.State(strings.TrimSpace(name))
		if !ok {
			return s, fault.New("bad_flag", "--states %s is not a state", fault.Clip(name, 40)).Try("--states OH,PA")
		}
		s.States = append(s.States, code)
	}
	slices.Sort(s.States)
	s.States = slices.Compact(s.States)
	if path == "" {
		return s, nil
	}
	var text []byte
	err = terminal.ReadFile(path, "a list of EINs", func(r io.Reader) (err error) {
		if text, err = io.ReadAll(io.LimitReader(r, mostChosen+1)); err == nil && len(text) > mostChosen {
			err = fault.New("bad_flag", "it has more than %d bytes", mostChosen)
		}
		return err
	})
	if err != nil {
		return s, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := ein.Parse(line)
		if err != nil {
			return s, fault.New("bad_flag", "%s, line %d: %q is not an EIN", path, i+1, fault.Clip(line, 40)).Try("one EIN a line, such as 07-0000001")
		}
		s.EINs = append(s.EINs, e)
	}
	slices.Sort(s.EINs)
	if s.EINs = slices.Compact(s.EINs); len(s.EINs) == 0 {
		return s, fault.New("bad_flag", "%s has no EINs", path).Try("one EIN a line, such as 07-0000001")
	}
	return s, nil
}

func (c *buildCmd) look(a *terminal.App) error {
	survey, err := discover.Look(a.Ctx, c.Sources)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(survey)
	}
	return printSurvey(a.Out, survey)
}

type sharesTable struct {
	List []ingest.Count
	All  snapshot.Counts
}

type awardRow struct {
	Name         string
	Placed, Lost ingest.AwardFlow
}

type untakenTable struct {
	Shown     []discover.Untaken
	All, More int64
}

type learnedNames struct{ Names, Bytes int64 }

func printBuild(w io.Writer, result *ingest.Result, took time.Duration) error {
	page := struct {
		*ingest.Result
		Manifest    *snapshot.Manifest
		Most, Bytes int64
		Learned     *learnedNames // nil when there is no index of names
		Took        time.Duration
	}{Result: result, Manifest: &result.Snapshot.Manifest, Bytes: totalBytes(&result.Snapshot.Manifest), Took: took.Round(100 * time.Millisecond)}
	for _, y := range result.Report.Years {
		page.Most = max(page.Most, y.TotalAmount)
	}
	if names, bytes, err := identify.Learned(result.Snapshot); err == nil {
		page.Learned = &learnedNames{names, bytes}
	}
	return pages.Print(w, "build", page)
}

// surveyedSource is a kind of source files as a dry run lists it.
type surveyedSource struct {
	Kind, Dates string
	Files       int
	Bytes       int64
}

func printSurvey(w io.Writer, s *discover.Survey) error {
	page := struct {
		*discover.Survey
		Sources      []surveyedSource
		UntakenCount int64
	}{Survey: s, UntakenCount: int64(len(s.Untaken))}
	for run := range radix.Runs(s.Taken, func(x, y discover.Taken) bool { return x.Kind == y.Kind }) {
		row := surveyedSource{Kind: run[0].Kind, Files: len(run)}
		first, last, undated := "", "", false
		for _, x := range run {
			row.Bytes += x.Bytes
			if x.Date == "" {
				undated = true
				continue
			}
			if first == "" || x.Date < first {
				first = x.Date
			}
			last = max(last, x.Date)
		}
		if row.Dates = first; last != first {
			row.Dates += " to " + last
		}
		if undated && row.Dates != "" {
			row.Dates += ", and without a date"
		}
		page.Sources = append(page.Sources, row)
	}
	return pages.Print(w, "survey", page)
}

func totalBytes(m *snapshot.Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
