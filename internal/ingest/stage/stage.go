// Package stage reads returns from their archives once and keeps what they say. The archives are cut into
// shards; a shard is a folder of tables that gets its name when all of its tables are written, so a killed
// build goes on where it stopped and the next build reads only new archives.
//
// A Stage is the folder of one build. Shards can also be made by many machines,
// which keep them in a Shared stage until a build fetches them.
package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/remote"
)

type Stage struct {
	dir  string
	plan *Plan
}

// Open is the stage of a plan in a folder, which need not exist yet.
func Open(dir string, p *Plan) *Stage { return &Stage{dir, p} }

func (s *Stage) Plan() *Plan { return s.plan }

func (s *Stage) Shards() int { return len(s.plan.shards) }

func (s *Stage) Members(shard int) int { return int(s.plan.shards[shard].members) }

// Archive is the archive that a member of a shard came from.
func (s *Stage) Archive(shard int, seq int32) string {
	segments := s.plan.shards[shard].segments
	for i := len(segments) - 1; ; i-- {
		if segments[i].first <= seq {
			return s.plan.archives[segments[i].archive].Path
		}
	}
}

// FillOptions say where shards come from that the stage does not hold yet.
type FillOptions struct {
	Sources string  // folder of archives
	Shared  *Shared // holds the shards, where it is set; the archives are not read then
	Workers int
	Step    func(bytes int64)                // is told of finished work
	Note    func(format string, args ...any) // is told of damage
}

// Filled counts the shards of a stage.
type Filled struct {
	Staged int // all shards
	Reused int // taken over from an earlier run
	Remade int // damaged, and made again
}

func (s *Stage) Fill(ctx context.Context, opt FillOptions) (Filled, error) {
	if err := s.tidy(); err != nil {
		return Filled{}, err
	}
	fill := func(ctx context.Context, of *shard) error {
		err := opt.Shared.fetch(ctx, of.key, s.dir)
		opt.Step(of.bytes)
		return err
	}
	if opt.Shared == nil {
		st := newStager(ctx, &folderShelf{opt.Sources}, s.dir, opt.Step)
		defer st.close()
		fill = func(ctx context.Context, of *shard) error { return st.stage(ctx, s.plan, of) }
	}
	var reused, remade atomic.Int64
	err := parallel.Each(ctx, opt.Workers, len(s.plan.shards), func(ctx context.Context, i int) error {
		of := &s.plan.shards[i]
		damage := s.check(ctx, of)
		switch {
		case damage == nil:
			reused.Add(1)
			opt.Step(of.bytes)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(damage, errNotStaged):
			opt.Note("the staged shard %s was damaged and is made again: %v", of.key, damage)
			remade.Add(1)
		}
		return fill(ctx, of)
	})
	return Filled{len(s.plan.shards), int(reused.Load()), int(remade.Load())}, err
}

// tidy makes the folder, and removes what a killed build has left in it.
func (s *Stage) tidy() error {
	if err := disk.MkdirAll(s.dir, 0o755); err != nil {
		return fault.Disk(s.dir, err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fault.Disk(s.dir, err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), unfinished) {
			_ = disk.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
	return nil
}

// Prune removes shards that the plan does not use. It keeps what indexes have left for the next build.
func (s *Stage) Prune() error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Disk(s.dir, err)
	}
	used := map[string]bool{}
	for i := range s.plan.shards {
		used[s.plan.shards[i].key] = true
	}
	var errs []error
	for _, e := range entries {
		if path := filepath.Join(s.dir, e.Name()); !used[e.Name()] && !strings.HasSuffix(e.Name(), snapshot.ScratchSuffix) {
			errs = append(errs, fault.Disk(path, disk.RemoveAll(path)))
		}
	}
	return errors.Join(errs...)
}

var errNotStaged = errors.New("not staged")

// check holds the files of a staged shard against their checksums.
func (s *Stage) check(ctx context.Context, of *shard) error {
	dir := s.shardDir(of)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return errNotStaged
	}
	want, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return err
	}
	var have []byte
	for _, name := range tableNames {
		sum, size, err := disk.Hash(ctx, tablePath(dir, name))
		if err != nil {
			return err
		}
		have = appendSum(have, sum, size, name)
	}
	if !bytes.Equal(have, want) {
		return errors.New("it does not match its checksums")
	}
	return nil
}

func (s *Stage) shardDir(of *shard) string { return filepath.Join(s.dir, of.key) }

func tablePath(dir, table string) string { return filepath.Join(dir, table+".table") }

// unfinished is in the name of the folder of a shard that is being written.
const unfinished = ".new-"

// publish makes the folder of a shard. fill writes the files into a folder of another name, which gets the
// name of the shard when all of them are there. A damaged shard takes the other name, and is removed with it.
func publish(dir, key string, fill func(tmp string) error) error {
	tmp, err := os.MkdirTemp(dir, key+unfinished)
	if err != nil {
		return fault.Disk(dir, err)
	}
	defer disk.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return fault.Disk(tmp, err)
	}
	if err := fill(tmp); err != nil {
		return err
	}
	return fault.Disk(tmp, disk.Publish(tmp, filepath.Join(dir, key)))
}

// sumsName is the file in a shard with the checksums of the others, one on a line: SHA-256, size, name.
const sumsName = "sums"

func appendSum(b []byte, sum string, size int64, name string) []byte {
	return fmt.Appendf(b, "%s %d %s\n", sum, size, name)
}

func writeSums(dir string, sums []byte) error {
	path := filepath.Join(dir, sumsName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(out io.Writer) error { _, err := out.Write(sums); return err }))
}

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
