package ingest

import (
	"cmp"
	"slices"

	"grantgraph/internal/parallel"
)

// sortedRows sorts the row numbers 0..n-1. No two rows may compare as equal.
func sortedRows(n int, compare func(a, b uint32) int) []uint32 {
	return sortedByKey(n, func(uint32) uint64 { return 0 }, compare)
}

// sortedByKey sorts the row numbers 0..n-1 by a number that each has, and those
// that share one by compare, to which no two may be equal. Keys are compared
// where they stand beside the row, without a look elsewhere, and each core sorts
// a part.
func sortedByKey(n int, key func(row uint32) uint64, compare func(a, b uint32) int) []uint32 {
	rows := make([]keyedRow, n)
	order := func(a, b keyedRow) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return compare(a.row, b.row)
	}
	const least = 32 << 10
	parts := parallel.Parts(n, least)
	parallel.Ranges(n, parts, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			rows[i] = keyedRow{key(uint32(i)), uint32(i)}
		}
		slices.SortFunc(rows[lo:hi], order)
	})
	// The parts are merged into the first, one after the other.
	sorted := rows[:n*1/parts]
	for part := 1; part < parts; part++ {
		sorted = merge(sorted, rows[n*part/parts:n*(part+1)/parts], order)
	}
	out := make([]uint32, n)
	for i := range sorted {
		out[i] = sorted[i].row
	}
	return out
}

type keyedRow struct {
	key uint64
	row uint32
}

// merge puts two sorted lists together.
func merge(a, b []keyedRow, order func(a, b keyedRow) int) []keyedRow {
	out := make([]keyedRow, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if order(b[0], a[0]) < 0 {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}
