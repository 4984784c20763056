package ingest

import (
	"context"
	"io"
	"os"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/snapshot"
)

func (b *builder) source(ctx context.Context, kind, rel string) (snapshot.Source, error) {
	sum, size, err := discover.Hash(ctx, b.sources.Abs(rel))
	return snapshot.Source{Kind: kind, Path: rel, Bytes: size, SHA256: sum}, err
}

// unreadable says why a file could not be read. If the build was stopped, the
// file is not blamed.
func (b *builder) unreadable(ctx context.Context, rel, what string, err error) error {
	return discover.Stopped(ctx, discover.WrongFormat(b.sources.Abs(rel), what, err))
}

// readFile reads one upstream file and records it with its hash. what names the
// expected kind of file, for the error.
func (b *builder) readFile(ctx context.Context, kind, rel, what string, read func(path string) (rows int64, err error)) error {
	source, err := b.source(ctx, kind, rel)
	if err != nil {
		return err
	}
	if source.Rows, err = read(b.sources.Abs(rel)); err != nil {
		return b.unreadable(ctx, rel, what, err)
	}
	b.addSource(source)
	return nil
}

// readSource is readFile for a file that is read from its beginning to its end.
func (b *builder) readSource(ctx context.Context, kind, rel, what string, read func(io.Reader) (rows int64, err error)) error {
	return b.readFile(ctx, kind, rel, what, func(path string) (int64, error) {
		f, err := os.Open(path)
		if err != nil {
			return 0, fault.Disk(path, err)
		}
		defer f.Close()
		return read(disk.Until(ctx, f))
	})
}

func (b *builder) readOne(ctx context.Context, kind, what string, read func(path string, in io.Reader) (rows int64, err error)) error {
	files := b.sources.Files[kind]
	if len(files) == 0 {
		return nil
	}
	return b.readSource(ctx, kind, files[0], what, func(in io.Reader) (int64, error) { return read(files[0], in) })
}

func (b *builder) addSource(list ...snapshot.Source) {
	b.usedMu.Lock()
	defer b.usedMu.Unlock()
	b.used = append(b.used, list...)
}
