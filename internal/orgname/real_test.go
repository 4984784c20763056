package orgname

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// rows reads a compressed CSV file with a header.
func rows(t *testing.T, path string, row func(get func(string) string)) {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is missing", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(z)
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, h := range head {
		at[h] = i
	}
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		row(func(name string) string {
			if i, ok := at[name]; ok && i < len(rec) {
				return rec[i]
			}
			return ""
		})
	}
}

// TestRealPairs measures how often a name on a grant line has the key of the
// organization whose number stands beside it.
func TestRealPairs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(upstream.Dir(t), "matching", "schedule_i_labelled_DERIVED.csv.gz")
	n, equal, plain, shown := 0, 0, 0, 0
	rows(t, path, func(get func(string) string) {
		bmf := get("bmf_name")
		if bmf == "" {
			return
		}
		n++
		line := ParseLine(get("recipient_name"), get("recipient_name2"), get("city"), get("state"))
		check(t, get("recipient_name"), line)
		if get("recipient_name") == bmf {
			plain++
		}
		if line.KX == Key(bmf) {
			equal++
		} else if shown++; shown%40 == 0 && testing.Verbose() {
			t.Logf("%q + %q: %q, master file %q", get("recipient_name"), get("recipient_name2"), line.K2, Parse(bmf).K2)
		}
	})
	share := float64(equal) / float64(n)
	t.Logf("%d pairs: %.1f %% equal as typed, %.1f %% with equal keys", n, 100*float64(plain)/float64(n), 100*share)
	// The rest are other names of the organization, names of its parent, and
	// mistyped numbers: work for aliases and the model, not for keys.
	if share < 0.66 {
		t.Errorf("only %.3f of real pairs have equal keys", share)
	}
}

// TestRealMaster runs every name and street of one state's master file through
// the invariants.
func TestRealMaster(t *testing.T) {
	t.Parallel()
	path := filepath.Join(upstream.Dir(t), "bmf", "2026-04", "eo_wy.csv.gz")
	n, empty, stable, street := 0, 0, 0, 0
	rows(t, path, func(get func(string) string) {
		n++
		name := Parse(get("NAME"))
		check(t, get("NAME"), name)
		if Key(get("NAME")) != name.KX {
			t.Fatalf("Key and Parse differ on %q", get("NAME"))
		}
		if name.KX == "" {
			empty++
		}
		if Key(name.K2) == name.KX {
			stable++
		}
		if StreetKey(get("STREET")) != "" {
			street++
		}
	})
	t.Logf("%d names: %d without key, %.2f %% stable when read again; %.2f %% of streets have a key", n, empty, 100*float64(stable)/float64(n), 100*float64(street)/float64(n))
	if empty > n/1000 || stable < n*98/100 {
		t.Errorf("%d names without key and %d stable of %d", empty, stable, n)
	}
}
