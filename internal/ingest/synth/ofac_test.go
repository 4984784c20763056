package synth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/ofac"
	"grantgraph/internal/ingest/source/rows"
)

// TestNobodyIsReallySanctioned compares the invented sanctions list with real
// ones: no name of one is a name of the other.
func TestNobodyIsReallySanctioned(t *testing.T) {
	t.Parallel()
	root := upstream.Dir(t)
	real := map[string]bool{}
	add := func(list *ofac.List) {
		for i := range list.Entries {
			real[strings.ToUpper(list.Entries[i].Name)] = true
			for _, a := range list.Entries[i].Aliases {
				real[strings.ToUpper(a.Name)] = true
			}
		}
	}
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for _, set := range [][2]string{{"snapshots/sdn_2024-05-02.csv.gz", ""}, {"set_2019/sdn.csv.gz", "set_2019/alt.csv.gz"}, {"consolidated/cons_prim.csv", "consolidated/cons_alt.csv"}} {
		f := ofac.Files{}
		for i, name := range set {
			if name == "" {
				continue
			}
			r, err := rows.Inflate(open(filepath.Join(root, "ofac", filepath.FromSlash(name))))
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				f.Primary = r
			} else {
				f.Aliases = r
			}
		}
		list, err := ofac.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		add(list)
	}
	if len(real) < 15_000 {
		t.Fatalf("%d real names", len(real))
	}
	out := filepath.Join(t.TempDir(), "world")
	write(t, Options{Out: out, Grants: 100})
	list, err := ofac.Read(ofac.Files{Primary: open(filepath.Join(out, "ofac", "sdn.csv")), Aliases: open(filepath.Join(out, "ofac", "alt.csv"))})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Entries {
		e := &list.Entries[i]
		if real[strings.ToUpper(e.Name)] {
			t.Errorf("%s is a real entry", e.Name)
		}
		for _, a := range e.Aliases {
			if real[strings.ToUpper(a.Name)] {
				t.Errorf("%s is a real alias", a.Name)
			}
		}
	}
}
