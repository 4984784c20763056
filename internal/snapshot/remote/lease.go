package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"grantgraph/internal/parallel"
)

// A lease is renewed often and stays valid long after its last renewal, so that an outage of the store of
// several minutes ends no lease. Both times are measured by the store's clock.
const (
	leaseRenew = time.Minute
	leaseLive  = 20 * time.Minute
	// leaseGone is the age from which a lease is abandoned.
	leaseGone = 7 * 24 * time.Hour
)

type holder struct {
	store Store
	area  Area
	id    string

	mu      sync.Mutex
	lease   Lease
	renewed time.Time // by this process's monotonic clock
}

// lease takes a new lease and renews it until stop is called. It also returns the store's time.
func lease(ctx context.Context, s Store, a Area, kind, version string) (h *holder, now time.Time, stop func(), err error) {
	h = &holder{store: s, area: a, id: newLeaseID(kind)}
	if now, err = h.set(ctx, kind, version); err != nil {
		return nil, now, nil, err
	}
	return h, now, h.keep(ctx), nil
}

func newLeaseID(kind string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return kind + "-" + hex.EncodeToString(b[:])
}

// set writes the lease and returns the store's time.
func (h *holder) set(ctx context.Context, kind string, holds ...string) (now time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = Lease{Layout: layout, Kind: kind, Holds: holds}
	return h.write(ctx)
}

func (h *holder) renew(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease.Kind == "" {
		return nil
	}
	_, err := h.write(ctx)
	return err
}

func (h *holder) write(ctx context.Context) (now time.Time, err error) {
	began := time.Now()
	body := encode(h.lease)
	key := h.area.leaseKey(h.id)
	if err := h.store.Put(ctx, key, bytes.NewReader(body), int64(len(body))); err != nil {
		return time.Time{}, err
	}
	h.renewed = began
	info, err := h.store.Head(ctx, key)
	return info.Modified, err
}

// fresh reports whether other machines will surely see the lease for a good while.
func (h *holder) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.renewed) < leaseLive/2
}

// keep renews the lease until stop is called. stop gives the lease back.
func (h *holder) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for parallel.Pause(ctx, leaseRenew) == nil {
			_ = h.renew(ctx) // the next renewal may succeed; callers that must know ask fresh
		}
	})
	return func() {
		cancel()
		wg.Wait()
		h.drop()
	}
}

// drop gives the lease back, even if its work was interrupted.
func (h *holder) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = h.store.Delete(ctx, h.area.leaseKey(h.id)) // on failure the lease expires
}

// conditional checks that the store honors conditional writes: it must refuse to
// create the lease again, because the lease exists.
func (h *holder) conditional(ctx context.Context) error {
	_, err := h.store.PutIf(ctx, h.area.leaseKey(h.id), encode(h.lease), "")
	switch {
	case errors.Is(err, ErrChanged):
		return nil
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return unconditional(h.store)
	}
	return err
}

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
