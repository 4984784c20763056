package screen_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// plain are the tables of an edition as they stand, for the index to agree with.
func plain(t *testing.T, e *lists.Edition) *screen.Rows {
	t.Helper()
	return &screen.Rows{
		Masters: all[lists.Master](t, e, lists.Masters), Pub78: all[lists.Deductible](t, e, lists.Deductibles), Revoked: all[lists.RevocationRow](t, e, lists.Revocations),
		Registry: all[lists.Registration](t, e, lists.Registrations), FTB: all[lists.FTBRecord](t, e, lists.FTBRecords), Deleted: all[lists.Deletion](t, e, lists.Deletions),
		BulletinsInAll: all[lists.Bulletin](t, e, lists.Bulletins),
	}
}

func all[T any](t *testing.T, e *lists.Edition, table string) (list []T) {
	t.Helper()
	for row, err := range snapshot.Rows[T](e.Snapshot, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

func edition(t *testing.T) *lists.Edition {
	t.Helper()
	e, err := lists.Open(world.Small.Data(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// knownIn are the EINs that a list has.
func knownIn(rows *screen.Rows) map[string]bool {
	known := map[string]bool{}
	for _, m := range rows.Masters {
		known[m.EIN] = true
	}
	for _, p := range rows.Pub78 {
		known[p.EIN] = true
	}
	for _, v := range rows.Revoked {
		known[v.EIN] = true
	}
	for _, c := range rows.Registry {
		known[c.EIN] = true
	}
	for _, c := range rows.FTB {
		known[c.EIN] = true
	}
	delete(known, "")
	return known
}

// TestIndex looks every row of an edition up in its index.
func TestIndex(t *testing.T) {
	t.Parallel()
	e := edition(t)
	x, err := screen.OpenTables(e)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rows := plain(t, e)
	for _, c := range rows.Registry {
		if c.EIN == "" {
			same(t, c.Name, screen.RowsNamed(&x.RegistrationsNamed, orgname.Key(c.Name)), filter(rows.Registry, func(r *lists.Registration) bool {
				return r.EIN == "" && orgname.Key(r.Name) == orgname.Key(c.Name)
			}))
		}
	}
	for _, c := range rows.FTB {
		if c.EIN == "" {
			same(t, c.Name, screen.RowsNamed(&x.FTBRecordsNamed, orgname.Key(c.Name)), filter(rows.FTB, func(r *lists.FTBRecord) bool {
				return r.EIN == "" && orgname.Key(r.Name) == orgname.Key(c.Name)
			}))
		}
	}
	known := knownIn(rows)
	for text := range known {
		id, err := ein.Parse(text)
		if err != nil {
			continue
		}
		m, in := x.Master(id)
		want := filter(rows.Masters, func(m *lists.Master) bool { return m.EIN == id.String() })
		if in != (len(want) > 0) || in && !reflect.DeepEqual(m, want[0]) {
			t.Errorf("%s: the master file has %+v, %v", text, m, in)
		}
		if m.Group != "" {
			same(t, m.Group, screen.RowsNamed(&x.Centrals, m.Group), filter(rows.Masters, func(c *lists.Master) bool {
				return c.Group == m.Group && (c.Affiliation == "6" || c.Affiliation == "8")
			}))
		}
		same(t, text, screen.RowsWith(&x.Deductibles, id), filter(rows.Pub78, func(r *lists.Deductible) bool { return r.EIN == id.String() }))
		same(t, text, screen.RowsWith(&x.Revocations, id), filter(rows.Revoked, func(r *lists.RevocationRow) bool { return r.EIN == id.String() }))
		same(t, text, screen.RowsWith(&x.Registrations, id), filter(rows.Registry, func(r *lists.Registration) bool { return r.EIN == id.String() }))
		same(t, text, screen.RowsWith(&x.FTBRecords, id), filter(rows.FTB, func(r *lists.FTBRecord) bool { return r.EIN == id.String() }))
	}
	if _, in := x.Master(ein.None); in {
		t.Error("nobody is in the master file")
	}
	if got := x.Sanctioned; len(got) == 0 || slices.ContainsFunc(got, func(s screen.Sanctioned) bool {
		return s.Type != "" || len(s.Names) == 0 || s.Names[0].Kind != "primary"
	}) {
		t.Errorf("%d sanctioned entities", len(got))
	}
	if b := x.Bulletins; len(b) == 0 || b[len(b)-1].Number != e.Status(lists.IRB).CoversThrough {
		t.Errorf("the newest bulletin is %+v", b)
	}
	if len(known) < 100 {
		t.Errorf("only %d organizations", len(known))
	}
}

func same[T any](t *testing.T, of string, got, want []T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s: %+v, want %+v", of, got, want)
	}
}

// TestIndexDamage bends the index in every way that files bend.
func TestIndexDamage(t *testing.T) {
	t.Parallel()
	e := edition(t)
	body, err := os.ReadFile(filepath.Join(e.Dir, filepath.FromSlash(screen.IndexPath)))
	if err != nil {
		t.Fatal(err)
	}
	mappedtest.Damage(t, screen.FileKind, body, screen.CheckIndex)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(e.Dir)); err != nil {
		t.Fatal(err)
	}
	at := &lists.Edition{Snapshot: &snapshot.Snapshot{Dir: dir, Manifest: e.Manifest}, Lists: e.Lists}
	path := filepath.Join(dir, filepath.FromSlash(screen.IndexPath))
	mappedtest.Files(t, screen.FileKind, path, func() error {
		x, err := screen.OpenTables(at)
		if err == nil {
			err = x.Close()
		}
		return err
	})
}

// TestEverybody goes through all organizations of an edition: they are those that
// the lists have, and what they match is what a screening of them finds.
func TestEverybody(t *testing.T) {
	t.Parallel()
	e := edition(t)
	now := &lists.Current{Edition: e}
	s, err := screen.Open(now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	everybody, err := screen.NewEverybody(e.Snapshot)
	if err != nil || everybody == nil || everybody.Fingerprint == 0 {
		t.Fatalf("%+v, %v", everybody, err)
	}
	rows := plain(t, e)
	known := knownIn(rows)
	var last ein.EIN
	n, matched := 0, 0
	for org, err := range screen.Organizations(t.Context(), e.Snapshot) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; !known[org.EIN.String()] || org.EIN <= last {
			t.Fatalf("%s comes after %s", org.EIN, last)
		}
		last = org.EIN
		if n%10 != 0 { // all would take long
			continue
		}
		found := everybody.Matches(org.Names)
		b := s.Screen(screen.Query{EIN: org.EIN}, e.Status(lists.OFAC).FetchedAt).Compliance.OFAC
		if !slices.Equal(b.NamesScreened, org.Names) || len(found) > 0 && !reflect.DeepEqual(b.PotentialMatches, found[:min(len(found), 10)]) || (b.Status == screen.PotentialMatch) != (len(found) > 0) {
			t.Errorf("%s %q matches %+v, and a screening of %q says %s, %+v", org.EIN, org.Names, found, b.NamesScreened, b.Status, b.PotentialMatches)
		}
		if len(found) > 0 {
			matched++
		}
	}
	if n != len(known) || matched == 0 {
		t.Errorf("%d organizations of %d, of which %d match", n, len(known), matched)
	}
}

// filter returns the rows that a condition keeps.
func filter[T any](rows []T, keep func(*T) bool) (list []T) {
	for i := range rows {
		if keep(&rows[i]) {
			list = append(list, rows[i])
		}
	}
	return list
}
