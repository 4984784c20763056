package remote

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"
)

// OpenFile opens an object of a folder for random access. It is nil in a bucket.
func OpenFile(s Store, key string) (*os.File, error) {
	f, ok := s.(*folder)
	if !ok {
		return nil, nil
	}
	file, err := os.Open(f.path(key))
	if err != nil {
		return nil, f.explain(key, err)
	}
	return file, nil
}

// SignedAddress is a web address at which anybody can read an object of a bucket for a while. With a range, as in the header of that
// name, it is good for requests with just that header.
func SignedAddress(ctx context.Context, s Store, key, bytes string, valid time.Duration) (string, error) {
	b, ok := s.(*s3)
	if !ok || b.reading() != nil {
		return "", errors.New("objects of " + s.String() + " cannot be lent")
	}
	header := http.Header{}
	if bytes != "" {
		header.Set("Range", bytes)
	}
	u, err := b.core.PresignHeader(ctx, http.MethodGet, b.bucket, b.prefix+key, valid, nil, header)
	if err != nil {
		return "", b.explain(ctx, err)
	}
	return u.String(), nil
}
