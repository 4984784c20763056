package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Abandoned is how long an interrupted upload is kept, so that it can be resumed.
const Abandoned = 7 * 24 * time.Hour

// sweep removes versions beyond the newest p.Keep, and content that no version names. It keeps every version that a pointer or
// a lease names. kept is why sweep removed nothing although there may be something to remove.
//
// A publisher writes a lease and then looks for sweepers. A sweeper writes a lease and then looks for
// publishers. If both run at the same time, at least one sees the other, and the sweeper gives way.
func (p Publication) sweep(ctx context.Context, h *holder) (removed []string, kept string, err error) {
	removed = []string{}
	if p.Keep <= 0 {
		return removed, "", nil
	}
	now, err := h.set(ctx, leaseSweep)
	if err != nil {
		return removed, "", err
	}
	held, kept, err := p.leased(ctx, h, now)
	if err != nil || kept != "" {
		return removed, kept, err
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
	named := map[string]bool{} // content in use
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
	stray, err := collect(ctx, p.Store, p.Area.objects(), "objects", maxObjects, func(o Info) (string, bool) {
		sum, ok := p.Area.object(o.Key)
		return o.Key, ok && !named[sum]
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

// leased is the set of the versions that leases other than h name, at the store's time now. It deletes leases
// that are gone. kept is why sweep must not remove anything, if a live lease is a reason.
func (p Publication) leased(ctx context.Context, h *holder, now time.Time) (held map[string]bool, kept string, err error) {
	leases, err := leasesIn(ctx, p.Store, p.Area)
	if err != nil {
		return nil, "", err
	}
	held = map[string]bool{}
	for _, l := range leases {
		if l.id == h.id {
			continue
		}
		age := now.Sub(l.renewed)
		switch {
		case age >= leaseGone:
			if err := p.Store.Delete(ctx, p.Area.leaseKey(l.id)); err != nil {
				return nil, "", err
			}
			continue
		case age >= leaseLive:
		case l.broken:
			return nil, "a lease in the store cannot be read, so nothing was removed", nil
		case l.Kind != leaseNode:
			return nil, "another publisher is at work, so nothing was removed", nil
		}
		// An expired lease still holds its versions until leaseGone. That costs only storage.
		for _, v := range l.Holds {
			held[v] = true
		}
	}
	return held, "", nil
}

// tookTooLong is the reason to stop when others may consider the sweeper's lease expired.
const tookTooLong = "the store answers too slowly to remove anything safely; the next publication goes on"
