package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestObject reads an object in random places from several goroutines, in every
// kind of store.
func TestObject(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		body := make([]byte, 2*blockSize+12345)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range body {
			body[i] = byte(random.Uint32())
		}
		if err := s.Put(t.Context(), "a/b.zip", bytes.NewReader(body), int64(len(body))); err != nil {
			t.Fatal(err)
		}
		o, err := OpenObject(t.Context(), s, "a/b.zip")
		if err != nil || o.Info().Size != int64(len(body)) {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				random := rand.New(rand.NewPCG(3, uint64(worker)))
				for range 50 {
					off, n := random.IntN(len(body)+10), random.IntN(blockSize+100)
					p := make([]byte, n)
					got, err := o.ReadAt(p, int64(off))
					want := body[min(off, len(body)):min(off+n, len(body))]
					if !bytes.Equal(p[:got], want) || (got < n) != (err == io.EOF) {
						t.Errorf("%d at %d: %d, %v", n, off, got, err)
					}
				}
			})
		}
		group.Wait()
		sum := sha256.Sum256(body)
		if got, err := o.Sum(); err != nil || got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s, %v", got, err)
		}
		if err := o.Unchanged(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Put(t.Context(), "a/b.zip", bytes.NewReader(body[:7]), 7); err != nil {
			t.Fatal(err)
		}
		if err := o.Unchanged(t.Context()); !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
		if err := s.Delete(t.Context(), "a/b.zip"); err != nil {
			t.Fatal(err)
		}
		if err := o.Unchanged(t.Context()); !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
		if _, err := OpenObject(t.Context(), s, "a/b.zip"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}
