package snapshot

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

const batch = 1024

type TableWriter[T any] struct {
	enc  rowEncoder
	done func(rows int64) error
	rows int64
	buf  []T
	path string
}

// Table begins the table of the given name. Row types carry parquet tags.
func Table[T any](w *Writer, name string) (*TableWriter[T], error) {
	rel := tablesName + "/" + name + ".parquet"
	out, done, err := w.file(rel)
	if err != nil {
		return nil, err
	}
	enc, err := newEncoder(out, reflect.TypeFor[T]())
	if err != nil {
		return nil, fault.Disk(rel, err)
	}
	return &TableWriter[T]{enc: enc, done: done, buf: make([]T, 0, batch), path: rel}, nil
}

func (t *TableWriter[T]) Add(row T) error {
	t.buf = append(t.buf, row)
	if len(t.buf) == batch {
		return t.flush()
	}
	return nil
}

// AddAll appends rows. The caller may reuse them afterwards.
func (t *TableWriter[T]) AddAll(rows []T) error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.write(rows)
}

func (t *TableWriter[T]) flush() error {
	err := t.write(t.buf)
	clear(t.buf)
	t.buf = t.buf[:0]
	return err
}

func (t *TableWriter[T]) write(rows []T) error {
	t.rows += int64(len(rows))
	var row T
	return fault.Disk(t.path, t.enc.write(unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(row), len(rows)))
}

// Close finishes the table and records it in the manifest.
func (t *TableWriter[T]) Close() error {
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.enc.close(); err != nil {
		return fault.Disk(t.path, err)
	}
	return t.done(t.rows)
}

func WriteTable[T any](w *Writer, name string, rows iter.Seq[T]) error {
	return WriteTableUntil(context.Background(), w, name, rows)
}

// Adopt takes over an unchanged table from another snapshot. Both snapshots then name the same file on disk.
// This costs nothing and is safe, because neither is ever written again.
func (w *Writer) Adopt(from *Snapshot, table string) error {
	rel := tablesName + "/" + table + ".parquet"
	i := slices.IndexFunc(from.Manifest.Files, func(f File) bool { return f.Path == rel })
	if i < 0 {
		return fault.New("no_table", "snapshot %s has no table %s", from.Manifest.Version, table).Try("build it again from the sources")
	}
	path := filepath.Join(w.dir, filepath.FromSlash(rel))
	if err := disk.Link(from.Path(table), path); err != nil {
		return fault.Disk(path, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = append(w.files, from.Manifest.Files[i])
	return nil
}

// Path is the file of a table, for engines that read Parquet themselves.
func (s *Snapshot) Path(table string) string {
	return filepath.Join(s.Dir, tablesName, table+".parquet")
}

// Has reports whether a file is part of the snapshot. The path is relative to it, with slashes.
func (s *Snapshot) Has(path string) bool {
	return slices.ContainsFunc(s.Manifest.Files, func(f File) bool { return f.Path == path })
}

func (s *Snapshot) HasTable(table string) bool {
	return s.Has(tablesName + "/" + table + ".parquet")
}

// RowsOf is the number of rows of a table in the manifest, or 0.
func (s *Snapshot) RowsOf(table string) int64 {
	for _, f := range s.Manifest.Files {
		if f.Path == tablesName+"/"+table+".parquet" {
			return f.Rows
		}
	}
	return 0
}

// Rows reads a table. The sequence ends with an error if the file is missing or damaged.
func Rows[T any](s *Snapshot, table string) iter.Seq2[T, error] {
	return ReadParquet[T](s.Path(table))
}

// Batches reads a table in batches, for readers of millions of rows. The rows of a batch are valid until the next batch.
func Batches[T any](s *Snapshot, table string) iter.Seq2[[]T, error] {
	return readBatches[T](s.Path(table))
}

func ReadParquet[T any](path string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for rows, err := range readBatches[T](path) {
			for i := range rows {
				if !yield(rows[i], nil) {
					return
				}
			}
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
		}
	}
}

// readBatches reads a file. A goroutine decodes ahead of the loop, so that decoding
// and the work on the rows overlap. It reuses the rows of finished batches.
func readBatches[T any](path string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		const ahead = 2
		batches, stop := make(chan []T, ahead), make(chan struct{})
		used := make(chan []T, ahead+2) // plus one batch on each side
		room := func() []T {
			select {
			case rows := <-used:
				return rows[:batch]
			default:
				return make([]T, batch)
			}
		}
		var failed error
		go func() {
			defer close(batches)
			failed = decode(path, room, func(rows []T) bool {
				select {
				case batches <- rows:
					return true
				case <-stop:
					return false
				}
			})
		}()
		// Close the file before leaving the loop.
		defer func() {
			close(stop)
			for range batches {
			}
		}()
		for rows := range batches {
			if !yield(rows, nil) {
				return
			}
			used <- rows
		}
		if failed != nil {
			yield(nil, failed)
		}
	}
}

// decode passes the rows of a file to take in batches until take returns false. It asks for room for each batch.
func decode[T any](path string, room func() []T, take func([]T) bool) error {
	var rows []T
	return decodeRows(path, reflect.TypeFor[T](), func() unsafe.Pointer {
		rows = room()
		clear(rows)
		return unsafe.Pointer(unsafe.SliceData(rows))
	}, func(n int) bool { return take(rows[:n]) })
}

// decodeRows is decode for rows whose type is a value: room points at zero rows, as many as a
// batch has, and take is told how many of them have been set.
func decodeRows(path string, t reflect.Type, room func() unsafe.Pointer, take func(n int) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fault.Disk(path, err)
	}
	pf, err := parquet.OpenFile(f, st.Size())
	if err == nil {
		columns, ok := columnsOf(t, pf)
		if err = errColumn; ok {
			err = decodeColumns(pf, columns, t.Size(), room, take)
		}
	}
	if err != nil {
		return fault.New("table_damaged", "%s cannot be read: %w", path, err).Try("build the snapshot again")
	}
	return nil
}

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
