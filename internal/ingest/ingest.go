// Package ingest is the build side. It reads upstream files, stages their contents, chooses one return per
// filer and period, links each grant line to its recipient, classifies it, and publishes the result as an
// immutable snapshot. It never imports serve: Options.Indexers supplies the indexes that the service reads.
//
// The steps run in a fixed order and each depends only on the one before, so the same sources give the same
// bytes on any number of cores. Staged shards are kept between runs: a build that is killed resumes where it
// stopped, and next month's build reads only what is new.
package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/edition"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

type Options struct {
	Sources string // folder of upstream files
	Data    string // data directory: stage, snapshots, pointer
	Workers int    // 0 means one per core
	Keep    int    // snapshots to keep; 0 means 3

	// Stage supplies shards that others have made from the returns, so the build does not read the returns.
	// If nil, the build makes the shards itself.
	Stage *stage.Shared
	// WithoutQuarantined leaves out the returns that the shared stage could not read.
	WithoutQuarantined bool

	// Complete is the last fiscal year whose returns have all arrived. If 0, the build judges by the number
	// of filers, which is misleading for a sample of the returns.
	Complete int

	// Scope limits the build to the returns of some filers.
	Scope Scope

	// MaskIndividuals removes the identities of private persons who received grants from the snapshot.
	MaskIndividuals bool

	// Indexers build what the serving side needs from the finished tables, before the snapshot is published.
	Indexers []snapshot.Indexer
	// ListIndexers do the same for the edition of the compliance lists.
	ListIndexers []snapshot.Indexer

	// Progress receives the progress of each step: the phase, the units done and the total. It may be nil. It
	// is called from several goroutines, one call at a time.
	Progress func(phase string, done, total int64)

	// Note receives problems with this machine, not with the sources, as they happen: repaired damage, or
	// files that could not be removed. It may be nil. It is called like Progress.
	Note func(text string)

	// Model resolves the lines that no rule decides. If nil, a model is trained on these sources.
	Model *model.Model

	// Examine receives the resolver and the lines with a filed EIN, before any line is resolved. It may be nil.
	Examine func(*resolve.Resolver, []resolve.Label)

	// Now is the time of the snapshot; nil means the clock.
	Now func() time.Time

	// shardBytes is the size of a shard; tests make it small to have many.
	shardBytes int64
}

type Result struct {
	Snapshot *snapshot.Snapshot
	Report   *Report
	stage.Filled
}

type builder struct {
	progress
	opt     Options
	workers int
	sources *discover.Sources

	places   *place.Gazetteer
	clusters *abroad.Clusters

	organizations int64 // rows of the table

	usedMu sync.Mutex
	used   []snapshot.Source // the sources that were read
	report *Report
	result Result
}

// Run builds a snapshot and makes it current. On any error the previous snapshot stays current.
func Run(ctx context.Context, opt Options) (*Result, error) {
	b := &builder{progress: progress{show: opt.Progress, showNote: opt.Note}, opt: opt, report: newReport(),
		workers: cmp.Or(max(opt.Workers, 0), runtime.GOMAXPROCS(0))}
	if opt.MaskIndividuals {
		b.report.Masked.Individuals = snapshot.IndividualsMasked
	}
	now := time.Now
	if opt.Now != nil {
		now = opt.Now
	}
	var err error
	look := discover.All
	if opt.Stage != nil {
		look = discover.Rest
	}
	if b.sources, err = look(ctx, opt.Sources); err != nil {
		return nil, err
	}
	b.report.Warnings = append(b.report.Warnings, b.sources.Warnings...)
	b.report.UntakenCount = int64(len(b.sources.Untaken))
	b.report.Untaken = append(b.report.Untaken, b.sources.Untaken[:min(len(b.sources.Untaken), maxUntaken)]...)
	release, err := snapshot.Lock(opt.Data)
	if err != nil {
		return nil, err
	}
	defer release()

	var shared *stage.Plan
	if opt.Stage != nil {
		if shared, err = b.sharedPlan(ctx); err != nil {
			return nil, err
		}
	}
	lists, err := b.makeEdition(ctx, now)
	if err != nil {
		return nil, err
	}
	c, err := b.readCorpus(ctx, shared)
	if err != nil {
		return nil, err
	}
	w, err := snapshot.Create(opt.Data, now())
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	staged := c.stage // writeSnapshot empties the corpus
	manifest, err := b.writeSnapshot(ctx, w, c, lists)
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
	// The snapshot is good even if cleaning up fails. Leftovers only take disk space, and the next build can
	// identify recipients abroad without the keys.
	err = errors.Join(b.keepClusterKeys(), snapshot.Prune(opt.Data, cmp.Or(max(opt.Keep, 0), 3)), staged.Prune())
	if err != nil {
		b.note("the snapshot is published, but some cleanup after it failed: %v", err)
	}
	b.phase("", 0)
	b.report.Warnings = append(b.report.Warnings, b.notes...)
	b.result.Report = b.report
	return &b.result, nil
}

