// Package remote keeps snapshots, and editions of the lists, in a store that several machines share: a bucket
// of an S3-compatible object store, or a folder. One machine publishes (publish.go). The others, the nodes,
// take up the version that the store points at (node_takeup.go): they fetch it into their data directories
// (pull.go), and serve it as if it had been built there.
//
//	<store>/<area>/              snapshots, or lists
//	  current                    the pointer: which version is to be served
//	  builds/<version>.json      the manifest of a version, as the build wrote it
//	  objects/<sha256>           the content of files, each once
//	  leases/<id>.json           who is using which versions, renewed while in use
//
// A pointer moves by a conditional write, so that of two publishers one notices the other. A file is stored
// under its checksum: existing content is not sent again, and a reader checks what it received against the
// name. Content that no pointer, no retained version and no lease names is removed (lease.go). Ages are
// measured only by the store's clock, so a machine with a wrong clock removes nothing in use.
//
// Nothing read from a store is trusted: names, sizes and numbers must be such as this package writes.
package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/secret"
)

// Store holds objects under keys with slashes. It is safe for concurrent use. For a missing object the error is fs.ErrNotExist.
type Store interface {
	// Get reads n bytes of an object from an offset. A shorter object gives fewer bytes.
	Get(ctx context.Context, key string, off, n int64) (io.ReadCloser, error)
	// Put stores an object completely or not at all. It resumes an interrupted Put if the store can.
	Put(ctx context.Context, key string, body io.ReaderAt, size int64) error
	// PutIf stores a small object if the existing one has this tag or, for an empty tag, if there is none.
	// Otherwise the error is ErrChanged. It returns the new tag.
	PutIf(ctx context.Context, key string, body []byte, tag string) (string, error)
	Head(ctx context.Context, key string) (Info, error)
	// List calls each for every object whose key begins with prefix.
	List(ctx context.Context, prefix string, each func(Info) error) error
	// Delete removes an object. It is no error if the object is missing.
	Delete(ctx context.Context, key string) error
	// Forget removes the remains of unfinished Puts below prefix that began before then, by the store's clock.
	Forget(ctx context.Context, prefix string, then time.Time) error
	// String names the store in messages, without secrets.
	String() string
}

type Info struct {
	Key      string
	Size     int64
	Tag      string    // changes with the content
	Modified time.Time // by the store's clock
}

// ErrChanged is the error of a conditional write that another write preceded.
var ErrChanged = errors.New("the object was changed by another")

type Options struct {
	Parallel int           // requests at a time; 0 means a few
	Headers  []secret.Text // NAME: VALUE for server-side encryption, sent with every object
}

const defaultParallel = 6

// Open opens a store by its address: s3://bucket/prefix, file:///path, or the path of a folder. It makes no request yet.
func Open(address string, opt Options) (Store, error) {
	opt.Parallel = cmp.Or(opt.Parallel, defaultParallel)
	bad := func(why string) error {
		return fault.New("bad_store", "%s: %s", fault.Clip(secret.NewURL(address).String(), 200), why).
			Try("s3://bucket/prefix, or a folder such as /srv/grantgraph")
	}
	scheme, _, found := strings.Cut(address, "://")
	if !found {
		if strings.TrimSpace(address) == "" {
			return nil, fault.New("bad_store", "the address of the store is empty").Try("s3://bucket/prefix, or a folder such as /srv/grantgraph")
		}
		return openFolder(address)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, bad("it cannot be read")
	}
	switch scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) || u.RawQuery != "" {
			return nil, bad("a folder is written with three slashes, as in file:///srv/grantgraph")
		}
		return openFolder(filepath.FromSlash(u.Path))
	case "s3":
		if u.User != nil {
			return nil, bad("credentials do not belong into the address; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use ~/.aws/credentials")
		}
		return openS3(u, opt, bad)
	}
	return nil, bad("it begins with neither s3:// nor file://")
}

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
