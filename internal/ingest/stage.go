package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// stageAll stages every shard that is not staged yet. One that is staged and
// not as it was written is made anew.
func (b *builder) stageAll(ctx context.Context, p *plan) error {
	if err := disk.MkdirAll(b.stageDir, 0o755); err != nil {
		return fault.Disk(b.stageDir, err)
	}
	entries, err := os.ReadDir(b.stageDir)
	if err != nil {
		return fault.Disk(b.stageDir, err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), stagingMark) { // of a build that was killed
			_ = disk.RemoveAll(filepath.Join(b.stageDir, e.Name()))
		}
	}
	b.phase("read", p.bytes)
	var reused, remade atomic.Int64
	err = parallel.Each(ctx, b.workers, len(p.shards), func(ctx context.Context, i int) error {
		s := &p.shards[i]
		damage := b.checkShard(ctx, s)
		switch {
		case damage == nil:
			reused.Add(1)
			b.step(s.bytes)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(damage, errNotStaged):
			b.note("the staged shard %s was damaged and is made again: %v", s.key, damage)
			remade.Add(1)
		}
		return b.stage(ctx, p, s)
	})
	b.result.Staged, b.result.Reused, b.result.Remade = len(p.shards), int(reused.Load()), int(remade.Load())
	return err
}

// stagingMark is in the name of a shard that is being written.
const stagingMark = ".new-"

// sumsName is the file in a shard with the checksums of the others, one on a
// line: SHA-256, size, name.
const sumsName = "sums"

// errNotStaged is the error of a shard that is not there at all.
var errNotStaged = errors.New("not staged")

// checkShard holds the files of a staged shard against their checksums.
func (b *builder) checkShard(ctx context.Context, s *shard) error {
	dir := b.shardDir(s)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return errNotStaged
	}
	want, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return err
	}
	var have []byte
	for _, name := range stagedTables {
		sum, size, err := disk.Hash(ctx, b.shardFile(s, name))
		if err != nil {
			return err
		}
		have = appendSum(have, sum, size, name)
	}
	if !bytes.Equal(have, want) {
		return errors.New("it does not match its checksums")
	}
	return nil
}

func appendSum(b []byte, sum string, size int64, name string) []byte {
	return fmt.Appendf(b, "%s %d %s\n", sum, size, name)
}

func (b *builder) shardDir(s *shard) string { return filepath.Join(b.stageDir, s.key) }

// stage reads the members of one shard and writes what they say. The shard's
// directory appears under its name only when it is whole.
func (b *builder) stage(ctx context.Context, p *plan, s *shard) error {
	// A name of its own: what an earlier build has left and nobody can remove
	// is in nobody's way.
	tmp, err := os.MkdirTemp(b.stageDir, s.key+stagingMark)
	if err != nil {
		return fault.Disk(b.stageDir, err)
	}
	// Where a damaged one was, it is here afterwards; if it cannot be removed,
	// pruning says so.
	defer disk.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return fault.Disk(tmp, err)
	}
	w, err := newShardWriter(tmp)
	if err != nil {
		return err
	}
	for _, g := range s.segments {
		if err := b.stageSegment(ctx, w, b.sources.abs(p.archives[g.archive].rel), g); err != nil {
			w.abandon()
			return err
		}
	}
	sums, err := w.close()
	if err != nil {
		return err
	}
	err = disk.WriteFile(filepath.Join(tmp, sumsName), 0o644, func(out io.Writer) error { _, err := out.Write(sums); return err })
	if err == nil {
		err = disk.Publish(tmp, b.shardDir(s))
	}
	return fault.Disk(tmp, err)
}

func (b *builder) stageSegment(ctx context.Context, w *shardWriter, path string, g segment) error {
	a, err := archive.OpenContext(ctx, path)
	if err != nil {
		return stopped(ctx, wrongFormat(path, "a zip of returns", err))
	}
	defer a.Close()
	if len(a.Members) < g.to {
		return fault.New("source_changed", "%s changed while it was being read", path).Try("build again when nothing writes to the sources")
	}
	for i := g.from; i < g.to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.member(ctx, &a.Members[i], g.first+int32(i-g.from)); err != nil {
			return err
		}
		b.step(int64(a.Members[i].Size) + 1)
	}
	return nil
}

// pruneStage removes staged shards that this build did not use. What indexes left
// for the next build stays.
func (b *builder) pruneStage(p *plan) error {
	used := map[string]bool{matchCacheName: true}
	for i := range p.shards {
		used[p.shards[i].key] = true
	}
	entries, err := os.ReadDir(b.stageDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Disk(b.stageDir, err)
	}
	var errs []error
	for _, e := range entries {
		if path := filepath.Join(b.stageDir, e.Name()); !used[e.Name()] && !strings.HasSuffix(e.Name(), snapshot.ScratchSuffix) {
			errs = append(errs, fault.Disk(path, disk.RemoveAll(path)))
		}
	}
	return errors.Join(errs...)
}

func (b *builder) shardFile(s *shard, table string) string {
	return filepath.Join(b.shardDir(s), table+".parquet")
}
