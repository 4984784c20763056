package snapshot

import (
	"context"
	"iter"
)

// CheckEvery is how many rows are read or written between two looks at the
// context.
const CheckEvery = 1024

// Until ends a sequence of rows soon after the context does, with its error.
func Until[T any](ctx context.Context, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for row, err := range rows {
			if n%CheckEvery == 0 && ctx.Err() != nil {
				var zero T
				yield(zero, ctx.Err())
				return
			}
			n++
			if !yield(row, err) {
				return
			}
		}
	}
}

// WriteTableUntil writes a whole table, but no more of it once the context has
// ended.
func WriteTableUntil[T any](ctx context.Context, w *Writer, name string, rows iter.Seq[T]) error {
	err := WriteTable(w, name, func(yield func(T) bool) {
		n := 0
		for row := range rows {
			if n%CheckEvery == 0 && ctx.Err() != nil || !yield(row) {
				return
			}
			n++
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ReadTable reads a table, stopping when the build is called off. The row is used
// again for the next one.
func ReadTable[T any](ctx context.Context, s *Snapshot, table string, fn func(*T) error) error {
	var row T
	for r, err := range Until(ctx, Rows[T](s, table)) {
		if err != nil {
			return err
		}
		row = r
		if err := fn(&row); err != nil {
			return err
		}
	}
	return nil
}
