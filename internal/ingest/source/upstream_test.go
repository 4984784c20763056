package source

import (
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// TestRealFiles has the checks of the catalog accept real files, and refuse
// the real failure that is on record.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	for _, c := range []struct {
		source, pattern string
		least           int64
	}{
		{"bmf", "bmf/2026-04/eo4.csv.gz", 4000},
		{"bmf", "bmf/2026-04/eo_w*.csv.gz", 4000},
		{"pub78", "pub78/*.zip", 30},
		{"revocation", "revocation/*.zip", 30},
		{"ofac", "ofac/*/*.csv*", 10},
		{"ukcharity", "uk/*/publicextract.*.zip", 100},
		{"irs990", "990/zips/*_TEOS_*.zip", 1},
		{"irs990", "990/index_DERIVED.csv", 500},
	} {
		files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(c.pattern)))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no files (%v)", c.pattern, err)
		}
		s, _ := Find(c.source)
		var total int64
		for _, file := range files {
			rows, revised, err := s.Check(file)
			if strings.Contains(file, "EMPTY") {
				if err == nil {
					t.Errorf("%s was accepted", file)
				}
				continue
			}
			if err != nil || rows < c.least {
				t.Errorf("%s: %d rows, revised %q, %v", file, rows, revised, err)
			}
			total += rows
		}
		t.Logf("%s: %d files, %d rows", c.pattern, len(files), total)
	}
}
