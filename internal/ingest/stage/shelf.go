package stage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/snapshot/remote"
)

// shelf is where the archives of returns are: a folder, or a bucket.
type shelf interface {
	// returns are the names of the archives, sorted.
	returns(ctx context.Context) ([]string, error)
	// open lists an archive. It is read until the context ends.
	open(ctx context.Context, rel string) (*volume, error)
	// name is an archive for people.
	name(rel string) string
	// reach is an error if the whole shelf cannot be reached.
	reach(ctx context.Context) error
}

type volume struct {
	*archive.Archive
	size int64
	tag  string // changes with the content; empty if the shelf would have to read the archive for it
	sum  func(context.Context) (string, error)
	// unchanged is an error if the shelf has another archive under this name now.
	unchanged func(context.Context) error
}

// openShelf opens a shelf by its address: a folder, or s3://bucket/prefix.
func openShelf(address string) (shelf, error) {
	if strings.Contains(address, "://") {
		store, err := remote.Open(address, remote.Options{})
		if err != nil {
			return nil, err
		}
		return &bucketShelf{store}, nil
	}
	return &folderShelf{address}, nil
}

type folderShelf struct{ root string }

func (f *folderShelf) name(rel string) string { return filepath.Join(f.root, filepath.FromSlash(rel)) }

func (f *folderShelf) returns(ctx context.Context) ([]string, error) {
	s, err := discover.All(ctx, f.root)
	if err != nil {
		return nil, err
	}
	return s.Files[discover.Returns], nil
}

func (f *folderShelf) open(ctx context.Context, rel string) (*volume, error) {
	path := f.name(rel)
	before, err := os.Stat(path)
	if err != nil {
		if gone := f.reach(ctx); gone != nil {
			return nil, gone // a disk may not be mounted
		}
		return nil, fault.Disk(path, err)
	}
	a, err := archive.OpenContext(ctx, path)
	if err != nil {
		return nil, discover.Stopped(ctx, discover.WrongFormat(path, "a zip of returns", err))
	}
	return &volume{Archive: a, size: before.Size(),
		sum: func(ctx context.Context) (string, error) {
			sum, _, err := discover.Hash(ctx, path)
			return sum, err
		},
		unchanged: func(ctx context.Context) error {
			now, err := os.Stat(path)
			if err != nil {
				if gone := f.reach(ctx); gone != nil {
					return gone
				}
				if !errors.Is(err, fs.ErrNotExist) {
					return fault.Disk(path, err)
				}
				return sourceChanged(path)
			}
			if !os.SameFile(before, now) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
				return sourceChanged(path)
			}
			return nil
		}}, nil
}

func (f *folderShelf) reach(context.Context) error {
	if _, err := os.Stat(f.root); err != nil {
		return fault.New("sources_missing", "the sources folder %s cannot be reached from here: %w", f.root, err).
			Try("mount it, or give the path it has on this machine with --sources")
	}
	return nil
}

// bucketShelf has archives in a store, below the same folders as on a disk. They are read by ranges.
type bucketShelf struct{ store remote.Store }

func (s *bucketShelf) name(rel string) string { return s.store.String() + "/" + rel }

func (s *bucketShelf) returns(ctx context.Context) ([]string, error) {
	var found []string
	err := s.store.List(ctx, "", func(o remote.Info) error {
		hidden := strings.HasPrefix(o.Key, ".") || strings.Contains(o.Key, "/.")
		if fs.ValidPath(o.Key) && !hidden && discover.IsReturn(o.Key) {
			found = append(found, o.Key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.New("sources_empty", "no filings under %s", s.store).
			Try("put the archives below 990/ there, as grantgraph fetch lays them out")
	}
	slices.Sort(found)
	return found, nil
}

func (s *bucketShelf) open(ctx context.Context, rel string) (*volume, error) {
	o, err := remote.OpenObject(ctx, s.store, rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("not_found", "%s does not exist", s.name(rel)).Try("check the address, or plan again")
	}
	if err != nil {
		return nil, err
	}
	a, err := archive.New(ctx, rel, o, o.Info().Size)
	if err != nil {
		return nil, discover.Stopped(ctx, discover.WrongFormat(s.name(rel), "a zip of returns", err))
	}
	return &volume{Archive: a, size: o.Info().Size, tag: o.Info().Tag,
		sum: func(context.Context) (string, error) { return o.Sum() },
		unchanged: func(ctx context.Context) error {
			err := o.Unchanged(ctx)
			if errors.Is(err, remote.ErrChanged) {
				return sourceChanged(s.name(rel))
			}
			return err
		}}, nil
}

func (s *bucketShelf) reach(ctx context.Context) error {
	enough := errors.New("enough")
	if err := s.store.List(ctx, "", func(remote.Info) error { return enough }); err != nil && !errors.Is(err, enough) {
		return err
	}
	return nil
}

func sourceChanged(name string) error {
	return fault.New("source_changed", "%s has changed since it was listed", name).
		Try("plan or build again when nothing writes to the sources")
}
