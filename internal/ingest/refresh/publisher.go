package refresh

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/remote"
)

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
