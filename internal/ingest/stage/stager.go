package stage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/discover"
)

// stager makes shards in a folder from the archives of a shelf. It may make several at the same time.
type stager struct {
	volumes volumes
	dir     string
	step    func(bytes int64)
	writers sync.Pool // of *shardWriter, one for each shard that is being made
}

func newStager(ctx context.Context, from shelf, dir string, step func(int64)) *stager {
	return &stager{volumes{ctx: ctx, shelf: from}, dir, step, sync.Pool{New: func() any { return newShardWriter() }}}
}

func (st *stager) close() { st.volumes.close() }

func (st *stager) stage(ctx context.Context, p *Plan, s *shard) error {
	// The system may have tidied the folder away while this worker waited.
	err := disk.MkdirAll(st.dir, 0o755)
	if err == nil {
		_, err = os.Stat(st.dir) // a link may lead nowhere
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New("no_scratch", "the folder %s for shards that are being made cannot be made: %w", st.dir, err).
			Try("give another with --scratch")
	}
	if err != nil {
		return fault.Disk(st.dir, err)
	}
	return publish(st.dir, s.key, func(tmp string) error {
		w := st.writers.Get().(*shardWriter)
		defer st.writers.Put(w)
		if err := w.begin(tmp); err != nil {
			return err
		}
		for _, g := range s.segments {
			if err := st.segment(ctx, w, &p.archives[g.archive], g); err != nil {
				w.abandon()
				return err
			}
		}
		sums, err := w.close()
		if err != nil {
			return err
		}
		return writeSums(tmp, sums)
	})
}

// segment reads the members of one segment. It fails if the archive cannot be
// read, or is not the planned one any more when its members are read.
func (st *stager) segment(ctx context.Context, w *shardWriter, from *plannedArchive, g segment) (err error) {
	v, err := st.volumes.take(ctx, from)
	if err != nil {
		return ofArchive{err}
	}
	defer func() { st.volumes.give(v, err == nil) }()
	for i := g.from; i < g.to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.member(ctx, &v.Members[i], g.first+int32(i-g.from)); err != nil {
			return err
		}
		if err := v.Err(); err != nil {
			return ofArchive{unread(st.volumes.shelf.name(from.Path), err)}
		}
		st.step(int64(v.Members[i].Size) + 1)
	}
	if err := v.unchanged(ctx); err != nil {
		return ofArchive{err}
	}
	return nil
}

// ofArchive is an error of reading an archive, as opposed to writing a shard.
type ofArchive struct{ error }

func (e ofArchive) Unwrap() error { return e.error }

// OfArchive says whether a shard could not be made because its archive could not be read.
func OfArchive(err error) bool {
	_, ok := errors.AsType[ofArchive](err)
	return ok
}

// unread says that an archive could not be read, unless the work was stopped.
func unread(name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.Disk(name, err)
}

// volumes keeps the archives open that were read last, because listing an archive
// of a hundred thousand members takes longer than reading a shard of it.
type volumes struct {
	ctx   context.Context
	shelf shelf

	mu   sync.Mutex
	open []*openVolume // the last used comes last
}

const keptVolumes = 4

type openVolume struct {
	*volume
	rel    string
	once   sync.Once
	err    error
	users  int
	unkept bool // to be closed when its last reader is done
}

// take opens an archive, which must be the planned one.
func (k *volumes) take(ctx context.Context, a *plannedArchive) (*openVolume, error) {
	o := k.find(a.Path)
	fresh := false
	o.once.Do(func() {
		fresh = true
		o.volume, o.err = k.shelf.open(k.ctx, a.Path)
	})
	err := o.err
	if err == nil && !fresh {
		err = o.unchanged(ctx)
	}
	if err == nil {
		err = k.same(o, a)
	}
	if err != nil {
		k.give(o, false)
		return nil, discover.Stopped(ctx, err)
	}
	return o, nil
}

// same is an error if an archive is not the one that was planned.
func (k *volumes) same(o *openVolume, a *plannedArchive) error {
	listing, err := o.Listing()
	if err != nil {
		return unread(k.shelf.name(a.Path), err)
	}
	if listing != a.Listing || o.size != a.Bytes || len(o.Members) != a.Members {
		return sourceChanged(k.shelf.name(a.Path))
	}
	return nil
}

// find is the entry of an archive, which need not be open yet.
func (k *volumes) find(rel string) *openVolume {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.open, func(o *openVolume) bool { return o.rel == rel }); i >= 0 {
		o := k.open[i]
		k.open = append(slices.Delete(k.open, i, i+1), o)
		o.users++
		return o
	}
	o := &openVolume{rel: rel, users: 1}
	k.open = append(k.open, o)
	if len(k.open) > keptVolumes {
		k.remove(0)
	}
	return o
}

// give ends a use of an archive. An archive that could not be read is not kept open.
func (k *volumes) give(o *openVolume, keep bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	o.users--
	if !keep {
		if i := slices.Index(k.open, o); i >= 0 {
			k.remove(i)
			return
		}
	}
	o.closeIfUnused()
}

// remove takes an archive off the list, and closes it when nobody reads it.
func (k *volumes) remove(i int) {
	o := k.open[i]
	k.open = slices.Delete(k.open, i, i+1)
	o.unkept = true
	o.closeIfUnused()
}

func (o *openVolume) closeIfUnused() {
	if o.users == 0 && o.unkept && o.volume != nil {
		_ = o.Close()
	}
}

func (k *volumes) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.open) > 0 {
		k.remove(0)
	}
}
