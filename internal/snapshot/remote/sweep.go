package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Abandoned is how long an interrupted upload is kept for whoever goes on with it.
const Abandoned = 7 * 24 * time.Hour

// sweep removes the versions beyond those to be kept, and content that no
// version names. It never touches what a pointer or a lease names. kept says why
// nothing was removed, if that is so although there may be something.
//
// Who publishes writes a lease and then looks for sweepers; who sweeps writes a
// lease and then looks for publishers. Of two at the same time one sees the
// other at least, and it is the sweeper that gives way.
func (p Publication) sweep(ctx context.Context, h *holder) (removed []string, kept string, err error) {
	removed = []string{}
	if p.Keep <= 0 {
		return removed, "", nil
	}
	now, err := h.set(ctx, leaseSweep)
	if err != nil {
		return removed, "", err
	}
	leases, err := leasesIn(ctx, p.Store, p.Area)
	if err != nil {
		return removed, "", err
	}
	held := map[string]bool{}
	for _, l := range leases {
		if l.id == h.id {
			continue
		}
		age := now.Sub(l.renewed)
		switch {
		case age >= leaseGone:
			if err := p.Store.Delete(ctx, p.Area.leaseKey(l.id)); err != nil {
				return removed, "", err
			}
		case age >= leaseLive:
		case l.broken:
			return removed, "a lease in the store cannot be read, so nothing was removed", nil
		case l.Kind != leaseNode:
			return removed, "another publisher is at work, so nothing was removed", nil
		}
		// A lease that has run out is still a reason to wait: it costs nothing
		// but room, and goes when its week is over.
		if age < leaseGone {
			for _, v := range l.Holds {
				held[v] = true
			}
		}
	}
	pointer, err := Current(ctx, p.Store, p.Area)
	if errors.Is(err, fs.ErrNotExist) {
		return removed, "", nil
	}
	if err != nil {
		return removed, "", err
	}
	held[pointer.Version] = true
	versions, err := versionsIn(ctx, p.Store, p.Area)
	if err != nil {
		return removed, "", err
	}
	named := map[string]bool{} // content that is in use
	var old []string
	for i, v := range versions {
		if !held[v] && i < len(versions)-p.Keep {
			old = append(old, v)
			continue
		}
		m, _, err := readManifest(ctx, p.Store, p.Area, v)
		if err != nil {
			return removed, fmt.Sprintf("the manifest of %s in the store cannot be read, so nothing was removed", v), nil
		}
		for _, f := range m.Files {
			named[f.SHA256] = true
		}
	}
	for _, v := range old {
		if !h.fresh() {
			return removed, tookTooLong, nil
		}
		if err := p.Store.Delete(ctx, p.Area.manifestKey(v)); err != nil {
			return removed, "", err
		}
		removed = append(removed, v)
	}
	var stray []string
	err = p.Store.List(ctx, p.Area.objects(), func(o Info) error {
		if sum, ok := p.Area.object(o.Key); ok && !named[sum] {
			if len(stray) == maxObjects {
				return tooMany(p.Store, "objects")
			}
			stray = append(stray, o.Key)
		}
		return nil
	})
	if err != nil {
		return removed, "", err
	}
	slices.Sort(stray)
	for _, key := range stray {
		if !h.fresh() {
			return removed, tookTooLong, nil
		}
		if err := p.Store.Delete(ctx, key); err != nil {
			return removed, "", err
		}
	}
	return removed, "", p.Store.Forget(ctx, p.Area.objects(), now.Add(-Abandoned))
}

// tookTooLong is said by a sweeper whose lease others may take for dead.
const tookTooLong = "the store answers too slowly to remove anything safely; the next publication goes on"
