package ingest

import (
	"context"
	"time"

	"grantgraph/internal/ingest/edition"
	"grantgraph/internal/snapshot/lists"
)

// makeEdition builds an edition of the compliance lists from the same sources,
// and adds the outcome to the report.
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
