package pub78

import (
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/irscode"
)

// TestRealFiles reads the real lists: every row is taken, EINs that begin with
// 00 among them, and every code is known.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(upstream.Dir(t), "pub78")
	for name, want := range map[string]struct{ rows, zeros int64 }{
		"data-download-pub78.zip": {32, 0},
		"pub78_2014_rows.txt":     {601, 14},
		"pub78_3rows.txt":         {3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("no such list: %v", err)
			}
			f, err := rows.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var zeros int64
			tally, err := Read(f, func(r *Record) error {
				if r.EIN.Prefix() == 0 {
					zeros++
				}
				if (r.State == "") != (r.Country != "United States") {
					t.Errorf("state %q in %q", r.State, r.Country)
				}
				codes := irscode.Pub78Codes(r.Codes)
				if len(codes) == 0 || r.Name == "" || r.City == "" {
					t.Errorf("incomplete: %+v", r)
				}
				for _, code := range codes {
					if irscode.Pub78Label(code) == "" {
						t.Errorf("unknown code %q", code)
					}
				}
				return nil
			})
			if err != nil || tally.Rows != want.rows || tally.Lost() != 0 {
				t.Errorf("%+v, err %v; want %d rows", tally, err, want.rows)
			}
			if zeros != want.zeros {
				t.Errorf("%d EINs begin with 00, want %d", zeros, want.zeros)
			}
		})
	}
}
