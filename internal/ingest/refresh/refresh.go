// Package refresh keeps the compliance lists of a running service current. On each list's own cadence it
// looks upstream, takes what is new and sound, makes a new edition of the lists, and notes what it saw. It
// never touches the grant snapshot, and whatever fails, the last good list stays with its dates.
package refresh

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/edition"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/remote"
)

type Options struct {
	Data  string        // data directory
	Fetch fetch.Options // where files are put and how they are fetched; which ones is decided here
	// Indexers derive what the serving side needs from a new edition.
	Indexers []snapshot.Indexer
	Log      *slog.Logger

	// offer is called after each look upstream, and again soon if it fails. It is nil if the lists are not published.
	offer func(context.Context) error
}

type Refresher struct {
	opt     Options
	checked map[string]time.Time // when each source was last asked for
	owed    bool                 // offer is still to be called
}

// reoffer is how soon offer is called again after it failed.
const reoffer = time.Minute

// retry is how soon a source that did not answer, or whose offer was refused, is asked again when its cadence is slower.
const retry = time.Hour

// New reads when upstream last answered, so that a restart does not ask everyone again.
func New(opt Options) *Refresher {
	if opt.Fetch.Now == nil {
		opt.Fetch.Now = time.Now
	}
	r := &Refresher{opt: opt, checked: map[string]time.Time{}}
	for _, s := range sources() {
		// If the state cannot be read, the list is due, and the fetcher reports it.
		state, _ := fetch.ReadState(opt.Fetch.Dir, s.Name)
		r.checked[s.Name] = state.CheckedAt
	}
	return r
}

// sources are those behind the compliance lists.
func sources() []source.Source {
	return slices.DeleteFunc(source.All(), func(s source.Source) bool { return s.Compliance == "" })
}

// Run looks upstream whenever a list is due, until the context ends.
func (r *Refresher) Run(ctx context.Context) {
	for {
		next := r.Step(ctx)
		if parallel.Pause(ctx, max(next.Sub(r.opt.Fetch.Now()), time.Second)) != nil {
			return
		}
	}
}

// Step looks at every list that is due, takes up what is new, and returns when the next one will be due.
func (r *Refresher) Step(ctx context.Context) (next time.Time) {
	now := r.opt.Fetch.Now()
	var due []string
	for _, s := range sources() {
		if !r.checked[s.Name].Add(s.Every).After(now) {
			due = append(due, s.Name)
		}
	}
	if len(due) > 0 {
		r.fetchDue(ctx, due)
		r.owed = r.opt.offer != nil
	}
	if r.owed && ctx.Err() == nil {
		err := r.opt.offer(ctx)
		if err != nil && ctx.Err() == nil {
			r.opt.Log.Error("publishing the lists; those in the store stay", "error", err)
		}
		r.owed = err != nil
	}
	for _, s := range sources() {
		if at := r.checked[s.Name].Add(s.Every); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if soon := now.Add(reoffer); r.owed && soon.Before(next) {
		next = soon
	}
	return next
}

// fetchDue fetches the sources and makes a new edition of what they gave.
func (r *Refresher) fetchDue(ctx context.Context, due []string) {
	now := r.opt.Fetch.Now()
	opt := r.opt.Fetch
	opt.Sources = due
	summary, err := fetch.Run(ctx, opt)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		r.opt.Log.Error("looking for new lists", "error", err)
	}
	for _, s := range sources() {
		if slices.Contains(due, s.Name) {
			r.checked[s.Name] = now
		}
	}
	if summary != nil {
		for _, got := range summary.Results {
			if len(got.Problems) == 0 {
				continue
			}
			r.opt.Log.Warn("a list could not be taken; the last good one stays", "source", got.Source, "reasons", got.Problems)
			s, _ := source.Find(got.Source)
			r.checked[s.Name] = now.Add(min(retry, s.Every) - s.Every)
		}
	}
	// The other half of the cores is for the answers that are given meanwhile.
	half := (runtime.GOMAXPROCS(0) + 1) / 2
	result, err := edition.Make(ctx, edition.Options{Sources: r.opt.Fetch.Dir, Data: r.opt.Data, Indexers: r.opt.Indexers, Workers: half, Now: r.opt.Fetch.Now})
	if err != nil {
		r.opt.Log.Error("making a new edition of the lists; the old one stays", "error", err)
		return
	}
	for _, warning := range result.Warnings {
		r.opt.Log.Warn("making a new edition of the lists", "warning", warning)
	}
	if result.Changed {
		r.opt.Log.Info("a new edition of the lists", "edition", result.Edition.Manifest.Version, "read", result.Read)
	}
}

// Publisher keeps the lists of a store current, for all servers that follow it.
// Only one Publisher may run at a time; see package election.
type Publisher struct {
	Store remote.Store
	// Dir is where editions are made: a data directory of its own, apart from the
	// one that is served, since what is served is what the store points at.
	Dir      string
	Fetch    fetch.Options
	Indexers []snapshot.Indexer
	Keep     int // editions that stay in the store
	Log      *slog.Logger
}

// Run looks upstream whenever a list is due, and publishes what is new, until the
// context ends or the store has an edition that was not made here.
func (p *Publisher) Run(ctx context.Context) {
	// Begin with the published edition: another server may have fetched a list that cannot be fetched now.
	if err := remote.Mirror(ctx, p.Store, remote.Lists, lists.Dir(p.Dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if ctx.Err() == nil {
			p.Log.Error("the lists of the store cannot be read; upstream is not looked at", "error", err)
			_ = parallel.Pause(ctx, reoffer)
		}
		return
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	New(Options{Data: p.Dir, Fetch: p.Fetch, Indexers: p.Indexers, Log: p.Log, offer: func(ctx context.Context) error {
		err := p.publish(ctx)
		if f, ok := fault.Of(err); ok && (f.Slug == "publish_conflict" || f.Slug == "publish_older") {
			end() // another server has published: begin again from its edition
		}
		return err
	}}).Run(ctx)
}

// publish sends the edition that was made last, unless it is there, and when upstream was looked at.
func (p *Publisher) publish(ctx context.Context) error {
	edition, err := lists.Open(p.Dir)
	if err != nil {
		return err
	}
	checks, err := lists.ReadChecks(p.Dir)
	if err != nil {
		return err
	}
	done, err := remote.Publication{Store: p.Store, Area: remote.Lists, Keep: p.Keep}.Publish(ctx, edition.Snapshot)
	if f, ok := fault.Of(err); ok && f.Slug == "publish_withdrawn" {
		// An operator went back to an earlier edition, which stays until there is a newer one.
		p.Log.Warn("the newest edition of the lists was rolled back, and is not published again", "edition", edition.Manifest.Version)
		return remote.PublishChecks(ctx, p.Store, checks)
	}
	if err != nil {
		return err
	}
	if done.Previous != done.Version {
		p.Log.Info("published a new edition of the lists", "edition", done.Version, "store", p.Store.String())
	}
	return remote.PublishChecks(ctx, p.Store, checks)
}
