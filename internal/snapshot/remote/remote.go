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
// name. Content that no pointer, no retained version and no lease names is removed (sweep.go). Ages are
// measured only by the store's clock, so a machine with a wrong clock removes nothing in use.
//
// Nothing read from a store is trusted: names, sizes and numbers must be such as this package writes.
package remote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"grantgraph/internal/fault"
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
