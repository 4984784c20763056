package main

import (
	"encoding/json"
	"io"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type buildCmd struct {
	Sources  string        `help:"Folder of upstream files, as fetch and synth fill it; only 990/*.zip is needed." default:"sources" placeholder:"DIR"`
	Data     string        `help:"Data directory for intermediate files and snapshots." default:"data" placeholder:"DIR"`
	Stage    string        `help:"Take what workers have read from here (see ingest) instead of reading the returns: s3://bucket/prefix, or a folder." placeholder:"STORE"`
	Header   []secret.Text `name:"store-header" help:"With --stage: header of server-side encryption, as the workers sent it." placeholder:"NAME:VALUE"`
	Without  bool          `name:"without-quarantined" help:"With --stage: leave out what the workers could not read."`
	Workers  int           `help:"Parallel workers; 0 is one per core." default:"0" placeholder:"N"`
	Keep     int           `help:"How many snapshots to keep." default:"3" placeholder:"N"`
	Complete int           `name:"complete-year" help:"Last fiscal year whose returns are all in the sources; later ones are marked as partial. By default it is the newest year with at least 95 % of the mean number of filers of the two years before, and 80 % of the fullest of the five before." placeholder:"YEAR"`
	Model    string        `help:"Model file for the lines that no rule decides, such as resolve/model.json of the current snapshot. By default one is trained on the sources." placeholder:"FILE"`
	Meaning  int           `name:"meaning-documents" help:"How many organizations, the largest first, have their texts read by the slow encoder for search by meaning: about 100 a second on a core with AVX-512. The others get vectors from the fast one." default:"100000" placeholder:"N"`
	Persons  string        `name:"individuals" help:"How private persons that grants were paid to are shown: filed, as in the returns, or masked, without name, city, ZIP code and purpose." enum:"filed,masked" default:"filed"`
	DryRun   bool          `name:"dry-run" help:"Only say which files would be read and which not, with the reasons. Nothing is written."`
	JSON     bool          `name:"json" help:"Print the manifest as JSON instead of the report."`
	Quiet    bool          `short:"q" help:"No progress."`
}

// Help is shown by build --help.
func (buildCmd) Help() string {
	return `Reads every filing it finds, keeps one return per filer and period, links each
grant to its recipient, and publishes the result as a new snapshot. The snapshot
that was current stays current until the new one is complete.

A build that was stopped continues where it left off: what has been read is kept
in the data directory. A filing that cannot be read is set aside with its reason
and counted; it never stops a build.

After a change, only archives that are new or different are read. Recipients are
resolved anew, with a model that is trained again; --model keeps the model as it
is.

Folders below the sources may be links to folders elsewhere. A file that is not
taken is listed in the report with the reason; --dry-run lists all of them
before anything is built.

Returns name private persons who were paid a grant. With --individuals=masked
the snapshot does not say who they are; overrides/masked.csv does the same for
single lines.`
}

func (c *buildCmd) Run(a *terminal.App) error {
	if c.DryRun {
		return c.look(a)
	}
	_, err := c.run(a)
	return a.ResumeWith(err, "run the same command again; what has been read is kept in %s, and the snapshot being served has not changed", c.Data)
}

func (c *buildCmd) run(a *terminal.App) (*ingest.Result, error) {
	if c.Workers < 0 || c.Keep < 1 {
		return nil, fault.New("bad_flag", "--workers must not be negative and --keep must be at least 1").Try("grantgraph build --help")
	}
	if c.Complete != 0 && (c.Complete < 1990 || c.Complete > 2100) {
		return nil, fault.New("bad_flag", "--complete-year %d is not a fiscal year", c.Complete).Try("--complete-year 2023")
	}
	if c.Meaning < 0 {
		return nil, fault.New("bad_flag", "--meaning-documents must not be negative").Try("--meaning-documents 0 for the fast encoder alone")
	}
	if (c.Without || len(c.Header) > 0) && c.Stage == "" {
		return nil, fault.New("bad_flag", "--without-quarantined and --store-header are for --stage").Try("omit them")
	}
	var shared *stage.Shared
	if c.Stage != "" {
		var err error
		if shared, err = (&stageFlags{c.Stage, c.Header}).open(); err != nil {
			return nil, err
		}
	}
	var m *model.Model
	if c.Model != "" {
		err := terminal.ReadFile(c.Model, "a model of this version", func(r io.Reader) (err error) {
			m, err = resolve.ReadModel(r)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	start := time.Now()
	bars := terminal.NewPhases(a, c.Quiet || c.JSON)
	bars.ModelGiven = m != nil
	result, err := ingest.Run(a.Ctx, ingest.Options{
		Note: bars.Note, Sources: c.Sources, Data: c.Data, Stage: shared, WithoutQuarantined: c.Without, Workers: c.Workers, Keep: c.Keep, Complete: c.Complete, MaskIndividuals: c.Persons == snapshot.IndividualsMasked, Model: m, Progress: bars.Progress, Indexers: indexes.Reading(c.Meaning), ListIndexers: indexes.Lists(),
	})
	bars.Close()
	if err != nil {
		return nil, err
	}
	if c.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", "  ")
		return result, enc.Encode(result.Snapshot.Manifest)
	}
	printBuild(a.Out, result, time.Since(start))
	return result, nil
}
