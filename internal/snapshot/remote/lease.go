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
)

// A lease is renewed often, and counts long after it was last renewed, so that a
// store that is away for minutes loses nobody's. Both are reckoned from the times
// that the store itself notes.
const (
	leaseRenew = time.Minute
	leaseLive  = 20 * time.Minute
	// leaseGone is when nobody will come back for a lease.
	leaseGone = 7 * 24 * time.Hour
)

// holder renews one lease.
type holder struct {
	store Store
	area  Area
	id    string

	mu      sync.Mutex
	lease   Lease
	renewed time.Time // by the monotonic clock of this process
}

// newLeaseID draws the id of a lease that nobody else has.
func newLeaseID(kind string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return kind + "-" + hex.EncodeToString(b[:])
}

// set writes the lease and returns the time of the store.
func (h *holder) set(ctx context.Context, kind string, holds ...string) (now time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = Lease{Layout: layout, Kind: kind, Holds: holds}
	return h.write(ctx)
}

// renew writes the lease again, as it is.
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

// fresh says whether others are bound to see the lease for a good while.
func (h *holder) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.renewed) < leaseLive/2
}

// keep renews the lease until stop is called, which gives it back.
func (h *holder) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for pause(ctx, leaseRenew) == nil {
			_ = h.renew(ctx) // the next one may succeed; who must know asks fresh
		}
	})
	return func() {
		cancel()
		wg.Wait()
		h.drop()
	}
}

// drop gives the lease back, also when what it was for was interrupted.
func (h *holder) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = h.store.Delete(ctx, h.area.leaseKey(h.id)) // otherwise it grows old
}

// conditional finds out whether the store honors conditions: the lease is there,
// so one that must not be there cannot be written.
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
