package graph_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/graph"
	"grantgraph/internal/snapshot"
)

func refused(t *testing.T, s *snapshot.Snapshot, what string) {
	t.Helper()
	g, err := graph.Open(s)
	if err == nil {
		g.Close()
		t.Fatalf("an index %s is opened", what)
	}
	f, ok := fault.Of(err)
	if !ok || f.Hint == "" {
		t.Fatalf("an index %s: %v is no fault with a hint", what, err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	s := random(3, 300).write(t, t.TempDir())
	path := filepath.Join(s.Dir, "graph", "index")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, forgiving := range []bool{false, true} {
		if forgiving {
			s.Manifest.Files = nil // no help from the manifest
		}
		for _, n := range []int{0, 1, 63, 64, 65, 1000, len(whole) / 2, len(whole) - 1} {
			put(whole[:n])
			refused(t, s, "cut short")
		}
		put(append(slices.Clone(whole), 0))
		refused(t, s, "with a byte more")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refused(t, s, "that is missing")
	put(whole)
	s.Manifest.Counts.Grants++
	refused(t, s, "of another snapshot")
	s.Manifest.Counts.Grants--
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
}

// TestDamagedBytes changes every byte of an index, one at a time. It is refused,
// unless the byte lies between two sections, where it means nothing.
func TestDamagedBytes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(random(3, 70).write(t, t.TempDir()).Dir, "graph", "index"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	filter := randomFilter(r)
	want := answer(g, filter, 10)
	refused := 0
	for i := range data {
		bit := byte(1) << r.IntN(8)
		data[i] ^= bit
		if g, err := graph.OpenBytes(data); err != nil {
			refused++
			want := graph.Damaged
			if i < 8 { // what says that it is an index of this version
				want = "graph_version"
			}
			if f, ok := fault.Of(err); !ok || f.Slug != want {
				t.Fatalf("byte %d: %v", i, err)
			}
		} else if got := answer(g, filter, 10); got != want {
			t.Fatalf("byte %d is changed and the index answers\n %.300s\nwant\n %.300s", i, got, want)
		}
		data[i] ^= bit
	}
	if refused < len(data)/2 {
		t.Errorf("only %d of %d changes were noticed", refused, len(data))
	}
}

// TestBuildRefuses gives Build tables that contradict themselves.
func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*corpus){
		"order of funders":    func(c *corpus) { slices.Reverse(c.grants) },
		"funder":              func(c *corpus) { c.grants[0].FunderEIN = "x" },
		"recipient":           func(c *corpus) { c.grants[0].RecipientEIN = "x" },
		"rule":                func(c *corpus) { c.grants[0].EINSource = "guess" },
		"repeated key":        func(c *corpus) { c.grants[1].Key = c.grants[0].Key },
		"many years":          func(c *corpus) { spreadYears(c) },
		"two EINs of one":     func(c *corpus) { c.grants[0].RecipID, c.grants[0].RecipientEIN = c.grants[1].RecipID, "089999999" },
		"order of recipients": func(c *corpus) { c.grants[0].FunderEIN, c.grants[0].RecipID = c.grants[1].FunderEIN, "zz" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := random(4, 200)
			c.write(t, t.TempDir()) // sorts
			spoil(c)
			w, err := snapshot.Create(t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				snapshot.WriteTable(w, snapshot.Grants, slices.Values(c.grants)),
				snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values(c.funders)),
				snapshot.WriteTable(w, snapshot.Organizations, slices.Values(c.orgs)),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := graph.Build(context.Background(), w); err == nil {
				t.Error("it is indexed")
			} else if _, ok := fault.Of(err); !ok {
				t.Errorf("%v is no fault", err)
			}
		})
	}
}

func spreadYears(c *corpus) {
	for i := range c.grants {
		c.grants[i].TaxYear = int32(1900 + i)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	t.Parallel()
	var last []byte
	for range 2 {
		b, err := os.ReadFile(filepath.Join(random(8, 500).write(t, t.TempDir()).Dir, "graph", "index"))
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && !slices.Equal(b, last) {
			t.Error("two builds of the same tables differ")
		}
		last = b
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	g := open(t, random(10, 500).write(t, t.TempDir()))
	g.ShrinkCache(20_000)
	r := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	most := 0
	for range 500 {
		if _, _, err := g.Funders(ctx, randomFilter(r), graph.Sort{}, graph.Page{Limit: 5}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := g.Transactions(ctx, randomFilter(r), graph.Sort{}, graph.Page{Limit: 5}); err != nil {
			t.Fatal(err)
		}
		most = max(most, g.CacheSize())
	}
	if most > 20_000 || most < 10_000 {
		t.Errorf("the cache has held %d bytes", most)
	}
}
