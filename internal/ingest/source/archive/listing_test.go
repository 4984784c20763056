package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// TestListing tells archives apart by what is known of their members before they
// are read, however they are opened.
func TestListing(t *testing.T) {
	t.Parallel()
	body := packed(t, 4, true)
	listing := func(body []byte) string {
		t.Helper()
		a, err := New(t.Context(), "x", bytes.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := a.Listing()
		if err != nil || len(sum) != 64 {
			t.Fatal(sum, err)
		}
		return sum
	}
	want := listing(body)
	if got, err := open(t, save(t, "other.zip", body)).Listing(); err != nil || got != want {
		t.Errorf("%s from a file, %s: %v", got, want, err)
	}
	if listing(packed(t, 3, true)) == want || listing(packed(t, 4, false)) == want {
		t.Error("another archive has the same listing")
	}
	other := bytes.Clone(body)
	other[bytes.LastIndex(other, directory)+16] ^= 1
	if listing(other) == want {
		t.Error("another checksum of a member is not seen")
	}
	cut := body[:bytes.Index(body, directory)]
	if listing(cut) != listing(bytes.Clone(cut)) {
		t.Error("an archive without a directory has two listings")
	}
	if listing([]byte(document(1))) == listing([]byte(document(2))) {
		t.Error("two documents have the same listing")
	}
}

// failing fails from an offset on.
type failing struct {
	io.ReaderAt
	from int64
}

var errDisk = errors.New("the disk fails")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestErr tells a file that cannot be read from one that is damaged.
func TestErr(t *testing.T) {
	t.Parallel()
	body := packed(t, 4, true)
	if _, err := New(t.Context(), "x.zip", failing{bytes.NewReader(body), 100}, int64(len(body))); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	late := &failing{bytes.NewReader(body), int64(len(body))}
	a, err := New(t.Context(), "x.zip", late, int64(len(body)))
	if err != nil || a.Err() != nil {
		t.Fatal(err, a.Err())
	}
	late.from = 0
	if _, err := read(&a.Members[1]); err == nil || !errors.Is(a.Err(), errDisk) {
		t.Error(err, a.Err())
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a, err = New(ctx, "x.zip", bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := read(&a.Members[1]); err == nil || !errors.Is(a.Err(), context.Canceled) {
		t.Error(err, a.Err())
	}
}
