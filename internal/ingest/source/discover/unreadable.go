package discover

import (
	"context"
	"errors"
	"io/fs"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// WrongFormat says that a file is not what its place says it should be.
func WrongFormat(path, what string, err error) error {
	if _, ok := fault.Of(err); ok {
		return err
	}
	// The system says that it could not be read, not what is in it.
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return fault.Disk(path, err)
	}
	return fault.New("wrong_format", "%s is not %s: %w", path, what, err).
		Try("fetch it again, or move it out of the sources folder")
}

// Stopped is the end of the context, where that is why something failed: where
// the work was by then is no fault of that place.
func Stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Hash is the SHA-256 and the size of a file.
func Hash(ctx context.Context, path string) (sum string, n int64, err error) {
	sum, n, err = disk.Hash(ctx, path)
	return sum, n, Stopped(ctx, fault.Disk(path, err))
}
