// Package remote keeps snapshots, and editions of the lists, in a store that
// several machines share: a bucket of an S3-compatible object store, or a folder.
// One machine publishes; the others bring what the store points at into their
// data directories, where it is served as if it had been built there.
//
//	<store>/<area>/              snapshots, or lists
//	  current                    the pointer: which version is to be served
//	  builds/<version>.json      the manifest of a version, as the build wrote it
//	  objects/<sha256>           the content of files, each once
//	  leases/<id>.json           who is using which versions, renewed while in use
//
// A pointer moves by a conditional write, so of two publishers one finds out. A
// file is stored under its checksum: content that is there is not sent again, and
// what a reader got is held against the name it asked for. What no pointer, no
// retained version and no lease names is swept away. Ages are reckoned by the
// clock of the store alone, so a machine whose clock is wrong removes nothing
// that is in use.
//
// Everything that is read from a store is taken for hostile: names, sizes and
// numbers are held to what this package writes.
package remote

import (
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

// Store is a place for objects, known by keys with slashes. It is safe for
// concurrent use. An object that is not there is fs.ErrNotExist.
type Store interface {
	// Get reads n bytes of an object from an offset on. A shorter object gives
	// fewer.
	Get(ctx context.Context, key string, off, n int64) (io.ReadCloser, error)
	// Put stores an object, whole or not at all. One that was interrupted goes on
	// where it was, if the store can.
	Put(ctx context.Context, key string, body io.ReaderAt, size int64) error
	// PutIf stores a small object if the one that is there has this tag; if the
	// tag is empty, if there is none. Otherwise the error is ErrChanged. It
	// returns the new tag.
	PutIf(ctx context.Context, key string, body []byte, tag string) (string, error)
	Head(ctx context.Context, key string) (Info, error)
	// List calls each for every object whose key begins with prefix.
	List(ctx context.Context, prefix string, each func(Info) error) error
	// Delete removes an object. That there is none is no error.
	Delete(ctx context.Context, key string) error
	// Forget removes what a Put below prefix that began before then, by the
	// store's clock, has left unfinished.
	Forget(ctx context.Context, prefix string, then time.Time) error
	// String is the store for messages, without secrets.
	String() string
}

// Info is what a store knows of an object.
type Info struct {
	Key      string
	Size     int64
	Tag      string    // changes with the content
	Modified time.Time // by the store's clock
}

// ErrChanged is the error of a conditional write that came too late.
var ErrChanged = errors.New("the object was changed by another")

// Options say how a store is reached.
type Options struct {
	Parallel int           // requests at a time; 0 is a few
	Headers  []secret.Text // NAME: VALUE, of server-side encryption, sent along with every object
}

const defaultParallel = 6

// Open opens a store by its address: s3://bucket/prefix, file:///path, or the
// path of a folder. It asks nothing of it yet.
func Open(address string, opt Options) (Store, error) {
	if opt.Parallel <= 0 {
		opt.Parallel = defaultParallel
	}
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

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
