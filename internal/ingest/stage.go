package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// stageAll stages every shard that is not staged yet. One that is staged and
// not as it was written is made anew.
func (b *builder) stageAll(ctx context.Context, p *Plan) error {
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
	fill := b.stage
	if b.opt.Stage != nil {
		fill = b.fetchShard
	} else {
		defer b.openStager(ctx)()
	}
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
		return fill(ctx, p, s)
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

// stage makes a shard from its archives.
func (b *builder) stage(ctx context.Context, p *Plan, s *shard) error {
	return b.stager.stage(ctx, p, s)
}

// openStager makes ready to stage.
func (b *builder) openStager(ctx context.Context) (closed func()) {
	b.stager = newStager(ctx, &folderShelf{b.sources.Root}, b.stageDir, b.step)
	return b.stager.close
}

// pruneStage removes staged shards that this build did not use. What indexes left
// for the next build stays.
func (b *builder) pruneStage(p *Plan) error {
	used := map[string]bool{}
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

func (b *builder) shardFile(s *shard, table string) string { return tablePath(b.shardDir(s), table) }

// tablePath is the file of a table in the folder of its shard.
func tablePath(dir, table string) string { return filepath.Join(dir, table+".table") }
