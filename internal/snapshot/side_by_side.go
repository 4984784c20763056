package snapshot

import "iter"

// Follower reads a table sorted by EIN side by side with another table, a row at a
// time.
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

// At returns the first row with this EIN, or nil. Callers must ask for EINs in rising
// order.
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
