package snapshot

import (
	"context"
	"iter"
)

// CheckEvery is how many rows are read or written between checks of the context.
const CheckEvery = 1024

// Until ends a sequence of rows soon after the context ends, with the context's
// error.
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

// WriteTableUntil writes a whole table, and stops when the context ends.
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

// Each makes a row of every item of a list.
func Each[I, T any](list []I, row func(I) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, item := range list {
			if !yield(row(item)) {
				return
			}
		}
	}
}

// ReadTable reads a table until the context ends. It reuses the row.
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
