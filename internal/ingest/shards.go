package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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
	archive  int // into plan.archives
	from, to int
	first    int32
}

// plan is what there is to read.
type plan struct {
	archives []plannedArchive
	shards   []shard
	bytes    int64
}

type plannedArchive struct {
	rel      string
	bytes    int64
	sha256   string
	sizes    []int64 // of the members, inflated
	problems []archive.Problem
}

// source is the archive that a member of a shard came from.
func (p *plan) source(shard int, seq int32) string {
	segments := p.shards[shard].segments
	for i := len(segments) - 1; ; i-- {
		if segments[i].first <= seq {
			return p.archives[segments[i].archive].rel
		}
	}
}

// planShards hashes every archive and cuts them into shards.
func (b *builder) planShards(ctx context.Context) (*plan, error) {
	rels := b.sources.Returns
	p := &plan{archives: make([]plannedArchive, len(rels))}
	b.phase("hash", int64(len(rels)))
	err := parallel.Each(ctx, b.workers, len(rels), func(ctx context.Context, i int) error {
		path := b.sources.abs(rels[i])
		sum, n, err := hashFile(ctx, path)
		if err != nil {
			return err
		}
		a, err := archive.OpenContext(ctx, path)
		if err != nil {
			return stopped(ctx, wrongFormat(path, "a zip of returns", err))
		}
		defer a.Close()
		p.archives[i] = plannedArchive{rel: rels[i], bytes: n, sha256: sum, problems: a.Problems}
		for j := range a.Members {
			p.archives[i].sizes = append(p.archives[i].sizes, int64(a.Members[j].Size)+1)
		}
		b.step(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.cut(b.shardBytes)
	return p, nil
}

// cut divides the members of all archives into shards, in the order of the
// archives' names. A shard ends when it is full or when the archive that filled
// half of it ends, so that what comes after does not move when a later archive
// is added.
func (p *plan) cut(shardBytes int64) {
	var s shard
	end := func() {
		if s.members == 0 {
			return
		}
		h := sha256.New()
		fmt.Fprintln(h, stageVersion)
		for _, g := range s.segments {
			fmt.Fprintln(h, p.archives[g.archive].sha256, g.from, g.to)
		}
		s.key = hex.EncodeToString(h.Sum(nil)[:12])
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
		if s.bytes >= shardBytes/2 {
			end()
		}
	}
	end()
}
