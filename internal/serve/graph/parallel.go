package graph

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"

	"grantgraph/internal/parallel"
)

// grain says how work is divided. It never changes an answer. Tests make it small,
// so that a small corpus is divided like a large one.
type grain struct {
	tiny  int64 // candidates up to which rows are tested one by one instead of set by set
	part  int   // rows that are worth a part of their own on another core
	words int   // the same for words of sets
	chunk int   // rows between two looks at the context
	near  int   // items before a page up to which they are kept rather than counted
	bins  int   // ranges that items are counted in at a time
	block int   // recipients whose cells are added up at a time, at most cellBlock
}

// grainFor is the grain for a number of rows. Making a set takes time in proportion
// to all rows, so with more rows a longer list is worth testing row by row.
func grainFor(rows int) grain {
	return grain{tiny: max(fewRows, int64(rows)/256), part: 1 << 15, words: 8 << 10, chunk: 1 << 18, near: 4096, bins: 1 << 16, block: cellBlock}
}

// inRanges runs work over ranges of the numbers from lo to hi-1, on all cores
// when there is enough of it, and stops between ranges when the context ends.
func inRanges(ctx context.Context, lo, hi, grain int, work func(from, to int)) error {
	cuts := []int{lo}
	for at := lo + grain; at < hi; at += grain {
		cuts = append(cuts, at)
	}
	return betweenCuts(ctx, append(cuts, hi), func(_, from, to int) { work(from, to) })
}

// betweenCuts is inRanges over the ranges between cuts, each with its number. A
// single core, or a single range, takes no other goroutine.
func betweenCuts(ctx context.Context, cuts []int, work func(i, from, to int)) error {
	n := len(cuts) - 1
	if min(runtime.GOMAXPROCS(0), n) <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			work(i, cuts[i], cuts[i+1])
		}
		return ctx.Err()
	}
	return parallel.Each(ctx, 0, n, func(_ context.Context, i int) error {
		// The file may turn unreadable while it is mapped.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		work(i, cuts[i], cuts[i+1])
		return nil
	})
}

// inParts runs work over the ranges between cuts. Each range has a value of its own to add to, which is not
// part of a shared array while it changes: two cores would fight for its memory.
func inParts[T any](ctx context.Context, cuts []int, start func() T, work func(t *T, from, to int)) ([]T, error) {
	parts := make([]T, len(cuts)-1)
	err := betweenCuts(ctx, cuts, func(i, from, to int) {
		t := start()
		work(&t, from, to)
		parts[i] = t
	})
	return parts, err
}

// evenCuts divides the numbers from lo to hi-1 for several cores.
func (g *Graph) evenCuts(lo, hi uint32) []int {
	out := []int{int(lo)}
	size := max(int(hi-lo)/(4*runtime.GOMAXPROCS(0)), g.grain.part)
	for at := int(lo) + size; at < int(hi); at += size {
		out = append(out, at)
	}
	return append(out, int(hi))
}

// cuts divides the rows from lo to hi-1 so that no key is divided; starts are the positions at which keys begin.
func (g *Graph) cuts(lo, hi uint32, starts []uint32) []int {
	out := []int{int(lo)}
	size := max(uint64(hi-lo)/uint64(4*runtime.GOMAXPROCS(0)), uint64(g.grain.part))
	for at := uint64(lo) + size; at < uint64(hi); {
		i, _ := slices.BinarySearch(starts, uint32(at))
		if i == len(starts) || starts[i] >= hi {
			break
		}
		out = append(out, int(starts[i]))
		at = uint64(starts[i]) + size
	}
	return append(out, int(hi))
}
