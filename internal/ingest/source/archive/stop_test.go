package archive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// ending is a context that ends when it has been looked at a number of times.
type ending struct {
	context.Context
	looks, after int
}

func (e *ending) Err() error {
	if e.looks++; e.looks > e.after {
		return context.Canceled
	}
	return nil
}

// TestStop lists a file that begins like a zip and has no directory, which
// takes reading all of it: nothing is read once the context has ended, and the
// file is not said to be damaged.
func TestStop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(path, append([]byte("PK\x03\x04"), make([]byte, 4<<20)...), 0o644); err != nil {
		t.Fatal(err)
	}
	whole := &ending{Context: t.Context(), after: 1 << 30}
	if _, err := OpenContext(whole, path); err == nil || errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if whole.looks < 4<<20/searchInPieces {
		t.Errorf("only %d looks at the context", whole.looks)
	}
	for after := range whole.looks - 1 {
		ctx := &ending{Context: t.Context(), after: after}
		if _, err := OpenContext(ctx, path); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at look %d: %v", after, err)
		}
		if late := ctx.looks - after; late > 10 {
			t.Errorf("stopped at look %d, and looked %d times more", after, late)
		}
	}
}
