package revocation

import (
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

// TestRealFiles reads the real list: every event is taken, those of EINs that
// occur twice or begin with 00 among them.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(upstream.Dir(t), "revocation", "data-download-revocation.zip")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no such list: %v", err)
	}
	f, err := rows.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var zeros, reinstated int
	seen := map[ein.EIN]bool{}
	tally, err := Read(f, func(r *Record) error {
		seen[r.EIN] = true
		if r.EIN.Prefix() == 0 {
			zeros++
		}
		if r.Reinstated != "" {
			reinstated++
		}
		if r.Name == "" || r.City == "" || r.Posted <= r.Revoked {
			t.Errorf("incomplete: %+v", r)
		}
		return nil
	})
	if err != nil || tally.Rows != 32 || tally.Lost() != 0 {
		t.Errorf("%+v, err %v; want 32 rows", tally, err)
	}
	if len(seen) != 29 || zeros != 23 || reinstated != 4 {
		t.Errorf("%d EINs, %d events of EINs that begin with 00, %d reinstatements; want 29, 23, 4", len(seen), zeros, reinstated)
	}
}
