package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/shardfile"
	"grantgraph/internal/snapshot"
)

// checkEvery is how many rows are read or written between two looks at the
// context.
const checkEvery = 1024

// cancelable ends a sequence of rows soon after the context does, with its error.
func cancelable[T any](ctx context.Context, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for row, err := range rows {
			if n%checkEvery == 0 && ctx.Err() != nil {
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

// readStaged reads a table of a staged shard. The rows name members of the shard,
// by which others reach into tables: checksums say that a shard is as it was
// written, not by whom.
func readStaged[T stagedRow](ctx context.Context, b *builder, s *shard, table string) iter.Seq2[T, error] {
	path := b.shardFile(s, table)
	rows := cancelable(ctx, shardfile.Read[T](path))
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			switch seq := row.member(); {
			case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			case err != nil:
				err = unreadShard(path, err)
			case seq < 0 || seq >= s.members:
				err = unreadShard(path, fmt.Errorf("it names a member %d of %d", seq, s.members))
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// unreadShard says why a table of a shard cannot be used: the disk failed, or it is
// not what this program writes.
func unreadShard(path string, err error) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		return fault.Disk(path, err)
	}
	return fault.New("stage_damaged", "%s cannot be read: %w", path, err).Try("remove its folder from the stage, and stage it again")
}

// writeTable writes a whole table, but no more of it once the context has
// ended.
func writeTable[T any](ctx context.Context, w *snapshot.Writer, name string, rows iter.Seq[T]) error {
	err := snapshot.WriteTable(w, name, func(yield func(T) bool) {
		n := 0
		for row := range rows {
			if n%checkEvery == 0 && ctx.Err() != nil || !yield(row) {
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

// readTable reads a table, stopping when the build is called off. The row is used
// again for the next one.
func readTable[T any](ctx context.Context, s *snapshot.Snapshot, table string, fn func(*T) error) error {
	var row T
	for r, err := range cancelable(ctx, snapshot.Rows[T](s, table)) {
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
