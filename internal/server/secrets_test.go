package server

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

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
	for slug, spoil := range map[string]func() error{
		"secrets_damaged": func() error { return os.WriteFile(path, []byte(`{"forms":"AAAA"}`), 0o600) },
		"secrets_open":    func() error { return os.Chmod(path, 0o644) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		_, err := openSecrets(path)
		if f, ok := fault.Of(err); !ok || f.Slug != slug {
			t.Errorf("%s: %v", slug, err)
		}
	}
}
