package serve

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"grantgraph/internal/disk/powerloss"
	"grantgraph/internal/fault"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	// Whoever comes first draws them; all get the same.
	var (
		wg  sync.WaitGroup
		got [8]*secrets
	)
	for i := range got {
		wg.Go(func() {
			s, err := openSecrets(path)
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = s
		})
	}
	wg.Wait()
	for _, s := range got {
		if s == nil || !s.valid() || !bytes.Equal(s.Forms, got[0].Forms) || !s.key().Equal(got[0].key()) {
			t.Fatalf("%+v", s)
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, err %v", st.Mode(), err)
	}
	for _, c := range []struct {
		slug string
		body string
		mode os.FileMode
	}{
		{"secrets_damaged", `{"forms":"AAAA"}`, 0o600},
		{"secrets_damaged", ``, 0o600},
		{"secrets_open", `{"forms":"AAAA"}`, 0o644},
		{"secrets_open", `{"forms":"AAAA"}`, 0o640},
	} {
		path := filepath.Join(t.TempDir(), "secrets.json")
		if err := os.WriteFile(path, []byte(c.body), c.mode); err != nil {
			t.Fatal(err)
		}
		// WriteFile's mode is what the umask leaves of it.
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := openSecrets(path)
		if f, ok := fault.Of(err); !ok || f.Slug != c.slug {
			t.Errorf("%q mode %o: %v, not %s", c.body, c.mode, err, c.slug)
		}
	}
}

// TestSecretsPowerCut cuts the power while secrets are drawn: there are none,
// or they are whole, and once they were used they stay.
func TestSecretsPowerCut(t *testing.T) {
	root := t.TempDir()
	r := powerloss.Record(t, root)
	want, err := openSecrets(filepath.Join(root, "secrets.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.Each(t, func(dir string, done bool) error {
		got, err := readSecrets(filepath.Join(dir, "secrets.json"))
		if errors.Is(err, fs.ErrNotExist) && !done {
			return nil
		}
		if err == nil && !bytes.Equal(got.Seed, want.Seed) {
			err = errors.New("they are others")
		}
		return err
	})
}
