package ingest

import (
	"context"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// indexMemory is how much memory the indexes built in parallel may take, including engines outside Go. An index that needs more
// than these engines leave free still gets its memory, but then no other index in Go is built at the same time.
const indexMemory = 6 << 30

// writeIndexes builds the indexes of the finished tables. They are independent, so as many are built in
// parallel as workers and memory allow, started in order.
func (b *builder) writeIndexes(ctx context.Context, w *snapshot.Writer) error {
	// Free the memory that earlier steps left. The limit makes the garbage
	// collector reclaim one index before the next takes as much again.
	debug.FreeOSMemory()
	s, list := w.Unpublished(), b.opt.Indexers
	most := memoryOfGo(s, list)
	if was := debug.SetMemoryLimit(-1); was > most {
		debug.SetMemoryLimit(most + most/8) // an index may need slightly more than it states
		defer debug.SetMemoryLimit(was)
	}
	// Each index counts as 1,000 units. The slowest index reports its own progress, which also counts as 1,000.
	const parts = 1000
	total := int64(len(list)+1) * parts
	b.phase("indexes", total)
	var shown, told atomic.Int64
	show := func(n int64) {
		shown.Add(n)
		b.step(n)
	}
	defer func() { w.Progress = nil }()
	w.Progress = func(done, of int64) {
		now := done * parts / of
		show(now - told.Swap(now))
	}
	room := semaphore.NewWeighted(most)
	err := parallel.Each(ctx, b.workers, len(list), func(ctx context.Context, i int) error {
		need := list[i].Memory(s)
		if err := room.Acquire(ctx, need); err != nil {
			return err
		}
		defer room.Release(need)
		if err := list[i].Write(ctx, w); err != nil {
			return err
		}
		show(parts)
		return nil
	})
	if err == nil {
		b.step(total - shown.Load())
	}
	return err
}

// memoryOfGo is how much memory the indexes may take in Go: whatever engines
// outside Go leave free, and at least what the largest index needs.
func memoryOfGo(s *snapshot.Snapshot, list []snapshot.Indexer) int64 {
	most, others := int64(0), int64(0)
	for i := range list {
		most = max(most, list[i].Memory(s))
		others += list[i].Foreign
	}
	return max(most, indexMemory-others)
}
