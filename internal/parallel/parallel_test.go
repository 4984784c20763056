package parallel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{0, 1, 3, 100} {
		for _, n := range []int{0, 1, 2, 50} {
			seen := make([]atomic.Int32, n)
			if err := Each(t.Context(), workers, n, func(_ context.Context, i int) error { seen[i].Add(1); return nil }); err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if got := seen[i].Load(); got != 1 {
					t.Errorf("%d workers: %d of %d was called %d times", workers, i, n, got)
				}
			}
		}
	}
}

func TestEachErrors(t *testing.T) {
	t.Parallel()
	wrong := func(i int) error { return fmt.Errorf("call %d", i) }

	t.Run("the lowest call's error is returned", func(t *testing.T) {
		t.Parallel()
		// The third call fails while the second has begun; that fails later.
		begun, later := make(chan struct{}), make(chan struct{})
		err := Each(t.Context(), 3, 3, func(ctx context.Context, i int) error {
			switch i {
			case 1:
				close(begun)
				<-ctx.Done()
				close(later)
			case 2:
				<-begun
			default:
				<-later
				return ctx.Err()
			}
			return wrong(i)
		})
		if err == nil || err.Error() != "call 1" {
			t.Error(err)
		}
	})
	t.Run("an error stops what has not begun", func(t *testing.T) {
		t.Parallel()
		var calls atomic.Int32
		err := Each(t.Context(), 2, 1_000_000, func(context.Context, int) error { return wrong(int(calls.Add(1))) })
		if n := calls.Load(); err == nil || n > 2 {
			t.Errorf("%v after %d calls", err, n)
		}
	})
	t.Run("a context that ended", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		err := Each(ctx, 2, 10, func(_ context.Context, i int) error {
			if i == 3 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("a panic is the caller's", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if said := fmt.Sprint(recover()); !strings.Contains(said, "out of order") || !strings.Contains(said, "parallel_test.go") {
				t.Errorf("recovered %s", said)
			}
		}()
		err := Each(t.Context(), 4, 100, func(_ context.Context, i int) error {
			if i == 7 {
				panic("out of order")
			}
			return nil
		})
		t.Errorf("no panic: %v", err)
	})
}

func TestAll(t *testing.T) {
	t.Parallel()
	All()
	// Each waits for the other, so both are under way.
	a, b := make(chan struct{}), make(chan struct{})
	done := 0
	All(func() { close(a); <-b; done++ }, func() { <-a; close(b) })
	if done != 1 {
		t.Error("it returned too early")
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5, 64, 1000} {
		for _, parts := range []int{1, 2, 7, Parts(n, 10)} {
			seen := make([]int32, n)
			ends := make([][2]int, parts)
			Ranges(n, parts, func(part, lo, hi int) {
				ends[part] = [2]int{lo, hi}
				for i := lo; i < hi; i++ {
					seen[i]++
				}
			})
			for i, c := range seen {
				if c != 1 {
					t.Errorf("%d of %d in %d parts: %d times", i, n, parts, c)
				}
			}
			for p := 1; p < parts; p++ {
				if ends[p][0] != ends[p-1][1] {
					t.Errorf("%d in %d parts: %v", n, parts, ends)
				}
			}
		}
	}
}

func TestOrdered(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{0, 1, 3, 100} {
		for _, n := range []int{0, 1, 2, 50} {
			var taken []int
			err := Ordered(t.Context(), workers, n,
				func(_ context.Context, i int) (int, error) { return i * i, nil },
				func(square int) error { taken = append(taken, square); return nil })
			if err != nil || len(taken) != n {
				t.Fatalf("%d workers: %d of %d, %v", workers, len(taken), n, err)
			}
			for i, square := range taken {
				if square != i*i {
					t.Errorf("%d workers: %d came as number %d", workers, square, i)
				}
			}
		}
	}
}

func TestOrderedErrors(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	give := func(at int) func(context.Context, int) (int, error) {
		return func(_ context.Context, i int) (int, error) {
			if i == at {
				return 0, wrong
			}
			return i, nil
		}
	}
	var last int
	take := func(i int) error { last = i; return nil }
	if err := Ordered(t.Context(), 4, 100, give(20), take); err != wrong || last > 19 {
		t.Errorf("%v after %d", err, last)
	}
	if err := Ordered(t.Context(), 4, 100, give(-1), func(i int) error {
		if i == 20 {
			return wrong
		}
		return take(i)
	}); err != wrong || last != 19 {
		t.Errorf("%v after %d", err, last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Ordered(ctx, 4, 100, give(-1), func(i int) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
