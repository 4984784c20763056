package screen_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

// TestStanding holds the sets against the record of each organization, from the
// index and from rows.
func TestStanding(t *testing.T) {
	t.Parallel()
	e := edition(t)
	now := &lists.Current{Edition: e}
	indexed, err := screen.Open(now)
	if err != nil {
		t.Fatal(err)
	}
	defer indexed.Close()
	rows := plain(t, e)
	var eins []ein.EIN
	add := func(text string) {
		if id, err := ein.Parse(text); err == nil {
			eins = append(eins, id, id+1)
		}
	}
	for _, m := range rows.Masters {
		add(m.EIN)
	}
	for _, v := range rows.Revoked {
		add(v.EIN)
	}
	slices.Sort(eins)
	eins = slices.Compact(eins)
	at := e.Status(lists.BMF).FetchedAt
	for name, s := range map[string]*screen.Screener{"index": indexed, "rows": screen.New(now, rows)} {
		st, err := screen.NewStanding(eins, s)
		if err != nil {
			t.Fatal(err)
		}
		revoked := 0
		for i, id := range eins {
			c := &s.Screen(screen.Query{EIN: id}, at).Compliance
			for _, x := range []struct {
				what string
				set  []uint64
				want *bool
			}{{"in the master file", st.InBMF, c.InBMF}, {"in Publication 78", st.Pub78, c.Pub78Verified}, {"revoked", st.Revoked, c.Revoked}} {
				is := x.set[i/64]>>(i%64)&1 != 0
				if x.want == nil || is != *x.want {
					t.Fatalf("%s: %s is %s: %v, and its record says %v", name, id, x.what, is, x.want)
				}
				if is && x.what == "revoked" {
					revoked++
				}
			}
		}
		if revoked == 0 {
			t.Error("nobody is revoked")
		}
	}
}

// TestStandingWithoutLists has no sets, which is not the same as empty ones.
func TestStandingWithoutLists(t *testing.T) {
	t.Parallel()
	s, err := screen.Open(&lists.Current{})
	if err != nil {
		t.Fatal(err)
	}
	st, err := screen.NewStanding([]ein.EIN{1, 2, 3}, s)
	if err != nil || st.InBMF != nil || st.Pub78 != nil || st.Revoked != nil {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestStandingRefuses spoils a row of the revocation list, with checksums that
// hold: the edition is refused, and nothing panics.
func TestStandingRefuses(t *testing.T) {
	t.Parallel()
	e := edition(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(e.Dir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(screen.IndexPath))
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body = mappedtest.Rewrite(t, screen.FileKind, body, func(section string, b []byte) ([]byte, bool) {
		if section == "revocation.rows" {
			b[0] = 0xff // the length of the first text
		}
		return b, true
	})
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := screen.Open(&lists.Current{Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{Dir: dir, Manifest: e.Manifest}, Lists: e.Lists}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = screen.NewStanding([]ein.EIN{1}, s)
	if f, ok := fault.Of(err); !ok || f.Slug != screen.Damaged {
		t.Errorf("%v", err)
	}
}
