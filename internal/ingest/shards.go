package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/parallel"
)

// defaultShardBytes is how much XML one shard holds: enough that a shard's files are
// worth opening, little enough that the cores share a small corpus and a killed
// build loses seconds.
const defaultShardBytes = 32 << 20

// shard is the unit of staging: a run of members of one archive, or several
// small archives together. Its name follows from the content of the archives,
// never from the machine or the order of work, so a finished shard is good for
// every later build.
type shard struct {
	segments []segment
	members  int32
	bytes    int64
	key      string
}

// segment is a run of members of one archive. Members are numbered through the
// shard, beginning with first.
type segment struct {
	archive  int // into Plan.archives
	from, to int
	first    int32
}

// Plan is what there is to read.
type Plan struct {
	sources  string // the address of the shelf
	archives []plannedArchive
	shards   []shard
	bytes    int64
}

type plannedArchive struct {
	rel      string
	bytes    int64
	sha256   string
	tag      string // of the store it is in
	listing  string // archive.Listing
	members  int
	sizes    []int64 // of the members, inflated; only until it is cut
	problems []archive.Problem
	refused  string // why none of it can be read, if so
}

// source is the archive that a member of a shard came from.
func (p *Plan) source(shard int, seq int32) string {
	segments := p.shards[shard].segments
	for i := len(segments) - 1; ; i-- {
		if segments[i].first <= seq {
			return p.archives[segments[i].archive].rel
		}
	}
}

// planShards plans the archives of the sources.
func (b *builder) planShards(ctx context.Context) (*Plan, error) {
	n := planner{shelf: &folderShelf{b.sources.Root}, workers: b.workers, shardBytes: b.shardBytes}
	b.phase("hash", int64(len(b.sources.Returns)))
	return n.plan(ctx, b.sources.Returns, func() { b.step(1) })
}

// planner hashes and lists archives and cuts them into shards.
type planner struct {
	shelf      shelf
	workers    int
	shardBytes int64
	// known are archives that were planned before, by name: one that the store
	// says is the same is not read again to hash it.
	known map[string]*plannedArchive
	// refuse sets an archive aside that cannot be read. A build fails then;
	// a fleet of workers goes on with the others.
	refuse bool
}

func (n *planner) plan(ctx context.Context, rels []string, step func()) (*Plan, error) {
	p := &Plan{archives: make([]plannedArchive, len(rels))}
	denied := make([]error, len(rels))
	err := parallel.Each(ctx, n.workers, len(rels), func(ctx context.Context, i int) error {
		a := &p.archives[i]
		a.rel = rels[i]
		err := n.examine(ctx, a)
		if f, ok := fault.Of(err); ok && n.refuse && n.alone(ctx, f) {
			if f.Slug == storeDenies {
				denied[i] = err
			}
			*a, err = plannedArchive{rel: rels[i], refused: f.Message}, nil
		}
		step()
		return err
	})
	if err != nil {
		return nil, err
	}
	// A store that lists its archives and gives none is not one with a few bad ones.
	if err := cmp.Or(denied...); err != nil && !slices.ContainsFunc(p.archives, func(a plannedArchive) bool { return a.refused == "" }) {
		return nil, err
	}
	p.cut(n.shardBytes)
	return p, nil
}

// storeDenies is the slug of a store that does not let us read something, or
// anything.
const storeDenies = "store_credentials"

// alone says whether it is this archive that cannot be read, and not all of them.
func (n *planner) alone(ctx context.Context, f *fault.Fault) bool {
	switch f.Slug {
	case "wrong_format":
		return true
	case "no_permission", "io_error", storeDenies:
		return n.shelf.reach(ctx) == nil
	}
	return false
}

// examine fills in what a plan says of an archive.
func (n *planner) examine(ctx context.Context, a *plannedArchive) error {
	v, err := n.shelf.open(ctx, a.rel)
	if err != nil {
		return err
	}
	defer v.Close()
	a.bytes, a.tag, a.problems, a.members = v.size, v.tag, v.Problems, len(v.Members)
	if old := n.known[a.rel]; old != nil && old.tag != "" && old.tag == v.tag && old.bytes == v.size {
		a.sha256 = old.sha256
	} else if a.sha256, err = v.sum(ctx); err != nil {
		return err
	}
	if a.listing, err = v.Listing(); err != nil {
		return unread(n.shelf.name(a.rel), err)
	}
	for i := range v.Members {
		a.sizes = append(a.sizes, int64(v.Members[i].Size)+1)
	}
	return v.unchanged(ctx)
}

// cut divides the members of all archives into shards, in the order of the
// archives' names. A shard ends when it is full or when the archive that filled
// half of it ends, so that what comes after does not move when a later archive
// is added.
func (p *Plan) cut(shardBytes int64) {
	var s shard
	end := func() {
		if s.members == 0 {
			return
		}
		s.key = p.keyOf(&s)
		p.bytes += s.bytes
		p.shards = append(p.shards, s)
		s = shard{}
	}
	for i := range p.archives {
		g := segment{archive: i, first: s.members}
		for j, size := range p.archives[i].sizes {
			g.to = j + 1
			s.members++
			s.bytes += size
			if s.bytes >= shardBytes {
				s.segments = append(s.segments, g)
				end()
				g = segment{archive: i, from: j + 1, to: j + 1}
			}
		}
		if g.to > g.from {
			s.segments = append(s.segments, g)
		}
		p.archives[i].sizes = nil
		if s.bytes >= shardBytes/2 {
			end()
		}
	}
	end()
}

// keyOf is the name of a shard.
func (p *Plan) keyOf(s *shard) string {
	h := sha256.New()
	fmt.Fprintln(h, stageVersion)
	for _, g := range s.segments {
		fmt.Fprintln(h, p.archives[g.archive].sha256, g.from, g.to)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