// sharedPlan is the plan of the shared stage. The report lists what that stage lacks.
func (b *builder) sharedPlan(ctx context.Context) (*stage.Plan, error) {
	p, leftOut, err := b.opt.Stage.Complete(ctx, b.sources, b.opt.WithoutQuarantined)
	for _, r := range leftOut {
		b.report.warn("left out, in whole or in part, because it could not be read: %s: %s", r.Archive, r.Reason)
	}
	return p, err
}

func (b *builder) stageReturns(ctx context.Context, p *stage.Plan) (s *stage.Stage, err error) {
	if p == nil {
		p, err = stage.MakePlan(ctx, stage.PlanOptions{Sources: b.sources.Root, Returns: b.sources.Files[discover.Returns], Workers: b.workers,
			ShardBytes: b.opt.shardBytes, Progress: b.follow("hash")})
		if err != nil {
			return nil, err
		}
	}
	s = stage.Open(filepath.Join(b.opt.Data, "stage"), p)
	b.phase("read", p.Bytes())
	b.result.Filled, err = s.Fill(ctx, stage.FillOptions{Sources: b.sources.Root, Shared: b.opt.Stage, Workers: b.workers, Step: b.step, Note: b.note})
	return s, err
}

// readCorpus reads the returns, by the plan of a shared stage if there is one, and finds the recipients of their grants.
func (b *builder) readCorpus(ctx context.Context, shared *stage.Plan) (*corpus, error) {
	var err error
	c := &corpus{}
	if c.stage, err = b.stageReturns(ctx, shared); err != nil {
		return nil, err
	}
	if b.places, err = b.gazetteer(ctx); err != nil {
		return nil, err
	}
	for _, step := range [...]func(context.Context, *corpus) error{
		b.chooseReturns, b.narrow, b.gatherLines, b.loadUniverse, b.findRecipients, b.sortRows, b.findKin, b.sortFunders,
	} {
		if err := step(ctx, c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// writeSnapshot writes every table, and the indexes made from them. It empties the corpus as soon as its
// tables are written, because the later steps read the tables and need the memory.
func (b *builder) writeSnapshot(ctx context.Context, w *snapshot.Writer, c *corpus, lists *lists.Edition) (m snapshot.Manifest, err error) {
	if err := b.writeCorpus(ctx, w, c); err != nil {
		return m, err
	}
	b.addSource(c.stage.Plan().ReadArchives()...)
	// Awards and lists do not depend on the rows, so they run while the rows are counted.
	var counts snapshot.Counts
	beside := [...]func(context.Context) error{
		func(ctx context.Context) (err error) {
			b.report.Awards, err = b.awards(ctx, w, newPayeeFinder(c.universe))
			return err
		},
		func(ctx context.Context) error { counts = b.countRows(c); return b.indexCoverage(ctx, c.filings) },
		func(ctx context.Context) error { return edition.WriteTables(ctx, w, lists) },
	}
	err = parallel.Each(ctx, b.workers, len(beside), func(ctx context.Context, i int) error { return beside[i](ctx) })
	if err != nil {
		return m, err
	}
	*c = corpus{}
	debug.FreeOSMemory()

	if b.report.UK, err = b.uk(ctx, w, b.sources.Files[discover.UK]); err != nil {
		return m, err
	}
	if b.report.Derived, err = b.derive(ctx, w, lists); err != nil {
		return m, err
	}
	if err := b.writeIndexes(ctx, w); err != nil {
		return m, err
	}
	return b.makeManifest(counts)
}

// chunks runs fn over 0..n in pieces on all workers. Every piece but the last has chunkSize units.
func (b *builder) chunks(ctx context.Context, n int, fn func(from, to int)) error {
	return parallel.Each(ctx, b.workers, chunkCount(n), func(_ context.Context, i int) error {
		fn(i*chunkSize, min(n, (i+1)*chunkSize))
		return nil
	})
}

func (b *builder) each(ctx context.Context, n int, fn func(i int)) error {
	return b.chunks(ctx, n, func(from, to int) {
		for i := from; i < to; i++ {
			fn(i)
		}
	})
}

const chunkSize = 8 << 10

func chunkCount(n int) int { return (n + chunkSize - 1) / chunkSize }

// gazetteer is the shipped ZIP-to-county table, or a newer Census file.
func (b *builder) gazetteer(ctx context.Context) (*place.Gazetteer, error) {
	g := place.Shipped()
	err := b.readOne(ctx, discover.Census, "a Census ZIP-to-county relationship file", func(_ string, r io.Reader) (_ int64, err error) {
		if g, err = g.WithCensus(r); err != nil {
			return 0, err
		}
		return int64(len(g.ZIPs())), nil
	})
	return g, err
}

// overrides reads the corrections made by a person, or those proposed by a language model, if there are any.
func (b *builder) overrides(ctx context.Context, kind string, read func(io.Reader, string) (*resolve.Overrides, error), u *resolve.Universe) (
	o *resolve.Overrides, err error) {
	err = b.readOne(ctx, kind, "a list of overrides", func(path string, r io.Reader) (_ int64, err error) {
		if o, err = read(r, path); err == nil {
			err = o.Check(u)
		}
		return int64(o.Len()), b.overrideFault(path, err)
	})
	return o, err
}

// Rulings returns what adds a row to the people's rulings that a build of a folder of sources reads; nil without a folder.
func Rulings(root string) func(row string) error {
	if root == "" {
		return nil
	}
	return func(row string) error {
		s, err := discover.Rest(context.Background(), root)
		if err != nil {
			return err
		}
		return resolve.AddRuling(s.Abs(append(s.Files[discover.Overrides], "overrides/human.csv")[0]), row)
	}
}

// overrideFault says what is wrong with a list of overrides. A person wrote the
// list, so the advice is to correct it, not to fetch it again.
func (b *builder) overrideFault(rel string, err error) error {
	if err == nil {
		return nil
	}
	return fault.New("wrong_format", "%s cannot be used: %w", b.sources.Abs(rel), err).
		Try("correct it, or move it out of the sources folder")
}

func (b *builder) makeManifest(counts snapshot.Counts) (snapshot.Manifest, error) {
	slices.SortFunc(b.used, func(x, y snapshot.Source) int {
		return cmp.Or(strings.Compare(x.Kind, y.Kind), strings.Compare(x.Path, y.Path))
	})
	counts.Organizations = b.organizations
	m := snapshot.Manifest{Invented: b.sources.Invented, Individuals: b.report.Masked.Individuals, Sources: b.used, Counts: counts,
		Scope: b.opt.Scope.String()}
	// The report is complete only now that the rows are counted.
	body, err := json.Marshal(b.report)
	if err != nil {
		return snapshot.Manifest{}, fmt.Errorf("encoding the report: %w", err)
	}
	m.Report = body
	return m, nil
}

// makeEdition builds an edition of the compliance lists from the same sources, and adds the outcome to the report.
func (b *builder) makeEdition(ctx context.Context, now func() time.Time) (*lists.Edition, error) {
	result, err := edition.Make(ctx, edition.Options{Sources: b.opt.Sources, Data: b.opt.Data, Indexers: b.opt.ListIndexers, Workers: b.workers, Now: now,
		Progress: b.follow("lists")})
	if err != nil {
		return nil, err
	}
	for _, warning := range result.Warnings {
		b.note("%s", warning)
	}
	for _, l := range result.Edition.Lists {
		b.report.Lists = append(b.report.Lists, ListCount{
			Name: l.Name, Loaded: l.Loaded, Rows: l.Rows, Rejected: l.Rejected, Revised: l.RevisedNewest, Problem: l.Problem,
		})
	}
	for _, f := range result.Edition.Manifest.Sources {
		// The build reads the master file itself, older postings included.
		if f.Kind != lists.BMF {
			b.addSource(f)
		}
	}
	return result.Edition, nil
}

// progress reports how far a build is, and problems with this machine. Several goroutines may use it.
type progress struct {
	show     func(phase string, done, total int64) // may be nil
	showNote func(text string)                     // may be nil

	mu          sync.Mutex
	name        string
	done, total int64
	notes       []string
}

func (p *progress) phase(name string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name, p.done, p.total = name, 0, total
	p.showPhase()
}

func (p *progress) step(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.showPhase()
}

// follow returns a function to report a phase with. A call with done 0 begins the phase; every other call counts one unit.
func (p *progress) follow(name string) func(done, total int64) {
	return func(done, total int64) {
		if done == 0 {
			p.phase(name, total)
		} else {
			p.step(1)
		}
	}
}

func (p *progress) showPhase() {
	if p.show != nil {
		p.show(p.name, p.done, p.total)
	}
}

// note reports a problem with this machine. Notes go into the displayed report
// and not into the manifest, which depends on the sources alone.
func (p *progress) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	p.notes = append(p.notes, text)
	if p.showNote != nil {
		p.showNote(text)
	}
}

func (b *builder) source(ctx context.Context, kind, rel string) (snapshot.Source, error) {
	sum, size, err := discover.Hash(ctx, b.sources.Abs(rel))
	return snapshot.Source{Kind: kind, Path: rel, Bytes: size, SHA256: sum}, err
}

// unreadable says why a file could not be read. If the build was stopped, the file is not blamed.
func (b *builder) unreadable(ctx context.Context, rel, what string, err error) error {
	return discover.Stopped(ctx, discover.WrongFormat(b.sources.Abs(rel), what, err))
}

// readFile reads one upstream file and records it with its hash. what names the expected kind of file, for the error.
func (b *builder) readFile(ctx context.Context, kind, rel, what string, read func(path string) (rows int64, err error)) error {
	source, err := b.source(ctx, kind, rel)
	if err != nil {
		return err
	}
	if source.Rows, err = read(b.sources.Abs(rel)); err != nil {
		return b.unreadable(ctx, rel, what, err)
	}
	b.addSource(source)
	return nil
}

// readSource is readFile for a file that is read from its beginning to its end.
func (b *builder) readSource(ctx context.Context, kind, rel, what string, read func(io.Reader) (rows int64, err error)) error {
	return b.readFile(ctx, kind, rel, what, func(path string) (int64, error) {
		f, err := os.Open(path)
		if err != nil {
			return 0, fault.Disk(path, err)
		}
		defer f.Close()
		return read(disk.Until(ctx, f))
	})
}

func (b *builder) readOne(ctx context.Context, kind, what string, read func(path string, in io.Reader) (rows int64, err error)) error {
	files := b.sources.Files[kind]
	if len(files) == 0 {
		return nil
	}
	return b.readSource(ctx, kind, files[0], what, func(in io.Reader) (int64, error) { return read(files[0], in) })
}

func (b *builder) addSource(list ...snapshot.Source) {
	b.usedMu.Lock()
	defer b.usedMu.Unlock()
	b.used = append(b.used, list...)
}
