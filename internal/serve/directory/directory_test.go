package directory_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// some makes organizations that differ in everything but a few things.
func some(n int) (orgs []snapshot.Organization, filings []snapshot.Org, funders []snapshot.FunderKind) {
	for i := range n {
		id := ein.EIN(70_000_001 + i).String()
		orgs = append(orgs, snapshot.Organization{EIN: id, Name: fmt.Sprint("Org ", i%7), City: fmt.Sprint("Town ", i%5), State: []string{"OH", "CA", ""}[i%3], ZIP5: fmt.Sprintf("4410%d", i%10),
			County: []string{"39153", ""}[i%2], NTEE: []string{"B20", "K31", ""}[i%3], Subsection: "03", Foundation: []string{"15", "04"}[i%2], Group: []string{"", "0042"}[i%2], Ruling: fmt.Sprint(1990+i%30, "05")})
		if i%2 == 0 {
			v := int64(1000 * (i % 11))
			filings = append(filings, snapshot.Org{EIN: id, ReturnType: "990", TaxYear: 2024, TotalRevenue: &v, TotalAssets: &v})
			funders = append(funders, snapshot.FunderKind{FunderEIN: id, Kind: "public_charity"})
		}
	}
	return orgs, filings, funders
}

// write publishes them.
func write(t *testing.T, n int) *snapshot.Snapshot {
	t.Helper()
	orgs, filings, funders := some(n)
	w, err := snapshot.Create(t.TempDir(), world.Built)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		snapshot.WriteTable(w, snapshot.Organizations, slices.Values(orgs)),
		snapshot.WriteTable(w, snapshot.Orgs, slices.Values(filings)),
		snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values(funders)),
		directory.Build(t.Context(), w))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Publish(snapshot.Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDamage(t *testing.T) {
	t.Parallel()
	s := write(t, 3)
	path := filepath.Join(s.Dir, "directory", "index")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mappedtest.Damage(t, directory.FileKind, data, directory.OpenBytes)
	reopen := func() error {
		x, err := directory.Open(s)
		if err != nil {
			return err
		}
		return x.Close()
	}
	mappedtest.Files(t, directory.FileKind, path, reopen)
	for i := range s.Manifest.Files {
		if f := &s.Manifest.Files[i]; f.Table() == snapshot.Organizations {
			f.Rows++
		}
	}
	if f, ok := fault.Of(reopen()); !ok || f.Slug != directory.Damaged {
		t.Errorf("an index of another snapshot: %v", f)
	}
}

// TestWrongNumbers writes numbers that point nowhere, with checksums that hold.
func TestWrongNumbers(t *testing.T) {
	t.Parallel()
	s := write(t, 5)
	data, err := os.ReadFile(filepath.Join(s.Dir, "directory", "index"))
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range []string{"state.code", "state.orgs", "city.lists", "zip.value.starts", "revenue.up", "name.down", "names.starts", "city.name.code", "ein", "ntee.large"} {
		wrong := mappedtest.Rewrite(t, directory.FileKind, data, func(name string, body []byte) ([]byte, bool) {
			if name == section {
				body[len(body)-1] = 0x7f
				body[3] = 0x7f
			}
			return body, true
		})
		if err := directory.OpenBytes(wrong); err == nil {
			t.Errorf("a wrong number in %s is not noticed", section)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	orgs, filings, funders := some(10)
	for name, spoil := range map[string]func([]snapshot.Organization){
		"order": func(o []snapshot.Organization) { slices.Reverse(o) },
		"twice": func(o []snapshot.Organization) { o[3].EIN = o[2].EIN },
		"EIN":   func(o []snapshot.Organization) { o[0].EIN = "x" },
	} {
		spoiled := slices.Clone(orgs)
		spoil(spoiled)
		if _, err := directory.Of(spoiled, filings, funders); err == nil {
			t.Errorf("%s: it is indexed", name)
		}
	}
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	var last []byte
	for range 2 {
		b, err := os.ReadFile(filepath.Join(write(t, 300).Dir, "directory", "index"))
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && !slices.Equal(b, last) {
			t.Error("two builds of the same tables differ")
		}
		last = b
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	x, err := directory.Of(nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := int64(1)
	for _, f := range []*directory.Filter{{}, {States: []string{"OH"}}, {Revenue: directory.Range{Min: &v}}} {
		set, n, err := x.Select(f, nil)
		if err != nil || n != 0 {
			t.Errorf("%d, %v", n, err)
		}
		if page, err := x.Page(set, n, directory.Sort{}, 0, 10); err != nil || len(page) != 0 {
			t.Errorf("%v, %v", page, err)
		}
	}
}

// TestPages cuts every result into pages of every size and puts them together.
func TestPages(t *testing.T) {
	t.Parallel()
	orgs, filings, funders := some(200)
	x, err := directory.Of(orgs, filings, funders)
	if err != nil {
		t.Fatal(err)
	}
	least := int64(3000)
	cause, _ := ntee.ParseSubject("K")
	for _, f := range []directory.Filter{{}, {States: []string{"OH"}}, {Causes: []ntee.Subject{cause}, FoundationCodes: []string{"15"}}, {Revenue: directory.Range{Min: &least}}, {Groups: []string{"42"}}} {
		set, n, err := x.Select(&f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for by := directory.ByRevenue; by <= directory.ByName; by++ {
			s := directory.Sort{By: by, Asc: n%2 == 0}
			all, err := x.Page(set, n, s, 0, n)
			if err != nil || len(all) != n {
				t.Fatalf("%d of %d, %v", len(all), n, err)
			}
			for _, size := range []int{1, 7, 64} {
				var got []uint32
				for from := 0; from < n; from += size {
					page, err := x.Page(set, n, s, from, size)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, page...)
				}
				if !slices.Equal(got, all) {
					t.Errorf("%s by %d in pages of %d: %v, not %v", f.Canonical(), by, size, got, all)
				}
			}
		}
		x.Release(set)
	}
}

// TestShared asks one index from many sides at once: what is lent is not mixed up.
func TestShared(t *testing.T) {
	t.Parallel()
	orgs, filings, funders := some(500)
	x, err := directory.Of(orgs, filings, funders)
	if err != nil {
		t.Fatal(err)
	}
	filters := []directory.Filter{{}, {States: []string{"OH"}}, {States: []string{"CA"}, Counties: []string{"39153"}}, {Subsections: []string{"03"}, ZIPs: []string{"441"}}}
	ask := func(f *directory.Filter) ([]uint32, int) {
		set, n, err := x.Select(f, nil)
		if err != nil {
			t.Error(err)
			return nil, 0
		}
		defer x.Release(set)
		page, _ := x.Page(set, n, directory.Sort{By: directory.ByName}, n/3, 20)
		return page, n
	}
	var want [][]uint32
	for i := range filters {
		page, _ := ask(&filters[i])
		want = append(want, page)
	}
	var all sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range 200 {
				if page, _ := ask(&filters[i%len(filters)]); !slices.Equal(page, want[i%len(filters)]) {
					t.Errorf("%v, not %v", page, want[i%len(filters)])
					return
				}
			}
		})
	}
	all.Wait()
}

// TestStandingOfOthers refuses sets of other organizations, and of lists that are
// not there.
func TestStandingOfOthers(t *testing.T) {
	t.Parallel()
	orgs, filings, funders := some(100)
	x, err := directory.Of(orgs, filings, funders)
	if err != nil {
		t.Fatal(err)
	}
	is := true
	for _, st := range []*screen.Standing{nil, {}, {Revoked: make([]uint64, 1)}} {
		if _, _, err := x.Select(&directory.Filter{Revoked: &is}, st); err == nil {
			t.Errorf("%+v is taken", st)
		}
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	x, err := directory.Open(write(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	row, ok := x.Row(2, nil)
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	v := int64(2000)
	want := directory.Row{EIN: 70_000_003, Name: "Org 2", City: "Town 2", ZIP: "44102", County: "39153", Subsection: "03", Foundation: "15", FoundationType: "PC", RulingYear: 1992,
		FunderKind: "public_charity", Accepts: "not_stated", ReturnType: "990", FiscalYear: 2024, Revenue: &v, Assets: &v}
	if !ok || !reflect.DeepEqual(row, want) {
		t.Errorf("%+v", row)
	}
	if _, _, err := x.Select(&directory.Filter{}, nil); !errors.Is(err, directory.ErrClosed) {
		t.Error(err)
	}
	if _, err := x.Page(nil, 3, directory.Sort{}, 0, 1); !errors.Is(err, directory.ErrClosed) {
		t.Error(err)
	}
	if _, ok := x.Row(0, nil); ok || x.EINs() != nil {
		t.Error("a closed index answers")
	}
}

// TestWeight holds the memory of a question against what it says it takes. It
// does not run beside other tests, which would be counted too.
func TestWeight(t *testing.T) {
	orgs, filings, funders := some(100_000)
	x, err := directory.Of(orgs, filings, funders)
	if err != nil {
		t.Fatal(err)
	}
	least := int64(2000)
	f := &directory.Filter{States: []string{"OH", "CA"}, Cities: []directory.City{{Name: "TOWN 1"}, {Name: "TOWN 2", State: "OH"}}, Revenue: directory.Range{Min: &least}, Assets: directory.Range{Min: &least}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	set, n, err := x.Select(f, nil)
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	page, err := x.Page(set, n, directory.Sort{}, n/2, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, org := range page {
		x.Row(org, nil)
	}
	x.Release(set)
	runtime.ReadMemStats(&after)
	if took, said := after.TotalAlloc-before.TotalAlloc, x.Weight(1000); took > uint64(said) {
		t.Errorf("a question takes %d bytes, and says %d", took, said)
	}
}
