package snapshot

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	made, taken := 0, 0
	var last error
	for _, err := range Until(ctx, func(yield func(int, error) bool) {
		for ; yield(made, nil); made++ {
		}
	}) {
		if last = err; err != nil {
			break
		}
		if taken++; taken == 5000 {
			stop()
		}
	}
	if !errors.Is(last, context.Canceled) || taken > 5000+CheckEvery {
		t.Errorf("%d rows taken, %v", taken, last)
	}
}

func TestWriteTableStops(t *testing.T) {
	t.Parallel()
	w, err := Create(t.TempDir(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	made := 0
	err = WriteTableUntil(ctx, w, "numbers", func(yield func(struct{ N int64 }) bool) {
		for ; yield(struct{ N int64 }{int64(made)}); made++ {
			if made == 5000 {
				stop()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || made > 5000+CheckEvery {
		t.Errorf("%d rows made, %v", made, err)
	}
}
