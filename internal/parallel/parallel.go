// Package parallel is the one worker loop. It divides work over the cores so that the outcome does not depend on their number
// or speed. If several calls fail, it returns the error of the lowest call. A panic in a worker becomes a panic of the caller,
// who may recover.
package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Each calls fn for 0 to n-1, in this order, on so many workers. Zero workers mean one on each core. After the first error Each
// cancels the context of the running calls and begins no other. When ctx ends, Each begins no other call and returns the error
// of ctx.
func Each(ctx context.Context, workers, n int, fn func(ctx context.Context, i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	group, inner := errgroup.WithContext(ctx)
	var next atomic.Int64
	var failed lowest
	work := func() error {
		for inner.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := fn(inner, i); err != nil {
				failed.add(i, err)
				return err
			}
		}
		return nil
	}
	var panicked atomic.Pointer[string]
	for range min(workers, n) {
		group.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					said := fmt.Sprintf("%v\n%s", p, debug.Stack())
					panicked.CompareAndSwap(nil, &said)
					err = errPanicked
				}
			}()
			return work()
		})
	}
	_ = group.Wait() // the first error in time; failed has the one to return
	if said := panicked.Load(); said != nil {
		panic(*said)
	}
	if failed.err != nil {
		return failed.err
	}
	return ctx.Err()
}

// Ordered is Each for work whose results must be taken in order. It calls give for 0 to n-1 on so many workers, and take for
// one result at a time, from the first to the last. At most as many results wait as there are workers.
func Ordered[T any](ctx context.Context, workers, n int, give func(ctx context.Context, i int) (T, error), take func(T) error) error {
	turns := newTurns(n)
	return Each(ctx, workers, n, func(ctx context.Context, i int) error {
		result, err := give(ctx, i)
		if err != nil {
			return err
		}
		select {
		case <-turns[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := take(result); err != nil {
			return err
		}
		close(turns[i+1])
		return nil
	})
}

// newTurns returns one channel for each turn. A channel is closed when its turn has come; the first is closed already.
func newTurns(n int) []chan struct{} {
	turns := make([]chan struct{}, n+1)
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[0])
	return turns
}

// errPanicked stops the other workers.
var errPanicked = errors.New("a worker panicked")

// lowest keeps the error of the lowest call. A cancellation that follows from another error does not replace that error.
type lowest struct {
	mu  sync.Mutex
	at  int
	err error
}

func (l *lowest) add(i int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil || i < l.at && !errors.Is(err, context.Canceled) {
		l.at, l.err = i, err
	}
}

// All calls all of fns at once and returns when the last of them is done.
func All(fns ...func()) {
	Ranges(len(fns), len(fns), func(part, _, _ int) { fns[part]() })
}

// Parts is the number of parts into which n things should be divided: one for each
// core, but no part much smaller than least things.
func Parts(n, least int) int { return min(runtime.GOMAXPROCS(0), n/least+1) }

// Ranges divides 0 to n-1 into so many parts of about the same size and calls
// fn for all of them at once: part holds lo to hi-1.
func Ranges(n, parts int, fn func(part, lo, hi int)) {
	_ = Each(context.Background(), parts, parts, func(_ context.Context, part int) error {
		fn(part, n*part/parts, n*(part+1)/parts)
		return nil
	})
}

// Pause waits for a time, or until the context ends, whose error it returns.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
