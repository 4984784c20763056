package remote

import (
	"context"
	"os"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

// Mirror makes a directory hold exactly the version that a store points at, as a base
// for further work. It removes everything else. If nothing was ever published, the
// error is fs.ErrNotExist.
func Mirror(ctx context.Context, s Store, a Area, data string) error {
	to, err := Current(ctx, s, a)
	if err != nil {
		return err
	}
	if there, err := snapshot.Open(data); err == nil && there.Manifest.Version == to.Version {
		if body, err := there.Body(); err == nil && digest(body) == to.Manifest {
			return nil
		}
	}
	if err := os.RemoveAll(data); err != nil {
		return fault.Disk(data, err)
	}
	_, _, stop, err := lease(ctx, s, a, leaseNode, to.Version)
	if err != nil {
		return err
	}
	defer stop()
	release, err := snapshot.LockReceiving(data)
	if err != nil {
		return err
	}
	defer release()
	p := &pull{store: s, area: a, data: data, parallel: defaultParallel, chunk: chunk, free: disk.Free, came: func(int64) {}}
	return p.run(ctx, to)
}
