package discover

import (
	"context"
	"errors"
	"io/fs"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// WrongFormat says that a file does not have the format that its folder and
// name require.
func WrongFormat(path, what string, err error) error {
	if _, ok := fault.Of(err); ok {
		return err
	}
	// The operating system could not read the file, so we know nothing about
	// its contents.
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return fault.Disk(path, err)
	}
	return fault.New("wrong_format", "%s is not %s: %w", path, what, err).
		Try("fetch it again, or move it out of the sources folder")
}

// Stopped returns the context's error if there was a failure and the context
// has ended. Then the file being read is not at fault.
func Stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func Hash(ctx context.Context, path string) (sum string, n int64, err error) {
	sum, n, err = disk.Hash(ctx, path)
	return sum, n, Stopped(ctx, fault.Disk(path, err))
}
