package budget

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"grantgraph/internal/fault"
)

// never is a timer that does not end.
func never(time.Duration) (<-chan time.Time, func() bool) {
	return nil, func() bool { return true }
}

// over is a timer that has ended.
func over(time.Duration) (<-chan time.Time, func() bool) {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c, func() bool { return false }
}

func take(t *testing.T, b *Budget, bytes int64) *Hold {
	t.Helper()
	h, err := b.Take(t.Context(), bytes)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func refused(t *testing.T, b *Budget, bytes int64) {
	t.Helper()
	_, err := b.Take(t.Context(), bytes)
	if f, ok := fault.Of(err); !ok || f.Slug != Busy || f.Hint == "" {
		t.Fatalf("%d bytes: %v", bytes, err)
	}
}

// wait waits until so many wait.
func (b *Budget) wait(n int) {
	for {
		b.mu.Lock()
		got := b.waiting.Len()
		b.mu.Unlock()
		if got == n {
			return
		}
		runtime.Gosched()
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	b := New(8000, Options{Timer: over})
	first := take(t, b, 4000)
	refused(t, b, 4000) // one eighth is kept for small holds
	second := take(t, b, 3000)
	refused(t, b, 100)
	small := take(t, b, 30)
	if got := b.Held(); got != 7030 {
		t.Errorf("%d bytes are held", got)
	}
	second.Resize(500)
	third := take(t, b, 2470)
	first.Release()
	first.Release()
	first.Resize(900)
	if got := b.Held(); got != 3000 {
		t.Errorf("%d bytes are held", got)
	}
	third.Resize(9000) // more than there is: it is there already
	refused(t, b, 1)
	for _, h := range []*Hold{second, small, third} {
		h.Release()
	}
	// What is more than all is let in alone.
	alone := take(t, b, 1<<40)
	refused(t, b, 100)
	take(t, b, 31).Release()
	alone.Release()
	if b.Held() != 0 || b.Size() != 8000 {
		t.Errorf("%d of %d bytes are held in the end", b.Held(), b.Size())
	}
}

func TestUnbounded(t *testing.T) {
	t.Parallel()
	var b *Budget
	h, err := b.Take(t.Context(), 1<<60)
	if err != nil {
		t.Fatal(err)
	}
	h.Resize(5)
	h.Release()
	if b.Size() != 0 || b.Held() != 0 {
		t.Error("no budget holds something")
	}
}

// TestQueue lets those who wait in as they came, and small ones past them.
func TestQueue(t *testing.T) {
	t.Parallel()
	b := New(8000, Options{Timer: never, Waiters: 3})
	first := take(t, b, 6000)
	order := make(chan int64, 3)
	for i, bytes := range []int64{5000, 1000, 2000} {
		go func() {
			h, err := b.Take(context.Background(), bytes)
			if err != nil {
				t.Error(err)
			}
			order <- bytes
			if bytes == 5000 {
				h.Release()
			}
		}()
		b.wait(i + 1)
	}
	refused(t, b, 100)       // the queue is full
	take(t, b, 20).Release() // small
	first.Resize(5000)       // there is room for the second who waits, not for the first
	b.wait(3)                // nobody is let in out of turn
	first.Release()          // the first and, with it, the second
	if got := <-order; got != 5000 && got != 1000 {
		t.Errorf("%d came first", got)
	}
	<-order
	<-order
	if got := b.Held(); got != 3000 {
		t.Errorf("%d bytes are held", got)
	}
}

// TestGivenUp leaves nothing of those who stop waiting.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	b := New(8000, Options{Timer: never})
	first := take(t, b, 6000)
	ctx, cancel := context.WithCancel(context.Background())
	gone, behind := make(chan error), make(chan *Hold)
	go func() {
		_, err := b.Take(ctx, 5000)
		gone <- err
	}()
	b.wait(1)
	go func() {
		h, _ := b.Take(context.Background(), 1000)
		behind <- h
	}()
	b.wait(2)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	(<-behind).Release()
	first.Release()
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// TestCrowd takes and gives from many sides; the budget is whole in the end and
// never exceeded.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const size = 10_000
	b := New(size, Options{Wait: time.Microsecond, Waiters: 4})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range 500 {
				ctx, cancel := context.WithCancel(context.Background())
				if r.IntN(4) == 0 {
					cancel()
				}
				if h, err := b.Take(ctx, r.Int64N(size)); err == nil {
					if held := b.Held(); held > size {
						t.Errorf("%d bytes are held", held)
					}
					h.Resize(0)
					h.Release()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if b.Held() != 0 || b.waiting.Len() != 0 {
		t.Errorf("%d bytes are held and %d wait in the end", b.Held(), b.waiting.Len())
	}
}

func TestMachine(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	info := file("MemFree: 1 kB\nMemTotal:       2048 kB\n")
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"nothing is known", fstest.MapFS{}, 0},
		{"no group", fstest.MapFS{"proc/meminfo": info}, 2 << 20},
		{"no limit", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/memory.max": file("max\n")}, 2 << 20},
		{"of a parent", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.max": file("1000000\n")}, 1_000_000},
		{"in a container", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/host/path\n"), "sys/fs/cgroup/memory.max": file("500000\n")}, 500_000},
		{"first version", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("5:cpu:/\n4:memory:/x\n"), "sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("700000")}, 700_000},
	} {
		if got := machine(c.root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
