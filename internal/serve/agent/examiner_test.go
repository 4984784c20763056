package agent

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"grantgraph/internal/serve/graph"
)

// gate is a dataset whose first question waits until it is opened.
type gate struct {
	Asker
	asked  chan struct{} // gets one for each look through the dataset
	open   chan struct{}
	looks  atomic.Int64
	panics bool
}

func newGate() *gate {
	return &gate{Asker: small, asked: make(chan struct{}, 10), open: make(chan struct{})}
}

func (g *gate) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	g.looks.Add(1)
	g.asked <- struct{}{}
	select {
	case <-g.open:
	case <-ctx.Done():
		return graph.Totals{}, nil, ctx.Err()
	}
	if g.panics {
		panic("a mapped file that turned unreadable")
	}
	return g.Asker.Summary(ctx, f)
}

// TestPoolShared lets the one who gathers a pool for all leave, and one of those
// who wait: neither takes anything from the others.
func TestPoolShared(t *testing.T) {
	t.Parallel()
	e, err := NewExaminer(secret)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	draw := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := e.Draw(ctx, g, "key", 1, version)
			done <- err
		}()
		return done
	}
	leading, leave := context.WithCancel(t.Context())
	leader := draw(leading)
	<-g.asked

	waiting, give := context.WithCancel(t.Context())
	give()
	if err := <-draw(waiting); !errors.Is(err, context.Canceled) { // while the pool is being gathered
		t.Fatal(err)
	}
	follower := draw(t.Context())
	leave()
	close(g.open)
	if err := <-follower; err != nil {
		t.Errorf("a caller was stopped by another's leaving: %v", err)
	}
	if err := <-leader; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	if n := g.looks.Load(); n != 1 {
		t.Errorf("the dataset was looked through %d times", n)
	}
}

// TestPoolLeave has a caller leave that waits for another's work.
func TestPoolLeave(t *testing.T) {
	t.Parallel()
	e, err := NewExaminer(secret)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	leader := make(chan error, 1)
	go func() {
		_, err := e.pool(t.Context(), g, version)
		leader <- err
	}()
	<-g.asked
	ctx, leave := context.WithCancel(t.Context())
	entered := make(chan struct{})
	waiter := make(chan error, 1)
	go func() {
		close(entered)
		_, err := e.pool(ctx, g, version)
		waiter <- err
	}()
	<-entered
	leave()
	if err := <-waiter; !errors.Is(err, context.Canceled) { // the gate is still closed
		t.Error(err)
	}
	close(g.open)
	if err := <-leader; err != nil {
		t.Error(err)
	}
}

// TestPoolPanic checks that a dataset that cannot be read blocks nobody.
func TestPoolPanic(t *testing.T) {
	t.Parallel()
	e, err := NewExaminer(secret)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	g.panics = true
	close(g.open)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = e.pool(t.Context(), g, version)
	}()
	g.panics = false
	if _, err := e.pool(t.Context(), g, version); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}
