package ingest

import (
	"context"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// indexMemory is how much memory the indexes take that are made side by side. One
// that needs more is made alone, with what it needs.
const indexMemory = 5 << 30

// writeIndexes makes the indexes of the finished tables. They know nothing of each
// other: as many are made at once as there are workers and memory for, and after
// them, one by one, those that take the whole machine.
func (b *builder) writeIndexes(ctx context.Context, w *snapshot.Writer) error {
	// What the steps before have left is given back, and what one index leaves is
	// collected before the next takes as much again.
	debug.FreeOSMemory()
	s := w.Unpublished()
	most := int64(indexMemory)
	for i := range b.opt.Indexers {
		most = max(most, b.opt.Indexers[i].Memory(s))
	}
	if was := debug.SetMemoryLimit(-1); was > most {
		debug.SetMemoryLimit(most + most/8) // what needs a little more than it says is not held up
		defer debug.SetMemoryLimit(was)
	}
	alone := func(x snapshot.Indexer) bool { return x.Alone }
	if err := b.writeSideBySide(ctx, w, s, slices.DeleteFunc(slices.Clone(b.opt.Indexers), alone)); err != nil {
		return err
	}
	for _, x := range b.opt.Indexers {
		if !x.Alone {
			continue
		}
		debug.FreeOSMemory()
		b.phase(x.Name, 1)
		if err := x.Write(ctx, w); err != nil {
			return err
		}
		b.step(1)
	}
	return nil
}

// writeSideBySide makes indexes as the workers and the memory allow, begun in their
// order.
func (b *builder) writeSideBySide(ctx context.Context, w *snapshot.Writer, s *snapshot.Snapshot, list []snapshot.Indexer) error {
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
	room := semaphore.NewWeighted(indexMemory)
	err := parallel.Each(ctx, b.workers, len(list), func(ctx context.Context, i int) error {
		need := min(list[i].Memory(s), indexMemory)
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
