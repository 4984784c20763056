package snapshot

import (
	"context"
	"iter"
)

// CheckEvery is how many rows are read or written between checks of the context.
const CheckEvery = 1024

// Until ends a sequence of rows soon after the context ends, with the context's error.
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
	return WriteRows(ctx, w, name, func(yield func(T, error) bool) {
		for row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
}

// WriteRows writes a whole table of rows that may fail, and stops when one does or the context ends.
func WriteRows[T any](ctx context.Context, w *Writer, name string, rows iter.Seq2[T, error]) error {
	t, err := Table[T](w, name)
	if err != nil {
		return err
	}
	for row, err := range Until(ctx, rows) {
		if err != nil {
			return err
		}
		if err := t.Add(row); err != nil {
			return err
		}
	}
	return t.Close()
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

// Merge interleaves the rows of two sorted sequences. Of equal rows, that of a comes first.
func Merge[T any](a, b iter.Seq[T], less func(x, y T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		y, more := next()
		for x := range a {
			for ; more && less(y, x); y, more = next() {
				if !yield(y) {
					return
				}
			}
			if !yield(x) {
				return
			}
		}
		for ; more; y, more = next() {
			if !yield(y) {
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

// Follower reads a table sorted by EIN side by side with another table, a row at a time.
type Follower[T any] struct {
	key  func(*T) string
	next func() (T, error, bool)
	stop func()
	row  T
	err  error
	ok   bool
}

// Follow starts reading rows sorted by key. The caller must call Stop.
func Follow[T any](rows iter.Seq2[T, error], key func(*T) string) *Follower[T] {
	f := &Follower[T]{key: key}
	f.next, f.stop = iter.Pull2(rows)
	f.row, f.err, f.ok = f.next()
	return f
}

// At returns the first row with this EIN, or nil. Callers must ask for EINs in rising order.
func (f *Follower[T]) At(e string) (*T, error) {
	for f.ok && f.err == nil && f.key(&f.row) < e {
		f.row, f.err, f.ok = f.next()
	}
	if f.err != nil {
		return nil, f.err
	}
	if !f.ok || f.key(&f.row) != e {
		return nil, nil
	}
	return &f.row, nil
}

func (f *Follower[T]) Stop() { f.stop() }
