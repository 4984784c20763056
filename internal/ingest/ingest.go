// Package ingest is the build side: it reads upstream files, stages what they
// say, chooses one return per filer and period, links each grant line to its
// recipient, classifies it, and publishes the result as an immutable snapshot.
// It never imports serve: the indexes that the service reads come in by
// Options.Indexers.
//
// The line runs in a fixed order and every step is a function of the one
// before, so the same sources give the same bytes whatever the number of
// cores. Staged shards are kept between runs: a build that is killed goes on
// where it stopped, and next month's build reads only what is new.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Options say what to build and where.
type Options struct {
	Sources string // folder of upstream files
	Data    string // data directory: stage, snapshots, pointer
	Workers int    // 0 means one per core
	Keep    int    // snapshots to keep; 0 means 3

	// Stage has the shards that others have made from the returns, which are not
	// read then; nil means that they are made here.
	Stage *Stage
	// WithoutQuarantined leaves out what they could not read.
	WithoutQuarantined bool

	// Complete is the last fiscal year whose returns are all there; 0 leaves it
	// to be judged by the number of filers, which a sample of the returns misleads.
	Complete int

	// MaskIndividuals leaves out of the snapshot who the private persons are
	// that grants were paid to.
	MaskIndividuals bool

	// Indexers derive what the serving side needs from the finished tables,
	// before the snapshot is published.
	Indexers []snapshot.Indexer
	// ListIndexers do the same for the edition of the compliance lists.
	ListIndexers []snapshot.Indexer

	// Progress is told of each step: the phase, how much of it is done and how
	// much there is. It may be nil; it is called from several goroutines, one
	// at a time.
	Progress func(phase string, done, total int64)

	// Note is told, as it happens, what is the matter with this machine and not
	// with the sources: damage that was made good, what could not be tidied up.
	// It may be nil; it is called as Progress is.
	Note func(text string)

	// Model answers for the lines that no rule decides, where it is set; else
	// one is trained on these sources.
	Model *model.Model

	// Examine is shown the resolver and the lines whose EIN was filed, before
	// any line is resolved. It may be nil.
	Examine func(*resolve.Resolver, []resolve.Label)

	// Now stamps the snapshot; nil means the clock.
	Now func() time.Time

	// shardBytes is the size of a shard; tests make it small to have many.
	shardBytes int64
}

// Result is what a build came to.
type Result struct {
	Snapshot *snapshot.Snapshot
	Report   *Report
	Reused   int // staged shards taken over from an earlier run
	Remade   int // staged shards that were damaged and are made anew
	Staged   int // all staged shards
}

// builder carries one build through its steps.
type builder struct {
	progress
	opt        Options
	workers    int
	sources    *Sources
	stageDir   string
	stager     *stager
	shared     *Plan // of the shared stage, if there is one
	shardBytes int64

	places   *place.Gazetteer
	clusters *abroad.Clusters

	organizations int64 // rows of the table

	usedMu sync.Mutex
	used   []snapshot.Source // the sources that were read
	report *Report
	result Result
}

// Run builds a snapshot and makes it current. On any error the snapshot that
// was current stays so.
func Run(ctx context.Context, opt Options) (*Result, error) {
	b := &builder{progress: progress{show: opt.Progress, showNote: opt.Note}, opt: opt, workers: opt.Workers, report: newReport()}
	if b.workers <= 0 {
		b.workers = runtime.GOMAXPROCS(0)
	}
	if b.shardBytes = opt.shardBytes; b.shardBytes <= 0 {
		b.shardBytes = defaultShardBytes
	}
	if opt.MaskIndividuals {
		b.report.Masked.Individuals = snapshot.IndividualsMasked
	}
	now := time.Now
	if opt.Now != nil {
		now = opt.Now
	}
	keep := opt.Keep
	if keep <= 0 {
		keep = 3
	}
	b.stageDir = filepath.Join(opt.Data, "stage")

	var err error
	look := Discover
	if opt.Stage != nil {
		look = discoverRest
	}
	if b.sources, err = look(ctx, opt.Sources); err != nil {
		return nil, err
	}
	b.report.Warnings = append(b.report.Warnings, b.sources.Warnings...)
	b.report.addUntaken(b.sources.Untaken)
	release, err := lock(opt.Data)
	if err != nil {
		return nil, err
	}
	defer release()

	if opt.Stage != nil {
		if b.shared, err = b.sharedPlan(ctx); err != nil {
			return nil, err
		}
	}
	edition, err := b.makeEdition(ctx, now)
	if err != nil {
		return nil, err
	}
	c, err := b.readCorpus(ctx)
	if err != nil {
		return nil, err
	}
	w, err := snapshot.Create(opt.Data, now())
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	plan := c.Plan
	manifest, err := b.writeSnapshot(ctx, w, c, edition)
	if err != nil {
		return nil, err
	}
	b.phase("verify", 1)
	if err := w.Verify(ctx); err != nil {
		return nil, err
	}
	b.step(1)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.result.Snapshot, err = w.Publish(manifest); err != nil {
		return nil, err
	}
	// What is left over from earlier builds is only disk space, and recipients
	// abroad can be told apart anew; failing at either does not undo the
	// snapshot.
	err = errors.Join(b.keepClusterKeys(), snapshot.Prune(opt.Data, keep), b.pruneStage(plan))
	if err != nil {
		b.note("the snapshot is published, but some cleanup after it failed: %v", err)
	}
	b.phase("", 0)
	b.report.Warnings = append(b.report.Warnings, b.notes...)
	result := b.result
	result.Report = b.report
	return &result, nil
}

