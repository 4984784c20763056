package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/edition"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// countdown is a context that ends when it has been looked at a number of
// times. It counts on, so that a test knows how much was done afterwards: what
// is done between two looks is bounded.
type countdown struct {
	context.Context
	looks atomic.Int64
	after int64
	done  chan struct{}
}

func newCountdown(t *testing.T, after int64) *countdown {
	return &countdown{Context: t.Context(), after: after, done: make(chan struct{})}
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	switch n := c.looks.Add(1); {
	case n <= c.after:
		return nil
	case n == c.after+1:
		close(c.done)
	}
	return context.Canceled
}

// late is how often it was looked at after it had ended.
func (c *countdown) late() int64 { return max(0, c.looks.Load()-c.after) }

// TestStopAnywhere stops a build at its first look at the context, and at later
// and later ones until one runs through. Each stopped one says that it was
// stopped, not that a file is damaged, publishes nothing, and is done after a
// few more looks.
func TestStopAnywhere(t *testing.T) {
	t.Parallel()
	root := sample().lay(t)
	put(t, root, "pub78/data-download-pub78.txt", strings.Repeat("070000001|Alder Family Foundation|Dover|DE|United States|PF\n", 3000))
	stops := 0
	for after := int64(0); ; after += 1 + after/2 {
		data := t.TempDir()
		ctx := newCountdown(t, after)
		_, err := Run(ctx, Options{Sources: root, Data: data, Workers: 2, shardBytes: 1 << 10, Now: func() time.Time { return noon }})
		if err == nil {
			break
		}
		stops++
		if f, ok := fault.Of(err); ok || !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at look %d: %v %v", after, err, f)
		}
		if _, err := snapshot.Open(data); !errors.Is(err, snapshot.ErrNone) {
			t.Fatalf("stopped at look %d, and yet published: %v", after, err)
		}
		if ctx.late() > 40 {
			t.Errorf("stopped at look %d, and looked %d times more", after, ctx.late())
		}
	}
	if stops < 10 {
		t.Errorf("it could be stopped in %d places only", stops)
	}
	t.Logf("stopped in %d places", stops)
}

// TestStopWhileReading counts the looks at the context while large files are
// read: there is one for every 64 KiB at least.
func TestStopWhileReading(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	row := "070000001|Alder Family Foundation|Dover|DE|United States|PF\n"
	put(t, root, "pub78/data-download-pub78.txt", strings.Repeat(row, 100_000))
	size := int64(len(row) * 100_000)
	all := newCountdown(t, 1<<60)
	if _, err := edition.Make(all, edition.Options{Sources: root, Data: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	// It is hashed and read.
	if least := 2 * size / (64 << 10); all.looks.Load() < least {
		t.Errorf("%d looks in %d bytes, at least %d expected", all.looks.Load(), size, least)
	}
	for _, part := range []int64{10, 4, 2} {
		data, ctx := t.TempDir(), newCountdown(t, all.looks.Load()/part)
		if _, err := edition.Make(ctx, edition.Options{Sources: root, Data: data}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if ctx.late() > 8 {
			t.Errorf("looked %d times more", ctx.late())
		}
		if c, err := lists.Read(data); err != nil || c.Edition != nil {
			t.Errorf("published %v, %v", c, err)
		}
	}
}

// TestStopHashing stops while source files are hashed.
func TestStopHashing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 4<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := newCountdown(t, 5)
	_, n, err := discover.Hash(ctx, path)
	if err != context.Canceled || n != 0 || ctx.late() > 4 {
		t.Errorf("%d bytes, %v, %d looks more", n, err, ctx.late())
	}
}
