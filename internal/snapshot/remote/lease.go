package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
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
