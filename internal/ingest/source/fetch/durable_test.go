package fetch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/disk/powerloss"
)

// TestPowerCut fetches a file and then a newer one, and cuts the power after
// every change of the disk. The file is the old or the new one, whole; the
// state can be read and never speaks of a file that is not there yet.
func TestPowerCut(t *testing.T) {
	u := newUpstream(t)
	d := newTestFolder(t, u, "pub78")
	var before []byte
	for _, name := range []string{"Garden", "Orchard"} {
		after := list(100, name)
		u.put(pub78URL, file{body: after, etag: `"` + name + `"`})
		r := powerloss.Record(t, filepath.Dir(d.dir))
		if got, _ := d.run(); got.New != 1 {
			t.Fatalf("%+v", got)
		}
		sum := sha256.Sum256(after)
		r.Each(t, func(root string, done bool) error {
			dir := filepath.Join(root, filepath.Base(d.dir))
			body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(pub78Path)))
			if err != nil && !(errors.Is(err, fs.ErrNotExist) && before == nil && !done) {
				return err
			}
			if !bytes.Equal(body, after) && (done || !bytes.Equal(body, before)) {
				return fmt.Errorf("the file has %d bytes of neither", len(body))
			}
			state, err := ReadState(dir, "pub78")
			if err != nil {
				return err
			}
			held, ok := state.File(pub78Path)
			if news := ok && held.SHA256 == hex.EncodeToString(sum[:]); news && !bytes.Equal(body, after) || done && !news {
				return fmt.Errorf("the state speaks of %+v", held)
			}
			return nil
		})
		before = after
	}
}

// TestResumeAfterPowerCut goes on with what is on the disk for sure, however
// long the file seems to be.
func TestResumeAfterPowerCut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "part")
	m := partial{URL: "https://upstream.example/a", ETag: `"one"`, Total: 1000}
	if err := writePartial(path, m); err != nil {
		t.Fatal(err)
	}
	// Five hundred bytes had come, of which two hundred were synced.
	if err := os.WriteFile(path, make([]byte, 500), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, size := readPartial(path, m.URL); size != 0 {
		t.Errorf("nothing was synced, and it goes on at %d", size)
	}
	m.Kept = 200
	if err := notePartial(path, m); err != nil {
		t.Fatal(err)
	}
	if _, size := readPartial(path, m.URL); size != 200 {
		t.Errorf("it goes on at %d", size)
	}
}
