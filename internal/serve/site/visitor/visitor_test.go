package visitor

import (
	"fmt"
	"testing"
	"time"
)

// TestTake opens pages from several addresses while the test sets the clock.
func TestTake(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC)
	l := New(Rate{Burst: 3, Every: 2 * time.Second}, func() time.Time { return now })
	for i, step := range []struct {
		after   time.Duration
		address string
		wait    time.Duration // 0 if the page is opened
	}{
		{0, "192.0.2.7", 0},
		{0, "192.0.2.7:4711", 0},
		{0, "::ffff:192.0.2.7", 0},
		{0, "192.0.2.7", 2 * time.Second},
		{0, "192.0.2.8", 0}, // another
		{time.Second, "192.0.2.7", time.Second},
		{time.Second, "192.0.2.7", 0},
		{0, "192.0.2.7", 2 * time.Second},
		{time.Hour, "192.0.2.7", 0}, // the burst is the most that is saved
		{0, "192.0.2.7", 0},
		{0, "192.0.2.7", 0},
		{0, "192.0.2.7", 2 * time.Second},
		{0, "2001:db8:1:2::1", 0}, // one household
		{0, "2001:db8:1:2:ffff::9", 0},
		{0, "[2001:db8:1:2::4]:80", 0},
		{0, "2001:db8:1:2::5", 2 * time.Second},
		{0, "2001:db8:1:3::1", 0},
		{0, "somebody", 0},
		{0, "", 0},
		{0, "fe80::1%eth0", 0},
		{0, "nobody", 0},
		{0, "@", 2 * time.Second},
		{-2 * time.Hour, "192.0.2.7", 2 * time.Second}, // a clock that was set back
		{2 * time.Second, "192.0.2.7", 0},
	} {
		now = now.Add(step.after)
		wait, ok := l.Take(step.address)
		if wait != step.wait || ok != (step.wait == 0) {
			t.Errorf("step %d, %s: wait %s, %t", i, step.address, wait, ok)
		}
	}
	for range 100 {
		for _, own := range []string{"127.0.0.1", "127.0.0.1:80", "::1"} {
			if _, ok := l.Take(own); !ok {
				t.Fatal(own, "is counted")
			}
		}
	}
}

// TestBounded has more visitors than the table holds.
func TestBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC)
	l := New(Rate{Burst: 1, Every: time.Second}, func() time.Time { return now })
	l.most = 100
	for i := range 10_000 {
		address := fmt.Sprintf("198.51.%d.%d", i/256, i%256)
		if _, ok := l.Take(address); !ok {
			t.Fatal(address, "is refused its first page")
		}
		if _, ok := l.Take(address); ok {
			t.Fatal(address, "is given a second")
		}
		if len(l.now) > l.most || len(l.before) > l.most {
			t.Fatal(len(l.now), len(l.before))
		}
	}
	// The last visitor is still known.
	if _, ok := l.Take("198.51.39.15"); ok {
		t.Error("forgotten")
	}
}