// readCorpus reads the returns and finds out whom their grants paid.
func (b *builder) readCorpus(ctx context.Context) (*corpus, error) {
	var err error
	c := &corpus{}
	if c.Plan = b.shared; c.Plan == nil {
		if c.Plan, err = b.planShards(ctx); err != nil {
			return nil, err
		}
	}
	if err := b.stageAll(ctx, c.Plan); err != nil {
		return nil, err
	}
	if err := b.chooseReturns(ctx, c); err != nil {
		return nil, err
	}
	if err := b.gatherLines(ctx, c); err != nil {
		return nil, err
	}
	if b.places, err = b.gazetteer(ctx); err != nil {
		return nil, err
	}
	overrides, err := b.overrides(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.loadUniverse(ctx, c); err != nil {
		return nil, err
	}
	if err := overrides.Check(c.universe); err != nil {
		return nil, b.overrideFault(b.sources.Overrides[0], err)
	}
	if err := b.findRecipients(ctx, c, overrides); err != nil {
		return nil, err
	}
	if err := b.sortRows(ctx, c); err != nil {
		return nil, err
	}
	if err := b.findKin(ctx, c); err != nil {
		return nil, err
	}
	return c, b.sortFunders(ctx, c)
}

// writeSnapshot writes every table, and the indexes made from them. It empties
// the corpus as soon as its tables are written: what follows reads those, and
// needs the memory.
func (b *builder) writeSnapshot(ctx context.Context, w *snapshot.Writer, c *corpus, edition *lists.Edition) (m snapshot.Manifest, err error) {
	if err := b.writeCorpus(ctx, w, c); err != nil {
		return m, err
	}
	b.addArchives(c.Plan)
	// The awards and the lists have nothing to do with the rows that are counted
	// meanwhile.
	var counts snapshot.Counts
	beside := [...]func(context.Context) error{
		func(ctx context.Context) (err error) {
			b.report.Awards, err = b.awards(ctx, w, newPayeeFinder(c.universe))
			return err
		},
		func(ctx context.Context) error { counts = b.countRows(c); return b.indexCoverage(ctx, c.filings) },
		func(ctx context.Context) error { return b.writeListTables(ctx, w, edition) },
	}
	err = parallel.Each(ctx, b.workers, len(beside), func(ctx context.Context, i int) error { return beside[i](ctx) })
	if err != nil {
		return m, err
	}
	*c = corpus{}
	debug.FreeOSMemory()

	if b.report.UK, err = b.uk(ctx, w, b.sources.UK); err != nil {
		return m, err
	}
	if b.report.Derived, err = b.derive(ctx, w, edition); err != nil {
		return m, err
	}
	if err := b.writeIndexes(ctx, w); err != nil {
		return m, err
	}
	return b.makeManifest(counts)
}

// chunks runs fn over 0..n in pieces on all workers. All but the last are
// chunkSize long.
func (b *builder) chunks(ctx context.Context, n int, fn func(from, to int)) error {
	return parallel.Each(ctx, b.workers, chunkCount(n), func(_ context.Context, i int) error {
		fn(i*chunkSize, min(n, (i+1)*chunkSize))
		return nil
	})
}

const chunkSize = 8 << 10

// chunkCount is how many pieces 0..n has.
func chunkCount(n int) int { return (n + chunkSize - 1) / chunkSize }

// gazetteer is the shipped ZIP-to-county table, or a newer Census file.
func (b *builder) gazetteer(ctx context.Context) (g *place.Gazetteer, err error) {
	g = place.Shipped()
	if len(b.sources.Census) == 0 {
		return g, nil
	}
	err = b.readSource(ctx, "census", b.sources.Census[0], "a Census ZIP-to-county relationship file", func(r io.Reader) (int64, error) {
		g, err = g.WithCensus(r)
		if err != nil {
			return 0, err
		}
		return int64(len(g.ZIPs())), nil
	})
	return g, err
}

// overrides reads the adjudicated corrections, if there are any.
func (b *builder) overrides(ctx context.Context) (o *resolve.Overrides, err error) {
	if len(b.sources.Overrides) == 0 {
		return nil, nil
	}
	path := b.sources.Overrides[0]
	err = b.readSource(ctx, "override_human", path, "a list of overrides", func(r io.Reader) (int64, error) {
		o, err = resolve.ReadOverrides(r, path)
		return int64(o.Len()), b.overrideFault(path, err)
	})
	return o, err
}

// overrideFault says what is wrong with a list of overrides, which somebody
// wrote and nobody can fetch.
func (b *builder) overrideFault(rel string, err error) error {
	if err == nil {
		return nil
	}
	return fault.New("wrong_format", "%s cannot be used: %w", b.sources.abs(rel), err).
		Try("correct it, or move it out of the sources folder")
}

// addArchives lists the zips of returns among the sources.
func (b *builder) addArchives(p *Plan) {
	for i := range p.archives {
		a := &p.archives[i]
		if a.refused != "" {
			continue
		}
		b.addSource(snapshot.Source{Kind: "irs990", Path: a.rel, Bytes: a.bytes, SHA256: a.sha256, Rows: int64(a.members)})
	}
}

// makeManifest puts the headline numbers and the report together.
func (b *builder) makeManifest(counts snapshot.Counts) (snapshot.Manifest, error) {
	slices.SortFunc(b.used, func(x, y snapshot.Source) int {
		if c := strings.Compare(x.Kind, y.Kind); c != 0 {
			return c
		}
		return strings.Compare(x.Path, y.Path)
	})
	counts.Organizations = b.organizations
	m := snapshot.Manifest{Invented: b.sources.Invented, Individuals: b.report.Masked.Individuals, Sources: b.used, Counts: counts}
	// The report is whole only now that the rows are counted.
	body, err := json.Marshal(b.report)
	if err != nil {
		return snapshot.Manifest{}, fmt.Errorf("encoding the report: %w", err)
	}
	m.Report = body
	return m, nil
}
