package api

import (
	"testing"
	"time"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	var b limiter
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for range notesAMinute {
		if _, ok := b.take(now); !ok {
			t.Fatal("stopped too early")
		}
	}
	for range 7 {
		if _, ok := b.take(now); ok {
			t.Fatal("not stopped")
		}
	}
	if skipped, ok := b.take(now.Add(time.Minute)); !ok || skipped != 7 {
		t.Errorf("%d %v", skipped, ok)
	}
}
