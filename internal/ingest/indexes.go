package ingest

import (
	"context"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// indexMemory is how much memory the indexes take that are made side by side, with
// the engines that Go knows nothing of. An index that needs more than these leave
// is made with what it needs, and none of Go's beside it.
const indexMemory = 6 << 30

// writeIndexes makes the indexes of the finished tables. They know nothing of each
// other: as many are made at once, begun in their order, as there are workers and
// memory for.
func (b *builder) writeIndexes(ctx context.Context, w *snapshot.Writer) error {
	// What the steps before have left is given back, and what one index leaves is
	// collected before the next takes as much again.
	debug.FreeOSMemory()
	s, list := w.Unpublished(), b.opt.Indexers
	most := memoryOfGo(s, list)
	if was := debug.SetMemoryLimit(-1); was > most {
		debug.SetMemoryLimit(most + most/8) // what needs a little more than it says is not held up
		defer debug.SetMemoryLimit(was)
	}
	// An index counts as a thousand, and so does what the one that takes longest
	// says of itself while it is made.
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

// memoryOfGo is how much of the memory of the indexes may be Go's: all that
// others do not take, and at least what the largest needs.
func memoryOfGo(s *snapshot.Snapshot, list []snapshot.Indexer) int64 {
	most, others := int64(0), int64(0)
	for i := range list {
		most = max(most, list[i].Memory(s))
		others += list[i].Foreign
	}
	return max(most, indexMemory-others)
}
