package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
)

// An Object is read in blocks, and the last few blocks are kept. The directory of a
// zip and its members are far apart, and each is read in small steps.
const (
	blockSize = 1 << 20
	readTries = 4
)

// keptBlocks has room for the directory and for one reader per core. With fewer
// blocks, readers would evict each other's blocks.
var keptBlocks = max(16, 2*runtime.GOMAXPROCS(0))

// Object is a large object of a store that is read at random positions. It is safe for concurrent use.
type Object struct {
	ctx   context.Context
	store Store
	info  Info

	mu     sync.Mutex
	blocks []*block // most recently used last
}

type block struct {
	number int64
	once   sync.Once
	body   []byte
	err    error
}

// OpenObject opens an object for reading until the context ends.
func OpenObject(ctx context.Context, s Store, key string) (*Object, error) {
	info, err := s.Head(ctx, key)
	if err != nil {
		return nil, err
	}
	info.Key = key
	return &Object{ctx: ctx, store: s, info: info}, nil
}

// Info is the store's information on the object when it was opened.
func (o *Object) Info() Info { return o.info }

// Unchanged returns an error if the object has changed since it was opened.
func (o *Object) Unchanged(ctx context.Context) error {
	now, err := o.store.Head(ctx, o.info.Key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || now.Size != o.info.Size || now.Tag != o.info.Tag || !now.Modified.Equal(o.info.Modified) {
		return ErrChanged
	}
	return nil
}

func (o *Object) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(p) {
		at := off + int64(n)
		if at >= o.info.Size {
			return n, io.EOF
		}
		b := o.block(at / blockSize)
		b.once.Do(func() { b.body, b.err = o.fetch(b.number) })
		if b.err != nil {
			o.drop(b)
			return n, b.err
		}
		n += copy(p[n:], b.body[at%blockSize:])
	}
	return n, nil
}

// block is the block with a number. It may not have been fetched yet.
func (o *Object) block(number int64) *block {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, b := range o.blocks {
		if b.number == number {
			o.blocks = append(slices.Delete(o.blocks, i, i+1), b)
			return b
		}
	}
	b := &block{number: number}
	if len(o.blocks) >= keptBlocks {
		o.blocks = slices.Delete(o.blocks, 0, 1)
	}
	o.blocks = append(o.blocks, b)
	return b
}

// drop forgets a block that could not be fetched, so that it is fetched again.
func (o *Object) drop(gone *block) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.blocks = slices.DeleteFunc(o.blocks, func(b *block) bool { return b == gone })
}

// fetch reads a block. It retries an interrupted answer.
func (o *Object) fetch(number int64) (body []byte, err error) {
	body = make([]byte, min(blockSize, o.info.Size-number*blockSize))
	for try := range readTries {
		if err := parallel.Pause(o.ctx, time.Duration(try*try)*200*time.Millisecond); err != nil {
			return nil, err
		}
		if err = o.read(number*blockSize, body); err == nil {
			return body, nil
		}
		if f, ok := fault.Of(err); ok && f.Slug == "store_credentials" || errors.Is(err, fs.ErrNotExist) || o.ctx.Err() != nil {
			break // a retry does not help
		}
	}
	return nil, err
}

func (o *Object) read(off int64, into []byte) error {
	r, err := o.store.Get(o.ctx, o.info.Key, off, int64(len(into)))
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.ReadFull(r, into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fault.New("store_failing", "%s gave less of %s than it has: %w", o.store, o.info.Key, err).Try("run it again")
		}
		return err
	}
	return nil
}

// Sum reads the whole object and returns its SHA-256.
func (o *Object) Sum() (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, struct{ io.Reader }{io.NewSectionReader(o, 0, o.info.Size)}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
